/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_TROUBLE_REPORT_H
#define LLM_TROUBLE_REPORT_H

#include "llm-run-report.h"

#include <cstddef>
#include <cstdint>
#include <string>

namespace ns3
{
namespace llm
{

/** Iterations of a run with failures, by when they ran. */
struct TroubleTimes
{
    /** Iterations that ran whole in a part of the run. */
    struct Part
    {
        uint32_t count{0}; //!< iterations
        int64_t ticks{0};  //!< sum of their durations
        int64_t worst{0};  //!< longest duration
    };

    Part before; //!< ended before the first event
    Part during; //!< all others
    Part after;  //!< started after the last event
};

/** @param report of a run with events. @param job one of its jobs; the first if not given.
 *  @return the job's finished iterations. */
TroubleTimes CountTroubleTimes(const RunReport& report, std::size_t job = 0);

/** @param report of a run. @return what went wrong, for a terminal of 80 columns; empty if
 *  nothing. */
std::string FormatTrouble(const RunReport& report);

/** @param report of a run. @return the same as a JSON object. */
std::string FormatTroubleSummary(const RunReport& report);

/** Have a failed job's reasons end with what had gone wrong by then. @param report of a run. */
void DescribeTroubleInFailure(RunReport& report);

} // namespace llm
} // namespace ns3

#endif // LLM_TROUBLE_REPORT_H

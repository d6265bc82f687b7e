/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_REPORT_TEXT_H
#define LLM_REPORT_TEXT_H

#include <cstdint>
#include <string>

namespace ns3
{
namespace llm
{

// Words, figures and columns of printed reports, alike in all of their parts.

/** @param text any. @return with its blanks such that AddReportFact breaks no line there. */
std::string KeepTogether(std::string text);

/** @param ticks a time. @return picoseconds, as in files. */
int64_t ToPs(int64_t ticks);

/** @param ticks a time. @return "12.346 ms". */
std::string ShowTicks(int64_t ticks);

/** @param text any. @param width columns. @return it, with blanks on the left. */
std::string PadLeft(const std::string& text, std::size_t width);

/** @param text any. @param width columns. @return it, with blanks on the right. */
std::string PadRight(const std::string& text, std::size_t width);

/** @param part of it. @param whole all of it. @return "12.3 %". */
std::string ShowPercent(int64_t part, int64_t whole);

/** @param bytesPerSecond a bandwidth. @return "12.34 GB/s". */
std::string ShowBandwidth(double bytesPerSecond);

/** @param number how many. @param noun of one. @return "1 pause", "2 pauses". */
std::string ShowCount(uint64_t number, const std::string& noun);

/**
 * Add "label   text", broken at blanks so that lines have at most 80 columns.
 * @param report to add to.
 * @param label in front.
 * @param text behind, in the same column on all lines.
 * @param indent that column.
 */
void AddReportFact(std::string& report,
                   const std::string& label,
                   const std::string& text,
                   std::size_t indent = 14);

} // namespace llm
} // namespace ns3

#endif // LLM_REPORT_TEXT_H

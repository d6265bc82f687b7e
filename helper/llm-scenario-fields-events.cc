/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-scenario-field-section.h"
#include "llm-scenario-field-tables.h"
#include "llm-trouble-schedule.h"

namespace ns3
{
namespace llm
{

namespace
{

/** @return fields of one event. */
const std::vector<ScenarioField>&
GetEventFields()
{
    static const std::vector<ScenarioField> fields = [] {
        std::vector<ScenarioField> made;
        ScenarioFieldSection<Scenario::Event> event(made);
        event.Duration("at", &Scenario::Event::at_ps)
            .Range(0, MAX_PS)
            .Required()
            .Doc("simulated time of the failure");
        event.Choice("kind", &Scenario::Event::kind)
            .Choices(GetTroubleNames())
            .Required()
            .Doc("what goes wrong, or is well again");
        event.Text("target", &Scenario::Event::target)
            .Required()
            .Doc("links: \"leaf0:spine1\" (all between the two), a port as \"leaf0:3\", or "
                 "\"host3\" (all of the host); switches: \"spine1\"; hosts, storms and "
                 "accelerators: \"host3\", \"server0\" or \"rank5\"");
        event.Duration("duration", &Scenario::Event::duration_ps)
            .Range(0, MAX_PS)
            .Doc("then all is as before; 0: never");
        event.Duration("period", &Scenario::Event::period_ps)
            .Range(0, MAX_PS)
            .Doc("link_flap: from one failure to the next");
        event.Number("duty", &Scenario::Event::duty)
            .Range(0, 1)
            .Doc("link_flap: share of a period that the link is down");
        event.Count("count", &Scenario::Event::count)
            .Range(1, 1e6)
            .Doc("link_flap: number of failures");
        event.Rate("rate", &Scenario::Event::rate)
            .Range(0, 1e15)
            .Doc("link_rate: rate that the link falls back to; ECN thresholds and headroom stay");
        event.Number("bit_error_rate", &Scenario::Event::bit_error_rate)
            .Range(0, 1)
            .Doc("bit_errors: probability that a bit arrives wrong, in both directions, behind "
                 "error correction; a frame with such a bit is lost");
        event.Number("factor", &Scenario::Event::factor)
            .Range(1e-6, 1e6)
            .Doc("slow_accelerator: computations take so many times as long");
        event.CountList("classes", &Scenario::Event::classes)
            .Range(0, 7)
            .Doc("pause_storm: traffic classes in which the NIC says XOFF, and refreshes it");
        return made;
    }();
    return fields;
}

} // namespace

void
AddEventFields(std::vector<ScenarioField>& fields)
{
    ScenarioFieldSection<Scenario> top(fields);
    top.List("events", &Scenario::events, GetEventFields)
        .Doc("failures and repairs at their times; see events.csv for what they did");
}

} // namespace llm
} // namespace ns3

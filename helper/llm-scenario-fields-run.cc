/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-scenario-field-section.h"
#include "llm-scenario-field-tables.h"

namespace ns3
{
namespace llm
{

void
AddRunFields(std::vector<ScenarioField>& fields)
{
    ScenarioFieldSection simulator(fields, "simulator", &Scenario::simulator);
    simulator.Choice("event_queue", &Scenario::SimulatorSection::event_queue)
        .Choices({"native", "portable"})
        .Doc("the module's own simulator core, or any of ns-3's; same results");
    simulator.Duration("stop_after", &Scenario::SimulatorSection::stop_after_ps)
        .Range(0, MAX_PS)
        .Doc("stop at this simulated time, as a failed run; 0: never");
    ScenarioFieldSection output(fields, "output", &Scenario::output);
    output.Text("folder", &Scenario::Output::folder)
        .Doc("where files go, relative to the working directory; empty: no files");
    output.Boolean("summary", &Scenario::Output::summary).Doc("write summary.json");
    output.Boolean("collectives", &Scenario::Output::collectives).Doc("write collectives.csv");
    output.Boolean("flows", &Scenario::Output::flows).Doc("write flows.csv");
    output.Boolean("fct", &Scenario::Output::fct)
        .Doc("write fct.txt, completion times of flows (not of collectives) in the form of the "
             "HPCC family");
    output.Boolean("pfc", &Scenario::Output::pfc).Doc("write pfc.csv");
    output.Boolean("ecn", &Scenario::Output::ecn).Doc("write ecn.csv");
    output.Boolean("queues", &Scenario::Output::queues).Doc("write queues.csv");
    output.Boolean("events", &Scenario::Output::events)
        .Doc("write events.csv, if there are events");
    output.Duration("queue_interval", &Scenario::Output::queue_interval_ps)
        .Range(1, MAX_PS)
        .Doc("queues.csv and ecn.csv have a row per interval");
    output.TextList("pcap", &Scenario::Output::pcap)
        .Doc("ports to write a pcap file of, e.g. [\"host0\", \"leaf0:3\"]");
    ScenarioFieldSection watchdog(fields, "watchdog", &Scenario::watchdog);
    watchdog.Duration("stall_time", &Scenario::Watchdog::stall_time_ps)
        .Range(1e6, MAX_PS)
        .Doc("a job without any progress for this simulated time has failed");
    watchdog.Duration("deadlock_interval", &Scenario::Watchdog::deadlock_interval_ps)
        .Range(0, MAX_PS)
        .Doc("look for deadlocks of PFC so often, while something is paused, and stop at one; 0: "
             "only when a job has failed");
}

} // namespace llm
} // namespace ns3

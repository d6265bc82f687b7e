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

namespace
{

void
AddBufferFields(std::vector<ScenarioField>& fields)
{
    using Section = Scenario::SwitchSection;
    ScenarioFieldSection fabric(fields, "fabric", &Scenario::switches);
    fabric.Choice("buffer_model", &Section::buffer_model)
        .Choices({"shared", "pools"})
        .Doc(
            "shared: lossless classes are accounted at ingress, lossy ones at egress, in one pool; "
            "pools: all at both, in ingress and egress pools as SONiC has them");
    fabric.Choice("buffer_policy", &Section::buffer_policy)
        .Choices({"dynamic", "static", "abm"})
        .Doc("threshold of a queue: by alpha, or static_threshold, or ABM with alpha per class; "
             "pools: of lossless classes at ingress and lossy ones at egress");
    fabric.Bytes("static_threshold", &Section::static_threshold)
        .Range(1, 1e15)
        .Doc("buffer_policy static: what a queue may use");
    fabric.Number("headroom_oversubscription", &Section::headroom_oversubscription)
        .Range(1, 1e6)
        .Doc("headroom of all ports and classes over the memory set aside for it; above 1 they "
             "share a pool");
    fabric.Bytes("xon", &Section::xon)
        .Range(0, 1e15)
        .Doc("pools: a paused class resumes with so much, or xon_offset below the threshold, "
             "whichever is more");
    fabric.Bytes("ingress_pool", &Section::ingress_pool)
        .Range(0, 1e15)
        .Doc("pools: shared at ingress; 0: all that reserves and headroom leave");
    fabric.Bytes("egress_lossless_pool", &Section::egress_lossless_pool)
        .Range(0, 1e15)
        .Doc("pools: of lossless classes at egress; 0: the buffer");
    fabric.Bytes("egress_lossy_pool", &Section::egress_lossy_pool)
        .Range(0, 1e15)
        .Doc("pools: of lossy classes at egress; 0: the buffer");
    fabric.Bytes("egress_reserve", &Section::egress_reserve)
        .Range(0, 1e15)
        .Doc("pools: reserved for each egress port and class");
    fabric.Number("egress_alpha", &Section::egress_alpha)
        .Range(1.0 / 65536, 1024)
        .Doc("pools: alpha of lossy classes at egress");
}

void
AddWatchdogFields(std::vector<ScenarioField>& fields)
{
    using Section = Scenario::SwitchSection;
    ScenarioFieldSection fabric(fields, "fabric", &Scenario::switches);
    fabric.Choice("pfc_watchdog", &Section::pfc_watchdog)
        .Choices({"off", "drop", "forward", "alert"})
        .Doc("what a switch does with a class that is paused for too long: nothing, drop what is "
             "queued and what comes, ignore the pause, or only report it");
    fabric.Duration("pfc_watchdog_detection", &Section::pfc_watchdog_detection_ps)
        .Range(1, MAX_PS)
        .Doc("how long a class is paused, with frames queued, before that");
    fabric.Duration("pfc_watchdog_restoration", &Section::pfc_watchdog_restoration_ps)
        .Range(1, MAX_PS)
        .Doc("how long no pause comes before the class is ordinary again");
    fabric.Duration("pfc_watchdog_poll", &Section::pfc_watchdog_poll_ps)
        .Range(1, MAX_PS)
        .Doc("time between two looks");
    fabric.Choice("check_deadlock", &Section::check_deadlock)
        .Choices({"off", "warn", "error"})
        .Doc(
            "cyclic buffer dependencies in the routes of lossless classes: do not look, report, or "
            "refuse to run");
}

} // namespace

void
AddSwitchFeatureFields(std::vector<ScenarioField>& fields)
{
    using Section = Scenario::SwitchSection;
    ScenarioFieldSection fabric(fields, "fabric", &Scenario::switches);
    fabric.Choice("switching", &Section::switching)
        .Choices({"store_and_forward", "cut_through"})
        .Doc("a switch forwards a frame when all of it has come, or, where the egress port is not "
             "faster, its first 64 bytes");
    fabric.Duration("switch_latency", &Section::switch_latency_ps)
        .Range(0, MAX_PS)
        .Doc("time from there to its place in the egress queue");
    fabric.Boolean("trimming", &Section::trimming)
        .Doc("cut RDMA data of lossy classes to its headers instead of dropping it");
    fabric.Count("trim_class", &Section::trim_class)
        .Range(0, 7)
        .Doc("traffic class in which trimmed frames go on");
    AddBufferFields(fields);
    AddWatchdogFields(fields);
}

} // namespace llm
} // namespace ns3

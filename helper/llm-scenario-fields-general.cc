/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-scenario-field-section.h"
#include "llm-scenario-field-tables.h"

#include "ns3/llm-flow-pattern.h"

namespace ns3
{
namespace llm
{

namespace
{

/** @return fields of an element of workload.flows. */
const std::vector<ScenarioField>&
GetFlowFields()
{
    static const std::vector<ScenarioField> table = [] {
        std::vector<ScenarioField> fields;
        ScenarioFieldSection<Scenario::FlowEntry> flow(fields);
        flow.Count("from", &Scenario::FlowEntry::from)
            .Range(0, MAX_RANKS)
            .Required()
            .Doc("sending rank");
        flow.Count("to", &Scenario::FlowEntry::to)
            .Range(0, MAX_RANKS)
            .Required()
            .Doc("receiving rank");
        flow.Bytes("bytes", &Scenario::FlowEntry::bytes).Required().Doc("length");
        flow.Duration("start", &Scenario::FlowEntry::start_ps)
            .Range(0, MAX_PS)
            .Doc("from the start of the iteration");
        flow.Count("class", &Scenario::FlowEntry::traffic_class)
            .Range(0, 7)
            .Doc("traffic class; else transport.traffic_class");
        return fields;
    }();
    return table;
}

} // namespace

void
AddGeneralFields(std::vector<ScenarioField>& fields)
{
    ScenarioFieldSection<Scenario> top(fields);
    top.Text("name", &Scenario::name).Doc("title of the report");
    top.Count("iterations", &Scenario::iterations).Range(1, 1e6).Doc("training steps to simulate");
    top.Duration("start_time", &Scenario::start_time_ps)
        .Range(0, MAX_PS)
        .Doc("simulated time at which the job starts");
    top.Count("seed", &Scenario::seed).Range(1, MAX_COUNT).Doc("seed of ns-3's random numbers");
    top.Count("run", &Scenario::run)
        .Range(0, 9007199254740992.0)
        .Doc("run number of ns-3's random numbers");
}

void
AddModelFields(std::vector<ScenarioField>& fields)
{
    ScenarioFieldSection model(fields, "model", &Scenario::model);
    model.Model("config", &Scenario::Model::config)
        .Doc("a model shipped in examples/models (gpt2, llama-3-8b, ...), the file name of a "
             "Hugging Face config.json (relative to the scenario), or such an object itself");
    model.Map("overrides", &Scenario::Model::overrides)
        .Doc("keys of the model's config.json with other values, e.g. {\"num_hidden_layers\": "
             "2}");
    ScenarioFieldSection workload(fields, "workload", &Scenario::workload);
    workload.Choice("format", &Scenario::Workload::format)
        .Choices({"model", "simai", "chakra", "goal", "flows", "pattern"})
        .Doc("what is run: the model under parallelism and training, or, instead of these three, "
             "somebody else's workload, a list of flows, or flows by a pattern");
    workload.Text("file", &Scenario::Workload::file)
        .Doc("simai, goal: the file; chakra: PREFIX of PREFIX.0.et, PREFIX.1.et, ...; flows: flow "
             "file of the HPCC family, or CSV (relative to the scenario)");
    workload.Text("groups", &Scenario::Workload::groups)
        .Doc("chakra: JSON file with process groups, as {\"0\": [0, 1]}, where the traces do "
             "not have them");
    workload.List("flows", &Scenario::Workload::flows, GetFlowFields)
        .Doc("flows: the list itself, instead of a file");
    workload.Choice("pattern", &Scenario::Workload::pattern)
        .Choices(FlowPattern::GetNames())
        .Doc("pattern: a flow from each rank to one other (permutation), to any (random), to the "
             "next (ring) or to half round (shift), to all others, or all to rank 0 (incast)");
    workload.Bytes("bytes", &Scenario::Workload::bytes).Doc("pattern: length of each flow");
    workload.Count("fan_in", &Scenario::Workload::fan_in)
        .Range(0, MAX_RANKS)
        .Doc("incast: senders; 0: all other ranks");
    workload.Duration("start", &Scenario::Workload::start_ps)
        .Range(0, MAX_PS)
        .Doc("pattern: of the first flow");
    workload.Duration("stagger", &Scenario::Workload::stagger_ps)
        .Range(0, MAX_PS)
        .Doc("incast: from the start of one flow to the next; all-to-all: likewise for each rank");
}

} // namespace llm
} // namespace ns3

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
AddGeneralFields(std::vector<ScenarioField>& fields)
{
    ScenarioFieldSection<Scenario> top(fields);
    top.Text("name", &Scenario::name).Doc("title of the report");
    top.Count("iterations", &Scenario::iterations).Range(1, 1e6).Doc("training steps to simulate");
    top.Count("seed", &Scenario::seed).Range(1, MAX_COUNT).Doc("seed of ns-3's random numbers");
    top.Count("run", &Scenario::run)
        .Range(0, 9007199254740992.0)
        .Doc("run number of ns-3's random numbers");
    ScenarioFieldSection model(fields, "model", &Scenario::model);
    model.Model("config", &Scenario::Model::config)
        .Doc("a model shipped in examples/models (gpt2, llama-3-8b, ...), the file name of a "
             "Hugging Face config.json (relative to the scenario), or such an object itself");
    model.Map("overrides", &Scenario::Model::overrides)
        .Doc("keys of the model's config.json with other values, e.g. {\"num_hidden_layers\": "
             "2}");
    ScenarioFieldSection workload(fields, "workload", &Scenario::workload);
    workload.Choice("format", &Scenario::Workload::format)
        .Choices({"model", "simai", "chakra", "goal"})
        .Doc("what is run: the model under parallelism and training, or somebody else's "
             "workload instead of these three");
    workload.Text("file", &Scenario::Workload::file)
        .Doc("simai, goal: the file; chakra: PREFIX of PREFIX.0.et, PREFIX.1.et, ... "
             "(relative to the scenario)");
    workload.Text("groups", &Scenario::Workload::groups)
        .Doc("chakra: JSON file with process groups, as {\"0\": [0, 1]}, where the traces do "
             "not have them");
}

} // namespace llm
} // namespace ns3

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
AddAcceleratorFields(std::vector<ScenarioField>& fields)
{
    ScenarioFieldSection accelerator(fields, "accelerator", &Scenario::accelerator);
    accelerator.Choice("name", &AcceleratorConfig::name)
        .Choices(Accelerator::GetPresetNames())
        .Doc("preset");
    accelerator.Count("flops_per_second", &AcceleratorConfig::flops_per_second)
        .Range(0, 1e18)
        .Doc("dense 16-bit peak; 0: preset");
    accelerator.Count("memory_bytes_per_second", &AcceleratorConfig::memory_bytes_per_second)
        .Range(0, 1e18)
        .Doc("memory bandwidth, B/s; 0: preset");
    accelerator.Bytes("memory_bytes", &AcceleratorConfig::memory_bytes).Doc("memory; 0: preset");
    accelerator.Number("compute_efficiency", &AcceleratorConfig::compute_efficiency)
        .Range(1e-6, 1)
        .Doc("part of the peak that large matrix products reach");
    accelerator.Number("attention_efficiency", &AcceleratorConfig::attention_efficiency)
        .Range(1e-6, 1)
        .Doc("part of the peak that the attention core reaches");
    accelerator.Number("memory_efficiency", &AcceleratorConfig::memory_efficiency)
        .Range(1e-6, 1)
        .Doc("reached part of the memory bandwidth");
    accelerator.Count("multiprocessors", &AcceleratorConfig::multiprocessors)
        .Range(0, MAX_COUNT)
        .Doc("units over which a matrix product is cut; 0: preset");
    ScenarioFieldSection<Scenario> file(fields, "accelerator");
    file.Model("measured_times", &Scenario::measured_times)
        .Doc("microseconds per part of the model, which replace the roofline's: the name of a "
             "JSON file (relative to the scenario) or such an object itself, {\"attention\": "
             "{\"forward\": 800, \"backward\": 1700}}; empty: none");
    accelerator.Number("compute_jitter", &AcceleratorConfig::compute_jitter)
        .Range(0, 0.999999)
        .Doc("each compute operation takes up to this part more or less, drawn by seed and run");
    accelerator.CountList("straggler_ranks", &AcceleratorConfig::straggler_ranks)
        .Range(0, MAX_RANKS)
        .Doc("ranks that are always slower");
    accelerator.Number("straggler_slowdown", &AcceleratorConfig::straggler_slowdown)
        .Range(1, 1e6)
        .Doc("a straggler takes so many times as long");
    accelerator.Duration("fixed_layer_forward", &AcceleratorConfig::fixed_layer_forward_ps)
        .Range(0, MAX_PS)
        .Doc("time of one layer's forward per microbatch; 0: roofline");
    accelerator.Duration("fixed_layer_backward", &AcceleratorConfig::fixed_layer_backward_ps)
        .Range(0, MAX_PS)
        .Doc("the same for backward; 0: twice the forward");
}

} // namespace llm
} // namespace ns3

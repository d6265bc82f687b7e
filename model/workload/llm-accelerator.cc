/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-accelerator.h"

#include "ns3/llm-config-error.h"

#include <array>
#include <limits>

namespace ns3
{
namespace llm
{

namespace
{

/** An hour; far above any layer, and no sum of a step's layers overflows. */
constexpr int64_t LONGEST_LAYER_PS = 3600000000000000;

/**
 * NVIDIA's data sheets of the SXM modules: dense (not sparse) bf16 tensor-core peak, HBM rate and
 * size, NVLink of one direction (half of the advertised sum of both), streaming multiprocessors.
 */
struct Preset
{
    const char* name;
    uint64_t flopsPerSecond;
    uint64_t memoryBytesPerSecond;
    uint64_t memoryBytes;
    uint64_t scaleUpBitsPerSecond;
    uint32_t multiprocessors;
};

constexpr std::array<Preset, 4> PRESETS{
    {{"A100", 312000000000000, 2039000000000, 80000000000, 2400000000000, 108},
     {"H100", 989400000000000, 3350000000000, 80000000000, 3600000000000, 132},
     {"H200", 989400000000000, 4800000000000, 141000000000, 3600000000000, 132},
     {"B200", 2250000000000000, 8000000000000, 192000000000, 7200000000000, 148}}};

template <typename T>
void
FillIn(T& value, T preset)
{
    value = value == 0 ? preset : value;
}

} // namespace

std::vector<std::string>
Accelerator::GetPresetNames()
{
    std::vector<std::string> names;
    for (const auto& preset : PRESETS)
    {
        names.emplace_back(preset.name);
    }
    return names;
}

Accelerator::Accelerator(const AcceleratorConfig& config,
                         const std::string& source,
                         const std::string& path)
    : m_config(config),
      m_source(source),
      m_path(path)
{
    const Preset* preset = nullptr;
    std::string known;
    for (const auto& candidate : PRESETS)
    {
        preset = config.name == candidate.name ? &candidate : preset;
        known += (known.empty() ? "" : ", ") + std::string(candidate.name);
    }
    if (!preset)
    {
        Fail("name", "unknown accelerator '" + config.name + "'; known: " + known);
    }
    FillIn(m_config.flops_per_second, preset->flopsPerSecond);
    FillIn(m_config.memory_bytes_per_second, preset->memoryBytesPerSecond);
    FillIn(m_config.memory_bytes, preset->memoryBytes);
    FillIn(m_config.scale_up_bits_per_second, preset->scaleUpBitsPerSecond);
    FillIn(m_config.multiprocessors, preset->multiprocessors);

    struct Fraction
    {
        const char* key;
        double value;
    };

    for (const auto& fraction : {Fraction{"compute_efficiency", config.compute_efficiency},
                                 Fraction{"attention_efficiency", config.attention_efficiency},
                                 Fraction{"memory_efficiency", config.memory_efficiency}})
    {
        // The negation also catches not-a-number.
        if (!(fraction.value > 0 && fraction.value <= 1))
        {
            Fail(fraction.key,
                 "must be above 0 and at most 1, is " + std::to_string(fraction.value));
        }
    }
    if (!(config.compute_jitter >= 0 && config.compute_jitter < 1))
    {
        Fail("compute_jitter",
             "must be at least 0 and below 1, is " + std::to_string(config.compute_jitter));
    }
    constexpr double slowest = 1e6;
    if (!(config.straggler_slowdown >= 1 && config.straggler_slowdown <= slowest))
    {
        Fail("straggler_slowdown",
             "must be between 1 and 1000000, is " + std::to_string(config.straggler_slowdown));
    }
    if (config.fixed_layer_forward_ps < 0)
    {
        Fail("fixed_layer_forward_ps",
             "must not be negative, is " + std::to_string(config.fixed_layer_forward_ps));
    }
    if (config.fixed_layer_forward_ps > LONGEST_LAYER_PS ||
        config.fixed_layer_backward_ps > LONGEST_LAYER_PS)
    {
        const bool forward = config.fixed_layer_forward_ps > LONGEST_LAYER_PS;
        Fail(forward ? "fixed_layer_forward_ps" : "fixed_layer_backward_ps",
             "must be at most " + std::to_string(LONGEST_LAYER_PS) + " (an hour), is " +
                 std::to_string(forward ? config.fixed_layer_forward_ps
                                        : config.fixed_layer_backward_ps));
    }
    if (config.fixed_layer_backward_ps < 0 ||
        (config.fixed_layer_backward_ps > 0 && config.fixed_layer_forward_ps == 0))
    {
        Fail("fixed_layer_backward_ps",
             "must not be negative and needs fixed_layer_forward_ps, is " +
                 std::to_string(config.fixed_layer_backward_ps) + " with forward " +
                 std::to_string(config.fixed_layer_forward_ps));
    }
    if (m_config.fixed_layer_backward_ps == 0)
    {
        m_config.fixed_layer_backward_ps = 2 * m_config.fixed_layer_forward_ps;
    }
}

void
Accelerator::Fail(const std::string& key, const std::string& message) const
{
    throw ConfigError(m_source, m_path.empty() ? key : m_path + "." + key, message);
}

void
Accelerator::CheckRanks(uint32_t worldSize) const
{
    for (const uint32_t rank : m_config.straggler_ranks)
    {
        if (rank >= worldSize)
        {
            Fail("straggler_ranks",
                 "names rank " + std::to_string(rank) + ", but the last of " +
                     std::to_string(worldSize) + " is " + std::to_string(worldSize - 1));
        }
    }
}

const AcceleratorConfig&
Accelerator::GetConfig() const
{
    return m_config;
}

bool
Accelerator::HasFixedLayerTime() const
{
    return m_config.fixed_layer_forward_ps > 0;
}

int64_t
Accelerator::GetDurationPs(double flops, double bytes) const
{
    return GetDurationPs(flops, bytes, m_config.compute_efficiency);
}

int64_t
Accelerator::GetAttentionDurationPs(double flops, double bytes) const
{
    return GetDurationPs(flops, bytes, m_config.attention_efficiency);
}

int64_t
Accelerator::GetDurationPs(double flops, double bytes, double efficiency) const
{
    constexpr double psPerSecond = 1e12;
    const double compute =
        flops * psPerSecond / static_cast<double>(m_config.flops_per_second) / efficiency;
    const double memory = bytes * psPerSecond /
                          static_cast<double>(m_config.memory_bytes_per_second) /
                          m_config.memory_efficiency;
    const double duration = compute > memory ? compute : memory;
    if (duration >= static_cast<double>(std::numeric_limits<int64_t>::max()))
    {
        throw ConfigError("AcceleratorConfig",
                          "flops_per_second",
                          "one kernel would take more than 106 days");
    }
    const auto whole = static_cast<int64_t>(duration);
    return static_cast<double>(whole) < duration ? whole + 1 : whole;
}

} // namespace llm
} // namespace ns3

/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_ACCELERATOR_H
#define LLM_ACCELERATOR_H

#include "llm-measured-times.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * How fast an accelerator computes: a preset by name, whose numbers may be overridden, measured
 * times of parts of the model, or a fixed time per layer; and how unevenly.
 */
struct AcceleratorConfig
{
    std::string name{"H100"};             //!< A100, H100, H200 or B200 (SXM modules)
    uint64_t flops_per_second{0};         //!< dense 16-bit peak; 0: preset
    uint64_t memory_bytes_per_second{0};  //!< HBM; 0: preset
    uint64_t memory_bytes{0};             //!< HBM size; 0: preset
    uint64_t scale_up_bits_per_second{0}; //!< NVLink, one direction; 0: preset
    uint32_t multiprocessors{0};          //!< SMs, over which a kernel's work is cut; 0: preset
    /** Part of the peak that a large matrix product reaches, 0 < x <= 1. */
    double compute_efficiency{0.75};
    /** The same of the attention core, 0 < x <= 1 (FlashAttention-3, Shah et al. 2024: 0.75 at best
     *  forward, less causal and backward; FlashAttention-2 on A100: 0.5 to 0.73). */
    double attention_efficiency{0.5};
    double memory_efficiency{0.8}; //!< reached part of the HBM rate, 0 < x <= 1

    /** Times that replace the roofline's, by part. */
    MeasuredTimes measured_times;

    /** Each compute operation takes between 1 - jitter and 1 + jitter of its time, evenly
     *  distributed, 0 <= x < 1. */
    double compute_jitter{0};
    uint64_t jitter_seed{1}; //!< draws the jitter, with rank, iteration and operation number
    /** Ranks that are always slower. */
    std::vector<uint32_t> straggler_ranks;
    double straggler_slowdown{1.5}; //!< a straggler takes so many times as long, >= 1

    /** Time of one layer's forward for one microbatch on one rank; 0: roofline. If given, layers
     *  take exactly this, and embedding, output layer and optimizer take no time. At most an
     *  hour. */
    int64_t fixed_layer_forward_ps{0};
    /** The same for backward; 0: twice the forward. Needs fixed_layer_forward_ps. */
    int64_t fixed_layer_backward_ps{0};
};

/**
 * @ingroup llm-training
 *
 * Roofline of an accelerator: a kernel takes the longer of its arithmetic at the reached part of
 * the peak and its memory traffic at the reached part of the HBM rate. What depends on the shape of
 * a kernel is in KernelRoofline. Not modelled: kernel launch gaps, power.
 */
class Accelerator
{
  public:
    /**
     * @param config what the user wants.
     * @param source, path where the config stands, for errors.
     * @throw ConfigError for an unknown name or values out of range.
     */
    explicit Accelerator(const AcceleratorConfig& config,
                         const std::string& source = "AcceleratorConfig",
                         const std::string& path = "");

    /**
     * @param worldSize number of ranks.
     * @throw ConfigError if a straggler is none of them.
     */
    void CheckRanks(uint32_t worldSize) const;

    /** @return the names of the presets. */
    static std::vector<std::string> GetPresetNames();

    /** @return the config, with the preset's numbers filled in. */
    const AcceleratorConfig& GetConfig() const;

    /**
     * Deterministic: one product and two divisions in double precision, rounded up to 1 ps.
     * @param flops floating point operations.
     * @param bytes memory traffic.
     * @return picoseconds.
     */
    int64_t GetDurationPs(double flops, double bytes) const;
    /** The same with the efficiency of the attention core. */
    int64_t GetAttentionDurationPs(double flops, double bytes) const;

    /** @return whether layers take a fixed time. */
    bool HasFixedLayerTime() const;

  private:
    int64_t GetDurationPs(double flops, double bytes, double efficiency) const;

    [[noreturn]] void Fail(const std::string& key, const std::string& message) const;

    AcceleratorConfig m_config; //!< resolved
    std::string m_source;       //!< for errors
    std::string m_path;         //!< for errors
};

} // namespace llm
} // namespace ns3

#endif // LLM_ACCELERATOR_H

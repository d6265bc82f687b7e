/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_MEASURED_TIMES_H
#define LLM_MEASURED_TIMES_H

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

/** Compute time of a part of the model for one microbatch on one rank, in picoseconds. */
struct PassTimes
{
    int64_t forwardPs{0};        //!< F
    int64_t backwardInputPs{0};  //!< B: gradient of the input
    int64_t backwardWeightPs{0}; //!< W: gradients of the weights

    /** @return all of backward. */
    int64_t GetBackwardPs() const
    {
        return backwardInputPs + backwardWeightPs;
    }
};

/**
 * @ingroup llm-training
 *
 * Measured times of parts of a model, which replace the roofline's. A JSON object, from part to
 * microseconds per microbatch and rank:
 *
 *     {"attention": {"forward": 812.5, "backward": 1700, "weight": 600}, "optimizer": {"forward":
 * 9e3}}
 *
 * "backward" is all of backward, 2 x forward if absent; "weight" is what of it makes the gradients
 * of the weights, half if absent (all, for the embedding). Parts: embedding, attention (of a
 * layer), mlp (dense, of a layer), router (with the permutation in front of the dispatch), experts
 * (routed ones at even load, to which time is proportional), shared_experts, combine (of the
 * experts' outputs), mtp_projection, head, optimizer (forward only, once per iteration).
 */
class MeasuredTimes
{
  public:
    /** @return the names of the parts. */
    static const std::vector<std::string>& GetPartNames();

    /**
     * @param fileName JSON file.
     * @return its times.
     * @throw ConfigError if it cannot be read or is wrong.
     */
    static MeasuredTimes ReadFile(const std::string& fileName);

    /**
     * @param text a JSON object.
     * @param source name of the file, for errors.
     * @param path where in the file the object stands; empty: it is the file.
     * @return its times.
     * @throw ConfigError if it is wrong.
     */
    static MeasuredTimes ParseText(const std::string& text,
                                   const std::string& source,
                                   const std::string& path = "");

    /** @param part name. @return its times; null if it was not measured. */
    const PassTimes* Find(const std::string& part) const;

    /** @return whether nothing was measured. */
    bool IsEmpty() const;

  private:
    std::map<std::string, PassTimes> m_parts; //!< by name
};

} // namespace llm
} // namespace ns3

#endif // LLM_MEASURED_TIMES_H

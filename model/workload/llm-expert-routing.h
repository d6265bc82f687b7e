/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_EXPERT_ROUTING_H
#define LLM_EXPERT_ROUTING_H

#include "llm-model-config.h"
#include "llm-training-config.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Which experts the T tokens of a rank go to, K each: expected numbers, rounded to whole tokens so
 * that nothing is lost. Every rank of a layer and every microbatch routes alike.
 *
 * **Slots.** The T K token slots are apportioned to experts in proportion to their popularity (the
 * largest remainders round up, the lower expert first), at most T to each, since a token goes to an
 * expert once; what is above T spills to the others in proportion. Popularity is uniform, or the
 * i-th most popular expert has weight 1 / i^skew, in an order that a seed draws for each layer
 * (Philox). The power is made of additions, multiplications, divisions and Newton's square roots
 * only, so that it is the same on every machine.
 *
 * **Capacity.** An expert takes ceil(T K / E * CF) tokens of each rank, as Megatron reckons it; the
 * rest is dropped, or with padding it gets exactly so many.
 *
 * **Copies.** A token for several experts of one part (a rank, a node) need be sent there once
 * only. How many tokens have something for a part is T times the probability that K experts drawn
 * without replacement touch it: 1 - C(E - x, K) / C(E, K) for x experts if all are equally popular;
 * with skew, drawn by conditional Poisson sampling with odds n / (T - n) for an expert of n slots,
 * which is the same if all are equal. With limited routing (n_group, topk_group), M of G groups are
 * drawn first and K experts of theirs then. Rounded to the nearest token.
 *
 * Not modelled: fluctuation of loads from microbatch to microbatch.
 */
class ExpertRouting
{
  public:
    /**
     * @param model with experts; validated.
     * @param training capacity, skew; checked by CheckExpertTraining.
     * @param tokens T: tokens of a rank that enter the router.
     */
    ExpertRouting(const ModelConfig& model, const TrainingConfig& training, uint64_t tokens);

    /** @return T. */
    uint64_t GetTokens() const;
    /** @return whether all layers route alike: no skew. */
    bool IsUniform() const;
    /** @return most slots that an expert takes from one rank; T if there is no capacity factor. */
    uint64_t GetCapacity() const;

    /**
     * @param layer global number.
     * @return by expert: slots that each rank gives it, dropped ones left out, padding included.
     */
    std::vector<uint64_t> GetSlots(uint64_t layer) const;
    /** @param layer global number. @return slots of each rank that are dropped. */
    uint64_t GetDropped(uint64_t layer) const;
    /**
     * @param layer global number.
     * @param parts so many equal parts of neighbouring experts; they hold whole groups, or groups
     *        hold whole parts.
     * @return by part: tokens of each rank that go to at least one of its experts.
     */
    std::vector<uint64_t> GetCopies(uint64_t layer, uint64_t parts) const;

    /**
     * @param parts as above. @return expected number of parts that a token goes to if all experts
     *        are equally popular.
     */
    double GetExpectedParts(uint64_t parts) const;

    /**
     * @param base at least 1.
     * @param exponent 0 .. 64.
     * @return base^exponent, by + - * / alone: within 1e-8 and the same everywhere.
     */
    static double Power(double base, double exponent);

    /**
     * Gives out slots in proportion to weights.
     * @param slots how many; at most weights.size() * most.
     * @param most that one may get.
     * @param weights above 0.
     * @return as many as slots in all.
     */
    static std::vector<uint64_t> Apportion(uint64_t slots,
                                           uint64_t most,
                                           const std::vector<uint64_t>& weights);

  private:
    std::vector<uint64_t> GetPopularity(uint64_t layer) const;
    std::vector<uint64_t> GetDemand(uint64_t layer) const;
    /** Probability that a token misses the first x experts, equally popular ones. */
    double GetMissProbability(uint64_t experts, bool limited) const;

    uint64_t m_tokens;   //!< T
    uint64_t m_experts;  //!< E
    uint64_t m_perToken; //!< K
    uint64_t m_groups;   //!< G
    uint64_t m_most;     //!< M
    double m_skew;       //!< of popularity
    uint64_t m_seed;     //!< of the order
    uint64_t m_capacity; //!< most slots of an expert and a rank
    bool m_pads;         //!< every expert gets its capacity
};

} // namespace llm
} // namespace ns3

#endif // LLM_EXPERT_ROUTING_H

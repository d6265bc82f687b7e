/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_DATA_PARALLEL_PLAN_H
#define LLM_DATA_PARALLEL_PLAN_H

#include "llm-data-type.h"
#include "llm-parallel-layout.h"
#include "llm-part-recipe.h"
#include "llm-training-config.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

/** What data_parallel_sharding_strategy shards. */
enum class ShardingStrategy : uint8_t
{
    NO_SHARD,          //!< nothing: DDP
    OPTIM,             //!< optimizer state: ZeRO-1
    OPTIM_GRADS,       //!< and gradients: ZeRO-2
    OPTIM_GRADS_PARAMS //!< and parameters: ZeRO-3, FSDP
};

/** @param name as in TrainingConfig, known. @return the strategy. */
ShardingStrategy ParseShardingStrategy(const std::string& name);

/** When parameters are gathered. */
enum class ParameterGather : uint8_t
{
    NEVER,           //!< every rank updates all that it has
    AFTER_OPTIMIZER, //!< all of them, at the end of the iteration
    FIRST_FORWARD,   //!< in the first forward pass, one bucket ahead of compute
    EVERY_PASS       //!< in every forward pass and every backward pass, one unit ahead
};

/**
 * @ingroup llm-training
 *
 * Data parallelism of a training step: what is sharded over whom, and when it is sent.
 *
 * Gradients are reduced over the data-parallel group (times the context-parallel one, whose ranks
 * have the same weights), those of experts over the expert-data-parallel group. Without sharding
 * that is one all-reduce per bucket. With it, a bucket is padded to a multiple of the group and
 * reduce-scattered; every rank updates its part, and parameters are all-gathered. With several
 * instances (HSDP) both happen within an instance, and the parts are all-reduced between the
 * instances.
 *
 * With DualPipe the ranks of a group are at both pipeline ranks that hold a stage. These run the
 * same passes of the same stages in the same order, each with the microbatches of its direction, so
 * that all members come to the same collectives.
 *
 * | strategy           | gradients               | parameters                                |
 * | ------------------ | ----------------------- | ----------------------------------------- |
 * | no_shard           | once per iteration      |                                           |
 * | optim              | once per iteration      | once: first forward, or after optimizer   |
 * | optim_grads        | every backward pass     | once: first forward, or after optimizer   |
 * | optim_grads_params | every backward pass     | every forward and backward pass; without  |
 * |                    |                         | reshard_after_forward in the first forward |
 */
class DataParallelPlan
{
  public:
    /** Nothing is sharded, gradients are reduced over one rank. */
    DataParallelPlan() = default;
    /**
     * @param layout grid of ranks; it must outlive this object.
     * @param training resolved config; it must outlive this object.
     */
    DataParallelPlan(const ParallelLayout& layout, const TrainingConfig& training);

    /** @return what is sharded. */
    ShardingStrategy GetStrategy() const;
    /** @return whether ranks that hold the same weights differ in anything. */
    bool IsSharded() const;
    /** @return whether gradients are reduced in every backward pass, not only in the last. */
    bool ReducesEveryPass() const;
    /** @return whether buckets are reduced while backward computes. */
    bool ReducesBeside() const;
    /** @return when parameters are gathered. */
    ParameterGather GetGather() const;
    /** @param experts of routed experts, or of all the rest. @return ranks that share one copy of
     *  what is sharded. */
    uint32_t GetShardSize(bool experts) const;
    /**
     * @param hasExperts whether the model has routed experts.
     * @return kinds of groups over which the gradient norm is summed, one after the other: if
     *         optimizer state is sharded, all ranks of an instance; else the ranks that hold the
     *         parts of the dense weights, and those that hold the parts of the experts.
     */
    std::vector<const char*> GetNormGroups(bool hasExperts) const;

    /**
     * @param experts whether the gradients are those of routed experts.
     * @param bytes of a bucket, padded.
     * @return what reduces it, in order; nothing if each rank is alone with its weights.
     */
    std::vector<RecipeStep> MakeReduction(bool experts, uint64_t bytes) const;
    /**
     * @param experts whether the parameters are those of routed experts.
     * @param bytes of a bucket or unit, padded.
     * @return what gathers it; nothing if each rank has it all.
     */
    std::vector<RecipeStep> MakeGather(bool experts, uint64_t bytes) const;

    /** Kinds of groups, dense and of experts: all ranks with the same weights; those of one
     *  instance; those at the same place of each instance. */
    struct Kinds
    {
        const char* all;     //!< "dp-cp" or "edp"
        const char* shard;   //!< the same, or "dp-cp-shard", "edp-shard"
        const char* replica; //!< "dp-cp-replica", "edp-replica"
    };

    /** @param experts which. @return kinds of groups. */
    Kinds GetKinds(bool experts) const;

  private:
    void AppendStep(std::vector<RecipeStep>& steps,
                    OperationKind kind,
                    const char* group,
                    uint64_t bytes) const;

    const ParallelLayout* m_layout{nullptr};                 //!< grid
    const TrainingConfig* m_training{nullptr};               //!< resolved
    ShardingStrategy m_strategy{ShardingStrategy::NO_SHARD}; //!< what is sharded
};

} // namespace llm
} // namespace ns3

#endif // LLM_DATA_PARALLEL_PLAN_H

/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-data-parallel-plan.h"

#include "llm-stage-work.h"

namespace ns3
{
namespace llm
{

ShardingStrategy
ParseShardingStrategy(const std::string& name)
{
    if (name == "optim")
    {
        return ShardingStrategy::OPTIM;
    }
    if (name == "optim_grads")
    {
        return ShardingStrategy::OPTIM_GRADS;
    }
    return name == "optim_grads_params" ? ShardingStrategy::OPTIM_GRADS_PARAMS
                                        : ShardingStrategy::NO_SHARD;
}

DataParallelPlan::DataParallelPlan(const ParallelLayout& layout, const TrainingConfig& training)
    : m_layout(&layout),
      m_training(&training),
      m_strategy(ParseShardingStrategy(training.data_parallel_sharding_strategy))
{
}

ShardingStrategy
DataParallelPlan::GetStrategy() const
{
    return m_strategy;
}

bool
DataParallelPlan::IsSharded() const
{
    return m_strategy != ShardingStrategy::NO_SHARD;
}

bool
DataParallelPlan::ReducesEveryPass() const
{
    return m_strategy == ShardingStrategy::OPTIM_GRADS ||
           m_strategy == ShardingStrategy::OPTIM_GRADS_PARAMS;
}

bool
DataParallelPlan::ReducesBeside() const
{
    return m_training->overlap_grad_reduce;
}

ParameterGather
DataParallelPlan::GetGather() const
{
    switch (m_strategy)
    {
    case ShardingStrategy::NO_SHARD:
        return ParameterGather::NEVER;
    case ShardingStrategy::OPTIM:
    case ShardingStrategy::OPTIM_GRADS:
        return m_training->overlap_param_gather ? ParameterGather::FIRST_FORWARD
                                                : ParameterGather::AFTER_OPTIMIZER;
    case ShardingStrategy::OPTIM_GRADS_PARAMS:
        break;
    }
    return m_training->reshard_after_forward ? ParameterGather::EVERY_PASS
                                             : ParameterGather::FIRST_FORWARD;
}

DataParallelPlan::Kinds
DataParallelPlan::GetKinds(bool experts) const
{
    if (m_layout->GetConfig().num_distributed_optimizer_instances == 1)
    {
        const char* const all = experts ? EXPERT_DATA_GROUP : DATA_GROUP;
        return {all, all, nullptr};
    }
    return experts ? Kinds{EXPERT_DATA_GROUP, "edp-shard", "edp-replica"}
                   : Kinds{DATA_GROUP, "dp-cp-shard", "dp-cp-replica"};
}

uint32_t
DataParallelPlan::GetShardSize(bool experts) const
{
    return IsSharded() ? m_layout->GetGroupSize(GetKinds(experts).shard) : 1;
}

std::vector<const char*>
DataParallelPlan::GetNormGroups(bool hasExperts) const
{
    if (IsSharded())
    {
        return {"dist-opt"};
    }
    return hasExperts ? std::vector<const char*>{"tp-pp", "etp-ep-pp"}
                      : std::vector<const char*>{"tp-pp"};
}

void
DataParallelPlan::AppendStep(std::vector<RecipeStep>& steps,
                             OperationKind kind,
                             const char* group,
                             uint64_t bytes) const
{
    if (m_layout->GetGroupSize(group) == 1)
    {
        return;
    }
    RecipeStep step;
    step.kind = kind;
    step.stream = OperationStream::DATA;
    step.dimension = ParallelDimension::DATA;
    step.group = group;
    step.bytes = bytes;
    steps.push_back(step);
}

std::vector<RecipeStep>
DataParallelPlan::MakeReduction(bool experts, uint64_t bytes) const
{
    const Kinds kinds = GetKinds(experts);
    std::vector<RecipeStep> steps;
    if (!IsSharded())
    {
        AppendStep(steps, OperationKind::ALL_REDUCE, kinds.all, bytes);
        return steps;
    }
    AppendStep(steps, OperationKind::REDUCE_SCATTER, kinds.shard, bytes);
    if (kinds.replica != nullptr)
    {
        AppendStep(steps, OperationKind::ALL_REDUCE, kinds.replica, bytes / GetShardSize(experts));
    }
    return steps;
}

std::vector<RecipeStep>
DataParallelPlan::MakeGather(bool experts, uint64_t bytes) const
{
    std::vector<RecipeStep> steps;
    if (GetGather() != ParameterGather::NEVER)
    {
        AppendStep(steps, OperationKind::ALL_GATHER, GetKinds(experts).shard, bytes);
    }
    return steps;
}

} // namespace llm
} // namespace ns3

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
AddParallelismFields(std::vector<ScenarioField>& fields)
{
    ScenarioFieldSection parallelism(fields, "parallelism", &Scenario::parallelism);
    parallelism.Count("tensor_model_parallel_size", &ParallelConfig::tensor_model_parallel_size)
        .Range(1, MAX_RANKS)
        .Doc("ranks that share every layer (TP)");
    parallelism.Count("pipeline_model_parallel_size", &ParallelConfig::pipeline_model_parallel_size)
        .Range(1, MAX_RANKS)
        .Doc("ranks that share the layers (PP)");
    parallelism
        .Count("virtual_pipeline_model_parallel_size",
               &ParallelConfig::virtual_pipeline_model_parallel_size)
        .Range(1, MAX_RANKS)
        .Doc("chunks of layers per rank (VPP); above 1 interleaves 1f1b, and microbatches "
             "must be a multiple of PP");
    parallelism.Choice("pipeline_schedule", &ParallelConfig::pipeline_schedule)
        .Choices({"gpipe", "1f1b", "zb_h1", "dualpipe"})
        .Doc("order of forward and backward passes; dualpipe needs an even PP and an even "
             "number of microbatches, at least 2 PP");
    parallelism
        .Text("pipeline_model_parallel_layout", &ParallelConfig::pipeline_model_parallel_layout)
        .Doc("layers of each stage in order, \"4,4,4,3\" or Megatron's "
             "\"Et*4|(tttt|)*2,t*3,L\"; with chunks, stage s is chunk s / PP of rank s mod "
             "PP; empty: evenly");
    parallelism.Count("context_parallel_size", &ParallelConfig::context_parallel_size)
        .Range(1, MAX_RANKS)
        .Doc("ranks that share a sequence (CP)");
    parallelism.Choice("cp_comm_type", &ParallelConfig::cp_comm_type)
        .Choices({"p2p", "all_gather", "a2a", "a2a+p2p"})
        .Doc("how attention sees the whole sequence: ring of keys and values, all-gather of "
             "them, all-to-all of heads (Ulysses), or both");
    parallelism
        .Count("hierarchical_context_parallel_size",
               &ParallelConfig::hierarchical_context_parallel_size)
        .Range(0, MAX_RANKS)
        .Doc("a2a+p2p: neighbouring CP ranks that exchange heads; a ring between");
    parallelism.Count("expert_model_parallel_size", &ParallelConfig::expert_model_parallel_size)
        .Range(1, MAX_RANKS)
        .Doc("ranks that share the experts (EP): TP x CP x DP is a multiple of it times "
             "expert_tensor_parallel_size");
    parallelism.Count("expert_tensor_parallel_size", &ParallelConfig::expert_tensor_parallel_size)
        .Range(0, MAX_RANKS)
        .Doc("ranks that share each expert; 0: TP");
    parallelism.Count("data_parallel_size", &ParallelConfig::data_parallel_size)
        .Range(0, MAX_RANKS)
        .Doc("model replicas (DP); 0: ranks / (TP x PP x CP)");
    parallelism
        .Count("num_distributed_optimizer_instances",
               &ParallelConfig::num_distributed_optimizer_instances)
        .Range(1, MAX_RANKS)
        .Doc("HSDP: what is sharded is so within each of so many parts of the DP (x CP) "
             "ranks, and its gradients are all-reduced between them");
    parallelism.Text("rank_order", &ParallelConfig::rank_order)
        .Doc("axes of the rank number, the fastest first");
    parallelism.Boolean("sequence_parallel", &ParallelConfig::sequence_parallel)
        .Doc("TP ranks share the sequence outside of the matrices: all-gather and "
             "reduce-scatter instead of all-reduce");
    parallelism
        .Count("decoder_first_pipeline_num_layers",
               &ParallelConfig::decoder_first_pipeline_num_layers)
        .Range(0, MAX_COUNT)
        .Doc("layers of the first rank; 0: as many as the others");
    parallelism
        .Count("decoder_last_pipeline_num_layers",
               &ParallelConfig::decoder_last_pipeline_num_layers)
        .Range(0, MAX_COUNT)
        .Doc("layers of the last rank; 0: as many as the others");
    parallelism.Count("make_vocab_size_divisible_by", &ParallelConfig::make_vocab_size_divisible_by)
        .Range(1, MAX_COUNT)
        .Doc("the vocabulary is padded to a multiple of this times TP");
}

} // namespace llm
} // namespace ns3

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
AddTrainingFields(std::vector<ScenarioField>& fields)
{
    ScenarioFieldSection training(fields, "training", &Scenario::training);
    training.Count("micro_batch_size", &TrainingConfig::micro_batch_size)
        .Range(1, MAX_COUNT)
        .Doc("sequences per microbatch and replica");
    training.Count("global_batch_size", &TrainingConfig::global_batch_size)
        .Range(0, MAX_COUNT)
        .Doc("sequences per iteration; 0: one microbatch per replica");
    training.Count("seq_length", &TrainingConfig::seq_length)
        .Range(0, MAX_COUNT)
        .Doc("tokens per sequence; 0: the model's max_position_embeddings");
    training.Text("params_dtype", &TrainingConfig::params_dtype)
        .Doc("bf16, fp16 or fp32 for weights and activations; empty: the model's");
    training.Text("grad_reduce_dtype", &TrainingConfig::grad_reduce_dtype)
        .Doc("fp32, bf16 or fp16 for gradients on the wire");
    training.Boolean("overlap_grad_reduce", &TrainingConfig::overlap_grad_reduce)
        .Doc("reduce each gradient bucket as soon as backward has filled it");
    training.Boolean("overlap_p2p_comm", &TrainingConfig::overlap_p2p_comm)
        .Doc("compute does not wait for its pipeline sends to end");
    training.Choice("ddp_bucket_scheme", &TrainingConfig::ddp_bucket_scheme)
        .Choices({"megatron", "pytorch", "deepspeed", "none"})
        .Doc("how gradients are grouped into buckets");
    training.Count("ddp_bucket_size", &TrainingConfig::ddp_bucket_size)
        .Range(0, 1e15)
        .Doc("megatron: parameters per bucket; 0: max(40000000, 1000000 DP CP); deepspeed: at "
             "most so many; 0: 500000000");
    training.Count("bucket_cap_mb", &TrainingConfig::bucket_cap_mb)
        .Range(1, 1e9)
        .Doc("pytorch: MiB per bucket");
    training
        .Choice("data_parallel_sharding_strategy", &TrainingConfig::data_parallel_sharding_strategy)
        .Choices({"no_shard", "optim", "optim_grads", "optim_grads_params"})
        .Doc("what is sharded over the DP (x CP) ranks: nothing (DDP), optimizer state "
             "(ZeRO-1), gradients too (ZeRO-2), parameters too (ZeRO-3, FSDP)");
    training.Boolean("reshard_after_forward", &TrainingConfig::reshard_after_forward)
        .Doc("optim_grads_params: parameters are gathered again in each pass; false: they "
             "stay from the first forward pass on");
    training.Boolean("overlap_param_gather", &TrainingConfig::overlap_param_gather)
        .Doc("optim, optim_grads: gather parameters during the first forward pass, one bucket "
             "ahead; false: after the optimizer");
    training.Choice("recompute_granularity", &TrainingConfig::recompute_granularity)
        .Choices({"none", "selective", "full"})
        .Doc("what backward computes again: nothing, the attention core, or whole layers with "
             "their communication");
    training.Count("recompute_num_layers", &TrainingConfig::recompute_num_layers)
        .Range(0, MAX_COUNT)
        .Doc("full: so many layers of each chunk, from its first; 0: all");
    training.Boolean("tp_comm_overlap", &TrainingConfig::tp_comm_overlap)
        .Doc("TP all-gathers and reduce-scatters of attention and MLP run beside the matrix "
             "products that they feed or drain; needs sequence_parallel");
    training.Choice("moe_token_dispatcher_type", &TrainingConfig::moe_token_dispatcher_type)
        .Choices({"alltoall", "allgather", "flex"})
        .Doc("how tokens get to their experts; flex: once per node, as DeepEP");
    training.Count("moe_ranks_per_node", &TrainingConfig::moe_ranks_per_node)
        .Range(0, MAX_RANKS)
        .Doc("flex: so many neighbouring ranks share a node; 0: as many as a server of the "
             "cluster");
    training.Text("moe_dispatch_dtype", &TrainingConfig::moe_dispatch_dtype)
        .Doc("fp8 for tokens on their way to the experts, with scales; empty: params_dtype");
    training.Number("moe_expert_capacity_factor", &TrainingConfig::moe_expert_capacity_factor)
        .Range(0, 1024)
        .Doc("an expert takes at most this times the mean tokens; 0: no limit");
    training
        .Boolean("moe_pad_expert_input_to_capacity",
                 &TrainingConfig::moe_pad_expert_input_to_capacity)
        .Doc("every expert gets exactly its capacity");
    training.Number("moe_expert_skew", &TrainingConfig::moe_expert_skew)
        .Range(0, 8)
        .Doc("the i-th most popular expert has weight 1 / i^skew; 0: uniform");
    training.Count("moe_skew_seed", &TrainingConfig::moe_skew_seed)
        .Range(0, 1e15)
        .Doc("draws which expert of a layer is how popular");
    training.Boolean("moe_shared_expert_overlap", &TrainingConfig::moe_shared_expert_overlap)
        .Doc("compute shared experts while tokens are on their way");
    training.Choice("attention_backend", &TrainingConfig::attention_backend)
        .Choices({"flash", "unfused"})
        .Doc("whether attention keeps its scores in memory (unfused)");
    training.Boolean("causal_attention_flops", &TrainingConfig::causal_attention_flops)
        .Doc("count half of the attention scores, as causal kernels compute");
}

} // namespace llm
} // namespace ns3

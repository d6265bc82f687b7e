/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-scenario-fields.h"

#include "ns3/llm-collective-selector.h"
#include "ns3/llm-units.h"

#include <nlohmann/json.hpp>
#include <sstream>

namespace ns3
{
namespace llm
{

namespace
{

using Type = ScenarioFieldType;

/** Makes a field whose value is the member that @p member returns. */
template <typename F>
ScenarioField
Field(const std::string& path, Type type, F member, const std::string& doc)
{
    ScenarioField field;
    field.path = path;
    field.type = type;
    field.slot = [member](Scenario& s) { return ScenarioSlot(&member(s)); };
    field.doc = doc;
    return field;
}

/** The same with a range. */
template <typename F>
ScenarioField
Field(const std::string& path,
      Type type,
      F member,
      double minimum,
      double maximum,
      const std::string& doc)
{
    ScenarioField field = Field(path, type, member, doc);
    field.minimum = minimum;
    field.maximum = maximum;
    return field;
}

/** The same with choices. */
template <typename F>
ScenarioField
Field(const std::string& path,
      Type type,
      F member,
      const std::vector<std::string>& choices,
      const std::string& doc)
{
    ScenarioField field = Field(path, type, member, doc);
    field.choices = choices;
    return field;
}

/** The expression that reaches a member of the scenario. */
// NOLINTBEGIN(bugprone-macro-parentheses): a member cannot stand in parentheses
#define LLM_AT(member)                                                                             \
    [](Scenario & s) -> auto&                                                                      \
    {                                                                                              \
        return s.member;                                                                           \
    }
// NOLINTEND(bugprone-macro-parentheses)

constexpr double MAX_COUNT = 4294967295.0; //!< of a 32-bit field
constexpr double MAX_PS = 9.2e18;          //!< of a duration
constexpr double MAX_RANKS = 1048576;      //!< far above any cluster

void
AddGeneral(std::vector<ScenarioField>& fields)
{
    fields.push_back(Field("name", Type::TEXT, LLM_AT(name), "title of the report"));
    fields.push_back(
        Field("iterations", Type::COUNT, LLM_AT(iterations), 1, 1e6, "training steps to simulate"));
    fields.push_back(
        Field("seed", Type::COUNT, LLM_AT(seed), 1, MAX_COUNT, "seed of ns-3's random numbers"));
    fields.push_back(Field("run",
                           Type::COUNT,
                           LLM_AT(run),
                           0,
                           9007199254740992.0,
                           "run number of ns-3's random numbers"));
    fields.push_back(
        Field("model.config",
              Type::MODEL,
              LLM_AT(model.config),
              "a model shipped in examples/models (gpt2, llama-3-8b, ...), the file name of a "
              "Hugging Face config.json (relative to the scenario), or such an object itself"));
    fields.push_back(Field("model.overrides",
                           Type::MAP,
                           LLM_AT(model.overrides),
                           "keys of the model's config.json with other values, e.g. "
                           "{\"num_hidden_layers\": 2}"));
    fields.push_back(Field("workload.format",
                           Type::CHOICE,
                           LLM_AT(workload.format),
                           {"model", "simai", "chakra", "goal"},
                           "what is run: the model under parallelism and training, or somebody "
                           "else's workload instead of these three"));
    fields.push_back(Field("workload.file",
                           Type::TEXT,
                           LLM_AT(workload.file),
                           "simai, goal: the file; chakra: PREFIX of PREFIX.0.et, PREFIX.1.et, ... "
                           "(relative to the scenario)"));
    fields.push_back(Field("workload.groups",
                           Type::TEXT,
                           LLM_AT(workload.groups),
                           "chakra: JSON file with process groups, as {\"0\": [0, 1]}, where the "
                           "traces do not have them"));
}

void
AddParallelism(std::vector<ScenarioField>& fields)
{
    fields.push_back(Field("parallelism.tensor_model_parallel_size",
                           Type::COUNT,
                           LLM_AT(parallelism.tensor_model_parallel_size),
                           1,
                           MAX_RANKS,
                           "ranks that share every layer (TP)"));
    fields.push_back(Field("parallelism.pipeline_model_parallel_size",
                           Type::COUNT,
                           LLM_AT(parallelism.pipeline_model_parallel_size),
                           1,
                           MAX_RANKS,
                           "ranks that share the layers (PP)"));
    fields.push_back(Field("parallelism.virtual_pipeline_model_parallel_size",
                           Type::COUNT,
                           LLM_AT(parallelism.virtual_pipeline_model_parallel_size),
                           1,
                           MAX_RANKS,
                           "chunks of layers per rank (VPP); above 1 interleaves 1f1b, and "
                           "microbatches must be a multiple of PP"));
    fields.push_back(Field("parallelism.pipeline_schedule",
                           Type::CHOICE,
                           LLM_AT(parallelism.pipeline_schedule),
                           {"gpipe", "1f1b", "zb_h1", "dualpipe"},
                           "order of forward and backward passes; dualpipe needs an even PP and an "
                           "even number of microbatches, at least 2 PP"));
    fields.push_back(Field("parallelism.pipeline_model_parallel_layout",
                           Type::TEXT,
                           LLM_AT(parallelism.pipeline_model_parallel_layout),
                           "layers of each stage in order, \"4,4,4,3\" or Megatron's "
                           "\"Et*4|(tttt|)*2,t*3,L\"; with chunks, stage s is chunk s / PP of rank "
                           "s mod PP; empty: evenly"));
    fields.push_back(Field("parallelism.context_parallel_size",
                           Type::COUNT,
                           LLM_AT(parallelism.context_parallel_size),
                           1,
                           MAX_RANKS,
                           "ranks that share a sequence (CP)"));
    fields.push_back(Field("parallelism.cp_comm_type",
                           Type::CHOICE,
                           LLM_AT(parallelism.cp_comm_type),
                           {"p2p", "all_gather", "a2a", "a2a+p2p"},
                           "how attention sees the whole sequence: ring of keys and values, "
                           "all-gather of them, all-to-all of heads (Ulysses), or both"));
    fields.push_back(Field("parallelism.hierarchical_context_parallel_size",
                           Type::COUNT,
                           LLM_AT(parallelism.hierarchical_context_parallel_size),
                           0,
                           MAX_RANKS,
                           "a2a+p2p: neighbouring CP ranks that exchange heads; a ring between"));
    fields.push_back(
        Field("parallelism.expert_model_parallel_size",
              Type::COUNT,
              LLM_AT(parallelism.expert_model_parallel_size),
              1,
              MAX_RANKS,
              "ranks that share the experts (EP): TP x CP x DP is a multiple of it times "
              "expert_tensor_parallel_size"));
    fields.push_back(Field("parallelism.expert_tensor_parallel_size",
                           Type::COUNT,
                           LLM_AT(parallelism.expert_tensor_parallel_size),
                           0,
                           MAX_RANKS,
                           "ranks that share each expert; 0: TP"));
    fields.push_back(Field("parallelism.data_parallel_size",
                           Type::COUNT,
                           LLM_AT(parallelism.data_parallel_size),
                           0,
                           MAX_RANKS,
                           "model replicas (DP); 0: ranks / (TP x PP x CP)"));
    fields.push_back(Field("parallelism.num_distributed_optimizer_instances",
                           Type::COUNT,
                           LLM_AT(parallelism.num_distributed_optimizer_instances),
                           1,
                           MAX_RANKS,
                           "HSDP: what is sharded is so within each of so many parts of the DP "
                           "(x CP) ranks, and its gradients are all-reduced between them"));
    fields.push_back(Field("parallelism.rank_order",
                           Type::TEXT,
                           LLM_AT(parallelism.rank_order),
                           "axes of the rank number, the fastest first"));
    fields.push_back(Field("parallelism.sequence_parallel",
                           Type::BOOLEAN,
                           LLM_AT(parallelism.sequence_parallel),
                           "TP ranks share the sequence outside of the matrices: all-gather and "
                           "reduce-scatter instead of all-reduce"));
    fields.push_back(Field("parallelism.decoder_first_pipeline_num_layers",
                           Type::COUNT,
                           LLM_AT(parallelism.decoder_first_pipeline_num_layers),
                           0,
                           MAX_COUNT,
                           "layers of the first rank; 0: as many as the others"));
    fields.push_back(Field("parallelism.decoder_last_pipeline_num_layers",
                           Type::COUNT,
                           LLM_AT(parallelism.decoder_last_pipeline_num_layers),
                           0,
                           MAX_COUNT,
                           "layers of the last rank; 0: as many as the others"));
    fields.push_back(Field("parallelism.make_vocab_size_divisible_by",
                           Type::COUNT,
                           LLM_AT(parallelism.make_vocab_size_divisible_by),
                           1,
                           MAX_COUNT,
                           "the vocabulary is padded to a multiple of this times TP"));
}

void
AddTraining(std::vector<ScenarioField>& fields)
{
    fields.push_back(Field("training.micro_batch_size",
                           Type::COUNT,
                           LLM_AT(training.micro_batch_size),
                           1,
                           MAX_COUNT,
                           "sequences per microbatch and replica"));
    fields.push_back(Field("training.global_batch_size",
                           Type::COUNT,
                           LLM_AT(training.global_batch_size),
                           0,
                           MAX_COUNT,
                           "sequences per iteration; 0: one microbatch per replica"));
    fields.push_back(Field("training.seq_length",
                           Type::COUNT,
                           LLM_AT(training.seq_length),
                           0,
                           MAX_COUNT,
                           "tokens per sequence; 0: the model's max_position_embeddings"));
    fields.push_back(Field("training.params_dtype",
                           Type::TEXT,
                           LLM_AT(training.params_dtype),
                           "bf16, fp16 or fp32 for weights and activations; empty: the model's"));
    fields.push_back(Field("training.grad_reduce_dtype",
                           Type::TEXT,
                           LLM_AT(training.grad_reduce_dtype),
                           "fp32, bf16 or fp16 for gradients on the wire"));
    fields.push_back(Field("training.overlap_grad_reduce",
                           Type::BOOLEAN,
                           LLM_AT(training.overlap_grad_reduce),
                           "reduce each gradient bucket as soon as backward has filled it"));
    fields.push_back(Field("training.overlap_p2p_comm",
                           Type::BOOLEAN,
                           LLM_AT(training.overlap_p2p_comm),
                           "compute does not wait for its pipeline sends to end"));
    fields.push_back(Field("training.ddp_bucket_scheme",
                           Type::CHOICE,
                           LLM_AT(training.ddp_bucket_scheme),
                           {"megatron", "pytorch", "deepspeed", "none"},
                           "how gradients are grouped into buckets"));
    fields.push_back(Field("training.ddp_bucket_size",
                           Type::COUNT,
                           LLM_AT(training.ddp_bucket_size),
                           0,
                           1e15,
                           "megatron: parameters per bucket; 0: max(40000000, 1000000 DP CP); "
                           "deepspeed: at most so many; 0: 500000000"));
    fields.push_back(Field("training.bucket_cap_mb",
                           Type::COUNT,
                           LLM_AT(training.bucket_cap_mb),
                           1,
                           1e9,
                           "pytorch: MiB per bucket"));
    fields.push_back(Field("training.data_parallel_sharding_strategy",
                           Type::CHOICE,
                           LLM_AT(training.data_parallel_sharding_strategy),
                           {"no_shard", "optim", "optim_grads", "optim_grads_params"},
                           "what is sharded over the DP (x CP) ranks: nothing (DDP), optimizer "
                           "state (ZeRO-1), gradients too (ZeRO-2), parameters too (ZeRO-3, "
                           "FSDP)"));
    fields.push_back(Field("training.reshard_after_forward",
                           Type::BOOLEAN,
                           LLM_AT(training.reshard_after_forward),
                           "optim_grads_params: parameters are gathered again in each pass; "
                           "false: they stay from the first forward pass on"));
    fields.push_back(Field("training.overlap_param_gather",
                           Type::BOOLEAN,
                           LLM_AT(training.overlap_param_gather),
                           "optim, optim_grads: gather parameters during the first forward pass, "
                           "one bucket ahead; false: after the optimizer"));
    fields.push_back(Field("training.recompute_granularity",
                           Type::CHOICE,
                           LLM_AT(training.recompute_granularity),
                           {"none", "selective", "full"},
                           "what backward computes again: nothing, the attention core, or whole "
                           "layers with their communication"));
    fields.push_back(Field("training.recompute_num_layers",
                           Type::COUNT,
                           LLM_AT(training.recompute_num_layers),
                           0,
                           MAX_COUNT,
                           "full: so many layers of each chunk, from its first; 0: all"));
    fields.push_back(Field("training.tp_comm_overlap",
                           Type::BOOLEAN,
                           LLM_AT(training.tp_comm_overlap),
                           "TP all-gathers and reduce-scatters of attention and MLP run beside "
                           "the matrix products that they feed or drain; needs "
                           "sequence_parallel"));
    fields.push_back(Field("training.moe_token_dispatcher_type",
                           Type::CHOICE,
                           LLM_AT(training.moe_token_dispatcher_type),
                           {"alltoall", "allgather", "flex"},
                           "how tokens get to their experts; flex: once per node, as DeepEP"));
    fields.push_back(
        Field("training.moe_ranks_per_node",
              Type::COUNT,
              LLM_AT(training.moe_ranks_per_node),
              0,
              MAX_RANKS,
              "flex: so many neighbouring ranks share a node; 0: as many as a server of "
              "the cluster"));
    fields.push_back(Field("training.moe_dispatch_dtype",
                           Type::TEXT,
                           LLM_AT(training.moe_dispatch_dtype),
                           "fp8 for tokens on their way to the experts, with scales; empty: "
                           "params_dtype"));
    fields.push_back(Field("training.moe_expert_capacity_factor",
                           Type::NUMBER,
                           LLM_AT(training.moe_expert_capacity_factor),
                           0,
                           1024,
                           "an expert takes at most this times the mean tokens; 0: no limit"));
    fields.push_back(Field("training.moe_pad_expert_input_to_capacity",
                           Type::BOOLEAN,
                           LLM_AT(training.moe_pad_expert_input_to_capacity),
                           "every expert gets exactly its capacity"));
    fields.push_back(Field("training.moe_expert_skew",
                           Type::NUMBER,
                           LLM_AT(training.moe_expert_skew),
                           0,
                           8,
                           "the i-th most popular expert has weight 1 / i^skew; 0: uniform"));
    fields.push_back(Field("training.moe_skew_seed",
                           Type::COUNT,
                           LLM_AT(training.moe_skew_seed),
                           0,
                           1e15,
                           "draws which expert of a layer is how popular"));
    fields.push_back(Field("training.moe_shared_expert_overlap",
                           Type::BOOLEAN,
                           LLM_AT(training.moe_shared_expert_overlap),
                           "compute shared experts while tokens are on their way"));
    fields.push_back(Field("training.attention_backend",
                           Type::CHOICE,
                           LLM_AT(training.attention_backend),
                           {"flash", "unfused"},
                           "whether attention keeps its scores in memory (unfused)"));
    fields.push_back(Field("training.causal_attention_flops",
                           Type::BOOLEAN,
                           LLM_AT(training.causal_attention_flops),
                           "count half of the attention scores, as causal kernels compute"));
}

void
AddAccelerator(std::vector<ScenarioField>& fields)
{
    fields.push_back(Field("accelerator.name",
                           Type::CHOICE,
                           LLM_AT(accelerator.name),
                           Accelerator::GetPresetNames(),
                           "preset"));
    fields.push_back(Field("accelerator.flops_per_second",
                           Type::COUNT,
                           LLM_AT(accelerator.flops_per_second),
                           0,
                           1e18,
                           "dense 16-bit peak; 0: preset"));
    fields.push_back(Field("accelerator.memory_bytes_per_second",
                           Type::COUNT,
                           LLM_AT(accelerator.memory_bytes_per_second),
                           0,
                           1e18,
                           "memory bandwidth, B/s; 0: preset"));
    fields.push_back(Field("accelerator.memory_bytes",
                           Type::BYTES,
                           LLM_AT(accelerator.memory_bytes),
                           "memory; 0: preset"));
    fields.push_back(Field("accelerator.compute_efficiency",
                           Type::NUMBER,
                           LLM_AT(accelerator.compute_efficiency),
                           1e-6,
                           1,
                           "part of the peak that large matrix products reach"));
    fields.push_back(Field("accelerator.attention_efficiency",
                           Type::NUMBER,
                           LLM_AT(accelerator.attention_efficiency),
                           1e-6,
                           1,
                           "part of the peak that the attention core reaches"));
    fields.push_back(Field("accelerator.memory_efficiency",
                           Type::NUMBER,
                           LLM_AT(accelerator.memory_efficiency),
                           1e-6,
                           1,
                           "reached part of the memory bandwidth"));
    fields.push_back(Field("accelerator.multiprocessors",
                           Type::COUNT,
                           LLM_AT(accelerator.multiprocessors),
                           0,
                           MAX_COUNT,
                           "units over which a matrix product is cut; 0: preset"));
    fields.push_back(
        Field("accelerator.measured_times",
              Type::MODEL,
              LLM_AT(measured_times),
              "microseconds per part of the model, which replace the roofline's: the "
              "name of a JSON file (relative to the scenario) or such an object itself, "
              "{\"attention\": {\"forward\": 800, \"backward\": 1700}}; empty: "
              "none"));
    fields.push_back(Field("accelerator.compute_jitter",
                           Type::NUMBER,
                           LLM_AT(accelerator.compute_jitter),
                           0,
                           0.999999,
                           "each compute operation takes up to this part more or less, drawn by "
                           "seed and run"));
    fields.push_back(Field("accelerator.straggler_ranks",
                           Type::COUNT_LIST,
                           LLM_AT(accelerator.straggler_ranks),
                           0,
                           MAX_RANKS,
                           "ranks that are always slower"));
    fields.push_back(Field("accelerator.straggler_slowdown",
                           Type::NUMBER,
                           LLM_AT(accelerator.straggler_slowdown),
                           1,
                           1e6,
                           "a straggler takes so many times as long"));
    fields.push_back(Field("accelerator.fixed_layer_forward",
                           Type::DURATION,
                           LLM_AT(accelerator.fixed_layer_forward_ps),
                           0,
                           MAX_PS,
                           "time of one layer's forward per microbatch; 0: roofline"));
    fields.push_back(Field("accelerator.fixed_layer_backward",
                           Type::DURATION,
                           LLM_AT(accelerator.fixed_layer_backward_ps),
                           0,
                           MAX_PS,
                           "the same for backward; 0: twice the forward"));
}

void
AddCluster(std::vector<ScenarioField>& fields)
{
    fields.push_back(Field("cluster.accelerators",
                           Type::COUNT,
                           LLM_AT(cluster.accelerators),
                           0,
                           MAX_RANKS,
                           "ranks of the job; 0: TP x PP x CP x DP where data_parallel_size is "
                           "given, else every endpoint of the fabric"));
    fields.push_back(Field("cluster.accelerators_per_server",
                           Type::COUNT,
                           LLM_AT(cluster.accelerators_per_server),
                           1,
                           MAX_RANKS,
                           "endpoints that share a scale-up domain; 1: none do"));
    fields.push_back(Field("cluster.scale_up_bandwidth",
                           Type::RATE,
                           LLM_AT(accelerator.scale_up_bits_per_second),
                           0,
                           1e18,
                           "scale-up link of each accelerator, one direction; 0: preset"));
    fields.push_back(Field("cluster.scale_up_latency",
                           Type::DURATION,
                           LLM_AT(cluster.scale_up_latency_ps),
                           0,
                           MAX_PS,
                           "latency of a message in the scale-up domain"));
    fields.push_back(Field("cluster.placement",
                           Type::COUNT_LIST,
                           LLM_AT(cluster.placement),
                           0,
                           MAX_RANKS,
                           "endpoint of each rank; empty: rank r on endpoint r"));
}

void
AddTopology(std::vector<ScenarioField>& fields)
{
    fields.push_back(Field("fabric.topology",
                           Type::CHOICE,
                           LLM_AT(fabric.topology),
                           {"single-switch", "leaf-spine", "fat-tree"},
                           "shape of the network"));
    fields.push_back(Field("fabric.hosts",
                           Type::COUNT,
                           LLM_AT(fabric.hosts),
                           0,
                           65535,
                           "single-switch: endpoints; 0: as many as the job has ranks"));
    fields.push_back(
        Field("fabric.leaves", Type::COUNT, LLM_AT(fabric.leaves), 1, 65535, "leaf-spine: leaves"));
    fields.push_back(Field("fabric.spines",
                           Type::COUNT,
                           LLM_AT(fabric.spines),
                           1,
                           65535,
                           "leaf-spine: spines, each with a link to every leaf"));
    fields.push_back(Field("fabric.hosts_per_leaf",
                           Type::COUNT,
                           LLM_AT(fabric.hosts_per_leaf),
                           1,
                           65535,
                           "leaf-spine: endpoints of each leaf"));
    fields.push_back(Field("fabric.k",
                           Type::COUNT,
                           LLM_AT(fabric.k),
                           2,
                           254,
                           "fat-tree: ports per switch, even; k^3/4 endpoints"));
    fields.push_back(Field("fabric.host_rate",
                           Type::RATE,
                           LLM_AT(fabric.host_rate),
                           1,
                           1e15,
                           "rate of the endpoints' links"));
    fields.push_back(Field("fabric.host_delay",
                           Type::DURATION,
                           LLM_AT(fabric.host_delay_ps),
                           1,
                           MAX_PS,
                           "propagation delay of the endpoints' links"));
    fields.push_back(Field("fabric.uplink_rate",
                           Type::RATE,
                           LLM_AT(fabric.uplink_rate),
                           1,
                           1e15,
                           "rate of links between switches"));
    fields.push_back(Field("fabric.uplink_delay",
                           Type::DURATION,
                           LLM_AT(fabric.uplink_delay_ps),
                           1,
                           MAX_PS,
                           "propagation delay of links between switches"));
    fields.push_back(Field("fabric.path_mtu",
                           Type::COUNT,
                           LLM_AT(fabric.path_mtu),
                           {"256", "512", "1024", "2048", "4096"},
                           "RDMA payload bytes per packet"));
    fields.push_back(Field("fabric.ip_mtu",
                           Type::COUNT,
                           LLM_AT(fabric.ip_mtu),
                           576,
                           9000,
                           "longest IP packet of ordinary ns-3 applications and TCP"));
}

void
AddSwitch(std::vector<ScenarioField>& fields)
{
    fields.push_back(Field("fabric.buffer",
                           Type::BYTES,
                           LLM_AT(fabric.buffer),
                           1,
                           1e15,
                           "packet memory of each switch"));
    fields.push_back(Field("fabric.reserve",
                           Type::BYTES,
                           LLM_AT(fabric.reserve),
                           0,
                           1e15,
                           "part of it reserved for each port and class"));
    fields.push_back(Field("fabric.alpha",
                           Type::NUMBER,
                           LLM_AT(fabric.alpha),
                           1.0 / 65536,
                           1024,
                           "dynamic threshold: share of the free pool that one queue may use"));
    fields.push_back(Field("fabric.xon_offset",
                           Type::BYTES,
                           LLM_AT(fabric.xon_offset),
                           0,
                           1e15,
                           "a paused class resumes this far below the threshold"));
    fields.push_back(Field("fabric.headroom",
                           Type::BYTES,
                           LLM_AT(fabric.headroom),
                           0,
                           1e15,
                           "for what arrives after a pause, per port and lossless class; 0: "
                           "computed from rate, delay and MTU"));
    fields.push_back(Field("fabric.pfc",
                           Type::BOOLEAN,
                           LLM_AT(fabric.pfc),
                           "priority flow control; false: no class is lossless"));
    fields.push_back(Field("fabric.lossless_classes",
                           Type::COUNT_LIST,
                           LLM_AT(fabric.lossless_classes),
                           0,
                           7,
                           "traffic classes that PFC protects"));
    fields.push_back(
        Field("fabric.ecn", Type::BOOLEAN, LLM_AT(fabric.ecn), "switches mark congestion (RED)"));
    fields.push_back(Field(
        "fabric.ecn_kmin",
        Type::BYTES,
        LLM_AT(fabric.ecn_kmin),
        0,
        1e15,
        "queue below which nothing is marked; 0: 100 kB per 25 Gb/s, or as dctcp and nscc want"));
    fields.push_back(Field("fabric.ecn_kmax",
                           Type::BYTES,
                           LLM_AT(fabric.ecn_kmax),
                           0,
                           1e15,
                           "queue above which everything is marked; 0: 400 kB per 25 Gb/s, or as "
                           "dctcp and nscc want"));
    fields.push_back(Field("fabric.ecn_pmax",
                           Type::NUMBER,
                           LLM_AT(fabric.ecn_pmax),
                           0,
                           1,
                           "marking probability at ecn_kmax"));
    fields.push_back(Field("fabric.ecn_mark_at_dequeue",
                           Type::BOOLEAN,
                           LLM_AT(fabric.ecn_mark_at_dequeue),
                           "mark when a frame leaves the queue instead of when it joins"));
    fields.push_back(Field("fabric.ecmp_seed",
                           Type::COUNT,
                           LLM_AT(fabric.ecmp_seed),
                           0,
                           9007199254740992.0,
                           "hash seed of all switches; 0: each has its own"));
    fields.push_back(Field("fabric.ecmp_hash_queue_pair",
                           Type::BOOLEAN,
                           LLM_AT(fabric.ecmp_hash_queue_pair),
                           "hash the destination QP too"));
    fields.push_back(Field("fabric.loss_rate",
                           Type::NUMBER,
                           LLM_AT(fabric.loss_rate),
                           0,
                           0.5,
                           "probability that a link loses a frame"));
}

void
AddTransport(std::vector<ScenarioField>& fields)
{
    fields.push_back(Field("transport.kind",
                           Type::CHOICE,
                           LLM_AT(transport.kind),
                           {"rdma", "tcp"},
                           "RoCEv2 queue pairs, or ns-3's TCP sockets, over the same fabric"));
    fields.push_back(Field("transport.congestion_control",
                           Type::TEXT,
                           LLM_AT(transport.congestion_control),
                           "rdma: dcqcn (the default), dcqcn_mellanox, hpcc, timely, swift, dctcp, "
                           "powertcp, powertcp_delay, nscc, none, or the TypeId of an "
                           "RdmaCongestionOps; tcp: the TypeId of a TcpCongestionOps (default "
                           "ns3::TcpCubic)"));
    fields.push_back(Field("transport.congestion_control_attributes",
                           Type::MAP,
                           LLM_AT(transport.congestion_control_attributes),
                           "rdma: its ns-3 attributes, e.g. {\"RateAi\": \"40Mbps\"}"));
    fields.push_back(Field("transport.ack_interval",
                           Type::COUNT,
                           LLM_AT(transport.ack_interval),
                           1,
                           65535,
                           "rdma: packets per ACK; the last of a message always asks for one"));
    fields.push_back(Field("transport.traffic_class",
                           Type::COUNT,
                           LLM_AT(transport.traffic_class),
                           0,
                           7,
                           "rdma: class of the job's data"));
    fields.push_back(Field("transport.attributes",
                           Type::MAP,
                           LLM_AT(transport.attributes),
                           "further ns-3 attributes of RdmaTransport, or of TcpSocket"));
}

void
AddCollectives(std::vector<ScenarioField>& fields)
{
    const std::string which = "algorithm, or auto, or nccl";
    fields.push_back(
        Field("collectives.all_reduce", Type::TEXT, LLM_AT(collectives.all_reduce), which));
    fields.push_back(
        Field("collectives.all_gather", Type::TEXT, LLM_AT(collectives.all_gather), which));
    fields.push_back(
        Field("collectives.reduce_scatter", Type::TEXT, LLM_AT(collectives.reduce_scatter), which));
    fields.push_back(
        Field("collectives.broadcast", Type::TEXT, LLM_AT(collectives.broadcast), which));
    fields.push_back(Field("collectives.reduce", Type::TEXT, LLM_AT(collectives.reduce), which));
    fields.push_back(
        Field("collectives.all_to_all", Type::TEXT, LLM_AT(collectives.all_to_all), which));
    fields.push_back(Field("collectives.channels",
                           Type::COUNT,
                           LLM_AT(collectives.channels),
                           1,
                           64,
                           "a collective's data is split over so many connections per pair"));
    fields.push_back(Field("collectives.slice_bytes",
                           Type::BYTES,
                           LLM_AT(collectives.slice_bytes),
                           0,
                           1e15,
                           "a chunk is pipelined in slices of this; 0: one slice; NCCL's protocols "
                           "have slices of their own"));
    fields.push_back(
        Field("collectives.protocol",
              Type::CHOICE,
              LLM_AT(collectives.protocol),
              CollectiveSelector::GetProtocolNames(),
              "protocol of NCCL; nccl: what its cost model takes; auto: nccl where the "
              "algorithm is nccl, else none"));
    const std::string latency = ": from the last byte of a message over the network to its use";
    const std::string inside = ": the same within servers";
    fields.push_back(Field("collectives.simple_latency",
                           Type::DURATION,
                           LLM_AT(collectives.simple_latency_ps),
                           0,
                           MAX_PS,
                           "protocol Simple" + latency));
    fields.push_back(Field("collectives.ll_latency",
                           Type::DURATION,
                           LLM_AT(collectives.ll_latency_ps),
                           0,
                           MAX_PS,
                           "protocol LL" + latency));
    fields.push_back(Field("collectives.ll128_latency",
                           Type::DURATION,
                           LLM_AT(collectives.ll128_latency_ps),
                           0,
                           MAX_PS,
                           "protocol LL128" + latency));
    fields.push_back(Field("collectives.scale_up_simple_latency",
                           Type::DURATION,
                           LLM_AT(collectives.scale_up_simple_latency_ps),
                           0,
                           MAX_PS,
                           "protocol Simple" + inside));
    fields.push_back(Field("collectives.scale_up_ll_latency",
                           Type::DURATION,
                           LLM_AT(collectives.scale_up_ll_latency_ps),
                           0,
                           MAX_PS,
                           "protocol LL" + inside));
    fields.push_back(Field("collectives.scale_up_ll128_latency",
                           Type::DURATION,
                           LLM_AT(collectives.scale_up_ll128_latency_ps),
                           0,
                           MAX_PS,
                           "protocol LL128" + inside));
    fields.push_back(Field("collectives.qps_per_connection",
                           Type::COUNT,
                           LLM_AT(collectives.qps_per_connection),
                           1,
                           128,
                           "queue pairs of each connection over the network "
                           "(NCCL_IB_QPS_PER_CONNECTION)"));
    fields.push_back(Field("collectives.split_data_on_qps",
                           Type::BOOLEAN,
                           LLM_AT(collectives.split_data_on_qps),
                           "each message goes over all of them; false: over one in turn "
                           "(NCCL_IB_SPLIT_DATA_ON_QPS)"));
    fields.push_back(Field("collectives.clear_to_send",
                           Type::BOOLEAN,
                           LLM_AT(collectives.clear_to_send),
                           "messages of a protocol wait for their receiver's clear-to-send record "
                           "(64 bytes), as in NCCL's NET/IB"));
}

void
AddRun(std::vector<ScenarioField>& fields)
{
    fields.push_back(Field("simulator.event_queue",
                           Type::CHOICE,
                           LLM_AT(simulator.event_queue),
                           {"native", "portable"},
                           "the module's own simulator core, or any of ns-3's; same results"));
    fields.push_back(Field("simulator.stop_after",
                           Type::DURATION,
                           LLM_AT(simulator.stop_after_ps),
                           0,
                           MAX_PS,
                           "stop at this simulated time, as a failed run; 0: never"));
    fields.push_back(Field("output.folder",
                           Type::TEXT,
                           LLM_AT(output.folder),
                           "where files go, relative to the working directory; empty: no files"));
    fields.push_back(
        Field("output.summary", Type::BOOLEAN, LLM_AT(output.summary), "write summary.json"));
    fields.push_back(Field("output.collectives",
                           Type::BOOLEAN,
                           LLM_AT(output.collectives),
                           "write collectives.csv"));
    fields.push_back(Field("output.flows", Type::BOOLEAN, LLM_AT(output.flows), "write flows.csv"));
    fields.push_back(Field("output.pfc", Type::BOOLEAN, LLM_AT(output.pfc), "write pfc.csv"));
    fields.push_back(Field("output.ecn", Type::BOOLEAN, LLM_AT(output.ecn), "write ecn.csv"));
    fields.push_back(
        Field("output.queues", Type::BOOLEAN, LLM_AT(output.queues), "write queues.csv"));
    fields.push_back(Field("output.queue_interval",
                           Type::DURATION,
                           LLM_AT(output.queue_interval_ps),
                           1,
                           MAX_PS,
                           "queues.csv and ecn.csv have a row per interval"));
    fields.push_back(Field("output.pcap",
                           Type::TEXT_LIST,
                           LLM_AT(output.pcap),
                           "ports to write a pcap file of, e.g. [\"host0\", \"leaf0:3\"]"));
    fields.push_back(Field("watchdog.stall_time",
                           Type::DURATION,
                           LLM_AT(watchdog.stall_time_ps),
                           1e6,
                           MAX_PS,
                           "a job without any progress for this simulated time has failed"));
}

#undef LLM_AT

std::vector<ScenarioField>
MakeFields()
{
    std::vector<ScenarioField> fields;
    AddGeneral(fields);
    AddParallelism(fields);
    AddTraining(fields);
    AddAccelerator(fields);
    AddCluster(fields);
    AddTopology(fields);
    AddSwitch(fields);
    AddTransport(fields);
    AddCollectives(fields);
    AddRun(fields);
    return fields;
}

/** Turns a slot into JSON. */
struct ToJson
{
    Type type;

    nlohmann::ordered_json operator()(const bool* value) const
    {
        return *value;
    }

    nlohmann::ordered_json operator()(const uint32_t* value) const
    {
        return *value;
    }

    nlohmann::ordered_json operator()(const uint64_t* value) const
    {
        switch (type)
        {
        case Type::BYTES:
            return *value == 0 ? nlohmann::ordered_json(0)
                               : nlohmann::ordered_json(FormatBytes(*value));
        case Type::RATE:
            return FormatBitRate(*value);
        default:
            return *value;
        }
    }

    nlohmann::ordered_json operator()(const int64_t* value) const
    {
        return FormatDurationPs(*value);
    }

    nlohmann::ordered_json operator()(const std::string* value) const
    {
        return type == Type::MODEL && value->substr(0, 1) == "{"
                   ? nlohmann::ordered_json::parse(*value)
                   : nlohmann::ordered_json(*value);
    }

    template <typename T>
    nlohmann::ordered_json operator()(const T* value) const
    {
        return *value;
    }
};

/** @return the part of a path before the last dot. */
std::string
Section(const std::string& path)
{
    const auto dot = path.rfind('.');
    return dot == std::string::npos ? "" : path.substr(0, dot);
}

/** Breaks text at blanks so that lines have at most @p width columns, each after @p indent. */
std::string
Wrap(const std::string& text, std::size_t width, const std::string& indent)
{
    std::istringstream words(text);
    std::string word;
    std::string line = indent;
    std::string result;
    while (words >> word)
    {
        if (line.size() > indent.size() && line.size() + 1 + word.size() > width)
        {
            result += line + "\n";
            line = indent;
        }
        line += (line.size() > indent.size() ? " " : "") + word;
    }
    return result + line + "\n";
}

/** @return how a value is written, for people. */
std::string
DescribeForm(const ScenarioField& field)
{
    if (field.choices.empty())
    {
        return ToString(field.type);
    }
    std::string text;
    for (const auto& choice : field.choices)
    {
        text += (text.empty() ? "" : ", ") + choice;
    }
    return text;
}

} // namespace

const char*
ToString(ScenarioFieldType type)
{
    switch (type)
    {
    case Type::BOOLEAN:
        return "true or false";
    case Type::COUNT:
        return "whole number";
    case Type::NUMBER:
        return "number";
    case Type::TEXT:
    case Type::CHOICE:
        return "string";
    case Type::BYTES:
        return "bytes";
    case Type::RATE:
        return "rate";
    case Type::DURATION:
        return "time";
    case Type::COUNT_LIST:
        return "list of whole numbers";
    case Type::TEXT_LIST:
        return "list of strings";
    case Type::MAP:
        return "object";
    case Type::MODEL:
        return "string or object";
    }
    return "unknown";
}

const std::vector<ScenarioField>&
GetScenarioFields()
{
    static const std::vector<ScenarioField> fields = MakeFields();
    return fields;
}

std::string
FormatScenarioValue(const ScenarioField& field, const Scenario& scenario)
{
    Scenario copy = scenario;
    return std::visit(ToJson{field.type}, field.slot(copy)).dump();
}

std::string
FormatScenarioHelp()
{
    const Scenario defaults;
    std::string text = "Fields of a scenario, with their defaults. --set PATH=VALUE overrides.\n";
    for (const auto& field : GetScenarioFields())
    {
        text += "\n" + field.path + " = " + FormatScenarioValue(field, defaults) + "\n";
        text += Wrap(field.doc + " (" + DescribeForm(field) + ")", 80, "    ");
    }
    return text;
}

std::string
FormatScenarioManual()
{
    const Scenario defaults;
    std::string text;
    std::string section = "-";
    for (const auto& field : GetScenarioFields())
    {
        if (Section(field.path) != section)
        {
            section = Section(field.path);
            text += "\n.. list-table:: " +
                    (section.empty() ? std::string("Top level") : "``" + section + "``") +
                    "\n   :header-rows: 1\n   :widths: 28 14 14 44\n\n   * - Field\n"
                    "     - Form\n     - Default\n     - Meaning\n";
        }
        const std::string key =
            section.empty() ? field.path : field.path.substr(section.size() + 1);
        text += "   * - ``" + key + "``\n     - " + DescribeForm(field) + "\n     - ``" +
                FormatScenarioValue(field, defaults) + "``\n     - " + field.doc + "\n";
    }
    return text;
}

} // namespace llm
} // namespace ns3

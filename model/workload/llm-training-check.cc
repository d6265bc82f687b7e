/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-training-check.h"

#include "llm-data-type.h"
#include "llm-moe-recipe.h"
#include "llm-pipeline-schedule.h"

#include "ns3/llm-config-error.h"

#include <cstdint>
#include <limits>

namespace ns3
{
namespace llm
{

namespace
{

/** One config that is being checked. */
class TrainingCheck
{
  public:
    TrainingCheck(TrainingConfig& training,
                  const ModelConfig& model,
                  const ParallelLayout& layout,
                  const std::string& source,
                  const std::string& path)
        : m_training(training),
          m_model(model),
          m_layout(layout),
          m_source(source),
          m_path(path)
    {
    }

    void Run()
    {
        RefuseUnbuilt();
        CheckTypes();
        CheckBuckets();
        CheckSharding();
        CheckTensorOverlap();
        CheckRecomputation();
        CheckSequence();
        CheckBatch();
        MoeRecipes::Check(m_model, m_layout, m_training, m_source, m_path);
    }

  private:
    std::string Place(const std::string& key) const
    {
        return m_path.empty() ? key : m_path + "." + key;
    }

    [[noreturn]] void Fail(const std::string& key, const std::string& message) const
    {
        throw ConfigError(m_source, Place(key), message);
    }

    static void RefuseModel(const char* key, uint64_t value, const char* what)
    {
        if (value > 0)
        {
            throw ConfigError("ModelConfig",
                              key,
                              "is " + std::to_string(value) + ", but training with " + what +
                                  " is not supported yet; parameters and FLOPs are");
        }
    }

    void RefuseUnbuilt() const;
    void CheckTypes() const;
    void CheckBuckets() const;
    void CheckSharding() const;
    void CheckTensorOverlap() const;
    void CheckRecomputation() const;
    void CheckSequence() const;
    void CheckBatch() const;

    TrainingConfig& m_training;     //!< gets its defaults
    const ModelConfig& m_model;     //!< shape
    const ParallelLayout& m_layout; //!< grid
    const std::string& m_source;    //!< for errors
    const std::string& m_path;      //!< for errors
};

void
TrainingCheck::RefuseUnbuilt() const
{
    // Modules use embedding and output layer once more, which would be gathered once more.
    RefuseModel("num_nextn_predict_layers",
                m_training.data_parallel_sharding_strategy == "optim_grads_params"
                    ? m_model.num_nextn_predict_layers
                    : 0,
                "multi-token prediction and sharded parameters");
}

void
TrainingCheck::CheckTypes() const
{
    if (m_training.params_dtype.empty())
    {
        m_training.params_dtype = m_model.torch_dtype.empty() ? "bf16" : m_model.torch_dtype;
    }
    ParseDataType(m_training.params_dtype, m_source, Place("params_dtype"));
    ParseDataType(m_training.grad_reduce_dtype, m_source, Place("grad_reduce_dtype"));
    const std::string& backend = m_training.attention_backend;
    if (backend != "flash" && backend != "unfused")
    {
        Fail("attention_backend", "unknown backend '" + backend + "'; known: flash, unfused");
    }
}

void
TrainingCheck::CheckBuckets() const
{
    const std::string& scheme = m_training.ddp_bucket_scheme;
    if (scheme != "megatron" && scheme != "pytorch" && scheme != "deepspeed" && scheme != "none")
    {
        Fail("ddp_bucket_scheme",
             "unknown scheme '" + scheme + "'; known: megatron, pytorch, deepspeed, none");
    }
    constexpr uint64_t largestCapMiB = 1ULL << 30;
    if (m_training.bucket_cap_mb == 0 || m_training.bucket_cap_mb > largestCapMiB)
    {
        Fail("bucket_cap_mb",
             "must be between 1 and " + std::to_string(largestCapMiB) + ", is " +
                 std::to_string(m_training.bucket_cap_mb));
    }
}

void
TrainingCheck::CheckSharding() const
{
    const std::string& strategy = m_training.data_parallel_sharding_strategy;
    if (strategy != "no_shard" && strategy != "optim" && strategy != "optim_grads" &&
        strategy != "optim_grads_params")
    {
        Fail("data_parallel_sharding_strategy",
             "unknown strategy '" + strategy +
                 "'; known: no_shard, optim, optim_grads, optim_grads_params");
    }
    if (!m_training.reshard_after_forward && strategy != "optim_grads_params")
    {
        Fail("reshard_after_forward",
             "is false, which means something for data_parallel_sharding_strategy "
             "optim_grads_params only, not for " +
                 strategy);
    }
    const uint32_t instances = m_layout.GetConfig().num_distributed_optimizer_instances;
    if (instances > 1 && strategy == "no_shard")
    {
        Fail("data_parallel_sharding_strategy",
             "is no_shard, but num_distributed_optimizer_instances " + std::to_string(instances) +
                 " needs something to shard: optim, optim_grads or optim_grads_params");
    }
    if (instances > 1 && m_layout.GetConfig().pipeline_schedule == "dualpipe")
    {
        Fail("data_parallel_sharding_strategy",
             "num_distributed_optimizer_instances is " + std::to_string(instances) +
                 ", but pipeline_schedule dualpipe needs 1");
    }
}

void
TrainingCheck::CheckTensorOverlap() const
{
    const uint32_t t = m_layout.GetSize(ParallelAxis::TP);
    if (m_training.tp_comm_overlap && t > 1 && !m_layout.GetConfig().sequence_parallel)
    {
        Fail("tp_comm_overlap",
             "needs sequence_parallel, as in Megatron: all-reduces are not overlapped");
    }
    if (m_training.tp_comm_overlap && t > 1 && m_model.HasLatentAttention())
    {
        Fail("tp_comm_overlap",
             "is true, but latent attention (kv_lora_rank " + std::to_string(m_model.kv_lora_rank) +
                 ") gathers what it compresses, beside no matrix product");
    }
}

void
TrainingCheck::CheckRecomputation() const
{
    const std::string& granularity = m_training.recompute_granularity;
    if (granularity != "none" && granularity != "selective" && granularity != "full")
    {
        Fail("recompute_granularity",
             "unknown granularity '" + granularity + "'; known: none, selective, full");
    }
    if (m_training.recompute_num_layers != 0 && granularity != "full")
    {
        Fail("recompute_num_layers",
             "is " + std::to_string(m_training.recompute_num_layers) +
                 ", which recompute_granularity full needs, not " + granularity);
    }
}

void
TrainingCheck::CheckSequence() const
{
    const uint64_t longest = m_model.max_position_embeddings;
    if (m_training.seq_length == 0)
    {
        if (longest == 0 || longest > std::numeric_limits<uint32_t>::max())
        {
            Fail("seq_length", "must be given: the model has no max_position_embeddings");
        }
        m_training.seq_length = static_cast<uint32_t>(longest);
    }
    if (m_model.learned_positions && m_training.seq_length > longest)
    {
        Fail("seq_length",
             std::to_string(m_training.seq_length) + " is above the model's " +
                 std::to_string(longest) + " learned positions (max_position_embeddings)");
    }
    const uint32_t t = m_layout.GetSize(ParallelAxis::TP);
    const uint32_t c = m_layout.GetSize(ParallelAxis::CP);
    if (m_layout.GetConfig().sequence_parallel && m_training.seq_length % t != 0)
    {
        Fail("seq_length",
             std::to_string(m_training.seq_length) +
                 " cannot be split by tensor_model_parallel_size " + std::to_string(t) +
                 ", which sequence_parallel asks for");
    }
    if (m_training.seq_length % m_layout.GetSequenceDivisor() != 0)
    {
        Fail("seq_length",
             std::to_string(m_training.seq_length) + " is not a multiple of " +
                 std::to_string(m_layout.GetSequenceDivisor()) +
                 ": two chunks for each of context_parallel_size " + std::to_string(c) +
                 " ranks, and parts of them for tensor_model_parallel_size " + std::to_string(t) +
                 " under sequence_parallel");
    }
}

void
TrainingCheck::CheckBatch() const
{
    if (m_training.micro_batch_size == 0)
    {
        Fail("micro_batch_size", "must be at least 1, is 0");
    }
    const uint64_t d = m_layout.GetSize(ParallelAxis::DP);
    const uint64_t perStep = d * m_training.micro_batch_size;
    if (m_training.global_batch_size == 0)
    {
        if (perStep > std::numeric_limits<uint32_t>::max())
        {
            Fail("micro_batch_size", "the global batch would be above 2^32 sequences");
        }
        m_training.global_batch_size = static_cast<uint32_t>(perStep);
    }
    if (m_training.global_batch_size % perStep != 0)
    {
        Fail("global_batch_size",
             std::to_string(m_training.global_batch_size) +
                 " is not a multiple of micro_batch_size " +
                 std::to_string(m_training.micro_batch_size) + " x data_parallel_size " +
                 std::to_string(d) + " = " + std::to_string(perStep));
    }
    const uint64_t microbatches = m_training.global_batch_size / perStep;
    if (microbatches > static_cast<uint64_t>(std::numeric_limits<int32_t>::max()))
    {
        Fail("global_batch_size", std::to_string(microbatches) + " microbatches are above 2^31");
    }
    const std::string tooFew = FindMicrobatchError(m_layout.GetConfig(), microbatches);
    if (!tooFew.empty())
    {
        Fail("global_batch_size", tooFew);
    }
    // Above any machine's memory, and far from the end of 64 bits.
    constexpr double mostBytes = 1e15;
    if (static_cast<double>(m_training.micro_batch_size) * m_training.seq_length *
            static_cast<double>(m_model.hidden_size) * 4 >
        mostBytes)
    {
        Fail("micro_batch_size",
             std::to_string(m_training.micro_batch_size) + " sequences of " +
                 std::to_string(m_training.seq_length) + " tokens and hidden_size " +
                 std::to_string(m_model.hidden_size) + " make activations above 1 PB");
    }
}

} // namespace

TrainingConfig
ResolveTraining(const TrainingConfig& training,
                const ModelConfig& model,
                const ParallelLayout& layout,
                const std::string& source,
                const std::string& path)
{
    TrainingConfig resolved = training;
    TrainingCheck(resolved, model, layout, source, path).Run();
    return resolved;
}

} // namespace llm
} // namespace ns3

/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_TRAINING_RANDOM_STEP_H
#define LLM_TRAINING_RANDOM_STEP_H

#include "llm-training-dice.h"

#include "ns3/llm-config-error.h"
#include "ns3/llm-flex-dispatch.h"
#include "ns3/llm-training-step.h"

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ns3
{
namespace llm
{

/** A model and a layout, before anybody has checked that they fit. */
struct RandomStep
{
    uint64_t seed{0};           //!< what it was drawn with
    ModelConfig model;          //!< shape
    ParallelConfig parallel;    //!< layout
    TrainingConfig training;    //!< the rest
    uint32_t worldSize{0};      //!< 0: what the layout makes
    uint32_t ranksPerServer{1}; //!< neighbouring ranks that share a server
    std::string split{"even"};  //!< how layers are split: even, ends, numbers, letters

    /** @return the step. @throw ConfigError if its parts do not fit together. */
    TrainingStep Make() const
    {
        return TrainingStep(model,
                            ParallelLayout(parallel, worldSize, "s.json", "parallelism"),
                            training,
                            Accelerator(AcceleratorConfig()),
                            "s.json",
                            "training");
    }

    /** @return all of it in one line. */
    std::string Describe() const;
    /** @return which values of which options have an effect in it, "option=value". */
    std::vector<std::string> ListOptions() const;
};

/** Draws legal pairs of models and layouts, over all options, of at most 64 ranks. */
class RandomStepMaker
{
  public:
    /** @param seed of everything. */
    explicit RandomStepMaker(uint64_t seed)
        : m_dice(seed)
    {
        m_step.seed = seed;
    }

    /** @return the pair. */
    RandomStep Draw()
    {
        DrawSizes();
        DrawContext();
        DrawModel();
        DrawSchedule();
        DrawSplit();
        if (m_experts)
        {
            DrawExperts();
        }
        DrawOrder();
        DrawBatch();
        DrawReduction();
        DrawRecomputation();
        if (m_experts)
        {
            DrawDispatch();
        }
        m_step.ranksPerServer = m_dice.Pick<uint32_t>({1, 2, 4, 8, 64});
        return m_step;
    }

  private:
    bool Coin()
    {
        return m_dice.Throw(2) == 1;
    }

    /** @return a divisor. */
    uint32_t PickDivisor(uint64_t number)
    {
        std::vector<uint32_t> divisors;
        for (uint32_t i = 1; i <= number; ++i)
        {
            if (number % i == 0)
            {
                divisors.push_back(i);
            }
        }
        return m_dice.Pick(divisors);
    }

    void DrawSizes();
    void DrawContext();
    void DrawModel();
    void DrawLatentAttention();
    void DrawSchedule();
    void DrawSplit();
    void DrawEnds();
    void DrawStages();
    void DrawExperts();
    void DrawSparseLayers();
    void DrawOrder();
    void DrawBatch();
    void DrawReduction();
    void DrawRecomputation();
    void DrawDispatch();

    Dice m_dice;                //!< throws
    RandomStep m_step;          //!< what is drawn
    bool m_experts{false};      //!< whether the model has them
    uint32_t m_expertCut{1};    //!< et
    uint32_t m_spread{1};       //!< ranks over which all-to-all spreads heads
    uint64_t m_microbatches{1}; //!< m
};

inline void
RandomStepMaker::DrawSizes()
{
    ParallelConfig& parallel = m_step.parallel;
    uint32_t t = 1;
    uint32_t c = 1;
    uint32_t p = 1;
    uint32_t d = 1;
    do
    {
        t = m_dice.Pick<uint32_t>({1, 1, 2, 3, 4, 8});
        c = m_dice.Pick<uint32_t>({1, 1, 2, 3, 4, 8});
        p = m_dice.Pick<uint32_t>({1, 2, 2, 3, 4, 8});
        d = m_dice.Pick<uint32_t>({1, 1, 2, 3, 4, 5, 8, 16});
    } while (t * c * p * d > 64);
    parallel.tensor_model_parallel_size = t;
    parallel.context_parallel_size = c;
    parallel.pipeline_model_parallel_size = p;
    parallel.data_parallel_size = d;
    m_experts = Coin();
    parallel.sequence_parallel = (m_experts && t > 1) || Coin();
    parallel.make_vocab_size_divisible_by = m_dice.Pick<uint32_t>({1, 7, 128});
    if (m_experts)
    {
        const uint32_t stage = t * c * d;
        m_expertCut = m_dice.Pick<uint32_t>({1, t, PickDivisor(stage)});
        parallel.expert_model_parallel_size = PickDivisor(stage / m_expertCut);
        parallel.expert_tensor_parallel_size = m_expertCut == t && Coin() ? 0 : m_expertCut;
    }
}

inline void
RandomStepMaker::DrawContext()
{
    ParallelConfig& parallel = m_step.parallel;
    parallel.cp_comm_type = m_dice.Pick<std::string>({"p2p", "all_gather", "a2a", "a2a+p2p"});
    m_spread = parallel.cp_comm_type == "a2a" ? parallel.context_parallel_size : 1;
    if (parallel.cp_comm_type == "a2a+p2p")
    {
        m_spread = PickDivisor(parallel.context_parallel_size);
        parallel.hierarchical_context_parallel_size = m_spread;
    }
}

inline void
RandomStepMaker::DrawModel()
{
    ModelConfig& model = m_step.model;
    const uint64_t t = m_step.parallel.tensor_model_parallel_size;
    model.SetFamily(m_experts
                        ? m_dice.Pick<std::string>(
                              {"mixtral", "qwen2_moe", "qwen3_moe", "deepseek_v2", "deepseek_v3"})
                        : m_dice.Pick<std::string>(
                              {"llama", "gpt2", "mistral", "qwen2", "qwen3", "deepseek_v3"}));
    model.vocab_size = 500 + m_dice.Throw(1000);
    model.hidden_size = m_dice.Pick<uint64_t>({24, 25, 48, 96, 129, 160});
    model.head_dim = m_dice.Pick<uint64_t>({4, 5, 8});
    model.num_key_value_heads = t * m_spread * (1 + m_dice.Throw(2));
    model.num_attention_heads = model.num_key_value_heads * (1 + m_dice.Throw(3));
    model.num_key_value_heads = m_dice.Throw(4) == 0 ? 0 : model.num_key_value_heads;
    model.intermediate_size = t * (10 + m_dice.Throw(50));
    if (model.model_type == "gpt2" && 4 * model.hidden_size % t == 0 && Coin())
    {
        model.intermediate_size = 0;
    }
    model.tie_word_embeddings = Coin();
    model.torch_dtype = m_dice.Pick<std::string>({"", "bfloat16", "float32"});
    model.max_position_embeddings = 4096;
    if (m_dice.Throw(4) == 0)
    {
        // Plain numbers instead of a family.
        model.qkv_bias = Coin();
        model.attention_output_bias = Coin();
        model.mlp_bias = Coin();
        model.qk_norm = Coin();
        model.layer_norm_bias = Coin();
        model.gated_mlp = Coin();
        model.learned_positions = Coin();
    }
    if (model.model_type.compare(0, 8, "deepseek") == 0)
    {
        DrawLatentAttention();
    }
    model.num_nextn_predict_layers = m_dice.Throw(4) == 0 ? 1 + m_dice.Throw(2) : 0;
}

inline void
RandomStepMaker::DrawLatentAttention()
{
    ModelConfig& model = m_step.model;
    m_step.parallel.sequence_parallel |= m_step.parallel.tensor_model_parallel_size > 1;
    model.num_key_value_heads = 0;
    model.head_dim = 0;
    model.q_lora_rank = m_dice.Pick<uint64_t>({0, 6});
    model.kv_lora_rank = 8;
    model.qk_nope_head_dim = 4;
    model.qk_rope_head_dim = 2;
    model.v_head_dim = 1 + m_dice.Throw(6);
}

inline void
RandomStepMaker::DrawSchedule()
{
    ParallelConfig& parallel = m_step.parallel;
    const uint64_t p = parallel.pipeline_model_parallel_size;
    std::string name =
        m_dice.Pick<std::string>({"1f1b", "interleaved", "gpipe", "zb_h1", "dualpipe"});
    name = name == "dualpipe" && p % 2 != 0 ? "zb_h1" : name;
    name = name == "interleaved" && p == 1 ? "1f1b" : name;
    m_microbatches = 1 + m_dice.Throw(6);
    if (name == "dualpipe")
    {
        m_microbatches = 2 * (p + m_dice.Throw(3));
    }
    else if (name == "interleaved")
    {
        name = "1f1b";
        parallel.virtual_pipeline_model_parallel_size = 2 + static_cast<uint32_t>(m_dice.Throw(2));
        m_microbatches = p * (1 + m_dice.Throw(3));
    }
    parallel.pipeline_schedule = name;
}

inline void
RandomStepMaker::DrawSplit()
{
    const ParallelConfig& parallel = m_step.parallel;
    const uint64_t stages = static_cast<uint64_t>(parallel.pipeline_model_parallel_size) *
                            parallel.virtual_pipeline_model_parallel_size;
    m_step.model.num_hidden_layers = stages * (1 + m_dice.Throw(2));
    const uint64_t kind = stages == 1 ? 0 : m_dice.Throw(6);
    if (kind == 3)
    {
        DrawEnds();
    }
    else if (kind > 3)
    {
        DrawStages();
    }
}

inline void
RandomStepMaker::DrawEnds()
{
    ParallelConfig& parallel = m_step.parallel;
    const uint32_t v = parallel.virtual_pipeline_model_parallel_size;
    const uint32_t first = v * static_cast<uint32_t>(m_dice.Throw(3));
    const uint32_t last = v * static_cast<uint32_t>(1 + m_dice.Throw(2));
    const uint32_t others = parallel.pipeline_model_parallel_size - (first > 0 ? 2 : 1);
    parallel.decoder_first_pipeline_num_layers = first;
    parallel.decoder_last_pipeline_num_layers = last;
    m_step.model.num_hidden_layers = first + last + others * v * (1 + m_dice.Throw(2));
    m_step.split = "ends";
}

inline void
RandomStepMaker::DrawStages()
{
    ParallelConfig& parallel = m_step.parallel;
    const uint64_t stages = static_cast<uint64_t>(parallel.pipeline_model_parallel_size) *
                            parallel.virtual_pipeline_model_parallel_size;
    const bool letters = Coin();
    uint64_t sum = 0;
    std::string numbers;
    std::string text = "E";
    for (uint64_t stage = 0; stage < stages; ++stage)
    {
        const bool inside = stage > 0 && stage + 1 < stages;
        uint64_t count = (inside ? 1 : 0) + m_dice.Throw(3);
        count = stage + 1 == stages && sum + count == 0 ? 1 : count;
        sum += count;
        numbers += (stage == 0 ? "" : ",") + std::to_string(count);
        text += count == 0 ? "" : count == 1 ? "t" : "t*" + std::to_string(count);
        text += stage + 1 < stages ? "|" : "";
    }
    text += std::string(m_step.model.num_nextn_predict_layers, 'm') + "L";
    m_step.model.num_hidden_layers = sum;
    parallel.pipeline_model_parallel_layout = letters ? text : numbers;
    m_step.split = letters ? "letters" : "numbers";
}

inline void
RandomStepMaker::DrawExperts()
{
    ModelConfig& model = m_step.model;
    const uint64_t t = m_step.parallel.tensor_model_parallel_size;
    const uint64_t e = m_step.parallel.expert_model_parallel_size;
    model.num_experts = e * (1 + m_dice.Throw(4));
    if (m_dice.Throw(3) == 0)
    {
        model.n_group = PickDivisor(model.num_experts);
        model.topk_group = 1 + m_dice.Throw(model.n_group);
    }
    const uint64_t reachable = model.num_experts / model.n_group * model.topk_group;
    model.num_experts_per_tok = 1 + m_dice.Throw(std::min<uint64_t>(reachable, 9));
    model.moe_intermediate_size = m_expertCut * (5 + m_dice.Throw(20));
    if (model.model_type == "mixtral" && model.intermediate_size % m_expertCut == 0)
    {
        model.moe_intermediate_size = 0;
    }
    if (model.shared_expert_gate || Coin())
    {
        model.shared_expert_intermediate_size = t * (1 + m_dice.Throw(20));
    }
    DrawSparseLayers();
}

inline void
RandomStepMaker::DrawSparseLayers()
{
    ModelConfig& model = m_step.model;
    switch (m_dice.Throw(5))
    {
    case 0:
        model.first_k_dense_replace = m_dice.Throw(model.num_hidden_layers);
        break;
    case 1:
        model.moe_layer_freq = 2;
        break;
    case 2:
        model.decoder_sparse_step = model.num_hidden_layers > 1 ? 2 : 1;
        break;
    case 3:
        for (uint64_t layer = 1; layer < model.num_hidden_layers; ++layer)
        {
            if (Coin())
            {
                model.mlp_only_layers.push_back(layer);
            }
        }
        break;
    default:
        break;
    }
}

inline void
RandomStepMaker::DrawOrder()
{
    ParallelConfig& parallel = m_step.parallel;
    for (int tries = 0; tries < 4; ++tries)
    {
        std::vector<std::string> axes{"tp", "cp", "ep", "dp", "pp"};
        std::string order;
        while (!axes.empty())
        {
            const auto next = axes.begin() + static_cast<std::ptrdiff_t>(m_dice.Throw(axes.size()));
            const bool leaveOut = *next == "cp" && parallel.context_parallel_size == 1 && Coin();
            order += leaveOut ? "" : (order.empty() ? "" : "-") + *next;
            axes.erase(next);
        }
        parallel.rank_order = order;
        try
        {
            ParallelLayout(parallel).CheckModel(m_step.model);
            return;
        }
        catch (const ConfigError&)
        {
            // The stages of both grids do not agree: with pp last they do.
            parallel.rank_order = "tp-cp-ep-dp-pp";
        }
    }
}

inline void
RandomStepMaker::DrawBatch()
{
    TrainingConfig& training = m_step.training;
    const ParallelLayout layout(m_step.parallel);
    const auto length = static_cast<uint32_t>(layout.GetSequenceDivisor() * (1 + m_dice.Throw(8)));
    training.seq_length = length;
    if (m_dice.Throw(8) == 0)
    {
        m_step.model.max_position_embeddings = length;
        training.seq_length = 0;
    }
    training.micro_batch_size = 1 + static_cast<uint32_t>(m_dice.Throw(3));
    training.global_batch_size = training.micro_batch_size * layout.GetSize(ParallelAxis::DP) *
                                 static_cast<uint32_t>(m_microbatches);
    if (m_microbatches == 1 && Coin())
    {
        training.global_batch_size = 0;
    }
    training.params_dtype = m_dice.Pick<std::string>({"", "bf16", "fp16", "fp32"});
    training.grad_reduce_dtype = m_dice.Pick<std::string>({"bf16", "fp16", "fp32"});
    training.overlap_p2p_comm = Coin();
    const bool mayOverlap =
        layout.GetSize(ParallelAxis::TP) == 1 ||
        (m_step.parallel.sequence_parallel && !m_step.model.HasLatentAttention());
    training.tp_comm_overlap = mayOverlap && Coin();
    training.causal_attention_flops = Coin();
}

inline void
RandomStepMaker::DrawReduction()
{
    ParallelConfig& parallel = m_step.parallel;
    TrainingConfig& training = m_step.training;
    training.overlap_grad_reduce = m_dice.Throw(3) != 0;
    training.overlap_param_gather = Coin();
    training.ddp_bucket_scheme =
        m_dice.Pick<std::string>({"megatron", "megatron", "pytorch", "deepspeed", "none"});
    training.ddp_bucket_size = m_dice.Pick<uint64_t>({0, 3000, 20000});
    training.bucket_cap_mb = m_dice.Pick<uint64_t>({1, 25});
    training.data_parallel_sharding_strategy = m_dice.Pick<std::string>(
        {"no_shard", "optim", "optim_grads", "optim_grads_params", "optim_grads_params"});
    if (m_step.model.num_nextn_predict_layers > 0 &&
        training.data_parallel_sharding_strategy == "optim_grads_params")
    {
        training.data_parallel_sharding_strategy = "optim_grads"; // all that modules allow
    }
    if (training.data_parallel_sharding_strategy == "no_shard")
    {
        return;
    }
    training.reshard_after_forward =
        training.data_parallel_sharding_strategy != "optim_grads_params" || Coin();
    if (parallel.pipeline_schedule != "dualpipe" && Coin())
    {
        const ParallelLayout layout(parallel);
        uint32_t replicas = layout.GetGroupSize("dp-cp");
        replicas = m_experts ? std::gcd(replicas, layout.GetSize(ParallelAxis::EDP)) : replicas;
        parallel.num_distributed_optimizer_instances = PickDivisor(replicas);
    }
}

inline void
RandomStepMaker::DrawRecomputation()
{
    TrainingConfig& training = m_step.training;
    training.recompute_granularity =
        m_dice.Pick<std::string>({"none", "none", "selective", "full", "full"});
    if (training.recompute_granularity == "full")
    {
        training.recompute_num_layers = static_cast<uint32_t>(m_dice.Throw(3));
    }
}

inline void
RandomStepMaker::DrawDispatch()
{
    const ModelConfig& model = m_step.model;
    TrainingConfig& training = m_step.training;
    training.moe_expert_skew = m_dice.Pick<double>({0, 0, 0.5, 1.25, 8});
    training.moe_skew_seed = m_dice.Throw(1000);
    training.moe_expert_capacity_factor = m_dice.Pick<double>({0, 0, 0.5, 1, 1.3});
    training.moe_token_dispatcher_type =
        m_dice.Pick<std::string>({"alltoall", "allgather", "flex", "flex", "flex"});
    training.moe_ranks_per_node = m_dice.Pick<uint32_t>({1, 2, 4, 8});
    training.moe_shared_expert_overlap = model.shared_expert_intermediate_size > 0 && Coin();
    if (training.moe_token_dispatcher_type == "flex")
    {
        const uint32_t members = FlexDispatch::CountMembersPerNode(ParallelLayout(m_step.parallel),
                                                                   training.moe_ranks_per_node);
        const uint64_t e = m_step.parallel.expert_model_parallel_size;
        const auto nests = [&model](uint64_t part) {
            const uint64_t group = model.num_experts / model.n_group;
            return model.topk_group == model.n_group || part % group == 0 || group % part == 0;
        };
        if (m_expertCut != 1 || members == 0 || e % members != 0 || !nests(model.num_experts / e) ||
            !nests(model.num_experts / e * members))
        {
            training.moe_token_dispatcher_type = "alltoall";
        }
    }
    if (training.moe_token_dispatcher_type != "allgather")
    {
        training.moe_dispatch_dtype = m_dice.Pick<std::string>({"", "fp8"});
    }
    training.moe_pad_expert_input_to_capacity = training.moe_token_dispatcher_type != "flex" &&
                                                training.moe_expert_capacity_factor > 0 && Coin();
}

inline std::string
RandomStep::Describe() const
{
    std::string text = "seed " + std::to_string(seed);
    const auto add = [&text](const char* key, const auto& value) {
        using Value = std::decay_t<decltype(value)>;
        if constexpr (std::is_convertible_v<Value, std::string>)
        {
            text += std::string(" ") + key + "='" + value + "'";
        }
        else
        {
            text += std::string(" ") + key + "=" + std::to_string(value);
        }
    };
#define LLM_ADD(part, key) add(#key, part.key)
    LLM_ADD(model, model_type);
    LLM_ADD(model, vocab_size);
    LLM_ADD(model, hidden_size);
    LLM_ADD(model, num_hidden_layers);
    LLM_ADD(model, num_attention_heads);
    LLM_ADD(model, num_key_value_heads);
    LLM_ADD(model, head_dim);
    LLM_ADD(model, intermediate_size);
    LLM_ADD(model, max_position_embeddings);
    LLM_ADD(model, tie_word_embeddings);
    LLM_ADD(model, learned_positions);
    LLM_ADD(model, qkv_bias);
    LLM_ADD(model, attention_output_bias);
    LLM_ADD(model, mlp_bias);
    LLM_ADD(model, qk_norm);
    LLM_ADD(model, layer_norm_bias);
    LLM_ADD(model, gated_mlp);
    LLM_ADD(model, num_experts);
    LLM_ADD(model, num_experts_per_tok);
    LLM_ADD(model, moe_intermediate_size);
    LLM_ADD(model, shared_expert_intermediate_size);
    LLM_ADD(model, first_k_dense_replace);
    LLM_ADD(model, moe_layer_freq);
    LLM_ADD(model, decoder_sparse_step);
    LLM_ADD(model, n_group);
    LLM_ADD(model, topk_group);
    LLM_ADD(model, q_lora_rank);
    LLM_ADD(model, kv_lora_rank);
    LLM_ADD(model, num_nextn_predict_layers);
    LLM_ADD(parallel, tensor_model_parallel_size);
    LLM_ADD(parallel, sequence_parallel);
    LLM_ADD(parallel, context_parallel_size);
    LLM_ADD(parallel, cp_comm_type);
    LLM_ADD(parallel, hierarchical_context_parallel_size);
    LLM_ADD(parallel, pipeline_model_parallel_size);
    LLM_ADD(parallel, virtual_pipeline_model_parallel_size);
    LLM_ADD(parallel, pipeline_schedule);
    LLM_ADD(parallel, pipeline_model_parallel_layout);
    LLM_ADD(parallel, decoder_first_pipeline_num_layers);
    LLM_ADD(parallel, decoder_last_pipeline_num_layers);
    LLM_ADD(parallel, data_parallel_size);
    LLM_ADD(parallel, expert_model_parallel_size);
    LLM_ADD(parallel, expert_tensor_parallel_size);
    LLM_ADD(parallel, num_distributed_optimizer_instances);
    LLM_ADD(parallel, rank_order);
    LLM_ADD(parallel, make_vocab_size_divisible_by);
    LLM_ADD(training, micro_batch_size);
    LLM_ADD(training, global_batch_size);
    LLM_ADD(training, seq_length);
    LLM_ADD(training, params_dtype);
    LLM_ADD(training, grad_reduce_dtype);
    LLM_ADD(training, overlap_grad_reduce);
    LLM_ADD(training, overlap_p2p_comm);
    LLM_ADD(training, ddp_bucket_scheme);
    LLM_ADD(training, ddp_bucket_size);
    LLM_ADD(training, bucket_cap_mb);
    LLM_ADD(training, data_parallel_sharding_strategy);
    LLM_ADD(training, reshard_after_forward);
    LLM_ADD(training, overlap_param_gather);
    LLM_ADD(training, recompute_granularity);
    LLM_ADD(training, recompute_num_layers);
    LLM_ADD(training, tp_comm_overlap);
    LLM_ADD(training, moe_token_dispatcher_type);
    LLM_ADD(training, moe_ranks_per_node);
    LLM_ADD(training, moe_dispatch_dtype);
    LLM_ADD(training, moe_expert_capacity_factor);
    LLM_ADD(training, moe_pad_expert_input_to_capacity);
    LLM_ADD(training, moe_expert_skew);
    LLM_ADD(training, moe_skew_seed);
    LLM_ADD(training, moe_shared_expert_overlap);
#undef LLM_ADD
    add("ranks_per_server", ranksPerServer);
    return text;
}

inline std::vector<std::string>
RandomStep::ListOptions() const
{
    std::vector<std::string> options;
    const auto add = [&options](const char* key, const std::string& value) {
        options.push_back(std::string(key) + "=" + value);
    };
    const auto flag = [&add](const char* key, bool value) { add(key, value ? "true" : "false"); };
    const uint32_t t = parallel.tensor_model_parallel_size;
    const uint32_t c = parallel.context_parallel_size;
    const uint32_t p = parallel.pipeline_model_parallel_size;
    const uint32_t v = parallel.virtual_pipeline_model_parallel_size;
    const uint32_t d = parallel.data_parallel_size;
    const uint32_t e = parallel.expert_model_parallel_size;
    const uint32_t et =
        parallel.expert_tensor_parallel_size == 0 ? t : parallel.expert_tensor_parallel_size;
    add("ranks", t * c * p * d > 32 ? "many" : "few");
    add("model_type", model.model_type);
    add("attention", model.HasLatentAttention() ? "latent" : "ordinary");
    add("num_nextn_predict_layers", std::to_string(model.num_nextn_predict_layers));
    add("params_dtype", training.params_dtype);
    add("make_vocab_size_divisible_by", std::to_string(parallel.make_vocab_size_divisible_by));
    add("recompute_granularity", training.recompute_granularity);
    add("rank_order", parallel.rank_order == ParallelConfig().rank_order ? "default" : "other");
    if (t > 1)
    {
        add("attention", model.HasLatentAttention() ? "latent, cut" : "ordinary, cut");
        flag("sequence_parallel", parallel.sequence_parallel);
        flag("tp_comm_overlap", training.tp_comm_overlap);
    }
    if (c > 1)
    {
        add("cp_comm_type", parallel.cp_comm_type);
    }
    if (p > 1)
    {
        add("pipeline_schedule", v > 1 ? "interleaved" : parallel.pipeline_schedule);
        add("split", split);
        flag("overlap_p2p_comm", training.overlap_p2p_comm);
        flag("tie_word_embeddings", model.tie_word_embeddings);
    }
    if (c * d > 1)
    {
        const std::string& sharding = training.data_parallel_sharding_strategy;
        add("data_parallel_sharding_strategy", sharding);
        add("ddp_bucket_scheme", training.ddp_bucket_scheme);
        add("grad_reduce_dtype", training.grad_reduce_dtype);
        flag("overlap_grad_reduce", training.overlap_grad_reduce);
        flag("hsdp", parallel.num_distributed_optimizer_instances > 1);
        if (sharding == "optim_grads_params")
        {
            flag("reshard_after_forward", training.reshard_after_forward);
        }
        else if (sharding != "no_shard")
        {
            flag("overlap_param_gather", training.overlap_param_gather);
        }
    }
    if (model.num_experts > 0 && e * et > 1)
    {
        add("moe_token_dispatcher_type", training.moe_token_dispatcher_type);
        add("moe_dispatch_dtype", training.moe_dispatch_dtype);
        flag("skew", training.moe_expert_skew > 0);
        flag("capacity", training.moe_expert_capacity_factor > 0);
        flag("pad", training.moe_pad_expert_input_to_capacity);
        flag("moe_shared_expert_overlap", training.moe_shared_expert_overlap);
        flag("node_limited", model.topk_group < model.n_group);
        flag("dense_layers", model.CountMoeLayers() < model.num_hidden_layers);
        add("experts", et == t ? "cut as the rest" : et == 1 ? "whole" : "cut otherwise");
        flag("expert_data_parallel", t * c * d > e * et);
    }
    return options;
}

} // namespace llm
} // namespace ns3

#endif // LLM_TRAINING_RANDOM_STEP_H

/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-training-closed-form.h"
#include "llm-training-random-step.h"

#include "ns3/llm-training-compat.h"
#include "ns3/test.h"

#include <exception>
#include <functional>
#include <limits>
#include <map>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

constexpr uint64_t PAIRS = 200;

/** Every value of every option, and how many of the pairs must have it with an effect. */
const std::map<std::string, uint64_t> WANTED{
    {"ranks=many", 30},
    {"ranks=few", 30},
    {"num_nextn_predict_layers=1", 10},
    {"num_nextn_predict_layers=2", 10},
    {"model_type=gpt2", 10},
    {"model_type=llama", 10},
    {"model_type=mistral", 10},
    {"model_type=qwen2", 10},
    {"model_type=qwen3", 10},
    {"model_type=mixtral", 10},
    {"model_type=qwen2_moe", 10},
    {"model_type=qwen3_moe", 10},
    {"model_type=deepseek_v2", 10},
    {"model_type=deepseek_v3", 10},
    {"attention=latent", 20},
    {"attention=latent, cut", 10},
    {"params_dtype=", 10},
    {"params_dtype=bf16", 10},
    {"params_dtype=fp16", 10},
    {"params_dtype=fp32", 10},
    {"make_vocab_size_divisible_by=1", 10},
    {"make_vocab_size_divisible_by=7", 10},
    {"make_vocab_size_divisible_by=128", 10},
    {"rank_order=other", 50},
    {"sequence_parallel=true", 10},
    {"sequence_parallel=false", 10},
    {"tp_comm_overlap=true", 10},
    {"cp_comm_type=p2p", 10},
    {"cp_comm_type=all_gather", 10},
    {"cp_comm_type=a2a", 10},
    {"cp_comm_type=a2a+p2p", 10},
    {"pipeline_schedule=1f1b", 10},
    {"pipeline_schedule=gpipe", 10},
    {"pipeline_schedule=interleaved", 10},
    {"pipeline_schedule=zb_h1", 10},
    {"pipeline_schedule=dualpipe", 10},
    {"split=even", 10},
    {"split=ends", 8},
    {"split=numbers", 10},
    {"split=letters", 10},
    {"overlap_p2p_comm=true", 10},
    {"overlap_p2p_comm=false", 10},
    {"tie_word_embeddings=true", 10},
    {"tie_word_embeddings=false", 10},
    {"recompute_granularity=selective", 10},
    {"recompute_granularity=full", 10},
    {"data_parallel_sharding_strategy=no_shard", 10},
    {"data_parallel_sharding_strategy=optim", 10},
    {"data_parallel_sharding_strategy=optim_grads", 10},
    {"data_parallel_sharding_strategy=optim_grads_params", 10},
    {"hsdp=true", 10},
    {"reshard_after_forward=true", 10},
    {"reshard_after_forward=false", 10},
    {"overlap_param_gather=true", 10},
    {"overlap_param_gather=false", 10},
    {"overlap_grad_reduce=true", 10},
    {"overlap_grad_reduce=false", 10},
    {"ddp_bucket_scheme=megatron", 10},
    {"ddp_bucket_scheme=pytorch", 10},
    {"ddp_bucket_scheme=deepspeed", 10},
    {"ddp_bucket_scheme=none", 10},
    {"grad_reduce_dtype=bf16", 10},
    {"grad_reduce_dtype=fp16", 10},
    {"grad_reduce_dtype=fp32", 10},
    {"moe_token_dispatcher_type=alltoall", 10},
    {"moe_token_dispatcher_type=allgather", 10},
    {"moe_token_dispatcher_type=flex", 8},
    {"moe_dispatch_dtype=fp8", 10},
    {"skew=true", 10},
    {"capacity=true", 10},
    {"pad=true", 5},
    {"moe_shared_expert_overlap=true", 10},
    {"node_limited=true", 5},
    {"dense_layers=true", 10},
    {"experts=cut as the rest", 10},
    {"experts=whole", 10},
    {"experts=cut otherwise", 8},
    {"expert_data_parallel=true", 10},
};

/** @return an exception's message, or "". */
std::string
Try(const std::function<void()>& call)
{
    try
    {
        call();
    }
    catch (const std::exception& error)
    {
        return error.what();
    }
    return "";
}

/** Everything that holds for every pair. */
class RandomLayoutsHoldWhatTheyPromise : public TestCase
{
  public:
    RandomLayoutsHoldWhatTheyPromise()
        : TestCase("200 random models and layouts over all options: closed form and emitted bytes "
                   "agree by rank, pair and dimension, sends meet receives, and every program "
                   "runs to its end in any order of ranks")
    {
    }

  private:
    /** @return what is wrong; empty: nothing. */
    std::string Check(const RandomStep& one)
    {
        const TrainingStep step = one.Make();
        RandomPlanner planner(one.seed);
        ClosedFormCheck check(step, planner, one.ranksPerServer);
        const std::string difference = check.Run(one.seed);
        if (!difference.empty())
        {
            return difference;
        }
        for (const auto& [name, count] : planner.GetChosen())
        {
            m_algorithms[name] += count;
        }
        uint64_t announced = 0;
        for (uint32_t rank = 0; rank < step.GetWorldSize(); ++rank)
        {
            announced += step.CountOperations(rank);
        }
        WorkloadChecker checker(step);
        for (const auto order : {WorkloadChecker::Order::LOWEST_FIRST,
                                 WorkloadChecker::Order::HIGHEST_FIRST,
                                 WorkloadChecker::Order::SHUFFLED})
        {
            checker.SetOrder(order);
            if (checker.Run(1, one.seed + PAIRS) != announced)
            {
                return "another number of operations in another order";
            }
        }
        return "";
    }

    void DoRun() override
    {
        std::map<std::string, uint64_t> covered;
        for (uint64_t seed = 1; seed <= PAIRS; ++seed)
        {
            const RandomStep one = RandomStepMaker(seed).Draw();
            std::string wrong;
            const std::string thrown = Try([&] { wrong = Check(one); });
            NS_TEST_ASSERT_MSG_EQ(thrown + wrong, "", one.Describe());
            for (const auto& option : one.ListOptions())
            {
                ++covered[option];
            }
        }
        for (const auto& [option, least] : WANTED)
        {
            NS_TEST_EXPECT_MSG_GT_OR_EQ(covered[option], least, "pairs with " << option);
        }
        for (const auto& name : CollectiveSelector().GetNames())
        {
            NS_TEST_EXPECT_MSG_GT_OR_EQ(m_algorithms[name], 10, "collectives by " << name);
        }
    }

    std::map<std::string, uint64_t> m_algorithms; //!< collectives by name of algorithm
};

/** A way to make a pair illegal. */
struct Fault
{
    std::string what;              //!< label
    std::vector<std::string> keys; //!< the message names one of them
    /** Spoils a pair. @return false if it cannot be spoilt so. */
    std::function<bool(RandomStep&)> spoil;
};

/** Sets something. @return a fault that is always possible. */
template <typename F>
Fault
Set(const std::string& what, const std::vector<std::string>& keys, F change)
{
    return {what, keys, [change](RandomStep& one) {
                change(one);
                return true;
            }};
}

/** Sets something if. @return the fault. */
template <typename C, typename F>
Fault
SetIf(const std::string& what, const std::vector<std::string>& keys, C condition, F change)
{
    return {what, keys, [condition, change](RandomStep& one) {
                const bool possible = condition(one);
                if (possible)
                {
                    change(one);
                }
                return possible;
            }};
}

bool
HasExperts(const RandomStep& one)
{
    return one.model.num_experts > 0;
}

bool
IsDense(const RandomStep& one)
{
    return one.model.num_experts == 0;
}

bool
IsCut(const RandomStep& one)
{
    return one.parallel.tensor_model_parallel_size > 1;
}

bool
IsPiped(const RandomStep& one)
{
    return one.parallel.pipeline_model_parallel_size > 1;
}

bool
IsDualPipe(const RandomStep& one)
{
    return one.parallel.pipeline_schedule == "dualpipe";
}

/** @return what is refused about sizes and ranks. */
std::vector<Fault>
ListLayoutFaults()
{
    return {
        Set("TP 0",
            {"tensor_model_parallel_size"},
            [](RandomStep& one) { one.parallel.tensor_model_parallel_size = 0; }),
        Set("CP 0",
            {"context_parallel_size"},
            [](RandomStep& one) { one.parallel.context_parallel_size = 0; }),
        Set("PP 0",
            {"pipeline_model_parallel_size"},
            [](RandomStep& one) { one.parallel.pipeline_model_parallel_size = 0; }),
        Set("EP 0",
            {"expert_model_parallel_size"},
            [](RandomStep& one) { one.parallel.expert_model_parallel_size = 0; }),
        Set("VPP 0",
            {"virtual_pipeline_model_parallel_size"},
            [](RandomStep& one) { one.parallel.virtual_pipeline_model_parallel_size = 0; }),
        Set("no instances",
            {"num_distributed_optimizer_instances"},
            [](RandomStep& one) { one.parallel.num_distributed_optimizer_instances = 0; }),
        Set("multiple of 0",
            {"make_vocab_size_divisible_by"},
            [](RandomStep& one) { one.parallel.make_vocab_size_divisible_by = 0; }),
        Set("2^33 ranks",
            {"data_parallel_size"},
            [](RandomStep& one) {
                one.parallel.data_parallel_size = 0xffffffff;
                one.parallel.tensor_model_parallel_size = 2;
            }),
        Set("too many ranks",
            {"data_parallel_size", "expert_model_parallel_size"},
            [](RandomStep& one) { one.parallel.data_parallel_size = 0xffffffff; }),
        Set("other world",
            {"data_parallel_size"},
            [](RandomStep& one) {
                one.worldSize = ParallelLayout(one.parallel).GetWorldSize() + 1;
            }),
        SetIf("world of no whole replica",
              {"tensor_model_parallel_size"},
              IsCut,
              [](RandomStep& one) {
                  one.worldSize = ParallelLayout(one.parallel).GetWorldSize() + 1;
                  one.parallel.data_parallel_size = 0;
              }),
        Set("unknown axis",
            {"rank_order"},
            [](RandomStep& one) { one.parallel.rank_order += "-xp"; }),
        Set("axis twice",
            {"rank_order"},
            [](RandomStep& one) { one.parallel.rank_order += "-tp"; }),
        SetIf("axis lacking",
              {"rank_order"},
              IsPiped,
              [](RandomStep& one) { one.parallel.rank_order = "tp-cp-ep-dp"; }),
        Set("line break",
            {"rank_order"},
            [](RandomStep& one) { one.parallel.rank_order = "tp\ncp-ep-dp-pp"; }),
        Set("unknown CP",
            {"cp_comm_type"},
            [](RandomStep& one) { one.parallel.cp_comm_type = "ring\r\n"; }),
        Set("parts of a ring",
            {"hierarchical_context_parallel_size"},
            [](RandomStep& one) {
                one.parallel.cp_comm_type = "p2p";
                one.parallel.hierarchical_context_parallel_size = 1;
            }),
        Set("no parts",
            {"hierarchical_context_parallel_size"},
            [](RandomStep& one) {
                one.parallel.cp_comm_type = "a2a+p2p";
                one.parallel.hierarchical_context_parallel_size = 0;
            }),
        Set("other parts",
            {"hierarchical_context_parallel_size"},
            [](RandomStep& one) {
                one.parallel.cp_comm_type = "a2a+p2p";
                one.parallel.hierarchical_context_parallel_size =
                    one.parallel.context_parallel_size + 1;
            }),
        SetIf(
            "too few heads",
            {"context_parallel_size"},
            [](const RandomStep& one) { return one.parallel.context_parallel_size > 1; },
            [](RandomStep& one) {
                one.parallel.cp_comm_type = "a2a";
                one.parallel.hierarchical_context_parallel_size = 0;
                one.model.num_attention_heads = one.parallel.tensor_model_parallel_size;
                one.model.num_key_value_heads = 0;
            }),
        Set("instances of parts",
            {"num_distributed_optimizer_instances"},
            [](RandomStep& one) {
                one.parallel.num_distributed_optimizer_instances =
                    2 * one.parallel.data_parallel_size * one.parallel.context_parallel_size + 1;
            }),
    };
}

/** @return what is refused about pipelines. */
std::vector<Fault>
ListPipelineFaults()
{
    return {
        Set("unknown schedule",
            {"pipeline_schedule"},
            [](RandomStep& one) { one.parallel.pipeline_schedule = "1f1"; }),
        SetIf("chunks of gpipe",
              {"virtual_pipeline_model_parallel_size"},
              IsPiped,
              [](RandomStep& one) {
                  one.parallel.pipeline_schedule = "gpipe";
                  one.parallel.virtual_pipeline_model_parallel_size = 2;
              }),
        Set("odd dualpipe",
            {"pipeline_schedule"},
            [](RandomStep& one) {
                one.parallel.pipeline_schedule = "dualpipe";
                one.parallel.virtual_pipeline_model_parallel_size = 1;
                one.parallel.pipeline_model_parallel_size = 5;
            }),
        SetIf("few for dualpipe",
              {"global_batch_size"},
              IsDualPipe,
              [](RandomStep& one) {
                  one.training.global_batch_size =
                      one.training.micro_batch_size * one.parallel.data_parallel_size *
                      (2 * one.parallel.pipeline_model_parallel_size - 1);
              }),
        SetIf("odd for dualpipe",
              {"global_batch_size"},
              IsDualPipe,
              [](RandomStep& one) {
                  one.training.global_batch_size +=
                      one.training.micro_batch_size * one.parallel.data_parallel_size;
              }),
        SetIf(
            "no multiple for chunks",
            {"global_batch_size"},
            [](const RandomStep& one) {
                return one.parallel.virtual_pipeline_model_parallel_size > 1;
            },
            [](RandomStep& one) {
                one.training.global_batch_size +=
                    one.training.micro_batch_size * one.parallel.data_parallel_size;
            }),
        SetIf(
            "layers left",
            {"pipeline_model_parallel_size", "pipeline_model_parallel_layout"},
            [](const RandomStep& one) { return IsPiped(one) && one.split != "ends"; },
            [](RandomStep& one) { ++one.model.num_hidden_layers; }),
        Set("stage more",
            {"pipeline_model_parallel_layout"},
            [](RandomStep& one) {
                one.parallel.decoder_first_pipeline_num_layers = 0;
                one.parallel.decoder_last_pipeline_num_layers = 0;
                one.parallel.pipeline_model_parallel_layout = "1";
                const uint32_t stages = one.parallel.pipeline_model_parallel_size *
                                        one.parallel.virtual_pipeline_model_parallel_size;
                for (uint32_t stage = 0; stage < stages; ++stage)
                {
                    one.parallel.pipeline_model_parallel_layout += ",1";
                }
            }),
        Set("unreadable layout",
            {"pipeline_model_parallel_layout"},
            [](RandomStep& one) {
                one.parallel.decoder_first_pipeline_num_layers = 0;
                one.parallel.decoder_last_pipeline_num_layers = 0;
                one.parallel.pipeline_model_parallel_layout = "Et*4|\n(tt";
            }),
        SetIf(
            "ends and layout",
            {"decoder_first_pipeline_num_layers"},
            [](const RandomStep& one) { return one.split == "numbers" || one.split == "letters"; },
            [](RandomStep& one) { one.parallel.decoder_first_pipeline_num_layers = 1; }),
        SetIf(
            "ends above all",
            {"decoder_first_pipeline_num_layers"},
            [](const RandomStep& one) { return one.split == "even" && IsPiped(one); },
            [](RandomStep& one) {
                one.parallel.decoder_first_pipeline_num_layers = 0xffffffff;
                one.parallel.decoder_last_pipeline_num_layers = 0xffffffff;
            }),
    };
}

/** @return what is refused about models. */
std::vector<Fault>
ListModelFaults()
{
    return {
        Set("no words", {"vocab_size"}, [](RandomStep& one) { one.model.vocab_size = 0; }),
        Set("no width", {"hidden_size"}, [](RandomStep& one) { one.model.hidden_size = 0; }),
        Set("no layers",
            {"num_hidden_layers"},
            [](RandomStep& one) { one.model.num_hidden_layers = 0; }),
        Set("no heads",
            {"num_attention_heads"},
            [](RandomStep& one) { one.model.num_attention_heads = 0; }),
        SetIf("heads left",
              {"num_key_value_heads", "tensor_model_parallel_size"},
              IsCut,
              [](RandomStep& one) { ++one.model.num_attention_heads; }),
        SetIf(
            "MLP columns left",
            {"tensor_model_parallel_size"},
            [](const RandomStep& one) {
                return IsCut(one) && one.model.CountMoeLayers() < one.model.num_hidden_layers &&
                       one.model.intermediate_size > 0;
            },
            [](RandomStep& one) { ++one.model.intermediate_size; }),
        Set("heads of no width",
            {"num_attention_heads", "head_dim"},
            [](RandomStep& one) {
                one.model.kv_lora_rank = 0;
                one.model.q_lora_rank = 0;
                one.model.qk_nope_head_dim = 0;
                one.model.qk_rope_head_dim = 0;
                one.model.v_head_dim = 0;
                one.model.head_dim = 0;
                one.model.hidden_size = one.model.num_attention_heads * 16 + 1;
                one.model.num_attention_heads *= 2;
            }),
        Set("half of MLA",
            {"kv_lora_rank", "qk_nope_head_dim"},
            [](RandomStep& one) {
                one.model.kv_lora_rank = 0;
                one.model.q_lora_rank = 6;
            }),
        Set("too large",
            {"hidden_size", "vocab_size"},
            [](RandomStep& one) { one.model.hidden_size = 1ULL << 32; }),
        SetIf("too many chosen",
              {"num_experts_per_tok"},
              HasExperts,
              [](RandomStep& one) { one.model.num_experts_per_tok = one.model.num_experts + 1; }),
        SetIf("groups left",
              {"n_group"},
              HasExperts,
              [](RandomStep& one) { one.model.n_group = one.model.num_experts + 1; }),
        SetIf("too many groups",
              {"topk_group"},
              HasExperts,
              [](RandomStep& one) { one.model.topk_group = one.model.n_group + 1; }),
        SetIf("every 0th layer",
              {"moe_layer_freq"},
              HasExperts,
              [](RandomStep& one) { one.model.moe_layer_freq = 0; }),
        SetIf(
            "no layer with experts",
            {"num_experts"},
            HasExperts,
            [](RandomStep& one) { one.model.first_k_dense_replace = one.model.num_hidden_layers; }),
        SetIf("no such layer",
              {"mlp_only_layers"},
              HasExperts,
              [](RandomStep& one) { one.model.mlp_only_layers = {one.model.num_hidden_layers}; }),
        SetIf("width of no experts",
              {"moe_intermediate_size", "expert_model_parallel_size"},
              IsDense,
              [](RandomStep& one) { one.model.moe_intermediate_size = 4; }),
    };
}

/** @return what is refused about training. */
std::vector<Fault>
ListTrainingFaults()
{
    return {
        Set("no sequences",
            {"micro_batch_size"},
            [](RandomStep& one) { one.training.micro_batch_size = 0; }),
        Set("half a microbatch",
            {"global_batch_size"},
            [](RandomStep& one) {
                one.training.micro_batch_size = 3;
                one.training.global_batch_size = 3 * one.parallel.data_parallel_size + 1;
            }),
        SetIf(
            "tokens left",
            {"seq_length"},
            [](const RandomStep& one) {
                return ParallelLayout(one.parallel).GetSequenceDivisor() > 1;
            },
            [](RandomStep& one) {
                one.training.seq_length =
                    1 + static_cast<uint32_t>(ParallelLayout(one.parallel).GetSequenceDivisor());
            }),
        Set("beyond the positions",
            {"seq_length"},
            [](RandomStep& one) {
                one.model.learned_positions = true;
                one.model.max_position_embeddings = 1;
                one.training.seq_length = 4096 * 3;
            }),
        Set("no length",
            {"seq_length"},
            [](RandomStep& one) {
                one.model.learned_positions = false;
                one.model.max_position_embeddings = 0;
                one.training.seq_length = 0;
            }),
        Set("activations above all",
            {"micro_batch_size"},
            [](RandomStep& one) {
                one.model.learned_positions = false;
                one.training.micro_batch_size = 1U << 30;
                one.training.global_batch_size = 0;
                one.training.seq_length = 1U << 26;
                one.parallel.tensor_model_parallel_size = 1;
                one.parallel.expert_model_parallel_size = 1;
                one.parallel.expert_tensor_parallel_size = 0;
                one.parallel.context_parallel_size = 1;
                one.parallel.cp_comm_type = "p2p";
                one.parallel.hierarchical_context_parallel_size = 0;
                one.parallel.data_parallel_size = 1;
                one.parallel.num_distributed_optimizer_instances = 1;
                one.parallel.pipeline_schedule = "gpipe";
                one.parallel.pipeline_model_parallel_size = 1;
                one.parallel.virtual_pipeline_model_parallel_size = 1;
                one.parallel.pipeline_model_parallel_layout.clear();
                one.parallel.decoder_first_pipeline_num_layers = 0;
                one.parallel.decoder_last_pipeline_num_layers = 0;
            }),
        Set("too many experts",
            {"num_experts"},
            [](RandomStep& one) { one.model.num_experts = 1ULL << 31; }),
        SetIf(
            "too many stages",
            {"pipeline_model_parallel_size"},
            [](const RandomStep& one) {
                return one.split == "even" && IsPiped(one) &&
                       one.parallel.virtual_pipeline_model_parallel_size == 1 &&
                       one.parallel.tensor_model_parallel_size *
                               one.parallel.context_parallel_size *
                               one.parallel.data_parallel_size <=
                           16;
            },
            [](RandomStep& one) { one.parallel.pipeline_model_parallel_size = 1U << 20; }),
        Set("unknown type",
            {"params_dtype"},
            [](RandomStep& one) { one.training.params_dtype = "fp\n8"; }),
        Set("unknown type of gradients",
            {"grad_reduce_dtype"},
            [](RandomStep& one) { one.training.grad_reduce_dtype = ""; }),
        Set("unknown buckets",
            {"ddp_bucket_scheme"},
            [](RandomStep& one) { one.training.ddp_bucket_scheme = "horovod"; }),
        Set("no bucket",
            {"bucket_cap_mb"},
            [](RandomStep& one) { one.training.bucket_cap_mb = 0; }),
        Set("unknown sharding",
            {"data_parallel_sharding_strategy"},
            [](RandomStep& one) { one.training.data_parallel_sharding_strategy = "zero4"; }),
        Set("nothing to reshard",
            {"reshard_after_forward"},
            [](RandomStep& one) {
                one.training.data_parallel_sharding_strategy = "optim";
                one.training.reshard_after_forward = false;
            }),
        SetIf(
            "instances of nothing",
            {"data_parallel_sharding_strategy"},
            [](const RandomStep& one) {
                return one.parallel.num_distributed_optimizer_instances > 1;
            },
            [](RandomStep& one) {
                one.training.data_parallel_sharding_strategy = "no_shard";
                one.training.reshard_after_forward = true;
            }),
        SetIf(
            "instances of dualpipe",
            {"data_parallel_sharding_strategy"},
            [](const RandomStep& one) {
                return IsDualPipe(one) && IsDense(one) && one.parallel.data_parallel_size > 1 &&
                       one.training.data_parallel_sharding_strategy != "no_shard";
            },
            [](RandomStep& one) {
                one.parallel.num_distributed_optimizer_instances = one.parallel.data_parallel_size;
            }),
        SetIf(
            "overlap of all-reduces",
            {"tp_comm_overlap"},
            [](const RandomStep& one) { return IsCut(one) && !one.parallel.sequence_parallel; },
            [](RandomStep& one) { one.training.tp_comm_overlap = true; }),
        Set("unknown recomputation",
            {"recompute_granularity"},
            [](RandomStep& one) { one.training.recompute_granularity = "some"; }),
        Set("layers of no recomputation",
            {"recompute_num_layers"},
            [](RandomStep& one) {
                one.training.recompute_granularity = "selective";
                one.training.recompute_num_layers = 1;
            }),
    };
}

/** @return what is refused about experts. */
std::vector<Fault>
ListExpertFaults()
{
    const auto flex = [](const RandomStep& one) {
        return one.training.moe_token_dispatcher_type == "flex";
    };
    return {
        SetIf(
            "EP of no experts",
            {"expert_model_parallel_size"},
            [](const RandomStep& one) {
                return IsDense(one) && one.parallel.data_parallel_size > 1;
            },
            [](RandomStep& one) {
                one.parallel.expert_model_parallel_size = one.parallel.data_parallel_size;
                one.parallel.rank_order = "tp-cp-ep-dp-pp";
            }),
        SetIf("ETP of no experts",
              {"expert_tensor_parallel_size"},
              IsDense,
              [](RandomStep& one) {
                  one.parallel.expert_tensor_parallel_size = 1;
                  one.parallel.rank_order = "tp-cp-ep-dp-pp";
              }),
        Set("EP beyond the stage",
            {"expert_model_parallel_size"},
            [](RandomStep& one) { one.parallel.expert_model_parallel_size = 67; }),
        SetIf(
            "experts left",
            {"expert_model_parallel_size", "num_experts", "n_group"},
            [](const RandomStep& one) {
                return HasExperts(one) && one.parallel.expert_model_parallel_size > 1;
            },
            [](RandomStep& one) { ++one.model.num_experts; }),
        SetIf(
            "columns of experts left",
            {"expert_tensor_parallel_size"},
            [](const RandomStep& one) {
                return HasExperts(one) && one.parallel.expert_tensor_parallel_size > 1;
            },
            [](RandomStep& one) {
                one.model.moe_intermediate_size = one.parallel.expert_tensor_parallel_size * 4 + 1;
            }),
        SetIf(
            "columns of shared experts left",
            {"tensor_model_parallel_size"},
            [](const RandomStep& one) { return HasExperts(one) && IsCut(one); },
            [](RandomStep& one) {
                one.model.shared_expert_intermediate_size =
                    one.parallel.tensor_model_parallel_size * 4 + 1;
            }),
        SetIf(
            "tokens routed twice",
            {"sequence_parallel", "tp_comm_overlap"},
            [](const RandomStep& one) { return HasExperts(one) && IsCut(one); },
            [](RandomStep& one) { one.parallel.sequence_parallel = false; }),
        Set("unknown dispatcher",
            {"moe_token_dispatcher_type"},
            [](RandomStep& one) { one.training.moe_token_dispatcher_type = "deep\nep"; }),
        Set("unknown type of tokens",
            {"moe_dispatch_dtype"},
            [](RandomStep& one) { one.training.moe_dispatch_dtype = "int4"; }),
        SetIf(
            "gathered fp8",
            {"moe_dispatch_dtype"},
            [](const RandomStep& one) {
                return one.training.moe_token_dispatcher_type == "allgather";
            },
            [](RandomStep& one) { one.training.moe_dispatch_dtype = "fp8"; }),
        Set("negative skew",
            {"moe_expert_skew"},
            [](RandomStep& one) { one.training.moe_expert_skew = -0.5; }),
        Set("no skew",
            {"moe_expert_skew"},
            [](RandomStep& one) {
                one.training.moe_expert_skew = std::numeric_limits<double>::quiet_NaN();
            }),
        Set("endless capacity",
            {"moe_expert_capacity_factor"},
            [](RandomStep& one) {
                one.training.moe_expert_capacity_factor = std::numeric_limits<double>::infinity();
            }),
        Set("padding to nothing",
            {"moe_pad_expert_input_to_capacity"},
            [](RandomStep& one) {
                one.training.moe_expert_capacity_factor = 0;
                one.training.moe_pad_expert_input_to_capacity = true;
            }),
        SetIf(
            "overlap of no shared experts",
            {"moe_shared_expert_overlap"},
            [](const RandomStep& one) { return !one.model.shared_expert_gate; },
            [](RandomStep& one) {
                one.model.shared_expert_intermediate_size = 0;
                one.training.moe_shared_expert_overlap = true;
            }),
        SetIf("padded flex",
              {"moe_token_dispatcher_type"},
              flex,
              [](RandomStep& one) {
                  one.training.moe_expert_capacity_factor = 1;
                  one.training.moe_pad_expert_input_to_capacity = true;
              }),
        SetIf("flex without nodes",
              {"moe_ranks_per_node"},
              flex,
              [](RandomStep& one) { one.training.moe_ranks_per_node = 0; }),
    };
}

/** Whatever does not fit is refused. */
class MisfitsAreRefusedInOneLine : public TestCase
{
  public:
    MisfitsAreRefusedInOneLine()
        : TestCase("random models and layouts that do not fit are refused in one line that names "
                   "the key")
    {
    }

  private:
    /** @return what is wrong with the refusal; empty: nothing. */
    static std::string Judge(const RandomStep& one, const Fault& fault)
    {
        try
        {
            one.Make();
        }
        catch (const ConfigError& error)
        {
            const std::string line = error.what();
            if (line.find_first_of("\r\n") != std::string::npos)
            {
                return "more than one line: " + line;
            }
            for (const auto& key : fault.keys)
            {
                if (error.GetPath().find(key) != std::string::npos)
                {
                    return "";
                }
            }
            return "another key: " + line;
        }
        catch (const std::exception& error)
        {
            return std::string("another exception: ") + error.what();
        }
        return "nothing is refused";
    }

    void DoRun() override
    {
        std::vector<Fault> faults;
        for (const auto& list : {ListLayoutFaults(),
                                 ListPipelineFaults(),
                                 ListModelFaults(),
                                 ListTrainingFaults(),
                                 ListExpertFaults()})
        {
            faults.insert(faults.end(), list.begin(), list.end());
        }
        std::map<std::string, uint64_t> refused;
        for (uint64_t seed = 1; seed <= PAIRS; ++seed)
        {
            for (const auto& fault : faults)
            {
                RandomStep one = RandomStepMaker(seed).Draw();
                if (!fault.spoil(one))
                {
                    continue;
                }
                ++refused[fault.what];
                NS_TEST_EXPECT_MSG_EQ(Judge(one, fault), "", fault.what << ": " << one.Describe());
            }
        }
        for (const auto& fault : faults)
        {
            NS_TEST_EXPECT_MSG_GT_OR_EQ(refused[fault.what], 3, fault.what);
        }
    }
};

/** The suite. */
class RandomLayoutsTestSuite : public TestSuite
{
  public:
    RandomLayoutsTestSuite()
        : TestSuite("llm-training-workload-random-layouts", Type::UNIT)
    {
        AddTestCase(new RandomLayoutsHoldWhatTheyPromise, llm::TestDuration::QUICK);
        AddTestCase(new MisfitsAreRefusedInOneLine, llm::TestDuration::QUICK);
    }
};

const RandomLayoutsTestSuite g_randomLayoutsTestSuite; //!< registers the suite

} // namespace

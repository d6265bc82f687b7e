/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-training-workload-expect.h"

#include "ns3/llm-config-error.h"
#include "ns3/llm-gradient-buckets.h"
#include "ns3/llm-parallel-layout.h"
#include "ns3/llm-training-compat.h"
#include "ns3/test.h"

#include <algorithm>
#include <set>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

using Ranks = std::vector<uint32_t>;

/** @return a small model that 2, 4 and 8 divide. */
ModelConfig
MakeModel(uint64_t layers)
{
    ModelConfig model;
    model.SetFamily("llama");
    model.vocab_size = 1000;
    model.hidden_size = 64;
    model.num_hidden_layers = layers;
    model.num_attention_heads = 8;
    model.num_key_value_heads = 4;
    model.intermediate_size = 96;
    model.Validate();
    return model;
}

/** @return a config with t and p. */
ParallelConfig
MakeConfig(uint32_t t, uint32_t p)
{
    ParallelConfig config;
    config.tensor_model_parallel_size = t;
    config.pipeline_model_parallel_size = p;
    return config;
}

/** TP 4, PP 2 on 32 ranks. */
class GroupsOfTheDefaultOrder : public TestCase
{
  public:
    GroupsOfTheDefaultOrder()
        : TestCase("TP 4, PP 2 on 32 ranks: data parallel 4, eight groups of four, next stage 16")
    {
    }

  private:
    void DoRun() override
    {
        const ParallelLayout layout(MakeConfig(4, 2), 32);
        NS_TEST_EXPECT_MSG_EQ(layout.GetSize(ParallelAxis::DP), 4, "d");
        NS_TEST_EXPECT_MSG_EQ(layout.GetConfig().data_parallel_size, 4, "d");
        NS_TEST_EXPECT_MSG_EQ(layout.GetGroupCount("dp"), 8, "groups");
        const auto groupOf = [&layout](const char* kind, uint32_t rank) {
            return layout.GetGroup(kind, layout.GetGroupIndex(kind, rank));
        };
        NS_TEST_EXPECT_MSG_EQ((groupOf("dp", 0) == Ranks{0, 4, 8, 12}), true, "dp of 0");
        NS_TEST_EXPECT_MSG_EQ((groupOf("dp", 16) == Ranks{16, 20, 24, 28}), true, "dp of 16");
        NS_TEST_EXPECT_MSG_EQ((groupOf("tp", 6) == Ranks{4, 5, 6, 7}), true, "tp of 6");
        NS_TEST_EXPECT_MSG_EQ((groupOf("pp", 0) == Ranks{0, 16}), true, "next stage of 0");
        NS_TEST_EXPECT_MSG_EQ((groupOf("embd", 17) == Ranks{1, 17}), true, "ends");
        NS_TEST_EXPECT_MSG_EQ((groupOf("tp-pp", 0) == Ranks{0, 1, 2, 3, 16, 17, 18, 19}),
                              true,
                              "model parallel");
        NS_TEST_EXPECT_MSG_EQ(layout.GetGroupRank("dp", 24), 2, "third of its group");

        // Llama 3's order puts the pipeline inside data parallelism.
        ParallelConfig config = MakeConfig(4, 2);
        config.rank_order = "tp-cp-ep-pp-dp";
        const ParallelLayout other(config, 32);
        NS_TEST_EXPECT_MSG_EQ((other.GetGroup("pp", 0) == Ranks{0, 4}), true, "next stage");
        NS_TEST_EXPECT_MSG_EQ((other.GetGroup("dp", 0) == Ranks{0, 8, 16, 24}), true, "dp");
    }
};

/** What Megatron-Core's own documentation of initialize_model_parallel lists. */
class GroupsAreThoseOfMegatronsManual : public TestCase
{
  public:
    GroupsAreThoseOfMegatronsManual()
        : TestCase("groups of Megatron-Core's documentation: TP 2 x PP 4 on 16, TP 4 x CP 2 on 8, "
                   "parts of a context-parallel group of 16")
    {
    }

  private:
    void Expect(const ParallelLayout& layout,
                const std::string& kind,
                const std::vector<Ranks>& expected)
    {
        NS_TEST_ASSERT_MSG_EQ(layout.GetGroupCount(kind), expected.size(), kind);
        for (uint32_t index = 0; index < expected.size(); ++index)
        {
            NS_TEST_EXPECT_MSG_EQ((layout.GetGroup(kind, index) == expected[index]), true, kind);
        }
    }

    void DoRun() override
    {
        const ParallelLayout deep(MakeConfig(2, 4), 16);
        Expect(deep, "dp", {{0, 2}, {1, 3}, {4, 6}, {5, 7}, {8, 10}, {9, 11}, {12, 14}, {13, 15}});
        Expect(deep, "tp", {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {8, 9}, {10, 11}, {12, 13}, {14, 15}});
        Expect(deep, "pp", {{0, 4, 8, 12}, {1, 5, 9, 13}, {2, 6, 10, 14}, {3, 7, 11, 15}});

        ParallelConfig config = MakeConfig(4, 1);
        config.context_parallel_size = 2;
        const ParallelLayout wide(config, 8);
        Expect(wide, "cp", {{0, 4}, {1, 5}, {2, 6}, {3, 7}});
        Expect(wide, "dp-cp", {{0, 4}, {1, 5}, {2, 6}, {3, 7}});

        config = MakeConfig(1, 1);
        config.context_parallel_size = 16;
        config.cp_comm_type = "a2a+p2p";
        config.hierarchical_context_parallel_size = 4;
        const ParallelLayout parts(config, 16);
        Expect(parts, "cp-a2a", {{0, 1, 2, 3}, {4, 5, 6, 7}, {8, 9, 10, 11}, {12, 13, 14, 15}});
        Expect(parts, "cp-p2p", {{0, 4, 8, 12}, {1, 5, 9, 13}, {2, 6, 10, 14}, {3, 7, 11, 15}});

        // Megatron-Core's generate_masked_orthogonal_rank_groups: sizes [2, 3, 4], middle axis.
        config = MakeConfig(2, 4);
        config.data_parallel_size = 3;
        const ParallelLayout odd(config);
        NS_TEST_EXPECT_MSG_EQ((odd.GetGroup("dp", 0) == Ranks{0, 2, 4}), true, "dp group 0");
        NS_TEST_EXPECT_MSG_EQ((odd.GetGroup("dp", 1) == Ranks{1, 3, 5}), true, "dp group 1");
        NS_TEST_EXPECT_MSG_EQ((odd.GetGroup("dp", 7) == Ranks{19, 21, 23}), true, "dp group 7");
    }
};

/** The second grid. */
class ExpertsHaveAGridOfTheirOwn : public TestCase
{
  public:
    ExpertsHaveAGridOfTheirOwn()
        : TestCase("the ranks of a stage are cut a second time for the experts; data-parallel "
                   "groups have parts for HSDP")
    {
    }

  private:
    void DoRun() override
    {
        // Folded: attention TP 2 x CP 2 x DP 2, experts ETP 1 x EP 4 x EDP 2, PP 2.
        ParallelConfig config = MakeConfig(2, 2);
        config.context_parallel_size = 2;
        config.expert_model_parallel_size = 4;
        config.expert_tensor_parallel_size = 1;
        const ParallelLayout folded(config, 16);
        const auto groupOf = [](const ParallelLayout& layout, const char* kind, uint32_t rank) {
            return layout.GetGroup(kind, layout.GetGroupIndex(kind, rank));
        };
        NS_TEST_EXPECT_MSG_EQ(folded.GetSize(ParallelAxis::DP), 2, "d");
        NS_TEST_EXPECT_MSG_EQ(folded.GetSize(ParallelAxis::EDP), 2, "edp");
        NS_TEST_EXPECT_MSG_EQ((groupOf(folded, "ep", 0) == Ranks{0, 1, 2, 3}), true, "ep of 0");
        NS_TEST_EXPECT_MSG_EQ((groupOf(folded, "ep", 14) == Ranks{12, 13, 14, 15}), true, "ep");
        NS_TEST_EXPECT_MSG_EQ((groupOf(folded, "edp", 1) == Ranks{1, 5}), true, "edp of 1");
        NS_TEST_EXPECT_MSG_EQ((groupOf(folded, "etp", 1) == Ranks{1}), true, "etp of 1");
        NS_TEST_EXPECT_MSG_EQ((groupOf(folded, "dp-cp", 0) == Ranks{0, 2, 4, 6}), true, "dp-cp");
        NS_TEST_EXPECT_MSG_EQ((groupOf(folded, "tp-cp", 5) == Ranks{4, 5, 6, 7}), true, "tp-cp");
        NS_TEST_EXPECT_MSG_EQ((groupOf(folded, "ep-pp", 0) == Ranks{0, 1, 2, 3, 8, 9, 10, 11}),
                              true,
                              "experts of a model");

        // Megatron's default: expert tensor parallelism as wide as t.
        config.expert_tensor_parallel_size = 0;
        const ParallelLayout wide(config, 16);
        NS_TEST_EXPECT_MSG_EQ(wide.GetSize(ParallelAxis::ETP), 2, "et");
        NS_TEST_EXPECT_MSG_EQ(wide.GetSize(ParallelAxis::EDP), 1, "edp");
        NS_TEST_EXPECT_MSG_EQ((groupOf(wide, "ep", 1) == Ranks{1, 3, 5, 7}), true, "ep of 1");
        NS_TEST_EXPECT_MSG_EQ((groupOf(wide, "etp", 1) == Ranks{0, 1}), true, "etp of 1");
        NS_TEST_EXPECT_MSG_EQ(wide.GetGroupSize("etp-ep"), 8, "all of a stage");

        // DeepSeek-V3: PP 16, EP 64 over 8 nodes, no tensor parallelism, 2048 ranks.
        config = MakeConfig(1, 16);
        config.expert_model_parallel_size = 64;
        const ParallelLayout deepseek(config, 2048);
        NS_TEST_EXPECT_MSG_EQ(deepseek.GetSize(ParallelAxis::DP), 128, "d");
        NS_TEST_EXPECT_MSG_EQ(deepseek.GetSize(ParallelAxis::EDP), 2, "edp");
        NS_TEST_EXPECT_MSG_EQ((groupOf(deepseek, "edp", 130) == Ranks{130, 194}), true, "edp");
        NS_TEST_EXPECT_MSG_EQ(groupOf(deepseek, "ep", 200).front(), 192, "ep");

        // HSDP: 2 x 4 of eight replicas.
        config = MakeConfig(2, 1);
        config.data_parallel_size = 8;
        config.num_distributed_optimizer_instances = 2;
        const ParallelLayout hybrid(config);
        NS_TEST_EXPECT_MSG_EQ((groupOf(hybrid, "dp-cp-shard", 9) == Ranks{9, 11, 13, 15}),
                              true,
                              "second part");
        NS_TEST_EXPECT_MSG_EQ((groupOf(hybrid, "dp-cp-replica", 9) == Ranks{1, 9}), true, "across");
        NS_TEST_EXPECT_MSG_EQ(hybrid.GetGroupRank("dp-cp-shard", 13), 2, "third of its part");
        NS_TEST_EXPECT_MSG_EQ(hybrid.GetGroupRank("dp-cp-replica", 13), 1, "in the second part");

        config = MakeConfig(4, 1);
        config.context_parallel_size = 3;
        config.sequence_parallel = true;
        NS_TEST_EXPECT_MSG_EQ(ParallelLayout(config).GetSequenceDivisor(), 12, "3 x 4");
        config.tensor_model_parallel_size = 1;
        NS_TEST_EXPECT_MSG_EQ(ParallelLayout(config).GetSequenceDivisor(), 6, "3 x 2 chunks");
        config.context_parallel_size = 1;
        NS_TEST_EXPECT_MSG_EQ(ParallelLayout(config).GetSequenceDivisor(), 1, "any");
    }
};

/** Any order of the axes. */
class GroupsPartitionTheWorld : public TestCase
{
  public:
    GroupsPartitionTheWorld()
        : TestCase("in every rank order each kind of group has every rank once, and only "
                   "neighbours along its axes")
    {
    }

  private:
    void CheckKind(const ParallelLayout& layout, const std::string& kind)
    {
        std::multiset<uint32_t> seen;
        for (uint32_t index = 0; index < layout.GetGroupCount(kind); ++index)
        {
            const Ranks group = layout.GetGroup(kind, index);
            NS_TEST_ASSERT_MSG_EQ(group.size(), layout.GetGroupSize(kind), "size");
            for (uint32_t member = 0; member < group.size(); ++member)
            {
                seen.insert(group[member]);
                NS_TEST_ASSERT_MSG_EQ(layout.GetGroupIndex(kind, group[member]), index, "index");
                NS_TEST_ASSERT_MSG_EQ(layout.GetGroupRank(kind, group[member]), member, "rank");
            }
        }
        const uint32_t expected = kind == "embd"
                                      ? 2 * layout.GetWorldSize() / layout.GetSize(ParallelAxis::PP)
                                      : layout.GetWorldSize();
        NS_TEST_EXPECT_MSG_EQ(seen.size(), expected, kind);
        const std::set<uint32_t> distinct(seen.begin(), seen.end());
        NS_TEST_EXPECT_MSG_EQ(distinct.size(), expected, kind);
    }

    void DoRun() override
    {
        std::vector<std::string> axes{"cp", "dp", "ep", "pp", "tp"};
        int orders = 0;
        int withExperts = 0;
        do
        {
            std::string order;
            for (const auto& axis : axes)
            {
                order += (order.empty() ? "" : "-") + axis;
            }
            ParallelConfig config = MakeConfig(2, 3);
            config.data_parallel_size = 4;
            config.context_parallel_size = 2;
            config.cp_comm_type = "a2a+p2p";
            config.hierarchical_context_parallel_size = 2;
            config.num_distributed_optimizer_instances = 2;
            config.rank_order = order;
            const ParallelLayout layout(config);
            NS_TEST_ASSERT_MSG_EQ(layout.GetWorldSize(), 48, "world");
            for (uint32_t rank = 0; rank < 48; ++rank)
            {
                NS_TEST_ASSERT_MSG_EQ(layout.GetRank(layout.GetCoordinates(rank)), rank, order);
            }
            for (const char* kind : {"tp",
                                     "dp",
                                     "pp",
                                     "tp-pp",
                                     "tp-dp",
                                     "cp",
                                     "embd",
                                     "dp-cp",
                                     "dp-cp-shard",
                                     "dp-cp-replica",
                                     "dist-opt",
                                     "cp-a2a",
                                     "cp-p2p"})
            {
                CheckKind(layout, kind);
            }
            // With pp last any order will do for the experts; else some do not.
            config.expert_model_parallel_size = 4;
            config.expert_tensor_parallel_size = 1;
            try
            {
                const ParallelLayout experts(config);
                for (const char* kind :
                     {"ep", "etp", "edp", "etp-ep", "ep-pp", "edp-shard", "edp-replica"})
                {
                    CheckKind(experts, kind);
                }
                for (uint32_t rank = 0; rank < 48; ++rank)
                {
                    const Ranks ep = experts.GetGroup("ep", experts.GetGroupIndex("ep", rank));
                    NS_TEST_ASSERT_MSG_EQ(experts.GetCoordinate(ep[3], ParallelAxis::PP),
                                          experts.GetCoordinate(rank, ParallelAxis::PP),
                                          "experts of one layer are on one stage");
                }
                ++withExperts;
            }
            catch (const ConfigError&)
            {
                NS_TEST_EXPECT_MSG_NE(axes.back(), "pp", "with pp last both grids agree");
            }
            ++orders;
        } while (std::next_permutation(axes.begin(), axes.end()));
        NS_TEST_EXPECT_MSG_EQ(orders, 120, "all orders");
        // t c d = 2 x 2 x 4 against et e edp = 1 x 4 x 4: neighbouring stages are equally far apart
        // where the axes before pp are none, all, or such that their products agree.
        NS_TEST_EXPECT_MSG_EQ(withExperts, 60, "orders that the experts can have");
    }
};

/** Groups of DualPipe. */
class TwinsShareTheirGradients : public TestCase
{
  public:
    TwinsShareTheirGradients()
        : TestCase("DualPipe: data-parallel groups have the ranks of both pipeline ranks that hold "
                   "the same stages, whatever the order of ranks")
    {
    }

  private:
    void DoRun() override
    {
        ParallelConfig config = MakeConfig(2, 4);
        config.pipeline_schedule = "dualpipe";
        config.context_parallel_size = 2;
        config.data_parallel_size = 3;
        const std::vector<uint32_t> expected{0, 4, 8, 36, 40, 44};
        NS_TEST_EXPECT_MSG_EQ((ParallelLayout(config).GetGroup("dp", 0) == expected),
                              true,
                              "ranks 0 and 3 of the pipeline");
        for (const char* order : {"tp-cp-ep-dp-pp", "tp-cp-pp-dp", "pp-dp-cp-tp"})
        {
            const bool pipelineIsLast = config.rank_order == order;
            config.rank_order = order;
            const ParallelLayout layout(config);
            for (const std::string kind : {"dp", "dp-cp", "edp", "dp-cp-shard", "tp", "tp-pp"})
            {
                const uint32_t size = layout.GetGroupSize(kind);
                NS_TEST_EXPECT_MSG_EQ(layout.GetGroupCount(kind) * size, 48, kind);
                std::vector<uint32_t> seen(48, 0);
                for (uint32_t index = 0; index < layout.GetGroupCount(kind); ++index)
                {
                    const std::vector<uint32_t> group = layout.GetGroup(kind, index);
                    NS_TEST_ASSERT_MSG_EQ(group.size(), size, kind);
                    std::vector<uint32_t> stages(4, 0);
                    for (uint32_t place = 0; place < size; ++place)
                    {
                        const uint32_t rank = group[place];
                        ++seen.at(rank);
                        ++stages[layout.GetCoordinate(rank, ParallelAxis::PP)];
                        NS_TEST_EXPECT_MSG_EQ(layout.GetGroupIndex(kind, rank), index, kind);
                        NS_TEST_EXPECT_MSG_EQ(layout.GetGroupRank(kind, rank), place, kind);
                    }
                    // Without experts, the expert grid has these pipelines only if pp is last.
                    if (kind[0] == 'd' || (kind == "edp" && pipelineIsLast))
                    {
                        const bool outer = stages[0] == size / 2 && stages[3] == size / 2;
                        const bool inner = stages[1] == size / 2 && stages[2] == size / 2;
                        NS_TEST_EXPECT_MSG_EQ((outer || inner), true, kind << " has twins alone");
                    }
                }
                NS_TEST_EXPECT_MSG_EQ(std::count(seen.begin(), seen.end(), 1), 48, kind);
            }
            NS_TEST_EXPECT_MSG_EQ(layout.GetGroupSize("dp-cp"), 12, "2 x 2 x 3");
        }
    }
};

/** Layers of stages, padding. */
class LayersAreSplitOverStages : public TestCase
{
  public:
    LayersAreSplitOverStages()
        : TestCase("layers are spread evenly, or as the ends are told; the vocabulary is padded")
    {
    }

  private:
    void Expect(ParallelConfig config, uint64_t layers, const std::vector<uint64_t>& expected)
    {
        const auto stages = ParallelLayout(config).SplitLayers(MakeModel(layers));
        NS_TEST_ASSERT_MSG_EQ(stages.size(), expected.size(), "stages");
        uint64_t next = 0;
        for (std::size_t stage = 0; stage < stages.size(); ++stage)
        {
            NS_TEST_EXPECT_MSG_EQ(stages[stage].first, next, "first layer");
            NS_TEST_EXPECT_MSG_EQ(stages[stage].count, expected[stage], "layers");
            next += stages[stage].count;
        }
        NS_TEST_EXPECT_MSG_EQ(next, layers, "all layers");
    }

    void DoRun() override
    {
        ParallelConfig config = MakeConfig(1, 4);
        Expect(config, 12, {3, 3, 3, 3});
        config.decoder_first_pipeline_num_layers = 2;
        Expect(config, 11, {2, 3, 3, 3});
        config.decoder_last_pipeline_num_layers = 1;
        Expect(config, 11, {2, 4, 4, 1});
        ParallelConfig two = MakeConfig(1, 2);
        two.decoder_first_pipeline_num_layers = 5;
        two.decoder_last_pipeline_num_layers = 7;
        Expect(two, 12, {5, 7});
        Expect(MakeConfig(1, 1), 7, {7});

        // Chunks: stage s is chunk s / p of rank s mod p; the ends are spread over their chunks.
        ParallelConfig chunks = MakeConfig(1, 2);
        chunks.virtual_pipeline_model_parallel_size = 3;
        Expect(chunks, 12, {2, 2, 2, 2, 2, 2});
        chunks.decoder_first_pipeline_num_layers = 3;
        Expect(chunks, 9, {1, 2, 1, 2, 1, 2});
        chunks.decoder_first_pipeline_num_layers = 0;
        chunks.decoder_last_pipeline_num_layers = 3;
        Expect(chunks, 12, {3, 1, 3, 1, 3, 1});
        chunks.decoder_last_pipeline_num_layers = 0;
        chunks.pipeline_model_parallel_layout = "0,1, 2,3,1,0";
        Expect(chunks, 7, {0, 1, 2, 3, 1, 0});
        chunks.pipeline_model_parallel_layout = "Et|tt|(ttt|)*2,t*4|L";
        Expect(chunks, 13, {1, 2, 3, 3, 4, 0});
        chunks.pipeline_model_parallel_layout = "E|(t|)*4mmL";
        Expect(chunks, 4, {0, 1, 1, 1, 1, 0});
        ParallelConfig dual = MakeConfig(1, 4);
        dual.pipeline_schedule = "dualpipe";
        Expect(dual, 12, {3, 3, 3, 3});

        ModelConfig model = MakeModel(2);
        model.vocab_size = 50257;
        NS_TEST_EXPECT_MSG_EQ(ParallelLayout(MakeConfig(1, 1)).GetPaddedVocabSize(model),
                              50304,
                              "multiple of 128");
        NS_TEST_EXPECT_MSG_EQ(ParallelLayout(MakeConfig(8, 1)).GetPaddedVocabSize(model),
                              51200,
                              "multiple of 1024");
        ParallelConfig unpadded = MakeConfig(1, 1);
        unpadded.make_vocab_size_divisible_by = 1;
        NS_TEST_EXPECT_MSG_EQ(ParallelLayout(unpadded).GetPaddedVocabSize(model), 50257, "none");
    }
};

/** Every complaint about a layout. */
class BadLayoutsAreRefused : public TestCase
{
  public:
    BadLayoutsAreRefused()
        : TestCase("a layout that does not fit world or model is refused with all numbers")
    {
    }

  private:
    void Expect(const ParallelConfig& config, uint32_t world, const std::string& expected)
    {
        const std::string message =
            MessageOf([&config, world] { ParallelLayout(config, world, "s.json", "parallelism"); });
        NS_TEST_EXPECT_MSG_EQ(message, "s.json: parallelism." + expected, "message");
    }

    void ExpectSplit(const ParallelConfig& config,
                     const ModelConfig& model,
                     const std::string& expected)
    {
        const std::string message =
            MessageOf([&config, &model] { ParallelLayout(config).SplitLayers(model); });
        NS_TEST_EXPECT_MSG_EQ(message, "ParallelConfig: " + expected, "message");
    }

    void DoRun() override
    {
        Expect(MakeConfig(8, 1),
               1,
               "tensor_model_parallel_size: tensor_model_parallel_size 8 x "
               "pipeline_model_parallel_size 1 = 8 does not divide the world size 1");
        Expect(MakeConfig(3, 1),
               8,
               "tensor_model_parallel_size: tensor_model_parallel_size 3 x "
               "pipeline_model_parallel_size 1 = 3 does not divide the world size 8");
        ParallelConfig config = MakeConfig(2, 2);
        config.data_parallel_size = 3;
        Expect(config,
               16,
               "data_parallel_size: tensor_model_parallel_size 2 x pipeline_model_parallel_size "
               "2 x data_parallel_size 3 = 12 is not the world size 16");
        // A job of 128 ranks on a cluster of 64.
        config = MakeConfig(8, 4);
        config.data_parallel_size = 4;
        Expect(config,
               64,
               "data_parallel_size: tensor_model_parallel_size 8 x pipeline_model_parallel_size "
               "4 x data_parallel_size 4 = 128 is not the world size 64");
        Expect(MakeConfig(0, 1), 1, "tensor_model_parallel_size: must be at least 1, is 0");
        Expect(MakeConfig(1, 0), 1, "pipeline_model_parallel_size: must be at least 1, is 0");
        Expect(MakeConfig(1U << 31, 4),
               0,
               "data_parallel_size: tensor_model_parallel_size 2147483648 x "
               "pipeline_model_parallel_size 4 x 0 is above 16777216 ranks");
        config = MakeConfig(2, 2);
        config.context_parallel_size = 3;
        Expect(config,
               16,
               "tensor_model_parallel_size: tensor_model_parallel_size 2 x "
               "pipeline_model_parallel_size 2 x context_parallel_size 3 = 12 does not divide the "
               "world size 16");
        config = MakeConfig(2, 2);
        config.expert_model_parallel_size = 8;
        Expect(config,
               16,
               "expert_model_parallel_size: 8 x expert_tensor_parallel_size 2 = 16 does not divide "
               "the 8 ranks of a pipeline stage");
        config.expert_model_parallel_size = 4;
        config.expert_tensor_parallel_size = 1;
        config.rank_order = "tp-pp-cp-ep-dp";
        Expect(config,
               16,
               "rank_order: 'tp-pp-cp-ep-dp' puts neighbouring pipeline stages 2 ranks apart in "
               "the dense grid and 1 apart in the expert grid; with pp last they agree");
        config = MakeConfig(1, 1);
        config.num_distributed_optimizer_instances = 3;
        Expect(config,
               8,
               "num_distributed_optimizer_instances: 3 does not divide the 8 ranks of the "
               "data-parallel group (data_parallel_size x context_parallel_size)");
        config = MakeConfig(1, 1);
        config.cp_comm_type = "ring";
        Expect(config,
               1,
               "cp_comm_type: unknown type 'ring'; known: p2p, all_gather, a2a, a2a+p2p");
        config.cp_comm_type = "a2a";
        config.hierarchical_context_parallel_size = 2;
        Expect(config,
               1,
               "hierarchical_context_parallel_size: is 2, but only cp_comm_type a2a+p2p has parts, "
               "not a2a");
        config.cp_comm_type = "a2a+p2p";
        config.context_parallel_size = 6;
        config.hierarchical_context_parallel_size = 4;
        Expect(config,
               6,
               "hierarchical_context_parallel_size: 4 does not divide context_parallel_size 6");
        config.hierarchical_context_parallel_size = 0;
        Expect(config,
               6,
               "hierarchical_context_parallel_size: must be given for cp_comm_type a2a+p2p: ranks "
               "of the a2a part");

        const std::string right = "; it must be a permutation of tp-cp-ep-dp-pp";
        config = MakeConfig(2, 1);
        config.rank_order = "tp-dp-xp";
        Expect(config, 2, "rank_order: 'tp-dp-xp' has the unknown axis 'xp'" + right);
        config.rank_order = "tp-dp-tp";
        Expect(config, 2, "rank_order: 'tp-dp-tp' has 'tp' twice" + right);
        config.rank_order = "dp-pp";
        Expect(config, 2, "rank_order: 'dp-pp' lacks 'tp', whose size is 2" + right);
        config.rank_order = "";
        Expect(config, 2, "rank_order: '' has the unknown axis ''" + right);

        ExpectSplit(MakeConfig(3, 1),
                    MakeModel(2),
                    "tensor_model_parallel_size: 3 does not divide the model's 8 attention heads "
                    "(num_attention_heads)");
        ExpectSplit(MakeConfig(8, 1),
                    MakeModel(2),
                    "tensor_model_parallel_size: 8 does not divide the model's 4 key-value heads "
                    "(num_key_value_heads)");
        ModelConfig odd = MakeModel(2);
        odd.intermediate_size = 97;
        ExpectSplit(MakeConfig(4, 1),
                    odd,
                    "tensor_model_parallel_size: 4 does not divide the model's 97 MLP columns "
                    "(intermediate_size)");
        const std::string help = " stages; decoder_first_pipeline_num_layers or "
                                 "decoder_last_pipeline_num_layers can make an end different, "
                                 "pipeline_model_parallel_layout any";
        ExpectSplit(MakeConfig(1, 4),
                    MakeModel(10),
                    "pipeline_model_parallel_size: 10 layers (num_hidden_layers 10) cannot be "
                    "spread evenly over 4" +
                        help);
        ExpectSplit(MakeConfig(1, 4),
                    MakeModel(2),
                    "pipeline_model_parallel_size: 2 layers (num_hidden_layers 2) cannot be "
                    "spread evenly over 4" +
                        help);
        config = MakeConfig(1, 4);
        config.decoder_first_pipeline_num_layers = 2;
        ExpectSplit(config,
                    MakeModel(12),
                    "pipeline_model_parallel_size: 10 layers (num_hidden_layers 12) cannot be "
                    "spread evenly over 3" +
                        help);
        config.decoder_last_pipeline_num_layers = 11;
        ExpectSplit(config,
                    MakeModel(12),
                    "decoder_first_pipeline_num_layers: 2 + 11 layers on the first and the last "
                    "stage are more than the model's 12 (num_hidden_layers)");
        config = MakeConfig(1, 1);
        config.decoder_first_pipeline_num_layers = 2;
        ExpectSplit(config,
                    MakeModel(2),
                    "decoder_first_pipeline_num_layers: needs pipeline_model_parallel_size of at "
                    "least 2, which is 1");
        ParallelConfig chunks = MakeConfig(1, 2);
        chunks.virtual_pipeline_model_parallel_size = 4;
        ExpectSplit(chunks,
                    MakeModel(12),
                    "pipeline_model_parallel_size: 12 layers (num_hidden_layers 12) cannot be "
                    "spread evenly over 2 stages of virtual_pipeline_model_parallel_size 4 chunks; "
                    "decoder_first_pipeline_num_layers or decoder_last_pipeline_num_layers can "
                    "make an end different, pipeline_model_parallel_layout any");
        chunks.decoder_last_pipeline_num_layers = 6;
        ExpectSplit(chunks,
                    MakeModel(12),
                    "decoder_last_pipeline_num_layers: 6 layers cannot be spread evenly over the "
                    "rank's virtual_pipeline_model_parallel_size 4 chunks; "
                    "pipeline_model_parallel_layout can");
        chunks.virtual_pipeline_model_parallel_size = 2;
        chunks.pipeline_model_parallel_layout = "3,3,3,3";
        ExpectSplit(chunks,
                    MakeModel(12),
                    "decoder_last_pipeline_num_layers: is 6, but pipeline_model_parallel_layout "
                    "says already what is where; leave one of them out");
        chunks.decoder_last_pipeline_num_layers = 0;
        const auto expectLayout = [&chunks, this](const std::string& text,
                                                  const std::string& message) {
            chunks.pipeline_model_parallel_layout = text;
            ExpectSplit(chunks,
                        MakeModel(12),
                        "pipeline_model_parallel_layout: '" + text + "' " + message);
        };
        expectLayout("3,3,6",
                     "has 3 stages, pipeline_model_parallel_size x "
                     "virtual_pipeline_model_parallel_size are 4");
        expectLayout("3,3,3,4", "has 13 layers, the model has 12 (num_hidden_layers)");
        expectLayout("4,0,4,4",
                     "leaves stage 1 without a layer; only the first and the last can be so");
        const std::string numbers = "; it should look like '4,4,4,3'";
        expectLayout("3,,3,3", "is no list of numbers at character 3" + numbers);
        expectLayout("3 3 3,3", "is no list of numbers at character 2" + numbers);
        expectLayout("3,3,3,", "is no list of numbers at character 7" + numbers);
        const std::string letters = "; it should look like '4,4,4,3' or 'Et*4|(tttt|)*2,t*3,L'";
        expectLayout("3,3,x,3", "cannot be read at character 1 ('3')" + letters);
        expectLayout("Et*x|L", "cannot be read at character 3 ('*')" + letters);
        expectLayout("E((t|)*2)L", "cannot be read at character 3 ('(')" + letters);
        expectLayout("E(t|)*2*2L", "cannot be read at character 8 ('*')" + letters);
        expectLayout("Et)L", "cannot be read at character 3 (')')" + letters);
        expectLayout("E(t|L", "lacks a closing parenthesis");
        expectLayout("Et*9999999999|t|L", "has too many layers");
        for (const char* text : {"t|tL", "Et|t", "Et|EtL", "EtL|tL", "Et|mt|L", "Etm|L", "Et|Lt"})
        {
            expectLayout(text,
                         "must begin with E (embedding) and end with L (output layer), with m "
                         "(multi-token prediction) just before it: they are on the first and the "
                         "last stage here");
        }
        config = MakeConfig(1, 1);
        config.data_parallel_size = 4;
        config.expert_model_parallel_size = 4;
        ExpectSplit(config,
                    MakeModel(2),
                    "expert_model_parallel_size: is 4, but the model has no experts (num_experts "
                    "0)");
        ModelConfig experts = MakeModel(2);
        experts.num_experts = 6;
        experts.num_experts_per_tok = 2;
        experts.moe_intermediate_size = 33;
        ExpectSplit(config,
                    experts,
                    "expert_model_parallel_size: 4 does not divide the model's 6 experts "
                    "(num_experts)");
        config.expert_model_parallel_size = 2;
        config.expert_tensor_parallel_size = 2;
        ExpectSplit(config,
                    experts,
                    "expert_tensor_parallel_size: 2 does not divide the model's 33 columns of an "
                    "expert (moe_intermediate_size)");
        config.expert_tensor_parallel_size = 1;
        config.num_distributed_optimizer_instances = 4;
        ExpectSplit(config,
                    experts,
                    "num_distributed_optimizer_instances: 4 does not divide the 2 ranks that hold "
                    "the same experts");
        const std::string known =
            "; known: embd, dist-opt, dp-cp-shard, dp-cp-replica, edp-shard, edp-replica, cp-a2a, "
            "cp-p2p, "
            "and axes of one grid joined by dashes (tp, cp, dp, pp or etp, ep, edp, pp)";
        for (const char* kind : {"tp-zz", "tp-shard", "zz-tp", ""})
        {
            NS_TEST_EXPECT_MSG_EQ(
                MessageOf([kind] { ParallelLayout(ParallelConfig()).GetGroupSize(kind); }),
                "ParallelLayout: unknown kind of group '" + std::string(kind) + "'" + known,
                "kind");
        }
        NS_TEST_EXPECT_MSG_EQ(
            MessageOf([] { ParallelLayout(ParallelConfig()).GetGroupSize("tp-ep"); }),
            "ParallelLayout: mixed kind of group 'tp-ep'" + known,
            "kind");
    }
};

/** Bucket rules. */
class BucketsCloseWhenFull : public TestCase
{
  public:
    BucketsCloseWhenFull()
        : TestCase("gradient buckets are filled from the last tensor and close when full")
    {
    }

  private:
    struct Expected
    {
        uint64_t elements;
        std::size_t first;
        std::size_t last;
    };

    void Expect(const std::vector<uint64_t>& tensors,
                const BucketRule& rule,
                uint64_t elementBytes,
                const std::vector<Expected>& expected)
    {
        const auto buckets = MakeGradientBuckets(tensors, rule, elementBytes);
        NS_TEST_ASSERT_MSG_EQ(buckets.size(), expected.size(), "buckets");
        for (std::size_t i = 0; i < buckets.size(); ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(buckets[i].elements, expected[i].elements, "elements");
            NS_TEST_EXPECT_MSG_EQ(buckets[i].bytes, expected[i].elements * elementBytes, "bytes");
            NS_TEST_EXPECT_MSG_EQ(buckets[i].firstTensor, expected[i].first, "first tensor");
            NS_TEST_EXPECT_MSG_EQ(buckets[i].lastTensor, expected[i].last, "last tensor");
        }
    }

    void DoRun() override
    {
        // PyTorch, fp32: 1 MiB are 262144 elements, 25 MiB are 6553600.
        const BucketRule torch4 = BucketRule::PyTorch(25, 4);
        NS_TEST_EXPECT_MSG_EQ(torch4.firstCapacity, 262144, "1 MiB");
        NS_TEST_EXPECT_MSG_EQ(torch4.capacity, 6553600, "25 MiB");
        NS_TEST_EXPECT_MSG_EQ(BucketRule::PyTorch(25, 2).capacity, 13107200, "bf16");
        Expect({10000000, 300000, 200000, 100000}, torch4, 4, {{300000, 2, 3}, {10300000, 0, 1}});
        // Exactly full closes; one element less does not.
        Expect({5, 6553600, 262144}, torch4, 4, {{262144, 2, 2}, {6553600, 1, 1}, {5, 0, 0}});
        Expect({5, 6553599, 262143}, torch4, 4, {{262143 + 6553599, 1, 2}, {5, 0, 0}});
        Expect({5, 6553599, 262144}, torch4, 4, {{262144, 2, 2}, {6553604, 0, 1}});
        // One tensor above the capacity is a bucket of its own.
        Expect({50000000}, torch4, 2, {{50000000, 0, 0}});

        // Megatron: parameters, not bytes.
        NS_TEST_EXPECT_MSG_EQ(BucketRule::Megatron(8, 0).capacity, 40000000, "least");
        NS_TEST_EXPECT_MSG_EQ(BucketRule::Megatron(64, 0).capacity, 64000000, "by replicas");
        NS_TEST_EXPECT_MSG_EQ(BucketRule::Megatron(64, 7).capacity, 7, "given");
        Expect({39000000, 1000000, 39999999, 1},
               BucketRule::Megatron(8, 0),
               4,
               {{40000000, 2, 3}, {40000000, 0, 1}});

        Expect({1, 2, 3}, BucketRule::Whole(), 2, {{6, 0, 2}});
        Expect({0, 2, 0, 3, 0}, {3, 3}, 2, {{3, 3, 3}, {2, 0, 1}});
        Expect({}, torch4, 4, {});
        Expect({0, 0}, torch4, 4, {});
    }
};

/** The suite. */
class WorkloadLayoutTestSuite : public TestSuite
{
  public:
    WorkloadLayoutTestSuite()
        : TestSuite("llm-training-workload-layout", Type::UNIT)
    {
        AddTestCase(new GroupsOfTheDefaultOrder, llm::TestDuration::QUICK);
        AddTestCase(new GroupsAreThoseOfMegatronsManual, llm::TestDuration::QUICK);
        AddTestCase(new ExpertsHaveAGridOfTheirOwn, llm::TestDuration::QUICK);
        AddTestCase(new GroupsPartitionTheWorld, llm::TestDuration::QUICK);
        AddTestCase(new TwinsShareTheirGradients, llm::TestDuration::QUICK);
        AddTestCase(new LayersAreSplitOverStages, llm::TestDuration::QUICK);
        AddTestCase(new BadLayoutsAreRefused, llm::TestDuration::QUICK);
        AddTestCase(new BucketsCloseWhenFull, llm::TestDuration::QUICK);
    }
};

const WorkloadLayoutTestSuite g_workloadLayoutTestSuite; //!< registers the suite

} // namespace

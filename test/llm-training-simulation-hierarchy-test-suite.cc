/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Scenarios whose collectives work by servers: job and closed form agree on who shares one.

#include "ns3/llm-collective-program.h"
#include "ns3/llm-config-error.h"
#include "ns3/llm-scenario-reader.h"
#include "ns3/llm-simulation.h"
#include "ns3/llm-training-job.h"
#include "ns3/test.h"

#include <sstream>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** @return a scenario: a tiny model on 16 accelerators, TP 4 x DP 4, four per server. */
Scenario
Tiny(const std::vector<std::string>& overrides)
{
    std::vector<std::string> all{
        "model.config={\"model_type\":\"llama\",\"vocab_size\":512,\"hidden_size\":64,"
        "\"num_hidden_layers\":2,\"num_attention_heads\":4,\"num_key_value_heads\":4,"
        "\"intermediate_size\":128,\"max_position_embeddings\":64}",
        "parallelism.tensor_model_parallel_size=4",
        "parallelism.data_parallel_size=4",
        "training.global_batch_size=4",
        "cluster.accelerators_per_server=4",
        "fabric.leaves=2",
        "fabric.spines=2",
        "fabric.hosts_per_leaf=8",
        "output.folder="};
    all.insert(all.end(), overrides.begin(), overrides.end());
    return ScenarioReader::ParseText("{}", "tiny.json", all);
}

/// @ingroup llm-training-tests
/// Books.
class HierarchyBooksTestCase : public TestCase
{
  public:
    HierarchyBooksTestCase()
        : TestCase("two_level_rail, two_level_node and nvls in scenarios: the books balance")
    {
    }

  private:
    void DoRun() override
    {
        // Data parallel groups: each rank alone, pairs, and all on one server.
        for (const std::string tp : {"4", "2", "1"})
        {
            for (const std::string name : {"two_level_rail", "two_level_node"})
            {
                const std::string groups = "parallelism.tensor_model_parallel_size=" + tp;
                const std::string replicas =
                    "parallelism.data_parallel_size=" + std::to_string(16 / std::stoi(tp));
                Run({groups,
                     replicas,
                     "training.global_batch_size=16",
                     "collectives.all_reduce=" + name,
                     "collectives.all_gather=" + name,
                     "collectives.reduce_scatter=" + name});
            }
        }
        // Everything of a job on one server goes through its switch.
        for (const std::string slice : {"0", "1000"})
        {
            Run({"cluster.accelerators_per_server=16",
                 "collectives.all_reduce=nvls",
                 "collectives.all_gather=nvls",
                 "collectives.reduce_scatter=nvls",
                 "collectives.channels=2",
                 "collectives.slice_bytes=" + slice});
        }
        // NCCL's protocols concern what goes from rank to rank.
        Run({"cluster.accelerators_per_server=16",
             "collectives.all_reduce=nvls",
             "collectives.protocol=simple"});
        // Sequence parallelism has no all-reduce of tensors but small ones.
        Run({"collectives.all_gather=nvls",
             "collectives.reduce_scatter=nvls",
             "parallelism.sequence_parallel=true"});
    }

    /// One scenario.
    void Run(const std::vector<std::string>& overrides)
    {
        Simulation simulation(Tiny(overrides));
        const bool good = simulation.Run();
        std::string why = overrides[0] + " " + overrides[1] + ": ";
        for (const auto& line : simulation.GetReport().failure)
        {
            why += line + "; ";
        }
        for (const auto& entry : simulation.GetReport().books.GetEntries())
        {
            why += entry.IsBalanced() ? "" : entry.Describe() + "; ";
        }
        NS_TEST_EXPECT_MSG_EQ(good, true, why);
    }
};

/// @ingroup llm-training-tests
/// Experts.
class HierarchyExpertsTestCase : public TestCase
{
  public:
    HierarchyExpertsTestCase()
        : TestCase("experts of uneven popularity by direct, pairwise and pxn: the books balance")
    {
    }

  private:
    void DoRun() override
    {
        for (const std::string name : {"direct", "pairwise", "pxn"})
        {
            for (const std::string skew : {"0", "1.2"})
            {
                for (const std::string perServer : {"4", "1"})
                {
                    Simulation simulation(Tiny(
                        {"model.config={\"model_type\":\"mixtral\",\"vocab_size\":512,"
                         "\"hidden_size\":64,\"num_hidden_layers\":2,\"num_attention_heads\":4,"
                         "\"num_key_value_heads\":4,\"intermediate_size\":128,"
                         "\"num_local_experts\":16,\"num_experts_per_tok\":2,"
                         "\"max_position_embeddings\":64}",
                         "parallelism.tensor_model_parallel_size=1",
                         "parallelism.data_parallel_size=16",
                         "parallelism.expert_model_parallel_size=8",
                         "training.global_batch_size=16",
                         "training.moe_token_dispatcher_type=alltoall",
                         "training.moe_expert_skew=" + skew,
                         "cluster.accelerators_per_server=" + perServer,
                         "collectives.all_gather=two_level_rail",
                         "collectives.all_to_all=" + name}));
                    const bool good = simulation.Run();
                    std::string why = name + ", skew " + skew + ": ";
                    for (const auto& entry : simulation.GetReport().books.GetEntries())
                    {
                        why += entry.IsBalanced() ? "" : entry.Describe() + "; ";
                    }
                    NS_TEST_EXPECT_MSG_EQ(good, true, why);
                    CheckRails(simulation, name, std::stoi(perServer));
                }
            }
        }
    }

    /// Tokens go between servers, and with pxn on rails only.
    void CheckRails(Simulation& simulation, const std::string& name, uint32_t perServer)
    {
        uint64_t across = 0;
        uint64_t offRail = 0;
        for (const PairTraffic& pair : simulation.GetJob()->GetTraffic().GetPairs())
        {
            if (pair.dimension == ParallelDimension::EXPERT &&
                pair.from / perServer != pair.to / perServer)
            {
                across += pair.bytes;
                offRail += pair.from % perServer != pair.to % perServer ? pair.bytes : 0;
            }
        }
        NS_TEST_EXPECT_MSG_GT(across, 0, name << ": between servers");
        NS_TEST_EXPECT_MSG_EQ((offRail == 0), (name == "pxn" || perServer == 1), name << ": rails");
    }
};

/// @ingroup llm-training-tests
/// The table of nccl-tests.
class HierarchyTableTestCase : public TestCase
{
  public:
    HierarchyTableTestCase()
        : TestCase("llm-training-collective runs what works by servers, its books balance")
    {
    }

  private:
    void DoRun() override
    {
        const std::string line = "--algorithm nvls,two_level_rail,two_level_node -g 8 -b 1M "
                                 "--set collectives.slice_bytes=16384";
        Check("all_reduce " + line);
        Check("all_gather " + line);
        Check("reduce_scatter " + line);
        Check("alltoall --algorithm pxn,direct -g 16 -b 1M");
    }

    /// One call.
    void Check(const std::string& line)
    {
        std::istringstream in("llm-training-collective " + line);
        std::vector<std::string> words;
        for (std::string word; in >> word;)
        {
            words.push_back(word);
        }
        std::vector<char*> argv;
        for (std::string& word : words)
        {
            argv.push_back(word.data());
        }
        argv.push_back(nullptr);
        std::ostringstream out;
        std::ostringstream err;
        const int code =
            RunCollectiveProgram(static_cast<int>(words.size()), argv.data(), out, err);
        NS_TEST_EXPECT_MSG_EQ(code, 0, line << ": " << err.str());
    }
};

/// @ingroup llm-training-tests
/// Errors.
class HierarchyGroupsTestCase : public TestCase
{
  public:
    HierarchyGroupsTestCase()
        : TestCase("a group that shares servers irregularly is named before anything runs")
    {
    }

  private:
    /// @return the error
    static std::string ErrorOf(const std::vector<std::string>& overrides)
    {
        try
        {
            const Simulation simulation(Tiny(overrides));
        }
        catch (const ConfigError& error)
        {
            return error.what();
        }
        return "";
    }

    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(
            ErrorOf({"collectives.all_reduce=nvls"}),
            "tiny.json: collectives.all_reduce: nvls needs all ranks of a group on one server, "
            "whose "
            "switch reduces; these 4 are 1 per server; group \"dp\" of ranks 0, 4, 8, 12",
            "one per server");
        NS_TEST_EXPECT_MSG_EQ(
            ErrorOf({"collectives.all_reduce=two_level_rail",
                     "cluster.placement=[0,1,4,2,3,5,6,7,8,9,10,11,12,13,14,15]"}),
            "tiny.json: collectives.all_reduce: two_level_rail needs the ranks of a group in runs "
            "of "
            "equal length, each on a server of its own; these 4 ranks share servers in another "
            "way; "
            "group \"tp\" of ranks 0, 1, 2, 3",
            "three and one");
    }
};

/// @ingroup llm-training-tests
/// The suite.
class LlmTrainingSimulationHierarchyTestSuite : public TestSuite
{
  public:
    LlmTrainingSimulationHierarchyTestSuite()
        : TestSuite("llm-training-simulation-hierarchy", Type::UNIT)
    {
        AddTestCase(new HierarchyBooksTestCase);
        AddTestCase(new HierarchyExpertsTestCase);
        AddTestCase(new HierarchyTableTestCase);
        AddTestCase(new HierarchyGroupsTestCase);
    }
};

LlmTrainingSimulationHierarchyTestSuite g_llmTrainingSimulationHierarchyTestSuite; //!< registers it

} // namespace

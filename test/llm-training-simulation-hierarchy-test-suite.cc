/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Scenarios whose collectives work by servers: job and closed form agree on who shares one.

#include "ns3/llm-config-error.h"
#include "ns3/llm-scenario-reader.h"
#include "ns3/llm-simulation.h"
#include "ns3/test.h"

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
        : TestSuite("llm-training-simulation-hierarchy", Type::SYSTEM)
    {
        AddTestCase(new HierarchyBooksTestCase);
        AddTestCase(new HierarchyGroupsTestCase);
    }
};

LlmTrainingSimulationHierarchyTestSuite g_llmTrainingSimulationHierarchyTestSuite; //!< registers it

} // namespace

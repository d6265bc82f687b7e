/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-training-import-test.h"

#include "ns3/llm-chakra-file.h"
#include "ns3/llm-scenario-analysis.h"
#include "ns3/llm-scenario-import.h"
#include "ns3/llm-scenario-reader.h"
#include "ns3/llm-scenario-workload.h"
#include "ns3/llm-simulation-program.h"
#include "ns3/llm-simulation.h"
#include "ns3/llm-training-compat.h"
#include "ns3/test.h"

#include <map>
#include <sstream>

using namespace ns3;
using namespace ns3::llm;
using namespace llmtest;

namespace
{

using Overrides = std::vector<std::string>;

const char* const TINY_MODEL = // a llama that fits a few packets
    "{\"model_type\":\"llama\",\"vocab_size\":512,\"hidden_size\":96,\"num_hidden_layers\":4,"
    "\"num_attention_heads\":4,\"num_key_value_heads\":4,\"intermediate_size\":136,"
    "\"max_position_embeddings\":64}";

/// Network and algorithms of all runs here; ECMP, DCQCN and PFC at work. @return overrides
Overrides
Network()
{
    return {"cluster.accelerators_per_server=2",
            "fabric.leaves=4",
            "fabric.spines=2",
            "fabric.hosts_per_leaf=2",
            "fabric.host_rate=25Gbps",
            "fabric.uplink_rate=25Gbps",
            "fabric.path_mtu=512",
            "collectives.channels=2",
            "collectives.slice_bytes=4096",
            "iterations=2",
            "output.folder="};
}

/// @param set overrides beside the network @param name of the file @return the scenario
Scenario
Make(const Overrides& set, const std::string& name = "s.json")
{
    Overrides all = Network();
    all.insert(all.end(), set.begin(), set.end());
    return ScenarioReader::ParseText("{}", name, all);
}

/// @return a tiny model on 8 accelerators @param set more overrides
Scenario
MakeModel(const Overrides& set = {})
{
    Overrides all{std::string("model.config=") + TINY_MODEL,
                  "parallelism.tensor_model_parallel_size=2",
                  "parallelism.pipeline_model_parallel_size=2",
                  "parallelism.data_parallel_size=2",
                  "parallelism.sequence_parallel=true",
                  "training.ddp_bucket_size=20000",
                  "training.global_batch_size=6"};
    all.insert(all.end(), set.begin(), set.end());
    return Make(all);
}

/// What two runs must have in common, to the picosecond and the byte.
struct Outcome
{
    std::vector<int64_t> ends; //!< of iterations
    std::map<std::tuple<uint32_t, uint32_t, int>, std::pair<uint64_t, uint64_t>> pairs; //!< bytes
    uint64_t packets{0};  //!< data packets
    uint64_t cnps{0};     //!< congestion notifications
    uint64_t hops{0};     //!< packet-hops
    int64_t longest{0};   //!< completion time of a message
    std::string trouble;  //!< empty: complete, and the books balance
    std::string workload; //!< what is said of the workload
};

/// @param scenario what @return what came out
Outcome
Simulate(const Scenario& scenario)
{
    Simulation simulation(scenario);
    Outcome outcome;
    const bool good = simulation.Run();
    const RunReport& report = simulation.GetReport();
    for (const auto& iteration : report.jobs[0].iterations)
    {
        outcome.ends.push_back(iteration.end);
    }
    for (const auto& pair : simulation.GetJob()->GetTraffic().GetPairs())
    {
        outcome.pairs[{pair.from, pair.to, static_cast<int>(pair.dimension)}] = {pair.bytes,
                                                                                 pair.messages};
    }
    outcome.packets = report.network.dataPackets;
    outcome.cnps = report.network.cnpsSent;
    outcome.hops = report.fabric.packetHops;
    outcome.longest = report.flows.longest;
    for (const auto& line : report.failure)
    {
        outcome.trouble += line + "; ";
    }
    for (const auto& entry : report.books.GetEntries())
    {
        outcome.trouble += entry.IsBalanced() ? "" : entry.Describe() + "; ";
    }
    outcome.trouble += good ? "" : "not good";
    for (const auto& [label, fact] : report.facts)
    {
        outcome.workload += label == "workload" ? fact : "";
    }
    return outcome;
}

/// What must show: the same work by way of other people's formats.
class RoundTripsKeepTimeOnPackets : public TestCase
{
  public:
    RoundTripsKeepTimeOnPackets()
        : TestCase(
              "on a packet fabric, a step and what was read back from Chakra and from GOAL take "
              "the same time to the picosecond, with the same bytes for every pair")
    {
    }

  private:
    void Same(const Outcome& a, const Outcome& b, const std::string& what)
    {
        NS_TEST_EXPECT_MSG_EQ(b.trouble, "", what);
        NS_TEST_EXPECT_MSG_EQ((a.ends == b.ends),
                              true,
                              what << ": iterations end at the same ps: " << a.ends.front() << ", "
                                   << b.ends.front());
        NS_TEST_EXPECT_MSG_EQ((a.pairs == b.pairs), true, what << ": bytes of every pair");
        NS_TEST_EXPECT_MSG_EQ(a.packets, b.packets, what << ": data packets");
        NS_TEST_EXPECT_MSG_EQ(a.cnps, b.cnps, what << ": CNPs");
        NS_TEST_EXPECT_MSG_EQ(a.hops, b.hops, what << ": packet-hops");
        NS_TEST_EXPECT_MSG_EQ(a.longest, b.longest, what << ": longest message");
    }

    void DoRun() override
    {
        uint32_t number = 0;
        for (const std::string algorithm :
             {"ring", "direct", "double_binary_tree", "two_level_rail"})
        {
            const std::string set = "collectives.all_reduce=" + algorithm;
            const Scenario scenario = MakeModel({set});
            const Outcome direct = Simulate(scenario);
            NS_TEST_EXPECT_MSG_EQ(direct.trouble, "", algorithm);
            NS_TEST_EXPECT_MSG_GT(direct.packets, 1000, algorithm << ": there are packets");
            const std::string base = CreateTempDirFilename("trip" + std::to_string(number++));
            std::ostringstream said;
            ExportGoal(ScenarioWorkload(scenario), base + ".goal", said);
            const Outcome goal =
                Simulate(Make({"workload.format=goal", "workload.file=" + base + ".goal"}));
            Same(direct, goal, algorithm + " by way of GOAL");
            NS_TEST_EXPECT_MSG_EQ((goal.workload.find("GOAL, 8 ranks") != std::string::npos),
                                  true,
                                  goal.workload);
            if (HasChakra())
            {
                ExportChakra(ScenarioWorkload(scenario), base, said);
                Same(direct,
                     Simulate(Make({set, "workload.format=chakra", "workload.file=" + base})),
                     algorithm + " by way of Chakra");
                // And both: Chakra, then GOAL.
                const Scenario chakra =
                    Make({set, "workload.format=chakra", "workload.file=" + base});
                ExportGoal(ScenarioWorkload(chakra), base + "-2.goal", said);
                Same(direct,
                     Simulate(Make({"workload.format=goal", "workload.file=" + base + "-2.goal"})),
                     algorithm + " by way of Chakra and GOAL");
            }
        }
    }
};

/// SimAI on packets.
class SimaiRunsOnPackets : public TestCase
{
  public:
    SimaiRunsOnPackets()
        : TestCase("a SimAI workload runs on a packet fabric, and its books balance")
    {
    }

  private:
    void DoRun() override
    {
        // Twice (iterations), over 4 TP groups: all-reduce, reduce-scatter, all-gather; then the
        // rest.
        const uint64_t tensor = 4 * (2 * 40000 + 30001 + 30001);
        const std::string rows = "embedding_layer -1 5000 ALLREDUCE 40000 1 NONE 0 1 NONE 0 1\n"
                                 "attention -1 7000 REDUCESCATTER 30001 9000 ALLGATHER 30001 3000 "
                                 "NONE 0 1\n"
                                 "grad_gather -1 1 NONE 0 1 NONE 0 1 ALLGATHER 100000 1\n";
        // EP all-to-alls in 4 groups of 2; DP_EP: 4 groups of 8 / 2 / 2; DP: 2 groups of 4.
        Check(
            "ep: 2 pp: 1",
            "4\n" + rows +
                "moe -1 2000 ALLTOALL_EP 40001 2000 ALLTOALL_EP 40001 10 REDUCESCATTER_DP_EP 70003 "
                "1\n",
            tensor + 4 * 2 * 40001 + 4 * 70003 + 2 * 3 * 100000);
        // DP: 4 groups of 2; 4 ranks hand over forward, 4 backward.
        Check("pp_comm: 50000 ep: 1 pp: 2", "3\n" + rows, tensor + 4 * 100000 + 8 * 50000);
    }

    /// @param keys of the header @param rows their number and they @param once bytes an iteration
    void Check(const std::string& keys, const std::string& rows, uint64_t once)
    {
        const std::string name = WriteFile(CreateTempDirFilename("w.txt"),
                                           "HYBRID_TRANSFORMER_FWD_IN_BCKWD "
                                           "model_parallel_NPU_group: 2 all_gpus: 8 " +
                                               keys + "\n" + rows);
        const Outcome outcome = Simulate(Make({"workload.format=simai", "workload.file=" + name}));
        NS_TEST_EXPECT_MSG_EQ(outcome.trouble, "", keys << ": complete, balanced");
        uint64_t bytes = 0;
        for (const auto& [pair, sum] : outcome.pairs)
        {
            bytes += sum.first;
        }
        NS_TEST_EXPECT_MSG_EQ(bytes, 2 * once, keys << ": bytes by hand");
    }
};

/// Errors of a user.
class ImportsThatDoNotFitAreRefused : public TestCase
{
  public:
    ImportsThatDoNotFitAreRefused()
        : TestCase("a workload beside a model, of another size, without a file or deadlocked never "
                   "starts a run")
    {
    }

  private:
    /// @param set overrides @return what is said
    std::string ErrorOfScenario(const Overrides& set)
    {
        return ErrorOf([&] { Simulation simulation(Make(set)); });
    }

    void Expect(const Overrides& set, const std::string& wanted)
    {
        const std::string error = ErrorOfScenario(set);
        NS_TEST_EXPECT_MSG_EQ((error.find(wanted) != std::string::npos),
                              true,
                              "'" << error << "' should say '" << wanted << "'");
        NS_TEST_EXPECT_MSG_EQ(error.find('\n'), std::string::npos, "one line");
    }

    void DoRun() override
    {
        const std::string name =
            WriteFile(CreateTempDirFilename("two.goal"),
                      "num_ranks 2 rank 0 { send 5b to 1 } rank 1 { recv 5b from 0 }");
        const std::string file = "workload.file=" + name;
        NS_TEST_EXPECT_MSG_EQ(ErrorOfScenario({"workload.format=goal", file}), "no error", "fine");
        Expect({"workload.format=goal", file, "model.config=gpt2"},
               "s.json: model.config: stands beside workload.format 'goal', which brings its own");
        Expect({"workload.format=goal", file, "training.seq_length=5"},
               "s.json: training.seq_length");
        Expect({"workload.format=goal", file, "parallelism.data_parallel_size=2"},
               "s.json: parallelism.data_parallel_size: stands beside");
        Expect({file},
               "s.json: workload.file: needs workload.format: simai, chakra, goal or flows");
        Expect({"workload.format=goal"}, "s.json: workload.file: is missing");
        Expect({"workload.format=goal", "workload.file=/nowhere.goal"},
               "s.json: workload.file: there is no file /nowhere.goal");
        Expect({"workload.format=got", file},
               "must be model, simai, chakra, goal, flows or pattern");
        Expect({"workload.format=goal", file, "workload.groups=x"},
               "s.json: workload.groups: is for chakra only");
        Expect({"workload.format=goal", file, "cluster.accelerators=4"},
               "s.json: cluster.accelerators: is 4, but " + name + " is for 2 ranks");
        Expect({"workload.format=goal",
                file,
                "fabric.topology=single-switch",
                "fabric.hosts=1",
                "cluster.accelerators_per_server=1"},
               "2 ranks");
        NS_TEST_EXPECT_MSG_EQ(
            ErrorOf([&] {
                ScenarioAnalysis analysis(Make({"workload.format=goal", file}), AnalysisConfig());
            }),
            "s.json: workload.format: is 'goal'; a closed form exists for models only",
            "nothing to analyse");
        WriteFile(name, "num_ranks 2 rank 0 { send 5b to 1 } rank 1 { recv 6b from 0 }");
        Expect({"workload.format=goal", file},
               name +
                   ": rank 1 operation 0: expects 6 bytes with tag 0 from rank 0, which sends 5");
        const std::string micro =
            WriteFile(CreateTempDirFilename("micro.txt"),
                      "MICRO\n1\nx -1 1 NONE 0 1 NONE 0 1 ALLREDUCE 4096 1\n");
        Expect({"workload.format=simai", "workload.file=" + micro, "fabric.topology=single-switch"},
               "s.json: cluster.accelerators: must be given");
        const Outcome outcome = Simulate(Make({"workload.format=simai", "workload.file=" + micro}));
        NS_TEST_EXPECT_MSG_EQ((outcome.workload.find("8 ranks") != std::string::npos),
                              true,
                              "a rank on every endpoint: " << outcome.workload);
        NS_TEST_EXPECT_MSG_EQ(outcome.trouble, "", "it runs");
    }
};

/// The command line.
class TheProgramExports : public TestCase
{
  public:
    TheProgramExports()
        : TestCase("llm-training-sim writes GOAL and Chakra, and says what it wrote")
    {
    }

  private:
    void DoRun() override
    {
        const std::string goal = CreateTempDirFilename("out.goal");
        const std::string scenario =
            WriteFile(CreateTempDirFilename("s.json"),
                      R"({"workload": {"format": "goal", "file": "in.goal"}})");
        WriteFile(CreateTempDirFilename("in.goal"),
                  "num_ranks 2 rank 0 { send 5b to 1 } rank 1 { recv 5b from 0 }");
        std::vector<std::string> words{"llm-training-sim", scenario, "--export-goal=" + goal};
        std::vector<char*> argv;
        for (std::string& word : words)
        {
            argv.push_back(word.data());
        }
        std::ostringstream out;
        std::ostringstream err;
        const int code = RunSimulationProgram(static_cast<int>(argv.size()), argv.data(), out, err);
        NS_TEST_EXPECT_MSG_EQ(code, 0, err.str());
        NS_TEST_EXPECT_MSG_EQ(
            (out.str().find("in.goal: GOAL, 2 ranks, 2 operations") != std::string::npos),
            true,
            out.str());
        NS_TEST_EXPECT_MSG_EQ(
            (out.str().find("GOAL: " + goal + ", 2 ranks, 1 sends of 5 B, 1 receives, 0 calcs") !=
             std::string::npos),
            true,
            out.str());
    }
};

/// @ingroup llm-training-tests
/// The suite of imported and exported workloads in scenarios.
class SimulationFormatsTestSuite : public TestSuite
{
  public:
    SimulationFormatsTestSuite()
        : TestSuite("llm-training-simulation-formats", ns3::TestSuite::Type::UNIT)
    {
        AddTestCase(new RoundTripsKeepTimeOnPackets, llm::TestDuration::QUICK);
        AddTestCase(new SimaiRunsOnPackets, llm::TestDuration::QUICK);
        AddTestCase(new ImportsThatDoNotFitAreRefused, llm::TestDuration::QUICK);
        AddTestCase(new TheProgramExports, llm::TestDuration::QUICK);
    }
};

SimulationFormatsTestSuite g_simulationFormatsTestSuite; //!< registers the suite

} // namespace

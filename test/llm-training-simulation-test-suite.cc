/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-training-error-of.h"

#include "ns3/config.h"
#include "ns3/llm-scenario-fields.h"
#include "ns3/llm-scenario-reader.h"
#include "ns3/llm-simulation-program.h"
#include "ns3/llm-simulation.h"
#include "ns3/llm-training-compat.h"
#include "ns3/rdma-nic.h"
#include "ns3/simulator.h"
#include "ns3/test.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <list>
#include <map>
#include <random>
#include <sstream>
#include <tuple>

using namespace ns3;
using namespace ns3::llm;

namespace
{

using llmtest::ErrorOf;

using Overrides = std::vector<std::string>;

const char* const TINY_MODEL = // a llama that fits a few packets
    "{\"model_type\":\"llama\",\"vocab_size\":512,\"hidden_size\":64,\"num_hidden_layers\":4,"
    "\"num_attention_heads\":4,\"num_key_value_heads\":4,\"intermediate_size\":128,"
    "\"max_position_embeddings\":64}";

/** @return a scenario: a tiny model on 8 accelerators, TP 2 x PP 2 x DP 2, no files. */
Scenario
Tiny(const Overrides& overrides = {})
{
    Overrides all{std::string("model.config=") + TINY_MODEL,
                  "parallelism.tensor_model_parallel_size=2",
                  "parallelism.pipeline_model_parallel_size=2",
                  "parallelism.data_parallel_size=2",
                  "training.global_batch_size=4",
                  "cluster.accelerators_per_server=2",
                  "fabric.leaves=2",
                  "fabric.spines=2",
                  "fabric.hosts_per_leaf=4",
                  "output.folder="};
    all.insert(all.end(), overrides.begin(), overrides.end());
    return ScenarioReader::ParseText("{}", "tiny.json", all);
}

/** @return a shipped scenario with overrides. */
Scenario
Shipped(const std::string& name, const Overrides& overrides)
{
    return ScenarioReader::ReadFile(std::string(LLM_TRAINING_SOURCE_DIR) + "/examples/scenarios/" +
                                        name,
                                    overrides);
}

/** @return content of a file. */
std::string
ReadAll(const std::string& path)
{
    std::ifstream file(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/** @return content of every file of a folder, by name. */
std::map<std::string, std::string>
ReadFolder(const std::string& folder)
{
    std::map<std::string, std::string> files;
    for (const auto& entry : std::filesystem::directory_iterator(folder))
    {
        files[entry.path().filename().string()] = ReadAll(entry.path().string());
    }
    return files;
}

/** Base: runs scenarios. */
class SimulationTestCase : public TestCase
{
  public:
    using TestCase::TestCase;

  protected:
    /** Runs to the end; it must complete with balanced books. @return the report. */
    RunReport RunWell(const Scenario& scenario, const std::string& what)
    {
        Simulation simulation(scenario);
        const bool good = simulation.Run();
        const RunReport report = simulation.GetReport();
        std::string why;
        for (const auto& line : report.failure)
        {
            why += line + "; ";
        }
        for (const auto& entry : report.books.GetEntries())
        {
            why += entry.IsBalanced() ? "" : entry.Describe() + "; ";
        }
        NS_TEST_EXPECT_MSG_EQ(good, true, what << ": " << why);
        NS_TEST_EXPECT_MSG_EQ(why, "", what);
        NS_TEST_EXPECT_MSG_GT_OR_EQ(report.books.GetEntries().size(), 5, what << ": books kept");
        return report;
    }

    /** @return a folder of its own for this test. */
    std::string Folder(const std::string& name)
    {
        return CreateTempDirFilename(name);
    }
};

/** The shipped scenarios with a few small layers. */
class ShippedScenariosRun : public SimulationTestCase
{
  public:
    ShippedScenariosRun()
        : SimulationTestCase("both shipped scenarios, shrunk, complete with balanced books")
    {
    }

  private:
    void DoRun() override
    {
        const RunReport gpt2 = RunWell(Shipped("gpt2-small.json",
                                               {"model.overrides.n_layer=2",
                                                "model.overrides.vocab_size=1024",
                                                "training.seq_length=64",
                                                "output.folder="}),
                                       "gpt2");
        NS_TEST_EXPECT_MSG_EQ(gpt2.jobs[0].rankClasses.size(), 2, "stages");
        NS_TEST_EXPECT_MSG_EQ(gpt2.placement.size(), 8, "servers");
        NS_TEST_EXPECT_MSG_GT(gpt2.flows.count, 0, "flows");
        const RunReport llama = RunWell(Shipped("llama3-8b-32.json",
                                                {"model.overrides.num_hidden_layers=2",
                                                 "model.overrides.hidden_size=256",
                                                 "model.overrides.intermediate_size=512",
                                                 "model.overrides.vocab_size=1024",
                                                 "training.seq_length=128",
                                                 "output.folder="}),
                                        "llama");
        NS_TEST_EXPECT_MSG_EQ(llama.jobs[0].rankClasses[0].ranks, 16, "ranks of a stage");
        for (const auto& traffic : llama.jobs[0].traffic)
        {
            const bool tensor = traffic.dimension == ParallelDimension::TENSOR;
            const bool pipeline = traffic.dimension == ParallelDimension::PIPELINE;
            NS_TEST_EXPECT_MSG_EQ((tensor ? traffic.networkBytes : 0), 0, "TP in the servers");
            NS_TEST_EXPECT_MSG_EQ((pipeline ? traffic.scaleUpBytes : 0), 0, "PP between servers");
        }
    }
};

/** Random configurations. */
class RandomScenariosBalance : public SimulationTestCase
{
  public:
    RandomScenariosBalance()
        : SimulationTestCase("ten seeded random scenarios complete with balanced books")
    {
    }

  private:
    /** @return "path=value". */
    template <typename T>
    static std::string Set(const std::string& path, const T& value)
    {
        std::ostringstream text;
        text << path << "=" << value;
        return text.str();
    }

    static Scenario Draw(uint32_t seed)
    {
        std::mt19937 random(seed);
        const auto among = [&random](const std::vector<std::string>& values) {
            return values[random() % values.size()];
        };
        const uint32_t tp = 1U << (random() % 3);
        const uint32_t pp = 1U << (random() % 2);
        const uint32_t dp = 1 + random() % 3;
        const uint32_t perServer = 1U << (random() % 3);
        Overrides set{Set("parallelism.tensor_model_parallel_size", tp),
                      Set("parallelism.pipeline_model_parallel_size", pp),
                      Set("parallelism.data_parallel_size", dp),
                      Set("training.global_batch_size", dp * (1 + random() % 4)),
                      Set("training.grad_reduce_dtype", among({"fp32", "bf16"})),
                      Set("parallelism.sequence_parallel", among({"true", "false"})),
                      Set("cluster.accelerators_per_server", perServer),
                      Set("iterations", 1 + random() % 2),
                      Set("run", seed),
                      Set("fabric.topology", among({"single-switch", "leaf-spine", "fat-tree"})),
                      Set("fabric.hosts", 24),
                      Set("fabric.leaves", 6),
                      Set("fabric.spines", 1 + random() % 4),
                      Set("fabric.k", 6),
                      Set("fabric.host_rate", among({"25Gbps", "100Gbps", "400Gbps"})),
                      Set("fabric.uplink_rate", among({"40Gbps", "200Gbps", "800Gbps"})),
                      Set("fabric.uplink_delay", among({"1ns", "500ns", "5us"})),
                      Set("fabric.path_mtu", among({"256", "1024", "4096"})),
                      Set("fabric.loss_rate", among({"0", "0", "0.001"})),
                      Set("fabric.ecn", among({"true", "false"})),
                      Set("fabric.pfc", among({"true", "true", "false"})),
                      Set("transport.congestion_control", among({"dcqcn", "none"})),
                      Set("transport.ack_interval", 1 + random() % 16),
                      Set("collectives.channels", 1 + random() % 3),
                      Set("collectives.slice_bytes", among({"0", "4096", "1000"})),
                      "transport.attributes.RetransmissionTimeout=200us"};
        if (set[9] == "fabric.topology=fat-tree" && perServer == 4)
        {
            set.push_back("cluster.accelerators_per_server=2"); // 54 hosts are no multiple of 4
        }
        if (set[9] == "fabric.topology=leaf-spine")
        {
            set.push_back("fabric.hosts_per_leaf=4");
        }
        return Tiny(set);
    }

    void DoRun() override
    {
        for (uint32_t seed = 1; seed <= 10; ++seed)
        {
            RunWell(Draw(seed), "seed " + std::to_string(seed));
        }
    }
};

/** Experts and context parallelism on packets. */
class ExpertsAndContextRun : public SimulationTestCase
{
  public:
    ExpertsAndContextRun()
        : SimulationTestCase("experts by every dispatcher and context parallelism of every type "
                             "complete on packets with balanced books")
    {
    }

  private:
    void DoRun() override
    {
        const Overrides base{
            "model.config={\"model_type\":\"mixtral\",\"vocab_size\":1000,\"hidden_size\":64,"
            "\"num_hidden_layers\":2,\"num_attention_heads\":8,\"num_key_value_heads\":4,"
            "\"intermediate_size\":96,\"num_local_experts\":8,\"num_experts_per_tok\":2,"
            "\"max_position_embeddings\":64}",
            "parallelism.pipeline_model_parallel_size=1",
            "parallelism.context_parallel_size=2",
            "parallelism.sequence_parallel=true",
            "parallelism.expert_model_parallel_size=4",
            "parallelism.expert_tensor_parallel_size=1",
            "training.moe_expert_skew=0.8"};
        const std::string dispatcher = "training.moe_token_dispatcher_type=";
        const std::string type = "parallelism.cp_comm_type=";
        for (const auto& more :
             {Overrides{dispatcher + "alltoall", type + "p2p"},
              Overrides{dispatcher + "allgather", type + "all_gather"},
              Overrides{dispatcher + "flex", type + "a2a", "training.moe_dispatch_dtype=fp8"},
              Overrides{"parallelism.tensor_model_parallel_size=1",
                        "parallelism.context_parallel_size=4",
                        type + "a2a+p2p",
                        "parallelism.hierarchical_context_parallel_size=2",
                        "parallelism.expert_tensor_parallel_size=2"}})
        {
            Overrides set = base;
            set.insert(set.end(), more.begin(), more.end());
            RunWell(Tiny(set), more[0] + " " + more[1]);
        }
    }
};

/** Pipelines. */
class EveryPipelineScheduleRuns : public SimulationTestCase
{
  public:
    EveryPipelineScheduleRuns()
        : SimulationTestCase(
              "every pipeline schedule completes on packets with balanced books; bad "
              "ones never start")
    {
    }

  private:
    static Scenario Pipeline(const Overrides& more)
    {
        Overrides set{"parallelism.pipeline_model_parallel_size=4",
                      "parallelism.tensor_model_parallel_size=1",
                      "model.overrides.num_hidden_layers=8",
                      "training.global_batch_size=16"};
        set.insert(set.end(), more.begin(), more.end());
        return Tiny(set);
    }

    static std::string Refusal(const Overrides& more)
    {
        return ErrorOf([&more] { Simulation simulation(Pipeline(more)); });
    }

    void DoRun() override
    {
        const std::string schedule = "parallelism.pipeline_schedule=";
        const std::string chunks = "parallelism.virtual_pipeline_model_parallel_size=";
        const std::string layout = "parallelism.pipeline_model_parallel_layout=";
        for (const auto& more : {Overrides{schedule + "gpipe"},
                                 Overrides{schedule + "1f1b"},
                                 Overrides{chunks + "2"},
                                 Overrides{chunks + "2", layout + "\"0,1,1,1,2,1,1,1\""},
                                 Overrides{schedule + "zb_h1", layout + "E|(ttt|)*2ttL"},
                                 Overrides{schedule + "dualpipe"}})
        {
            const RunReport report = RunWell(Pipeline(more), more.front());
            NS_TEST_EXPECT_MSG_EQ(report.jobs[0].rankClasses.size(), 4, "ranks of the pipeline");
            // A rank with several stages is none.
            const bool several =
                more.front() == chunks + "2" || more.front() == schedule + "dualpipe";
            NS_TEST_EXPECT_MSG_EQ(report.jobs[0].rankClasses[1].name,
                                  (several ? "pipeline rank 1" : "stage 1"),
                                  "name");
        }
        const std::string file = "tiny.json: parallelism.";
        NS_TEST_EXPECT_MSG_EQ(Refusal({schedule + "1f1"}),
                              "command line: parallelism.pipeline_schedule: must be gpipe, 1f1b, "
                              "zb_h1 or dualpipe, is \"1f1\"",
                              "choice");
        NS_TEST_EXPECT_MSG_EQ(
            Refusal({schedule + "dualpipe", "parallelism.pipeline_model_parallel_size=1"}),
            file + "pipeline_schedule: dualpipe needs an even "
                   "pipeline_model_parallel_size, which is 1",
            "odd");
        NS_TEST_EXPECT_MSG_EQ(Refusal({schedule + "zb_h1", chunks + "2"}),
                              file + "virtual_pipeline_model_parallel_size: is 2, but "
                                     "pipeline_schedule 'zb_h1' needs 1; only 1f1b interleaves "
                                     "chunks",
                              "chunks");
        NS_TEST_EXPECT_MSG_EQ(Refusal({layout + "2,2,2,1"}),
                              file + "pipeline_model_parallel_layout: '2,2,2,1' has 7 layers, the "
                                     "model has 8 (num_hidden_layers)",
                              "layers");
    }
};

/** Law: same input, same output. */
class OutputsAreReproducible : public SimulationTestCase
{
  public:
    OutputsAreReproducible()
        : SimulationTestCase("files are identical, run to run and on either event queue")
    {
    }

  private:
    std::map<std::string, std::string> Produce(const std::string& name, const Overrides& more)
    {
        const std::string folder = Folder(name);
        Overrides set{"output.folder=" + folder,
                      "output.pcap=[\"host0\", \"leaf0:0\"]",
                      "fabric.uplink_rate=100Gbps",
                      "fabric.spines=1",
                      "cluster.placement=[0,1,4,5,2,3,6,7]",
                      "fabric.alpha=0.002",
                      "fabric.ecn_kmin=1kB",
                      "fabric.ecn_kmax=4kB",
                      "fabric.loss_rate=0.0005",
                      "fabric.path_mtu=1024",
                      "transport.attributes.RetransmissionTimeout=200us",
                      "iterations=2",
                      "output.queue_interval=1us",
                      "watchdog.stall_time=1s"};
        set.insert(set.end(), more.begin(), more.end());
        RunWell(Tiny(set), name);
        return ReadFolder(folder);
    }

    void DoRun() override
    {
        const auto first = Produce("first", {});
        NS_TEST_EXPECT_MSG_EQ(first.size(), 8, "six tables and two captures");
        for (const auto& [name, content] : first)
        {
            NS_TEST_EXPECT_MSG_GT(content.size(), 120, name << " has rows");
        }
        const auto again = Produce("again", {});
        const auto portable = Produce("portable", {"simulator.event_queue=portable"});
        const auto other = Produce("other", {"run=2"});
        for (const auto& [name, content] : first)
        {
            NS_TEST_EXPECT_MSG_EQ((again.at(name) == content), true, name << ", run again");
            NS_TEST_EXPECT_MSG_EQ((portable.at(name) == content), true, name << ", portable");
        }
        NS_TEST_EXPECT_MSG_EQ((other.at("flows.csv") == first.at("flows.csv")),
                              false,
                              "another run number loses other packets");
    }
};

/** Layouts. */
class WorldMustFit : public SimulationTestCase
{
  public:
    WorldMustFit()
        : SimulationTestCase("TP x PP x DP must be the number of ranks, ranks must find endpoints")
    {
    }

  private:
    /** @return error of building such a simulation. */
    static std::string Build(const Overrides& set)
    {
        return ErrorOf([&] { Simulation simulation(Tiny(set)); });
    }

    /** Expects an error that begins so and holds every one of the words. */
    void Expect(const Overrides& set, const std::string& start, const Overrides& words)
    {
        const std::string error = Build(set);
        NS_TEST_EXPECT_MSG_EQ(error.substr(0, start.size()), start, error);
        NS_TEST_EXPECT_MSG_EQ(error.find('\n'), std::string::npos, "one line");
        for (const auto& word : words)
        {
            NS_TEST_EXPECT_MSG_NE(error.find(word), std::string::npos, word << " in: " << error);
        }
    }

    void DoRun() override
    {
        Expect({"parallelism.tensor_model_parallel_size=8",
                "parallelism.pipeline_model_parallel_size=1",
                "parallelism.data_parallel_size=0",
                "cluster.accelerators=1"},
               "tiny.json: parallelism",
               {"8", "1"});
        Expect({"parallelism.tensor_model_parallel_size=3",
                "parallelism.pipeline_model_parallel_size=1",
                "parallelism.data_parallel_size=0",
                "cluster.accelerators=8"},
               "tiny.json: parallelism",
               {"3", "8"});
        Expect({"parallelism.data_parallel_size=32",
                "training.global_batch_size=32",
                "fabric.leaves=8",
                "fabric.hosts_per_leaf=8"},
               "tiny.json: cluster",
               {"128 ranks", "64 endpoints"});
        Expect({"cluster.placement=[0,1,2]"}, "tiny.json: cluster", {"3 endpoints", "8 ranks"});
        Expect({"fabric.topology=fat-tree", "fabric.k=5"}, "tiny.json: fabric", {"even", "5"});
        Expect({"fabric.hosts_per_leaf=5"}, "no error", {});
        Expect({"fabric.hosts_per_leaf=5", "fabric.leaves=3"},
               "tiny.json: fabric",
               {"servers of 2", "15 endpoints"});
    }
};

/** Eight ranks on 128 hosts; four stages of a pod. */
class PlacementIsPrinted : public SimulationTestCase
{
  public:
    PlacementIsPrinted()
        : SimulationTestCase("8 ranks on 128 hosts run, where the placement says")
    {
    }

  private:
    void DoRun() override
    {
        const RunReport report = RunWell(Tiny({"fabric.leaves=16",
                                               "fabric.hosts_per_leaf=8",
                                               "cluster.placement=[0,1,16,17,127,126,64,65]"}),
                                         "placed");
        const std::string text = FormatRunReport(report);
        NS_TEST_EXPECT_MSG_NE(text.find("server 8: rank 2-3 on host 16-17"),
                              std::string::npos,
                              text);
        NS_TEST_EXPECT_MSG_NE(text.find("server 63: rank 4 on host 127, rank 5 on host 126"),
                              std::string::npos,
                              text);
    }
};

/** TP 4, PP 2 on 32 accelerators. */
class ThirtyTwoRanksHaveMegatronsGroups : public SimulationTestCase
{
  public:
    ThirtyTwoRanksHaveMegatronsGroups()
        : SimulationTestCase("TP 4 x PP 2 on 32 gives DP 4, Megatron's groups, and ends")
    {
    }

  private:
    void DoRun() override
    {
        Simulation simulation(Tiny({"parallelism.tensor_model_parallel_size=4",
                                    "parallelism.data_parallel_size=0",
                                    "cluster.accelerators_per_server=4",
                                    "fabric.leaves=4",
                                    "fabric.hosts_per_leaf=8"}));
        std::vector<std::vector<uint32_t>> groups;
        for (const auto& group : simulation.GetJob()->GetWorkload()->GetGroups())
        {
            if (group.name == "dp")
            {
                groups.push_back(group.ranks);
            }
        }
        NS_TEST_EXPECT_MSG_EQ(groups.size(), 8, "8 groups of 4");
        const auto has = [&groups](const std::vector<uint32_t>& ranks) {
            return std::find(groups.begin(), groups.end(), ranks) != groups.end();
        };
        NS_TEST_EXPECT_MSG_EQ(has({0, 4, 8, 12}), true, "group of rank 0");
        NS_TEST_EXPECT_MSG_EQ(has({16, 20, 24, 28}), true, "group of rank 16");
        NS_TEST_EXPECT_MSG_EQ(simulation.Run(), true, "ends");
        bool next = false;
        for (const auto& pair : simulation.GetJob()->GetTraffic().GetPairs())
        {
            next = next || (pair.from == 0 && pair.to == 16 &&
                            pair.dimension == ParallelDimension::PIPELINE);
        }
        NS_TEST_EXPECT_MSG_EQ(next, true, "rank 0's next stage is rank 16");
    }
};

/** Law: a run ends, or says why. */
class FailedRunsSayWhy : public SimulationTestCase
{
  public:
    FailedRunsSayWhy()
        : SimulationTestCase("a run that is cut off or cannot deliver names what is open")
    {
    }

  private:
    void DoRun() override
    {
        const std::string folder = Folder("cut");
        {
            Simulation simulation(
                Tiny({"simulator.stop_after=60us", "output.folder=" + folder, "iterations=50"}));
            NS_TEST_EXPECT_MSG_EQ(simulation.Run(), false, "cut off");
            const auto& failure = simulation.GetReport().failure;
            NS_TEST_ASSERT_MSG_GT(failure.size(), 1, "open operations are listed");
            NS_TEST_EXPECT_MSG_NE(failure[0].find("60 us"), std::string::npos, failure[0]);
            NS_TEST_EXPECT_MSG_NE(failure[1].find("rank"), std::string::npos, failure[1]);
            // Tables are whole rows at any time.
            for (const auto& [name, content] : ReadFolder(folder))
            {
                if (name.find(".csv") == std::string::npos)
                {
                    continue;
                }
                std::istringstream lines(content);
                std::string line;
                std::getline(lines, line);
                const auto commas = std::count(line.begin(), line.end(), ',');
                while (std::getline(lines, line))
                {
                    NS_TEST_EXPECT_MSG_EQ(std::count(line.begin(), line.end(), ','),
                                          commas,
                                          name << ": " << line);
                }
                NS_TEST_EXPECT_MSG_EQ(content.back(), '\n', name);
            }
        }
        ExpectGivenUp();
        ExpectStall();
    }

    /** A queue pair gives up. */
    void ExpectGivenUp()
    {
        Simulation simulation(Tiny({"fabric.loss_rate=0.5",
                                    "transport.attributes.RetransmissionTimeout=20us",
                                    "transport.attributes.RetryCount=1"}));
        NS_TEST_EXPECT_MSG_EQ(simulation.Run(), false, "half of all frames are lost");
        const auto& failure = simulation.GetReport().failure;
        NS_TEST_ASSERT_MSG_EQ(failure.empty(), false, "a reason");
        NS_TEST_EXPECT_MSG_NE(failure[0].find("rank"), std::string::npos, failure[0]);
    }

    /** Nothing moves for longer than the watchdog waits. */
    void ExpectStall()
    {
        Simulation simulation(Tiny({"fabric.loss_rate=0.5",
                                    "transport.attributes.RetransmissionTimeout=1s",
                                    "watchdog.stall_time=1ms"}));
        NS_TEST_EXPECT_MSG_EQ(simulation.Run(), false, "stalled");
        const auto& failure = simulation.GetReport().failure;
        NS_TEST_ASSERT_MSG_GT(failure.size(), 1, "open operations are listed");
        NS_TEST_EXPECT_MSG_NE(failure[0].find("no progress"), std::string::npos, failure[0]);
        std::string all;
        for (const auto& line : failure)
        {
            all += line + "\n";
        }
        NS_TEST_EXPECT_MSG_NE(all.find("rank 0"), std::string::npos, all);
        NS_TEST_EXPECT_MSG_LT(Simulator::Now(), Seconds(1), "before the timeout");
    }
};

/** Another congestion control changes something. */
class CongestionControlMatters : public SimulationTestCase
{
  public:
    CongestionControlMatters()
        : SimulationTestCase("without DCQCN there are no CNPs and more pauses; every rate works")
    {
    }

  private:
    static Overrides Congested(const std::string& control, const std::string& rate)
    {
        // All traffic of 4 hosts through one uplink of a quarter of their rate.
        return {"parallelism.tensor_model_parallel_size=1",
                "parallelism.pipeline_model_parallel_size=1",
                "parallelism.data_parallel_size=8",
                "training.global_batch_size=8",
                "cluster.accelerators_per_server=1",
                "cluster.placement=[0,4,1,5,2,6,3,7]",
                "model.overrides.intermediate_size=8192",
                "fabric.spines=1",
                "fabric.host_rate=" + rate,
                "fabric.uplink_rate=" + rate,
                "fabric.buffer=2MiB",
                "fabric.ecn_kmin=" + std::string(rate == "25Gbps" ? "10kB" : "0"),
                "fabric.ecn_kmax=" + std::string(rate == "25Gbps" ? "40kB" : "0"),
                "transport.congestion_control=" + control};
    }

    void DoRun() override
    {
        const RunReport dcqcn = RunWell(Tiny(Congested("dcqcn", "25Gbps")), "dcqcn");
        const RunReport none = RunWell(Tiny(Congested("none", "25Gbps")), "none");
        NS_TEST_EXPECT_MSG_GT(dcqcn.network.cnpsReceived, 0, "CNPs with DCQCN");
        NS_TEST_EXPECT_MSG_EQ(none.network.cnpsReceived, 0, "no CNPs without");
        const auto pauses = [](const RunReport& r) {
            return r.fabric.hosts.pauses + r.fabric.switches.pauses;
        };
        NS_TEST_EXPECT_MSG_GT(pauses(none), pauses(dcqcn), "more pauses without");
        NS_TEST_EXPECT_MSG_EQ(none.fabric.hosts.drops + none.fabric.switches.drops, 0, "lossless");
        for (const std::string rate : {"10Gbps", "40Gbps", "100Gbps", "400Gbps", "800Gbps"})
        {
            RunWell(Tiny({"fabric.host_rate=" + rate, "fabric.uplink_rate=" + rate}), rate);
        }
    }
};

/** Everything else that can be written wrongly. */
class BadInputNeverStarts : public SimulationTestCase
{
  public:
    BadInputNeverStarts()
        : SimulationTestCase("bad names, attributes, buffers and folders are refused in one line")
    {
    }

  private:
    void Expect(const Overrides& set, const std::string& start, const std::string& word)
    {
        const std::string error = ErrorOf([&] { Simulation simulation(Tiny(set)); });
        NS_TEST_EXPECT_MSG_EQ(error.substr(0, start.size()), start, error);
        NS_TEST_EXPECT_MSG_NE(error.find(word), std::string::npos, word << " in: " << error);
        NS_TEST_EXPECT_MSG_EQ(error.find('\n'), std::string::npos, "one line: " << error);
    }

    void DoRun() override
    {
        Expect({"model.config=gtp2"}, "tiny.json: model.config: ", "did you mean 'gpt2'?");
        Expect({"model.config=gpt2", "model.overrides.n_layers=2"},
               "tiny.json: model.overrides.n_layers: ",
               "did you mean 'n_layer'?");
        Expect({"model.overrides.num_hidden_layers=0"}, "tiny.json: model.config", "num_hidden");
        Expect({"training.global_batch_size=3"}, "tiny.json: training", "3");
        Expect({"collectives.all_reduce=chimney"}, "tiny.json: collectives.all_reduce: ", "ring");
        Expect({"transport.congestion_control=dcqnc"},
               "tiny.json: transport.congestion_control: ",
               "dcqcn");
        Expect({"transport.congestion_control_attributes.RateAI=5Mbps"},
               "tiny.json: transport.congestion_control_attributes.RateAI: ",
               "did you mean 'RateAi'?");
        Expect({"transport.congestion_control_attributes.RateAi=fast"},
               "tiny.json: transport.congestion_control_attributes.RateAi: ",
               "'fast' is no valid");
        const std::string attributes = "transport.congestion_control_attributes";
        Expect({attributes + ".G=x"},
               "tiny.json: " + attributes + ".G: ",
               "'x' is no valid DoubleValue (double 0:1)");
        Expect({attributes + ".G=0.5x"}, "tiny.json: " + attributes + ".G: ", "is no valid");
        Expect({"transport.attributes.InitialPsn=-1"},
               "tiny.json: transport.attributes.InitialPsn: ",
               "'-1' is no valid UintegerValue");
        Expect({"transport.attributes.InitialPsn=1e3"},
               "tiny.json: transport.attributes.InitialPsn: ",
               "is no valid");
        Expect({"transport.attributes.PathSelector=ns3::Nothing"},
               "tiny.json: transport.attributes.PathSelector: ",
               "'ns3::Nothing' is no type that can be made");
        Expect({"transport.attributes.RetransmissionTimeout=soon"},
               "tiny.json: transport.attributes.RetransmissionTimeout: ",
               "'soon' is not a duration");
        Expect({"transport.kind=tcp", "transport.congestion_control=dcqcn"},
               "tiny.json: transport.congestion_control: ",
               "ns3::TcpCubic");
        Expect({"transport.kind=tcp", "transport.congestion_control_attributes.G=1"},
               "tiny.json: transport.congestion_control_attributes: ",
               "only rdma");
        for (const std::string kind :
             {"all_gather", "reduce_scatter", "broadcast", "reduce", "all_to_all"})
        {
            Expect({"collectives." + kind + "=chimney"},
                   "tiny.json: collectives." + kind + ": ",
                   "\"chimney\" is not supported; known are auto, ring");
        }
        Expect({"collectives.broadcast=direct"},
               "tiny.json: collectives.broadcast: ",
               "not broadcast");
        Expect({"fabric.host_rate=1Mbps"},
               "tiny.json: transport.congestion_control: ",
               "10Mbps is above the line rate 1Mbps");
        Expect({"fabric.lossless_classes=[3,4,3]"},
               "tiny.json: fabric.lossless_classes[2]: ",
               "class 3 stands in the list twice");
        Expect({"fabric.lossless_classes=[]"},
               "tiny.json: fabric.lossless_classes: ",
               "fabric.pfc is true");
        Expect({"watchdog.stall_time=1ps"}, "command line: watchdog.stall_time: ", "from 1us");
        Expect({"accelerator.fixed_layer_forward=9000000s"},
               "tiny.json: accelerator.fixed_layer_forward",
               "an hour");
        Expect({"fabric.buffer=100kB"}, "tiny.json: fabric: ", "100000");
        Expect({"fabric.ecn_kmin=2MB", "fabric.ecn_kmax=1MB"}, "tiny.json: fabric: ", "2000000");
        Expect({"output.folder=" + Folder("pcap"), "output.pcap=[\"leaf9:0\"]"},
               "tiny.json: output.pcap[0]: ",
               "did you mean 'leaf0:0'?");
        Expect({"output.folder=" + Folder("twice"), "output.pcap=[\"host0\", \"host0:0\"]"},
               "tiny.json: output.pcap[1]: ",
               "'host0:0' is port host0:0, as is 'host0' before it");
        // A file stands where a folder should be: nobody can write there, root neither.
        const std::string file = CreateTempDirFilename("file");
        std::ofstream(file) << "x";
        Expect({"output.folder=" + file}, file + ": ", "cannot be made");
        const std::string folder = Folder("blocked");
        std::filesystem::create_directories(folder + "/flows.csv");
        Expect({"output.folder=" + folder},
               folder + "/flows.csv: ",
               "cannot be written: Is a directory");
        Expect({"output.folder=" + file + "/below"}, file + "/below: ", "cannot be made");
    }
};

/** The report, for people and for programs. */
class ReportIsReadable : public SimulationTestCase
{
  public:
    ReportIsReadable()
        : SimulationTestCase(
              "the report fits 80 columns and says '0 PFC events'; tables have heads")
    {
    }

  private:
    void DoRun() override
    {
        const std::string folder = Folder("quiet");
        const RunReport report = RunWell(Tiny({"output.folder=" + folder}), "quiet");
        const std::string text = FormatRunReport(report);
        std::istringstream lines(text);
        std::string line;
        while (std::getline(lines, line))
        {
            NS_TEST_EXPECT_MSG_LT_OR_EQ(line.size(), 80, line);
        }
        NS_TEST_EXPECT_MSG_NE(text.find("0 PFC events"), std::string::npos, text);
        NS_TEST_EXPECT_MSG_NE(text.find("balanced to the byte"), std::string::npos, text);
        NS_TEST_EXPECT_MSG_EQ(ReadAll(folder + "/pfc.csv"),
                              "time_us,port,event,class,quanta\n",
                              "an empty table still says what it would hold");
        NS_TEST_EXPECT_MSG_EQ(ReadAll(folder + "/ecn.csv"),
                              "interval_start_us,port,class,marked_frames,marked_bytes\n",
                              "an empty table still says what it would hold");
        const std::string summary = ReadAll(folder + "/summary.json");
        NS_TEST_EXPECT_MSG_EQ(summary, FormatRunSummary(report), "summary.json");
        NS_TEST_EXPECT_MSG_NE(summary.find("\"pfc_pauses\": 0"), std::string::npos, "by name");
        // The sum of what a rank did is its time.
        const IterationRecord& iteration = report.jobs[0].iterations.at(0);
        for (const auto& c : report.jobs[0].rankClasses)
        {
            NS_TEST_EXPECT_MSG_LT_OR_EQ(c.compute + c.exposed + c.bubble,
                                        iteration.duration,
                                        c.name << " within the iteration");
            NS_TEST_EXPECT_MSG_GT(c.compute, 0, c.name << " computes");
        }
    }
};

/** TCP. */
class TcpRunsOnTheSamePorts : public SimulationTestCase
{
  public:
    TcpRunsOnTheSamePorts()
        : SimulationTestCase("the same scenario over TCP delivers the same bytes")
    {
    }

  private:
    void DoRun() override
    {
        const RunReport rdma = RunWell(Tiny(), "rdma");
        const RunReport tcp = RunWell(Tiny({"transport.kind=tcp"}), "tcp");
        NS_TEST_EXPECT_MSG_EQ(tcp.network.bytesDelivered, rdma.network.bytesDelivered, "bytes");
        NS_TEST_EXPECT_MSG_EQ(tcp.network.dataPackets, 0, "no RDMA packets");
        NS_TEST_EXPECT_MSG_GT(tcp.fabric.hosts.txBytes, tcp.network.bytesDelivered, "on the ports");
    }
};

/** Config paths. */
class TracesHaveConfigPaths : public SimulationTestCase
{
  public:
    TracesHaveConfigPaths()
        : SimulationTestCase("every documented trace source is reached by its Config path")
    {
    }

  private:
    /** Counts calls, whatever the arguments. */
    template <typename... T>
    static void Count(uint64_t* calls, T...)
    {
        ++*calls;
    }

    /** Connects a sink with these arguments. */
    template <typename... T>
    void Connect(const std::string& path, bool fires)
    {
        m_calls.emplace_back(path, 0, fires);
        const bool connected = Config::ConnectWithoutContextFailSafe(
            path,
            MakeBoundCallback(&TracesHaveConfigPaths::Count<T...>, &std::get<1>(m_calls.back())));
        NS_TEST_EXPECT_MSG_EQ(connected, true, path);
    }

    void DoRun() override
    {
        Simulation simulation(Tiny({"fabric.spines=1",
                                    "fabric.ecn_kmin=1kB",
                                    "fabric.ecn_kmax=2kB",
                                    "fabric.alpha=0.002",
                                    "cluster.placement=[0,1,4,5,2,3,6,7]",
                                    "model.overrides.intermediate_size=256",
                                    "fabric.loss_rate=0.001",
                                    "fabric.path_mtu=1024",
                                    "transport.attributes.RetransmissionTimeout=200us"}));
        const std::string port = "/NodeList/*/DeviceList/*/$ns3::llm::FabricPort/";
        using Port = const FabricPort*;
        Connect<Port, uint8_t, uint16_t>(port + "PfcSent", true);
        Connect<Port, uint8_t, uint16_t>(port + "PfcPause", true);
        Connect<Port, uint8_t, uint16_t>(port + "PfcResume", true);
        Connect<Port, const Frame&>(port + "EcnMark", true);
        Connect<Port, const Frame&, DropReason>(port + "FrameDrop", true);
        Connect<Port, uint8_t, uint64_t>(port + "QueueBytes", true);
        for (const std::string name : {"MacTx",
                                       "MacRx",
                                       "MacPromiscRx",
                                       "PhyTxBegin",
                                       "PhyTxEnd",
                                       "PhyRxEnd",
                                       "Sniffer",
                                       "PromiscSniffer"})
        {
            Connect<Ptr<const Packet>>(port + name, true);
        }
        Connect<Ptr<const Packet>>(port + "PhyRxDrop", true);
        Connect<Ptr<const Packet>>(port + "MacTxDrop", false);
        const std::string nic = "/NodeList/*/$ns3::llm::RdmaNic/";
        Connect<const RdmaQueuePair&>(nic + "CnpSent", true);
        Connect<const RdmaQueuePair&>(nic + "CnpReceived", true);
        Connect<const RdmaQueuePair&, uint64_t>(nic + "Rate", true);
        Connect<const RdmaQueuePair&, uint64_t>(nic + "Window", false);
        Connect<const RdmaQueuePair&>(nic + "RetransmissionTimeout", false);
        const std::string rank = "/NodeList/*/ApplicationList/*/$ns3::llm::LlmTrainingApplication/";
        using Op = const Operation&;
        Connect<uint32_t, uint32_t, Op, int64_t, int64_t>(rank + "OperationStart", true);
        Connect<uint32_t, uint32_t, Op, int64_t, int64_t>(rank + "OperationEnd", true);
        Connect<uint32_t, uint32_t, int64_t, int64_t>(rank + "IterationEnd", true);
        const std::string job =
            "/NodeList/" + std::to_string(simulation.GetJob()->GetRank(0)->GetNode()->GetId()) +
            "/ApplicationList/0/$ns3::llm::LlmTrainingApplication/Job/";
        Connect<const CollectiveRecord&>(job + "CollectiveEnd", true);
        Connect<uint32_t, const IterationRecord&>(job + "IterationEnd", true);
        Connect<const Message&, int64_t>(job + "Transport/MessageStart", true);
        Connect<const Message&, int64_t>(job + "Transport/MessageEnd", true);
        Connect<const Message&, int64_t>(job + "Transport/Network/MessageEnd", true);
        Connect<const Message&, int64_t>(job + "Transport/ScaleUp/MessageEnd", true);
        NS_TEST_EXPECT_MSG_EQ(simulation.Run(), true, "runs");
        for (const auto& [path, calls, fires] : m_calls)
        {
            NS_TEST_EXPECT_MSG_EQ((calls > 0 || !fires), true, path << " fires");
        }
    }

    std::list<std::tuple<std::string, uint64_t, bool>> m_calls; //!< path, calls, whether it must
};

/** The program. */
class ProgramTellsByItsExitCode : public SimulationTestCase
{
  public:
    ProgramTellsByItsExitCode()
        : SimulationTestCase("the program exits with 0, 1 or 2, and with one line of bad input")
    {
    }

  private:
    struct Result
    {
        int code;        //!< exit code
        std::string out; //!< standard output
        std::string err; //!< standard error
    };

    static Result Call(const Overrides& arguments)
    {
        std::ostringstream out;
        return CallInto(out, arguments);
    }

    static Result CallInto(std::ostringstream& out, Overrides arguments)
    {
        arguments.insert(arguments.begin(), "llm-training-sim");
        std::vector<char*> argv;
        for (auto& argument : arguments)
        {
            argv.push_back(argument.data());
        }
        std::ostringstream err;
        const int code = RunSimulationProgram(static_cast<int>(argv.size()), argv.data(), out, err);
        return {code, out.str(), err.str()};
    }

    void ExpectBad(const Overrides& arguments, const std::string& message)
    {
        const Result result = Call(arguments);
        NS_TEST_EXPECT_MSG_EQ(result.code, 2, message);
        NS_TEST_EXPECT_MSG_EQ(result.err, message + "\n", "one line");
        NS_TEST_EXPECT_MSG_EQ(result.out, "", "nothing ran");
    }

    /** All links are dead: whatever the loss recovery, the run ends and says why. */
    void ExpectDead(const std::string& file)
    {
        for (const char* scheme : {"go_back_n", "go_back_0", "selective_repeat", "out_of_order"})
        {
            const Result dead = Call({file,
                                      "--set",
                                      "fabric.loss_rate=1",
                                      "--set",
                                      std::string("transport.reliability=") + scheme,
                                      "--set",
                                      "transport.timers=scaled",
                                      "--set",
                                      "transport.retry_count=2"});
            NS_TEST_EXPECT_MSG_EQ(dead.code, 1, scheme);
            for (const char* part : {"queue pair 2 of rank ",
                                     " to queue pair 2 of rank ",
                                     "PSN 0 after 2 retries",
                                     "3 timeouts in all",
                                     "B sent and not acknowledged"})
            {
                NS_TEST_EXPECT_MSG_NE(dead.err.find(part), std::string::npos, dead.err);
            }
        }
    }

    void DoRun() override
    {
        const std::string file = CreateTempDirFilename("tiny.json");
        std::ofstream(file) << "{\"model\": {\"config\": " << TINY_MODEL
                            << "}, \"parallelism\": {\"data_parallel_size\": 4},"
                               " \"cluster\": {\"accelerators_per_server\": 2},"
                               " \"output\": {\"folder\": \"\"}}";
        const Result good = Call({file});
        NS_TEST_EXPECT_MSG_EQ(good.code, 0, good.err);
        NS_TEST_EXPECT_MSG_EQ(good.err, "", "no errors, no progress line when piped");
        NS_TEST_EXPECT_MSG_NE(good.out.find("Iteration"), std::string::npos, good.out);
        const Result failed = Call({file, "--set", "simulator.stop_after=1us"});
        NS_TEST_EXPECT_MSG_EQ(failed.code, 1, "cut off");
        NS_TEST_EXPECT_MSG_NE(failed.err.find("rank"), std::string::npos, failed.err);
        ExpectDead(file);
        const std::string folder = Folder("made/below");
        NS_TEST_EXPECT_MSG_EQ(Call({file, "--output=" + folder}).code, 0, "folders are made");
        NS_TEST_EXPECT_MSG_EQ(ReadFolder(folder).size(), 6, "six files");
        const Result help = Call({"--help-scenario"});
        NS_TEST_EXPECT_MSG_EQ(help.code, 0, "help");
        NS_TEST_EXPECT_MSG_EQ(help.out, FormatScenarioHelp(), "help");
        ExpectBad({},
                  "command line: which scenario? llm-training-sim SCENARIO.json; --help says more");
        ExpectBad({"/nowhere.json"},
                  "/nowhere.json: the scenario cannot be read: No such file or directory");
        ExpectBad({file, file},
                  "command line: " + file + ": one scenario at a time; '" + file +
                      "' is the first");
        ExpectBad({file, "--export-goal="},
                  "command line: --export-goal: needs the name of a file, got ''");
        ExpectBad({file, "--export-chakra=a", "--export-chakra", "b"},
                  "command line: --export-chakra: stands twice, with 'a' and 'b'");
        ExpectBad({file, "--set"}, "command line: --set: needs a value behind it");
        ExpectBad({file, "--set", "iterations=0"},
                  "command line: iterations: must be from 1 to 1000000, is 0");
        ExpectBad({file, "--ouput=x"},
                  "command line: --ouput: unknown option; did you mean '--output'?");
        ExpectBad({file, ""}, "command line: an argument is empty");
        ExpectBad({file, "--help-scenario=maybe"},
                  "command line: --help-scenario: takes no value, got 'maybe'");
        ExpectBad({file, "--RngRun=x"},
                  "command line: run: must be a whole number >= 0, is \"x\" (string)");
        ExpectBad({file, "--RngSeed=0"}, "command line: seed: must be from 1 to 4294967295, is 0");
        ExpectBad({file, "--SchedulerType=ns3::Node"},
                  "command line: --SchedulerType: 'ns3::Node' is no type derived from "
                  "ns3::Scheduler");
        ExpectBad({file, "--SimulatorImplementationType=ns3::Node"},
                  "command line: --SimulatorImplementationType: 'ns3::Node' is no type derived "
                  "from ns3::SimulatorImpl");
        ExpectBad({file, "--ns3::llm::Nothing::Mtu=1"},
                  "command line: --ns3::llm::Nothing::Mtu: there is no type 'ns3::llm::Nothing'");
        ExpectBad({file, "--ns3::llm::FabricPort::Mtuu=1"},
                  "command line: --ns3::llm::FabricPort::Mtuu: ns3::llm::FabricPort has no "
                  "attribute 'Mtuu'; did you mean 'Mtu'?");
        ExpectBad({file, "--ns3::llm::FabricPort::Mtu"},
                  "command line: --ns3::llm::FabricPort::Mtu: needs a value: "
                  "--ns3::llm::FabricPort::Mtu=...");
        std::ostringstream closed;
        closed.setstate(std::ios::badbit);
        NS_TEST_EXPECT_MSG_EQ(CallInto(closed, {file}).code, 1, "output that cannot be written");
    }
};

/** The manual. */
class ManualListsEveryField : public SimulationTestCase
{
  public:
    ManualListsEveryField()
        : SimulationTestCase("the manual's table of fields is the program's")
    {
    }

  private:
    void DoRun() override
    {
        const std::string manual =
            ReadAll(std::string(LLM_TRAINING_SOURCE_DIR) + "/doc/llm-training.rst");
        const std::string begin = ".. scenario fields: begin\n";
        const std::string end = ".. scenario fields: end\n";
        const auto from = manual.find(begin);
        const auto to = manual.find(end);
        NS_TEST_ASSERT_MSG_NE(from, std::string::npos, "the table begins");
        NS_TEST_ASSERT_MSG_NE(to, std::string::npos, "the table ends");
        const auto start = from + begin.size();
        NS_TEST_EXPECT_MSG_EQ((manual.substr(start, to - start) == FormatScenarioManual() + "\n"),
                              true,
                              "replace it by the output of llm-training-sim --manual-scenario");
    }
};

/** Helpers of the writers. */
class TablesAreExact : public TestCase
{
  public:
    TablesAreExact()
        : TestCase("tables: exact microseconds, whole rows, percentiles, intervals")
    {
    }

  private:
    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(FormatMicroseconds(PicoSeconds(0).GetTimeStep()), "0.000000", "0");
        NS_TEST_EXPECT_MSG_EQ(FormatMicroseconds(NanoSeconds(1234567).GetTimeStep()),
                              "1234.567000",
                              "ns");
        NS_TEST_EXPECT_MSG_EQ(FormatMicroseconds(NanoSeconds(-1500).GetTimeStep()),
                              "-1.500000",
                              "negative");
        const std::string path = CreateTempDirFilename("table.csv");
        CsvFile file(path, "a,b,c");
        file.Write(uint64_t{18446744073709551615U}, "x", 0.5);
        NS_TEST_EXPECT_MSG_EQ(ReadAll(path),
                              "a,b,c\n18446744073709551615,x,0.500\n",
                              "a row is in the file as soon as it is written");
        NS_TEST_EXPECT_MSG_EQ(file.GetRows(), 1, "rows");
        NS_TEST_EXPECT_MSG_EQ(ErrorOf([] { CsvFile("/nowhere/x.csv", "a"); }).substr(0, 14),
                              "/nowhere/x.csv",
                              "names the path");
        CheckIntervals();
    }

    void CheckIntervals()
    {
        PortIntervals<uint64_t> intervals(3, 10);
        std::ostringstream told;
        const auto flush = [&] {
            intervals.Flush([&](int64_t start, uint32_t port, uint8_t cls, uint64_t value) {
                told << start << ":" << port << "." << static_cast<int>(cls) << "=" << value << " ";
            });
        };
        intervals.At(12, 2, 3) += 5;
        intervals.At(19, 0, 7) += 1;
        intervals.At(19, 2, 3) += 2;
        NS_TEST_EXPECT_MSG_EQ(intervals.IsOver(19), false, "same interval");
        NS_TEST_EXPECT_MSG_EQ(intervals.IsOver(20), true, "next interval");
        flush();
        intervals.At(47, 2, 3) += 1;
        flush();
        flush();
        NS_TEST_EXPECT_MSG_EQ(told.str(), "10:0.7=1 10:2.3=7 40:2.3=1 ", "by interval and port");
    }
};

/** Percentiles. */
class PercentilesAreExact : public TestCase
{
  public:
    PercentilesAreExact()
        : TestCase("percentiles are the nearest rank of all samples")
    {
    }

  private:
    /** Delivers what it is told. */
    class Replay : public MessageTransport
    {
      public:
        void Send(const Message&) override
        {
        }

        FabricEventQueue& GetEventQueue() override
        {
            return *m_queue; // never asked
        }

        TransportTotals GetTotals() const override
        {
            return {};
        }

        void DescribeOpen(std::vector<std::string>&, std::size_t) const override
        {
        }

        /** @param ticks completion time. @param bytes length. */
        void Deliver(int64_t ticks, uint64_t bytes)
        {
            Message message;
            message.bytes = bytes;
            message.start = 100;
            NotifyDelivered(message, 100 + ticks);
        }

      private:
        FabricEventQueue* m_queue{nullptr}; //!< none
    };

    void DoRun() override
    {
        FlowStatistics none;
        NS_TEST_EXPECT_MSG_EQ(none.GetPercentile(50), 0, "no sample");
        Ptr<Replay> replay = CreateObject<Replay>();
        FlowStatistics statistics;
        statistics.Connect(replay);
        for (const int64_t ticks : {70, 10, 50, 30, 90, 20, 100, 40, 80, 60})
        {
            replay->Deliver(ticks, 1);
        }
        replay->Deliver(5, 0);
        NS_TEST_EXPECT_MSG_EQ(statistics.GetCount(), 10, "messages of 0 bytes do not count");
        NS_TEST_EXPECT_MSG_EQ(statistics.GetPercentile(0), 10, "least");
        NS_TEST_EXPECT_MSG_EQ(statistics.GetPercentile(50), 50, "median");
        NS_TEST_EXPECT_MSG_EQ(statistics.GetPercentile(50.01), 60, "just above");
        NS_TEST_EXPECT_MSG_EQ(statistics.GetPercentile(90), 90, "90 %");
        NS_TEST_EXPECT_MSG_EQ(statistics.GetPercentile(99), 100, "99 %");
        NS_TEST_EXPECT_MSG_EQ(statistics.GetPercentile(100), 100, "longest");
    }
};

/** Books that do not balance are seen. */
class WrongBooksAreSeen : public TestCase
{
  public:
    WrongBooksAreSeen()
        : TestCase("books that differ by one byte do not balance, and name both numbers")
    {
    }

  private:
    void DoRun() override
    {
        RunReport report;
        report.books.Compare("sent", 10, "received", 10);
        NS_TEST_EXPECT_MSG_EQ(report.books.AreBalanced(), true, "equal");
        report.books.Compare("sent", 10, "counted", 11);
        NS_TEST_EXPECT_MSG_EQ(report.books.AreBalanced(), false, "one byte");
        const std::string text = FormatRunReport(report);
        NS_TEST_EXPECT_MSG_NE(text.find("NOT BALANCED"), std::string::npos, text);
        NS_TEST_EXPECT_MSG_NE(text.find("DIFFERENT  sent 10 B != counted 11 B\n"),
                              std::string::npos,
                              text);
        NS_TEST_EXPECT_MSG_NE(text.find(" 10 B  sent = received\n"), std::string::npos, text);
    }
};

/** The suite. */
class SimulationTestSuite : public TestSuite
{
  public:
    SimulationTestSuite()
        : TestSuite("llm-training-simulation", Type::UNIT)
    {
        AddTestCase(new TablesAreExact, llm::TestDuration::QUICK);
        AddTestCase(new PercentilesAreExact, llm::TestDuration::QUICK);
        AddTestCase(new WrongBooksAreSeen, llm::TestDuration::QUICK);
        AddTestCase(new ShippedScenariosRun, llm::TestDuration::QUICK);
        AddTestCase(new RandomScenariosBalance, llm::TestDuration::QUICK);
        AddTestCase(new EveryPipelineScheduleRuns, llm::TestDuration::QUICK);
        AddTestCase(new ExpertsAndContextRun, llm::TestDuration::QUICK);
        AddTestCase(new OutputsAreReproducible, llm::TestDuration::QUICK);
        AddTestCase(new WorldMustFit, llm::TestDuration::QUICK);
        AddTestCase(new PlacementIsPrinted, llm::TestDuration::QUICK);
        AddTestCase(new ThirtyTwoRanksHaveMegatronsGroups, llm::TestDuration::QUICK);
        AddTestCase(new FailedRunsSayWhy, llm::TestDuration::QUICK);
        AddTestCase(new CongestionControlMatters, llm::TestDuration::QUICK);
        AddTestCase(new BadInputNeverStarts, llm::TestDuration::QUICK);
        AddTestCase(new ReportIsReadable, llm::TestDuration::QUICK);
        AddTestCase(new TcpRunsOnTheSamePorts, llm::TestDuration::QUICK);
        AddTestCase(new TracesHaveConfigPaths, llm::TestDuration::QUICK);
        AddTestCase(new ProgramTellsByItsExitCode, llm::TestDuration::QUICK);
        AddTestCase(new ManualListsEveryField, llm::TestDuration::QUICK);
    }
};

SimulationTestSuite g_simulationTestSuite; //!< registers itself

} // namespace

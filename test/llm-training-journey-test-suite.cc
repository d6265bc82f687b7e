/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/llm-config-error.h"
#include "ns3/llm-journey-layouts.h"
#include "ns3/llm-journey-program.h"
#include "ns3/llm-parallel-layout.h"
#include "ns3/llm-relaxed-layout.h"
#include "ns3/llm-report-document.h"
#include "ns3/llm-scenario-reader.h"
#include "ns3/llm-shipped-files.h"
#include "ns3/llm-simulation.h"
#include "ns3/llm-training-compat.h"
#include "ns3/llm-wire-cost.h"
#include "ns3/test.h"

#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

using Json = nlohmann::json;
using Options = std::vector<std::string>;

/** What a program printed. */
struct Printed
{
    int code;        //!< exit code
    std::string out; //!< standard output
    std::string err; //!< standard error
};

/** @return what the journey prints. */
Printed
RunJourney(const Options& options)
{
    std::vector<std::string> words{"llm-training-journey"};
    words.insert(words.end(), options.begin(), options.end());
    std::vector<char*> argv;
    for (auto& word : words)
    {
        argv.push_back(word.data());
    }
    argv.push_back(nullptr);
    std::ostringstream out;
    std::ostringstream err;
    const int code = RunJourneyProgram(static_cast<int>(words.size()), argv.data(), out, err);
    return {code, out.str(), err.str()};
}

/** @return the journey as JSON. */
Json
TellJson(Options options)
{
    options.push_back("--format=json");
    const Printed printed = RunJourney(options);
    return printed.code == 0 ? Json::parse(printed.out) : Json(printed.err);
}

/** @return the row of a table whose cell of that key has that value. */
Json
FindRow(const Json& table, const std::string& key, const std::string& value)
{
    for (const auto& row : table)
    {
        if (row.at(key) == value)
        {
            return row;
        }
    }
    return Json();
}

/** The running example of the paper that this module follows: GPT-2 small, 32 x 1024 tokens, on 8
 *  accelerators. */
class JourneyOfTheRunningExampleHasItsNumbers : public TestCase
{
  public:
    JourneyOfTheRunningExampleHasItsNumbers()
        : TestCase("the default journey has the numbers of the running example")
    {
    }

  private:
    void DoRun() override
    {
        const Json story = TellJson({});
        NS_TEST_ASSERT_MSG_EQ(story.is_object(), true, "the journey failed: " << story.dump());
        NS_TEST_EXPECT_MSG_EQ(story["embedding"]["activation_bytes"], 50331648, "B T d q");
        NS_TEST_EXPECT_MSG_EQ(story["model"]["parameter_count"], 124439808, "GPT-2 small");
        NS_TEST_EXPECT_MSG_EQ(story["model"]["gradient_bytes"], 248879616, "2 bytes each");

        const Json& dp = story["layout_dp_8"];
        NS_TEST_EXPECT_MSG_EQ(dp["data_payload_bytes"], 248879616, "all gradients");
        const Json ring = FindRow(dp["data_algorithms"], "algorithm", "ring");
        NS_TEST_EXPECT_MSG_EQ(ring["messages"], 14, "2 (n - 1)");
        NS_TEST_EXPECT_MSG_EQ(ring["largest_message_bytes"], 31109952, "S / n");
        NS_TEST_EXPECT_MSG_EQ(ring["busiest_rank_bytes"], 435539328, "2 (n - 1) S / n");
        const Json naive = FindRow(dp["data_algorithms"], "algorithm", "naive");
        NS_TEST_EXPECT_MSG_EQ(naive["busiest_rank_bytes"], 7 * uint64_t{248879616}, "(n - 1) S");
        const Json tree = FindRow(dp["data_algorithms"], "algorithm", "tree");
        NS_TEST_EXPECT_MSG_EQ(tree["busiest_rank_bytes"], 2 * uint64_t{248879616}, "2 S");

        const Json& tp = story["layout_tp_8"];
        NS_TEST_EXPECT_MSG_EQ(tp["tensor_collectives"], 48, "4 per layer");
        NS_TEST_EXPECT_MSG_EQ(tp["tensor_bytes"], 50331648, "S_act");
        NS_TEST_EXPECT_MSG_EQ(tp["tensor_payload_bytes"], uint64_t{2415919104}, "48 S_act");

        const Json& pp = story["layout_pp_8"];
        NS_TEST_EXPECT_MSG_EQ(pp["pipeline_bytes"], 50331648, "S_act");
        NS_TEST_EXPECT_MSG_EQ(pp["ranks"].size(), 8, "a row per stage");
        uint64_t layers = 0;
        for (const auto& row : pp["ranks"])
        {
            layers += row["layers"].get<uint64_t>();
        }
        NS_TEST_EXPECT_MSG_EQ(layers, 12, "all layers are somewhere");
    }
};

/** Time at the link follows from the table of algorithms: ring = 2 (n - 1) (alpha + S / n beta). */
class JourneyTimesAreAlphaBeta : public TestCase
{
  public:
    JourneyTimesAreAlphaBeta()
        : TestCase("times of collectives are alpha-beta times at the payload rate of the link")
    {
    }

  private:
    void DoRun() override
    {
        const Json story = TellJson({"--dp=4", "--link-rate=100Gbps", "--latency=7us"});
        NS_TEST_ASSERT_MSG_EQ(story.is_object(), true, "the journey failed: " << story.dump());
        const Json ring = FindRow(story["layout_dp_4"]["data_algorithms"], "algorithm", "ring");
        const double payloadRate = 100e9 * 4096 / 4178;
        const double expected = 6 * (7e6 + 8e12 * 248879616 / 4 / payloadRate);
        NS_TEST_EXPECT_MSG_EQ_TOL(ring["time_ps"].get<double>(),
                                  expected,
                                  expected * 1e-5,
                                  "6 steps of alpha and a quarter of the gradients");
    }
};

/** The way of a word, a line and a batch. */
class JourneyFollowsWhatIsChosen : public TestCase
{
  public:
    JourneyFollowsWhatIsChosen()
        : TestCase("a word, a line or a batch is followed")
    {
    }

  private:
    void DoRun() override
    {
        const Json word = TellJson({"--word=selva", "--dp=2"});
        NS_TEST_ASSERT_MSG_EQ(word.is_object(), true, "the journey failed: " << word.dump());
        NS_TEST_EXPECT_MSG_EQ(word["words"]["piece"], "word 12", "mi ritrovai per una selva");
        NS_TEST_EXPECT_MSG_EQ(TellJson({"--word=12", "--dp=2"})["tokens"].dump(),
                              word["tokens"].dump(),
                              "by number");
        const uint64_t tokens = word["tokens"]["piece_token_count"];
        NS_TEST_EXPECT_MSG_EQ(word["tokens"]["piece_tokens"].size(), tokens, "each is listed");
        NS_TEST_EXPECT_MSG_EQ(word["embedding"]["piece_bytes"], tokens * 768 * 2, "n d q");

        const Json line = TellJson({"--line=136", "--dp=2"});
        NS_TEST_EXPECT_MSG_EQ(line["words"]["piece"], "line 136", "the last");
        NS_TEST_EXPECT_MSG_EQ(line["words"]["piece_words"],
                              8,
                              "Allor si mosse, e io li tenni dietro.");

        const Json batch = TellJson({"--batch=2", "--dp=2"});
        NS_TEST_EXPECT_MSG_EQ(batch["batches"]["batch_sequences"][0]["first_token"],
                              32 * 1024,
                              "behind the first batch");
        NS_TEST_EXPECT_MSG_EQ(batch["embedding"].contains("piece_bytes"), false, "it is S_act");
    }
};

/** Any scenario: its layout, number formats and link. */
class JourneyTellsAScenario : public TestCase
{
  public:
    JourneyTellsAScenario()
        : TestCase("a scenario file is told of with its own layout")
    {
    }

  private:
    void DoRun() override
    {
        const Json story = TellJson({"gpt2-small", "--language=en"});
        NS_TEST_ASSERT_MSG_EQ(story.is_object(), true, "the journey failed: " << story.dump());
        NS_TEST_EXPECT_MSG_EQ(story.contains("layout_tp_2_pp_2_dp_4"), true, "its layout");
        const Json& layout = story["layout_tp_2_pp_2_dp_4"];
        // 6 layers per stage, 4 microbatches, 4 all-reduces each.
        NS_TEST_EXPECT_MSG_EQ(layout["tensor_collectives"], 96, "per stage");
        NS_TEST_EXPECT_MSG_EQ(layout["pipeline_bytes"], 1024 * 768 * 2, "one sequence");
        NS_TEST_EXPECT_MSG_EQ(story["words"]["lines"], 136, "English");
        const Printed alone = RunJourney({"--dp=1"});
        NS_TEST_EXPECT_MSG_NE(alone.out.find("Nothing: one accelerator"),
                              std::string::npos,
                              "nobody to send to");
    }
};

/** Experts: T K h q bytes to the experts, as many back, forward and backward. */
class JourneyTellsOfExperts : public TestCase
{
  public:
    JourneyTellsOfExperts()
        : TestCase("the way of tokens to their experts has its numbers")
    {
    }

  private:
    void DoRun() override
    {
        const Json story = TellJson({"--model=mixtral-8x7b",
                                     "--ep=8",
                                     "--dp=8",
                                     "--sequence-length=4096",
                                     "--batch-size=8"});
        NS_TEST_ASSERT_MSG_EQ(story.is_object(), true, "the journey failed: " << story.dump());
        const Json& layout = story["layout_dp_8_ep_8"];
        NS_TEST_EXPECT_MSG_EQ(layout["expert_collectives"], 4 * 32, "4 per layer");
        NS_TEST_EXPECT_MSG_EQ(layout["expert_bytes"], 4096 * 2 * 4096 * 2, "T K h q");
        const Json direct =
            FindRow(layout["expert_algorithms"], "algorithm", "naive (all at once)");
        NS_TEST_EXPECT_MSG_EQ(direct["busiest_rank_bytes"],
                              4096 * 2 * 4096 * 2 / 8 * 7,
                              "an eighth stays");
        NS_TEST_EXPECT_MSG_EQ(story["model"]["active_parameters"],
                              uint64_t{12879925248},
                              "2 of 8 experts");
    }
};

/** Lines are no wider than promised, in all forms. */
class JourneyFitsATerminal : public TestCase
{
  public:
    JourneyFitsATerminal()
        : TestCase("no line is wider than 100 columns")
    {
    }

  private:
    void DoRun() override
    {
        for (const auto& options : std::vector<Options>{{},
                                                        {"--model=llama-3-8b", "--tp=8", "--dp=2"},
                                                        {"--batch=1", "--pp=2"}})
        {
            const Printed printed = RunJourney(options);
            NS_TEST_EXPECT_MSG_EQ(printed.code, 0, printed.err);
            std::istringstream lines(printed.out);
            std::string line;
            while (std::getline(lines, line))
            {
                std::size_t columns = 0;
                for (const char c : line)
                {
                    columns += (static_cast<unsigned char>(c) & 0xc0) != 0x80 ? 1 : 0;
                }
                NS_TEST_EXPECT_MSG_EQ((columns <= ReportDocument::MAX_WIDTH),
                                      true,
                                      columns << " columns: " << line);
            }
        }
    }
};

/** What is told wrongly is said in one line. */
class JourneyRefusesBadInput : public TestCase
{
  public:
    JourneyRefusesBadInput()
        : TestCase("each bad input of the journey is one line and exit code 2")
    {
    }

  private:
    void Refuse(const Options& options, const std::string& expected)
    {
        const Printed printed = RunJourney(options);
        NS_TEST_EXPECT_MSG_EQ(printed.code, 2, expected);
        NS_TEST_EXPECT_MSG_EQ(printed.out, "", "nothing is told");
        NS_TEST_EXPECT_MSG_EQ(printed.err, expected + "\n", "the line");
    }

    void DoRun() override
    {
        Refuse({"--wort=1"}, "command line: --wort: unknown option; did you mean '--word'?");
        Refuse({"--line"}, "command line: --line: needs a value behind it");
        Refuse({"--line=1", "--line=2"}, "command line: --line: stands twice, with '1' and '2'");
        Refuse({"--line=137"}, "command line: --line: is 137, but the text has 136 lines");
        Refuse({"--line=0"}, "command line: --line: must be from 1 to 1000000000, is 0");
        Refuse({"--word=951"},
               "command line: --word: is 951, but the text's words have the numbers 1 to 950");
        Refuse({"--word=lupus"}, "command line: --word: 'lupus' is not a word of the text");
        Refuse({"--word=1", "--batch=1"},
               "command line: follow a word, a line or a batch: give one of --word, --line, "
               "--batch");
        Refuse({"--language=fr"},
               "command line: --language: the canto is here in it and en, not in 'fr'");
        Refuse({"--language=en", "--text=mine.txt"},
               "command line: --language: goes with no --text");
        Refuse({"--vocabulary-size=300", "--tokenizer=mine.json"},
               "command line: --vocabulary-size: goes with no --tokenizer");
        Refuse({"--format=pdf"}, "command line: --format: must be text, json or rst, is 'pdf'");
        Refuse({"--latency=5"},
               "command line: --latency: '5' is not a duration: no unit; use ps, ns, us, ms, s, "
               "min or h");
        Refuse({"one", "two"}, "command line: two: one argument too many");
        Refuse({"--text=/nowhere"}, "/nowhere: cannot be read or is empty; it should be a text");
        Refuse({"--tp=0"},
               "command line: parallelism.tensor_model_parallel_size: must be from 1 to 1048576, "
               "is 0");
        Refuse({"--dp=5"},
               "command line: training.global_batch_size: 32 is not a multiple of micro_batch_size "
               "1 x "
               "data_parallel_size 5 = 5");
    }
};

/** Layouts that do not divide become countable, others stay. */
class LayoutsThatDoNotDivideAreRelaxed : public TestCase
{
  public:
    LayoutsThatDoNotDivideAreRelaxed()
        : TestCase("layouts that do not divide are relaxed with a note, others stay as they are")
    {
    }

  private:
    void DoRun() override
    {
        const ModelConfig gpt2 = ModelConfig::ReadFile(GetShippedFile("models", "gpt2"));
        ModelConfig model = gpt2;
        ParallelConfig config;
        config.tensor_model_parallel_size = 4;
        config.pipeline_model_parallel_size = 4;
        NS_TEST_EXPECT_MSG_EQ(RelaxLayout(model, config).size(), 0, "12 by 4 is 3");
        NS_TEST_EXPECT_MSG_EQ(model.num_attention_heads, 12, "as it was");

        config.tensor_model_parallel_size = 8;
        config.pipeline_model_parallel_size = 8;
        NS_TEST_EXPECT_MSG_EQ(RelaxLayout(model, config).size(), 2, "heads and layers");
        NS_TEST_EXPECT_MSG_EQ(model.num_attention_heads, 16, "next multiple of 8 that divides 768");
        NS_TEST_EXPECT_MSG_EQ(model.head_dim * 16, 768, "the same width");
        ParallelConfig whole = config;
        const ParallelLayout layout(whole);
        uint64_t layers = 0;
        for (const auto& stage : layout.SplitLayers(model))
        {
            layers += stage.count;
        }
        NS_TEST_EXPECT_MSG_EQ(layers, 12, "the layout takes it");
    }
};

/** Known sizes of RoCEv2 frames. */
class WireCostOfMessagesIsExact : public TestCase
{
  public:
    WireCostOfMessagesIsExact()
        : TestCase("a message's packets and bytes on the wire")
    {
    }

  private:
    void DoRun() override
    {
        // Headers of a middle packet: 14 + 20 + 8 + 12 + 4 + 4 = 62, and 20 between packets.
        const WireCost three = EstimateWireCost(3 * 4096, 4096);
        NS_TEST_EXPECT_MSG_EQ(three.packets, 3, "of 4096");
        NS_TEST_EXPECT_MSG_EQ(three.frameBytes, 3 * (4096 + 62) + 16, "one RETH");
        NS_TEST_EXPECT_MSG_EQ(three.linkBytes, 3 * (4096 + 82) + 16, "with gaps");
        const WireCost more = EstimateWireCost(4097, 4096);
        NS_TEST_EXPECT_MSG_EQ(more.packets, 2, "one byte more");
        NS_TEST_EXPECT_MSG_EQ(more.frameBytes, 4096 + 62 + 16 + 66, "padded to 4 bytes");
        NS_TEST_EXPECT_MSG_EQ(EstimateWireCost(0, 4096).packets, 1, "an empty message");
        const uint64_t gibibyte = uint64_t{1} << 30;
        const WireCost two = EstimateWireCost(2 * gibibyte, 4096);
        NS_TEST_EXPECT_MSG_EQ(two.frameBytes,
                              2 * (gibibyte / 4096 * (4096 + 62) + 16),
                              "a RETH for each WRITE of 1 GiB");
        NS_TEST_EXPECT_MSG_EQ(GetAckLinkBytes(), 86, "66 and the gap");
    }
};

/** The figures of bits on the wire are those of a simulated run. */
class WireCostIsWhatPortsCount : public TestCase
{
  public:
    WireCostIsWhatPortsCount()
        : TestCase("packets and bytes on the wire are those that ports of a simulation count")
    {
    }

  private:
    void DoRun() override
    {
        const Scenario scenario = ScenarioReader::ParseText(
            "{}",
            "wire.json",
            {"model.config={\"model_type\":\"llama\",\"vocab_size\":512,\"hidden_size\":64,"
             "\"num_hidden_layers\":4,\"num_attention_heads\":4,\"intermediate_size\":128,"
             "\"max_position_embeddings\":64}",
             "parallelism.data_parallel_size=2",
             "parallelism.tensor_model_parallel_size=2",
             "training.global_batch_size=4",
             "training.params_dtype=bf16",
             "cluster.accelerators_per_server=1",
             "fabric.topology=single-switch",
             "fabric.path_mtu=1024",
             "collectives.slice_bytes=0",
             "output.folder="});
        const JourneyLayout layout(scenario, 5000000);
        WireCost rank;
        for (const auto& [dimension, cost] : layout.GetWireCosts())
        {
            rank += cost;
        }
        Simulation simulation(scenario);
        NS_TEST_ASSERT_MSG_EQ(simulation.Run(), true, "the run failed");
        const RunReport& report = simulation.GetReport();
        // All four ranks send alike, but for the broadcast of 64 token ids to the second of each
        // pair, in 2 microbatches.
        const WireCost ids = EstimateWireCost(64 * 8, 1024);
        const FabricPortCounters& hosts = report.fabric.hosts;
        NS_TEST_EXPECT_MSG_EQ(hosts.txDataPayload,
                              4 * rank.payloadBytes - 4 * ids.payloadBytes,
                              "payload");
        NS_TEST_EXPECT_MSG_EQ(hosts.txDataFrames, 4 * rank.packets - 4 * ids.packets, "packets");
        NS_TEST_EXPECT_MSG_EQ(hosts.txDataBytes,
                              4 * rank.frameBytes - 4 * ids.frameBytes,
                              "frames");
    }
};

/** The page of the manual is what the program prints. */
class ManualHasTheJourneyOfTheCanto : public TestCase
{
  public:
    ManualHasTheJourneyOfTheCanto()
        : TestCase("the journey in the manual is what the program prints")
    {
    }

  private:
    void DoRun() override
    {
        const std::string path = LLM_TRAINING_SOURCE_DIR "/doc/journey.rst";
        std::ifstream file(path, std::ios::binary);
        const std::string page{std::istreambuf_iterator<char>(file),
                               std::istreambuf_iterator<char>()};
        const std::string begin = ".. journey: begin\n\n";
        const auto first = page.find(begin);
        const auto last = page.find("\n.. journey: end\n");
        NS_TEST_ASSERT_MSG_NE(first, std::string::npos, "no begin in " << path);
        NS_TEST_ASSERT_MSG_NE(last, std::string::npos, "no end in " << path);
        const auto start = first + begin.size();
        const Printed printed = RunJourney({"--format=rst"});
        std::istringstream wanted(printed.out);
        std::istringstream found(page.substr(start, last - start));
        std::string wantedLine;
        std::string foundLine;
        uint32_t number = 0;
        while (std::getline(wanted, wantedLine))
        {
            ++number;
            foundLine = "(end)";
            std::getline(found, foundLine);
            NS_TEST_ASSERT_MSG_EQ(foundLine, wantedLine, "line " << number << " of the journey");
        }
        NS_TEST_EXPECT_MSG_EQ(std::getline(found, foundLine).good(),
                              false,
                              "too much: " << foundLine);
    }
};

/** The suite. */
class JourneyTestSuite : public TestSuite
{
  public:
    JourneyTestSuite()
        : TestSuite("llm-training-journey", Type::UNIT)
    {
        AddTestCase(new JourneyOfTheRunningExampleHasItsNumbers, llm::TestDuration::QUICK);
        AddTestCase(new JourneyTimesAreAlphaBeta, llm::TestDuration::QUICK);
        AddTestCase(new JourneyFollowsWhatIsChosen, llm::TestDuration::QUICK);
        AddTestCase(new JourneyTellsAScenario, llm::TestDuration::QUICK);
        AddTestCase(new JourneyTellsOfExperts, llm::TestDuration::QUICK);
        AddTestCase(new JourneyFitsATerminal, llm::TestDuration::QUICK);
        AddTestCase(new JourneyRefusesBadInput, llm::TestDuration::QUICK);
        AddTestCase(new LayoutsThatDoNotDivideAreRelaxed, llm::TestDuration::QUICK);
        AddTestCase(new WireCostOfMessagesIsExact, llm::TestDuration::QUICK);
        AddTestCase(new WireCostIsWhatPortsCount, llm::TestDuration::QUICK);
        AddTestCase(new ManualHasTheJourneyOfTheCanto, llm::TestDuration::QUICK);
    }
};

JourneyTestSuite g_journeyTestSuite; //!< registers the suite

} // namespace

/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/llm-analysis-program.h"
#include "ns3/llm-report-document.h"
#include "ns3/llm-scenario-analysis.h"
#include "ns3/llm-scenario-reader.h"
#include "ns3/llm-shipped-files.h"
#include "ns3/llm-training-compat.h"
#include "ns3/test.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <tuple>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

using Json = nlohmann::json;
using Options = std::vector<std::string>;

const char* const TINY_MODEL =
    "{\"model_type\":\"llama\",\"vocab_size\":512,\"hidden_size\":64,\"num_hidden_layers\":4,"
    "\"num_attention_heads\":4,\"num_key_value_heads\":4,\"intermediate_size\":128,"
    "\"max_position_embeddings\":64}";

/** @return a scenario of a tiny model with overrides. */
Scenario
Tiny(const Options& overrides)
{
    Options all{std::string("model.config=") + TINY_MODEL, "cluster.accelerators_per_server=2"};
    all.insert(all.end(), overrides.begin(), overrides.end());
    return ScenarioReader::ParseText("{}", "tiny.json", all);
}

/** What a program printed. */
struct Printed
{
    int code;        //!< exit code
    std::string out; //!< standard output
    std::string err; //!< standard error
};

/** @return what the program prints. */
Printed
RunAnalysis(const Options& options)
{
    std::vector<std::string> words{"llm-training-analyze"};
    words.insert(words.end(), options.begin(), options.end());
    std::vector<char*> argv;
    for (auto& word : words)
    {
        argv.push_back(word.data());
    }
    argv.push_back(nullptr);
    std::ostringstream out;
    std::ostringstream err;
    const int code = RunAnalysisProgram(static_cast<int>(words.size()), argv.data(), out, err);
    return {code, out.str(), err.str()};
}

/** Rows of a traffic matrix: (from, to, dimension) to bytes. */
using Matrix = std::map<std::tuple<uint32_t, uint32_t, std::string>, uint64_t>;

/** @return content of a matrix. */
Matrix
ReadMatrix(const std::string& path)
{
    Matrix matrix;
    std::ifstream file(path);
    std::string line;
    std::getline(file, line); // header
    while (std::getline(file, line))
    {
        std::istringstream cells(line);
        std::string from;
        std::string to;
        std::string dimension;
        std::string bytes;
        std::getline(cells, from, ',');
        std::getline(cells, to, ',');
        std::getline(cells, dimension, ',');
        std::getline(cells, bytes, ',');
        matrix[{static_cast<uint32_t>(std::stoul(from)),
                static_cast<uint32_t>(std::stoul(to)),
                dimension}] += std::stoull(bytes);
    }
    return matrix;
}

/** The files, the report and the closed form tell the same. */
class MatricesAreTheClosedForm : public TestCase
{
  public:
    MatricesAreTheClosedForm()
        : TestCase("traffic matrices of ranks and servers are the closed form, without zeros")
    {
    }

  private:
    void DoRun() override
    {
        AnalysisConfig config;
        config.matrixFile = CreateTempDirFilename("ranks.csv");
        config.serverMatrixFile = CreateTempDirFilename("servers.csv");
        const ScenarioAnalysis analysis(Tiny({"parallelism.tensor_model_parallel_size=2",
                                              "parallelism.pipeline_model_parallel_size=2",
                                              "parallelism.data_parallel_size=3",
                                              "training.global_batch_size=6"}),
                                        config);
        const TrafficModel& model = analysis.GetWorkload().GetModel();
        const Matrix ranks = ReadMatrix(config.matrixFile);
        Matrix servers;
        std::map<std::string, uint64_t> within;
        std::map<std::string, uint64_t> between;
        uint64_t sum = 0;
        for (const auto& [key, bytes] : ranks)
        {
            const auto& [from, to, dimension] = key;
            NS_TEST_EXPECT_MSG_GT(bytes, 0, "no zeros: " << from << " to " << to);
            NS_TEST_EXPECT_MSG_NE(from, to, "nobody sends to itself");
            sum += bytes;
            servers[{from / 2, to / 2, dimension}] += bytes;
            (from / 2 == to / 2 ? within : between)[dimension] += bytes;
        }
        NS_TEST_EXPECT_MSG_EQ(sum, model.GetTotal(), "all bytes");
        NS_TEST_EXPECT_MSG_EQ((ReadMatrix(config.serverMatrixFile) == servers),
                              true,
                              "servers are sums of their ranks");
        for (uint32_t from = 0; from < 12; ++from)
        {
            for (uint32_t to = 0; to < 12; ++to)
            {
                for (const auto dimension : {ParallelDimension::TENSOR,
                                             ParallelDimension::DATA,
                                             ParallelDimension::PIPELINE,
                                             ParallelDimension::EMBEDDING,
                                             ParallelDimension::SCALAR})
                {
                    const auto row = ranks.find({from, to, ToString(dimension)});
                    NS_TEST_EXPECT_MSG_EQ((row == ranks.end() ? 0 : row->second),
                                          model.GetPairBytes(from, to, dimension),
                                          from << " to " << to << " for " << ToString(dimension));
                }
            }
        }
        for (const auto& volume : analysis.GetVolumes().GetVolumes())
        {
            const std::string name = ToString(volume.dimension);
            NS_TEST_EXPECT_MSG_EQ(volume.withinServers, within[name], name);
            NS_TEST_EXPECT_MSG_EQ(volume.betweenServers, between[name], name);
            NS_TEST_EXPECT_MSG_EQ(volume.withinServers + volume.betweenServers,
                                  model.GetTotal(volume.dimension),
                                  name);
            uint64_t busiest = 0;
            for (uint32_t rank = 0; rank < 12; ++rank)
            {
                busiest = std::max(busiest, model.GetBytesSent(rank, volume.dimension));
            }
            NS_TEST_EXPECT_MSG_EQ(volume.busiest, busiest, name);
        }
    }
};

/** With fixed compute and one exchange behind it, the time of a step is a sum. */
class StepTimeIsComputeAndExposedCommunication : public TestCase
{
  public:
    StepTimeIsComputeAndExposedCommunication()
        : TestCase("step time is compute, and communication at alpha-beta times where it shows")
    {
    }

  private:
    void DoRun() override
    {
        AnalysisConfig config;
        config.latencyPs = 3000000;
        const ScenarioAnalysis analysis(Tiny({"parallelism.data_parallel_size=4",
                                              "training.global_batch_size=8",
                                              "training.overlap_grad_reduce=false",
                                              "training.ddp_bucket_scheme=none",
                                              "collectives.slice_bytes=0",
                                              "cluster.accelerators_per_server=1",
                                              "accelerator.fixed_layer_forward=10us",
                                              "accelerator.fixed_layer_backward=20us"}),
                                        config);
        const auto& time = analysis.GetStepTime();
        // 2 microbatches, 4 layers.
        const int64_t compute = 2 * 4 * 30000000;
        NS_TEST_EXPECT_MSG_EQ(time.known, true, "it is small");
        NS_TEST_EXPECT_MSG_EQ(time.idealPs, compute, "compute only");
        NS_TEST_EXPECT_MSG_EQ(time.computePs, compute, "of each rank");
        // 6 steps of a quarter of the gradients; then the loss, 6 steps of a byte.
        const uint64_t gradients = 4 * analysis.GetWorkload().GetStep()->GetStage(0).parameters;
        const double rate = 400e9 * 4096 * 1024 / ((4096.0 + 82) * 1024 + 16);
        const double reduce = 6 * (3e6 + 8e12 * static_cast<double>(gradients) / 4 / rate);
        const double loss = 6 * (3e6 + 8e12 / rate);
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(time.stepPs),
                                  static_cast<double>(compute) + reduce + loss,
                                  4.0,
                                  "nothing overlaps");
        NS_TEST_EXPECT_MSG_EQ(time.criticalPath.GetTotal(), time.stepPs, "the path is the step");
    }
};

/** Needs: bytes over the window. */
class DemandIsBytesOverWindow : public TestCase
{
  public:
    DemandIsBytesOverWindow()
        : TestCase("what the network must give is bytes over the compute that hides them")
    {
    }

  private:
    void DoRun() override
    {
        const ScenarioAnalysis analysis(Tiny({"parallelism.data_parallel_size=2",
                                              "parallelism.pipeline_model_parallel_size=2",
                                              "training.global_batch_size=8",
                                              "training.ddp_bucket_scheme=none",
                                              "accelerator.fixed_layer_forward=10us",
                                              "accelerator.fixed_layer_backward=20us"}),
                                        {});
        std::map<ParallelDimension, NetworkDemand> demands;
        for (const auto& demand : analysis.GetDemands())
        {
            demands[demand.dimension] = demand;
        }
        const NetworkDemand& data = demands[ParallelDimension::DATA];
        NS_TEST_EXPECT_MSG_EQ(data.windowPs, 2 * 20000000, "one backward of two layers");
        NS_TEST_EXPECT_MSG_EQ(data.bytes, data.largestBurst, "one bucket");
        NS_TEST_EXPECT_MSG_EQ(data.bytes,
                              4 * analysis.GetWorkload().GetStep()->GetStage(1).parameters,
                              "a ring of two sends S; the last stage has a norm more");
        NS_TEST_EXPECT_MSG_EQ_TOL(data.GetBytesPerSecond(),
                                  static_cast<double>(data.bytes) / 40e-6,
                                  1.0,
                                  "bytes over window");
        const NetworkDemand& pipeline = demands[ParallelDimension::PIPELINE];
        NS_TEST_EXPECT_MSG_EQ(pipeline.operations, 4, "a message per microbatch");
        NS_TEST_EXPECT_MSG_EQ(pipeline.largestBurst, 64 * 64 * 2, "tokens x hidden x 2");
        NS_TEST_EXPECT_MSG_EQ(pipeline.windowPs, 4 * 2 * 30000000, "all compute");
        NS_TEST_EXPECT_MSG_EQ(pipeline.GetPeriodPs(), 2 * 30000000, "a microbatch");
        NS_TEST_EXPECT_MSG_EQ(demands[ParallelDimension::SCALAR].windowPs, 0, "nothing is left");
    }
};

/** 100,000 ranks: sums known from formulas. */
class LargeLayoutsAreAnalysed : public TestCase
{
  public:
    LargeLayoutsAreAnalysed()
        : TestCase("100,000 ranks are analysed, with sums known from formulas")
    {
    }

  private:
    void DoRun() override
    {
        const uint64_t t = 8;
        const uint64_t p = 16;
        const uint64_t d = 782;
        const Scenario scenario =
            ScenarioReader::ParseText("{}",
                                      "large.json",
                                      {"model.config=llama-3-70b",
                                       "parallelism.tensor_model_parallel_size=8",
                                       "parallelism.pipeline_model_parallel_size=16",
                                       "parallelism.data_parallel_size=782",
                                       "parallelism.sequence_parallel=true",
                                       "training.global_batch_size=25024",
                                       "training.seq_length=8192"});
        const ScenarioAnalysis analysis(scenario, {});
        NS_TEST_EXPECT_MSG_EQ(analysis.GetWorkload().GetStep()->GetWorldSize(), t * p * d, "ranks");
        const uint64_t microbatches = 32;
        const uint64_t message = 8192 * 8192 * 2 / t;
        const auto& pipeline = analysis.GetVolumes().GetVolume(ParallelDimension::PIPELINE);
        NS_TEST_EXPECT_MSG_EQ(pipeline.betweenServers,
                              2 * (p - 1) * t * d * microbatches * message,
                              "each boundary, both ways");
        NS_TEST_EXPECT_MSG_EQ(pipeline.rankPairs, 2 * (p - 1) * t * d, "neighbours");
        const auto& data = analysis.GetVolumes().GetVolume(ParallelDimension::DATA);
        uint64_t parameters = 0;
        for (uint32_t stage = 0; stage < p; ++stage)
        {
            parameters += analysis.GetWorkload().GetStep()->GetStage(stage).parameters;
        }
        NS_TEST_EXPECT_MSG_EQ(data.betweenServers,
                              2 * (d - 1) * t * parameters * 4,
                              "a ring sends 2 (n - 1) S in all");
        const auto& tensor = analysis.GetVolumes().GetVolume(ParallelDimension::TENSOR);
        NS_TEST_EXPECT_MSG_EQ(tensor.betweenServers, 0, "inside servers");
    }
};

/** What cannot run is said so. */
class MemoryThatDoesNotSufficeIsToldOf : public TestCase
{
  public:
    MemoryThatDoesNotSufficeIsToldOf()
        : TestCase("a model that does not fit its accelerators is warned of")
    {
    }

  private:
    void DoRun() override
    {
        const Options large{"llama3-8b-32",
                            "--set=model.config=llama-3.1-405b",
                            "--set",
                            "training.seq_length=8192",
                            "--format=json"};
        const Printed printed = RunAnalysis(large);
        NS_TEST_EXPECT_MSG_EQ(printed.code, 0, "it is analysed all the same");
        NS_TEST_EXPECT_MSG_EQ(printed.err,
                              "warning: the model does not fit into the accelerators' memory\n",
                              "the warning");
        NS_TEST_EXPECT_MSG_EQ(Json::parse(printed.out)["memory"]["fits"],
                              "NO: THIS CANNOT RUN",
                              "in the report");
        const Printed small = RunAnalysis({"gpt2-small", "--format", "json"});
        NS_TEST_EXPECT_MSG_EQ(small.err, "", "no warning");
        NS_TEST_EXPECT_MSG_EQ(Json::parse(small.out)["memory"]["fits"], "yes", "in the report");
    }
};

/** The text for people fits a terminal. */
class AnalysisFitsATerminal : public TestCase
{
  public:
    AnalysisFitsATerminal()
        : TestCase("no line of the analysis is wider than 100 columns")
    {
    }

  private:
    void DoRun() override
    {
        for (const auto* const scenario : {"gpt2-small", "llama3-8b-32"})
        {
            std::istringstream lines(RunAnalysis({scenario}).out);
            std::string line;
            while (std::getline(lines, line))
            {
                NS_TEST_EXPECT_MSG_LT_OR_EQ(line.size(), ReportDocument::MAX_WIDTH, line);
            }
        }
    }
};

/** What is told wrongly is said in one line. */
class AnalysisRefusesBadInput : public TestCase
{
  public:
    AnalysisRefusesBadInput()
        : TestCase("each bad input of the analysis is one line and exit code 2")
    {
    }

  private:
    void Refuse(const Options& options, const std::string& expected)
    {
        const Printed printed = RunAnalysis(options);
        NS_TEST_EXPECT_MSG_EQ(printed.code, 2, expected);
        NS_TEST_EXPECT_MSG_EQ(printed.out, "", "nothing is told");
        NS_TEST_EXPECT_MSG_EQ(printed.err, expected + "\n", "the line");
    }

    void DoRun() override
    {
        Refuse(
            {},
            "command line: which scenario? llm-training-analyze SCENARIO.json; --help says more");
        Refuse({"gpt2-smal"},
               "command line: gpt2-smal: there is neither such a file nor a shipped scenario of "
               "that name; did you mean 'gpt2-small'?");
        Refuse({"gpt2-small", "--matriks=x"},
               "command line: --matriks: unknown option; did you mean '--matrix'?");
        Refuse({"gpt2-small", "--format=yaml"},
               "command line: --format: must be text or json, is 'yaml'");
        Refuse({"gpt2-small", "--matrix=/nowhere/m.csv"},
               "/nowhere/m.csv: cannot be written: No such file or directory");
        Refuse({"--published", "--matrix=m.csv"},
               "command line: --matrix: is of a scenario; --published takes none");
        Refuse({"gpt2-small", "--set"}, "command line: --set: needs a value behind it");
        Refuse({"gpt2-small", "--set", "collectives.all_reduce=bruck"},
               FindScenarioFile("gpt2-small") +
                   ": collectives.all_reduce: bruck does all_to_all only, not all_reduce");
    }
};

/** The page of the manual is what the program prints. */
class ManualHasThePublishedRuns : public TestCase
{
  public:
    ManualHasThePublishedRuns()
        : TestCase("published runs in the manual are what the program prints")
    {
    }

  private:
    void DoRun() override
    {
        const std::string path = LLM_TRAINING_SOURCE_DIR "/doc/published-runs.rst";
        std::ifstream file(path, std::ios::binary);
        const std::string page{std::istreambuf_iterator<char>(file),
                               std::istreambuf_iterator<char>()};
        const std::string begin = ".. published runs: begin\n\n";
        const auto first = page.find(begin);
        const auto last = page.find("\n.. published runs: end\n");
        NS_TEST_ASSERT_MSG_NE(first, std::string::npos, "no begin in " << path);
        NS_TEST_ASSERT_MSG_NE(last, std::string::npos, "no end in " << path);
        const auto start = first + begin.size();
        const Printed printed = RunAnalysis({"--published", "--format=rst"});
        NS_TEST_EXPECT_MSG_EQ(printed.err, "", "all scenarios are there");
        std::istringstream wanted(printed.out);
        std::istringstream found(page.substr(start, last - start));
        std::string wantedLine;
        std::string foundLine;
        while (std::getline(wanted, wantedLine))
        {
            foundLine = "(end)";
            std::getline(found, foundLine);
            NS_TEST_EXPECT_MSG_EQ(foundLine, wantedLine, "a line of the page");
            NS_TEST_EXPECT_MSG_LT_OR_EQ(wantedLine.size(), ReportDocument::MAX_WIDTH + 2, "width");
        }
        NS_TEST_EXPECT_MSG_EQ(std::getline(found, foundLine).good(), false, "too much");
    }
};

/** The suite. */
class ScenarioAnalysisTestSuite : public TestSuite
{
  public:
    ScenarioAnalysisTestSuite()
        : TestSuite("llm-training-scenario-analysis", Type::UNIT)
    {
        AddTestCase(new MatricesAreTheClosedForm, llm::TestDuration::QUICK);
        AddTestCase(new StepTimeIsComputeAndExposedCommunication, llm::TestDuration::QUICK);
        AddTestCase(new DemandIsBytesOverWindow, llm::TestDuration::QUICK);
        AddTestCase(new LargeLayoutsAreAnalysed, llm::TestDuration::QUICK);
        AddTestCase(new MemoryThatDoesNotSufficeIsToldOf, llm::TestDuration::QUICK);
        AddTestCase(new AnalysisFitsATerminal, llm::TestDuration::QUICK);
        AddTestCase(new AnalysisRefusesBadInput, llm::TestDuration::QUICK);
        AddTestCase(new ManualHasThePublishedRuns, llm::TestDuration::QUICK);
    }
};

ScenarioAnalysisTestSuite g_scenarioAnalysisTestSuite; //!< registers the suite

} // namespace

/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// llm-training-collective: its table, its files, its refusals.

#include "ns3/global-value.h"
#include "ns3/llm-collective-program.h"
#include "ns3/llm-collective-sweep.h"
#include "ns3/llm-collective-table.h"
#include "ns3/llm-training-compat.h"
#include "ns3/nstime.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/test.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/// What the program did.
struct Outcome
{
    int code{-1};    //!< exit code
    std::string out; //!< standard output
    std::string err; //!< standard error
};

/// @param line arguments, separated by blanks @return what the program did
Outcome
RunProgram(const std::string& line)
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
    Simulator::Destroy();
    GlobalValue::Bind("SimulatorImplementationType", StringValue("ns3::DefaultSimulatorImpl"));
    Outcome outcome;
    outcome.code = RunCollectiveProgram(static_cast<int>(words.size()), argv.data(), out, err);
    GlobalValue::Bind("SimulatorImplementationType", StringValue("ns3::DefaultSimulatorImpl"));
    outcome.out = out.str();
    outcome.err = err.str();
    return outcome;
}

/// @return lines
std::vector<std::string>
Split(const std::string& text)
{
    std::vector<std::string> lines;
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);)
    {
        lines.push_back(line);
    }
    return lines;
}

/// @return lines that are no comments
std::vector<std::string>
Rows(const std::string& text)
{
    std::vector<std::string> rows;
    for (const std::string& line : Split(text))
    {
        if (line[0] != '#')
        {
            rows.push_back(line);
        }
    }
    return rows;
}

/// A small fabric.
const char* const SMALL = " --set fabric.leaves=2 --set fabric.hosts_per_leaf=2 --set "
                          "fabric.spines=2 --set cluster.accelerators_per_server=2 ";

/// @ingroup llm-training-tests
/// Layout.
class TableLayoutTest : public TestCase
{
  public:
    TableLayoutTest()
        : TestCase("the table has the columns of nccl-tests, to the blank")
    {
    }

  private:
    void DoRun() override
    {
        const Outcome outcome =
            RunProgram("reduce -b 64 -e 4096 -f 8 -r 3 -d half -o max" + std::string(SMALL));
        NS_TEST_EXPECT_MSG_EQ(outcome.code, 0, outcome.err);
        const std::vector<std::string> wanted{
            "#                                                              out-of-place           "
            "            in-place          ",
            "#       size         count      type   redop    root     time   algbw   busbw #wrong  "
            "   time   algbw   busbw #wrong",
            "#        (B)    (elements)                               (us)  (GB/s)  (GB/s)         "
            "   (us)  (GB/s)  (GB/s)       "};
        const std::vector<std::string> lines = Split(outcome.out);
        std::size_t found = 0;
        for (std::size_t i = 0; i + 2 < lines.size(); ++i)
        {
            found +=
                lines[i] == wanted[0] && lines[i + 1] == wanted[1] && lines[i + 2] == wanted[2];
        }
        NS_TEST_EXPECT_MSG_EQ(found, 1, outcome.out);
        NS_TEST_EXPECT_MSG_NE(
            outcome.out.find("# nThread 1 nGpus 4 minBytes 64 maxBytes 4096 step: "
                             "8(factor) warmup iters: 1 iters: 1 agg iters: 1 "
                             "validation: 0 graph: 0\n"),
            std::string::npos,
            outcome.out);
        NS_TEST_EXPECT_MSG_NE(outcome.out.find("\n# Avg bus bandwidth    : "),
                              std::string::npos,
                              "");
        NS_TEST_EXPECT_MSG_NE(outcome.out.find("\n# Out of bounds values : 0 OK\n"),
                              std::string::npos,
                              "");
        const std::vector<std::string> rows = Rows(outcome.out);
        NS_TEST_ASSERT_MSG_EQ(rows.size(), 3, "64, 512 and 4096 bytes");
        NS_TEST_EXPECT_MSG_EQ(rows[1].substr(0, 52),
                              "         512           256      half     max       3",
                              rows[1]);
        for (const std::string& row : rows)
        {
            NS_TEST_EXPECT_MSG_EQ(row.size(), 52 + 2 * 32, row);
            NS_TEST_EXPECT_MSG_EQ(row.substr(52, 32), row.substr(84, 32), "in place alike");
            NS_TEST_EXPECT_MSG_EQ(row.substr(row.size() - 5), "  N/A", row);
        }
    }
};

/// @ingroup llm-training-tests
/// Figures.
class FiguresTest : public TestCase
{
  public:
    FiguresTest()
        : TestCase("bandwidths are size over time, sizes those that nccl-tests would run")
    {
    }

  private:
    void DoRun() override
    {
        CollectiveSweepConfig config;
        config.scenario.fabric.topology = "single-switch";
        config.scenario.fabric.hosts = 5;
        config.scenario.cluster.accelerators_per_server = 1;
        config.kind = CollectiveKind::ALL_GATHER;
        config.minBytes = 8;
        config.maxBytes = 4 << 20;
        config.stepFactor = 64;
        config.iterations = 2;
        const CollectiveSweep sweep(config);
        // Whole lines of 16 bytes for each of five ranks.
        NS_TEST_EXPECT_MSG_EQ((sweep.GetSizes() == std::vector<uint64_t>{0, 480, 32720, 2097120}),
                              true,
                              "as nccl-tests round them");
        const CollectiveSweepResult result = sweep.Run();
        NS_TEST_ASSERT_MSG_EQ(result.failure.empty(), true, "it ends");
        const CollectiveSweepRow& none = result.tables[0].rows[0];
        NS_TEST_EXPECT_MSG_EQ(none.timeUs, 0, "nothing takes no time");
        NS_TEST_EXPECT_MSG_EQ(none.busGBps, 0, "and has no bandwidth");
        const CollectiveSweepRow& row = result.tables[0].rows[3];
        NS_TEST_EXPECT_MSG_EQ(row.count, 2097120 / 4 / 5, "elements of a rank");
        NS_TEST_EXPECT_MSG_EQ_TOL(row.algorithmGBps, 2097120 / row.timeUs / 1000, 1e-9, "");
        NS_TEST_EXPECT_MSG_EQ_TOL(row.busGBps, row.algorithmGBps * 4 / 5, 1e-9, "");
        NS_TEST_EXPECT_MSG_EQ(row.payloadBytes, 4 * row.bytes, "ring");
        // Four steps at 400 Gb/s less headers, and their latencies.
        const double least = 4 * row.bytes / 5.0 * 8 / 400e3 * 4178 / 4096;
        NS_TEST_EXPECT_MSG_GT(row.timeUs, least, "no faster than the links");
        NS_TEST_EXPECT_MSG_LT(row.timeUs, least + 4 * 3, "four steps of less than 3 us");

        config.kind = CollectiveKind::ALL_REDUCE;
        config.minBytes = 10;
        config.maxBytes = 30;
        config.stepFactor = 1;
        config.stepBytes = 7;
        NS_TEST_EXPECT_MSG_EQ(
            (CollectiveSweep(config).GetSizes() == std::vector<uint64_t>{8, 16, 24}),
            true,
            "whole elements");
        config.minBytes = UINT64_C(1) << 63;
        config.maxBytes = UINT64_MAX;
        config.stepFactor = 2;
        NS_TEST_EXPECT_MSG_EQ(CollectiveSweep(config).GetSizes().size(), 1, "no overflow");
    }
};

/// @ingroup llm-training-tests
/// Side by side.
class SideBySideTest : public TestCase
{
  public:
    SideBySideTest()
        : TestCase("all algorithms side by side: each that fits has a table, the others a reason")
    {
    }

  private:
    void DoRun() override
    {
        const Outcome all = RunProgram("all_reduce -b 64K --all" + std::string(SMALL));
        NS_TEST_EXPECT_MSG_EQ(all.code, 0, all.err);
        for (const char* const name : {"ring", "direct", "double_binary_tree", "halving_doubling"})
        {
            NS_TEST_EXPECT_MSG_NE(all.out.find("# Algorithm " + std::string(name) + "\n"),
                                  std::string::npos,
                                  name);
        }
        NS_TEST_EXPECT_MSG_NE(all.out.find("# not run: bruck: "), std::string::npos, "");
        NS_TEST_EXPECT_MSG_NE(all.out.find("# busbw (GB/s) of all algorithms side by side"),
                              std::string::npos,
                              "");
        const Outcome two =
            RunProgram("all_reduce -b 1K --algorithm ring,nccl" + std::string(SMALL));
        NS_TEST_EXPECT_MSG_EQ(two.code, 0, two.err);
        NS_TEST_EXPECT_MSG_EQ(Rows(two.out).size(), 2, two.out);
        NS_TEST_EXPECT_MSG_NE(
            two.out.find("# 1 KiB: ring, 1 channel, slices of 1 MiB; asked for by "
                         "name\n"),
            std::string::npos,
            two.out);
        NS_TEST_EXPECT_MSG_NE(two.out.find("least of NCCL's predicted times"),
                              std::string::npos,
                              two.out);
        NS_TEST_EXPECT_MSG_NE(two.out.find(", LL, 1 channel, slices of 32 KiB; "),
                              std::string::npos,
                              two.out);
    }
};

/// @ingroup llm-training-tests
/// Protocols.
class ProtocolsTest : public TestCase
{
  public:
    ProtocolsTest()
        : TestCase("every collective runs by every protocol, its flags counted to the byte")
    {
    }

  private:
    void DoRun() override
    {
        for (int kind = 0; kind <= static_cast<int>(CollectiveKind::ALL_TO_ALL); ++kind)
        {
            for (const std::string protocol : {"none", "simple", "ll", "ll128"})
            {
                CollectiveSweepConfig config;
                config.kind = static_cast<CollectiveKind>(kind);
                config.scenario.fabric.topology = "single-switch";
                config.scenario.fabric.hosts = 4;
                config.scenario.cluster.accelerators_per_server = 2;
                config.scenario.collectives.protocol = protocol;
                config.scenario.collectives.channels = 2;
                config.minBytes = 1920 * 512;
                config.maxBytes = config.minBytes;
                config.warmups = 0;
                const CollectiveSweepResult result = CollectiveSweep(config).Run();
                const std::string what = std::string(ToString(config.kind)) + " by " + protocol;
                NS_TEST_ASSERT_MSG_EQ((result.failure.empty() ? "" : result.failure[0]), "", what);
                const CollectiveSweepRow& row = result.tables[0].rows[0];
                // Every piece is a multiple of 960: whole lines of 8 and of 120.
                const uint64_t flags = protocol == "ll"      ? row.payloadBytes
                                       : protocol == "ll128" ? row.payloadBytes / 15
                                                             : 0;
                NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(row.protocolBytes),
                                          static_cast<double>(flags),
                                          0.01 * static_cast<double>(flags),
                                          what);
                NS_TEST_EXPECT_MSG_EQ((flags > 0), (row.protocolBytes > 0), what);
            }
        }
    }
};

/// @ingroup llm-training-tests
/// Files.
class FilesTest : public TestCase
{
  public:
    FilesTest()
        : TestCase("CSV and JSON say the same, and the same again in the next run")
    {
    }

  private:
    /// @return the whole file
    static std::string Read(const std::string& path)
    {
        std::ifstream file(path, std::ios::binary);
        std::ostringstream text;
        text << file.rdbuf();
        return text.str();
    }

    void DoRun() override
    {
        std::string first;
        for (const std::string queue : {"native", "portable", "native"})
        {
            const std::string csv = CreateTempDirFilename("rows-" + queue + ".csv");
            const std::string json = CreateTempDirFilename("rows-" + queue + ".json");
            const Outcome outcome =
                RunProgram("all_gather -b 1M -n 2 --algorithm=nccl --csv=" + csv + " --json " +
                           json + " --set simulator.event_queue=" + queue + SMALL);
            NS_TEST_ASSERT_MSG_EQ(outcome.code, 0, outcome.err);
            const std::vector<std::string> rows = Split(Read(csv));
            NS_TEST_ASSERT_MSG_EQ(rows.size(), 2, "header and row");
            NS_TEST_EXPECT_MSG_EQ(rows[0].substr(0, 42),
                                  "kind,size_bytes,count_elements,type,redop,",
                                  rows[0]);
            NS_TEST_EXPECT_MSG_EQ(rows[1].substr(0, 47),
                                  "all_gather,1048576,65536,float,none,-1,4,ring,L",
                                  rows[1]);
            const auto parsed = nlohmann::json::parse(Read(json));
            NS_TEST_EXPECT_MSG_EQ(parsed["rows"].size(), 1, "");
            NS_TEST_EXPECT_MSG_EQ(parsed["rows"][0]["size_bytes"].get<uint64_t>(), 1048576, "");
            NS_TEST_EXPECT_MSG_EQ(parsed["rows"][0]["reason"].get<std::string>().empty(),
                                  false,
                                  "");
            const std::string all = outcome.out + Read(csv) + Read(json);
            first = first.empty() ? all : first;
            NS_TEST_EXPECT_MSG_EQ((all == first), true, "byte for byte, " << queue);
        }
    }
};

/// @ingroup llm-training-tests
/// Refusals.
class RefusalsTest : public TestCase
{
  public:
    RefusalsTest()
        : TestCase("bad input is refused in one line with exit code 2, before anything runs")
    {
    }

  private:
    void DoRun() override
    {
        const std::vector<std::pair<std::string, std::string>> cases{
            {"", "command line: which collective? llm-training-collective all_reduce; --help"},
            {"all_reduse", "command line: collective: 'all_reduse' is none of all_reduce, "},
            {"all_reduce more", "command line: more: one argument too many"},
            {"all_reduce -b", "command line: --minbytes: needs a value behind it"},
            {"all_reduce -b8X", "command line: --minbytes: '8X' is not a byte count"},
            {"all_reduce -b 16 -e 8",
             "command line: sizes: the first is 16 B, above the last, 8 B"},
            {"all_reduce -b 8 -e 1M -i 8", "command line: sizes: more than 4096 sizes; take a "},
            {"all_reduce -i 0", "command line: sizes: a factor of 1 with a step of 0 B never ends"},
            {"all_reduce -f 0", "command line: --stepfactor: must be from 1 to 1073741824, is 0"},
            {"all_reduce -n 0", "command line: --iters: must be from 1 to 1000000, is 0"},
            {"all_reduce -g 17", "command line: cluster: placement: the job has 17 ranks, the "},
            {"all_reduce -d f", "command line: --datatype: 'f' is none of int8, uint8, "},
            {"all_reduce -o xor", "command line: --op: 'xor' is none of sum, prod, min, max, avg"},
            {"reduce -r 99", "command line: root: is 99, but there are 16 ranks"},
            {"all_reduce --algorithm rin", "command line: --algorithm: 'rin' is none of auto, "},
            {"all_reduce --algorithm ring,ring", "command line: --algorithm: 'ring' stands twice"},
            {"all_reduce --all --algorithm ring", "command line: --all: goes with no --algorithm"},
            {"alltoall --algorithm ring",
             "command line: collectives.all_to_all: ring does no all_to_all; use direct"},
            {"all_reduce --protocol LL",
             "command line: collectives.protocol: must be auto, none, "},
            {"all_reduce --channels 65",
             "command line: collectives.channels: must be from 1 to 64"},
            {"all_reduce --scenario nix", "command line: nix: there is neither such a file nor "},
            {"all_reduce --set fabrik.k=4", "command line: fabrik.k: unknown key; did you mean "},
            {"all_reduce --al", "command line: --al: unknown option; did you mean '--all'?"},
            {"all_reduce --csv /nonexist/a", "/nonexist/a: cannot be written"},
            {"all_reduce --json /nonexist/a", "/nonexist/a: cannot be written"},
            {"all_reduce --set collectives.clear_to_send=true",
             "command line: collectives.clear_to_send: is true, but no collective has a "
             "protocol "}};
        for (const auto& [line, wanted] : cases)
        {
            const Outcome outcome = RunProgram(line);
            NS_TEST_EXPECT_MSG_EQ(outcome.code, 2, line);
            NS_TEST_EXPECT_MSG_EQ(outcome.out, "", line);
            NS_TEST_EXPECT_MSG_EQ(Split(outcome.err).size(), 1, outcome.err);
            NS_TEST_EXPECT_MSG_EQ(outcome.err.substr(0, wanted.size()), wanted, line);
        }
        const Outcome stopped = RunProgram("all_reduce --set simulator.stop_after=1us");
        NS_TEST_EXPECT_MSG_EQ(stopped.code, 1, "a run that cannot end");
        NS_TEST_EXPECT_MSG_NE(stopped.err.find("ended while the collective was open"),
                              std::string::npos,
                              stopped.err);
    }
};

/// @ingroup llm-training-tests
/// The suite.
class LlmTrainingCollectiveProgramTestSuite : public TestSuite
{
  public:
    LlmTrainingCollectiveProgramTestSuite()
        : TestSuite("llm-training-collective-program", Type::UNIT)
    {
        AddTestCase(new TableLayoutTest);
        AddTestCase(new FiguresTest);
        AddTestCase(new SideBySideTest);
        AddTestCase(new ProtocolsTest);
        AddTestCase(new FilesTest);
        AddTestCase(new RefusalsTest);
    }
};

LlmTrainingCollectiveProgramTestSuite
    g_llmTrainingCollectiveProgramTestSuite; //!< registers the suite

} // namespace

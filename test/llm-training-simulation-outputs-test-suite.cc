/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/llm-config-error.h"
#include "ns3/llm-scenario-reader.h"
#include "ns3/llm-simulation.h"
#include "ns3/llm-training-compat.h"
#include "ns3/simulator.h"
#include "ns3/test.h"

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <sstream>
#include <string>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** @return a small job whose network is busy for a few hundred microseconds. */
Scenario
Busy(const std::string& folder)
{
    return ScenarioReader::ParseText(
        "{\"model\": {\"config\": {\"model_type\": \"llama\", \"vocab_size\": 512,"
        " \"hidden_size\": 64, \"num_hidden_layers\": 4, \"num_attention_heads\": 4,"
        " \"num_key_value_heads\": 4, \"intermediate_size\": 128,"
        " \"max_position_embeddings\": 64}},"
        " \"parallelism\": {\"pipeline_model_parallel_size\": 2, \"data_parallel_size\": 4},"
        " \"cluster\": {\"accelerators_per_server\": 1},"
        " \"fabric\": {\"leaves\": 2, \"spines\": 1, \"hosts_per_leaf\": 4,"
        " \"buffer\": \"400KiB\", \"ecn_kmin\": \"5kB\", \"ecn_kmax\": \"20kB\"},"
        " \"output\": {\"queue_interval\": \"1us\"}, \"iterations\": 20}",
        "busy.json",
        {"output.folder=" + folder});
}

/** Does something in a process of its own. @return how it ended, as of waitpid. */
int
InChild(const std::function<int()>& action)
{
    const pid_t child = fork();
    if (child == 0)
    {
        _exit(action());
    }
    int status = 0;
    waitpid(child, &status, 0);
    return status;
}

/** A killed program has no chance to close its files. */
class KilledRunsLeaveWholeRows : public TestCase
{
  public:
    KilledRunsLeaveWholeRows()
        : TestCase("a run killed half-way leaves tables with heads and whole rows")
    {
    }

  private:
    void DoRun() override
    {
        for (const int64_t us : {60, 100, 140})
        {
            const std::string folder = CreateTempDirFilename("killed" + std::to_string(us));
            const int status = InChild([&] {
                Simulation simulation(Busy(folder));
                Simulator::Schedule(MicroSeconds(us), [] { raise(SIGKILL); });
                simulation.Run();
                return 0;
            });
            NS_TEST_ASSERT_MSG_EQ((WIFSIGNALED(status) && WTERMSIG(status) == SIGKILL),
                                  true,
                                  "it was killed at " << us << " us");
            uint64_t rows = 0;
            for (const std::string name : {"collectives", "flows", "pfc", "ecn", "queues"})
            {
                const uint64_t here = CountRows(folder + "/" + name + ".csv");
                NS_TEST_EXPECT_MSG_GT(here, 0, name << " has a head");
                rows += here - 1;
            }
            NS_TEST_EXPECT_MSG_GT(rows, 50, "rows of what had ended by then");
            NS_TEST_EXPECT_MSG_EQ(std::filesystem::exists(folder + "/summary.json"),
                                  false,
                                  "only a run that ended has a summary");
        }
    }

    /** @return lines of a table, all of them whole. */
    uint64_t CountRows(const std::string& path)
    {
        std::ifstream file(path, std::ios::binary);
        const std::string content{std::istreambuf_iterator<char>(file),
                                  std::istreambuf_iterator<char>()};
        NS_TEST_EXPECT_MSG_EQ((!content.empty() && content.back() == '\n'), true, path);
        std::istringstream lines(content);
        std::string line;
        std::ptrdiff_t commas = -1;
        uint64_t count = 0;
        while (std::getline(lines, line))
        {
            const auto here = std::count(line.begin(), line.end(), ',');
            commas = commas < 0 ? here : commas;
            NS_TEST_EXPECT_MSG_EQ(here, commas, path << ": " << line);
            ++count;
        }
        return count;
    }
};

/** Root may write everywhere, so this is tried as somebody else. */
class FoldersMayBeReadOnly : public TestCase
{
  public:
    FoldersMayBeReadOnly()
        : TestCase("an output folder that a user may not write to is an error, with its path")
    {
    }

  private:
    void DoRun() override
    {
        const std::string folder = CreateTempDirFilename("read-only");
        std::filesystem::create_directories(folder);
        std::filesystem::permissions(folder, std::filesystem::perms(0555));
        Expect(folder,
               folder + ": files cannot be written to the output folder: Permission denied");
        Expect(folder + "/below",
               folder + "/below: the output folder cannot be made: Permission denied");
    }

    void Expect(const std::string& folder, const std::string& error)
    {
        constexpr uid_t NOBODY = 65534;
        const int status = InChild([&] {
            if (geteuid() == 0 && seteuid(NOBODY) != 0)
            {
                return 3;
            }
            try
            {
                Simulation simulation(Busy(folder));
            }
            catch (const ConfigError& seen)
            {
                return seen.what() == error ? 2 : 4;
            }
            return 0;
        });
        NS_TEST_EXPECT_MSG_EQ(WIFEXITED(status), true, "no crash");
        NS_TEST_EXPECT_MSG_EQ(WEXITSTATUS(status), 2, error);
    }
};

/** Long runs say how far they are. */
class ProgressIsShown : public TestCase
{
  public:
    ProgressIsShown()
        : TestCase("the progress line shows percent, simulated time and speed, and is wiped")
    {
    }

  private:
    void DoRun() override
    {
        std::ostringstream out;
        {
            Simulation simulation(Busy(""));
            simulation.ShowProgress(out);
            // A line is due every quarter of a second of wall time: have one pass.
            Simulator::Schedule(MicroSeconds(60), [] {
                std::this_thread::sleep_for(std::chrono::milliseconds(400));
            });
            NS_TEST_EXPECT_MSG_EQ(simulation.Run(), true, "it ends");
        }
        const std::string text = out.str();
        NS_TEST_EXPECT_MSG_EQ(text.substr(0, 1), "\r", "one line, over and over");
        for (const std::string word : {" %  simulated ", " us  ", "M packet-hops/s"})
        {
            NS_TEST_EXPECT_MSG_NE(text.find(word), std::string::npos, word << " in: " << text);
        }
        NS_TEST_EXPECT_MSG_EQ(text.find('\n'), std::string::npos, text);
        const std::string wiped = "\r\033[K";
        NS_TEST_EXPECT_MSG_GT(text.size(), wiped.size(), text);
        NS_TEST_EXPECT_MSG_EQ(text.substr(text.size() - wiped.size()), wiped, text);
    }
};

/** The suite. */
class SimulationOutputsTestSuite : public TestSuite
{
  public:
    SimulationOutputsTestSuite()
        : TestSuite("llm-training-simulation-outputs", Type::UNIT)
    {
        AddTestCase(new KilledRunsLeaveWholeRows, llm::TestDuration::QUICK);
        AddTestCase(new FoldersMayBeReadOnly, llm::TestDuration::QUICK);
        AddTestCase(new ProgressIsShown, llm::TestDuration::QUICK);
    }
};

SimulationOutputsTestSuite g_simulationOutputsTestSuite; //!< registers itself

} // namespace

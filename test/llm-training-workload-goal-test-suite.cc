/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-training-import-test.h"

#include "ns3/llm-goal-workload.h"
#include "ns3/llm-goal-writer.h"
#include "ns3/llm-training-compat.h"
#include "ns3/llm-workload-checker.h"
#include "ns3/test.h"

#include <iterator>

using namespace ns3;
using namespace ns3::llm;
using namespace llmtest;

namespace
{

/// @param source what @param name of the file @param choice algorithms @return the file read back
std::shared_ptr<GoalWorkload>
ThroughGoal(const WorkloadSource& source, const std::string& name, const Choice& choice)
{
    const CollectiveSelector selector;
    const GoalWriter writer(source,
                            choice.channels,
                            [&](CollectiveSpec& spec, const ProcessGroup&, ParallelDimension) {
                                const auto how = ChoiceOf(choice, spec.kind);
                                spec.channels = how.channels;
                                spec.sliceBytes = how.sliceBytes;
                                return selector.Choose(spec, how.algorithm).algorithm;
                            });
    std::ofstream file(name);
    writer.Write(file, "a test");
    file.close();
    return std::make_shared<GoalWorkload>(name);
}

/// The language.
class GoalIsRead : public TestCase
{
  public:
    GoalIsRead()
        : TestCase("statements, names, comments, tags, cpus and nics of GOAL mean what they say")
    {
    }

  private:
    void DoRun() override
    {
        const std::string name = WriteFile(CreateTempDirFilename("read.goal"),
                                           "// a comment\nnum_ranks 2\n/* another,\n two lines */\n"
                                           "rank 1 {\n"
                                           "a: calc 100 cpu 3\n"
                                           "b: recv 4096b from 0 tag 7 nic 2 cpu 1\n"
                                           "recv 0b from 0\n"
                                           "a requires b\n"
                                           "}\n"
                                           "rank 0 { c: send 4096b to 1 tag 7 nic 2 calc 5 //@ x\n"
                                           "d: send 0b to 1 d irequires c }\n");
        GoalWorkload work(name);
        NS_TEST_ASSERT_MSG_EQ(work.GetWorldSize(), 2, "ranks");
        NS_TEST_EXPECT_MSG_EQ(work.CountOperations(0), 3, "rank 0");
        NS_TEST_EXPECT_MSG_EQ(work.GetChannelCount(), 3, "nics 0 to 2");
        auto program = work.CreateProgram(1, 0);
        Operation operation;
        NS_TEST_ASSERT_MSG_EQ(program->Next(operation), true, "there is a first operation");
        NS_TEST_EXPECT_MSG_EQ(ToString(operation.kind),
                              std::string("recv"),
                              "what is required comes first");
        NS_TEST_EXPECT_MSG_EQ(operation.bytes, 4096, "bytes");
        NS_TEST_EXPECT_MSG_EQ(operation.tag, 7, "tag");
        NS_TEST_EXPECT_MSG_EQ(+operation.lane, 1, "cpu");
        program->Next(operation);
        NS_TEST_EXPECT_MSG_EQ(operation.durationPs, 100000, "ns");
        NS_TEST_EXPECT_MSG_EQ(operation.waits.at(0), 0, "its dependency");
        program = work.CreateProgram(0, 0);
        program->Next(operation);
        NS_TEST_EXPECT_MSG_EQ(operation.channel, 2, "nic");
        program->Next(operation);
        program->Next(operation);
        NS_TEST_EXPECT_MSG_EQ(operation.startWaits.size(), 1, "irequires");
        NS_TEST_EXPECT_MSG_EQ(WorkloadChecker(work).Run(), 6, "it runs");
        NS_TEST_EXPECT_MSG_EQ(
            work.Describe(),
            "read.goal: GOAL, 2 ranks, 6 operations: 2 compute, 2 send (4096 B), 2 "
            "recv (4096 B), 2 dependencies; nic k is connection k of a "
            "pair, as an accelerator has one port; what bytes are for is "
            "not said, they are listed as data; nothing is ignored but "
            "comments",
            "what it says it read");
    }
};

/// Only what is written holds an operation up.
class GoalRunsByDependencies : public TestCase
{
  public:
    GoalRunsByDependencies()
        : TestCase("operations of a graph start by their dependencies alone, those of a cpu take "
                   "turns")
    {
    }

  private:
    /// @param text GOAL @return the run; messages take 1 us and 1 ns per byte
    RunTrace Run(const std::string& text)
    {
        SimulatorScope scope("ns3::DefaultSimulatorImpl");
        const std::string name = WriteFile(CreateTempDirFilename("run.goal"), text);
        auto work = std::make_shared<GoalWorkload>(name);
        auto transport = CreateObject<DelayTransport>();
        JobRig rig(work, transport);
        Simulator::Run();
        RunTrace trace;
        trace.ends.push_back(rig.job->GetIterations()[0].end);
        trace.failure = rig.job->IsComplete() ? "" : "not complete";
        return trace;
    }

    void DoRun() override
    {
        // Ticks are ns here, and a message takes 1000 ns and 1 ns per byte.
        const std::string two = "num_ranks 2 rank 0 {";
        NS_TEST_EXPECT_MSG_EQ(Run(two + "calc 500 calc 700 } rank 1 {}").ends[0],
                              1200,
                              "one cpu: one after the other");
        NS_TEST_EXPECT_MSG_EQ(Run(two + "calc 500 calc 700 cpu 1 } rank 1 {}").ends[0],
                              700,
                              "two cpus: at once");
        NS_TEST_EXPECT_MSG_EQ(
            Run(two +
                "a: recv 1b from 1 tag 1 b: recv 1b from 1 tag 2 c: send 9b to 1 c requires b "
                "} rank 1 { x: send 1b to 0 tag 2 y: recv 9b from 0 z: send 1b to 0 tag 1 z "
                "requires y }")
                .ends[0],
            1001 + 1009 + 1001,
            "a receive that comes later in the file is no hostage of one before");
        NS_TEST_EXPECT_MSG_EQ(
            Run(two + "s: send 100b to 1 c: calc 50 c irequires s } rank 1 { recv 100b from 0 }")
                .ends[0],
            1100,
            "irequires: begun is enough");
        NS_TEST_EXPECT_MSG_EQ(
            Run(two + "c: calc 300 s: send 100b to 1 s requires c e: calc 10 e requires s} "
                      "rank 1 { recv 100b from 0 }")
                .ends[0],
            300 + 1100 + 10,
            "requires: over");
    }
};

/// The proof that nothing is lost on the way.
class GoalRoundTripKeepsEveryMessage : public TestCase
{
  public:
    GoalRoundTripKeepsEveryMessage()
        : TestCase("a step program written as GOAL and read back sends the same messages over the "
                   "same connections at the same times")
    {
    }

  private:
    void DoRun() override
    {
        const std::vector<Choice> choices{{"ring", 1, 0},
                                          {"ring", 2, 300},
                                          {"direct", 1, 0},
                                          {"direct", 3, 1000},
                                          {"double_binary_tree", 1, 0},
                                          {"double_binary_tree", 2, 30000},
                                          {"halving_doubling", 2, 1500},
                                          {"recursive_doubling", 1, 900},
                                          {"naive", 1, 0}};
        uint32_t number = 0;
        for (const Choice& choice : choices)
        {
            for (const uint32_t data : {1U, 2U, 3U})
            {
                const std::string what = choice.algorithm + ", " + std::to_string(choice.channels) +
                                         " channels, slices of " + std::to_string(choice.slice) +
                                         ", " + std::to_string(data) + " replicas";
                const auto step = TinyStep(data, number % 2 == 0, data == 3 ? 6 : 4);
                const std::string name =
                    CreateTempDirFilename("trip-" + std::to_string(number++) + ".goal");
                const auto back = ThroughGoal(*step, name, choice);
                WorkloadChecker(*back, name).Run();
                const RunTrace direct = RunOnDelays(step, choice, 2);
                NS_TEST_EXPECT_MSG_GT(direct.messages.size(), 100, what << ": there is traffic");
                NS_TEST_EXPECT_MSG_EQ(Compare(direct, RunOnDelays(back, choice, 2)), "", what);
                // The file carries the number of channels, the run need not.
                const Choice other{"ring", 1, 0};
                NS_TEST_EXPECT_MSG_EQ(Compare(direct, RunOnDelays(back, other, 2)), "", what);
            }
        }
    }
};

/// GOAL to GOAL.
class GoalOfGoalIsTheSame : public TestCase
{
  public:
    GoalOfGoalIsTheSame()
        : TestCase("GOAL that was read from GOAL runs alike")
    {
    }

  private:
    void DoRun() override
    {
        const Choice choice{"ring", 2, 300};
        const auto once =
            ThroughGoal(*TinyStep(2, true), CreateTempDirFilename("once.goal"), choice);
        const auto twice = ThroughGoal(*once, CreateTempDirFilename("twice.goal"), choice);
        NS_TEST_EXPECT_MSG_EQ(Compare(RunOnDelays(once, choice), RunOnDelays(twice, choice)),
                              "",
                              "once and twice");
    }
};

/// Everything that can be wrong.
class BadGoalIsRefused : public TestCase
{
  public:
    BadGoalIsRefused()
        : TestCase("each kind of malformed GOAL file has its one-line error with the line")
    {
    }

  private:
    void DoRun() override
    {
        const std::string top = "num_ranks 2\n";
        const std::string one = "rank 1 {\n}\n";
        const std::vector<BadFile> table{
            {"", "the GOAL file cannot be read"},
            {"ranks 2\n", "line 1: 'ranks' at the beginning; 'num_ranks' should stand there"},
            {"num_ranks zwei\n", "line 1: num_ranks must be a whole number, is 'zwei'"},
            {"num_ranks 0\n", "line 1: num_ranks is 0; at least 1 is needed"},
            {"num_ranks 99999999999999999999\n", "does not fit in 64 bits"},
            {"num_ranks 4000000000\n", "line 1: num_ranks is 4000000000; at most 16777216"},
            {top + "rank 0 {\n}\n", "line 4: the file ends without rank 1; num_ranks is 2"},
            {top + "rank 2 {\n}\n", "line 2: there is no rank 2; num_ranks is 2"},
            {top + "rank 1 {\n}\n" + one, "line 4: rank 1 stands there again; it began in line 2"},
            {top + "rank 0 \n calc 5\n}\n" + one,
             "line 3: 'calc' behind the rank's number; '{' should stand there"},
            {top + "rank 0 {\n calc 5\n",
             "line 4: the file ends within rank 0, which began in line 2"},
            {top + "rank 0 {\n calc 5.5\n}\n" + one, "line 3: '.' is no character that GOAL"},
            {top + "rank 0 {\n calc -5\n}\n" + one,
             "line 3: the time in ns must be a whole number, is '-5'"},
            {top + "rank 0 {\n calc 9999999999999999\n}\n" + one,
             "line 3: the time in ns is 9999999999999999; at most 9223372036854775"},
            {top + "rank 0 {\n a: wait 5\n}\n" + one,
             "line 3: 'wait' is no operation; send, recv and calc are"},
            {top + "rank 0 {\n send 5 to 1\n}\n" + one,
             "line 3: a size is written as 4096b, not '5'"},
            {top + "rank 0 {\n send 5b from 1\n}\n" + one,
             "line 3: 'from' behind the size; 'to' should stand there"},
            {top + "rank 0 {\n send 5b to 2\n}\n" + one,
             "line 3: there is no rank 2; num_ranks is 2"},
            {top + "rank 0 {\n send 5b to 0\n}\n" + one, "line 3: rank 0 sends to itself"},
            {top + "rank 0 {\n recv 5b from -1\n}\n" + one,
             "line 3: a receive from any rank (-1) cannot be run"},
            {top + "rank 0 {\n recv 5b from 1 tag -1\n}\n" + one,
             "line 3: a receive of any tag (-1) cannot be run"},
            {top + "rank 0 {\n calc 5 cpu 256\n}\n" + one, "line 3: cpu is 256; at most 255"},
            {top + "rank 0 {\n calc 5 tag 1\n}\n" + one, "line 3: 'tag' begins no statement"},
            {top + "rank 0 {\n a: calc 5\n a: calc 6\n}\n" + one,
             "line 4: the name 'a' is taken; it stands in line 3"},
            {top + "rank 0 {\n a: calc 5\n a requires b\n}\n" + one,
             "line 4: no operation of this rank is named 'b' so far"},
            {top + "rank 0 {\n a: calc 5\n a requires a\n}\n" + one, "line 4: 'a' requires itself"},
            {top + "rank 0 {\n a: calc 5\n a needs a\n}\n" + one,
             "line 4: 'needs' behind 'a'; a ':', requires or irequires should stand there"},
            {top + "rank 0 {\n a: calc 5\n b: calc 6\n a requires b\n b irequires a\n}\n" + one,
             "rank 0: this operation requires itself, by way of others"},
            {top + "/* no end\n", "line 2: this comment has no end"},
            {top + "rank 0 / {\n", "line 2: a lone '/'"},
            {"//@ llm-training 2\n" + top, "line 1: annotations of version '2'"},
            {"//@ llm-training 1 colour=red\n" + top, "line 1: unknown annotation 'colour=red'"},
            {"//@ llm-training 1\n" + top + "rank 0 {\n calc 5 //@ ps=9999\n",
             "line 4: calc 5 and its annotation ps=9999 differ by more than rounding"},
            {"//@ llm-training 1\n" + top + "rank 0 {\n send 5b to 1 //@ dimension=time\n",
             "line 4: there is no dimension 'time'"},
        };
        const std::string name = CreateTempDirFilename("bad.goal");
        for (const BadFile& bad : table)
        {
            WriteFile(name, bad.content);
            const std::string error = ErrorOf([&] { GoalWorkload work(name); });
            NS_TEST_EXPECT_MSG_EQ(error.compare(0, name.size() + 2, name + ": "), 0, error);
            NS_TEST_EXPECT_MSG_EQ((error.find(bad.error) != std::string::npos),
                                  true,
                                  "'" << error << "' should say '" << bad.error << "'");
            NS_TEST_EXPECT_MSG_EQ(error.find('\n'), std::string::npos, "one line: " << error);
        }
        NS_TEST_EXPECT_MSG_EQ(ErrorOf([] { GoalWorkload work("/nowhere/x.goal"); }),
                              "/nowhere/x.goal: the GOAL file cannot be read: No such file or "
                              "directory",
                              "no file");
    }
};

/// What single ranks cannot see.
class GoalRanksMustAgree : public TestCase
{
  public:
    GoalRanksMustAgree()
        : TestCase("sends without receives, sizes that differ and circles over ranks are found "
                   "before a run")
    {
    }

  private:
    void DoRun() override
    {
        const std::vector<BadFile> table{
            {"num_ranks 2 rank 0 { send 1048576b to 1 tag 3 } rank 1 { recv 2097152b from 0 tag 3 "
             "}",
             "rank 1 operation 0: expects 2097152 bytes with tag 3 from rank 0, which sends "
             "1048576 "
             "bytes (its operation 0)"},
            {"num_ranks 2 rank 0 { send 8b to 1 tag 3 } rank 1 { }",
             "rank 0 operation 0: sends 8 bytes with tag 3 to rank 1, which has no receive"},
            {"num_ranks 2 rank 0 { recv 8b from 1 } rank 1 { recv 8b from 0 tag 4 }",
             "deadlock of 2 ranks; rank 0 operation 0 waits for 8 bytes with tag 0 from rank 1; "
             "rank 1 operation 0 waits for 8 bytes with tag 4 from rank 0"},
            {"num_ranks 2 rank 0 { a: recv 8b from 1 b: send 8b to 1 b requires a } "
             "rank 1 { a: recv 8b from 0 b: send 8b to 0 b requires a }",
             "deadlock of 2 ranks"},
        };
        const std::string name = CreateTempDirFilename("disagree.goal");
        for (const BadFile& bad : table)
        {
            WriteFile(name, bad.content);
            for (uint64_t seed = 0; seed < 3; ++seed)
            {
                const std::string error = ErrorOf([&] {
                    const GoalWorkload work(name);
                    WorkloadChecker(work, name).Run(0, seed);
                });
                NS_TEST_EXPECT_MSG_EQ((error.find(bad.error) != std::string::npos),
                                      true,
                                      "'" << error << "' should say '" << bad.error << "'");
            }
        }
    }
};

/// @ingroup llm-training-tests
/// The suite of GOAL.
class GoalTestSuite : public TestSuite
{
  public:
    GoalTestSuite()
        : TestSuite("llm-training-workload-goal", ns3::TestSuite::Type::UNIT)
    {
        AddTestCase(new GoalIsRead, llm::TestDuration::QUICK);
        AddTestCase(new GoalRunsByDependencies, llm::TestDuration::QUICK);
        AddTestCase(new GoalRoundTripKeepsEveryMessage, llm::TestDuration::QUICK);
        AddTestCase(new GoalOfGoalIsTheSame, llm::TestDuration::QUICK);
        AddTestCase(new BadGoalIsRefused, llm::TestDuration::QUICK);
        AddTestCase(new GoalRanksMustAgree, llm::TestDuration::QUICK);
    }
};

GoalTestSuite g_goalTestSuite; //!< registers the suite

} // namespace

/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-training-import-test.h"

#include "ns3/llm-simai-workload.h"
#include "ns3/llm-training-compat.h"
#include "ns3/llm-workload-checker.h"
#include "ns3/test.h"

using namespace ns3;
using namespace ns3::llm;
using namespace llmtest;

namespace
{

/// Header of a transformer on @p ranks ranks. @param ranks all_gpus @param rest more keys
std::string
Header(uint32_t ranks, const std::string& rest = "")
{
    return "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 2 ep: 2 pp: 2 vpp: 1 ga: 1 "
           "all_gpus: " +
           std::to_string(ranks) + " checkpoints: 0 checkpoint_initiates: 0" + rest + "\n";
}

/// @param name first column @param columns behind the dependency @return a row
std::string
Row(const std::string& name, const std::string& columns)
{
    return name + "\t-1\t" + columns + "\n";
}

/// A row without communication. @param ns time of each phase
const std::string g_quiet = "10 NONE 0 20 NONE 0 30 NONE 0 0";

/// @param work whose @param rank which @return "compute 10, all_reduce 4096 tp/0 <0>, ..."
std::string
Show(const WorkloadSource& work, uint32_t rank)
{
    std::string text;
    auto program = work.CreateProgram(rank, 0);
    for (Operation o; program->Next(o);)
    {
        text += (text.empty() ? "" : ", ") + std::string(ToString(o.kind)) + " ";
        text += o.kind == OperationKind::COMPUTE ? std::to_string(o.durationPs / 1000)
                                                 : std::to_string(o.bytes);
        if (o.kind == OperationKind::SEND || o.kind == OperationKind::RECV)
        {
            text += " " + std::to_string(o.peer) + "/" + std::to_string(o.tag);
        }
        else if (o.kind != OperationKind::COMPUTE)
        {
            text += " " + work.GetGroups()[o.group].name;
        }
        for (const uint64_t wait : o.waits)
        {
            text += " <" + std::to_string(wait);
        }
    }
    return text;
}

/// Where ranks stand.
class SimaiRanksAreLaidOut : public TestCase
{
  public:
    SimaiRanksAreLaidOut()
        : TestCase(
              "groups of SimAI: TP runs, DP with stride tp x pp, EP over consecutive TP groups, "
              "DP_EP with stride ep")
    {
    }

  private:
    void DoRun() override
    {
        const std::string name = WriteFile(
            CreateTempDirFilename("layout.txt"),
            Header(16) + "1\n" + Row("all", "1 ALLREDUCE 8 1 ALLTOALL_EP 8 1 ALLGATHER_DP_EP 8 0"));
        const SimaiWorkload work(name);
        NS_TEST_EXPECT_MSG_EQ(work.GetWorldSize(), 16, "all_gpus");
        const auto ranks = [&](SimaiGroup group, uint32_t rank) {
            std::string text;
            for (const uint32_t member : work.GetGroups()[work.GetGroupId(group, rank)].ranks)
            {
                text += std::to_string(member) + " ";
            }
            return text;
        };
        NS_TEST_EXPECT_MSG_EQ(ranks(SimaiGroup::TENSOR, 5), "4 5 ", "TP");
        NS_TEST_EXPECT_MSG_EQ(ranks(SimaiGroup::EXPERT, 5), "5 7 ", "EP: TP groups 2 and 3");
        NS_TEST_EXPECT_MSG_EQ(ranks(SimaiGroup::DATA_EXPERT, 5), "1 5 9 13 ", "every second one");
        NS_TEST_EXPECT_MSG_EQ(work.GetGroups().size(), 8 + 8 + 4, "bare DP is not used");
        NS_TEST_EXPECT_MSG_EQ(work.GetStage(5), 0, "stage");
        NS_TEST_EXPECT_MSG_EQ(work.GetStage(6), 1, "stage");

        const std::string other =
            WriteFile(CreateTempDirFilename("dp.txt"),
                      Header(16) + "1\n" + Row("all", "1 NONE 0 1 NONE 0 1 ALLREDUCE 8 0"));
        const SimaiWorkload data(other);
        std::string text;
        for (const uint32_t member : data.GetGroups()[data.GetGroupId(SimaiGroup::DATA, 6)].ranks)
        {
            text += std::to_string(member) + " ";
        }
        NS_TEST_EXPECT_MSG_EQ(text, "2 6 10 14 ", "DP: stride 16 / 4");
    }
};

/// What happens when.
class SimaiRowsRunInOrder : public TestCase
{
  public:
    SimaiRowsRunInOrder()
        : TestCase("forward in order and blocking, backward in reverse order, weight gradients "
                   "beside it")
    {
    }

  private:
    /// @param text of the file @param rank whose @return its operations
    std::string Run(const std::string& text, uint32_t rank = 0, uint32_t ranks = 0)
    {
        const std::string name = WriteFile(CreateTempDirFilename("rows.txt"), text);
        const SimaiWorkload work(name, ranks);
        uint64_t operations = 0;
        for (uint32_t r = 0; r < work.GetWorldSize(); ++r)
        {
            operations += work.CountOperations(r);
        }
        NS_TEST_EXPECT_MSG_EQ(WorkloadChecker(work, name).Run(), operations, "it ends");
        return Show(work, rank);
    }

    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(
            Run(Header(8) + "2\n" +
                Row("a", "10 ALLREDUCE 4096 20 ALLREDUCE 512 30 REDUCESCATTER 1024 7") +
                Row("b", "11 NONE 0 21 NONE 0 31 NONE 0 0")),
            "compute 10, all_reduce 4096 tp <0, compute 11 <1, compute 21 <2, compute 31 <3, "
            "compute 20 <4, all_reduce 512 tp <5, compute 30 <5, reduce_scatter 1024 dp <7, "
            "compute 7 "
            "<8",
            "transformer");
        NS_TEST_EXPECT_MSG_EQ(Run("DATA\n2\n" + Row("a", "10 NONE 0 20 NONE 0 30 ALLREDUCE 64 0") +
                                      Row("b", "11 NONE 0 21 NONE 0 31 ALLREDUCE 32 0"),
                                  1,
                                  4),
                              "compute 10, compute 11 <0, compute 21 <1, compute 31 <2, all_reduce "
                              "32 all <3, compute 20 "
                              "<3, compute 30 <5, all_reduce 64 all <6",
                              "data parallel");
        NS_TEST_EXPECT_MSG_EQ(Run("MODEL all_gpus: 4\n1\n" +
                                  Row("a", "10 ALLGATHER 64 20 REDUCESCATTER 64 30 NONE 0 0")),
                              "compute 10, all_gather 64 all <0, compute 20 <1, reduce_scatter 64 "
                              "all <2, compute 30 <2",
                              "model parallel");
        NS_TEST_EXPECT_MSG_EQ(Run("MICRO\n2\n" + Row("x", "1 NONE 0 1 NONE 0 5 ALLREDUCE 100 1") +
                                      Row("y", "1 NONE 0 1 NONE 0 0 ALLTOALL 200 1"),
                                  0,
                                  4),
                              "compute 5, all_reduce 100 dp <0, all_to_all 200 dp <0",
                              "micro");
        NS_TEST_EXPECT_MSG_EQ(Run("HYBRID_CUSTOMIZED all_gpus: 2\n2\n" +
                                  Row("x", "1 NONE 0 2 NONE 0 3 ALLREDUCE 8 0 DATA") +
                                  Row("y", "4 ALLREDUCE 16 5 NONE 0 6 NONE 0 0 MODEL")),
                              "compute 1, compute 4 <0, all_reduce 16 all <1, compute 5 <2, "
                              "compute 6 <3, compute 2 <4, "
                              "compute 3 <5, all_reduce 8 all <6",
                              "a policy per row");
        NS_TEST_EXPECT_MSG_EQ(Run("HYBRID_TRANSFORMER model_parallel_NPU_group: 2\n1\n" +
                                      Row("x", "1 BROADCAST 8 0 NONE 0 0 NONE 0 1"),
                                  3,
                                  4),
                              "compute 1, broadcast 8 tp <0",
                              "older files: one key, broadcasts");
        const SimaiWorkload notes(WriteFile(
            CreateTempDirFilename("notes.txt"),
            "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 1 pp: 2 vpp: 3 ep: 2 "
            "pp_comm: 9 all_gpus: 8\n1\nx 5 1 BROADCAST 8 1 ALLREDUCE 8 1 NONE 0 1\n"));
        NS_TEST_EXPECT_MSG_EQ(
            notes.Describe(),
            "notes.txt: SimAI, HYBRID_TRANSFORMER_FWD_IN_BCKWD, 8 ranks = TP 1 x PP 2 x DP 4, EP "
            "2, 1 "
            "rows, 24 operations; 1 BROADCAST, which SimAI drops, run from the first rank of the "
            "group; 2 communications over groups of one rank send nothing; ignored: pp_comm, as EP "
            "groups of consecutive TP groups lie across the stages; SimAI sends nothing between "
            "stages either; ignored: vpp 3, the rows hold every chunk; ignored: column 2 of 1 "
            "rows, "
            "rows run in order",
            "everything that is told");
    }
};

/// Checkpoints and pipelines.
class SimaiExtrasAreHonoured : public TestCase
{
  public:
    SimaiExtrasAreHonoured()
        : TestCase("every checkpoint counts, and pp_comm travels from stage to stage")
    {
    }

  private:
    void DoRun() override
    {
        const std::string again =
            "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 1 ep: 1 pp: 1 vpp: 1 ga: 1 "
            "all_gpus: 1 checkpoints: 2 2 0 checkpoint_initiates: 2 1 3\n4\n";
        std::string rows;
        for (uint32_t i = 1; i <= 4; ++i)
        {
            rows += Row("r", std::to_string(i) + " NONE 0 10 NONE 0 0 NONE 0 0");
        }
        const SimaiWorkload check(
            WriteFile(CreateTempDirFilename("checkpoints.txt"), again + rows));
        NS_TEST_EXPECT_MSG_EQ(
            Show(check, 0),
            "compute 1, compute 2 <0, compute 3 <1, compute 4 <2, compute 3 <3, "
            "compute 10 <4, compute 10 <5, compute 1 <6, compute 10 <7, compute 10 "
            "<8",
            "row 3 goes again from row 2, row 1 from row 0");

        const std::string name = CreateTempDirFilename("pipeline.txt");
        WriteFile(name,
                  "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 1 ep: 1 pp: 2 vpp: 1 "
                  "ga: 2 all_gpus: 2 checkpoints: 0 checkpoint_initiates: 0 pp_comm 4096\n5\n" +
                      Row("grad_gather", g_quiet) + Row("embedding_layer", g_quiet) +
                      Row("layer", g_quiet) + Row("embedding_layer", g_quiet) +
                      Row("layer", g_quiet));
        const SimaiWorkload pipeline(name);
        WorkloadChecker(pipeline, name).Run();
        NS_TEST_EXPECT_MSG_EQ(
            Show(pipeline, 0),
            "compute 10, compute 10 <0, compute 10 <1, send 4096 1/0 <2, compute 10 <2, compute 10 "
            "<4, "
            "send 4096 1/2 <5, recv 4096 1/3, compute 20 <5 <7, compute 30 <8, compute 20 <9, "
            "compute "
            "30 <10, recv 4096 1/1, compute 20 <11 <12, compute 30 <13, compute 20 <14, compute 30 "
            "<15, compute 20 <16, compute 30 <17",
            "first stage");
        NS_TEST_EXPECT_MSG_EQ(pipeline.CountOperations(1), 19, "last stage");
        NS_TEST_EXPECT_MSG_EQ(pipeline.Describe(),
                              "pipeline.txt"
                              ": SimAI, HYBRID_TRANSFORMER_FWD_IN_BCKWD, 2 ranks = TP 1 x PP 2 "
                              "x DP 1, EP 1, 5 rows, 38 operations; pp_comm is sent per "
                              "microbatch from stage to stage, as in GPipe",
                              "what it says");
    }
};

/// Programs are not stored.
class SimaiRowsAreExpandedLazily : public TestCase
{
  public:
    SimaiRowsAreExpandedLazily()
        : TestCase("a large cluster costs no more than its groups until a rank runs")
    {
    }

  private:
    void DoRun() override
    {
        std::string text =
            "HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 8 ep: 1 pp: 1 vpp: 1 ga: 1 "
            "all_gpus: 9216 checkpoints: 0 checkpoint_initiates: 0\n1791\n";
        for (uint32_t i = 0; i < 1791; ++i)
        {
            text += Row("layer", "1000 ALLREDUCE 4096 1000 ALLREDUCE 4096 1000 NONE 0 1");
        }
        const SimaiWorkload work(WriteFile(CreateTempDirFilename("large.txt"), text));
        NS_TEST_EXPECT_MSG_EQ(work.CountOperations(9215), 1791 * 5, "operations of a rank");
        NS_TEST_EXPECT_MSG_EQ(work.GetGroups().size(), 1152, "TP groups");
        auto program = work.CreateProgram(9215, 0);
        Operation operation;
        for (uint32_t i = 0; i < 4; ++i)
        {
            program->Next(operation);
        }
        NS_TEST_EXPECT_MSG_EQ(operation.layer, 1, "the second row");
    }
};

/// Everything that can be wrong.
class BadSimaiIsRefused : public TestCase
{
  public:
    BadSimaiIsRefused()
        : TestCase("each kind of malformed SimAI file has its one-line error with the line")
    {
    }

  private:
    void DoRun() override
    {
        const std::string row = Row("a", g_quiet);
        const std::vector<BadFile> table{
            {"", "the SimAI workload cannot be read"},
            {"HYBRID_TRANSFORMR\n1\n" + row,
             "line 1: there is no policy 'HYBRID_TRANSFORMR'; did you mean 'HYBRID_TRANSFORMER'?"},
            {"HYBRID_DLRM\n1\n" + row, "line 1: policy HYBRID_DLRM cannot be run"},
            {"HYBRID_DATA_MODEL\n1\n" + row, "line 1: policy HYBRID_DATA_MODEL cannot be run"},
            {"DISTRIBUTED_INFERENCE\n1\n" + row, "it trains nothing"},
            {"HYBRID_TRANSFORMER all_gpus: 8\n1\n" + row,
             "line 1: a transformer's header needs 'model_parallel_NPU_group:'"},
            {Header(8, " pp: 3") + "1\n" + row, "line 1: 'pp:' stands there twice"},
            {Header(8, " gpp: 3") + "1\n" + row, "line 1: unknown key 'gpp:'; did you mean 'pp:'?"},
            {Header(8, " pp_comm:") + "1\n" + row, "line 1: 'pp_comm:' needs a number behind it"},
            {Header(8, " pp_comm: x") + "1\n" + row,
             "line 1: pp_comm: must be a whole number >= 0, is 'x'"},
            {"DATA all_gpus: 0\n1\n" + row, "line 1: 'all_gpus:' is 0; at least 1 is needed"},
            {"DATA all_gpus: 4 checkpoints: 3 1 2\n1\n" + row,
             "line 1: 'checkpoints:' announces 3 rows and names 2"},
            {"DATA all_gpus: 4 checkpoints: 1 7\n1\n" + row,
             "line 1: a checkpoint names row 7; there are rows 0 to 0"},
            {"DATA all_gpus: 4 checkpoint_initiates: 1 0\n1\n" + row,
             "line 1: checkpoint_initiates stands beside DATA; forward runs again under HYBRID_"},
            {"HYBRID_TRANSFORMER_FWD_IN_BCKWD model_parallel_NPU_group: 1 all_gpus: 4 "
             "checkpoint_initiates: 1 0\n1\n" +
                 row,
             "line 1: row 0 initiates forward again, but no row at or before it is a checkpoint"},
            {Header(8), "line 1: the file ends where the number of rows should stand"},
            {Header(8) + "one\n" + row, "line 2: the number of rows must be a whole number >= 0"},
            {Header(8) + "839\n" + row + row, "line 2: announces 839 rows, but the file has 2"},
            {Header(8) + "1\n" + row + row, "line 2: announces 1 rows, but the file has 2"},
            {Header(8) + "1\na -1 10 NONE 0\n",
             "line 3: the file ends within a row: 5 of 12 columns"},
            {Header(8) + "1\n" + Row("a", g_quiet + " DATA"),
             "line 3: 'DATA' stands behind the 12 columns of row 'a'"},
            {"HYBRID_CUSTOMIZED all_gpus: 2\n1\n" + row,
             "line 3: row 'a' has 12 columns; under HYBRID_CUSTOMIZED it needs 13"},
            {"HYBRID_CUSTOMIZED all_gpus: 2\n1\n" + Row("a", g_quiet + " HYBRID_TRANSFORMER"),
             "line 3: row 'a': policy HYBRID_TRANSFORMER needs groups that"},
            {Header(8) + "1\nb x " + g_quiet + "\n",
             "line 3: the second column (a row, or -1) must be"},
            {Header(8) + "1\n" + Row("a", "-5 NONE 0 1 NONE 0 1 NONE 0 0"),
             "line 3: the forward time in ns must be a whole number >= 0, is '-5'"},
            {Header(8) + "1\n" + Row("a", "1 ALLREDUCEALLTOALL 5 1 NONE 0 1 NONE 0 0"),
             "line 3: 'ALLREDUCEALLTOALL' is no communication"},
            {Header(8) + "1\n" + Row("a", "1 ALLREDUCE_TP 5 1 NONE 0 1 NONE 0 0"),
             "line 3: 'ALLREDUCE_TP' is no communication"},
            {Header(8) + "1\n" + Row("a", "1 ALLREDUCE 18446744073709551616 1 NONE 0 1 NONE 0 0"),
             "line 3: the forward size 18446744073709551616 does not fit in 64 bits"},
            {"MICRO all_gpus: 2\n1\n" + Row("a", "1 ALLREDUCE 5 1 NONE 0 1 NONE 0 0"),
             "line 3: row 'a' communicates in its forward, but MICRO runs the weight gradient's"},
            {"MODEL all_gpus: 2\n1\n" + Row("a", "1 NONE 5 1 NONE 0 1 ALLREDUCE 9 0"),
             "line 3: row 'a' communicates in its weight gradient, but model parallelism keeps"},
            {Header(6) + "1\n" + row, "line 1: 6 ranks are no multiple of TP 2 x PP 2"},
            {"HYBRID_TRANSFORMER model_parallel_NPU_group: 2 ep: 3 all_gpus: 8\n1\n" + row,
             "line 1: ep 3 does not divide the 4 TP groups of 8 ranks"},
            {"DATA\n1\n" + row, "line 1: the file does not say for how many ranks it is"},
            {"HYBRID_TRANSFORMER model_parallel_NPU_group: 2 pp: 2 ga: 2 all_gpus: 8 pp_comm: "
             "5\n1\n" +
                 row,
             "line 1: pp_comm is sent around the rows of each of ga 2 microbatches"},
        };
        const std::string name = CreateTempDirFilename("bad.txt");
        for (const BadFile& bad : table)
        {
            WriteFile(name, bad.content);
            const std::string error = ErrorOf([&] { SimaiWorkload work(name); });
            NS_TEST_EXPECT_MSG_EQ(error.compare(0, name.size() + 2, name + ": "), 0, error);
            NS_TEST_EXPECT_MSG_EQ((error.find(bad.error) != std::string::npos),
                                  true,
                                  "'" << error << "' should say '" << bad.error << "'");
            NS_TEST_EXPECT_MSG_EQ(error.find('\n'), std::string::npos, "one line: " << error);
        }
        WriteFile(name, Header(8) + "1\n" + row);
        NS_TEST_EXPECT_MSG_EQ(ErrorOf([&] { SimaiWorkload work(name, 16); }),
                              name + ": line 1: all_gpus is 8, but there shall be 16 ranks",
                              "both numbers");
    }
};

/// @ingroup llm-training-tests
/// The suite of SimAI's workloads.
class SimaiTestSuite : public TestSuite
{
  public:
    SimaiTestSuite()
        : TestSuite("llm-training-workload-simai", ns3::TestSuite::Type::UNIT)
    {
        AddTestCase(new SimaiRanksAreLaidOut, llm::TestDuration::QUICK);
        AddTestCase(new SimaiRowsRunInOrder, llm::TestDuration::QUICK);
        AddTestCase(new SimaiExtrasAreHonoured, llm::TestDuration::QUICK);
        AddTestCase(new SimaiRowsAreExpandedLazily, llm::TestDuration::QUICK);
        AddTestCase(new BadSimaiIsRefused, llm::TestDuration::QUICK);
    }
};

SimaiTestSuite g_simaiTestSuite; //!< registers the suite

} // namespace

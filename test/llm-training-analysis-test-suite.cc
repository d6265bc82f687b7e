/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-training-listed-workload.h"
#include "llm-training-workload-expect.h"

#include "ns3/llm-collective-selector.h"
#include "ns3/llm-parameter-tensor.h"
#include "ns3/llm-traffic-model.h"
#include "ns3/llm-training-compat.h"
#include "ns3/llm-training-step.h"
#include "ns3/llm-workload-checker.h"
#include "ns3/test.h"

#include <map>
#include <tuple>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

constexpr auto SEND = OperationKind::SEND;
constexpr auto RECV = OperationKind::RECV;
constexpr auto ALL_REDUCE = OperationKind::ALL_REDUCE;

/** Every complaint of the checker, and none without a cause. */
class WorkloadsAreCheckedBeforeTheyRun : public TestCase
{
  public:
    WorkloadsAreCheckedBeforeTheyRun()
        : TestCase("unmatched sends, differing sizes, deadlocks and malformed operations are "
                   "named with ranks, tags and sizes")
    {
    }

  private:
    void Expect(const ListedWorkload& workload, const std::string& expected)
    {
        for (uint64_t seed = 0; seed < 5; ++seed)
        {
            NS_TEST_EXPECT_MSG_EQ(
                MessageOf([&workload, seed] { WorkloadChecker(workload, "w").Run(0, seed); }),
                expected,
                "message");
        }
    }

    void CheckMessages()
    {
        {
            ListedWorkload workload(2);
            workload.AddPeer(0, SEND, 1048576, 1, 7);
            workload.AddPeer(1, RECV, 2097152, 0, 7);
            Expect(workload,
                   "w: rank 1 operation 0: expects 2097152 bytes with tag 7 from rank 0, which "
                   "sends 1048576 bytes (its operation 0)");
        }
        {
            ListedWorkload workload(2);
            workload.AddPeer(0, SEND, 1048576, 1, 7);
            Expect(workload,
                   "w: rank 0 operation 0: sends 1048576 bytes with tag 7 to rank 1, which has no "
                   "receive for them");
        }
        {
            ListedWorkload workload(2);
            workload.AddPeer(0, SEND, 5, 1, 7);
            workload.AddPeer(1, RECV, 5, 0, 8);
            Expect(workload,
                   "w: rank 1: deadlock of 1 ranks; rank 1 operation 0 waits for 5 bytes with tag "
                   "8 from rank 0");
        }
        {
            // The n-th send with a tag meets the n-th receive with it, whatever the order of tags.
            ListedWorkload workload(2);
            workload.AddPeer(0, SEND, 1, 1, 1);
            workload.AddPeer(0, SEND, 2, 1, 2);
            workload.AddPeer(0, SEND, 0, 1, 1);
            workload.AddPeer(1, RECV, 2, 0, 2);
            workload.AddPeer(1, RECV, 1, 0, 1);
            workload.AddPeer(1, RECV, 0, 0, 1);
            Expect(workload, "nothing thrown");
            NS_TEST_EXPECT_MSG_EQ(WorkloadChecker(workload).Run(), 6, "operations");
        }
        {
            ListedWorkload workload(2);
            workload.AddPeer(0, RECV, 4, 1, 0);
            workload.AddPeer(0, SEND, 4, 1, 0);
            workload.AddPeer(1, RECV, 4, 0, 0);
            workload.AddPeer(1, SEND, 4, 0, 0);
            Expect(workload,
                   "w: rank 0: deadlock of 2 ranks; rank 0 operation 0 waits for 4 bytes with tag "
                   "0 from rank 1; rank 1 operation 0 waits for 4 bytes with tag 0 from rank 0");
        }
        ListedWorkload many(12);
        for (uint32_t rank = 0; rank < 12; ++rank)
        {
            many.AddPeer(rank, RECV, 4, (rank + 1) % 12, 0);
        }
        const std::string message = MessageOf([&many] { WorkloadChecker(many, "w").Run(); });
        NS_TEST_EXPECT_MSG_EQ(message.substr(0, 33), "w: rank 0: deadlock of 12 ranks; ", "many");
        NS_TEST_EXPECT_MSG_EQ(message.substr(message.size() - 5), "; ...", "shortened");
    }

    void CheckCollectives()
    {
        const auto make = [](OperationKind kind, uint64_t bytes) {
            ListedWorkload workload(3);
            workload.groups.push_back({ParallelDimension::DATA, "dp", {0, 2}});
            workload.Add(0, ALL_REDUCE, 100);
            workload.Add(2, kind, bytes);
            return workload;
        };
        Expect(make(ALL_REDUCE, 100), "nothing thrown");
        const auto expectEither = [this, &make](OperationKind kind,
                                                uint64_t bytes,
                                                const std::string& mine) {
            const std::string theirs = "all_reduce of 100 bytes with root 0";
            const ListedWorkload workload = make(kind, bytes);
            const std::string message =
                MessageOf([&workload] { WorkloadChecker(workload, "w").Run(); });
            const std::string first = "w: rank 2 operation 0: " + mine + " on group 0 (dp) meets " +
                                      theirs + " of rank 0 (its operation 0)";
            const std::string second = "w: rank 0 operation 0: " + theirs +
                                       " on group 0 (dp) meets " + mine +
                                       " of rank 2 (its operation 0)";
            NS_TEST_EXPECT_MSG_EQ((message == first || message == second), true, message);
        };
        expectEither(OperationKind::ALL_GATHER, 100, "all_gather of 100 bytes with root 0");
        expectEither(ALL_REDUCE, 101, "all_reduce of 101 bytes with root 0");

        ListedWorkload lonely(3);
        lonely.groups.push_back({ParallelDimension::DATA, "dp", {0, 1, 2}});
        lonely.Add(1, ALL_REDUCE, 4);
        Expect(lonely,
               "w: rank 1: deadlock of 1 ranks; rank 1 operation 0 all_reduce on group 0 (dp) "
               "waits for ranks 0 2");
        ListedWorkload stranger(3);
        stranger.groups.push_back({ParallelDimension::DATA, "dp", {0, 1}});
        stranger.Add(2, ALL_REDUCE, 4);
        Expect(stranger, "w: rank 2 operation 0: is not in group 0 (dp)");
        ListedWorkload beyond(1);
        beyond.Add(0, ALL_REDUCE, 4).group = 3;
        Expect(beyond, "w: rank 0 operation 0: group 3 of 0");
        ListedWorkload root(1);
        root.groups.push_back({ParallelDimension::DATA, "dp", {0}});
        root.Add(0, OperationKind::BROADCAST, 4).root = 1;
        Expect(root, "w: rank 0 operation 0: root 1 in a group of 1");
        ListedWorkload alone(1);
        alone.groups.push_back({ParallelDimension::DATA, "dp", {0}});
        alone.Add(0, ALL_REDUCE, 4);
        Expect(alone, "nothing thrown");
    }

    void CheckForm()
    {
        ListedWorkload id(1);
        id.Add(0, OperationKind::COMPUTE, 0).id = 4;
        Expect(id, "w: rank 0 operation 0: has the id 4");
        ListedWorkload later(1);
        later.Add(0, OperationKind::COMPUTE, 0).waits = {0};
        Expect(later, "w: rank 0 operation 0: waits for operation 0, which is not earlier");
        ListedWorkload negative(1);
        negative.Add(0, OperationKind::COMPUTE, 0).durationPs = -1;
        Expect(negative, "w: rank 0 operation 0: takes -1 ps");
        ListedWorkload peer(2);
        peer.AddPeer(0, SEND, 4, 2, 0);
        Expect(peer,
               "w: rank 0 operation 0: send with peer 2, but there are 2 ranks and a peer is "
               "another one");
        ListedWorkload self(2);
        self.AddPeer(1, RECV, 4, 1, 0);
        Expect(self,
               "w: rank 1 operation 0: recv with peer 1, but there are 2 ranks and a peer is "
               "another one");
        ListedWorkload count(1);
        count.Add(0, OperationKind::COMPUTE, 0);
        count.announced = 5;
        Expect(count, "w: rank 0 operation 1: the program has 1 operations, but announces 5");
    }

    void DoRun() override
    {
        CheckMessages();
        CheckCollectives();
        CheckForm();
    }
};

/** A model whose volumes can be computed by hand. */
class VolumesByHand : public TestCase
{
  public:
    VolumesByHand()
        : TestCase("GPT-2 on 8 replicas and Llama-3-8B on TP 8, PP 2, DP 2: volumes, FLOPs, "
                   "memory, ideal time")
    {
    }

  private:
    static TrafficModel::Chooser Ring()
    {
        static const CollectiveSelector selector;
        return [](CollectiveSpec& spec, const ProcessGroup&, ParallelDimension) {
            return selector.Choose(spec, "ring").algorithm;
        };
    }

    static ModelConfig Read(const std::string& name)
    {
        return ModelConfig::ReadFile(std::string(LLM_TRAINING_SOURCE_DIR) + "/examples/models/" +
                                     name + ".json");
    }

    void CheckDataParallel()
    {
        ParallelConfig parallel;
        parallel.data_parallel_size = 8;
        parallel.make_vocab_size_divisible_by = 1;
        TrainingConfig training;
        training.ddp_bucket_scheme = "none";
        training.grad_reduce_dtype = "bf16";
        training.micro_batch_size = 4;
        const TrainingStep step(Read("gpt2"),
                                ParallelLayout(parallel),
                                training,
                                Accelerator(AcceleratorConfig()));
        const TrafficModel model(step, Ring());
        // 248879616 B of gradients in chunks of 31109952 B, 14 steps; the loss likewise.
        const auto data = ParallelDimension::DATA;
        NS_TEST_EXPECT_MSG_EQ(model.GetBytesSent(3, data), 14ULL * 31109952, "per rank");
        NS_TEST_EXPECT_MSG_EQ(model.GetPairBytes(3, 4, data), 435539328, "ring");
        NS_TEST_EXPECT_MSG_EQ(model.GetPairBytes(3, 5, data), 0, "ring");
        NS_TEST_EXPECT_MSG_EQ(model.GetTotal(data), 8ULL * 435539328, "all");
        NS_TEST_EXPECT_MSG_EQ(model.GetTotal(ParallelDimension::SCALAR), 2 * 7 * 4, "loss");
        NS_TEST_EXPECT_MSG_EQ(model.GetTotal(ParallelDimension::TENSOR), 0, "one rank");
        NS_TEST_EXPECT_MSG_EQ(model.GetTotal(),
                              model.GetTotal(data) + model.GetTotal(ParallelDimension::SCALAR),
                              "nothing else");
        NS_TEST_EXPECT_MSG_EQ(model.GetBubbleFraction(), 0, "no pipeline");
        NS_TEST_EXPECT_MSG_EQ(model.GetIdealIterationPs(), model.GetComputePs(0), "no bubble");
        // 32 sequences of 1024; causal: 6 (12 L h^2 + L s h + V h) per token.
        const double perToken = 6.0 * (12.0 * 12 * 768 * 768 + 12.0 * 1024 * 768 + 50257.0 * 768);
        NS_TEST_EXPECT_MSG_EQ(model.GetFlops(), perToken * 32 * 1024, "FLOPs");
        const double second = 1e12;
        NS_TEST_EXPECT_MSG_EQ_TOL(model.GetMfu(second),
                                  perToken * 32 * 1024 / (8 * 989.4e12),
                                  1e-12,
                                  "MFU");
    }

    void CheckThreeDimensions()
    {
        ParallelConfig parallel;
        parallel.tensor_model_parallel_size = 8;
        parallel.pipeline_model_parallel_size = 2;
        parallel.data_parallel_size = 2;
        parallel.sequence_parallel = true;
        TrainingConfig training;
        training.global_batch_size = 8;
        training.seq_length = 4096;
        const TrainingStep step(Read("llama-3-8b"),
                                ParallelLayout(parallel),
                                training,
                                Accelerator(AcceleratorConfig()));
        const TrafficModel model(step, Ring());
        constexpr uint64_t m = 4;
        constexpr uint64_t activation = 2ULL * 4096 * 4096;
        NS_TEST_EXPECT_MSG_EQ(model.GetPairBytes(0, 16, ParallelDimension::PIPELINE),
                              m * activation / 8,
                              "forward");
        NS_TEST_EXPECT_MSG_EQ(model.GetPairBytes(16, 0, ParallelDimension::PIPELINE),
                              m * activation / 8,
                              "backward");
        NS_TEST_EXPECT_MSG_EQ(model.GetPairBytes(0, 17, ParallelDimension::PIPELINE), 0, "other");
        // Vocabulary 128256 -> 129024; a stage has 16 layers and one end.
        const uint64_t layer = (2 * 4096 * 4096 + 2 * 4096 * 1024 + 3 * 4096 * 14336) / 8 + 8192;
        const uint64_t first = 129024 / 8 * 4096 + 16 * layer;
        NS_TEST_EXPECT_MSG_EQ(step.GetStage(0).parameters, first, "first stage");
        NS_TEST_EXPECT_MSG_EQ(step.GetStage(1).parameters, first + 4096, "last stage");
        NS_TEST_EXPECT_MSG_EQ(model.GetBytesSent(1, ParallelDimension::DATA), first * 4, "fp32");
        // First stage: 6 gathers and 4 scatters in 16 layers, embedding scattered and gathered;
        // rank 1 of the tensor group passes token ids on; norms once.
        const uint64_t tensors = m * (16 * 10 + 2) * (activation / 8 * 7);
        const uint64_t ids = m * 8 * 4096;
        const uint64_t norms = 2 * 7 * (16 * 2 * 4096 * 4 / 8);
        NS_TEST_EXPECT_MSG_EQ(model.GetBytesSent(1, ParallelDimension::TENSOR),
                              tensors + ids + norms,
                              "tensor");
        NS_TEST_EXPECT_MSG_EQ(model.GetBubbleFraction(), 0.25, "(p - 1) / m");
        NS_TEST_EXPECT_MSG_EQ(model.GetIdealIterationPs(),
                              model.GetForwardPs(0) + model.GetBackwardPs(0) +
                                  4 * (model.GetForwardPs(1) + model.GetBackwardPs(1)) +
                                  step.GetStage(1).optimizerPs,
                              "the stage with the output layer is slowest");
        const MemoryEstimate memory = model.EstimateMemory(0);
        NS_TEST_EXPECT_MSG_EQ(memory.parameters, first * 2, "bf16");
        NS_TEST_EXPECT_MSG_EQ(memory.gradients, first * 4, "fp32");
        NS_TEST_EXPECT_MSG_EQ(memory.optimizer, first * 12, "Adam: 18 bytes in all");
        // Inputs of norms and matrices; queries, keys, values, input of the output projection and
        // FlashAttention's sums; gate, up and what they make.
        constexpr uint64_t kept =
            2 * (4 * 512 * 4096 + 512 * (2 * 4096 + 2 * 1024 + 3 * 14336)) + 4 * 32 * 512;
        NS_TEST_EXPECT_MSG_EQ(memory.activations, 2 * 16 * kept, "two microbatches in flight");
        NS_TEST_EXPECT_MSG_EQ(memory.GetTotal(), first * 18 + memory.activations, "sum");
        NS_TEST_EXPECT_MSG_EQ(model.EstimateMemory(1).activations,
                              16 * kept + 2 * 2 * 512 * 4096 + 4 * 4096 * (129024 / 8),
                              "one in flight, and the output layer's");
        // Gradients summed over data-parallel ranks: 2 (d - 1) / d P g of the whole model.
        const uint64_t padding = 2ULL * (129024 - 128256) * 4096;
        const uint64_t replicated = 7ULL * (32 * 8192 + 4096);
        const uint64_t parameters = CountParameters(step.GetModel()) + padding + replicated;
        NS_TEST_EXPECT_MSG_EQ(model.GetTotal(ParallelDimension::DATA),
                              2 * parameters * 4,
                              "closed form of the whole model");
    }

    void DoRun() override
    {
        CheckDataParallel();
        CheckThreeDimensions();
    }
};

/** The suite. */
class AnalysisTestSuite : public TestSuite
{
  public:
    AnalysisTestSuite()
        : TestSuite("llm-training-analysis", Type::UNIT)
    {
        AddTestCase(new WorkloadsAreCheckedBeforeTheyRun, llm::TestDuration::QUICK);
        AddTestCase(new VolumesByHand, llm::TestDuration::QUICK);
    }
};

const AnalysisTestSuite g_analysisTestSuite; //!< registers the suite

} // namespace

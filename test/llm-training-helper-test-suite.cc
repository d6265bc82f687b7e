/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-training-test-job.h"

#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/ipv4-global-routing-helper.h"
#include "ns3/llm-collective-selector.h"
#include "ns3/llm-config-error.h"
#include "ns3/llm-group-nodes.h"
#include "ns3/llm-parallel-layout.h"
#include "ns3/llm-traffic-model.h"
#include "ns3/llm-training-compat.h"
#include "ns3/llm-training-helper.h"
#include "ns3/llm-training-step.h"
#include "ns3/point-to-point-helper.h"
#include "ns3/single-switch-topology.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <map>
#include <sstream>

using namespace ns3;
using namespace ns3::llm;
using namespace llmtest;

namespace
{

/// @return a model small enough for a test
ModelConfig
SmallModel()
{
    ModelConfig model;
    model.SetFamily("llama");
    model.name = "small";
    model.vocab_size = 512;
    model.hidden_size = 64;
    model.num_hidden_layers = 4;
    model.num_attention_heads = 4;
    model.intermediate_size = 128;
    model.max_position_embeddings = 64;
    model.Validate();
    return model;
}

/// @return two microbatches per replica
TrainingConfig
SmallTraining()
{
    TrainingConfig training;
    training.global_batch_size = 4;
    training.seq_length = 64;
    return training;
}

/// @return helper with tensor, pipeline and data parallelism of 2 each
LlmTrainingHelper
MakeHelper()
{
    LlmTrainingHelper llm(SmallModel());
    llm.SetParallel(2, 2);
    llm.SetTraining(SmallTraining());
    llm.SetCollectives({"ring", 2, 4096});
    llm.SetJobAttribute("Iterations", UintegerValue(2));
    return llm;
}

/// Every pair and dimension of a job that has run against the closed form.
class BytesTestCase : public TestCase
{
  public:
    using TestCase::TestCase;

  protected:
    /// @param job has run @param iterations of it @param perServer ranks that share a server
    void Check(Ptr<TrainingJob> job, uint64_t iterations, uint32_t perServer)
    {
        std::string failure;
        for (const auto& line : job->GetFailure())
        {
            failure += line + "\n";
        }
        NS_TEST_ASSERT_MSG_EQ(job->IsComplete(), true, failure);
        const TrainingStep step(SmallModel(),
                                ParallelLayout(
                                    [] {
                                        ParallelConfig config;
                                        config.tensor_model_parallel_size = 2;
                                        config.pipeline_model_parallel_size = 2;
                                        return config;
                                    }(),
                                    job->GetWorldSize()),
                                SmallTraining(),
                                Accelerator(AcceleratorConfig()));
        const CollectiveSelector selector;
        std::vector<uint32_t> servers;
        for (uint32_t rank = 0; rank < job->GetWorldSize(); ++rank)
        {
            servers.push_back(rank / perServer);
        }
        const TrafficModel model(
            step,
            [&](CollectiveSpec& spec, const ProcessGroup& group, ParallelDimension) {
                spec.channels = 2;
                spec.sliceBytes = 4096;
                spec.ranksPerNode = GetRanksPerNode(group.ranks, servers);
                return selector.Choose(spec, "ring").algorithm;
            });
        uint64_t total = 0;
        for (const PairTraffic& pair : job->GetTraffic().GetPairs())
        {
            NS_TEST_EXPECT_MSG_EQ(
                pair.bytes,
                iterations * model.GetPairBytes(pair.from, pair.to, pair.dimension),
                "rank " << pair.from << " to " << pair.to << ", " << ToString(pair.dimension));
            total += pair.bytes;
        }
        NS_TEST_EXPECT_MSG_EQ(total, iterations * model.GetTotal(), "nothing is missing");
        NS_TEST_EXPECT_MSG_EQ(job->GetTransport()->GetTotals().bytesDelivered, total, "delivered");
        for (uint32_t rank = 0; rank < job->GetWorldSize(); ++rank)
        {
            const uint32_t stage = step.GetLayout().GetCoordinate(rank, ParallelAxis::PP);
            const Time compute =
                PicoSeconds(iterations * static_cast<uint64_t>(model.GetComputePs(stage)));
            const int64_t measured = job->GetRank(rank)->GetTimes().compute;
            NS_TEST_EXPECT_MSG_EQ_TOL(measured, compute.GetTimeStep(), 1, "compute time");
        }
    }
};

/// @ingroup llm-training-tests
/// Three lines, over TCP, two accelerators a node.
class TcpInstallTestCase : public BytesTestCase
{
  public:
    TcpInstallTestCase()
        : BytesTestCase("a job over TCP on existing nodes emits the bytes of the traffic model")
    {
    }

  private:
    void DoRun() override
    {
        for (const auto& simulator : g_simulators)
        {
            SimulatorScope scope(simulator);
            NodeContainer nodes;
            nodes.Create(4);
            InternetStackHelper().Install(nodes);
            PointToPointHelper link;
            link.SetDeviceAttribute("DataRate", StringValue("10Gbps"));
            Ipv4AddressHelper address("10.0.0.0", "255.255.255.0");
            for (uint32_t a = 0; a < 4; ++a)
            {
                for (uint32_t b = a + 1; b < 4; ++b)
                {
                    address.Assign(link.Install(nodes.Get(a), nodes.Get(b)));
                    address.NewNetwork();
                }
            }
            Ipv4GlobalRoutingHelper::PopulateRoutingTables();
            LlmTrainingHelper llm = MakeHelper();
            llm.SetAcceleratorsPerNode(2);
            const auto job = llm.Install(nodes);
            NS_TEST_EXPECT_MSG_EQ(job->GetWorldSize(), 8, "two ranks a node");
            Simulator::Run();
            Check(job, 2, 2);
        }
    }
};

/// @ingroup llm-training-tests
/// Three lines, over RDMA.
class RdmaInstallTestCase : public BytesTestCase
{
  public:
    RdmaInstallTestCase()
        : BytesTestCase("a job over RDMA runs alike on both simulators, with and without scale-up")
    {
    }

  private:
    void DoRun() override
    {
        std::map<uint32_t, std::vector<std::string>> histories;
        for (const uint32_t perServer : {1U, 2U})
        {
            for (const auto& simulator : g_simulators)
            {
                histories[perServer].push_back(RunOn(simulator, perServer));
            }
            NS_TEST_EXPECT_MSG_EQ((histories[perServer][0] == histories[perServer][1]),
                                  true,
                                  "alike on both simulators");
        }
        NS_TEST_EXPECT_MSG_NE((histories[1][0] == histories[2][0]), true, "scale-up matters");
    }

    /// @return what happened
    std::string RunOn(const std::string& simulator, uint32_t perServer)
    {
        SimulatorScope scope(simulator);
        const FabricNetwork network =
            SingleSwitchTopology(8).Build(CreateObject<Fabric>(), perServer);
        LlmTrainingHelper llm = MakeHelper();
        llm.SetAcceleratorsPerServer(perServer);
        const auto job = llm.Install(network.fabric, network.endpoints);
        std::ostringstream history;
        for (uint32_t rank = 0; rank < 8; ++rank)
        {
            job->GetRank(rank)->TraceConnectWithoutContext(
                "OperationEnd",
                Callback<void, uint32_t, uint32_t, const Operation&, int64_t, int64_t>(
                    [&](uint32_t r, uint32_t i, const Operation& o, int64_t start, int64_t now) {
                        history << r << ' ' << i << ' ' << o.id << ' ' << start << ' ' << now
                                << '\n';
                    }));
        }
        Simulator::Run();
        Check(job, 2, perServer);
        return history.str();
    }
};

/// @ingroup llm-training-tests
/// What does not fit is refused with the numbers.
class HelperErrorTestCase : public TestCase
{
  public:
    HelperErrorTestCase()
        : TestCase("the helper refuses what does not fit")
    {
    }

  private:
    /// @param action throws @param text in the error
    void Expect(const std::function<void()>& action, const std::string& text)
    {
        std::string what = "nothing was thrown";
        try
        {
            action();
        }
        catch (const ConfigError& error)
        {
            what = error.what();
        }
        NS_TEST_EXPECT_MSG_NE(what.find(text), std::string::npos, what);
    }

    void DoRun() override
    {
        SimulatorScope scope(g_simulators[1]);
        NodeContainer nodes;
        nodes.Create(2);
        LlmTrainingHelper llm = MakeHelper();
        Expect([&]() { llm.Install(nodes); }, "has no IP address");
        InternetStackHelper().Install(nodes);
        Expect([&]() { llm.Install(nodes); }, "has no IP address");
        PointToPointHelper link;
        Ipv4AddressHelper address("10.0.0.0", "255.255.255.0");
        address.Assign(link.Install(nodes));
        Expect([&]() { llm.Install(nodes); }, "2"); // tensor 2 x pipeline 2 on two ranks
        Expect([&]() { llm.SetAcceleratorsPerNode(0); }, "at least 1");
        Expect([&]() { LlmTrainingHelper helper("no-such-file.json"); }, "no-such-file.json");
        const FabricNetwork network = SingleSwitchTopology(2).Build(CreateObject<Fabric>(), 1);
        llm.SetAcceleratorsPerNode(2);
        Expect([&]() { llm.Install(network.fabric, network.endpoints); },
               "an endpoint of a fabric carries 1");
        Expect(
            [&]() {
                LlmTrainingHelper helper(MakeScript(3, std::vector<std::vector<Operation>>(3)));
                helper.Install(nodes);
            },
            "the workload has 3 ranks, but 2 nodes were given");
    }
};

/// @ingroup llm-training-tests
/// The suite of the helper.
class LlmTrainingHelperTestSuite : public TestSuite
{
  public:
    LlmTrainingHelperTestSuite()
        : TestSuite("llm-training-helper", Type::UNIT)
    {
        AddTestCase(new TcpInstallTestCase);
        AddTestCase(new RdmaInstallTestCase);
        AddTestCase(new HelperErrorTestCase);
    }
};

LlmTrainingHelperTestSuite g_llmTrainingHelperTestSuite; //!< registers the suite

} // namespace

/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Scale-up domains with packets, beside the analytic model.

#include "fabric-test-helpers.h"
#include "llm-training-import-test.h"

#include "ns3/llm-packet-scale-up-transport.h"
#include "ns3/llm-scenario-reader.h"
#include "ns3/llm-simulation.h"
#include "ns3/llm-training-compat.h"
#include "ns3/names.h"
#include "ns3/scale-up-topology.h"
#include "ns3/single-switch-topology.h"
#include "ns3/test.h"

using namespace ns3;
using namespace ns3::llm;

namespace
{

/// A transport over the scale-up domains of a network.
class Domains
{
  public:
    /// @param servers number @param size accelerators of each @param kind of domain
    Domains(uint32_t servers, uint32_t size, ScaleUpTopology::Kind kind)
    {
        SingleSwitchTopology topology(servers * size);
        m_network = topology.Build(CreateObject<Fabric>(), size);
        ScaleUpTopology::Settings settings;
        settings.kind = kind;
        settings.bandwidth = DataRate("800Gbps");
        settings.latency = NanoSeconds(600);
        std::vector<uint32_t> users;
        for (uint32_t i = 0; i < servers * size; ++i)
        {
            users.push_back(i);
        }
        fabric =
            ScaleUpTopology::Build(m_network, users, settings, m_network.fabric->GetEventQueue());
        transport = CreateObject<PacketScaleUpTransport>();
        transport->SetListener(&recorder);
        for (uint32_t rank = 0; rank < users.size(); ++rank)
        {
            const Ptr<Node> node = m_network.endpoints.Get(rank);
            std::vector<FramePort*> ports;
            for (const auto& port : fabric->GetEndpointPorts(fabric->GetEndpoint(node)))
            {
                ports.push_back(PeekPointer(port));
            }
            transport->AddRank(rank, ports, node->GetId());
        }
    }

    ~Domains()
    {
        transport->Dispose();
        fabric->Dispose();
        m_network.fabric->Dispose();
        Simulator::Destroy();
        Names::Clear();
    }

    Domains(const Domains&) = delete;
    Domains& operator=(const Domains&) = delete;

    /// Send a message. @param from rank @param to rank @param bytes length @param tag of it
    void Send(uint32_t from, uint32_t to, uint64_t bytes, uint64_t tag = 0) const
    {
        Message message;
        message.from = from;
        message.to = to;
        message.bytes = bytes;
        message.tag = tag;
        transport->Send(message);
    }

    fabrictest::Recorder recorder;         //!< what was delivered
    Ptr<Fabric> fabric;                    //!< of the domains
    Ptr<PacketScaleUpTransport> transport; //!< over it

  private:
    FabricNetwork m_network; //!< whose servers they are
};

/// Messages of all sizes.
class EveryMessageArrivesOnceInOrder : public TestCase
{
  public:
    EveryMessageArrivesOnceInOrder()
        : TestCase("messages of every size arrive once, in order of their pair; switch and mesh")
    {
    }

  private:
    void DoRun() override
    {
        for (const auto kind : {ScaleUpTopology::Kind::SWITCH, ScaleUpTopology::Kind::MESH})
        {
            const bool star = kind == ScaleUpTopology::Kind::SWITCH;
            Domains domains(2, 4, kind);
            NS_TEST_EXPECT_MSG_EQ(domains.fabric->GetSwitches().size(), (star ? 2 : 0), "switches");
            NS_TEST_EXPECT_MSG_EQ(domains.fabric->GetPorts().size(), (star ? 16 : 24), "ports");
            const std::vector<uint64_t> sizes{5000000, 0, 1, 4096, 4097, 123457};
            uint64_t bytes = 0;
            for (uint32_t from = 0; from < 8; ++from)
            {
                for (uint32_t to = from / 4 * 4; to < from / 4 * 4 + 4; ++to)
                {
                    for (std::size_t i = 0; from != to && i < sizes.size(); ++i)
                    {
                        domains.Send(from, to, sizes[i], i);
                        bytes += sizes[i];
                    }
                }
            }
            std::vector<std::string> open;
            domains.transport->DescribeOpen(open, 5);
            NS_TEST_EXPECT_MSG_EQ(open.size(), 5, "open messages are told");
            Simulator::Run();
            const TransportTotals totals = domains.transport->GetTotals();
            NS_TEST_EXPECT_MSG_EQ(totals.messagesDelivered, 24 * sizes.size(), "messages");
            NS_TEST_EXPECT_MSG_EQ(totals.bytesDelivered, bytes, "bytes");
            NS_TEST_EXPECT_MSG_EQ(totals.payloadSent, bytes, "payload");
            NS_TEST_EXPECT_MSG_EQ(totals.payloadReceived, bytes, "payload");
            std::map<std::pair<uint32_t, uint32_t>, std::vector<uint64_t>> tags;
            for (const auto& entry : domains.recorder.delivered)
            {
                if (entry.message.bytes > 0)
                {
                    tags[{entry.message.from, entry.message.to}].push_back(entry.message.tag);
                }
            }
            for (const auto& [pair, order] : tags)
            {
                NS_TEST_EXPECT_MSG_EQ((order == std::vector<uint64_t>{0, 2, 3, 4, 5}),
                                      true,
                                      pair.first << " to " << pair.second);
            }
            const FabricTotals fabric = domains.fabric->GetTotals();
            NS_TEST_EXPECT_MSG_EQ(fabric.hosts.drops + fabric.switches.drops, 0, "lossless");
            NS_TEST_EXPECT_MSG_EQ(fabric.framesLive, 0, "no frame is left");
            NS_TEST_EXPECT_MSG_EQ(fabric.bytesBuffered, 0, "no byte is left");
        }
    }
};

/// Alone, a message takes what the formula says.
class AloneItIsAsTheFormulaSays : public TestCase
{
  public:
    AloneItIsAsTheFormulaSays()
        : TestCase("a lone message takes latency and serialisation, a frame more at the switch")
    {
    }

  private:
    void DoRun() override
    {
        const int64_t ns = NanoSeconds(1).GetTimeStep();
        {
            Domains domains(1, 4, ScaleUpTopology::Kind::SWITCH);
            domains.Send(0, 3, 40960);
            Simulator::Run();
            // 10 frames of 4116 B at 100 B/ns, one stored by the switch, 600 ns.
            NS_TEST_EXPECT_MSG_EQ_TOL(domains.recorder.GetEnd(),
                                      static_cast<int64_t>((11 * 41.16 + 600) * ns),
                                      2 * ns,
                                      "switch");
        }
        Domains domains(1, 5, ScaleUpTopology::Kind::MESH);
        domains.Send(0, 3, 40960);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ_TOL(domains.recorder.GetEnd(),
                                  static_cast<int64_t>((10 * 4 * 41.16 + 600) * ns),
                                  2 * ns,
                                  "mesh: a quarter of the bandwidth");
        // 3 us later the others too: full bandwidth.
        const int64_t start = domains.recorder.GetEnd();
        for (uint32_t to = 1; to < 5; ++to)
        {
            domains.Send(0, to, 40960);
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ_TOL(domains.recorder.GetEnd() - start,
                                  static_cast<int64_t>((10 * 4 * 41.16 + 600) * ns),
                                  2 * ns,
                                  "all links at once");
    }
};

/// Whole runs.
class JobsTakeAsLong : public TestCase
{
  public:
    JobsTakeAsLong()
        : TestCase("a tensor-parallel job and flows take as long as with the analytic model")
    {
    }

  private:
    /// @param set fields @return ticks of the first iteration
    double Run(std::vector<std::string> set)
    {
        set.emplace_back("output.folder=");
        const Scenario scenario = ScenarioReader::ParseText(
            "{\"model\": {\"config\": {\"model_type\": \"llama\", \"vocab_size\": 32000,"
            " \"hidden_size\": 2048, \"num_hidden_layers\": 2, \"num_attention_heads\": 16,"
            " \"num_key_value_heads\": 16, \"intermediate_size\": 4096,"
            " \"max_position_embeddings\": 2048}},"
            " \"parallelism\": {\"tensor_model_parallel_size\": 4, \"data_parallel_size\": 2},"
            " \"training\": {\"seq_length\": 1024, \"global_batch_size\": 2},"
            " \"cluster\": {\"accelerators_per_server\": 4},"
            " \"fabric\": {\"leaves\": 2, \"spines\": 1, \"hosts_per_leaf\": 4}}",
            "s.json",
            set);
        Simulation simulation(scenario);
        NS_TEST_EXPECT_MSG_EQ(simulation.Run(), true, "complete, and the books balance");
        return static_cast<double>(simulation.GetJob()->GetIterations().front().duration);
    }

    void DoRun() override
    {
        const double analytic = Run({});
        NS_TEST_EXPECT_MSG_EQ_TOL(Run({"cluster.scale_up=switch"}) / analytic, 1.0, 0.03, "switch");
        // Rings use one link of three.
        NS_TEST_EXPECT_MSG_GT(Run({"cluster.scale_up=mesh"}) / analytic, 1.0, "mesh");
        std::string error;
        try
        {
            Run({"cluster.scale_up=switch",
                 "collectives.all_reduce=nvls",
                 "parallelism.data_parallel_size=1",
                 "training.global_batch_size=1"});
        }
        catch (const ConfigError& thrown)
        {
            error = thrown.what();
        }
        NS_TEST_EXPECT_MSG_EQ(error,
                              "s.json: cluster.scale_up: is 'switch', whose switch neither reduces "
                              "nor multicasts; 'nvls' needs 'analytic'",
                              "nvls");
    }
};

/// Mistakes.
class MistakesAreTold : public TestCase
{
  public:
    MistakesAreTold()
        : TestCase("ranks of different domains, unknown ranks, reductions in the switch")
    {
    }

  private:
    void DoRun() override
    {
        Domains domains(2, 2, ScaleUpTopology::Kind::SWITCH);
        const auto expect = [&](const std::function<void()>& action, const std::string& error) {
            NS_TEST_EXPECT_MSG_EQ(llmtest::ErrorOf(action), error, error);
        };
        expect([&] { domains.Send(0, 2, 5); },
               "PacketScaleUpTransport: rank 0: has no scale-up link to rank 2: they are in "
               "different domains");
        expect([&] { domains.Send(0, 9, 5); },
               "PacketScaleUpTransport: rank 9: is unknown; call AddRank first");
        expect([&] { domains.Send(1, 1, 5); },
               "PacketScaleUpTransport: rank 1: cannot send to itself");
        Message message;
        message.from = 0;
        message.to = 1;
        message.bytes = 5;
        message.inNetwork = InNetwork::REDUCE;
        expect([&] { domains.transport->Send(message); },
               "PacketScaleUpTransport: rank 0: the packet-level scale-up domain reduces and "
               "multicasts nothing; use the analytic one for NVLS");
    }
};

/// The suite.
class TransportPacketScaleUpTestSuite : public TestSuite
{
  public:
    TransportPacketScaleUpTestSuite()
        : TestSuite("llm-training-transport-packet-scale-up", Type::UNIT)
    {
        AddTestCase(new EveryMessageArrivesOnceInOrder, llm::TestDuration::QUICK);
        AddTestCase(new AloneItIsAsTheFormulaSays, llm::TestDuration::QUICK);
        AddTestCase(new JobsTakeAsLong, llm::TestDuration::QUICK);
        AddTestCase(new MistakesAreTold, llm::TestDuration::QUICK);
    }
};

TransportPacketScaleUpTestSuite g_transportPacketScaleUpTestSuite; //!< registers itself

} // namespace

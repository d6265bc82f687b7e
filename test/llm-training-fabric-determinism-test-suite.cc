/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The same input gives the same events at the same times in the same order: run to run, on the
// native event queue and on the portable one over any scheduler, ties included.

#include "fabric-test-helpers.h"

#include "ns3/config.h"
#include "ns3/inet-socket-address.h"
#include "ns3/internet-stack-helper.h"
#include "ns3/ipv4-address-helper.h"
#include "ns3/llm-training-compat.h"
#include "ns3/on-off-helper.h"
#include "ns3/packet-sink-helper.h"
#include "ns3/packet-sink.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/test.h"

using namespace ns3;
using namespace fabrictest;

namespace
{

const char* const SUITE = "llm-training-fabric-determinism"; //!< name

/** Writes down everything that trace sources and listeners say. */
class Diary
{
  public:
    /** @param net to listen to. */
    explicit Diary(Net& net)
        : m_net(net)
    {
        const std::string device = "/NodeList/*/DeviceList/*/$ns3::llm::FabricPort/";
        const std::string nic = "/NodeList/*/$ns3::llm::RdmaNic/";
        for (const char* name : {"PfcSent", "PfcPause", "PfcResume"})
        {
            Config::Connect(device + name, MakeCallback(&Diary::Pfc, this));
        }
        Config::Connect(device + "EcnMark", MakeCallback(&Diary::Mark, this));
        Config::Connect(device + "FrameDrop", MakeCallback(&Diary::Drop, this));
        Config::Connect(device + "QueueBytes", MakeCallback(&Diary::Queue, this));
        Config::Connect(device + "PhyTxBegin", MakeCallback(&Diary::Packet, this));
        Config::Connect(device + "PhyRxEnd", MakeCallback(&Diary::Packet, this));
        for (const char* name : {"CnpSent", "CnpReceived", "RetransmissionTimeout"})
        {
            Config::Connect(nic + name, MakeCallback(&Diary::Pair, this));
        }
        Config::Connect(nic + "Rate", MakeCallback(&Diary::Value, this));
        Config::Connect(nic + "Window", MakeCallback(&Diary::Value, this));
        net.recorder.onDelivered = [this](const Message& m, int64_t now) { Tell("end", m, now); };
        net.recorder.onSent = [this](const Message& m, int64_t now) { Tell("sent", m, now); };
    }

    /** A packet of an application. */
    void Application(std::string path, Ptr<const ns3::Packet> packet, const Address&)
    {
        Line(path, Simulator::Now().GetTimeStep()) << " " << packet->GetSize() << "\n";
    }

    std::ostringstream text; //!< all lines

  private:
    std::ostream& Line(const std::string& what, int64_t now)
    {
        return text << now << " " << what;
    }

    std::ostream& Line(const std::string& what)
    {
        return Line(what, m_net.fabric->GetEventQueue().Now());
    }

    void Pfc(std::string path, const FabricPort*, uint8_t c, uint16_t quanta)
    {
        Line(path) << " " << +c << " " << quanta << "\n";
    }

    void Mark(std::string path, const FabricPort*, const Frame& frame)
    {
        Line(path) << " " << frame.source << " " << frame.psn << "\n";
    }

    void Drop(std::string path, const FabricPort*, const Frame& frame, DropReason reason)
    {
        Line(path) << " " << frame.source << " " << frame.psn << " " << ToString(reason) << "\n";
    }

    void Queue(std::string path, const FabricPort*, uint8_t c, uint64_t bytes)
    {
        Line(path) << " " << +c << " " << bytes << "\n";
    }

    void Packet(std::string path, Ptr<const ns3::Packet> packet)
    {
        Line(path) << " " << packet->GetSize() << "\n";
    }

    void Pair(std::string path, const RdmaQueuePair& qp)
    {
        Line(path) << " " << qp.GetNumber() << "\n";
    }

    void Value(std::string path, const RdmaQueuePair& qp, uint64_t value)
    {
        Line(path) << " " << qp.GetNumber() << " " << value << "\n";
    }

    void Tell(const std::string& what, const Message& m, int64_t now)
    {
        Line(what, now) << " " << m.from << " " << m.to << " " << m.tag << " " << m.start << "\n";
    }

    Net& m_net;
};

/// @ingroup llm-training-tests
/// One scenario, everywhere the same.
class DeterminismTest : public TestCase
{
  public:
    DeterminismTest()
        : TestCase("traces are the same run to run and on every event queue, ties included")
    {
    }

  private:
    /** @return everything that happened. */
    static std::string RunOnce(const std::string& simulator,
                               const std::string& scheduler,
                               uint32_t run)
    {
        SimulatorScope scope(simulator, scheduler);
        RngSeedManager::SetRun(run);
        Ptr<RedEcnMarker> marker = CreateObject<RedEcnMarker>();
        marker->SetAttribute("Kmin", UintegerValue(20000));
        marker->SetAttribute("Kmax", UintegerValue(200000));
        SwitchSettings settings;
        settings.marker = marker;
        settings.bufferBytes = 600000;
        Net net(1024);
        net.BuildLeafSpine(2, 2, 4, 100, 100, NanoSeconds(500), settings);
        InternetStackHelper stack;
        stack.Install(net.hosts);
        NetDeviceContainer devices;
        for (const auto& port : net.fabric->GetPorts())
        {
            if (!port->IsSwitchPort())
            {
                devices.Add(port);
            }
            Ptr<RandomLossModel> model = CreateObject<RandomLossModel>();
            model->SetAttribute("Probability", DoubleValue(8e-3));
            port->SetLossModel(model);
        }
        Ipv4AddressHelper addresses("10.1.0.0", "255.255.0.0");
        const Ipv4InterfaceContainer interfaces = addresses.Assign(devices);
        RdmaTransportHelper helper;
        helper.SetCongestionControl("ns3::llm::RdmaDcqcn");
        helper.SetAttribute("RetransmissionTimeout", TimeValue(MicroSeconds(200)));
        helper.SetAttribute("RetryCount", UintegerValue(30));
        net.Install(helper);
        Diary diary(net);

        PacketSinkHelper sink("ns3::UdpSocketFactory",
                              InetSocketAddress(Ipv4Address::GetAny(), 5001));
        sink.Install(net.hosts.Get(7))
            .Get(0)
            ->TraceConnect("Rx", "sink", MakeCallback(&Diary::Application, &diary));
        for (uint32_t i = 0; i < 3; ++i)
        {
            OnOffHelper onOff("ns3::UdpSocketFactory",
                              InetSocketAddress(interfaces.GetAddress(7), 5001));
            onOff.SetConstantRate(DataRate("4Gbps"), 1000); // a packet each 2 us: ties
            onOff.SetAttribute("MaxBytes", UintegerValue(100000));
            onOff.Install(net.hosts.Get(i));
        }
        // An incast and a ring that start in one instant, with messages of one size; and again
        // from an ns-3 event that shares its instant with frames.
        const auto post = [&net] {
            for (uint32_t i = 0; i < 8; ++i)
            {
                if (i != 7)
                {
                    net.Send(i, 7, 65536, 1);
                }
                net.Send(i, (i + 1) % 8, 32768, 2, 1);
            }
        };
        post();
        Simulator::Schedule(MicroSeconds(2), post);
        Simulator::Schedule(MicroSeconds(20), post);
        Simulator::Stop(MilliSeconds(20));
        Simulator::Run();
        diary.text << net.CheckBooks();
        return diary.text.str();
    }

    void DoRun() override
    {
        UsePicoseconds(SUITE);
        const uint64_t run = RngSeedManager::GetRun();
        const std::string portable = "ns3::DefaultSimulatorImpl";
        const std::string native = "ns3::llm::FabricSimulatorImpl";
        const std::string first = RunOnce(portable, "ns3::MapScheduler", 1);
        for (const char* what : {"PfcPause",
                                 "EcnMark",
                                 "FrameDrop",
                                 "CnpReceived",
                                 "sink",
                                 "sent",
                                 "RetransmissionTimeout",
                                 "Rate"})
        {
            NS_TEST_EXPECT_MSG_NE(first.find(what), std::string::npos, what << " occurs");
        }
        NS_TEST_EXPECT_MSG_EQ(first.back(), '\n', "books: " << first.substr(first.rfind('\n') + 1));
        for (const auto& [simulator, scheduler] : std::vector<std::pair<std::string, std::string>>{
                 {portable, "ns3::MapScheduler"},
                 {portable, "ns3::HeapScheduler"},
                 {portable, "ns3::ListScheduler"},
                 {portable, "ns3::CalendarScheduler"},
                 {portable, "ns3::PriorityQueueScheduler"},
                 {native, "ns3::MapScheduler"},
                 {native, "ns3::HeapScheduler"}})
        {
            const std::string again = RunOnce(simulator, scheduler, 1);
            if (again != first)
            {
                const auto where =
                    std::mismatch(first.begin(),
                                  first.begin() + static_cast<std::ptrdiff_t>(
                                                      std::min(first.size(), again.size())),
                                  again.begin());
                const auto at = static_cast<std::size_t>(where.first - first.begin());
                const std::size_t from = at < 200 ? 0 : at - 200;
                NS_TEST_EXPECT_MSG_EQ(again.substr(from, 400),
                                      first.substr(from, 400),
                                      simulator << " with " << scheduler);
            }
        }
        NS_TEST_EXPECT_MSG_NE((RunOnce(native, "ns3::MapScheduler", 2) == first),
                              true,
                              "another run number loses other frames");
        RngSeedManager::SetRun(run);
    }
};

/// @ingroup llm-training-tests
/// The suite.
class FabricDeterminismSuite : public TestSuite
{
  public:
    FabricDeterminismSuite()
        : TestSuite("llm-training-fabric-determinism", Type::UNIT)
    {
        AddTestCase(new DeterminismTest, llm::TestDuration::QUICK);
    }
};

FabricDeterminismSuite g_fabricDeterminismSuite; //!< instance

} // namespace

/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Every congestion control in a network: incasts of 2 and 16 flows that start together, and of 4
// that start one after the other.

#include "ns3/double.h"
#include "ns3/fabric-ecn-marker.h"
#include "ns3/fabric-loss-model.h"
#include "ns3/leaf-spine-topology.h"
#include "ns3/llm-fabric.h"
#include "ns3/node-container.h"
#include "ns3/pointer.h"
#include "ns3/rdma-transport-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** A congestion control, and the marking that it wants of switches. */
struct Algorithm
{
    std::string name;                              //!< short name
    uint64_t kmin{0};                              //!< bytes; 0: no marking
    uint64_t kmax{0};                              //!< bytes
    double pmax{1};                                //!< at kmax
    std::map<std::string, std::string> attributes; //!< of the congestion control
    uint32_t mtu{4096};                            //!< payload per packet
    bool slow{false};                              //!< takes tens of milliseconds to settle
    bool fair{true};                               //!< promises equal shares
    double leastUse{0.9};                          //!< share of the link, settled
    double mostQueue{1e6};                         //!< bytes, mean, settled
};

constexpr double LINE = 100e9; //!< bit/s

/** What an incast comes to. */
struct Outcome
{
    double jain{0};         //!< of goodputs, over the last third
    double utilization{0};  //!< of the bottleneck, over the last third
    double meanQueue{0};    //!< bytes, over the last third
    uint64_t peakQueue{0};  //!< bytes, over the last third
    uint64_t startQueue{0}; //!< bytes, before
    uint64_t drops{0};      //!< frames
    uint64_t repeats{0};    //!< payload
    uint64_t trace{0};      //!< fingerprint of all rates and windows over time
    uint64_t changes{0};    //!< of rates and windows
};

/** Flows into one receiver through one switch. */
class Incast : public MessageListener
{
  public:
    /** @param algorithm under test. @param flows number of senders; the receiver is the last. */
    Incast(const Algorithm& algorithm, uint32_t flows)
        : m_flows(flows),
          m_fabric(CreateObject<Fabric>())
    {
        Ptr<Node> center = CreateObject<Node>();
        Ptr<FabricSwitch> made = CreateObject<FabricSwitch>();
        if (algorithm.kmax > 0)
        {
            Ptr<RedEcnMarker> red = CreateObject<RedEcnMarker>();
            red->SetAttribute("Kmin", UintegerValue(algorithm.kmin));
            red->SetAttribute("Kmax", UintegerValue(algorithm.kmax));
            red->SetAttribute("Pmax", DoubleValue(algorithm.pmax));
            made->SetAttribute("EcnMarker", PointerValue(red));
        }
        center->AggregateObject(made);
        m_fabric->AddSwitch(center);
        m_hosts.Create(flows + 1);
        for (uint32_t i = 0; i <= flows; ++i)
        {
            m_fabric->AddEndpoint(m_hosts.Get(i));
            m_fabric->Connect(m_hosts.Get(i), center, DataRate("100Gbps"), MicroSeconds(1));
        }
        m_fabric->Build();
        RdmaTransportHelper helper;
        helper.SetAttribute("PathMtu", UintegerValue(algorithm.mtu));
        helper.SetCongestionControl(algorithm.name);
        for (const auto& attribute : algorithm.attributes)
        {
            helper.SetCongestionAttribute(attribute.first, StringValue(attribute.second));
        }
        m_transport = helper.Install(m_fabric, m_hosts);
        m_transport->SetListener(this);
        m_bottleneck =
            m_fabric->GetEndpointPort(m_fabric->GetEndpoint(m_hosts.Get(flows)))->GetPeer();
        m_bottleneck->TraceConnectWithoutContext("QueueBytes",
                                                 MakeCallback(&Incast::QueueChanged, this));
        for (const auto& nic : m_transport->GetNics())
        {
            nic->TraceConnectWithoutContext("Rate", MakeCallback(&Incast::Changed, this));
            nic->TraceConnectWithoutContext("Window", MakeCallback(&Incast::Changed, this));
        }
    }

    ~Incast()
    {
        m_transport->Dispose();
        m_fabric->Dispose();
        Simulator::Destroy();
    }

    /** Lose frames of both directions of every link. @param probability of each. */
    void SetLoss(double probability)
    {
        for (const auto& port : m_fabric->GetPorts())
        {
            Ptr<RandomLossModel> loss = CreateObject<RandomLossModel>();
            loss->SetAttribute("Probability", DoubleValue(probability));
            port->SetLossModel(loss);
        }
    }

    /** Start a flow. @param sender rank. @param at when. @param bytes how much. */
    void StartFlow(uint32_t sender, Time at, uint64_t bytes)
    {
        Simulator::Schedule(at, [this, sender, bytes] {
            Message message;
            message.from = sender;
            message.to = m_flows;
            message.bytes = bytes;
            m_transport->Send(message);
        });
    }

    /**
     * Run endless flows.
     * @param spacing between their starts.
     * @param duration of the run.
     * @return what it came to.
     */
    Outcome Run(Time spacing, Time duration)
    {
        for (uint32_t i = 0; i < m_flows; ++i)
        {
            StartFlow(i, spacing * i, uint64_t{1} << 30);
        }
        const Time settled = duration - TimeStep(static_cast<uint64_t>(duration.GetTimeStep() / 3));
        std::vector<uint64_t> before;
        uint64_t sentBefore = 0;
        Simulator::Schedule(settled, [&] {
            FabricEntry entry(m_fabric->GetEventQueue());
            before = GetReceived();
            sentBefore = GetLinkBytes();
            outcome.startQueue = m_peak;
            m_peak = m_queue;
            m_queueTime = 0;
            m_queueSince = m_fabric->GetEventQueue().Now();
        });
        Simulator::Stop(duration);
        Simulator::Run();
        const double seconds = (duration - settled).GetSeconds();
        const std::vector<uint64_t> after = GetReceived();
        double sum = 0;
        double squares = 0;
        for (uint32_t i = 0; i < m_flows; ++i)
        {
            const auto x = static_cast<double>(after[i] - before[i]);
            sum += x;
            squares += x * x;
        }
        outcome.jain = sum * sum / (m_flows * squares);
        outcome.utilization = static_cast<double>(GetLinkBytes() - sentBefore) * 8 / seconds / LINE;
        outcome.meanQueue = m_queueTime / static_cast<double>((duration - settled).GetTimeStep());
        outcome.peakQueue = m_peak;
        outcome.drops = m_fabric->GetTotals().switches.drops;
        outcome.repeats = m_transport->GetTotals().payloadRetransmitted;
        return outcome;
    }

    Ptr<Fabric> GetFabric() const
    {
        return m_fabric;
    }

    Ptr<RdmaTransport> GetTransport() const
    {
        return m_transport;
    }

    /** @return RTT of a full packet on the idle network. */
    Time GetBaseRtt() const
    {
        const uint32_t from = m_fabric->GetEndpoint(m_hosts.Get(0));
        const uint32_t to = m_fabric->GetEndpoint(m_hosts.Get(m_flows));
        return TimeStep(static_cast<uint64_t>(
            m_fabric->GetPathTicks(from, to, m_transport->GetPathMtu() + 82) +
            m_fabric->GetPathTicks(to, from, wire::ACK_FRAME + wire::PREAMBLE_IFG)));
    }

    /** @return bytes that the line carries in the base RTT. */
    double GetBdp() const
    {
        return LINE / 8 * GetBaseRtt().GetSeconds();
    }

    FabricPort* GetBottleneck() const
    {
        return m_bottleneck;
    }

    void MessageDelivered(const Message&, int64_t now) override
    {
        ++delivered;
        lastDelivery = now;
    }

    void MessageSent(const Message&, int64_t) override
    {
    }

    void MessageFailed(const Message&, const std::string&) override
    {
        ++failed;
    }

    Outcome outcome;         //!< so far
    uint64_t delivered{0};   //!< messages
    uint64_t failed{0};      //!< messages
    int64_t lastDelivery{0}; //!< tick

  private:
    std::vector<uint64_t> GetReceived() const
    {
        std::vector<uint64_t> received;
        for (uint32_t i = 0; i < m_flows; ++i)
        {
            const RdmaQueuePair* qp = m_transport->FindQueuePair(m_flows, i, 0);
            received.push_back(qp ? qp->GetCounters().payloadReceived : 0);
        }
        return received;
    }

    /** @return bytes of link time that the bottleneck has sent. */
    uint64_t GetLinkBytes() const
    {
        const FabricPortCounters counters = m_bottleneck->GetCounters();
        return counters.txBytes + counters.txFrames * wire::PREAMBLE_IFG;
    }

    void QueueChanged(const FabricPort*, uint8_t trafficClass, uint64_t bytes)
    {
        if (trafficClass != 3)
        {
            return;
        }
        const int64_t now = m_fabric->GetEventQueue().Now();
        m_queueTime += static_cast<double>(m_queue) * static_cast<double>(now - m_queueSince);
        m_queueSince = now;
        m_queue = bytes;
        m_peak = std::max(m_peak, bytes);
    }

    void Changed(const RdmaQueuePair& queuePair, uint64_t value)
    {
        ++outcome.changes;
        for (const uint64_t x : {static_cast<uint64_t>(m_fabric->GetEventQueue().Now()),
                                 uint64_t{queuePair.GetLocalRank()},
                                 value})
        {
            outcome.trace = (outcome.trace ^ x) * 1099511628211U; // FNV-1a
        }
    }

    uint32_t m_flows;                  //!< senders
    Ptr<Fabric> m_fabric;              //!< network
    NodeContainer m_hosts;             //!< senders, receiver
    Ptr<RdmaTransport> m_transport;    //!< on all hosts
    FabricPort* m_bottleneck{nullptr}; //!< towards the receiver
    uint64_t m_queue{0};               //!< bytes of class 3 at it
    uint64_t m_peak{0};                //!< most of them
    double m_queueTime{0};             //!< bytes times ticks
    int64_t m_queueSince{0};           //!< tick of the last change
};

/** @return an algorithm that wants no marks. */
Algorithm
MakeAlgorithm(const std::string& name, double leastUse, double mostQueue)
{
    Algorithm algorithm;
    algorithm.name = name;
    algorithm.leastUse = leastUse;
    algorithm.mostQueue = mostQueue;
    return algorithm;
}

/** @return an algorithm with the marks that it wants. */
Algorithm
MakeMarked(const std::string& name,
           uint64_t kmin,
           uint64_t kmax,
           double pmax,
           double leastUse,
           double mostQueue)
{
    Algorithm algorithm = MakeAlgorithm(name, leastUse, mostQueue);
    algorithm.kmin = kmin;
    algorithm.kmax = kmax;
    algorithm.pmax = pmax;
    algorithm.slow = name.substr(0, 5) == "dcqcn";
    return algorithm;
}

/** @return all algorithms that react, with the marking that they want at 100 Gb/s. */
std::vector<Algorithm>
ListAlgorithms()
{
    Algorithm timely = MakeAlgorithm("timely", 0.85, 400e3);
    timely.fair = false;
    return {MakeMarked("dcqcn", 5000, 200000, 0.01, 0.9, 200e3),
            // Alpha decays every microsecond: against CNPs every 50 us, 16 flows lean on PFC.
            MakeMarked("dcqcn_mellanox", 400000, 1600000, 0.2, 0.9, 20e6),
            MakeAlgorithm("hpcc", 0.92, 8e3),
            timely,
            MakeAlgorithm("swift", 0.99, 160e3),
            MakeMarked("dctcp", 300000, 300000, 1, 0.99, 310e3),
            MakeAlgorithm("powertcp", 0.95, 90e3),
            MakeAlgorithm("powertcp_delay", 0.99, 600e3),
            // 0.2 and 0.8 of 58.5 kB
            MakeMarked("nscc", 11700, 46800, 1, 0.99, 70e3)};
}

/** Shares, queues and use of the link. */
class IncastsSettle : public TestCase
{
  public:
    IncastsSettle()
        : TestCase("incasts of 2 and 16 flows, and 4 one after the other, settle as promised")
    {
    }

  private:
    void DoRun() override
    {
        std::map<uint64_t, std::string> traces;
        for (const Algorithm& algorithm : ListAlgorithms())
        {
            const Time duration = MilliSeconds(algorithm.slow ? 24 : 6);
            Check(algorithm, 2, Time(0), duration);
            Check(algorithm, 16, Time(0), duration);
            const uint64_t trace = Check(algorithm, 4, MilliSeconds(1), duration * 2);
            const auto same = traces.insert({trace, algorithm.name});
            NS_TEST_EXPECT_MSG_EQ(same.second,
                                  true,
                                  algorithm.name << " does as " << same.first->second);
        }
    }

    /** @return fingerprint of rates and windows. */
    uint64_t Check(const Algorithm& algorithm, uint32_t flows, Time spacing, Time duration)
    {
        Incast incast(algorithm, flows);
        const Outcome o = incast.Run(spacing, duration);
        const std::string what = algorithm.name + ", " + std::to_string(flows) + " flows";
        if (algorithm.fair)
        {
            NS_TEST_EXPECT_MSG_GT_OR_EQ(o.jain, 0.95, what << ": shares");
        }
        NS_TEST_EXPECT_MSG_GT(o.utilization, algorithm.leastUse, what << ": use of the link");
        NS_TEST_EXPECT_MSG_LT(o.utilization, 1.0005, what << ": use of the link");
        NS_TEST_EXPECT_MSG_LT(o.meanQueue, algorithm.mostQueue, what << ": mean queue");
        NS_TEST_EXPECT_MSG_EQ(o.drops, 0, what << ": lossless");
        NS_TEST_EXPECT_MSG_EQ(o.repeats, 0, what << ": sent once");
        NS_TEST_EXPECT_MSG_GT(o.changes, 10, what << ": reacts");
        return o.trace;
    }
};

/** Every flow ends, every byte is accounted for. */
class EveryByteArrives : public TestCase
{
  public:
    EveryByteArrives()
        : TestCase("16 messages of 1 MiB arrive under every algorithm, and nothing is left over")
    {
    }

  private:
    void DoRun() override
    {
        std::vector<Algorithm> algorithms = ListAlgorithms();
        for (const std::string name : {"hpcc", "powertcp"})
        {
            algorithms.push_back(MakeAlgorithm(name, 0, 0));
            algorithms.back().attributes["IntBytesPerHop"] = "8";
        }
        for (const Algorithm& algorithm : algorithms)
        {
            Incast incast(algorithm, 16);
            for (uint32_t i = 0; i < 16; ++i)
            {
                incast.StartFlow(i, Time(0), 1 << 20);
            }
            Simulator::Stop(MilliSeconds(200));
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(incast.delivered, 16, algorithm.name);
            NS_TEST_EXPECT_MSG_EQ(incast.failed, 0, algorithm.name);
            const FabricTotals totals = incast.GetFabric()->GetTotals();
            NS_TEST_EXPECT_MSG_EQ(totals.switches.drops, 0, algorithm.name << ": lossless");
            NS_TEST_EXPECT_MSG_EQ(totals.bytesBuffered, 0, algorithm.name << ": buffers");
            NS_TEST_EXPECT_MSG_EQ(incast.GetFabric()->GetFramePool().GetLive(), 0, "frames");
            NS_TEST_EXPECT_MSG_EQ(incast.GetTransport()->GetTotals().payloadReceived,
                                  16 << 20,
                                  algorithm.name << ": payload");
            // 256 packets of a flow, the first with RETH; telemetry on data, one switch.
            const uint64_t telemetry = algorithm.attributes.empty() ? 0 : 8;
            const FabricPortCounters sent = incast.GetBottleneck()->GetCounters();
            NS_TEST_EXPECT_MSG_EQ(sent.txDataBytes,
                                  16 * (256 * (4096 + 62 + telemetry) + 16),
                                  algorithm.name << ": bytes on the link");
            // ... and on each ACK, which came back through the bottleneck's other direction.
            const uint64_t acks = incast.GetTransport()->GetTotals().acksSent;
            NS_TEST_EXPECT_MSG_EQ(acks, 16 * 256, algorithm.name << ": ACKs");
            const FabricPortCounters received = incast.GetBottleneck()->GetPeer()->GetCounters();
            if (algorithm.kmax == 0)
            {
                NS_TEST_EXPECT_MSG_EQ(received.txBytes - received.pfcXoffSent * 64,
                                      acks * (66 + telemetry),
                                      algorithm.name << ": bytes of ACKs");
            }
            // Link time of all data and ACKs' way; DCQCN falls deep at first.
            const double least = static_cast<double>(sent.txDataBytes + 4096 * 20) * 8 / LINE;
            const double last = TimeStep(static_cast<uint64_t>(incast.lastDelivery)).GetSeconds();
            NS_TEST_EXPECT_MSG_GT(last, least, algorithm.name << ": no faster than the link");
            NS_TEST_EXPECT_MSG_LT(last, least * 2, algorithm.name << ": the link is used");
        }
    }
};

/** Losses of data, ACKs, NAKs and CNPs. */
class LossesAreSurvived : public TestCase
{
  public:
    LossesAreSurvived()
        : TestCase("4 messages of 1 MiB arrive under every algorithm though 1 % of frames is lost")
    {
    }

  private:
    void DoRun() override
    {
        for (const Algorithm& algorithm : ListAlgorithms())
        {
            Incast incast(algorithm, 4);
            incast.SetLoss(0.01);
            for (uint32_t i = 0; i < 4; ++i)
            {
                incast.StartFlow(i, Time(0), 1 << 20);
            }
            Simulator::Stop(Seconds(20));
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(incast.delivered, 4, algorithm.name);
            NS_TEST_EXPECT_MSG_EQ(incast.failed, 0, algorithm.name);
            NS_TEST_EXPECT_MSG_GT(incast.GetTransport()->GetTotals().payloadRetransmitted,
                                  0,
                                  algorithm.name << ": something was lost");
            NS_TEST_EXPECT_MSG_EQ(incast.GetTransport()->GetTotals().payloadReceived,
                                  4 << 20,
                                  algorithm.name << ": payload");
            NS_TEST_EXPECT_MSG_EQ(incast.GetFabric()->GetFramePool().GetLive(), 0, "frames");
        }
    }
};

/** Looks at telemetry, and does nothing. */
class TelemetryProbe : public RdmaCongestionOps
{
  public:
    /** @return type id; behind the module's own in any list. */
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::llm::test::TelemetryProbe")
                                .SetParent<RdmaCongestionOps>()
                                .AddConstructor<TelemetryProbe>();
        return tid;
    }

    uint32_t GetNeeds() const override
    {
        return NEEDS_ACK | NEEDS_INT;
    }

    uint8_t GetIntBytesPerHop() const override
    {
        return 8;
    }

    void Init(const RdmaPathInfo& path) override
    {
        SetRate(path.lineRate.GetBitRate());
    }

    void OnAck(const RdmaAckInfo& ack) override
    {
        acks.emplace_back(ack.intRecords, ack.intRecords + ack.intHops);
    }

    std::vector<std::vector<IntRecord>> acks; //!< records by ACK
};

NS_OBJECT_ENSURE_REGISTERED(TelemetryProbe);

/** Telemetry over several switches. */
class TelemetryTellsOfEveryHop : public TestCase
{
  public:
    TelemetryTellsOfEveryHop()
        : TestCase("telemetry tells of every switch in order: time, rate, bytes sent, queue")
    {
    }

  private:
    void DoRun() override
    {
        FabricLink uplink;
        uplink.rate = DataRate("400Gbps");
        uplink.delay = MicroSeconds(1);
        LeafSpineTopology topology(2, 1, 1, uplink);
        FabricLink hostLink;
        hostLink.rate = DataRate("100Gbps");
        hostLink.delay = MicroSeconds(1);
        topology.SetHostLink(hostLink);
        const FabricNetwork network = topology.Build(CreateObject<Fabric>(), 1);
        RdmaTransportHelper helper;
        helper.SetCongestionControl("ns3::llm::test::TelemetryProbe");
        const Ptr<RdmaTransport> transport = helper.Install(network.fabric, network.endpoints);
        Simulator::Schedule(Seconds(0), [&transport] {
            Message message;
            message.from = 0;
            message.to = 1;
            message.bytes = 50 * 4096;
            transport->Send(message);
        });
        Simulator::Stop(MilliSeconds(1));
        Simulator::Run();
        const auto probe =
            DynamicCast<TelemetryProbe>(transport->FindQueuePair(0, 1, 0)->GetCongestionOps());
        NS_TEST_ASSERT_MSG_EQ(probe->acks.size(), 50, "ACKs");
        uint32_t wrong = 0;
        for (std::size_t i = 0; i < 50; ++i)
        {
            const std::vector<IntRecord>& hops = probe->acks[i];
            NS_TEST_ASSERT_MSG_EQ(hops.size(), 3, "leaf, spine, leaf");
            for (std::size_t hop = 0; hop < 3; ++hop)
            {
                wrong += hops[hop].bitRate == (hop < 2 ? 400000000000 : 100000000000) ? 0 : 1;
                wrong += hop == 0 || hops[hop].time > hops[hop - 1].time ? 0 : 1;
                // What the hops before have added; the first packet has a RETH.
                const uint64_t frame = 4096 + 62 + 20 + 8 * (hop + 1);
                wrong += hops[hop].bytesSent == i * frame + (i > 0 ? 16 : 0) ? 0 : 1;
                // The last link is as fast as the first, but frames are longer there.
                wrong += hops[hop].queueBytes <= (hop < 2 ? 0 : 4200) ? 0 : 1;
            }
        }
        NS_TEST_EXPECT_MSG_EQ(wrong, 0, "records");
        transport->Dispose();
        network.fabric->Dispose();
        Simulator::Destroy();
    }
};

/** The queue under DCTCP peaks where its paper says. */
class DctcpQueuePeaksAtThreshold : public TestCase
{
  public:
    DctcpQueuePeaksAtThreshold()
        : TestCase("DCTCP's queue peaks at the threshold plus about a packet per flow")
    {
    }

  private:
    void DoRun() override
    {
        // Alizadeh et al., SIGCOMM 2010, s. 3.3: Qmax = K + N, in packets; K > C RTT / 7.
        Algorithm dctcp = MakeAlgorithm("dctcp", 0, 0);
        dctcp.mtu = 1024;
        const double packet = 1024 + 62; // in a queue
        for (const uint32_t flows : {2U, 4U, 8U})
        {
            for (const uint64_t k : {20000U, 30000U})
            {
                dctcp.kmin = k;
                dctcp.kmax = k;
                Incast incast(dctcp, flows);
                const Outcome o = incast.Run(Time(0), MilliSeconds(6));
                const std::string what = std::to_string(flows) + " flows, K " + std::to_string(k);
                NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(o.peakQueue),
                                          static_cast<double>(k) + flows * packet,
                                          2 * packet,
                                          what << ": Qmax");
                NS_TEST_EXPECT_MSG_GT(o.utilization, 0.9995, what << ": K is enough");
                NS_TEST_EXPECT_MSG_GT(o.jain, 0.98, what << ": shares");
            }
        }
    }
};

/** Queues and use of the link, where theory gives them. */
class QueuesAreThoseOfTheory : public TestCase
{
  public:
    QueuesAreThoseOfTheory()
        : TestCase("queue and use of the link are those that HPCC, PowerTCP, Swift, NSCC aim at")
    {
    }

  private:
    void DoRun() override
    {
        for (const uint32_t flows : {2U, 4U, 16U})
        {
            const std::string what = std::to_string(flows) + " flows";
            // HPCC: U = eta / (1 - W_AI / W), and next to no queue (SIGCOMM 2019, s. 3.3).
            Run("hpcc", flows);
            const double upper = 0.95 / (1 - 80 / (m_bdp / flows));
            NS_TEST_EXPECT_MSG_GT(m_outcome.utilization, 0.945, what << ": HPCC");
            NS_TEST_EXPECT_MSG_LT(m_outcome.utilization, upper + 0.001, what << ": HPCC");
            NS_TEST_EXPECT_MSG_LT(m_outcome.meanQueue, 1.5 * PACKET, what << ": HPCC");
            NS_TEST_EXPECT_MSG_LT(m_outcome.peakQueue, 6 * PACKET, what << ": HPCC");

            // Swift: the delay is the target of the window that it leads to.
            Run("swift", flows);
            NS_TEST_EXPECT_MSG_EQ_TOL(m_outcome.meanQueue / GetSwiftQueue(flows),
                                      1,
                                      0.05,
                                      what << ": Swift");

            // NSCC: a queueing delay of one base RTT.
            Run("nscc", flows);
            NS_TEST_EXPECT_MSG_EQ_TOL(m_outcome.meanQueue / m_bdp, 1, 0.05, what << ": NSCC");
        }
        // PowerTCP: a queue of the sum of additive increases, N BDP / 10 (NSDI 2022, s. 3.3). The
        // telemetry of few flows, and RTTs of many, come too seldom to be steady.
        Run("powertcp", 16);
        NS_TEST_EXPECT_MSG_EQ_TOL(m_outcome.meanQueue / (1.6 * m_bdp), 1, 0.1, "PowerTCP, 16");
        Run("powertcp_delay", 2);
        NS_TEST_EXPECT_MSG_EQ_TOL(m_outcome.meanQueue / (0.2 * m_bdp), 1, 0.1, "by delay, 2");
        Run("powertcp_delay", 4);
        NS_TEST_EXPECT_MSG_EQ_TOL(m_outcome.meanQueue / (0.4 * m_bdp), 1, 0.1, "by delay, 4");
    }

    /** @return bytes. @param flows that share the link. */
    double GetSwiftQueue(uint32_t flows) const
    {
        // Default attributes: base 2 RTT, range 5 base, windows 0.1 to 100.
        const double least = m_rtt - (1024 + 82) * 8 / LINE;
        const double base = 2 * least;
        const double a = 5 * base / (1 / std::sqrt(0.1) - 1 / std::sqrt(100));
        const double b = -a / std::sqrt(100);
        double delay = base;
        for (uint32_t i = 0; i < 50; ++i)
        {
            const double window = LINE / 8 * delay / flows / (1024 + 82);
            delay = base + std::max(0.0, a / std::sqrt(window) + b);
        }
        return (delay - least) * LINE / 8;
    }

    /** Run an incast of small packets, so that windows are many. */
    void Run(const std::string& name, uint32_t flows)
    {
        Algorithm algorithm = MakeAlgorithm(name, 0, 0);
        algorithm.mtu = 1024;
        if (name == "nscc")
        {
            algorithm.kmin = 10500; // 0.2 and 0.8 of 52.4 kB
            algorithm.kmax = 42000;
        }
        Incast incast(algorithm, flows);
        m_outcome = incast.Run(Time(0), MilliSeconds(6));
        m_rtt = incast.GetBaseRtt().GetSeconds();
        m_bdp = incast.GetBdp();
        NS_TEST_EXPECT_MSG_GT(m_outcome.jain, 0.99, name << ", " << flows << ": shares");
    }

    static constexpr double PACKET = 1024 + 62; //!< bytes in a queue
    Outcome m_outcome;                          //!< of the last run
    double m_rtt{0};                            //!< seconds
    double m_bdp{0};                            //!< bytes
};

/** Marking that goes with a congestion control. */
class MarkingFollowsTheControl : public TestCase
{
  public:
    MarkingFollowsTheControl()
        : TestCase("switches mark as DCTCP and NSCC want; all others leave the default")
    {
    }

  private:
    void DoRun() override
    {
        Expect("dctcp", 300000, 300000);
        Expect("nscc", 30000, 120000);
        Expect("dcqcn", 400000, 1600000);
        Expect("ns3::llm::RdmaDctcp", 300000, 300000);
    }

    /** @param name of a control. @param kmin and @param kmax bytes at 100 Gb/s. */
    void Expect(const std::string& name, uint64_t kmin, uint64_t kmax)
    {
        const Ptr<RedEcnMarker> red = CreateObject<RedEcnMarker>();
        red->SetAttribute("Pmax", DoubleValue(0));
        RdmaTransportHelper::SetMarking(name, *red);
        red->Configure(100000000000, 0, 0);
        NS_TEST_EXPECT_MSG_EQ(red->GetFloor(), kmin, name);
        NS_TEST_EXPECT_MSG_EQ(red->Mark(kmax + 1), true, name);
        if (kmax > kmin)
        {
            NS_TEST_EXPECT_MSG_EQ(red->Mark(kmax), false, name << ": Pmax is 0");
        }
    }
};

/** Congestion controls in a network. */
class CongestionIncastTestSuite : public TestSuite
{
  public:
    CongestionIncastTestSuite()
        : TestSuite("llm-training-congestion-incast", Type::UNIT)
    {
        AddTestCase(new IncastsSettle);
        AddTestCase(new EveryByteArrives);
        AddTestCase(new LossesAreSurvived);
        AddTestCase(new TelemetryTellsOfEveryHop);
        AddTestCase(new DctcpQueuePeaksAtThreshold);
        AddTestCase(new QueuesAreThoseOfTheory);
        AddTestCase(new MarkingFollowsTheControl);
    }
};

const CongestionIncastTestSuite g_congestionIncastTestSuite; //!< registers the suite

} // namespace

/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/double.h"
#include "ns3/fabric-ecn-marker.h"
#include "ns3/llm-fabric.h"
#include "ns3/node-container.h"
#include "ns3/pointer.h"
#include "ns3/rdma-dcqcn-base.h"
#include "ns3/rdma-transport-helper.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <map>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** RED of the paper's switches (SIGCOMM 2015, s. 5.2). */
constexpr uint64_t KMIN = 5000;
constexpr uint64_t KMAX = 200000;
constexpr double PMAX = 0.01;

/** Long flows into one receiver through one switch, and what is seen of them. */
class Dumbbell : public MessageListener
{
  public:
    /** @param flows number of senders; the receiver is the last host. @param helper transport. */
    Dumbbell(uint32_t flows, const RdmaTransportHelper& helper)
        : m_flows(flows),
          m_fabric(CreateObject<Fabric>())
    {
        Ptr<RedEcnMarker> red = CreateObject<RedEcnMarker>();
        red->SetAttribute("Kmin", UintegerValue(KMIN));
        red->SetAttribute("Kmax", UintegerValue(KMAX));
        red->SetAttribute("Pmax", DoubleValue(PMAX));
        Ptr<Node> center = CreateObject<Node>();
        center->AggregateObject(
            CreateObjectWithAttributes<FabricSwitch>("EcnMarker", PointerValue(red)));
        m_fabric->AddSwitch(center);
        m_hosts.Create(flows + 1);
        for (uint32_t i = 0; i <= flows; ++i)
        {
            m_fabric->AddEndpoint(m_hosts.Get(i));
            m_fabric->Connect(m_hosts.Get(i), center, DataRate("40Gbps"), MicroSeconds(1));
        }
        m_fabric->Build();
        m_transport = helper.Install(m_fabric, m_hosts);
        m_transport->SetListener(this);
        const uint32_t receiver = m_fabric->GetEndpoint(m_hosts.Get(flows));
        m_bottleneck = m_fabric->GetEndpointPort(receiver)->GetPeer();
        m_bottleneck->TraceConnectWithoutContext("EcnMark", MakeCallback(&Dumbbell::Marked, this));
        m_bottleneck->TraceConnectWithoutContext("QueueBytes",
                                                 MakeCallback(&Dumbbell::QueueChanged, this));
        m_transport->GetNics().back()->TraceConnectWithoutContext(
            "CnpSent",
            MakeCallback(&Dumbbell::CnpSent, this));
        for (const auto& nic : m_transport->GetNics())
        {
            nic->TraceConnectWithoutContext("Rate", MakeCallback(&Dumbbell::RateChanged, this));
        }
    }

    ~Dumbbell()
    {
        m_transport->Dispose();
        m_fabric->Dispose();
        Simulator::Destroy();
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

    /** Note how much every flow has delivered. @param at when. @param where result. */
    void SampleAt(Time at, std::vector<uint64_t>& where)
    {
        Simulator::Schedule(at, [this, &where] {
            FabricEntry entry(m_fabric->GetEventQueue());
            where.clear();
            for (uint32_t i = 0; i < m_flows; ++i)
            {
                const RdmaQueuePair* qp = m_transport->FindQueuePair(m_flows, i, 0);
                where.push_back(qp ? qp->GetCounters().payloadReceived : 0);
            }
        });
    }

    /** @return reaction point of a flow. @param sender rank. */
    Ptr<RdmaDcqcnBase> GetReactionPoint(uint32_t sender) const
    {
        return DynamicCast<RdmaDcqcnBase>(
            m_transport->FindQueuePair(sender, m_flows, 0)->GetCongestionOps());
    }

    void MessageDelivered(const Message&, int64_t) override
    {
        ++delivered;
    }

    void MessageSent(const Message&, int64_t) override
    {
    }

    void MessageFailed(const Message&, const std::string&) override
    {
        ++failed;
    }

    uint64_t delivered{0};  //!< messages
    uint64_t failed{0};     //!< messages
    uint64_t frames{0};     //!< that were queued at the bottleneck
    uint64_t marksBelow{0}; //!< frames marked when no more than Kmin was queued
    uint64_t cnps{0};       //!< that the receiver sent
    int64_t closestCnps{std::numeric_limits<int64_t>::max()}; //!< ticks, of one queue pair

    /** Frames that met a queue between Kmin and Kmax. */
    struct Bin
    {
        double expected{0}; //!< marks, by RED's line
        double variance{0}; //!< of the marks
        uint64_t marks{0};  //!< seen
    };

    static constexpr uint64_t BIN_BYTES = 20000; //!< of queue per bin
    std::array<Bin, KMAX / BIN_BYTES + 1> bins;  //!< by queue length
    uint64_t above{0};                           //!< frames that met more than Kmax
    uint64_t marksAbove{0};                      //!< of those, marked
    uint64_t rateChanges{0};                     //!< of all senders

    Ptr<Fabric> GetFabric() const
    {
        return m_fabric;
    }

    Ptr<RdmaTransport> GetTransport() const
    {
        return m_transport;
    }

  private:
    void Marked(const FabricPort* port, const Frame& frame)
    {
        // The frame is not in the queue yet.
        const uint64_t queue = port->GetQueueBytes(frame.trafficClass);
        marksBelow += queue <= KMIN ? 1 : 0;
        marksAbove += queue > KMAX ? 1 : 0;
        bins[std::min(queue, KMAX) / BIN_BYTES].marks += queue > KMAX ? 0 : 1;
    }

    void QueueChanged(const FabricPort*, uint8_t trafficClass, uint64_t bytes)
    {
        if (trafficClass != 3)
        {
            return;
        }
        if (bytes > m_queue)
        {
            ++frames;
            if (m_queue > KMAX)
            {
                ++above;
            }
            else if (m_queue > KMIN)
            {
                const double p =
                    PMAX * static_cast<double>(m_queue - KMIN) / static_cast<double>(KMAX - KMIN);
                bins[m_queue / BIN_BYTES].expected += p;
                bins[m_queue / BIN_BYTES].variance += p * (1 - p);
            }
        }
        m_queue = bytes;
    }

    void RateChanged(const RdmaQueuePair&, uint64_t)
    {
        ++rateChanges;
    }

    void CnpSent(const RdmaQueuePair& queuePair)
    {
        const int64_t now = m_fabric->GetEventQueue().Now();
        ++cnps;
        const auto last = m_lastCnp.find(queuePair.GetNumber());
        if (last != m_lastCnp.end())
        {
            closestCnps = std::min(closestCnps, now - last->second);
        }
        m_lastCnp[queuePair.GetNumber()] = now;
    }

    uint32_t m_flows;                      //!< senders
    Ptr<Fabric> m_fabric;                  //!< network
    NodeContainer m_hosts;                 //!< senders, receiver
    Ptr<RdmaTransport> m_transport;        //!< on all hosts
    FabricPort* m_bottleneck{nullptr};     //!< towards the receiver
    uint64_t m_queue{0};                   //!< bytes of class 3 at it
    std::map<uint32_t, int64_t> m_lastCnp; //!< tick by queue pair
};

/** @return Jain's index of fairness: 1 if all are equal, 1/n if one has all. @param x shares. */
double
Jain(const std::vector<double>& x)
{
    double sum = 0;
    double squares = 0;
    for (const double share : x)
    {
        sum += share;
        squares += share * share;
    }
    return sum * sum / (static_cast<double>(x.size()) * squares);
}

/** @return whether a count is within 3 standard deviations. */
bool
IsWithin3Sigma(double count, double expected, double variance)
{
    return (count - expected) * (count - expected) <= 9 * variance;
}

/** Four flows share a link fairly, and marks and CNPs are as specified. */
class FlowsShareFairly : public TestCase
{
  public:
    FlowsShareFairly()
        : TestCase("four flows that start 5 ms apart share the link fairly after 80 ms")
    {
    }

  private:
    void DoRun() override
    {
        // Several runs of the random numbers: one could be luck.
        const uint64_t before = RngSeedManager::GetRun();
        for (uint64_t run = 1; run <= 5; ++run)
        {
            RngSeedManager::SetRun(run);
            Run();
        }
        RngSeedManager::SetRun(before);
        double marks = 0;
        for (std::size_t i = 0; i < m_sums.size(); ++i)
        {
            const Dumbbell::Bin& bin = m_sums[i];
            const auto count = static_cast<double>(bin.marks);
            NS_TEST_EXPECT_MSG_EQ(IsWithin3Sigma(count, bin.expected, bin.variance),
                                  true,
                                  i << ": " << bin.marks << " marks for " << bin.expected);
            marks += count;
            m_all.expected += bin.expected;
            m_all.variance += bin.variance;
        }
        NS_TEST_EXPECT_MSG_GT(m_all.expected, 500, "enough to judge");
        NS_TEST_EXPECT_MSG_EQ(IsWithin3Sigma(marks, m_all.expected, m_all.variance),
                              true,
                              marks << " marks for " << m_all.expected);
    }

    void Run()
    {
        RdmaTransportHelper helper;
        helper.SetCongestionControl("dcqcn");
        Dumbbell net(4, helper);
        for (uint32_t i = 0; i < 4; ++i)
        {
            net.StartFlow(i, MilliSeconds(5 * i), uint64_t{1} << 30);
        }
        std::vector<uint64_t> at80;
        std::vector<uint64_t> at100;
        net.SampleAt(MilliSeconds(80), at80);
        net.SampleAt(MilliSeconds(100), at100);
        Simulator::Stop(MilliSeconds(101));
        Simulator::Run();

        std::vector<double> goodput;
        double sum = 0;
        for (uint32_t i = 0; i < 4; ++i)
        {
            goodput.push_back(static_cast<double>(at100[i] - at80[i]) * 8 / 0.02);
            sum += goodput.back();
        }
        NS_TEST_EXPECT_MSG_GT_OR_EQ(Jain(goodput), 0.95, "Jain's index");
        // 4096 payload bytes in 4178 on the link.
        NS_TEST_EXPECT_MSG_GT(sum, 0.95 * 40e9 * 4096 / 4178, "the link is well used");
        NS_TEST_EXPECT_MSG_LT_OR_EQ(sum, 1.0001 * 40e9 * 4096 / 4178, "and not more");
        NS_TEST_EXPECT_MSG_EQ(net.marksBelow, 0, "no mark up to Kmin");
        NS_TEST_EXPECT_MSG_GT(net.above, 1000, "the start overruns Kmax");
        NS_TEST_EXPECT_MSG_EQ(net.marksAbove, net.above, "everything is marked above Kmax");
        NS_TEST_EXPECT_MSG_GT(net.cnps, 100, "CNPs");
        NS_TEST_EXPECT_MSG_GT_OR_EQ(net.closestCnps,
                                    MicroSeconds(50).GetTimeStep(),
                                    "CNPs of a queue pair keep their distance");
        const FabricTotals totals = net.GetFabric()->GetTotals();
        NS_TEST_EXPECT_MSG_EQ(totals.switches.drops, 0, "lossless");
        NS_TEST_EXPECT_MSG_EQ(net.GetTransport()->GetTotals().payloadRetransmitted, 0, "once");
        NS_TEST_EXPECT_MSG_EQ(net.failed, 0, "no failure");
        for (std::size_t i = 0; i < m_sums.size(); ++i)
        {
            m_sums[i].expected += net.bins[i].expected;
            m_sums[i].variance += net.bins[i].variance;
            m_sums[i].marks += net.bins[i].marks;
        }
    }

    decltype(Dumbbell::bins) m_sums; //!< of all runs
    Dumbbell::Bin m_all;             //!< of all lengths
};

/** Idle queue pairs cost nothing, and come back at the rate that time has given them. */
class IdleQueuePairsRest : public TestCase
{
  public:
    IdleQueuePairsRest()
        : TestCase("an idle queue pair has no increases, and restarts with those it missed")
    {
    }

  private:
    void DoRun() override
    {
        for (const std::string name : {"dcqcn", "dcqcn_mellanox"})
        {
            RdmaTransportHelper helper;
            helper.SetCongestionControl(name);
            Dumbbell net(4, helper);
            for (uint32_t i = 0; i < 4; ++i)
            {
                net.StartFlow(i, Seconds(0), 8000000);
            }
            Simulator::Stop(MilliSeconds(20));
            Simulator::Run();
            NS_TEST_ASSERT_MSG_EQ(net.delivered, 4, "all arrived");
            const double slow = net.GetReactionPoint(0)->GetCurrentRate();
            NS_TEST_EXPECT_MSG_LT(slow, 20e9, name << ": the flows shared the link");

            const uint64_t changes = net.rateChanges;
            Simulator::Stop(Seconds(3));
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(net.rateChanges, changes, name << ": no timer runs in idle time");
            NS_TEST_EXPECT_MSG_EQ(net.GetReactionPoint(0)->GetCurrentRate(), slow, "as it was");

            net.StartFlow(0, Seconds(0), 5000000);
            Simulator::Stop(MilliSeconds(2));
            Simulator::Run();
            NS_TEST_EXPECT_MSG_EQ(net.delivered, 5, "5 MB take 1 ms at line rate");
            NS_TEST_EXPECT_MSG_EQ(net.GetReactionPoint(0)->GetRate(), 40000000000, "line rate");
            NS_TEST_EXPECT_MSG_LT(net.GetReactionPoint(1)->GetCurrentRate(),
                                  20e9,
                                  "the others still rest");
        }
    }
};

/** DCQCN in a network. */
class DcqcnFairnessTestSuite : public TestSuite
{
  public:
    DcqcnFairnessTestSuite()
        : TestSuite("llm-training-dcqcn-fairness", Type::UNIT)
    {
        AddTestCase(new FlowsShareFairly);
        AddTestCase(new IdleQueuePairsRest);
    }
};

const DcqcnFairnessTestSuite g_dcqcnFairnessTestSuite; //!< registers the suite

} // namespace

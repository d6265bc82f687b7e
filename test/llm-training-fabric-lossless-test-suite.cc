/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// PFC keeps its promise: nothing is lost, every pause ends, buffers are empty at the end; and the
// checks that say so can fail.

#include "fabric-test-helpers.h"

#include "ns3/llm-config-error.h"
#include "ns3/llm-philox.h"
#include "ns3/llm-training-compat.h"
#include "ns3/test.h"

#include <algorithm>
#include <set>

using namespace ns3;
using namespace fabrictest;

namespace
{

const char* const SUITE = "llm-training-fabric-lossless"; //!< name

/** Watches the PFC of a fabric through its trace sources. */
class PfcWatch
{
  public:
    /** @param net built. */
    explicit PfcWatch(Net& net)
        : m_net(net)
    {
        for (const auto& port : net.fabric->GetPorts())
        {
            port->TraceConnectWithoutContext("PfcSent", MakeCallback(&PfcWatch::Sent, this));
            port->TraceConnectWithoutContext("PfcPause", MakeCallback(&PfcWatch::Pause, this));
            port->TraceConnectWithoutContext("PfcResume", MakeCallback(&PfcWatch::Resume, this));
            port->TraceConnectWithoutContext("FrameDrop", MakeCallback(&PfcWatch::Drop, this));
            port->TraceConnectWithoutContext("QueueBytes", MakeCallback(&PfcWatch::Queue, this));
        }
    }

    uint64_t pauses{0};        //!< begun
    uint64_t resumes{0};       //!< ended
    uint64_t lost{0};          //!< frames of lossless classes dropped for lack of headroom
    uint64_t above{0};         //!< times that an ingress stood above what XOFF and headroom allow
    uint64_t leaks{0};         //!< times that shares did not add up
    std::set<uint8_t> classes; //!< that were paused

  private:
    /** @return the switch of a port, or nullptr. */
    FabricSwitch* SwitchOf(const FabricPort* port) const
    {
        const Ptr<FabricSwitch> made = port->GetNode()->GetObject<FabricSwitch>();
        return PeekPointer(made);
    }

    void Sent(const FabricPort* port, uint8_t trafficClass, uint16_t quanta)
    {
        const auto key = std::make_pair(port, trafficClass);
        if (quanta == 0)
        {
            m_atXoff.erase(key);
        }
        else if (FabricSwitch* fabricSwitch = SwitchOf(port))
        {
            // A refresh does not count: the first XOFF made the promise.
            m_atXoff.emplace(
                key,
                fabricSwitch->GetBuffer().GetIngressUsed(port->GetPortIndex(), trafficClass));
        }
    }

    void Pause(const FabricPort*, uint8_t trafficClass, uint16_t)
    {
        ++pauses;
        classes.insert(trafficClass);
    }

    void Resume(const FabricPort*, uint8_t, uint16_t)
    {
        ++resumes;
    }

    void Drop(const FabricPort*, const Frame&, DropReason reason)
    {
        lost += reason == DropReason::HEADROOM ? 1 : 0;
    }

    void Queue(const FabricPort* egress, uint8_t, uint64_t)
    {
        FabricSwitch* fabricSwitch = SwitchOf(egress);
        if (!fabricSwitch)
        {
            return;
        }
        const FabricSharedBuffer& buffer = fabricSwitch->GetBuffer();
        if (++m_looks % 64 == 0)
        {
            leaks += buffer.SumOfShares() == buffer.GetUsed() ? 0 : 1;
        }
        for (const auto& [key, used] : m_atXoff)
        {
            if (SwitchOf(key.first) == fabricSwitch)
            {
                const uint32_t index = key.first->GetPortIndex();
                above += buffer.GetIngressUsed(index, key.second) >
                                 used + buffer.GetHeadroomLimit(index, key.second)
                             ? 1
                             : 0;
            }
        }
    }

    Net& m_net;
    uint64_t m_looks{0};
    std::map<std::pair<const FabricPort*, uint8_t>, uint64_t> m_atXoff; //!< bytes when paused
};

/// @ingroup llm-training-tests
/// Computed headroom suffices in the worst phase; less does not.
class HeadroomTest : public TestCase
{
  public:
    HeadroomTest()
        : TestCase("computed headroom suffices over speeds, delays and MTUs; much less loses")
    {
    }

  private:
    /** @return losses of a greedy all-to-one with busy reverse links. */
    uint64_t RunOne(uint64_t gbps,
                    int64_t delayNs,
                    uint32_t mtu,
                    uint32_t hosts,
                    uint64_t reserve,
                    uint64_t headroom,
                    uint32_t seed)
    {
        Philox random(seed);
        SwitchSettings settings;
        settings.reserve = reserve;
        settings.headroom = headroom;
        settings.alpha = 1;
        // As much headroom as needed, and a pool of a few frames, so that pauses are frequent.
        const uint64_t computed = static_cast<uint64_t>(2 * delayNs) * gbps / 8 + 4 * (mtu + 122);
        settings.bufferBytes = hosts * (std::max(headroom, computed) + reserve) + hosts * 2 * mtu;
        Net net(mtu);
        Ptr<Node> center = net.AddSwitch(settings);
        for (uint32_t i = 0; i < hosts; ++i)
        {
            net.Link(net.AddHost(), center, gbps, NanoSeconds(delayNs));
        }
        net.fabric->SetAttribute("MaxPacket", UintegerValue(68));
        net.fabric->Build();
        net.InstallRaw();
        PfcWatch watch(net);
        const uint64_t frames = 3000;
        for (uint32_t i = 1; i < hosts; ++i)
        {
            const auto payload = [&](uint32_t k) {
                return random.Draw(k, i) % 3 ? mtu : 4 * (random.Draw(k, 100 + i) % (mtu / 4)) + 4;
            };
            const auto start = NanoSeconds(random.Draw(0, i) % 1000);
            for (uint32_t k = 0; k < 2; ++k)
            {
                // To host 0, and to the next host so that its link is busy the other way.
                Simulator::Schedule(start,
                                    &RawEndpoint::Start,
                                    &net.raw[i],
                                    RawEndpoint::Flow{0, frames, payload(k), 3});
                Simulator::Schedule(
                    start,
                    &RawEndpoint::Start,
                    &net.raw[i],
                    RawEndpoint::Flow{i % (hosts - 1) + 1 == i ? 0 : i % (hosts - 1) + 1,
                                      frames,
                                      payload(10 + k),
                                      k ? uint8_t{5} : uint8_t{3}});
            }
        }
        Simulator::Run();
        const uint64_t drops = watch.lost;
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
        NS_TEST_EXPECT_MSG_EQ(watch.pauses, watch.resumes, "every pause ends");
        NS_TEST_EXPECT_MSG_GT(watch.pauses, 10, "there were pauses");
        NS_TEST_EXPECT_MSG_EQ(watch.above, 0, "ingress above XOFF and headroom");
        NS_TEST_EXPECT_MSG_EQ(watch.leaks, 0, "shares add up");
        if (headroom == 0)
        {
            uint64_t most = 0;
            uint64_t losses = 0;
            for (uint32_t p = 0; p < hosts; ++p)
            {
                most = std::max(most, net.Switch(0).GetBuffer().GetHeadroomPeak(p, 3));
                losses += net.Switch(0).GetPorts()[p]->GetCounters().drops;
            }
            m_fullest =
                std::max(m_fullest,
                         static_cast<double>(most) /
                             static_cast<double>(net.Switch(0).GetBuffer().GetHeadroomLimit(0, 3)));
        }
        return drops;
    }

    void DoRun() override
    {
        UsePicoseconds(SUITE);
        Philox random(7);
        const uint64_t rates[] = {10, 25, 40, 100, 200, 400, 800};
        const uint32_t mtus[] = {256, 512, 1024, 2048, 4096};
        for (uint32_t k = 0; k < 40; ++k)
        {
            const uint64_t gbps = rates[random.Draw(k, 0) % 7];
            const auto delayNs = static_cast<int64_t>(1 + random.Draw(k, 1) % (k % 2 ? 2000 : 20));
            const uint32_t mtu = mtus[random.Draw(k, 2) % 5];
            const uint32_t hosts = 3 + random.Draw(k, 3) % 4;
            const uint64_t reserve = k % 3 ? 4096 : 0;
            const uint64_t drops = RunOne(gbps, delayNs, mtu, hosts, reserve, 0, k);
            NS_TEST_EXPECT_MSG_EQ(drops,
                                  0,
                                  "lossless class loses at " << gbps << " Gb/s, " << delayNs
                                                             << " ns, PMTU " << mtu << ", " << hosts
                                                             << " hosts");
        }
        NS_TEST_EXPECT_MSG_GT(m_fullest, 0.8, "the worst phase was met: part of headroom used");
        // Cable alone, without the frames in flight at both ends.
        NS_TEST_EXPECT_MSG_GT(RunOne(100, 1000, 4096, 4, 4096, 25000, 1),
                              0,
                              "too little must lose");
        NS_TEST_EXPECT_MSG_GT(RunOne(100, 10, 4096, 4, 0, 4200, 2), 0, "too little must lose");
    }

    double m_fullest{0}; //!< greatest part of the headroom that was used
};

/// @ingroup llm-training-tests
/// Incasts of RDMA messages under PFC alone.
class LosslessIncastTest : public TestCase
{
  public:
    LosslessIncastTest()
        : TestCase("incasts under PFC alone lose nothing, every pause ends, all bytes arrive")
    {
    }

  private:
    /** Run what was posted and look. */
    void Finish(Net& net, const PfcWatch& watch, const std::string& what)
    {
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", what);
        NS_TEST_EXPECT_MSG_EQ(net.fabric->GetTotals().switches.drops, 0, what << ": drops");
        NS_TEST_EXPECT_MSG_GT(watch.pauses, 0, what << ": pauses");
        NS_TEST_EXPECT_MSG_EQ(watch.pauses, watch.resumes, what << ": every pause ends");
        NS_TEST_EXPECT_MSG_EQ(watch.above, 0, what << ": ingress above XOFF and headroom");
        NS_TEST_EXPECT_MSG_EQ(watch.leaks, 0, what << ": shares add up");
        NS_TEST_EXPECT_MSG_EQ(net.transport->GetTotals().payloadRetransmitted, 0, what);
    }

    /** 32 to 1, 1 MB each, 12 MB of buffer. */
    void ThirtyTwoToOne()
    {
        SwitchSettings settings;
        settings.bufferBytes = 12 << 20;
        Net net(4096);
        net.BuildStar(33, 100, MicroSeconds(1), settings);
        net.Install();
        PfcWatch watch(net);
        for (uint32_t i = 1; i <= 32; ++i)
        {
            net.Send(i, 0, 1000000);
        }
        Finish(net, watch, "32 to 1");
        NS_TEST_EXPECT_MSG_EQ(net.transport->GetTotals().bytesDelivered, 32000000, "bytes");
        NS_TEST_EXPECT_MSG_EQ(net.recorder.delivered.size(), 32, "messages");
    }

    /** Ten seeded ones: topology, speeds, sizes, MTU and buffer vary. */
    void Random(uint32_t seed)
    {
        Philox random(seed);
        auto draw = [&random, i = uint64_t{0}](uint32_t below) mutable {
            return random.Draw(i++, 1) % below;
        };
        const uint64_t rates[] = {10, 25, 40, 100, 200, 400};
        const uint32_t mtus[] = {512, 1024, 2048, 4096};
        const uint64_t gbps = rates[draw(6)];
        SwitchSettings settings;
        settings.alpha = 1.0 / static_cast<double>(1U << draw(5));
        Net net(mtus[draw(4)]);
        const uint32_t leaves = 2 + draw(3);
        const uint32_t perLeaf = 3 + draw(4);
        const Time delay = NanoSeconds(100 + draw(2000));
        const uint64_t headroom =
            static_cast<uint64_t>(delay.GetNanoSeconds()) * gbps / 2 + 3 * 4300 + 4096 + 500;
        settings.bufferBytes = (perLeaf + 8) * headroom + 200000 + draw(300000);
        net.BuildLeafSpine(leaves, 1 + draw(3), perLeaf, gbps, gbps, delay, settings);
        net.Install();
        PfcWatch watch(net);
        const uint32_t n = leaves * perLeaf;
        const uint32_t target = draw(n);
        for (uint32_t i = 0; i < n; ++i)
        {
            for (uint32_t k = 0; k < 2 && i != target; ++k)
            {
                const uint64_t bytes = 200000 + draw(400000);
                Simulator::Schedule(NanoSeconds(draw(20000)), [&net, i, target, bytes, k] {
                    net.Send(i, target, bytes, 0, static_cast<uint16_t>(k));
                });
            }
        }
        Finish(net, watch, "random incast " + std::to_string(seed));
    }

    /** 144 hosts at 10 Gb/s under 40 Gb/s spines, 8 MB, 1000 flows. */
    void ManyFlows()
    {
        SwitchSettings settings;
        settings.bufferBytes = 8 << 20;
        settings.alpha = 1.0 / 64;
        Net net(4096);
        net.BuildLeafSpine(9, 4, 16, 10, 40, MicroSeconds(1), settings);
        net.Install();
        PfcWatch watch(net);
        Philox random(144);
        for (uint32_t k = 0; k < 1000; ++k)
        {
            const uint32_t from = random.Draw(k, 0) % 144;
            // A few popular receivers among all.
            const uint32_t popular = random.Draw(k, 1) % (k % 4 ? 8 : 144);
            const uint32_t to = popular == from ? (from + 1) % 144 : popular;
            const uint64_t bytes = 1 + random.Draw(k, 2) % 100000;
            Simulator::Schedule(NanoSeconds(random.Draw(k, 3) % 1000000),
                                [&net, from, to, bytes, k] { net.Send(from, to, bytes, k); });
        }
        Finish(net, watch, "1000 flows");
    }

    void DoRun() override
    {
        UsePicoseconds(SUITE);
        ThirtyTwoToOne();
        for (uint32_t seed = 1; seed <= 10; ++seed)
        {
            Random(seed);
        }
        ManyFlows();
    }
};

/// @ingroup llm-training-tests
/// A buffer that cannot hold its headroom is refused.
class HeadroomAboveBufferTest : public TestCase
{
  public:
    HeadroomAboveBufferTest()
        : TestCase("headroom above the buffer is refused with both numbers, nothing wraps")
    {
    }

  private:
    void DoRun() override
    {
        UsePicoseconds(SUITE);
        SwitchSettings settings;
        settings.headroom = 150000;
        settings.reserve = 0;
        settings.bufferBytes = 9 << 20;
        Net net(4096);
        std::string error;
        try
        {
            net.BuildStar(64, 400, MicroSeconds(1), settings);
        }
        catch (const ConfigError& thrown)
        {
            error = thrown.what();
        }
        NS_TEST_EXPECT_MSG_NE(error.find("9600000"), std::string::npos, error);
        NS_TEST_EXPECT_MSG_NE(error.find("9437184"), std::string::npos, error);
        NS_TEST_EXPECT_MSG_EQ(error.find('\n'), std::string::npos, "one line");

        settings.bufferBytes = 9600001;
        Net enough(4096);
        enough.BuildStar(64, 400, MicroSeconds(1), settings);
        NS_TEST_EXPECT_MSG_EQ(enough.Switch(0).GetBuffer().GetSharedSize(), 1, "what is left");
    }
};

/// @ingroup llm-training-tests
/// A pause of one class leaves the others alone, whatever the number of queue pairs.
class PausedClassTest : public TestCase
{
  public:
    PausedClassTest()
        : TestCase(
              "a pause of class 3 stops class 3 only, also with fewer queue pairs than classes")
    {
    }

  private:
    void DoRun() override
    {
        UsePicoseconds(SUITE);
        for (const bool other : {false, true})
        {
            SwitchSettings settings;
            settings.losslessClasses = (1 << 3) | (1 << 5);
            Net net(1024);
            net.BuildStar(2, 100, MicroSeconds(1), settings);
            net.Install();
            FabricPort& port = *net.Switch(0).GetPorts()[0];
            const int64_t resume = MicroSeconds(200).GetTimeStep();
            {
                FabricEntry entry(net.fabric->GetEventQueue());
                port.PausePeer(3, 0);
            }
            Simulator::Schedule(TimeStep(resume), [&] {
                FabricEntry entry(net.fabric->GetEventQueue());
                port.ResumePeer(3, resume);
            });
            Simulator::Schedule(MicroSeconds(10), [&] {
                for (const uint8_t c : {3, 5})
                {
                    Message message;
                    message.from = 0;
                    message.to = 1;
                    message.bytes = 100000;
                    message.trafficClass = c;
                    message.channel = c;
                    if (c == 3 || other)
                    {
                        net.transport->Send(message);
                    }
                }
                NS_TEST_EXPECT_MSG_EQ(net.HostPort(0).GetPausedClasses(), 1 << 3, "paused classes");
            });
            Simulator::Run();
            NS_TEST_ASSERT_MSG_EQ(net.recorder.delivered.size(), (other ? 2 : 1), "messages");
            NS_TEST_EXPECT_MSG_GT(net.recorder.GetEnd(), resume, "class 3 waits");
            if (other)
            {
                NS_TEST_EXPECT_MSG_EQ(+net.recorder.delivered[0].message.trafficClass, 5, "first");
                NS_TEST_EXPECT_MSG_LT(net.recorder.delivered[0].now,
                                      MicroSeconds(25).GetTimeStep(),
                                      "class 5 has the link");
            }
            NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
        }
    }
};

/// @ingroup llm-training-tests
/// Congestion control changes what the fabric sees.
class CongestionMattersTest : public TestCase
{
  public:
    CongestionMattersTest()
        : TestCase("without DCQCN no CNP and more pauses; default ECN thresholds fit every rate")
    {
    }

  private:
    /** What a run showed. */
    struct Seen
    {
        uint64_t pauses; //!< begun
        uint64_t marks;  //!< CE
        uint64_t cnps;   //!< sent
        int64_t end;     //!< tick
    };

    Seen RunOne(const std::string& control, uint64_t gbps, uint32_t senders, uint64_t bytes)
    {
        SwitchSettings settings;
        settings.bufferBytes = gbps <= 100 ? 12 << 20 : 48 << 20;
        settings.marker = CreateObject<RedEcnMarker>();
        Net net(4096);
        net.BuildStar(senders + 1, gbps, MicroSeconds(1), settings);
        RdmaTransportHelper helper;
        helper.SetCongestionControl(control);
        net.Install(helper);
        PfcWatch watch(net);
        for (uint32_t i = 1; i <= senders; ++i)
        {
            net.Send(i, 0, bytes);
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", control << " at " << gbps << " Gb/s");
        NS_TEST_EXPECT_MSG_EQ(net.fabric->GetTotals().switches.drops, 0, control);
        const TransportTotals totals = net.transport->GetTotals();
        NS_TEST_EXPECT_MSG_EQ(totals.cnpsSent, totals.cnpsReceived, control);
        return {watch.pauses,
                net.fabric->GetTotals().switches.ecnMarks,
                totals.cnpsSent,
                net.recorder.GetEnd()};
    }

    void DoRun() override
    {
        UsePicoseconds(SUITE);
        const Seen none = RunOne("ns3::llm::RdmaNoCongestionControl", 100, 32, 1000000);
        const Seen dcqcn = RunOne("ns3::llm::RdmaDcqcn", 100, 32, 1000000);
        NS_TEST_EXPECT_MSG_EQ(none.cnps, 0, "nobody asked for CNPs");
        NS_TEST_EXPECT_MSG_GT(dcqcn.cnps, 0, "CNPs");
        NS_TEST_EXPECT_MSG_GT(none.marks, 0, "marks");
        NS_TEST_EXPECT_MSG_GT(dcqcn.marks, 0, "marks");
        NS_TEST_EXPECT_MSG_GT(none.pauses, dcqcn.pauses, "pauses");
        NS_TEST_EXPECT_MSG_NE(none.end, dcqcn.end, "times");
        for (const uint64_t gbps : {10, 25, 40, 100, 400, 800})
        {
            const Seen seen = RunOne("ns3::llm::RdmaDcqcn", gbps, 4, gbps * 10000);
            NS_TEST_EXPECT_MSG_GT(seen.marks, 0, gbps << " Gb/s");
            NS_TEST_EXPECT_MSG_GT(seen.cnps, 0, gbps << " Gb/s");
        }
    }
};

/// @ingroup llm-training-tests
/// The suite.
class FabricLosslessSuite : public TestSuite
{
  public:
    FabricLosslessSuite()
        : TestSuite("llm-training-fabric-lossless", Type::UNIT)
    {
        AddTestCase(new HeadroomTest, llm::TestDuration::QUICK);
        AddTestCase(new LosslessIncastTest, llm::TestDuration::QUICK);
        AddTestCase(new HeadroomAboveBufferTest, llm::TestDuration::QUICK);
        AddTestCase(new PausedClassTest, llm::TestDuration::QUICK);
        AddTestCase(new CongestionMattersTest, llm::TestDuration::QUICK);
    }
};

FabricLosslessSuite g_fabricLosslessSuite; //!< instance

} // namespace

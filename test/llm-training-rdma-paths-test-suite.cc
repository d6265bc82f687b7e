/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Path selectors of senders: which source ports they choose, and what becomes of packets.

#include "fabric-test-helpers.h"

#include "ns3/boolean.h"
#include "ns3/ecmp-load-balancer.h"
#include "ns3/fabric-path-loads.h"
#include "ns3/llm-config-error.h"
#include "ns3/llm-training-compat.h"
#include "ns3/rdma-path-names.h"
#include "ns3/rdma-pinned-path.h"
#include "ns3/rdma-reps.h"
#include "ns3/rdma-single-path.h"
#include "ns3/test.h"

#include <algorithm>
#include <set>

using namespace ns3;
using namespace fabrictest;

namespace
{

const char* const SUITE = "llm-training-rdma-paths"; //!< name

/** @return a leaf-spine network of 2 leaves, with whatever transport. */
std::unique_ptr<Net>
MakeNet(uint32_t hosts, uint32_t spines)
{
    auto net = std::make_unique<Net>(1024);
    SwitchSettings settings;
    settings.bufferBytes = 64 << 20;
    net->BuildLeafSpine(2, spines, hosts, 100, 100, NanoSeconds(500), settings);
    return net;
}

/** Sees the entropy of every data frame that a port sends on. */
class EntropyWatch
{
  public:
    /** @param port watched at reception. */
    explicit EntropyWatch(FabricPort& port)
    {
        Net::Lose(port, [this](const Frame& frame) {
            if (frame.kind == FrameKind::WRITE)
            {
                data.push_back(frame.entropy);
            }
            else if (frame.kind == FrameKind::ACK)
            {
                acks.push_back(frame.entropy);
            }
            return false;
        });
    }

    std::vector<uint16_t> data; //!< in order
    std::vector<uint16_t> acks; //!< in order
};

/// @ingroup llm-training-tests
/// Entropies on the wire.
class EntropiesTest : public TestCase
{
  public:
    EntropiesTest()
        : TestCase("single keeps one source port, round robin goes through all, spray is uniform; "
                   "twice the same")
    {
    }

  private:
    /** @return what host 1 receives of 600 packets from host 0, and sends of ACKs. */
    std::vector<uint16_t> Run(const std::string& name, uint32_t entropies, std::set<uint16_t>& acks)
    {
        Net net(1024);
        net.BuildStar(2, 100, NanoSeconds(500)); // one way: nothing is reordered
        RdmaTransportHelper helper;
        helper.SetPathSelector(name);
        if (entropies > 0)
        {
            helper.SetPathAttribute("Entropies", UintegerValue(entropies));
        }
        net.Install(helper);
        EntropyWatch watch(net.HostPort(1));
        EntropyWatch back(net.HostPort(0));
        net.Send(0, 1, 600 * 1024);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", name);
        NS_TEST_EXPECT_MSG_EQ(watch.data.size(), 600, name);
        acks = std::set<uint16_t>(back.acks.begin(), back.acks.end());
        return watch.data;
    }

    void DoRun() override
    {
        UsePicoseconds(SUITE);
        std::set<uint16_t> acks;
        const std::vector<uint16_t> single = Run("single", 0, acks);
        NS_TEST_EXPECT_MSG_EQ(std::set<uint16_t>(single.begin(), single.end()).size(), 1, "one");
        NS_TEST_EXPECT_MSG_GT_OR_EQ(single[0], 0xC000, "RoCEv2's range");

        const std::vector<uint16_t> turns = Run("round_robin", 16, acks);
        for (std::size_t i = 1; i < turns.size(); ++i)
        {
            NS_TEST_ASSERT_MSG_EQ(turns[i], 0xC000 + (turns[i - 1] - 0xC000 + 1) % 16, "next");
        }
        const std::vector<uint16_t> spray = Run("spray", 6, acks);
        std::map<uint16_t, uint32_t> counts;
        for (const uint16_t entropy : spray)
        {
            ++counts[entropy];
        }
        NS_TEST_EXPECT_MSG_EQ(counts.size(), 6, "six");
        for (const auto& [entropy, count] : counts)
        {
            NS_TEST_EXPECT_MSG_LT(entropy, 0xC000 + 6, "range");
            NS_TEST_EXPECT_MSG_EQ_TOL(count, 100, 37, "4 sigma");
        }
        NS_TEST_EXPECT_MSG_EQ((Run("spray", 6, acks) == spray), true, "again");
        NS_TEST_EXPECT_MSG_EQ(acks.size(), 1, "answers keep the source port of their queue pair");
        const std::vector<uint16_t> reps = Run("reps", 0, acks);
        NS_TEST_EXPECT_MSG_EQ((Run("reps", 0, acks) == reps), true, "again");
        NS_TEST_EXPECT_MSG_EQ((acks == std::set<uint16_t>(reps.begin(), reps.end())),
                              true,
                              "ACKs echo the source port of their packet");
    }
};

// -- REPS

/// @ingroup llm-training-tests
/// REPS without a network.
class RepsTest : public TestCase
{
  public:
    RepsTest()
        : TestCase("REPS uses acknowledged source ports once, oldest first; marked ones never; "
                   "frozen, over and over; then it explores")
    {
    }

  private:
    void DoRun() override
    {
        const int64_t ms = MilliSeconds(1).GetTimeStep();
        const Ptr<RdmaReps> made = CreateObject<RdmaReps>();
        made->SetAttribute("Buffer", UintegerValue(4));
        made->SetAttribute("ExplorePackets", UintegerValue(3));
        RdmaReps& reps = *made;
        const uint32_t slot = reps.AddState(7);
        const uint32_t other = reps.AddState(8);
        std::set<uint16_t> explored;
        for (int i = 0; i < 50; ++i)
        {
            explored.insert(reps.Next(slot, 0));
            NS_TEST_EXPECT_MSG_GT_OR_EQ(reps.Next(other, 0), 0xC000, "range");
        }
        NS_TEST_EXPECT_MSG_GT(explored.size(), 45, "random ones of 16384");
        NS_TEST_EXPECT_MSG_EQ(reps.GetExplored(), 100, "explored");

        reps.Hear(slot, 101, RdmaPathEvent::ACKED, 0);
        reps.Hear(slot, 102, RdmaPathEvent::ECN, 0);
        reps.Hear(slot, 103, RdmaPathEvent::TRIMMED, 0);
        reps.Hear(slot, 0, RdmaPathEvent::LOST, 0);
        reps.Hear(slot, 104, RdmaPathEvent::ACKED, 0);
        NS_TEST_EXPECT_MSG_EQ(reps.Next(slot, 0), 101, "oldest");
        NS_TEST_EXPECT_MSG_EQ(reps.Next(slot, 0), 104, "next");
        NS_TEST_EXPECT_MSG_GT_OR_EQ(reps.Next(slot, 0), 0xC000, "none left: explores");
        NS_TEST_EXPECT_MSG_EQ(reps.GetRecycled(), 2, "recycled");
        NS_TEST_EXPECT_MSG_GT_OR_EQ(reps.Next(other, 0), 0xC000, "not those of others");

        // More than fit: the oldest are forgotten.
        for (uint16_t entropy = 201; entropy <= 206; ++entropy)
        {
            reps.Hear(slot, entropy, RdmaPathEvent::ACKED, 0);
        }
        for (const uint16_t entropy : {203, 204, 205, 206})
        {
            NS_TEST_EXPECT_MSG_EQ(reps.Next(slot, 0), entropy, "the last four, in order");
        }

        // Frozen for 10 ms: only what was good, and what proves good meanwhile.
        reps.Hear(slot, 0, RdmaPathEvent::TIMEOUT, 5 * ms);
        for (int round = 0; round < 3; ++round)
        {
            for (const uint16_t entropy : {203, 204, 205, 206})
            {
                NS_TEST_EXPECT_MSG_EQ(reps.Next(slot, 6 * ms), entropy, "frozen");
            }
        }
        reps.Hear(slot, 301, RdmaPathEvent::ACKED, 0);
        NS_TEST_EXPECT_MSG_EQ(reps.Next(slot, 7 * ms), 301, "fresh goes first");
        reps.Hear(slot, 0, RdmaPathEvent::TIMEOUT, 8 * ms);
        NS_TEST_EXPECT_MSG_LT(reps.Next(slot, 14 * ms), 0xC000, "frozen until 15 ms");
        reps.Hear(slot, 302, RdmaPathEvent::ACKED, 0);
        for (int i = 0; i < 3; ++i)
        {
            NS_TEST_EXPECT_MSG_GT_OR_EQ(reps.Next(slot, 15 * ms), 0xC000, "explores");
        }
        NS_TEST_EXPECT_MSG_EQ(reps.GetState(slot).frozen, false, "thawed");
        reps.Hear(slot, 303, RdmaPathEvent::ACKED, 0);
        NS_TEST_EXPECT_MSG_EQ(reps.Next(slot, 15 * ms), 303, "recycles again");

        // A timeout before anything was heard: there is nothing but to explore.
        reps.Hear(other, 0, RdmaPathEvent::TIMEOUT, 0);
        NS_TEST_EXPECT_MSG_GT_OR_EQ(reps.Next(other, 0), 0xC000, "empty ring");
        reps.Hear(other, 401, RdmaPathEvent::ACKED, 0);
        for (int i = 0; i < 5; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(reps.Next(other, 0), 401, "a ring of one");
        }
    }
};

/// @ingroup llm-training-tests
/// REPS where a path is dead.
class DeadPathTest : public TestCase
{
  public:
    DeadPathTest()
        : TestCase(
              "REPS keeps away from an uplink that loses everything, spray goes on to feed it; "
              "both deliver")
    {
    }

  private:
    /** @return payload sent again, over payload. */
    double Run(const std::string& selector)
    {
        const std::unique_ptr<Net> net = MakeNet(1, 4);
        RdmaTransportHelper helper;
        helper.SetCongestionControl("none");
        helper.SetReliability("out_of_order");
        helper.SetPathSelector(selector);
        net->Install(helper);
        // The fabric has the spines first; its leaf 0 has host 0 and then the uplinks.
        FabricPort* dead = net->Switch(4).GetPorts().at(1)->GetPeer();
        Net::Lose(*dead, [](const Frame& frame) { return frame.kind == FrameKind::WRITE; });
        constexpr uint64_t BYTES = 4000 * 1024;
        net->Send(0, 1, BYTES);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(net->CheckBooks(), "", selector);
        NS_TEST_EXPECT_MSG_EQ(net->recorder.delivered.size(), 1, selector);
        return static_cast<double>(net->transport->GetTotals().payloadRetransmitted) / BYTES;
    }

    void DoRun() override
    {
        UsePicoseconds(SUITE);
        // One in four is lost, and of those sent again one in four: 1/3 in the end.
        const double spray = Run("spray");
        NS_TEST_EXPECT_MSG_EQ_TOL(spray, 1.0 / 3, 0.05, "spray");
        NS_TEST_EXPECT_MSG_LT(Run("reps"), spray / 4, "REPS");
    }
};

// -- pinned

/// @ingroup llm-training-tests
/// Pinned paths.
class PinnedTest : public TestCase
{
  public:
    PinnedTest()
        : TestCase("pinned connections take their source port or path, the last pin counts, others "
                   "a hash; impossible pins are told")
    {
    }

  private:
    void DoRun() override
    {
        UsePicoseconds(SUITE);
        constexpr uint32_t ANY = RdmaPinnedPath::ANY;
        const std::unique_ptr<Net> net = MakeNet(4, 8);
        const Ptr<RdmaPinnedPath> paths = CreateObject<RdmaPinnedPath>();
        paths->PinPath(ANY, ANY, ANY, 5);
        for (uint32_t i = 0; i < 3; ++i)
        {
            paths->PinPath(i, ANY, ANY, 2 * i + 8); // modulo 8
        }
        paths->PinEntropy(2, 6, 1, 50123);
        RdmaTransportHelper helper;
        helper.SetPathSelector(paths);
        helper.SetCongestionControl("none");
        net->Install(helper);
        for (uint32_t i = 0; i < 4; ++i)
        {
            net->Send(i, 4 + i, 4 * 1024);
        }
        net->Send(2, 6, 1024, 0, 1);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(net->CheckBooks(), "", "books");
        // The fabric has the spines first, then leaf 0 with hosts 0..3 and its uplinks.
        const auto& ports = net->Switch(8).GetPorts();
        uint64_t sum = 0;
        for (uint32_t place = 0; place < 8; ++place)
        {
            const uint64_t frames = ports.at(4 + place)->GetCounters().txDataFrames;
            const bool pinned = place == 0 || place == 2 || place == 4 || place == 5;
            NS_TEST_EXPECT_MSG_GT_OR_EQ(frames, (pinned ? 4 : 0), "uplink " << place);
            NS_TEST_EXPECT_MSG_LT(frames, (pinned ? 6 : 2), "uplink " << place);
            sum += frames;
        }
        NS_TEST_EXPECT_MSG_EQ(sum, 17, "all frames");
        NS_TEST_EXPECT_MSG_EQ(net->transport->FindQueuePair(2, 6, 1)->GetEntropy(),
                              50123,
                              "the source port");

        const Ptr<RdmaPinnedPath> single = CreateObject<RdmaPinnedPath>();
        single->PinEntropy(7, 6, ANY, 50000);
        const Ptr<RdmaSinglePath> plain = CreateObject<RdmaSinglePath>();
        const RdmaQueuePair& qp = *net->transport->FindQueuePair(1, 5, 0);
        NS_TEST_EXPECT_MSG_EQ(single->ChooseInitial(qp), plain->ChooseInitial(qp), "not pinned");
        ExpectError([&] { single->PinEntropy(1, 2, 3, 0); }, "source port 0 is none");
        ExpectError([&] { single->PinEntropy(1, 2, 3, 70000); }, "source port 70000 is none");
        single->PinPath(1, 5, ANY, 3);
        ExpectError([&] { single->ChooseInitial(qp); }, "nobody knows the paths");
        ExpectError([] { GetRdmaPathNames().Lookup("spary", "a.json", "transport.path_selector"); },
                    "no path selector 'spary'; did you mean 'spray'?");
    }

    void ExpectError(const std::function<void()>& call, const std::string& part)
    {
        std::string what;
        try
        {
            call();
        }
        catch (const ConfigError& error)
        {
            what = error.what();
        }
        NS_TEST_EXPECT_MSG_NE(what.find(part), std::string::npos, "'" << what << "'");
    }
};

/// @ingroup llm-training-tests
/// Switches that do not look at the source port.
class HashedAwayTest : public TestCase
{
  public:
    HashedAwayTest()
        : TestCase(
              "where switches do not hash the source port, pinning a path is refused, and spray "
              "takes one path")
    {
    }

  private:
    void DoRun() override
    {
        UsePicoseconds(SUITE);
        for (const bool pin : {true, false})
        {
            Net net(1024);
            std::vector<Ptr<Node>> spines;
            for (uint32_t s = 0; s < 6; ++s)
            {
                Ptr<EcmpLoadBalancer> balancer = CreateObject<EcmpLoadBalancer>();
                balancer->SetAttribute("HashSourcePort", BooleanValue(false));
                Ptr<Node> node = net.AddSwitch();
                node->GetObject<FabricSwitch>()->SetAttribute("LoadBalancer",
                                                              PointerValue(balancer));
                spines.push_back(node);
            }
            for (uint32_t leaf = 0; leaf < 2; ++leaf)
            {
                net.Link(net.AddHost(), spines[leaf], 100, NanoSeconds(500));
                for (uint32_t s = 2; s < 6; ++s)
                {
                    net.Link(spines[leaf], spines[s], 100, NanoSeconds(500));
                }
            }
            net.fabric->Build();
            RdmaTransportHelper helper;
            helper.SetPathSelector("spray");
            const Ptr<RdmaPinnedPath> paths = CreateObject<RdmaPinnedPath>();
            std::string what;
            uint32_t used = 0;
            if (pin)
            {
                helper.SetPathSelector(paths);
                // One of these is where the hash leads anyway.
                paths->PinPath(0, 1, 0, 0);
                paths->PinPath(0, 1, 1, 1);
            }
            net.Install(helper);
            try
            {
                net.Send(0, 1, 64 * 1024, 0, 0);
                net.Send(0, 1, 64 * 1024, 0, 1);
                Simulator::Run();
            }
            catch (const ConfigError& error)
            {
                what = error.what();
            }
            for (uint32_t p = 1; p < 5; ++p)
            {
                used += net.Switch(0).GetPorts()[p]->GetCounters().txDataFrames > 0 ? 1 : 0;
            }
            if (pin)
            {
                NS_TEST_EXPECT_MSG_NE(what.find("no source port leads over path"),
                                      std::string::npos,
                                      what);
            }
            else
            {
                NS_TEST_EXPECT_MSG_EQ(what, "", "nothing wrong");
                NS_TEST_EXPECT_MSG_EQ(used, 1, "one path");
                NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
            }
        }
    }
};

/// @ingroup llm-training-tests
/// More queue pairs per connection.
class QpScalingTest : public TestCase
{
  public:
    QpScalingTest()
        : TestCase(
              "more queue pairs per connection, split or hashed by QP, load uplinks more evenly")
    {
    }

  private:
    /**
     * @param qps per connection.
     * @param byNumber one source port for all, and E-ECMP; else a source port each.
     * @return busiest uplink over mean, averaged over permutations.
     */
    static double Measure(uint32_t qps, bool byNumber)
    {
        constexpr uint32_t HOSTS = 16;
        Net net(1024);
        std::vector<Ptr<Node>> top;
        const auto add = [&] {
            Ptr<EcmpLoadBalancer> balancer = CreateObject<EcmpLoadBalancer>();
            balancer->SetAttribute("HashDestinationQp", BooleanValue(byNumber));
            Ptr<Node> node = net.AddSwitch();
            node->GetObject<FabricSwitch>()->SetAttribute("LoadBalancer", PointerValue(balancer));
            return node;
        };
        for (uint32_t s = 0; s < HOSTS; ++s)
        {
            top.push_back(add());
        }
        for (uint32_t l = 0; l < 2; ++l)
        {
            const Ptr<Node> leaf = add();
            for (uint32_t i = 0; i < HOSTS; ++i)
            {
                net.Link(net.AddHost(), leaf, 100, NanoSeconds(500));
            }
            for (const auto& spine : top)
            {
                net.Link(leaf, spine, 100, NanoSeconds(500));
            }
        }
        net.fabric->Build();
        RdmaTransportHelper helper;
        helper.SetCongestionControl("none");
        const Ptr<RdmaPinnedPath> paths = CreateObject<RdmaPinnedPath>();
        if (byNumber)
        {
            paths->PinEntropy(RdmaPinnedPath::ANY, RdmaPinnedPath::ANY, RdmaPinnedPath::ANY, 50000);
        }
        helper.SetPathSelector(paths);
        net.Install(helper);
        double sum = 0;
        for (uint32_t shift = 0; shift < HOSTS; ++shift)
        {
            FabricPathLoads loads(*net.fabric);
            for (uint32_t i = 0; i < HOSTS; ++i)
            {
                for (uint16_t channel = 0; channel < qps; ++channel)
                {
                    const uint32_t to = HOSTS + (i + shift) % HOSTS;
                    net.Send(i, to, 1024, 0, channel);
                    const RdmaQueuePair* qp = net.transport->FindQueuePair(i, to, channel);
                    loads.AddFlow(i, to, qp->GetEntropy(), qp->GetRemoteNumber(), 64 / qps);
                }
            }
            sum += loads.GetUplinks().at(0).GetUnevenness() / 2; // of two leaves one sends
        }
        Simulator::Run();
        return sum / HOSTS;
    }

    void DoRun() override
    {
        UsePicoseconds(SUITE);
        for (const bool byNumber : {false, true})
        {
            const double one = Measure(1, byNumber);
            const double four = Measure(4, byNumber);
            const double sixteen = Measure(16, byNumber);
            // Balls in bins: 16 on 16 3.08, 64 on 16 1.97, 256 on 16 1.47.
            NS_TEST_EXPECT_MSG_EQ_TOL(one, 3.08, 0.6, "one QP " << byNumber);
            NS_TEST_EXPECT_MSG_EQ_TOL(four, 1.97, 0.3, "four QPs " << byNumber);
            NS_TEST_EXPECT_MSG_EQ_TOL(sixteen, 1.47, 0.15, "sixteen QPs " << byNumber);
        }
    }
};

/// @ingroup llm-training-tests
/// The suite.
class RdmaPathsSuite : public TestSuite
{
  public:
    RdmaPathsSuite()
        : TestSuite("llm-training-rdma-paths", Type::UNIT)
    {
        AddTestCase(new EntropiesTest, llm::TestDuration::QUICK);
        AddTestCase(new RepsTest, llm::TestDuration::QUICK);
        AddTestCase(new DeadPathTest, llm::TestDuration::QUICK);
        AddTestCase(new PinnedTest, llm::TestDuration::QUICK);
        AddTestCase(new HashedAwayTest, llm::TestDuration::QUICK);
        AddTestCase(new QpScalingTest, llm::TestDuration::QUICK);
    }
};

RdmaPathsSuite g_rdmaPathsSuite; //!< instance

} // namespace

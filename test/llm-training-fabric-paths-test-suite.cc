/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Load balancers of switches: what each of them promises, on real frames and in real fabrics.

#include "fabric-test-helpers.h"

#include "ns3/adaptive-load-balancer.h"
#include "ns3/boolean.h"
#include "ns3/ecmp-load-balancer.h"
#include "ns3/fabric-hash.h"
#include "ns3/fabric-load-balancer-names.h"
#include "ns3/fabric-path-loads.h"
#include "ns3/fat-tree-topology.h"
#include "ns3/flowlet-load-balancer.h"
#include "ns3/leaf-spine-topology.h"
#include "ns3/llm-config-error.h"
#include "ns3/llm-philox.h"
#include "ns3/llm-training-compat.h"
#include "ns3/names.h"
#include "ns3/random-spray-load-balancer.h"
#include "ns3/round-robin-load-balancer.h"
#include "ns3/static-load-balancer.h"
#include "ns3/test.h"

#include <algorithm>
#include <cmath>
#include <set>

using namespace ns3;
using namespace fabrictest;

namespace
{

const char* const SUITE = "llm-training-fabric-paths"; //!< name

/** Attributes of a load balancer, as text. */
using Settings = std::vector<std::pair<std::string, std::string>>;

/** @return a load balancer by its short name. */
Ptr<FabricLoadBalancer>
Make(const std::string& name, const Settings& settings = {})
{
    ObjectFactory factory;
    factory.SetTypeId(GetFabricLoadBalancerNames().Lookup(name, "test"));
    for (const auto& [attribute, value] : settings)
    {
        factory.Set(attribute, StringValue(value));
    }
    return factory.Create<FabricLoadBalancer>();
}

/** Tell a load balancer that stands alone whom it works for. */
template <typename T>
T&
Configure(const Ptr<T>& balancer, uint32_t index = 0, uint32_t tier = 0, uint64_t key = 4711)
{
    FabricSwitchIdentity identity;
    identity.index = index;
    identity.tier = tier;
    identity.ports = 64;
    identity.randomKey = key;
    balancer->Configure(identity);
    return *balancer;
}

/** @return candidates that nobody looks at closely. */
FabricCandidates
Some(uint32_t count, uint32_t group = 0)
{
    return FabricCandidates(nullptr, group, count);
}

/** @return a data frame. */
Frame
MakeFrame(uint32_t source, uint32_t destination, uint16_t entropy, uint32_t queuePair = 2)
{
    Frame frame{};
    frame.kind = FrameKind::WRITE;
    frame.trafficClass = 3;
    frame.source = source;
    frame.destination = destination;
    frame.entropy = entropy;
    frame.queuePair = queuePair;
    frame.bytes = 1000;
    return frame;
}

/** A fabric by a topology, with one kind of load balancer. */
class Built
{
  public:
    Built(FabricTopology& shape, const std::string& name, const Settings& settings = {})
    {
        shape.SetSwitchMaker([name, settings] {
            Ptr<FabricSwitch> made = SwitchSettings().Make();
            made->SetAttribute("LoadBalancer", PointerValue(Make(name, settings)));
            return made;
        });
        network = shape.Build(CreateObject<Fabric>(), 1);
    }

    ~Built()
    {
        network.fabric->Dispose();
        Names::Clear();
        Simulator::Destroy();
    }

    Built(const Built&) = delete;
    Built& operator=(const Built&) = delete;

    /** @return a switch. */
    FabricSwitch& Switch(uint32_t index) const
    {
        return *network.fabric->GetSwitches().at(index);
    }

    FabricNetwork network; //!< built
};

/** @return link of fat-trees. */
FabricLink
Link(uint64_t gbps)
{
    FabricLink link;
    link.rate = DataRate(gbps * 1000000000);
    link.delay = NanoSeconds(500);
    return link;
}

// -- hashes

/// @ingroup llm-training-tests
/// Hash functions against other implementations.
class HashVectorsTest : public TestCase
{
  public:
    HashVectorsTest()
        : TestCase("hash functions give the values of their definitions")
    {
    }

  private:
    void DoRun() override
    {
        FabricFlowFields plain;
        plain.source = 0x0a000001;
        plain.destination = 0x0a000102;
        plain.sourcePort = 0xC123;
        FabricFlowFields full = plain;
        full.queuePair = 0x4711;
        full.ingress = 3;
        // From zlib (CRC-32), binascii.crc_hqx (CRC-16) and MurmurHash3's definition in Python.
        Check("crc32", plain, 0xffffffff, 0x2ad6629e);
        Check("crc32", full, 0xffffffff, 0xa8f89ae7);
        Check("crc16", plain, 0xffff, 0x7ee5);
        Check("crc16", full, 0xffff, 0x0564);
        Check("murmur3", plain, 0x9747b28c, 0x81fa978f);
        Check("murmur3", full, 0x9747b28c, 0x17074a76);
        Check("xor", plain, 5, 0xd292);
        Check("xor", full, 5, 0x9580);
    }

    void Check(const std::string& name,
               const FabricFlowFields& fields,
               uint64_t seed,
               uint32_t expected)
    {
        ObjectFactory factory;
        factory.SetTypeId(GetFabricHashNames().Lookup(name, "test"));
        NS_TEST_EXPECT_MSG_EQ(factory.Create<FabricHash>()->Hash(fields, seed), expected, name);
    }
};

/// @ingroup llm-training-tests
/// Attributes of the hash.
class HashFieldsTest : public TestCase
{
  public:
    HashFieldsTest()
        : TestCase("a field changes paths if and only if it is hashed, with every function")
    {
    }

  private:
    void DoRun() override
    {
        const std::vector<std::pair<std::string, std::function<void(Frame&, uint32_t)>>> fields = {
            {"HashSource", [](Frame& f, uint32_t i) { f.source = i; }},
            {"HashDestination", [](Frame& f, uint32_t i) { f.destination = i; }},
            {"HashSourcePort", [](Frame& f, uint32_t i) { f.entropy = static_cast<uint16_t>(i); }},
            {"HashDestinationQp", [](Frame& f, uint32_t i) { f.queuePair = i; }},
            {"HashIngressPort", [](Frame& f, uint32_t i) { f.ingress = static_cast<uint16_t>(i); }},
        };
        for (const std::string function : {"", "Crc32Hash", "Crc16Hash", "Murmur3Hash", "XorHash"})
        {
            for (const auto& [name, set] : fields)
            {
                for (const bool hashed : {true, false})
                {
                    Settings settings{{name, hashed ? "true" : "false"}};
                    if (!function.empty())
                    {
                        settings.emplace_back("HashFunction", "ns3::llm::" + function);
                    }
                    const Ptr<FabricLoadBalancer> balancer = Make("ecmp", settings);
                    Configure(balancer);
                    std::set<uint32_t> places;
                    for (uint32_t i = 0; i < 256; ++i)
                    {
                        Frame frame = MakeFrame(1, 2, 50000);
                        set(frame, i);
                        const uint32_t place = balancer->Select(frame, Some(7), 0);
                        NS_TEST_ASSERT_MSG_LT(place, 7, "in range");
                        NS_TEST_EXPECT_MSG_EQ(*balancer->Predict(frame, Some(7)),
                                              place,
                                              "foretold");
                        places.insert(place);
                    }
                    NS_TEST_EXPECT_MSG_EQ(places.size(),
                                          hashed ? 7 : 1,
                                          function << " " << name << " " << hashed);
                }
            }
        }
    }
};

/// @ingroup llm-training-tests
/// What E-ECMP is for.
class DestinationQpTest : public TestCase
{
  public:
    DestinationQpTest()
        : TestCase("queue pairs that agree in all else spread by E-ECMP, and only by it")
    {
    }

  private:
    void DoRun() override
    {
        for (const bool enhanced : {false, true})
        {
            const Ptr<FabricLoadBalancer> balancer =
                Make("ecmp", {{"HashDestinationQp", enhanced ? "true" : "false"}});
            Configure(balancer);
            std::vector<uint32_t> counts(8);
            for (uint32_t qp = 2; qp < 802; ++qp)
            {
                ++counts[balancer->Select(MakeFrame(1, 2, 50000, qp), Some(8), 0)];
            }
            const uint32_t most = *std::max_element(counts.begin(), counts.end());
            // 100 each on average, sigma 9.4; or all on one.
            NS_TEST_EXPECT_MSG_EQ((enhanced ? most < 140 : most == 800), true, "most " << most);
        }
    }
};

// -- collisions

/// @ingroup llm-training-tests
/// Collision probabilities of ECMP.
class CollisionTest : public TestCase
{
  public:
    CollisionTest()
        : TestCase("flows collide on uplinks as often as balls in bins")
    {
    }

  private:
    /** Mean and its standard error. */
    struct Estimate
    {
        double mean;  //!< of the trials
        double sigma; //!< of the mean
    };

    /** Counts of what a leaf switch chooses. */
    template <typename F>
    Estimate Try(const Settings& settings, uint32_t flows, uint32_t uplinks, F value)
    {
        constexpr uint32_t TRIALS = 20000;
        LeafSpineTopology shape(2, uplinks, 8, Link(400));
        const Built built(shape, "ecmp", settings);
        FabricSwitch& leaf = *built.network.endpoints.Get(0)
                                  ->GetDevice(0)
                                  ->GetChannel()
                                  ->GetDevice(1)
                                  ->GetNode()
                                  ->GetObject<FabricSwitch>();
        const uint32_t group = built.network.fabric->GetGroups()[8];
        NS_TEST_EXPECT_MSG_EQ(leaf.GetRoute(8).size(), uplinks, "ways up");
        const Philox philox(uplinks);
        double sum = 0;
        double squares = 0;
        uint64_t n = 0;
        for (uint32_t trial = 0; trial < TRIALS; ++trial)
        {
            std::vector<uint32_t> counts(uplinks);
            for (uint32_t flow = 0; flow < flows; ++flow)
            {
                const uint32_t number = philox(n++, flows)[0];
                const Frame frame =
                    MakeFrame(flow % 8, 8 + flow % 8, static_cast<uint16_t>(0xC000U | number));
                ++counts[leaf.GetLoadBalancer()
                             .Select(frame, FabricCandidates(&leaf, group, uplinks), 0)];
            }
            const double x = value(*std::max_element(counts.begin(), counts.end()));
            sum += x;
            squares += x * x;
        }
        const double mean = sum / TRIALS;
        return {mean, std::sqrt((squares / TRIALS - mean * mean) / TRIALS)};
    }

    void DoRun() override
    {
        // Of 8 flows over m uplinks no two collide: m! / (m - 8)! / m^8.
        const std::vector<std::pair<uint32_t, double>> none = {{8, 0.0024},
                                                               {16, 0.1208},
                                                               {32, 0.3857},
                                                               {60, 0.6142},
                                                               {64, 0.6340}};
        for (const auto& [uplinks, published] : none)
        {
            const Estimate estimate =
                Try({}, 8, uplinks, [](uint32_t most) { return most == 1 ? 1.0 : 0.0; });
            NS_TEST_EXPECT_MSG_EQ_TOL(estimate.mean,
                                      published,
                                      3 * estimate.sigma + 0.00005,
                                      "8 flows, " << uplinks << " uplinks");
        }

        // Busiest link over ideal.
        struct Row
        {
            uint32_t flows;
            uint32_t uplinks;
            double published;
        };

        for (const Row& row : {Row{8, 8, 2.60},
                               Row{32, 8, 1.76},
                               Row{128, 8, 1.37},
                               Row{16, 16, 3.08},
                               Row{32, 32, 3.52},
                               Row{64, 64, 3.96}})
        {
            const double ideal = static_cast<double>(row.flows) / row.uplinks;
            const Estimate estimate =
                Try({}, row.flows, row.uplinks, [ideal](uint32_t most) { return most / ideal; });
            NS_TEST_EXPECT_MSG_EQ_TOL(estimate.mean,
                                      row.published,
                                      3 * estimate.sigma + 0.005,
                                      row.flows << " flows, " << row.uplinks << " uplinks");
        }
        for (const std::string function : {"Crc32Hash", "Murmur3Hash"})
        {
            const Estimate estimate =
                Try({{"HashFunction", "ns3::llm::" + function}}, 8, 32, [](uint32_t most) {
                    return most == 1 ? 1.0 : 0.0;
                });
            NS_TEST_EXPECT_MSG_EQ_TOL(estimate.mean, 0.3857, 3 * estimate.sigma, function);
        }
    }
};

// -- polarisation

/// @ingroup llm-training-tests
/// Same hash at two tiers.
class PolarisationTest : public TestCase
{
  public:
    PolarisationTest()
        : TestCase("one hash at all tiers leaves each aggregation switch one of its uplinks; other "
                   "seeds or rotation cure it, other seeds not with a CRC")
    {
    }

  private:
    /** @return uplinks that an aggregation switch uses, least and most over those of pod 0. */
    static std::pair<uint32_t, uint32_t> CountUplinks(const Settings& settings)
    {
        FatTreeTopology shape(8, Link(100));
        const Built built(shape, "ecmp", settings);
        const Fabric& fabric = *built.network.fabric;
        std::map<uint32_t, std::set<uint32_t>> used; // by aggregation switch: ports
        const Philox philox(8);
        for (uint32_t i = 0; i < 4000; ++i)
        {
            const Philox::Numbers numbers = philox(i, 0);
            const auto path = fabric.TracePath(numbers[0] % 16,
                                               16 + numbers[1] % 112,
                                               static_cast<uint16_t>(0xC000U | numbers[2]),
                                               2);
            // host, edge, aggregation, core, aggregation, edge
            used[path.at(2)->GetNode()->GetObject<FabricSwitch>()->GetIndex()].insert(
                path[2]->GetPortIndex());
        }
        uint32_t least = UINT32_MAX;
        uint32_t most = 0;
        for (const auto& [index, ports] : used)
        {
            least = std::min<uint32_t>(least, ports.size());
            most = std::max<uint32_t>(most, ports.size());
        }
        return {used.size() == 4 ? least : 0, most};
    }

    void DoRun() override
    {
        const std::pair<std::string, std::string> crc{"HashFunction", "ns3::llm::Crc32Hash"};
        const std::pair<std::string, std::string> murmur{"HashFunction", "ns3::llm::Murmur3Hash"};
        const std::vector<std::pair<Settings, uint32_t>> rows = {
            {{}, 4},
            {{{"Seed", "77"}}, 1},
            {{{"Seed", "77"}, {"SeedPerTier", "true"}}, 4},
            {{{"Seed", "77"}, {"RotateByTier", "8"}}, 4},
            {{{"Seed", "77"}, murmur}, 1},
            {{{"Seed", "77"}, {"SeedPerTier", "true"}, murmur}, 4},
            {{{"Seed", "77"}, crc}, 1},
            {{{"Seed", "77"}, {"SeedPerTier", "true"}, crc}, 1},
            {{{"Seed", "77"}, {"RotateByTier", "8"}, crc}, 4},
        };
        for (std::size_t i = 0; i < rows.size(); ++i)
        {
            const auto [least, most] = CountUplinks(rows[i].first);
            NS_TEST_EXPECT_MSG_EQ(least, rows[i].second, "row " << i);
            NS_TEST_EXPECT_MSG_EQ(most, rows[i].second, "row " << i);
        }
    }
};

/// @ingroup llm-training-tests
/// Prediction of paths.
class TraceTest : public TestCase
{
  public:
    TraceTest()
        : TestCase("what a walk through the hashes predicts for every port is what is sent there")
    {
    }

  private:
    void DoRun() override
    {
        UsePicoseconds(SUITE);
        const std::vector<std::pair<std::string, Settings>> rows = {
            {"ecmp", {}},
            {"ecmp", {{"Seed", "5"}}},
            {"ecmp",
             {{"HashFunction", "ns3::llm::Crc16Hash"},
              {"HashDestinationQp", "true"},
              {"HashIngressPort", "true"},
              {"RotateByTier", "3"}}},
            {"static", {{"DestinationModulo", "true"}}},
        };
        for (const auto& [name, settings] : rows)
        {
            FatTreeTopology shape(4, Link(100));
            const Built built(shape, name, settings);
            RdmaTransportHelper helper;
            helper.SetCongestionControl("none");
            const Ptr<RdmaTransport> transport =
                helper.Install(built.network.fabric, built.network.endpoints);
            FabricPathLoads loads(*built.network.fabric);
            for (uint32_t i = 0; i < 16; ++i)
            {
                for (const uint32_t shift : {1, 4, 7})
                {
                    Message message;
                    message.from = i;
                    message.to = (i + shift) % 16;
                    message.bytes = 4096 * (1 + i);
                    transport->Send(message);
                    const RdmaQueuePair* qp = transport->FindQueuePair(i, message.to, 0);
                    loads.AddFlow(i, message.to, qp->GetEntropy(), qp->GetRemoteNumber(), 1 + i);
                }
            }
            Simulator::Run();
            uint64_t sum = 0;
            for (const auto& port : built.network.fabric->GetPorts())
            {
                NS_TEST_EXPECT_MSG_EQ(port->GetCounters().txDataFrames,
                                      loads.GetLoad(*port),
                                      name << " " << port->GetLabel());
                sum += loads.GetLoad(*port);
            }
            NS_TEST_EXPECT_MSG_GT(sum, 3 * 136 * 4, "something was sent");
            transport->Dispose();
        }
    }
};

/// @ingroup llm-training-tests
/// Static tables.
class StaticTest : public TestCase
{
  public:
    StaticTest()
        : TestCase(
              "a pin that says more counts more; by destination a fat-tree carries every shift "
              "without contention")
    {
    }

  private:
    void DoRun() override
    {
        constexpr uint32_t ANY = StaticLoadBalancer::ANY;
        const Ptr<StaticLoadBalancer> pins = CreateObject<StaticLoadBalancer>();
        StaticLoadBalancer& balancer = Configure(pins);
        balancer.Pin(ANY, 9, ANY, 1);
        balancer.Pin(3, ANY, ANY, 2);
        balancer.Pin(3, 9, ANY, 3);
        balancer.Pin(3, 9, 17, 4);
        balancer.Pin(5, 9, ANY, 14);
        balancer.Pin(5, 9, ANY, 13);
        NS_TEST_EXPECT_MSG_EQ(balancer.Select(MakeFrame(4, 9, 1), Some(8), 0), 1, "destination");
        NS_TEST_EXPECT_MSG_EQ(balancer.Select(MakeFrame(3, 8, 1), Some(8), 0), 2, "source");
        NS_TEST_EXPECT_MSG_EQ(balancer.Select(MakeFrame(3, 9, 1), Some(8), 0), 3, "both");
        NS_TEST_EXPECT_MSG_EQ(balancer.Select(MakeFrame(3, 9, 1, 17), Some(8), 0), 4, "all three");
        NS_TEST_EXPECT_MSG_EQ(balancer.Select(MakeFrame(5, 9, 1), Some(8), 0), 5, "last, modulo 8");
        const Ptr<FabricLoadBalancer> ecmp = Make("ecmp");
        Configure(ecmp);
        NS_TEST_EXPECT_MSG_EQ(balancer.Select(MakeFrame(4, 8, 1), Some(8), 0),
                              ecmp->Select(MakeFrame(4, 8, 1), Some(8), 0),
                              "no pin: the hash");
        NS_TEST_EXPECT_MSG_EQ(balancer.GetCounters().at(0).second, 5, "pinned");
        NS_TEST_EXPECT_MSG_EQ(balancer.GetCounters().at(1).second, 1, "not pinned");
        ExpectError([&] { balancer.Pin(ANY, ANY, ANY, 1); }, "neither a source nor a destination");
        ExpectError([&] { balancer.Pin(ANY, 3, 2, 1); }, "needs both a source and a destination");

        FatTreeTopology shape(8, Link(100));
        for (const bool modulo : {true, false})
        {
            const Built built(shape, "static", {{"DestinationModulo", modulo ? "true" : "false"}});
            uint64_t most = 0;
            for (uint32_t shift = 1; shift < 128; ++shift)
            {
                FabricPathLoads loads(*built.network.fabric);
                for (uint32_t i = 0; i < 128; ++i)
                {
                    loads.AddFlow(i, (i + shift) % 128, 50000, 2, 1);
                }
                most = std::max(most, loads.GetLoad(loads.GetBusiest()));
            }
            NS_TEST_EXPECT_MSG_EQ((modulo ? most == 1 : most > 2), true, "most " << most);
        }
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
        NS_TEST_EXPECT_MSG_NE(what.find(part), std::string::npos, what);
    }
};

// -- flowlets

/// @ingroup llm-training-tests
/// LetFlow.
class FlowletTest : public TestCase
{
  public:
    FlowletTest()
        : TestCase("a flow moves after gaps longer than Gap, only then, and is counted")
    {
    }

  private:
    void DoRun() override
    {
        const int64_t us = MicroSeconds(1).GetTimeStep();
        const Ptr<FlowletLoadBalancer> made = CreateObject<FlowletLoadBalancer>();
        made->SetAttribute("Gap", TimeValue(MicroSeconds(100)));
        FlowletLoadBalancer& balancer = Configure(made);
        const Frame flow = MakeFrame(1, 2, 50000);
        int64_t now = 0;
        const uint32_t first = balancer.Select(flow, Some(16), now);
        for (int i = 0; i < 1000; ++i)
        {
            now += 100 * us;
            NS_TEST_ASSERT_MSG_EQ(balancer.Select(flow, Some(16), now), first, "no longer gap");
        }
        NS_TEST_EXPECT_MSG_EQ(balancer.GetFlowlets(), 1, "one flowlet");
        std::vector<uint32_t> counts(16);
        uint32_t before = first;
        uint64_t moves = 0;
        for (int i = 0; i < 1600; ++i)
        {
            now += 100 * us + 1;
            const uint32_t place = balancer.Select(flow, Some(16), now);
            moves += place != before ? 1 : 0;
            before = place;
            ++counts[place];
            now += us;
            NS_TEST_ASSERT_MSG_EQ(balancer.Select(flow, Some(16), now), place, "within a flowlet");
        }
        NS_TEST_EXPECT_MSG_EQ(balancer.GetFlowlets(), 1601, "flowlets");
        NS_TEST_EXPECT_MSG_EQ(balancer.GetMoves(), moves, "moves");
        for (const uint32_t count : counts)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(count, 100, 40, "every port, sigma 9.7");
        }
        // One entry: whoever comes keeps the flowlet of the others alive.
        const Ptr<FlowletLoadBalancer> tiny = CreateObject<FlowletLoadBalancer>();
        tiny->SetAttribute("TableSize", UintegerValue(1));
        FlowletLoadBalancer& shared = Configure(tiny);
        for (uint32_t i = 0; i < 100; ++i)
        {
            shared.Select(MakeFrame(i, i + 1, 50000), Some(16), i * 90 * us);
        }
        NS_TEST_EXPECT_MSG_EQ(shared.GetFlowlets(), 1, "shared");
        // Fewer ports than the entry's place: another is chosen.
        for (uint32_t i = 0; i < 100; ++i)
        {
            NS_TEST_EXPECT_MSG_LT(shared.Select(flow, Some(2), 9000 * us), 2, "in range");
        }
    }
};

// -- spray

/// @ingroup llm-training-tests
/// Random spray.
class RandomSprayTest : public TestCase
{
  public:
    RandomSprayTest()
        : TestCase("random spray is uniform, repeats itself, and differs between switches")
    {
    }

  private:
    static std::vector<uint32_t> Draw(uint32_t index, uint64_t key)
    {
        const Ptr<FabricLoadBalancer> balancer = Make("spray_random");
        Configure(balancer, index, 0, key);
        std::vector<uint32_t> places;
        for (uint32_t i = 0; i < 24000; ++i)
        {
            places.push_back(balancer->Select(MakeFrame(1, 2, 50000), Some(6), 0));
        }
        return places;
    }

    void DoRun() override
    {
        const std::vector<uint32_t> places = Draw(3, 1);
        NS_TEST_EXPECT_MSG_EQ((places == Draw(3, 1)), true, "the same again");
        NS_TEST_EXPECT_MSG_EQ((places == Draw(4, 1)), false, "another switch");
        NS_TEST_EXPECT_MSG_EQ((places == Draw(3, 2)), false, "another seed");
        std::vector<uint32_t> counts(6);
        uint32_t pairs = 0;
        for (std::size_t i = 0; i < places.size(); ++i)
        {
            ++counts.at(places[i]);
            pairs += i > 0 && places[i] == places[i - 1] ? 1 : 0;
        }
        for (const uint32_t count : counts)
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(count, 4000, 231, "4 sigma");
        }
        NS_TEST_EXPECT_MSG_EQ_TOL(pairs, 4000, 231, "neighbours are independent");
    }
};

/// @ingroup llm-training-tests
/// Which frames are spread.
class SpreadClassesTest : public TestCase
{
  public:
    SpreadClassesTest()
        : TestCase("only RDMA frames of the wanted classes are spread; others follow the hash")
    {
    }

  private:
    void DoRun() override
    {
        const Ptr<FabricLoadBalancer> ecmp = Make("ecmp");
        Configure(ecmp);
        for (const std::string name : {"spray_random", "spray_round_robin"})
        {
            const Ptr<FabricLoadBalancer> spray = Make(name, {{"Classes", "8"}});
            Configure(spray);
            NS_TEST_EXPECT_MSG_EQ(spray->KeepsOrder(), false, "order");
            for (const bool packet : {false, true})
            {
                for (const uint8_t trafficClass : {3, 4})
                {
                    Frame frame = MakeFrame(1, 2, 50000);
                    frame.trafficClass = trafficClass;
                    frame.kind = packet ? FrameKind::PACKET : FrameKind::WRITE;
                    std::set<uint32_t> places;
                    for (uint32_t i = 0; i < 200; ++i)
                    {
                        places.insert(spray->Select(frame, Some(8), 0));
                    }
                    const bool spread = !packet && trafficClass == 3;
                    NS_TEST_EXPECT_MSG_EQ(places.size(), spread ? 8 : 1, name);
                    NS_TEST_EXPECT_MSG_EQ(spray->Predict(frame, Some(8)).has_value(),
                                          !spread,
                                          "foretold");
                    if (!spread)
                    {
                        NS_TEST_EXPECT_MSG_EQ(*places.begin(),
                                              ecmp->Select(frame, Some(8), 0),
                                              "as ECMP");
                    }
                }
            }
        }
    }
};

/// @ingroup llm-training-tests
/// Round robin.
class RoundRobinTest : public TestCase
{
  public:
    RoundRobinTest()
        : TestCase("in turn every port gets its share of each destination's data, to one packet, "
                   "however it mixes with others and with ACKs")
    {
    }

  private:
    void DoRun() override
    {
        const Ptr<FabricLoadBalancer> balancer = Make("spray_round_robin");
        Configure(balancer);
        std::map<uint32_t, std::vector<uint32_t>> counts;
        // The mix: two groups alternate, and data alternates with ACKs.
        for (uint32_t i = 0; i < 4 * 1000; ++i)
        {
            Frame frame = MakeFrame(i, 2, 50000);
            frame.kind = i & 1 ? FrameKind::ACK : FrameKind::WRITE;
            const uint32_t group = (i >> 1) & 1;
            std::vector<uint32_t>& of = counts[2 * group + (i & 1)];
            of.resize(8);
            ++of[balancer->Select(frame, Some(8, group), 0)];
        }
        NS_TEST_EXPECT_MSG_EQ(counts.size(), 4, "kinds");
        for (const auto& [kind, of] : counts)
        {
            for (const uint32_t count : of)
            {
                NS_TEST_EXPECT_MSG_EQ(count, 125, "kind " << kind);
            }
        }
        // Not all begin at the same port.
        std::set<uint32_t> first;
        for (uint32_t index = 0; index < 64; ++index)
        {
            const Ptr<FabricLoadBalancer> other = Make("spray_round_robin");
            Configure(other, index);
            first.insert(other->Select(MakeFrame(1, 2, 50000), Some(8), 0));
        }
        NS_TEST_EXPECT_MSG_EQ(first.size(), 8, "starts");
    }
};

/// @ingroup llm-training-tests
/// Adaptive routing.
class AdaptiveTest : public TestCase
{
  public:
    AdaptiveTest()
        : TestCase("adaptive routing loads unequal uplinks in proportion to their rates, in turn "
                   "equally; two choices with memory come close to all")
    {
    }

  private:
    /** What came of it. */
    struct Outcome
    {
        double seconds;            //!< last arrival
        std::vector<double> share; //!< of the data, by uplink
        uint64_t peak;             //!< longest queue
    };

    /** Three hosts of 100 Gb/s over uplinks of 100, 100, 50 and 50 Gb/s. */
    Outcome Run(const std::string& name, const Settings& settings = {})
    {
        Net net(1024);
        const auto add = [&] {
            SwitchSettings plain;
            plain.bufferBytes = 64 << 20;
            Ptr<Node> node = net.AddSwitch(plain);
            node->GetObject<FabricSwitch>()->SetAttribute("LoadBalancer",
                                                          PointerValue(Make(name, settings)));
            return node;
        };
        const Ptr<Node> left = add();
        const Ptr<Node> right = add();
        for (uint32_t i = 0; i < 6; ++i)
        {
            net.Link(net.AddHost(), i < 3 ? left : right, 100, NanoSeconds(500));
        }
        for (const uint64_t gbps : {100, 100, 50, 50})
        {
            const Ptr<Node> spine = add();
            net.Link(left, spine, gbps, NanoSeconds(500));
            net.Link(spine, right, gbps, NanoSeconds(500));
        }
        net.fabric->Build();
        net.InstallRaw();
        constexpr uint64_t FRAMES = 4000;
        for (uint32_t i = 0; i < 3; ++i)
        {
            RawEndpoint::Flow flow{3 + i, FRAMES, 1024};
            net.raw[i].Start(flow);
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", name);
        Outcome outcome;
        int64_t last = 0;
        for (const RawEndpoint& endpoint : net.raw)
        {
            last = std::max(last, endpoint.last);
        }
        outcome.seconds = TimeStep(last).GetSeconds();
        outcome.peak = 0;
        for (uint32_t p = 3; p < 7; ++p)
        {
            const FabricPortCounters counters = net.Switch(0).GetPorts()[p]->GetCounters();
            outcome.share.push_back(static_cast<double>(counters.txDataFrames) / (3 * FRAMES));
            outcome.peak = std::max(outcome.peak, counters.queuePeak);
        }
        return outcome;
    }

    void DoRun() override
    {
        UsePicoseconds(SUITE);
        const double ideal = 4000.0 * (1024 + wire::ROCE_BASE + wire::PREAMBLE_IFG) * 8 / 100e9;
        const Outcome turns = Run("spray_round_robin");
        NS_TEST_EXPECT_MSG_EQ_TOL(turns.share[2], 0.25, 0.001, "in turn");
        NS_TEST_EXPECT_MSG_EQ_TOL(turns.seconds / ideal, 1.5, 0.02, "in turn: 75 of 50 Gb/s");
        for (const Settings& settings : {Settings{}, Settings{{"TiesByFlow", "true"}}})
        {
            const Outcome all = Run("adaptive", settings);
            NS_TEST_EXPECT_MSG_EQ_TOL(all.share[0], 1.0 / 3, 0.02, "fast uplink");
            NS_TEST_EXPECT_MSG_EQ_TOL(all.share[3], 1.0 / 6, 0.02, "slow uplink");
            NS_TEST_EXPECT_MSG_LT(all.seconds / ideal, 1.02, "all are used");
            NS_TEST_EXPECT_MSG_LT(all.peak, turns.peak / 10, "short queues");
        }
        const Outcome drill = Run("adaptive", {{"Choices", "2"}, {"Memory", "1"}});
        NS_TEST_EXPECT_MSG_EQ_TOL(drill.share[0], 1.0 / 3, 0.03, "fast uplink, DRILL");
        NS_TEST_EXPECT_MSG_LT(drill.seconds / ideal, 1.06, "DRILL");
        const Outcome random = Run("spray_random");
        NS_TEST_EXPECT_MSG_GT(random.seconds / ideal, 1.45, "at random: as in turn");
        NS_TEST_EXPECT_MSG_LT(drill.peak, random.peak / 4, "DRILL has short queues");
    }
};

/// @ingroup llm-training-tests
/// Names, and what cannot be.
class NamesTest : public TestCase
{
  public:
    NamesTest()
        : TestCase("load balancers have names; unknown ones and untraceable paths are told")
    {
    }

  private:
    void DoRun() override
    {
        for (const std::string name :
             {"ecmp", "static", "flowlet", "spray_random", "spray_round_robin", "adaptive"})
        {
            const Ptr<FabricLoadBalancer> balancer = Make(name);
            Configure(balancer);
            NS_TEST_EXPECT_MSG_EQ(balancer->KeepsOrder(),
                                  (name == "ecmp" || name == "static" || name == "flowlet"),
                                  name);
        }
        std::string what;
        try
        {
            GetFabricLoadBalancerNames().Lookup("spray_randon", "a.json", "fabric.load_balancing");
        }
        catch (const ConfigError& error)
        {
            what = error.what();
        }
        NS_TEST_EXPECT_MSG_EQ(what.find("a.json: fabric.load_balancing: no load balancer "
                                        "'spray_randon'; did you mean 'spray_random'?"),
                              0,
                              what);
        what.clear();
        LeafSpineTopology shape(2, 4, 2, Link(100));
        const Built built(shape, "spray_random");
        try
        {
            built.network.fabric->TracePath(0, 3, 50000, 2);
        }
        catch (const ConfigError& error)
        {
            what = error.what();
        }
        NS_TEST_EXPECT_MSG_NE(what.find("ns3::llm::RandomSprayLoadBalancer"),
                              std::string::npos,
                              what);
        NS_TEST_EXPECT_MSG_EQ(built.network.fabric->TracePath(0, 1, 50000, 2).size(),
                              2,
                              "within a leaf there is one way");
    }
};

/// @ingroup llm-training-tests
/// The suite.
class FabricPathsSuite : public TestSuite
{
  public:
    FabricPathsSuite()
        : TestSuite("llm-training-fabric-paths", Type::UNIT)
    {
        AddTestCase(new HashVectorsTest, llm::TestDuration::QUICK);
        AddTestCase(new HashFieldsTest, llm::TestDuration::QUICK);
        AddTestCase(new DestinationQpTest, llm::TestDuration::QUICK);
        AddTestCase(new CollisionTest, llm::TestDuration::QUICK);
        AddTestCase(new PolarisationTest, llm::TestDuration::QUICK);
        AddTestCase(new TraceTest, llm::TestDuration::QUICK);
        AddTestCase(new StaticTest, llm::TestDuration::QUICK);
        AddTestCase(new FlowletTest, llm::TestDuration::QUICK);
        AddTestCase(new RandomSprayTest, llm::TestDuration::QUICK);
        AddTestCase(new SpreadClassesTest, llm::TestDuration::QUICK);
        AddTestCase(new RoundRobinTest, llm::TestDuration::QUICK);
        AddTestCase(new AdaptiveTest, llm::TestDuration::QUICK);
        AddTestCase(new NamesTest, llm::TestDuration::QUICK);
    }
};

FabricPathsSuite g_fabricPathsSuite; //!< instance

} // namespace

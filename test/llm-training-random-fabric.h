/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_TRAINING_RANDOM_FABRIC_H
#define LLM_TRAINING_RANDOM_FABRIC_H

// Networks thrown with dice: shape, links, switches, transport, traffic and failures follow from
// one seed, by tables that a new feature joins with one line. What must hold on every network is
// checked while it runs and at its end.

#include "fabric-test-helpers.h"
#include "llm-training-dice.h"

#include "ns3/boolean.h"
#include "ns3/clos-topology.h"
#include "ns3/dragonfly-topology.h"
#include "ns3/fabric-load-balancer-names.h"
#include "ns3/fat-tree-topology.h"
#include "ns3/leaf-spine-topology.h"
#include "ns3/llm-config-error.h"
#include "ns3/llm-trouble-schedule.h"
#include "ns3/names.h"
#include "ns3/object-factory.h"
#include "ns3/rail-optimized-topology.h"
#include "ns3/rng-seed-manager.h"
#include "ns3/single-switch-topology.h"
#include "ns3/torus-topology.h"

#include <memory>
#include <set>
#include <tuple>

namespace fabrictest
{

/** Everything that a seed decides. */
struct RandomFabricConfig
{
    /** A shape of network. */
    struct Shape
    {
        std::string name; //!< "leaf-spine 2 x 2 x 2"
        std::function<std::unique_ptr<FabricTopology>(const FabricLink&)> make; //!< by its uplink
        bool canDeadlock{false}; //!< its paths can wait for each other in a circle
    };

    /** A message to send. */
    struct Send
    {
        Message message; //!< what
        Time at;         //!< when
    };

    uint64_t seed{0};                                      //!< of all that follows
    Shape shape;                                           //!< of the network
    FabricLink hostLink;                                   //!< endpoints to switches
    FabricLink uplink;                                     //!< among switches
    uint32_t pathMtu{4096};                                //!< payload per packet
    uint64_t buffer{0};                                    //!< of a switch, at least
    double alpha{0.125};                                   //!< dynamic threshold
    uint8_t lossless{8};                                   //!< bits of classes
    uint64_t reserve{4096};                                //!< per lossless class and port
    uint64_t xonOffset{3072};                              //!< of PFC
    uint32_t pauseQuanta{65535};                           //!< of XOFF
    bool ecn{true};                                        //!< switches mark
    bool markAtDequeue{false};                             //!< when
    std::string balancer;                                  //!< name, of switches
    std::string congestion;                                //!< name
    std::string paths;                                     //!< name, of queue pairs
    std::string reliability;                               //!< name
    bool cutThrough{false};                                //!< of switches
    bool trimming{false};                                  //!< of switches
    Time latency;                                          //!< of switches
    std::vector<std::pair<std::string, std::string>> more; //!< attributes of RdmaTransport
    double lossRate{0};                                    //!< of every link
    Time reconvergence;                                    //!< of routes
    std::string simulator;                                 //!< type
    std::vector<TroubleEvent> events;                      //!< failures
    std::vector<Send> sends;                               //!< traffic

    /** @return whether a lossless class may lose frames. */
    bool CanFail() const
    {
        return !events.empty() || lossRate > 0;
    }

    /** @return whether pauses may hold frames for ever: routes around a failure can close a circle,
     *  too. */
    bool CanDeadlock() const
    {
        return shape.canDeadlock || !events.empty();
    }

    /** @return all of it, to find what a failed seed means. */
    std::string Describe() const
    {
        std::ostringstream text;
        text << "seed " << seed << ": " << shape.name << ", hosts " << hostLink.rate << " "
             << hostLink.delay.GetNanoSeconds() << " ns, uplinks " << uplink.rate << " "
             << uplink.delay.GetNanoSeconds() << " ns, MTU " << pathMtu << ", buffer " << buffer
             << " B alpha " << alpha << " lossless " << unsigned(lossless) << " reserve " << reserve
             << " xon " << xonOffset << " quanta " << pauseQuanta << ", ECN " << ecn
             << (markAtDequeue ? " at dequeue" : "") << ", " << balancer << ", " << congestion
             << ", " << paths << ", " << reliability << ", cut-through " << cutThrough
             << ", trimming " << trimming << ", latency " << latency.GetNanoSeconds()
             << " ns, loss " << lossRate << ", reconvergence " << reconvergence.GetMicroSeconds()
             << " us, " << simulator;
        for (const auto& [name, value] : more)
        {
            text << ", " << name << "=" << value;
        }
        for (const auto& e : events)
        {
            text << "; at " << e.at.GetNanoSeconds() << " ns " << ToString(e.kind) << " "
                 << e.target << " for " << e.duration.GetNanoSeconds() << " ns";
            if (e.kind == TroubleKind::LINK_FLAP)
            {
                text << " period " << e.period.GetNanoSeconds() << " ns duty " << e.duty << " x "
                     << e.count;
            }
            if (e.kind == TroubleKind::LINK_RATE)
            {
                text << " " << e.rate;
            }
            if (e.kind == TroubleKind::BIT_ERRORS)
            {
                text << " " << e.bitErrorRate;
            }
        }
        text << "; " << sends.size() << " messages:";
        for (const auto& send : sends)
        {
            const Message& m = send.message;
            text << " " << m.from << ">" << m.to << "/" << m.channel << "c"
                 << unsigned(m.trafficClass) << " " << m.bytes << "@" << send.at.GetNanoSeconds();
        }
        return text.str();
    }
};

/** Throws the dice. */
class RandomFabricDice
{
  public:
    /** @param seed of it all. @return the network. */
    static RandomFabricConfig Throw(uint64_t seed)
    {
        RandomFabricDice dice(seed);
        dice.ThrowNetwork();
        dice.ThrowTransport();
        dice.ThrowTraffic();
        dice.ThrowTrouble();
        return dice.m_config;
    }

  private:
    explicit RandomFabricDice(uint64_t seed)
        : m_dice(seed * 0x9e3779b97f4a7c15ULL + 1)
    {
        m_config.seed = seed;
    }

    /** A kind of network. A new topology is one line here. */
    RandomFabricConfig::Shape ThrowShape()
    {
        const auto upTo = [this](uint64_t most) {
            return static_cast<uint32_t>(m_dice.Throw(most) + 1);
        };
        const uint32_t a = upTo(4);
        const uint32_t b = upTo(4);
        const uint32_t c = upTo(4);
        const auto numbers = [](std::initializer_list<uint32_t> list) {
            std::string text;
            for (const uint32_t n : list)
            {
                text += (text.empty() ? " " : " x ") + std::to_string(n);
            }
            return text;
        };
        using Link = const FabricLink&;
        const std::vector<RandomFabricConfig::Shape> shapes{
            {"single-switch" + numbers({a + b}),
             [=](Link) { return std::make_unique<SingleSwitchTopology>(a + b); }},
            {"leaf-spine" + numbers({a + 1, b, c}),
             [=](Link up) { return std::make_unique<LeafSpineTopology>(a + 1, b, c, up); }},
            {"leaf-spine" + numbers({2, b, c}),
             [=](Link up) { return std::make_unique<LeafSpineTopology>(2, b, c, up); }},
            {"fat-tree" + numbers({a > 1 ? 4U : 2U}),
             [=](Link up) { return std::make_unique<FatTreeTopology>(a > 1 ? 4 : 2, up); }},
            {"clos" + numbers({a, 2, c, b, b > 2 ? 2U : 1U}),
             [=](Link up) {
                 ClosTopology::Shape shape;
                 shape.down = {a, 2, c};
                 shape.up = {b, 2};
                 shape.planes = b > 2 ? 2 : 1;
                 return std::make_unique<ClosTopology>(shape, up);
             }},
            {"rail-optimized" + numbers({1 + b / 4, a, c, b, 1 + a % 2}),
             [=](Link up) {
                 RailOptimizedTopology::Shape shape;
                 shape.segments = 1 + b / 4;
                 shape.serversPerSegment = a;
                 shape.rails = c;
                 shape.spines = b;
                 shape.torsPerRail = 1 + a % 2;
                 shape.planes = shape.torsPerRail == 2 && b > 1 ? 2 : 1;
                 return std::make_unique<RailOptimizedTopology>(shape, up);
             }},
            {"dragonfly" + numbers({a}),
             [=](Link up) {
                 DragonflyTopology::Shape shape;
                 shape.routersPerGroup = 2;
                 shape.hostsPerRouter = a;
                 shape.globalLinks = 1;
                 return std::make_unique<DragonflyTopology>(shape, up, up);
             },
             true},
            {"torus" + numbers({a, b, c % 2}),
             [=](Link up) {
                 TorusTopology::Shape shape;
                 shape.dimensions = {a + 1, b};
                 shape.wrap = c % 2 == 0;
                 return std::make_unique<TorusTopology>(shape, up);
             },
             true},
        };
        return m_dice.Pick(shapes);
    }

    FabricLink ThrowLink()
    {
        FabricLink link;
        link.rate =
            DataRate(m_dice.Pick<uint64_t>({10, 25, 40, 50, 100, 200, 400, 800}) * 1000000000);
        link.delay = NanoSeconds(m_dice.Pick<uint64_t>({1, 25, 150, 500, 1000, 1300, 5000}));
        return link;
    }

    void ThrowNetwork()
    {
        m_config.shape = ThrowShape();
        m_config.hostLink = ThrowLink();
        m_config.uplink = ThrowLink();
        m_config.pathMtu = m_dice.Pick<uint32_t>({256, 512, 1024, 2048, 4096, 4096});
        m_config.buffer = m_dice.Pick<uint64_t>({100000, 300000, 1000000, 4000000, 32 << 20});
        m_config.alpha = m_dice.Pick<double>({1.0 / 64, 1.0 / 8, 0.5, 1, 2, 8});
        m_config.lossless = m_dice.Pick<uint8_t>({0x08, 0x08, 0x08, 0x18, 0x1A, 0xFF, 0});
        m_config.reserve = m_dice.Pick<uint64_t>({0, 1000, 4096, 20000});
        m_config.xonOffset = m_dice.Pick<uint64_t>({0, 3072, 50000});
        m_config.pauseQuanta = m_dice.Pick<uint32_t>({65535, 65535, 2000, 300});
        m_config.ecn = m_dice.Throw(4) != 0;
        m_config.markAtDequeue = m_dice.Throw(3) == 0;
        // A new load balancer is one word here.
        m_config.balancer = m_dice.Pick<std::string>(
            {"ecmp", "ecmp", "flowlet", "spray_random", "spray_round_robin", "adaptive"});
        m_config.cutThrough = m_dice.Throw(4) == 0;
        m_config.trimming = m_dice.Throw(5) == 0;
        m_config.latency = NanoSeconds(m_dice.Pick<uint64_t>({0, 0, 400}));
        m_config.simulator = m_dice.Pick<std::string>(
            {"ns3::DefaultSimulatorImpl", "ns3::llm::FabricSimulatorImpl"});
        m_config.lossRate = m_dice.Pick<double>({0, 0, 0, 0, 0, 0, 1e-4, 1e-2});
        m_config.reconvergence = MicroSeconds(m_dice.Pick<uint64_t>({0, 3, 50, 400}));
    }

    void ThrowTransport()
    {
        // A new congestion control is one word here.
        m_config.congestion = m_dice.Pick<std::string>({"dcqcn",
                                                        "dcqcn_mellanox",
                                                        "hpcc",
                                                        "timely",
                                                        "swift",
                                                        "dctcp",
                                                        "powertcp",
                                                        "powertcp_delay",
                                                        "nscc",
                                                        "none"});
        // A new path selector is one word here.
        m_config.paths =
            m_dice.Pick<std::string>({"single", "single", "spray", "round_robin", "reps"});
        // A new loss recovery is one word here. Not go_back_0: long messages need not end.
        m_config.reliability = m_dice.Pick<std::string>(
            {"go_back_n", "go_back_n", "selective_repeat", "out_of_order"});
        // Going back for each of many trimmed packets, without congestion control, need not end.
        m_config.trimming = m_config.trimming && m_config.reliability != "go_back_n";
        const auto set = [this](const std::string& name, const std::vector<std::string>& values) {
            m_config.more.emplace_back(name, m_dice.Pick(values));
        };
        // A new attribute of the transport is one line here.
        set("AckInterval", {"1", "1", "4", "16", "64"});
        set("InitialPsn", {"0", "16777200", "4294967290"});
        set("MaxWriteBytes", {"2147483648", "50000"});
        set("Verb", {"write", "write", "write_imm", "send"});
        set("EcnCapable", {"true", "true", "false"});
        set("CnpClass", {"6", "0", "3"});
        set("RetransmissionTimeout", {"5ms", "20ms"});
    }

    void ThrowTraffic()
    {
        const uint32_t hosts = m_config.shape.make(m_config.uplink)->GetEndpointCount();
        if (hosts < 2)
        {
            return;
        }
        const bool incast = m_dice.Throw(3) == 0;
        const auto classes = m_dice.Pick<std::vector<uint8_t>>({{3}, {3}, {3, 4}, {0, 3, 5}});
        // Bounded by packets, so that a run takes some hundredth of a second.
        uint64_t packets = 2500;
        const uint64_t messages = 1 + m_dice.Throw(60);
        std::map<std::tuple<uint32_t, uint32_t, uint16_t>, uint8_t> classOf;
        for (uint64_t i = 0; i < messages && packets > 0; ++i)
        {
            RandomFabricConfig::Send send;
            Message& m = send.message;
            m.to = static_cast<uint32_t>(incast ? 0 : m_dice.Throw(hosts));
            m.from = (m.to + 1 + static_cast<uint32_t>(m_dice.Throw(hosts - 1))) % hosts;
            m.channel = static_cast<uint16_t>(m_dice.Pick<uint32_t>({0, 0, 0, 1, 2, 9}));
            // The class belongs to the connection.
            m.trafficClass =
                classOf.emplace(std::make_tuple(m.from, m.to, m.channel), m_dice.Pick(classes))
                    .first->second;
            const uint64_t most = std::min<uint64_t>(packets, 600) * m_config.pathMtu;
            m.bytes = m_dice.Pick<uint64_t>({0,
                                             1,
                                             4,
                                             m_config.pathMtu - 1,
                                             m_config.pathMtu,
                                             m_config.pathMtu + 1,
                                             10000,
                                             m_dice.Throw(most) + 1,
                                             m_dice.Throw(most) + 1});
            packets -= std::min(packets, m.bytes / m_config.pathMtu + 1);
            send.at = NanoSeconds(m_dice.Pick<uint64_t>({0, 0, 1000, m_dice.Throw(100000)}));
            m_config.sends.push_back(send);
        }
    }

    /** A failure. A new kind is one line here, and what it needs below. */
    TroubleEvent ThrowEvent(const std::vector<std::string>& links,
                            const std::vector<std::string>& switches,
                            uint32_t hosts)
    {
        TroubleEvent e;
        e.at = NanoSeconds(m_dice.Throw(150000));
        e.kind = m_dice.Pick<TroubleKind>({TroubleKind::LINK_DOWN,
                                           TroubleKind::LINK_DOWN,
                                           TroubleKind::LINK_FLAP,
                                           TroubleKind::LINK_RATE,
                                           TroubleKind::BIT_ERRORS,
                                           TroubleKind::SWITCH_DOWN,
                                           TroubleKind::HOST_DOWN,
                                           TroubleKind::PAUSE_STORM});
        e.duration = NanoSeconds(m_dice.Pick<uint64_t>({0, 100, 5000, 60000, 400000, 3000000}));
        const std::string host = "host" + std::to_string(m_dice.Throw(hosts));
        const std::string link = m_dice.Pick(links);
        switch (e.kind)
        {
        case TroubleKind::SWITCH_DOWN:
            e.target = m_dice.Pick(switches);
            break;
        case TroubleKind::HOST_DOWN:
            e.target = host;
            break;
        case TroubleKind::PAUSE_STORM:
            e.target = host;
            e.trafficClasses = m_dice.Pick<std::vector<uint32_t>>({{3}, {3, 4}, {0, 1, 2, 7}});
            break;
        case TroubleKind::LINK_FLAP:
            e.target = link;
            e.period = NanoSeconds(m_dice.Pick<uint64_t>({2000, 40000, 300000}));
            e.duty = m_dice.Pick<double>({0.05, 0.5, 0.9});
            e.count = static_cast<uint32_t>(1 + m_dice.Throw(20));
            break;
        case TroubleKind::LINK_RATE:
            e.target = link;
            // Headroom is for the rate at Build.
            e.rate = DataRate(10000000000 / m_dice.Pick<uint64_t>({1, 2, 10}));
            break;
        case TroubleKind::BIT_ERRORS:
            e.target = link;
            e.bitErrorRate = m_dice.Pick<double>({1e-10, 1e-7, 1e-5});
            break;
        default:
            e.target = link;
            break;
        }
        return e;
    }

    void ThrowTrouble()
    {
        if (m_dice.Throw(2) == 0)
        {
            return;
        }
        // What there is to fail: build the network once, to look at.
        Ptr<Fabric> fabric = CreateObject<Fabric>();
        const auto topology = m_config.shape.make(m_config.uplink);
        topology->SetSwitchMaker([] {
            SwitchSettings settings;
            settings.bufferBytes = uint64_t{1} << 32;
            return settings.Make();
        });
        topology->Build(fabric, std::max(1U, topology->GetServerSize()));
        std::vector<std::string> links;
        for (const auto& port : fabric->GetPorts())
        {
            links.push_back(port->GetLabel());
        }
        std::vector<std::string> switches;
        for (const auto& fabricSwitch : fabric->GetSwitches())
        {
            switches.push_back(fabricSwitch->GetLabel());
        }
        const uint32_t hosts = fabric->GetEndpointCount();
        fabric->Dispose();
        Names::Clear();
        const uint64_t count = 1 + m_dice.Throw(4);
        for (uint64_t i = 0; i < count; ++i)
        {
            m_config.events.push_back(ThrowEvent(links, switches, hosts));
        }
    }

    Dice m_dice;
    RandomFabricConfig m_config;
};

/** Runs a network and says what is wrong with it. */
class RandomFabricRun
{
  public:
    /** @param config of the network. */
    explicit RandomFabricRun(const RandomFabricConfig& config)
        : m_config(config)
    {
    }

    /** @return empty if everything holds, else what does not. */
    std::string Run()
    {
        SimulatorScope scope(m_config.simulator);
        RngSeedManager::SetSeed(static_cast<uint32_t>(m_config.seed % 1000000 + 1));
        {
            Net net(m_config.pathMtu);
            m_net = &net;
            Build();
            TroubleSchedule trouble(m_network);
            for (const TroubleEvent& event : m_config.events)
            {
                trouble.Add(event);
            }
            m_trouble = &trouble;
            for (std::size_t i = 0; i < m_config.sends.size(); ++i)
            {
                Simulator::Schedule(m_config.sends[i].at, [this, i] { Post(i); });
            }
            net.recorder.onDelivered = [this](const Message& m, int64_t) { Delivered(m); };
            Simulator::Schedule(NanoSeconds(CHECK_NS), [this] { Look(); });
            Simulator::Stop(LIMIT);
            Simulator::Run();
            CheckEnd();
            m_network = FabricNetwork();
        }
        Names::Clear();
        RngSeedManager::SetSeed(1);
        return m_wrong.str();
    }

    uint64_t hops{0};   //!< packet-hops
    uint64_t failed{0}; //!< messages that failed
    uint64_t drops{0};  //!< frames dropped
    uint64_t pauses{0}; //!< pauses
    bool stuck{false};  //!< frames were still held by pauses at the end

  private:
    static constexpr uint64_t CHECK_NS = 2003; //!< between looks at the buffers
    inline static const Time LIMIT = Seconds(5);

    void Build()
    {
        m_net->fabric->SetAttribute("Reconvergence", TimeValue(m_config.reconvergence));
        auto topology = m_config.shape.make(m_config.uplink);
        topology->SetHostLink(m_config.hostLink);
        SwitchSettings settings;
        settings.bufferBytes = m_config.buffer + GetNeededBuffer(*topology);
        settings.alpha = m_config.alpha;
        settings.losslessClasses = m_config.lossless;
        settings.reserve = m_config.reserve;
        if (m_config.ecn)
        {
            Ptr<RedEcnMarker> marker = CreateObject<RedEcnMarker>();
            RdmaTransportHelper::SetMarking(m_config.congestion, *marker);
            settings.marker = marker;
        }
        topology->SetSwitchMaker([this, settings] {
            Ptr<FabricSwitch> made = settings.Make();
            PointerValue buffer;
            made->GetAttribute("Buffer", buffer);
            buffer.GetObject()->SetAttribute("XonOffset", UintegerValue(m_config.xonOffset));
            made->SetAttribute("CutThrough", BooleanValue(m_config.cutThrough));
            made->SetAttribute("Trimming", BooleanValue(m_config.trimming));
            made->SetAttribute("Latency", TimeValue(m_config.latency));
            ObjectFactory balancer;
            balancer.SetTypeId(GetFabricLoadBalancerNames().Lookup(m_config.balancer, "dice"));
            made->SetAttribute("LoadBalancer", PointerValue(balancer.Create<FabricLoadBalancer>()));
            return made;
        });
        m_network = topology->Build(m_net->fabric, std::max(1U, topology->GetServerSize()));
        m_net->hosts = m_network.endpoints;
        m_net->switches = m_network.switches;
        for (const auto& port : m_net->fabric->GetPorts())
        {
            port->SetAttribute("PauseQuanta", UintegerValue(m_config.pauseQuanta));
            port->SetAttribute("EcnMarkAtDequeue", BooleanValue(m_config.markAtDequeue));
            port->TraceConnectWithoutContext("FrameDrop",
                                             MakeCallback(&RandomFabricRun::Dropped, this));
            if (m_config.lossRate > 0)
            {
                Ptr<RandomLossModel> loss = CreateObject<RandomLossModel>();
                loss->SetAttribute("Probability", DoubleValue(m_config.lossRate));
                port->SetLossModel(loss);
            }
        }
        RdmaTransportHelper helper;
        helper.SetCongestionControl(m_config.congestion);
        helper.SetPathSelector(m_config.paths);
        helper.SetReliability(m_config.reliability);
        for (const auto& [name, value] : m_config.more)
        {
            helper.SetAttribute(name, StringValue(value));
        }
        m_net->Install(helper);
    }

    /** @return generous bytes for headroom and reserve of the largest switch. */
    uint64_t GetNeededBuffer(const FabricTopology& topology) const
    {
        const auto classes = static_cast<uint64_t>(__builtin_popcount(m_config.lossless));
        const uint64_t ports = topology.GetEndpointCount() + 16;
        uint64_t headroom = 0;
        for (const FabricLink* link : {&m_config.hostLink, &m_config.uplink})
        {
            const uint64_t cable =
                link->rate.GetBitRate() / 8000000 * 2 * link->delay.GetNanoSeconds() / 1000;
            headroom = std::max(headroom, cable + 4 * (m_config.pathMtu + 1600) + 20 * 84);
        }
        return classes * ports * (headroom + m_config.reserve);
    }

    void Post(std::size_t i)
    {
        Message m = m_config.sends[i].message;
        m.tag = m_posted[{m.from, m.to, m.channel}]++;
        m_net->transport->Send(m);
        ++m_started;
    }

    void Delivered(const Message& m)
    {
        uint64_t& next = m_delivered[{m.from, m.to, m.channel}];
        // Messages of 0 bytes have no packets and overtake.
        if (m.bytes > 0)
        {
            if (m.tag < next)
            {
                m_wrong << "message " << m.tag << " of " << m.from << ">" << m.to << "/"
                        << m.channel << " delivered behind " << next - 1 << " or twice; ";
            }
            next = m.tag + 1;
        }
        if (!m_seen.emplace(m.from, m.to, m.channel, m.tag).second)
        {
            m_wrong << "message " << m.tag << " of " << m.from << ">" << m.to << "/" << m.channel
                    << " delivered twice; ";
        }
    }

    void Dropped(const FabricPort* port, const Frame& frame, DropReason reason)
    {
        ++drops;
        const bool lossless = (m_config.lossless >> frame.trafficClass) & 1;
        const bool congestion = reason == DropReason::BUFFER || reason == DropReason::HEADROOM;
        const bool wrong =
            m_config.CanFail() ? lossless && reason == DropReason::BUFFER : lossless || !congestion;
        if (wrong && m_wrong.str().size() < 1000)
        {
            m_wrong << "drop by " << ToString(reason) << " in class "
                    << unsigned(frame.trafficClass) << " at " << port->GetLabel() << "; ";
        }
    }

    /** @return messages that have an end. One whose acknowledgement got lost can have two. */
    uint64_t CountEnded() const
    {
        auto ended = m_seen;
        for (const auto& entry : m_net->recorder.failed)
        {
            const Message& m = entry.message;
            ended.emplace(m.from, m.to, m.channel, m.tag);
        }
        return ended.size();
    }

    /** Look whether buffers add up, again and again. */
    void Look()
    {
        for (const auto& fabricSwitch : m_net->fabric->GetSwitches())
        {
            const std::string wrong = fabricSwitch->CheckBuffer();
            if (!wrong.empty())
            {
                m_wrong << "at " << Simulator::Now().GetNanoSeconds() << " ns " << wrong << "; ";
                Simulator::Stop();
                return;
            }
        }
        const Recorder& recorder = m_net->recorder;
        if (recorder.sent.size() + recorder.failed.size() < m_config.sends.size())
        {
            // Often while something happens, seldom while timers run.
            ++m_looks;
            Simulator::Schedule(NanoSeconds(m_looks < 300 ? CHECK_NS : CHECK_NS * 500),
                                [this] { Look(); });
            return;
        }
        m_trouble->Cancel();
        Simulator::Stop(MilliSeconds(100)); // time enough for what still moves
    }

    void CheckEnd()
    {
        const Recorder& recorder = m_net->recorder;
        const FabricTotals totals = m_net->fabric->GetTotals();
        hops = totals.packetHops;
        pauses = totals.hosts.pauses + totals.switches.pauses;
        failed = recorder.failed.size();
        const bool ended = CountEnded() == m_config.sends.size();
        if (!ended)
        {
            m_wrong << recorder.delivered.size() << " delivered and " << failed << " failed of "
                    << m_config.sends.size() << " messages; ";
        }
        for (const auto& entry : recorder.failed)
        {
            const bool lossless = (m_config.lossless >> entry.message.trafficClass) & 1;
            if (!m_config.CanFail() && !m_config.CanDeadlock() && lossless)
            {
                m_wrong << "a message of a lossless class failed without a failure; ";
                break;
            }
        }
        for (const std::string& reason : recorder.reasons)
        {
            if (reason.empty())
            {
                m_wrong << "a message failed without a reason; ";
            }
        }
        // Frames that pauses hold in a circle stay where they are; nothing else may.
        stuck = ended && totals.pausedPorts > 0 && totals.framesLive > 0;
        if (stuck && !m_config.CanDeadlock())
        {
            m_wrong << "frames are stuck; ";
        }
        if (!stuck)
        {
            m_wrong << m_net->CheckBooks(failed == 0);
        }
    }

    const RandomFabricConfig& m_config;
    Net* m_net{nullptr};
    FabricNetwork m_network;
    TroubleSchedule* m_trouble{nullptr};
    std::ostringstream m_wrong;
    uint64_t m_started{0};
    uint64_t m_looks{0};
    std::map<std::tuple<uint32_t, uint32_t, uint16_t>, uint64_t> m_posted;
    std::map<std::tuple<uint32_t, uint32_t, uint16_t>, uint64_t> m_delivered;
    std::set<std::tuple<uint32_t, uint32_t, uint16_t, uint64_t>> m_seen;
};

} // namespace fabrictest

#endif // LLM_TRAINING_RANDOM_FABRIC_H

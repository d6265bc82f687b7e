/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_TEST_HELPERS_H
#define FABRIC_TEST_HELPERS_H

// What the suites of the fabric and of the RDMA transport share: networks of a few lines, who
// listens to them, sources without transport, and the books that must balance after every scenario.

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/fabric-ecn-marker.h"
#include "ns3/fabric-loss-model.h"
#include "ns3/fabric-pfc-watchdog.h"
#include "ns3/global-value.h"
#include "ns3/llm-dynamic-threshold.h"
#include "ns3/llm-fabric.h"
#include "ns3/node-container.h"
#include "ns3/pointer.h"
#include "ns3/rdma-transport-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <fstream>
#include <functional>
#include <map>
#include <sstream>
#include <string>
#include <vector>

namespace fabrictest
{

using namespace ns3;
using namespace ns3::llm;

/**
 * Set picoseconds, if the process runs this suite alone: a resolution cannot be changed once
 * simulated time was used. Tests that need it exact allow for the rounding otherwise.
 * @param suite name of the suite.
 * @return ticks per nanosecond: 1000 if picoseconds are set.
 */
inline int64_t
UsePicoseconds(const std::string& suite)
{
    static bool tried = false;
    if (!tried)
    {
        tried = true;
        std::ifstream file("/proc/self/cmdline", std::ios::binary);
        std::string argument;
        while (std::getline(file, argument, '\0'))
        {
            if (argument.size() > suite.size() &&
                argument.compare(argument.size() - suite.size(), suite.size(), suite) == 0)
            {
                Time::SetResolution(Time::PS);
                break;
            }
        }
    }
    return Seconds(1).GetTimeStep() / 1000000000;
}

/** Runs with a certain simulator and event scheduler, and cleans up behind. */
class SimulatorScope
{
  public:
    /** @param type of the SimulatorImpl. @param scheduler of ns-3 events. */
    explicit SimulatorScope(const std::string& type,
                            const std::string& scheduler = "ns3::MapScheduler")
    {
        Simulator::Destroy();
        GlobalValue::Bind("SimulatorImplementationType", StringValue(type));
        ObjectFactory factory;
        factory.SetTypeId(scheduler);
        Simulator::SetScheduler(factory);
    }

    ~SimulatorScope()
    {
        Simulator::Destroy();
        GlobalValue::Bind("SimulatorImplementationType", StringValue("ns3::DefaultSimulatorImpl"));
    }

    SimulatorScope(const SimulatorScope&) = delete;
    SimulatorScope& operator=(const SimulatorScope&) = delete;
};

/** Keeps what a transport says. */
class Recorder : public MessageListener
{
  public:
    /** A message and when something became of it. */
    struct Entry
    {
        Message message; //!< which
        int64_t now;     //!< tick
    };

    void MessageDelivered(const Message& message, int64_t now) override
    {
        delivered.push_back({message, now});
        if (onDelivered)
        {
            onDelivered(message, now);
        }
    }

    void MessageSent(const Message& message, int64_t now) override
    {
        sent.push_back({message, now});
        if (onSent)
        {
            onSent(message, now);
        }
    }

    void MessageFailed(const Message& message, const std::string& reason) override
    {
        failed.push_back({message, 0});
        reasons.push_back(reason);
    }

    /** @return tick of the last delivery. */
    int64_t GetEnd() const
    {
        return delivered.empty() ? -1 : delivered.back().now;
    }

    std::vector<Entry> delivered;                             //!< in order
    std::vector<Entry> sent;                                  //!< in order
    std::vector<Entry> failed;                                //!< in order
    std::vector<std::string> reasons;                         //!< of failures
    std::function<void(const Message&, int64_t)> onDelivered; //!< called if set
    std::function<void(const Message&, int64_t)> onSent;      //!< called if set
};

/** Data frames without a transport: pulled as fast as the port allows, counted where they end. */
class RawEndpoint : public FrameEndpoint
{
  public:
    /** Frames to one destination. */
    struct Flow
    {
        uint32_t destination;    //!< endpoint
        uint64_t frames;         //!< how many are left
        uint32_t payload;        //!< of each
        uint8_t trafficClass{3}; //!< of each
    };

    /** @param port to use. */
    void Attach(FramePort* port)
    {
        m_port = port;
        port->SetEndpoint(this);
    }

    /** @param flow starts now; flows of a class take turns. */
    void Start(const Flow& flow)
    {
        FabricEntry entry(m_port->GetEventQueue());
        flows.push_back(flow);
        m_port->DataReady(static_cast<uint8_t>(1U << flow.trafficClass),
                          m_port->GetEventQueue().Now());
    }

    Frame* PullFrame(uint8_t trafficClass, int64_t, bool& more) override
    {
        more = true; // the port asks again, and is told then
        for (std::size_t i = 0; i < flows.size(); ++i)
        {
            m_turn = (m_turn + 1) % flows.size();
            Flow& flow = flows[m_turn];
            if (flow.trafficClass == trafficClass && flow.frames > 0)
            {
                --flow.frames;
                ++sent;
                sentPayload += flow.payload;
                return Make(flow.destination, flow.payload, trafficClass);
            }
        }
        more = false;
        return nullptr;
    }

    /** @return a new data frame. */
    Frame* Make(uint32_t destination, uint32_t payload, uint8_t trafficClass)
    {
        Frame* frame = m_port->GetFramePool().Allocate();
        *frame = Frame();
        frame->source = m_port->GetEndpointIndex();
        frame->destination = destination;
        frame->payload = static_cast<uint16_t>(payload);
        frame->bytes = static_cast<uint16_t>(payload + wire::ROCE_BASE);
        frame->kind = FrameKind::WRITE;
        frame->trafficClass = trafficClass;
        frame->flags = Frame::ECT;
        frame->ttl = 64;
        return frame;
    }

    void ReceiveFrame(Frame* frame, int64_t now) override
    {
        ++received;
        receivedPayload += frame->payload;
        last = now;
        if (onReceive)
        {
            onReceive(*frame, now);
        }
        m_port->GetFramePool().Free(frame);
    }

    std::vector<Flow> flows;                              //!< to send
    uint64_t sent{0};                                     //!< frames
    uint64_t received{0};                                 //!< frames
    uint64_t sentPayload{0};                              //!< bytes
    uint64_t receivedPayload{0};                          //!< bytes
    int64_t last{0};                                      //!< tick of the last arrival
    std::function<void(const Frame&, int64_t)> onReceive; //!< called if set

  private:
    FramePort* m_port{nullptr};
    std::size_t m_turn{0};
};

/** Loses the frames that a function names. */
class ChosenLoss : public FabricLossModel
{
  public:
    /** @param choose true to lose a frame. */
    explicit ChosenLoss(std::function<bool(const Frame&)> choose)
        : m_choose(std::move(choose))
    {
    }

    bool IsLost(const Frame& frame) override
    {
        const bool lost = m_choose(frame);
        losses += lost ? 1 : 0;
        return lost;
    }

    uint32_t losses{0}; //!< so far

  private:
    std::function<bool(const Frame&)> m_choose;
};

/** Attributes of the switches of a test. */
struct SwitchSettings
{
    uint64_t bufferBytes{uint64_t{32} << 20}; //!< packet memory
    double alpha{1.0 / 8};                    //!< dynamic threshold
    uint8_t losslessClasses{1 << 3};          //!< PFC
    uint64_t headroom{0};                     //!< per (port, class), 0: computed
    uint64_t reserve{4096};                   //!< per lossless (port, class)
    Ptr<FabricEcnMarker> marker;              //!< prototype, or none
    bool cutThrough{false};                   //!< or store and forward
    Time latency;                             //!< through the switch
    bool trimming{false};                     //!< or drops
    Ptr<FabricPfcWatchdog> watchdog;          //!< prototype, or none
    std::function<void(FabricSwitch&)> more;  //!< further settings, if set

    /** @return a switch with them. */
    Ptr<FabricSwitch> Make() const
    {
        Ptr<DynamicThreshold> policy = CreateObject<DynamicThreshold>();
        policy->SetAttribute("Alpha", DoubleValue(alpha));
        Ptr<FabricSharedBuffer> buffer = CreateObject<FabricSharedBuffer>();
        buffer->SetAttribute("Size", UintegerValue(bufferBytes));
        buffer->SetAttribute("Reserve", UintegerValue(reserve));
        buffer->SetAttribute("LosslessClasses", UintegerValue(losslessClasses));
        buffer->SetAttribute("Policy", PointerValue(policy));
        Ptr<FabricSwitch> made = CreateObject<FabricSwitch>();
        made->SetAttribute("Buffer", PointerValue(buffer));
        made->SetAttribute("Headroom", UintegerValue(headroom));
        made->SetAttribute("CutThrough", BooleanValue(cutThrough));
        made->SetAttribute("Latency", TimeValue(latency));
        made->SetAttribute("Trimming", BooleanValue(trimming));
        if (watchdog)
        {
            made->SetAttribute("PfcWatchdog", PointerValue(watchdog));
        }
        if (marker)
        {
            made->SetAttribute("EcnMarker", PointerValue(marker));
        }
        if (more)
        {
            more(*made);
        }
        return made;
    }
};

/** A fabric, its hosts and what is on them; cleans up behind. */
class Net
{
  public:
    /** @param pathMtu of the fabric and of transports. */
    explicit Net(uint32_t pathMtu)
        : fabric(CreateObject<Fabric>()),
          m_pathMtu(pathMtu)
    {
        fabric->SetAttribute("PathMtu", UintegerValue(pathMtu));
    }

    ~Net()
    {
        if (transport)
        {
            transport->Dispose();
        }
        transport = nullptr;
        fabric->Dispose();
        fabric = nullptr;
        Simulator::Destroy();
    }

    Net(const Net&) = delete;
    Net& operator=(const Net&) = delete;

    /** @return a new host. */
    Ptr<Node> AddHost()
    {
        Ptr<Node> node = CreateObject<Node>();
        hosts.Add(node);
        fabric->AddEndpoint(node);
        return node;
    }

    /** @param settings of it. @return a new switch. */
    Ptr<Node> AddSwitch(const SwitchSettings& settings = SwitchSettings())
    {
        Ptr<Node> node = CreateObject<Node>();
        node->AggregateObject(settings.Make());
        switches.Add(node);
        fabric->AddSwitch(node);
        return node;
    }

    /** Connect two nodes. @param a one. @param b other. @param gbps rate. @param delay time. */
    void Link(Ptr<Node> a, Ptr<Node> b, uint64_t gbps, Time delay)
    {
        fabric->Connect(a, b, DataRate(gbps * 1000000000), delay);
    }

    /** One switch. @param n hosts. @param gbps rate. @param delay of each link. @param settings of
     *  the switch. */
    void BuildStar(uint32_t n,
                   uint64_t gbps,
                   Time delay,
                   const SwitchSettings& settings = SwitchSettings())
    {
        Ptr<Node> center = AddSwitch(settings);
        for (uint32_t i = 0; i < n; ++i)
        {
            Link(AddHost(), center, gbps, delay);
        }
        fabric->Build();
    }

    /** Two tiers. @param leaves edge switches. @param spines others. @param perLeaf hosts.
     *  @param gbps rate of host links. @param uplinkGbps rate. @param delay of each link.
     *  @param settings of the switches. */
    void BuildLeafSpine(uint32_t leaves,
                        uint32_t spines,
                        uint32_t perLeaf,
                        uint64_t gbps,
                        uint64_t uplinkGbps,
                        Time delay,
                        const SwitchSettings& settings = SwitchSettings())
    {
        std::vector<Ptr<Node>> top;
        for (uint32_t s = 0; s < spines; ++s)
        {
            top.push_back(AddSwitch(settings));
        }
        for (uint32_t l = 0; l < leaves; ++l)
        {
            Ptr<Node> leaf = AddSwitch(settings);
            for (uint32_t i = 0; i < perLeaf; ++i)
            {
                Link(AddHost(), leaf, gbps, delay);
            }
            for (const auto& spine : top)
            {
                Link(leaf, spine, uplinkGbps, delay);
            }
        }
        fabric->Build();
    }

    /** Put RDMA on all hosts. @param helper whose PathMtu is set here. */
    void Install(RdmaTransportHelper helper = RdmaTransportHelper())
    {
        helper.SetAttribute("PathMtu", UintegerValue(m_pathMtu));
        transport = helper.Install(fabric, hosts);
        transport->SetListener(&recorder);
    }

    /** Put raw endpoints on all hosts. */
    void InstallRaw()
    {
        raw.resize(hosts.GetN());
        for (uint32_t i = 0; i < hosts.GetN(); ++i)
        {
            raw[i].Attach(PeekPointer(fabric->GetEndpointPort(i)));
        }
    }

    /** Send a message. */
    void Send(uint32_t from, uint32_t to, uint64_t bytes, uint64_t tag = 0, uint16_t channel = 0)
    {
        Message message;
        message.from = from;
        message.to = to;
        message.bytes = bytes;
        message.tag = tag;
        message.channel = channel;
        transport->Send(message);
    }

    /** @param endpoint whose port. @return port of the host. */
    FabricPort& HostPort(uint32_t endpoint) const
    {
        return *fabric->GetEndpointPort(endpoint);
    }

    /** @param index of the switch. @return it. */
    FabricSwitch& Switch(uint32_t index) const
    {
        return *fabric->GetSwitches().at(index);
    }

    /** Lose chosen frames on arrival. @param port where. @param choose which. @return the model. */
    static Ptr<ChosenLoss> Lose(FabricPort& port, std::function<bool(const Frame&)> choose)
    {
        Ptr<ChosenLoss> model = CreateObject<ChosenLoss>(std::move(choose));
        port.SetLossModel(model);
        return model;
    }

    /**
     * The books, once nothing moves any more.
     * @param allDelivered every message that was started must have arrived.
     * @return empty if everything adds up, else what does not.
     */
    std::string CheckBooks(bool allDelivered = true) const
    {
        std::ostringstream wrong;
        const auto equal = [&wrong](const std::string& what, uint64_t a, uint64_t b) {
            if (a != b)
            {
                wrong << what << ": " << a << " and " << b << "; ";
            }
        };
        const FabricTotals totals = fabric->GetTotals();
        equal("frames live", totals.framesLive, 0);
        equal("bytes buffered", totals.bytesBuffered, 0);
        equal("paused ports", totals.pausedPorts, 0);
        uint64_t txFrames = 0;
        uint64_t rxFrames = 0;
        for (const auto& port : fabric->GetPorts())
        {
            const std::string label = port->GetLabel();
            const FabricPortCounters& here = port->GetCounters();
            const FabricPortCounters& there = port->GetPeer()->GetCounters();
            txFrames += here.txFrames;
            rxFrames += here.rxFrames;
            equal(label + " queue", port->GetQueueBytes(), 0);
            equal(label + " pauses its peer", port->GetPausing(), 0);
            equal(label + " link frames", here.txFrames, there.rxFrames);
            equal(label + " link bytes", here.txBytes, there.rxBytes);
        }
        for (const auto& fabricSwitch : fabric->GetSwitches())
        {
            equal("sum of shares", fabricSwitch->GetBuffer().SumOfShares(), 0);
            equal("buffer use", fabricSwitch->GetBuffer().GetUsed(), 0);
            wrong << fabricSwitch->CheckBuffer();
        }
        const uint64_t dropped =
            totals.hosts.dropPayload + totals.switches.dropPayload + totals.switches.trimPayload;
        if (transport)
        {
            const TransportTotals books = transport->GetTotals();
            equal("payload at ports",
                  totals.hosts.txDataPayload,
                  books.payloadSent + books.payloadRetransmitted);
            equal("retransmitted at ports",
                  totals.hosts.txRetransmitted,
                  books.payloadRetransmitted);
            equal("data frames at ports", totals.hosts.txDataFrames, books.dataPackets);
            equal("received at ports",
                  totals.hosts.rxDataPayload,
                  books.payloadReceived + books.payloadDuplicate + books.payloadOutOfOrder);
            equal("sent = received + dropped + out of order + duplicate",
                  books.payloadSent + books.payloadRetransmitted,
                  books.payloadReceived + dropped + books.payloadOutOfOrder +
                      books.payloadDuplicate);
            if (allDelivered)
            {
                equal("bytes delivered", books.bytesDelivered, books.bytesStarted);
                equal("messages delivered", books.messagesDelivered, books.messagesStarted);
                equal("payload received once", books.payloadReceived, books.bytesStarted);
                equal("payload sent first", books.payloadSent, books.bytesStarted);
            }
            CheckQueuePairs(equal, allDelivered);
        }
        if (!raw.empty())
        {
            uint64_t sent = 0;
            uint64_t received = 0;
            for (const RawEndpoint& endpoint : raw)
            {
                sent += endpoint.sentPayload;
                received += endpoint.receivedPayload;
            }
            equal("raw payload", sent, received + dropped);
        }
        return wrong.str();
    }

    Ptr<Fabric> fabric;           //!< under test
    NodeContainer hosts;          //!< by endpoint
    NodeContainer switches;       //!< by switch index
    Ptr<RdmaTransport> transport; //!< after Install
    Recorder recorder;            //!< of its messages
    std::vector<RawEndpoint> raw; //!< after InstallRaw

  private:
    /** The two sides of every connection. */
    template <typename Equal>
    void CheckQueuePairs(Equal& equal, bool allDelivered) const
    {
        for (const auto& nic : transport->GetNics())
        {
            for (const auto& qp : nic->GetQueuePairs())
            {
                const RdmaQueuePairCounters& here = qp->GetCounters();
                const RdmaQueuePairCounters& there = qp->GetPeer()->GetCounters();
                const std::string label = "queue pair of rank " +
                                          std::to_string(qp->GetLocalRank()) + " to " +
                                          std::to_string(qp->GetRemoteRank());
                if (allDelivered)
                {
                    equal(label + " sent and received", here.payloadSent, there.payloadReceived);
                    equal(label + " in flight", qp->GetInFlight(), 0);
                    equal(label + " open work", qp->GetFirstWork() ? 1 : 0, 0);
                    equal(label + " acknowledged",
                          qp->GetAckedBytes(),
                          here.payloadSent - here.payloadInResponses);
                }
            }
        }
    }

    uint32_t m_pathMtu;
};

} // namespace fabrictest

#endif // FABRIC_TEST_HELPERS_H

/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_PORT_H
#define FABRIC_PORT_H

#include "fabric-link-clock.h"
#include "fabric-trace.h"

#include "ns3/data-rate.h"
#include "ns3/fabric-event-queue.h"
#include "ns3/fabric-frame.h"
#include "ns3/llm-frame-port.h"
#include "ns3/mac48-address.h"
#include "ns3/net-device.h"
#include "ns3/nstime.h"
#include "ns3/packet.h"
#include "ns3/traced-callback.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

class Fabric;
class FabricChannel;
class FabricEcnMarker;
class FabricLossModel;
class FabricPfcWatchdog;
class FabricSwitch;

/** Why a frame was dropped. */
enum class DropReason : uint8_t
{
    BUFFER,     //!< lossy class over its threshold, or no memory
    HEADROOM,   //!< lossless class beyond its headroom
    LOSS_MODEL, //!< the port's loss model
    NO_ROUTE,   //!< destination unknown or unreachable
    TTL,        //!< time to live ran out
    QUEUE,      //!< a host's transmit queue of ordinary packets is full
    PFC_STORM,  //!< the PFC watchdog empties a class that is paused for too long
    LINK_DOWN   //!< on a link when it went down, or queued or sent towards one that is
};

/** @param reason which. @return "buffer", "headroom", ... */
const char* ToString(DropReason reason);

/** Counters of one port that only report. */
struct FabricPortCounters
{
    uint64_t txFrames{0};        //!< frames sent, all kinds
    uint64_t txBytes{0};         //!< their Ethernet bytes with FCS
    uint64_t txDataFrames{0};    //!< RDMA request and response data sent
    uint64_t txDataBytes{0};     //!< their Ethernet bytes
    uint64_t txDataPayload{0};   //!< their payload
    uint64_t queuePeak{0};       //!< most bytes queued in one class
    uint64_t txRetransmitted{0}; //!< payload sent again, part of txDataPayload; hosts only
    uint64_t rxFrames{0};        //!< frames received, lost ones included
    uint64_t rxBytes{0};         //!< their Ethernet bytes
    uint64_t rxDataFrames{0};    //!< RDMA data received, lost ones excluded
    uint64_t rxDataBytes{0};     //!< their Ethernet bytes
    uint64_t rxDataPayload{0};   //!< their payload
    uint64_t lostDataFrames{0};  //!< RDMA data that the loss model or a cut of the link took here
    uint64_t lostDataBytes{0};   //!< its Ethernet bytes
    uint64_t drops{0};           //!< frames dropped here, for whatever reason
    uint64_t dropPayload{0};     //!< RDMA payload dropped here
    uint64_t lostDataPayload{0}; //!< RDMA payload lost so, part of dropPayload
    uint64_t ecnMarks{0};        //!< frames marked here
    uint64_t pfcXoffSent{0};     //!< XOFF frames, refreshes included
    uint64_t pfcXonSent{0};      //!< XON frames
    uint64_t trims{0};           //!< frames trimmed to their headers on their way to this port
    uint64_t trimPayload{0};     //!< RDMA payload that they lost
    uint64_t pauses{0};          //!< times a class of this transmitter was paused
    uint64_t pfcStorms{0};       //!< times the PFC watchdog found a class paused for too long
    uint64_t pfcStormsEnded{0};  //!< times it let such a class return to normal
    int64_t pausedTicks{0};      //!< time spent so, summed over classes, ended pauses only
    uint64_t linkDowns{0};       //!< times that the link went down
};

/**
 * @ingroup llm-training
 *
 * A full-duplex Ethernet port of a host or a switch, and an ns-3 NetDevice: pcap, names,
 * attributes and Config paths work, and the node's IPv4 and IPv6 stacks can send and receive here
 * beside RDMA. Eight traffic classes, PFC with timers in both directions, ECN marking at the egress
 * queue. Strict priority for the classes of StrictClasses (highest first), deficit round robin
 * with the weights of ClassWeights among the others.
 *
 * Frames are structs; an ns3::Packet with real header bytes is made only while one of the Mac, Phy
 * or sniffer trace sources is connected.
 */
class FabricPort final : public NetDevice, public FramePort, public FabricEventHandler
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();
    FabricPort();
    ~FabricPort() override;

    // -- building, by Fabric
    /**
     * @param fabric that this port belongs to.
     * @param channel link.
     * @param rate of the link.
     * @param switchOrNull the switch, or nullptr at a host.
     * @param portIndex index at the switch, or among the ports of the endpoint.
     * @param endpoint index of the host's endpoint; unused at a switch.
     */
    void Attach(Fabric* fabric,
                FabricChannel* channel,
                DataRate rate,
                FabricSwitch* switchOrNull,
                uint32_t portIndex,
                uint32_t endpoint);
    /** @param peer port at the other end. @param delay propagation delay, ticks. */
    void SetPeer(FabricPort* peer, int64_t delay);
    /** @param marker of this port's egress queues; nullptr: never mark. */
    void SetEcnMarker(Ptr<FabricEcnMarker> marker);
    /** @param model judges every frame that arrives here; nullptr: none is lost. May be changed at
     *  any time: frames on the link are judged when they arrive. */
    void SetLossModel(Ptr<FabricLossModel> model);
    /** @return the model, or nullptr. */
    Ptr<FabricLossModel> GetLossModel() const;
    /**
     * How frames come through the switch behind this port; by FabricSwitch.
     * @param earlyBytes link bytes of a frame after which it can be forwarded; 0: all.
     */
    void SetPipeline(uint32_t earlyBytes);
    /** @param watchdog of this transmitter's pauses; nullptr: none. */
    void SetPfcWatchdog(Ptr<FabricPfcWatchdog> watchdog);

    /** @return true if a model judges what arrives here. */
    bool HasLossModel() const
    {
        return m_loss != nullptr;
    }

    // -- trouble; call from ns-3 events or between runs, not from trace sinks of the packet path
    /**
     * Take the link down, or up again, in both directions (as IEEE 802.3 fault signalling does).
     *
     * Down: frames on the link are lost, and counted where they would have arrived when they would
     * have; frames queued at its two ports are dropped at once, and so is what is forwarded to them
     * until routes avoid the link (Fabric::RecomputeRoutes, after the attribute Reconvergence).
     * Pauses on the link end, at both ends. A host's NIC holds its data back. All this is counted
     * and traced as DropReason::LINK_DOWN. Up: a port that still has to hold its peer back says so
     * at once. Both times, ns-3's link change callbacks of both ports are called.
     *
     * A link is up while this says so and the switches at its ends are up (FabricSwitch::SetUp).
     *
     * @param up what the link shall be.
     */
    void SetLinkUp(bool up);
    /** Follow what SetLinkUp and the switches at both ends say. @return true if that changed it. */
    bool UpdateLink();
    /** Let routes know whether the link is up. @return true if they did not. */
    bool FollowLink();
    /** Tell the endpoint behind this port, if any, that links or routes changed. */
    void NotifyEndpoint(int64_t now);

    /** @return whether routes may use the link: as IsLinkUp, but later. */
    bool IsRouted() const
    {
        return m_routed;
    }

    /**
     * Change the rate of the link, both directions. The frame that is being sent is not affected.
     * ECN thresholds and headroom stay as configured for the rate at Build: a link that falls back
     * keeps more of both than it needs; above that rate, headroom no longer suffices.
     * @param rate > 0. @throw ConfigError if it is 0.
     */
    void SetRate(DataRate rate);

    // -- classes
    /**
     * Set the shares of the classes that are not strict.
     * @param weights one per class, 1 to MAX_WEIGHT.
     * @throw ConfigError if one is outside.
     */
    void SetClassWeights(const std::array<uint32_t, 8>& weights);
    /** @return share of each class, as set. */
    const std::array<uint32_t, 8>& GetClassWeights() const;

    static constexpr uint32_t MAX_WEIGHT = 1000; //!< of a class

    // -- FramePort
    void SetEndpoint(FrameEndpoint* endpoint) override;
    void SendFrame(Frame* frame, int64_t now) override;
    void DataReady(uint8_t classes, int64_t now) override;
    int64_t GetBusyUntil() const override;
    int64_t GetTransmitTicks(uint32_t wireBytes) const override;
    uint64_t GetBitRate() const override;
    uint8_t GetPausedClasses() const override;
    FramePool& GetFramePool() override;
    int64_t GetDelay() const override;
    FabricEventQueue& GetEventQueue() override;
    uint32_t GetEndpointIndex() const override;
    bool CanReach(uint32_t endpoint) const override;

    // -- the packet path
    /** Queue or send an admitted frame. @param frame owned from here. @param now tick. */
    void Forward(Frame* frame, int64_t now);
    /**
     * A frame that came in here is on its way through the switch.
     * @param frame admitted; owned from here.
     * @param egress index of the port where it will leave.
     * @param ready tick at which it can leave; not before an earlier frame's.
     */
    void Defer(Frame* frame, uint32_t egress, int64_t ready);
    /** A frame was trimmed on its way to this port. @param frame without its payload. @param
     * payload that it had. */
    void NoteTrim(const Frame& frame, uint32_t payload);
    /** A class at ingress must be paused: send XOFF and keep it refreshed. */
    void PausePeer(uint8_t trafficClass, int64_t now);
    /** A class at ingress may go on: send XON. */
    void ResumePeer(uint8_t trafficClass, int64_t now);

    /** @return bits of the classes that this port holds its peer back in. */
    uint8_t GetPausing() const
    {
        return m_pausing;
    }

    // -- the PFC watchdog
    /** The watchdog empties a class, and drops what comes for it. */
    void BeginDiscard(uint8_t trafficClass, int64_t now);
    /** Such a class is ordinary again. */
    void EndDiscard(uint8_t trafficClass, int64_t now);
    /** The watchdog lets a paused class send. */
    void IgnorePause(uint8_t trafficClass, int64_t now);
    /** The watchdog says what it found. @param begins or ends. */
    void NoteStorm(uint8_t trafficClass, bool begins);

    void HandleFabricEvent(FabricEventKind kind, int64_t now) override;

    // -- looking
    /** @return counters; what was received follows from what the peer sent. */
    FabricPortCounters GetCounters() const;

    /** @param trafficClass 0..7. @return bytes queued. */
    uint64_t GetQueueBytes(uint8_t trafficClass) const
    {
        return m_queues[trafficClass].bytes;
    }

    /** @return bytes queued, all classes. */
    uint64_t GetQueueBytes() const;

    /** @param trafficClass 0..7. @return ticks that its queue takes on the link, without gaps. */
    int64_t GetQueueTicks(uint8_t trafficClass) const
    {
        return m_clock.GetTicks(m_queues[trafficClass].bytes);
    }

    /** @param trafficClass 0..7. @return ingress ports of what is queued, ascending; at a switch.
     */
    std::vector<uint16_t> GetQueuedFrom(uint8_t trafficClass) const;

    /** @return bytes of frames that came in here and are on their way through the switch. */
    uint64_t GetPipelineBytes() const;

    /** @param trafficClass paused now. @return tick since when. */
    int64_t GetPausedSince(uint8_t trafficClass) const
    {
        return m_pausedSince[trafficClass];
    }

    /** @return true at a switch. */
    bool IsSwitchPort() const
    {
        return m_switch != nullptr;
    }

    /** @return the switch, or nullptr at a host. */
    FabricSwitch* GetSwitch() const
    {
        return m_switch;
    }

    /** @return index at the switch, or among the endpoint's ports. */
    uint32_t GetPortIndex() const
    {
        return m_portIndex;
    }

    /** @return identity in the fabric, in topology order. */
    uint32_t GetPortId() const
    {
        return m_portNumber;
    }

    /** @return port at the other end. */
    FabricPort* GetPeer() const
    {
        return m_peer;
    }

    /** @return "node-name:interface", for people. */
    std::string GetLabel() const;

    /** A frame is dropped here. @param frame freed. @param reason why. */
    void Drop(Frame* frame, DropReason reason);

    // -- NetDevice
    void SetIfIndex(const uint32_t index) override;
    uint32_t GetIfIndex() const override;
    Ptr<Channel> GetChannel() const override;
    void SetAddress(Address address) override;
    Address GetAddress() const override;
    bool SetMtu(const uint16_t mtu) override;
    uint16_t GetMtu() const override;
    bool IsLinkUp() const override;
    void AddLinkChangeCallback(Callback<void> callback) override;
    bool IsBroadcast() const override;
    Address GetBroadcast() const override;
    bool IsMulticast() const override;
    Address GetMulticast(Ipv4Address multicastGroup) const override;
    Address GetMulticast(Ipv6Address addr) const override;
    bool IsBridge() const override;
    bool IsPointToPoint() const override;
    bool Send(Ptr<Packet> packet, const Address& dest, uint16_t protocolNumber) override;
    bool SendFrom(Ptr<Packet> packet,
                  const Address& source,
                  const Address& dest,
                  uint16_t protocolNumber) override;
    Ptr<Node> GetNode() const override;
    void SetNode(Ptr<Node> node) override;
    bool NeedsArp() const override;
    void SetReceiveCallback(NetDevice::ReceiveCallback cb) override;
    void SetPromiscReceiveCallback(NetDevice::PromiscReceiveCallback cb) override;
    bool SupportsSendFrom() const override;

    /**
     * Signature of PfcSent, PfcPause and PfcResume.
     * @param port where.
     * @param trafficClass 0..7.
     * @param quanta pause time; 0 in PfcResume and for XON.
     */
    typedef void (*PfcTracedCallback)(const FabricPort* port,
                                      uint8_t trafficClass,
                                      uint16_t quanta);
    /** Signature of EcnMark. @param port where. @param frame marked. */
    typedef void (*FrameTracedCallback)(const FabricPort* port, const Frame& frame);
    /** Signature of FrameDrop. @param port where. @param frame dropped. @param reason why. */
    typedef void (*DropTracedCallback)(const FabricPort* port,
                                       const Frame& frame,
                                       DropReason reason);
    /** Signature of FrameTrim. @param port where it will leave. @param frame without its payload.
     *  @param payload bytes that it had. */
    typedef void (*TrimTracedCallback)(const FabricPort* port,
                                       const Frame& frame,
                                       uint32_t payload);
    /** Signature of PfcStorm. @param port where. @param trafficClass 0..7. @param begins or ends.
     */
    typedef void (*StormTracedCallback)(const FabricPort* port, uint8_t trafficClass, bool begins);
    /** Signature of QueueBytes. @param port where. @param trafficClass 0..7. @param bytes now. */
    typedef void (*QueueTracedCallback)(const FabricPort* port,
                                        uint8_t trafficClass,
                                        uint64_t bytes);

  protected:
    void DoDispose() override;

  private:
    /** Egress queue of one class. */
    struct ClassQueue
    {
        FrameFifo frames;  //!< waiting
        uint64_t bytes{0}; //!< waiting, Ethernet bytes with FCS
    };

    /** @param trafficClass 0..7. @return its bit. */
    static uint8_t Bit(uint8_t trafficClass)
    {
        return static_cast<uint8_t>(1U << trafficClass);
    }

    /** Put a frame into its class queue, with ECN. */
    void Enqueue(Frame* frame);
    /** What is not ordinary about a frame that was queued. */
    void EnqueueRarely(uint8_t trafficClass);
    /** Take a frame from a class queue. */
    Frame* Dequeue(uint8_t trafficClass);
    /** Drop all that waits in a class, by the watchdog's order or since the link is down. */
    void Discard(uint8_t trafficClass, int64_t now);

    /** Classes that have something and are not paused. */
    uint8_t Eligible() const
    {
        return (m_waiting | m_ready) & static_cast<uint8_t>(~m_paused);
    }

    /** Attribute ClassWeights. @param text eight numbers. */
    void ReadClassWeights(const std::string& text);
    /** @return attribute ClassWeights. */
    std::string WriteClassWeights() const;
    /** Choose among several eligible classes. */
    uint8_t SelectClass(uint8_t eligible);
    /** The transmitter is free: send the next frame, if any may go. */
    void TransmitNext(int64_t now);
    /** Put a frame on the link. */
    void StartTransmission(Frame* frame, int64_t now);
    /** What is not ordinary about a frame that leaves. */
    void TransmitRarely(Frame& frame);
    /** What is not ordinary about a frame that comes in. @return true if it is taken care of. */
    bool ReceiveRarely(Frame* frame, int64_t now);
    /** A frame is through the switch. */
    void LeavePipeline(int64_t now);
    /** Add what this port knows to a frame's telemetry. */
    void AppendInt(Frame& frame, int64_t now) const;
    /** Have a TRANSMIT event, or send at once, if something may go. */
    void Kick(int64_t now);
    /** The last bit of a frame has arrived. */
    void Receive(Frame* frame, int64_t now);
    /** A pause frame has arrived. */
    void ReceivePfc(const Frame& frame, int64_t now);
    /** Send a pause frame for one or several classes. */
    void SendPfc(uint8_t classes, uint16_t quanta, int64_t now);
    /** A class of this transmitter is released. */
    void EndPause(uint8_t trafficClass, int64_t now);
    /** Pause ends, refreshes. */
    void HandlePauseTimer(int64_t now);
    /** Have a PAUSE_TIMER event at or before @p tick. */
    void ArmPauseTimer(int64_t tick);
    /** @param quanta of 512 bit times. @return ticks. */
    int64_t QuantaToTicks(uint32_t quanta) const;
    /** @return ticks from an XOFF to its refresh. */
    int64_t GetRefreshTicks() const;
    /** A frame of the ordinary stack has arrived for this node. */
    void DeliverPacket(Frame* frame);
    /** Hand a packet to the node, in the node's context. */
    void ReceivePacket(Ptr<Packet> packet, uint16_t protocol, Mac48Address from);
    /** One end of SetLinkUp(false). */
    void CutLink(int64_t now);
    /** One end of SetLinkUp(true). */
    void RestoreLink(int64_t now);
    /** Lose an arriving frame to a cut of the link or to the loss model. @return true if so. */
    bool Lose(Frame* frame);
    /** Have FAULTY say whether arriving frames can be lost. */
    void UpdateFaulty();
    /** Drop after counting, with its traces. */
    void NotifyDrop(const Frame& frame, DropReason reason);
    /** Make real bytes and show them to the transmit sinks. */
    void TraceTransmit(const Frame& frame);
    /** Make real bytes and show them to the receive sinks. */
    void TraceReceive(const Frame& frame);

    /** Bits of m_rare: what is not ordinary, behind tests of one byte that is hot anyway. */
    enum Rare : uint8_t
    {
        TRANSMIT_SINK = 1, //!< a trace source wants packets that leave
        RECEIVE_SINK = 2,  //!< a trace source wants packets that arrive
        QUEUE_SINK = 4,    //!< a trace source wants queue lengths
        EARLY_PEER = 8,    //!< the peer forwards before a frame's last bit is there
        PIPELINE = 16,     //!< a frame takes time through this switch, or is forwarded early
        DISCARDING = 32,   //!< the PFC watchdog drops a class here
        FAULTY = 64,       //!< arriving frames can be lost
        LINK_DOWN = 128    //!< the link is down
    };

    // Hot, one cache line each: reception, transmission, books. At a thousand hosts, what a frame
    // touches costs more than what it computes.
    alignas(64) FrameFifo m_wire;        //!< frames on their way to this port
    FabricEventQueue* m_events{nullptr}; //!< event core
    FabricSwitch* m_switch{nullptr};     //!< at a switch
    FrameEndpoint* m_endpoint{nullptr};  //!< at a host with RDMA
    uint32_t m_portId{0};                //!< event id
    uint32_t m_portIndex{0};             //!< at the switch or endpoint
    uint8_t m_rare{0};                   //!< bits of Rare
    uint8_t m_waiting{0};                //!< classes with queued frames
    uint8_t m_ready{0};                  //!< classes in which the endpoint has data
    uint8_t m_paused{0};                 //!< classes held back by PFC
    uint8_t m_pausing{0};                //!< classes in which the peer is held back
    uint8_t m_strictClasses{0xC0};       //!< attribute StrictClasses
    uint8_t m_turn{0};                   //!< class whose turn it is in the round robin
    bool m_armed{false};                 //!< a TRANSMIT event is pending

    alignas(64) FabricLinkClock m_clock; //!< transmitter
    FabricPort* m_peer{nullptr};         //!< other end
    int64_t m_delay{0};                  //!< propagation, ticks
    FrameFifo m_control;                 //!< PFC frames, ahead of everything

    alignas(64) uint64_t m_bytesSent{0}; //!< link bytes; steers congestion control (INT)
    FabricPortCounters m_counters;       //!< for reports; the first line is hot
    uint64_t m_ecnFloor{UINT64_MAX};     //!< up to here the marker need not be asked
    std::array<ClassQueue, 8> m_queues;  //!< egress queues

    // Warm: PFC, ECN, loss, the way through the switch.
    std::array<int32_t, 8> m_deficit{};           //!< of the round robin, bytes
    std::array<int32_t, 8> m_quantum{};           //!< bytes of a turn, by attribute ClassWeights
    std::array<int64_t, 8> m_pausedUntil{};       //!< end of each class's pause
    std::array<int64_t, 8> m_pausedSince{};       //!< its start
    int64_t m_refreshAt{FabricEventQueue::NEVER}; //!< next XOFF refresh
    int64_t m_timerAt{FabricEventQueue::NEVER};   //!< earliest pending PAUSE_TIMER
    FrameFifo m_pipeline;                         //!< frames on their way through the switch
    uint32_t m_earlyBytes{0};                     //!< link bytes before it is forwarded; 0: all
    uint32_t m_pipelineId{0};                     //!< event id of m_pipeline
    uint8_t m_discarding{0};                      //!< classes that the watchdog drops
    Ptr<FabricPfcWatchdog> m_watchdog;            //!< of the pauses
    Ptr<FabricEcnMarker> m_marker;                //!< ECN
    Ptr<FabricLossModel> m_loss;                  //!< losses at reception
    uint32_t m_doomed{0};                         //!< first frames of m_wire, lost in a cut
    bool m_wantedUp{true};                        //!< what SetLinkUp said
    bool m_routed{true};                          //!< routes may use the link
    std::array<uint32_t, 8> m_weights{};          //!< attribute ClassWeights
    bool m_markAtDequeue{false};                  //!< attribute EcnMarkAtDequeue
    uint16_t m_pauseQuanta{65535};                //!< attribute PauseQuanta
    uint64_t m_packetQueueLimit{0};               //!< attribute PacketQueueLimit

    // Cold: the ns-3 side.
    Fabric* m_fabric{nullptr};                           //!< owner
    Ptr<FabricChannel> m_channel;                        //!< link
    Ptr<Node> m_node;                                    //!< node
    uint32_t m_ifIndex{0};                               //!< interface index
    uint32_t m_endpointIndex{0};                         //!< at a host
    uint32_t m_portNumber{0};                            //!< in the fabric
    uint16_t m_mtu{1500};                                //!< of the IP stack
    Mac48Address m_address;                              //!< of this port
    NetDevice::ReceiveCallback m_receiveCallback;        //!< to the node
    NetDevice::PromiscReceiveCallback m_promiscCallback; //!< to the node
    TracedCallback<> m_linkChangeCallbacks;              //!< link up and down

    FabricTrace<const FabricPort*, uint8_t, uint16_t> m_pfcSentTrace;     //!< PfcSent
    FabricTrace<const FabricPort*, uint8_t, uint16_t> m_pfcPauseTrace;    //!< PfcPause
    FabricTrace<const FabricPort*, uint8_t, uint16_t> m_pfcResumeTrace;   //!< PfcResume
    FabricTrace<const FabricPort*, const Frame&> m_ecnMarkTrace;          //!< EcnMark
    FabricTrace<const FabricPort*, const Frame&, DropReason> m_dropTrace; //!< FrameDrop
    FabricTrace<const FabricPort*, const Frame&, uint32_t> m_trimTrace;   //!< FrameTrim
    FabricTrace<const FabricPort*, uint8_t, bool> m_stormTrace;           //!< PfcStorm
    FabricTrace<const FabricPort*, uint8_t, uint64_t> m_queueTrace{m_rare,
                                                                   QUEUE_SINK}; //!< QueueBytes
    FabricTrace<Ptr<const Packet>> m_macTxTrace{m_rare, TRANSMIT_SINK};         //!< MacTx
    FabricTrace<Ptr<const Packet>> m_macTxDropTrace;                            //!< MacTxDrop
    FabricTrace<Ptr<const Packet>> m_macRxTrace{m_rare, RECEIVE_SINK};          //!< MacRx
    FabricTrace<Ptr<const Packet>> m_macPromiscRxTrace{m_rare, RECEIVE_SINK};   //!< MacPromiscRx
    FabricTrace<Ptr<const Packet>> m_phyTxBeginTrace{m_rare, TRANSMIT_SINK};    //!< PhyTxBegin
    FabricTrace<Ptr<const Packet>> m_phyTxEndTrace{m_rare, TRANSMIT_SINK};      //!< PhyTxEnd
    FabricTrace<Ptr<const Packet>> m_phyRxEndTrace{m_rare, RECEIVE_SINK};       //!< PhyRxEnd
    FabricTrace<Ptr<const Packet>> m_phyRxDropTrace;                            //!< PhyRxDrop
    FabricTrace<Ptr<const Packet>> m_snifferTrace{m_rare,
                                                  TRANSMIT_SINK | RECEIVE_SINK}; //!< Sniffer
    FabricTrace<Ptr<const Packet>> m_promiscSnifferTrace{m_rare,
                                                         TRANSMIT_SINK |
                                                             RECEIVE_SINK}; //!< PromiscSniffer
};

} // namespace llm
} // namespace ns3

#endif // FABRIC_PORT_H

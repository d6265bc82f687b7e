/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_DELAY_PORT_H
#define RDMA_DELAY_PORT_H

#include "ns3/fabric-event-queue.h"
#include "ns3/llm-frame-port.h"

#include <cstdint>

namespace ns3
{
namespace llm
{

/** Times that a NIC takes, ticks; 0: none. */
struct RdmaNicDelays
{
    int64_t receiveTicks{0}; //!< from the last bit of a frame to its processing
    int64_t ackTicks{0};     //!< until an ACK or NAK is ready
    int64_t cnpTicks{0};     //!< until a CNP is ready
};

/**
 * @ingroup llm-training
 *
 * Processing delays of a NIC at one port: stands between both, and only where there are delays.
 * Pipelines, all of them: they add to latency and take nothing from throughput.
 */
class RdmaDelayPort final : public FramePort, public FrameEndpoint, public FabricEventHandler
{
  public:
    /**
     * @param port of the fabric.
     * @param nodeId context of its events.
     * @param delays to add.
     */
    RdmaDelayPort(FramePort* port, uint32_t nodeId, const RdmaNicDelays& delays);

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

    // -- FrameEndpoint
    Frame* PullFrame(uint8_t trafficClass, int64_t now, bool& more) override;
    void ReceiveFrame(Frame* frame, int64_t now) override;
    void LinkChanged(bool up, int64_t now) override;

    // -- FabricEventHandler
    void HandleFabricEvent(FabricEventKind kind, int64_t now) override;

  private:
    /** Frames that all wait equally long. */
    struct Line
    {
        int64_t delay{0}; //!< ticks
        FrameFifo frames; //!< Frame::time is when each is through
    };

    /** Have a frame wait. */
    void Enter(Line& line, Frame* frame, int64_t now);
    /** @return the first frame of a line, if it is through; else nullptr. */
    static Frame* Leave(Line& line, int64_t now);

    FramePort* m_port;                  //!< of the fabric
    FrameEndpoint* m_endpoint{nullptr}; //!< the NIC's
    uint32_t m_eventId;                 //!< of NIC_TIMER
    Line m_received;                    //!< on the way to the NIC
    Line m_acks;                        //!< on the way to the port
    Line m_cnps;                        //!< on the way to the port
};

} // namespace llm
} // namespace ns3

#endif // RDMA_DELAY_PORT_H

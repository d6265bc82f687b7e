/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_FRAME_PORT_H
#define LLM_FRAME_PORT_H

#include "fabric-frame.h"

#include <cstdint>

namespace ns3
{
namespace llm
{

class FabricEventQueue;

/**
 * @ingroup llm-training
 *
 * What a port asks of the NIC behind it. All calls come from fabric events.
 */
class FrameEndpoint
{
  public:
    /**
     * The port's transmitter is free and it is this class's turn.
     * @param trafficClass class that may send now (not paused).
     * @param now present tick.
     * @param more gets whether this class has something to send as soon as the frame has left. If
     *        not, the endpoint calls FramePort::DataReady once it has.
     * @return the next data frame of that class, or nullptr; then there is no more.
     */
    virtual Frame* PullFrame(uint8_t trafficClass, int64_t now, bool& more) = 0;

    /**
     * @param frame a whole frame for this endpoint (any kind but PFC and PACKET), now owned by it.
     * @param now present tick.
     */
    virtual void ReceiveFrame(Frame* frame, int64_t now) = 0;

    /**
     * The port's link went down or came up or changed its rate, or routes were computed anew:
     * FramePort::GetBitRate and CanReach tell. While the link is down, the port neither pulls data
     * nor keeps what it is sent.
     * @param up whether the link is up.
     * @param now present tick.
     */
    virtual void LinkChanged(bool up, int64_t now);

  protected:
    ~FrameEndpoint() = default;
};

inline void
FrameEndpoint::LinkChanged(bool, int64_t)
{
}

/**
 * @ingroup llm-training
 *
 * A port as transport sees it.
 */
class FramePort
{
  public:
    /**
     * @param endpoint that sends and receives here; nullptr for none.
     * @throw ConfigError if another one does already.
     */
    virtual void SetEndpoint(FrameEndpoint* endpoint) = 0;
    /**
     * @param frame to queue in its class ahead of data (ACK, NAK, CNP); the port owns it from here.
     * @param now present tick.
     */
    virtual void SendFrame(Frame* frame, int64_t now) = 0;
    /**
     * The endpoint has data: the port pulls when its transmitter is free, until PullFrame says that
     * there is no more.
     * @param classes bits of the classes that have data.
     * @param now present tick.
     */
    virtual void DataReady(uint8_t classes, int64_t now) = 0;
    /** @return tick from which the transmitter is free; may lie in the past. */
    virtual int64_t GetBusyUntil() const = 0;
    /**
     * @param wireBytes frame with preamble and gap.
     * @return ticks that it takes on the link, rounded down.
     */
    virtual int64_t GetTransmitTicks(uint32_t wireBytes) const = 0;
    /** @return line rate, bit/s. */
    virtual uint64_t GetBitRate() const = 0;
    /** @return bits of the classes that PFC holds back. */
    virtual uint8_t GetPausedClasses() const = 0;
    /** @return pool that frames come from. */
    virtual FramePool& GetFramePool() = 0;
    /** @return propagation delay of the link, ticks. */
    virtual int64_t GetDelay() const = 0;
    /** @return event core of the fabric. */
    virtual FabricEventQueue& GetEventQueue() = 0;
    /** @return index of this port's endpoint in the fabric. */
    virtual uint32_t GetEndpointIndex() const = 0;
    /**
     * @param endpoint index of another endpoint.
     * @return true if this port's link is up and the fabric has a way from it to @p endpoint: the
     *         ports of one endpoint may lead into different planes.
     */
    virtual bool CanReach(uint32_t endpoint) const = 0;

  protected:
    ~FramePort() = default;
};

} // namespace llm
} // namespace ns3

#endif // LLM_FRAME_PORT_H

/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_CHANNEL_H
#define FABRIC_CHANNEL_H

#include "ns3/channel.h"
#include "ns3/data-rate.h"
#include "ns3/nstime.h"

#include <array>

namespace ns3
{
namespace llm
{

class FabricPort;

/**
 * @ingroup llm-training
 *
 * A full-duplex link between two FabricPorts. Frames on their way are kept by the receiving port;
 * the channel carries what ns-3 asks for: its two devices and its Delay, from which ns-3's parallel
 * simulators derive their lookahead.
 */
class FabricChannel : public Channel
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();
    FabricChannel();
    ~FabricChannel() override;

    /** @param a one end. @param b other end. */
    void Connect(Ptr<FabricPort> a, Ptr<FabricPort> b);
    /** @return propagation delay. */
    Time GetDelay() const;

    std::size_t GetNDevices() const override;
    Ptr<NetDevice> GetDevice(std::size_t i) const override;

  private:
    Time m_delay;                                           //!< attribute Delay
    std::array<FabricPort*, 2> m_ports{{nullptr, nullptr}}; //!< ends
};

} // namespace llm
} // namespace ns3

#endif // FABRIC_CHANNEL_H

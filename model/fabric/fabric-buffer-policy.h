/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_BUFFER_POLICY_H
#define FABRIC_BUFFER_POLICY_H

#include "ns3/object.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Decides how much of a shared pool one queue may use. A queue is a (port, class), at ingress or at
 * egress. Most policies know the pool alone and implement GetThreshold. One that treats queues
 * apart says so by IsPerQueue; it is told of every change and asked by GetQueueThreshold. Such a
 * policy has a state and serves one pool of one switch.
 */
class FabricBufferPolicy : public Object
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();
    FabricBufferPolicy();
    ~FabricBufferPolicy() override;

    /**
     * @param size bytes of the pool.
     * @param used bytes of the pool in use, <= size unless headroom spilled.
     * @return bytes that a queue may use now.
     */
    virtual uint64_t GetThreshold(uint64_t size, uint64_t used) const = 0;

    /** @return true if the functions below are to be called. */
    virtual bool IsPerQueue() const;

    /**
     * Before traffic.
     * @param rates of the ports, bit/s, by port index.
     * @throw ConfigError if the policy serves a pool already.
     */
    virtual void Configure(const std::vector<uint64_t>& rates);

    /**
     * @param port of the queue.
     * @param trafficClass of the queue.
     * @param size bytes of the pool.
     * @param used bytes of the pool in use.
     * @param now present tick.
     * @return bytes that this queue may use now.
     */
    virtual uint64_t GetQueueThreshold(uint32_t port,
                                       uint8_t trafficClass,
                                       uint64_t size,
                                       uint64_t used,
                                       int64_t now);

    /**
     * A queue has changed.
     * @param port of the queue.
     * @param trafficClass of the queue.
     * @param bytes of the pool that it uses now.
     * @param drained bytes of it that left; 0 when some came.
     * @param size bytes of the pool.
     * @param used bytes of the pool in use.
     * @param now present tick.
     */
    virtual void QueueChanged(uint32_t port,
                              uint8_t trafficClass,
                              uint64_t bytes,
                              uint32_t drained,
                              uint64_t size,
                              uint64_t used,
                              int64_t now);
};

} // namespace llm
} // namespace ns3

#endif // FABRIC_BUFFER_POLICY_H

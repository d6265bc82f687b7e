/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_PINNED_PATH_H
#define RDMA_PINNED_PATH_H

#include "rdma-path-selector.h"

#include <cstdint>
#include <functional>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * One source port per queue pair for life, by a table from connections to source ports or to paths;
 * connections that stand in no table have one from a hash, as RdmaSinglePath.
 */
class RdmaPinnedPath final : public RdmaPathSelector
{
  public:
    static constexpr uint32_t ANY = UINT32_MAX; //!< every rank, every channel

    /**
     * @param queuePair new.
     * @param path number of a path among the shortest ones; may exceed their number.
     * @return source port that makes the switches choose it; 0 if there is none.
     */
    using Finder = std::function<uint16_t(const RdmaQueuePair& queuePair, uint32_t path)>;

    /** @return type id. */
    static TypeId GetTypeId();
    RdmaPinnedPath();
    ~RdmaPinnedPath() override;
    uint16_t ChooseInitial(const RdmaQueuePair& queuePair) override;
    bool IsPerPacket() const override;
    uint16_t Choose(const RdmaQueuePair& queuePair, uint64_t psn) override;

    /**
     * Give connections a source port. Of several pins that fit the last one counts.
     * @param source rank that sends, or ANY.
     * @param destination rank that receives, or ANY.
     * @param channel of the connection, or ANY.
     * @param entropy source port, 1 to 65535.
     * @throw ConfigError if the source port is none.
     */
    void PinEntropy(uint32_t source, uint32_t destination, uint32_t channel, uint32_t entropy);

    /**
     * Give connections a path; its source port is searched when a queue pair is connected.
     * @param source rank that sends, or ANY.
     * @param destination rank that receives, or ANY.
     * @param channel of the connection, or ANY.
     * @param path number of the path; see SetFinder.
     */
    void PinPath(uint32_t source, uint32_t destination, uint32_t channel, uint32_t path);

    /** @param finder of source ports, for PinPath; RdmaTransportHelper sets one that asks the
     *  fabric. */
    void SetFinder(Finder finder);

  protected:
    void DoDispose() override;

  private:
    /** A line of the table. */
    struct Pin
    {
        uint32_t source;      //!< rank or ANY
        uint32_t destination; //!< rank or ANY
        uint32_t channel;     //!< or ANY
        uint32_t value;       //!< source port or path
        bool isPath;          //!< which of the two
    };

    std::vector<Pin> m_pins; //!< the table, oldest first
    Finder m_finder;         //!< of source ports
};

} // namespace llm
} // namespace ns3

#endif // RDMA_PINNED_PATH_H

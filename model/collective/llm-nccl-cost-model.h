/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_NCCL_COST_MODEL_H
#define LLM_NCCL_COST_MODEL_H

#include "llm-collective-algorithm.h"
#include "llm-nccl-protocol.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * The times by which NCCL chooses algorithm and protocol (src/graph/tuning.cc of NCCL 2.30):
 * latency + bytes / bandwidth, both from tables by algorithm and protocol, with NCCL's own
 * corrections. What NCCL reckons, not what a simulation will show.
 *
 * NCCL's search for rings and trees in the machine's wiring is replaced by two figures: the rate of
 * a rank's scale-up port, and of its network port. Each channel's ring leaves a server through
 * another network port, so that all of them, or the scale-up ports, bound the ring.
 *
 * Not modelled: CollNet, NVLS over several servers, LL128 being switched off by NCCL for wirings
 * that tear its lines, tuner plug-ins.
 */
class NcclCostModel
{
  public:
    /** One way to do a collective. */
    struct Candidate
    {
        std::string algorithm;                       //!< this module's name
        NcclProtocol protocol{NcclProtocol::SIMPLE}; //!< how
        double timeUs{0};                            //!< predicted, microseconds
    };

    /**
     * @param scaleUpBitsPerSecond rate of a rank's port within servers, one direction.
     * @param networkBitsPerSecond rate of a rank's port to the network.
     */
    NcclCostModel(double scaleUpBitsPerSecond, double networkBitsPerSecond);

    /**
     * @param spec what, with ranksPerNode; one rank or 0 bytes: times are latencies only.
     * @return what NCCL would look at, in its order: algorithms, then LL, LL128, Simple. Whether
     *         this module's algorithm can do it is for the caller to ask.
     */
    std::vector<Candidate> Predict(const CollectiveSpec& spec) const;

  private:
    /** Rows of NCCL's tables. */
    enum Row : uint8_t
    {
        TREE,
        RING,
        NVLS,
        PAT
    };

    /** What the tables are asked with. */
    struct Shape
    {
        double ranks;        //!< all
        double nodes;        //!< servers
        double perNode;      //!< ranks of a server
        uint32_t logNodes;   //!< floor of the binary logarithm of nodes
        double busBandwidth; //!< GB/s of a rank's slowest port
        double nvlink;       //!< GB/s of a rank's scale-up port
    };

    /** @return what the tables are asked with. */
    Shape MakeShape(const CollectiveSpec& spec) const;
    /** @return GB/s of a collective's size over time. */
    static double GetBandwidth(const CollectiveSpec& spec,
                               const Shape& shape,
                               Row row,
                               NcclProtocol protocol);
    /** @return microseconds. */
    static double GetLatency(const CollectiveSpec& spec,
                             const Shape& shape,
                             Row row,
                             NcclProtocol protocol);
    /** @return microseconds. */
    static double GetTime(const CollectiveSpec& spec,
                          const Shape& shape,
                          Row row,
                          NcclProtocol protocol);

    const double m_scaleUpGBps; //!< see constructor
    const double m_networkGBps; //!< see constructor
};

} // namespace llm
} // namespace ns3

#endif // LLM_NCCL_COST_MODEL_H

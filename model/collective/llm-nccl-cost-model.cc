/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-nccl-cost-model.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

namespace
{

// Tables of NCCL 2.30, src/graph/tuning.cc: rows tree, ring, NVLS, PAT; columns LL, LL128, Simple;
// microseconds.
constexpr double BASE_LATENCY[][3] = {{6.8, 14.0, 8.4},
                                      {6.6, 14.0, 8.4},
                                      {0, 0, 0},
                                      {8.0, 8.0, 8.0}};
constexpr double NVLINK_LATENCY[][3] = {{0.6, 1.25, 4.0},
                                        {0.6, 1.9, 3.4},
                                        {0, 0, 25.0},
                                        {0, 0, 4.0}};
constexpr double NETWORK_LATENCY[][3] = {{5.0, 8.5, 14.0},
                                         {2.7, 4.0, 14.0},
                                         {0, 0, 18.0},
                                         {0, 0, 14.0}};

constexpr std::size_t TREE_SIZES = 24; //!< powers of two, 64 B to 512 MiB
/** What a tree reaches of its bandwidth, by size. */
constexpr double TREE_CORRECTION[3][TREE_SIZES] = {
    {1.0, 1.0, 1.0, 1.0, .9, .8, .7, .7,  .7,  .7,  .6,  .5,
     .4,  .4,  .5,  .6,  .7, .8, .9, 1.0, 1.0, 1.0, 1.0, 1.0},
    {1.0, 1.0, 1.0, 1.0, 1.0, .9, .8, .8, .8, .7,  .6,  .6,
     .6,  .6,  .6,  .6,  .8,  .9, .9, .9, .9, 1.0, 1.0, 1.0},
    {.9, .9, .9, .9, .9, .9, .9, .8, .7, .6, .6, .5,
     .5, .5, .5, .6, .7, .8, .7, .7, .8, .9, .9, .9}};

constexpr double RING_LL = 0.5;          //!< half of the bytes are flags
constexpr double RING_LL128 = 0.92;      //!< 120/128, less a little
constexpr double TREE_EFFICIENCY = 0.92; //!< of all-reduce
constexpr double TREE_LL = 1 / 3.8;      //!< of what is left
constexpr double NVLS_EFFICIENCY = 0.85; //!< Hopper
constexpr double PAT_EFFICIENCY = 0.75;  //!< of the ring's
constexpr double RING_PLATEAU = 1.4;     //!< latency of a large ring over the network
constexpr uint64_t PLATEAU_BYTES = 64;   //!< per channel and rank, from which it counts
constexpr double PAT_LOG = 3.5;          //!< its logarithmic part is so much faster than a ring's
constexpr double PAT_LINEAR = 2.8;       //!< microseconds per rank

/** @param number >= 1. @return floor of its binary logarithm. */
uint32_t
Log2(uint64_t number)
{
    uint32_t log = 0;
    while (number >>= 1)
    {
        ++log;
    }
    return log;
}

/** @return column of a table. */
std::size_t
Column(NcclProtocol protocol)
{
    return protocol == NcclProtocol::LL ? 0 : protocol == NcclProtocol::LL128 ? 1 : 2;
}

/** @return whether data only passes by, from or to a root. */
bool
IsRooted(CollectiveKind kind)
{
    return kind == CollectiveKind::BROADCAST || kind == CollectiveKind::REDUCE;
}

/** @return steps of a ring. */
double
RingSteps(CollectiveKind kind, double ranks)
{
    return kind == CollectiveKind::ALL_REDUCE ? 2 * (ranks - 1)
           : IsRooted(kind)                   ? ranks
                                              : ranks - 1;
}

} // namespace

NcclCostModel::NcclCostModel(double scaleUpBitsPerSecond, double networkBitsPerSecond)
    : m_scaleUpGBps(scaleUpBitsPerSecond / 8e9),
      m_networkGBps(networkBitsPerSecond / 8e9)
{
}

NcclCostModel::Shape
NcclCostModel::MakeShape(const CollectiveSpec& spec) const
{
    const uint32_t perNode = std::max(1U, spec.ranksPerNode);
    const uint32_t nodes = std::max(1U, spec.groupSize / perNode);
    Shape shape;
    shape.ranks = spec.groupSize;
    shape.nodes = nodes;
    shape.perNode = perNode;
    shape.logNodes = Log2(nodes);
    shape.nvlink = m_scaleUpGBps;
    const uint32_t ports = std::min(perNode, std::max(1U, spec.channels));
    shape.busBandwidth = nodes == 1     ? m_scaleUpGBps
                         : perNode == 1 ? m_networkGBps
                                        : std::min(m_scaleUpGBps, ports * m_networkGBps);
    return shape;
}

double
NcclCostModel::GetBandwidth(const CollectiveSpec& spec,
                            const Shape& shape,
                            Row row,
                            NcclProtocol protocol)
{
    const double bus = shape.busBandwidth;
    switch (row)
    {
    case TREE: {
        const double tree = bus * TREE_EFFICIENCY;
        const double part = protocol == NcclProtocol::LL ? TREE_LL
                            : protocol == NcclProtocol::LL128
                                ? (shape.nodes > 1 ? 120.0 / 128.0 : 7.0 / 9.0)
                                : 1.0;
        const std::size_t size = Log2(std::max<uint64_t>(spec.bytes >> 6, 1));
        const double correction = size < TREE_SIZES ? TREE_CORRECTION[Column(protocol)][size] : 1.0;
        return tree * part * 0.5 * correction;
    }
    case NVLS: {
        // A switch that adds halves what an all-reduce moves; other kinds move as in a ring.
        const double ring = shape.nvlink * NVLS_EFFICIENCY;
        return spec.kind == CollectiveKind::ALL_REDUCE
                   ? ring
                   : ring * shape.ranks / RingSteps(spec.kind, shape.ranks);
    }
    case PAT:
        return bus * PAT_EFFICIENCY * shape.ranks / RingSteps(spec.kind, shape.ranks);
    case RING:
        break;
    }
    const double part = protocol == NcclProtocol::LL      ? RING_LL
                        : protocol == NcclProtocol::LL128 ? RING_LL128
                                                          : 1.0;
    return bus * part * shape.ranks / RingSteps(spec.kind, shape.ranks);
}

double
NcclCostModel::GetLatency(const CollectiveSpec& spec,
                          const Shape& shape,
                          Row row,
                          NcclProtocol protocol)
{
    const std::size_t column = Column(protocol);
    const double base = BASE_LATENCY[row][column];
    const double intra = NVLINK_LATENCY[row][column];
    const double inter = NETWORK_LATENCY[row][column];
    switch (row)
    {
    case TREE:
        return base + 2 * ((shape.perNode - 1) * intra + shape.logNodes * inter);
    case NVLS:
        return base + intra;
    case PAT:
        return base + shape.logNodes * inter / PAT_LOG + shape.ranks * PAT_LINEAR;
    case RING:
        break;
    }
    if (IsRooted(spec.kind))
    {
        return base + (shape.nodes > 1 ? inter : intra);
    }
    const double once = spec.kind == CollectiveKind::ALL_REDUCE ? 2 : 1;
    const double interSteps = once * (shape.nodes - 1);
    return base + (RingSteps(spec.kind, shape.ranks) - interSteps) * intra + interSteps * inter;
}

double
NcclCostModel::GetTime(const CollectiveSpec& spec,
                       const Shape& shape,
                       Row row,
                       NcclProtocol protocol)
{
    double latency = GetLatency(spec, shape, row, protocol);
    if (row == RING && protocol == NcclProtocol::SIMPLE && shape.nodes > 1 &&
        spec.kind == CollectiveKind::ALL_REDUCE &&
        spec.bytes / (uint64_t{spec.channels} * spec.groupSize) >= PLATEAU_BYTES)
    {
        latency *= RING_PLATEAU;
    }
    // bytes / (1000 * GB/s) are microseconds.
    return latency +
           static_cast<double>(spec.bytes) / (1000 * GetBandwidth(spec, shape, row, protocol));
}

std::vector<NcclCostModel::Candidate>
NcclCostModel::Predict(const CollectiveSpec& spec) const
{
    std::vector<Candidate> candidates;
    const Shape shape = MakeShape(spec);
    if (spec.kind == CollectiveKind::ALL_TO_ALL)
    {
        // Sends and receives in one group call: there is nothing to choose but the way to the NIC.
        const double ring = NVLINK_LATENCY[RING][2];
        const double latency =
            BASE_LATENCY[RING][2] + (shape.nodes > 1 ? NETWORK_LATENCY[RING][2] : ring);
        const double timeUs =
            latency + static_cast<double>(spec.bytes) / (1000 * shape.busBandwidth);
        if (shape.nodes > 1 && shape.perNode > 1)
        {
            candidates.push_back({"pxn", NcclProtocol::SIMPLE, timeUs});
        }
        candidates.push_back({"direct", NcclProtocol::SIMPLE, timeUs});
        return candidates;
    }
    const auto add = [&](const char* name, Row row, NcclProtocol protocol) {
        const double timeUs =
            spec.groupSize > 1 ? GetTime(spec, shape, row, protocol) : BASE_LATENCY[row][2];
        candidates.push_back({name, protocol, timeUs});
    };
    if (spec.kind == CollectiveKind::ALL_REDUCE)
    {
        for (const NcclProtocol protocol : NCCL_PROTOCOLS)
        {
            add("double_binary_tree", TREE, protocol);
        }
    }
    for (const NcclProtocol protocol : NCCL_PROTOCOLS)
    {
        add("ring", RING, protocol);
    }
    if (IsRooted(spec.kind))
    {
        return candidates;
    }
    if (shape.nodes == 1)
    {
        add("nvls", NVLS, NcclProtocol::SIMPLE);
    }
    if (spec.kind != CollectiveKind::ALL_REDUCE && shape.perNode == 1)
    {
        add("pat", PAT, NcclProtocol::SIMPLE);
    }
    return candidates;
}

} // namespace llm
} // namespace ns3

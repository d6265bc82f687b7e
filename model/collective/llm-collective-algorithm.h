/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_COLLECTIVE_ALGORITHM_H
#define LLM_COLLECTIVE_ALGORITHM_H

#include "llm-byte-split.h"

#include "ns3/llm-exchange-bytes.h"
#include "ns3/llm-in-network.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

/** Collective operations, with NCCL's names. */
enum class CollectiveKind : uint8_t
{
    ALL_REDUCE,
    ALL_GATHER,
    REDUCE_SCATTER,
    BROADCAST,
    REDUCE,
    ALL_TO_ALL
};

/** @param kind which. @return "all_reduce", "all_gather", ... */
const char* ToString(CollectiveKind kind);

/**
 * @ingroup llm-training
 *
 * One collective over a group of ranks. "bytes" has the meaning of nccl-tests' size column:
 * ALL_REDUCE, BROADCAST, REDUCE: the buffer of each rank; ALL_GATHER, REDUCE_SCATTER: the whole
 * tensor (groupSize times a rank's part); ALL_TO_ALL: the buffer of each rank.
 */
struct CollectiveSpec
{
    CollectiveKind kind{CollectiveKind::ALL_REDUCE}; //!< what
    uint32_t groupSize{1};                           //!< ranks, >= 1
    uint64_t bytes{0};                               //!< size, >= 0, see above
    uint32_t channels{1};                            //!< data is split over so many channels, >= 1
    uint64_t sliceBytes{
        0};           //!< pipelining: a chunk is cut into slices of at most this; 0: one slice
    uint32_t root{0}; //!< group rank of the root of BROADCAST and REDUCE
    /** ALL_TO_ALL of uneven parts; null: even. Then bytes is its GetMeanBytes(). It outlives the
     *  collective. */
    const ExchangeBytes* exchange{nullptr};
    /** Group ranks share a server (scale-up domain) in runs of so many: 0..g-1, g..2g-1, ...; a
     *  divisor of groupSize. 1: each is alone; groupSize: all share one; 0: they share servers in
     *  another way, which hierarchical algorithms refuse. Others need it for times only. */
    uint32_t ranksPerNode{1};
};

/**
 * @param spec any.
 * @return empty if the numbers make sense on their own, else one line saying which does not. Every
 *         CollectiveAlgorithm::WhyNot asks this first.
 */
std::string CheckCollectiveSpec(const CollectiveSpec& spec);

/** @param spec one that passed CheckCollectiveSpec. @return whether no byte goes to another rank.
 */
bool HasNothingToDo(const CollectiveSpec& spec);

/**
 * Offsets from here on are positions in a rank's scratch buffer, where ALL_TO_ALL algorithms that
 * relay keep what is on its way to others.
 */
constexpr uint64_t SCRATCH_OFFSET = UINT64_C(1) << 63;

/**
 * @ingroup llm-training
 *
 * One step of a rank in one channel of a collective. Byte ranges are positions in the collective's
 * buffer, so that a checker can replay the schedule on symbolic data.
 */
struct Transfer
{
    bool send{false};   //!< true: send; false: receive
    bool reduce{false}; //!< receive: add to what is there instead of overwriting
    uint32_t peer{0};   //!< group rank of the other side
    uint64_t offset{0}; //!< start of the byte range
    uint64_t bytes{0};  //!< length; empty transfers put nothing on the wire and are over at once
    /** Send: starts when the receives numbered [firstDependency, endDependency) of this program
     *  (counted from 0 in program order, receives only) are complete. Empty range: at once. */
    uint64_t firstDependency{0};
    uint64_t endDependency{0}; //!< see firstDependency
    /** The byte ranges of a message that is gathered from several places, and scattered to several,
     *  in this order; valid until the next step is asked for. Null: the one range above. */
    const std::vector<ByteRange>* pieces{nullptr};
    /** Not NONE: a transfer with the switch of the scale-up domain that all ranks share. Send,
     *  REDUCE: the rank's share of a sum that goes to peer, maybe itself; the n-th of every rank
     *  for a peer, in a channel, are added up. Receive, REDUCE: the sum; peer is the rank itself.
     *  Send, MULTICAST: goes to all ranks, the rank too; peer is the rank itself. Receive,
     *  MULTICAST: a copy of what peer, maybe the rank itself, has sent. */
    InNetwork inNetwork{InNetwork::NONE};
};

/**
 * @ingroup llm-training
 *
 * What one rank does in one channel, in order, produced lazily: the n-th send to a peer matches
 * the n-th receive of that peer from this rank in the same channel. Sends and receives of a
 * program run concurrently but for their dependencies. Memory does not grow with bytes.
 *
 * Where a receive changes what a send before it in the program reads, the send reads first, as
 * implementations that receive into a buffer of their own do. Only recursive doubling needs this.
 */
class TransferProgram
{
  public:
    virtual ~TransferProgram() = default;
    /** @param transfer gets the next step. @return false at the end. */
    virtual bool Next(Transfer& transfer) = 0;
};

/** A link as alpha-beta forms know it. */
struct CollectiveLink
{
    double alphaPs{0};       //!< latency per step, picoseconds
    double bitsPerSecond{1}; //!< rate of a rank's port, payload bits

    /** @param bytes any. @return serialisation time, picoseconds. */
    double GetPs(uint64_t bytes) const
    {
        return 8e12 * static_cast<double>(bytes) / bitsPerSecond;
    }
};

/** The links of a rank. */
struct CollectiveLinks
{
    CollectiveLink network; //!< to ranks of other nodes
    CollectiveLink scaleUp; //!< to ranks of the same node; a port of its own
};

/**
 * @ingroup llm-training
 *
 * An algorithm for collectives, with its closed form. Stateless; one instance serves all groups.
 */
class CollectiveAlgorithm
{
  public:
    virtual ~CollectiveAlgorithm() = default;

    /** @return name as users write it, e.g. "ring". */
    virtual std::string GetName() const = 0;

    /**
     * @param spec what is to be done.
     * @return empty if this algorithm can do it, else one line saying why not.
     */
    virtual std::string WhyNot(const CollectiveSpec& spec) const = 0;

    /**
     * @param spec what.
     * @param rank group rank.
     * @param channel 0 .. spec.channels-1.
     * @return what that rank does.
     */
    virtual std::unique_ptr<TransferProgram> CreateProgram(const CollectiveSpec& spec,
                                                           uint32_t rank,
                                                           uint32_t channel) const = 0;

    /**
     * Closed form, not by running the program.
     * @param spec what.
     * @param from sending group rank.
     * @param to receiving group rank; from itself: the switch of the scale-up domain.
     * @return bytes that go from one to the other, all channels.
     */
    virtual uint64_t PredictPairBytes(const CollectiveSpec& spec,
                                      uint32_t from,
                                      uint32_t to) const = 0;

    /**
     * Closed form: the group ranks to which @p from sends anything, ascending.
     * @param spec what.
     * @param from sending group rank.
     * @return peers.
     */
    virtual std::vector<uint32_t> PredictPeers(const CollectiveSpec& spec, uint32_t from) const;

    /**
     * Closed form.
     * @param spec what.
     * @param from sending group rank.
     * @return bytes sent by that rank, all channels.
     */
    virtual uint64_t PredictBytes(const CollectiveSpec& spec, uint32_t from) const;

    /**
     * Alpha-beta time of the unpipelined algorithm, in picoseconds; of chains and trees, with the
     * slices of spec. In a group that shares a node everything goes over scale-up links.
     * @param spec what.
     * @param links of each rank.
     * @return time; 0 where nothing is to be done.
     */
    double PredictTimePs(const CollectiveSpec& spec, const CollectiveLinks& links) const;

    /**
     * Likewise, where all links are alike.
     * @param spec what.
     * @param alphaPs latency per step.
     * @param bitsPerSecond rate of each rank's link, payload bits.
     * @return time.
     */
    double PredictTimePs(const CollectiveSpec& spec, double alphaPs, double bitsPerSecond) const;

    /**
     * Likewise, with the slices of spec: a rank passes on a slice while the next one arrives. The
     * exact time is that of TransferReplay; this is its closed form where there is one, else an
     * estimate.
     * @param spec what.
     * @param links of each rank.
     * @return time; 0 where nothing is to be done.
     */
    double PredictPipelinedTimePs(const CollectiveSpec& spec, const CollectiveLinks& links) const;

  protected:
    /**
     * @param spec what; there is something to do.
     * @param from sending group rank.
     * @return all ranks that it sends to and maybe others, in any order, maybe more than once;
     *         by default all ranks of the group.
     */
    virtual std::vector<uint32_t> ListCandidates(const CollectiveSpec& spec, uint32_t from) const;

    /** See PredictTimePs. @param spec what; there is something to do. @param links of each rank;
     *  where all share a node, network is what scaleUp is. @return time. */
    virtual double DoPredictTimePs(const CollectiveSpec& spec,
                                   const CollectiveLinks& links) const = 0;

    /** See PredictPipelinedTimePs; by default, what DoPredictTimePs says. @param spec what; there
     *  is something to do. @param links as there. @return time. */
    virtual double DoPredictPipelinedTimePs(const CollectiveSpec& spec,
                                            const CollectiveLinks& links) const;
};

/**
 * @param kind collective.
 * @param groupSize ranks.
 * @return nccl-tests' busbw / algbw: 2(n-1)/n, (n-1)/n or 1.
 */
double BusBandwidthFactor(CollectiveKind kind, uint32_t groupSize);

} // namespace llm
} // namespace ns3

#endif // LLM_COLLECTIVE_ALGORITHM_H

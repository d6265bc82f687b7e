/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_PATH_SELECTOR_H
#define RDMA_PATH_SELECTOR_H

#include "ns3/object.h"

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace llm
{

class RdmaQueuePair;

/** What became of a packet, for a selector that chooses paths by it. */
enum class RdmaPathEvent : uint8_t
{
    ACKED,   //!< arrived unmarked
    ECN,     //!< arrived with a CE mark
    TRIMMED, //!< arrived without its payload
    LOST,    //!< a NAK tells of a loss; which path is not known: entropy 0
    TIMEOUT  //!< the oldest packet timed out; which path is not known: entropy 0
};

/**
 * @ingroup llm-training
 *
 * Chooses the entropy (UDP source port) of data packets, by which switches spread flows. One
 * instance serves all queue pairs of a transport; what it keeps of each it finds by
 * RdmaQueuePair::GetPathSlot.
 */
class RdmaPathSelector : public Object
{
  public:
    static constexpr uint16_t FIRST_ENTROPY = 0xC000; //!< RoCEv2 uses 0xC000 to 0xFFFF
    static constexpr uint32_t ENTROPIES = 0x4000;     //!< so many

    /** @return type id. */
    static TypeId GetTypeId();

    /**
     * Once for each queue pair, when it is connected and before ChooseInitial.
     * @param queuePair that sends; its endpoints, numbers, ranks and channel are known.
     * @return value of GetPathSlot of this queue pair; 0 if none is needed (the default).
     */
    virtual uint32_t AddQueuePair(const RdmaQueuePair& queuePair);

    /**
     * @param queuePair new.
     * @return source port of all of its packets that are not asked for one by one; of ACKs, NAKs
     * and CNPs too.
     */
    virtual uint16_t ChooseInitial(const RdmaQueuePair& queuePair) = 0;

    /** @return true if Choose must be asked for every packet. Constant. Packets then overtake each
     *  other, which the reliability must bear. */
    virtual bool IsPerPacket() const = 0;

    /**
     * @param queuePair that sends.
     * @param psn 64-bit number of the packet; comes again when it is sent again.
     * @return source port of the packet.
     */
    virtual uint16_t Choose(const RdmaQueuePair& queuePair, uint64_t psn) = 0;

    /** @return true if Feedback is to be called: ACKs and NAKs then carry the source port of the
     *  data packet that caused them, and CE marks of data are echoed. Constant. */
    virtual bool WantsFeedback() const;

    /**
     * An ACK, a NAK or a timeout tells something of a path.
     * @param queuePair that sent the data.
     * @param entropy source port of the data packet; 0 if not known.
     * @param event what became of it.
     */
    virtual void Feedback(const RdmaQueuePair& queuePair, uint16_t entropy, RdmaPathEvent event);

    /** @return names and values of what it has counted, for reports. */
    virtual std::vector<std::pair<std::string, uint64_t>> GetCounters() const;

  protected:
    /** @param queuePair any. @return a source port from a hash of its endpoints and channel. */
    static uint16_t HashConnection(const RdmaQueuePair& queuePair);
};

} // namespace llm
} // namespace ns3

#endif // RDMA_PATH_SELECTOR_H

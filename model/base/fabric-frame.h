/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_FRAME_H
#define FABRIC_FRAME_H

#include "fabric-int-table.h"

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

namespace ns3
{
class Packet;

namespace llm
{

/** Sizes of the RoCEv2 frame's parts, in bytes (InfiniBand Annex A17, IEEE 802.3). */
namespace wire
{
constexpr uint32_t ETHERNET = 14;     //!< destination, source, type
constexpr uint32_t IPV4 = 20;         //!< header without options
constexpr uint32_t UDP = 8;           //!< header
constexpr uint32_t BTH = 12;          //!< base transport header
constexpr uint32_t RETH = 16;         //!< RDMA extended transport header
constexpr uint32_t AETH = 4;          //!< ACK extended transport header
constexpr uint32_t IMMDT = 4;         //!< immediate data
constexpr uint32_t ICRC = 4;          //!< invariant CRC
constexpr uint32_t FCS = 4;           //!< Ethernet CRC
constexpr uint32_t PREAMBLE_IFG = 20; //!< preamble, start delimiter, inter-frame gap: time only
constexpr uint32_t MIN_FRAME = 64;    //!< shortest Ethernet frame with FCS
/** A middle data packet less its payload, with FCS, without preamble and gap. */
constexpr uint32_t ROCE_BASE = ETHERNET + IPV4 + UDP + BTH + ICRC + FCS;
constexpr uint32_t ACK_FRAME = ROCE_BASE + AETH; //!< ACK and NAK
constexpr uint32_t SELECTIVE = 4;                //!< behind the AETH: one packet that it is about
constexpr uint32_t CNP_FRAME = ROCE_BASE + 16;   //!< CNP: 16 reserved bytes behind the BTH
constexpr uint32_t PFC_FRAME = 64;               //!< IEEE 802.1Qbb pause frame
} // namespace wire

/** What a frame is. RDMA verbs come first, so that "<= READ_RESPONSE" means request data. */
enum class FrameKind : uint8_t
{
    WRITE,         //!< RC RDMA WRITE (First/Middle/Last/Only by the FIRST and LAST flags)
    SEND,          //!< RC SEND
    READ_RESPONSE, //!< RC RDMA READ response
    READ_REQUEST,  //!< RC RDMA READ request
    ACK,           //!< RC acknowledge
    NAK,           //!< RC negative acknowledge, PSN sequence error
    RNR_NAK,       //!< RC negative acknowledge, no receive is posted
    READ_ACK,      //!< acknowledge of READ responses, for congestion control that needs one
    CNP,           //!< congestion notification packet (opcode 0x81)
    PFC,           //!< IEEE 802.1Qbb priority pause; never leaves its link
    PACKET         //!< a frame of the ordinary ns-3 stack, carrying its ns3::Packet
};

/**
 * @ingroup llm-training
 *
 * One frame inside the fabric: a plain struct of one cache line, taken from a FramePool. Nobody
 * builds header bytes for it unless somebody looks (see RoceWire).
 */
struct alignas(64) Frame
{
    /** Bits of Frame::flags. */
    enum Flag : uint8_t
    {
        FIRST = 1,       //!< first packet of its message
        LAST = 2,        //!< last packet of its message (with FIRST: the only one)
        ACK_REQ = 4,     //!< BTH AckReq
        ECT = 8,         //!< ECN-capable transport, ECT(0)
        CE = 16,         //!< congestion experienced (only together with ECT)
        BECN = 32,       //!< BTH BECN: ECN echo on an ACK
        INT = 32,        //!< on data, which has no BECN: switches add telemetry
        RETRANSMIT = 64, //!< sent before under the same PSN: counted apart
        IMMEDIATE = 128, //!< WRITE, SEND with LAST: carries immediate data, in messageBytes
        SELECTIVE = 128, //!< on ACK and NAK: messageBytes is the PSN of one packet, low 32 bits
        TRIMMED = 1      //!< on NAK: because of a packet without payload; with SELECTIVE: that one
    };

    Frame* next;  //!< intrusive queue link
    int64_t time; //!< ticks: when the last bit arrives, while the frame is on a link

    union {
        int64_t sentAt; //!< ticks: when the data packet's last bit left its NIC; echoed by ACKs
        Packet* packet; //!< PACKET: one owned reference to an ns3::Packet (layer 3 bytes)
        uint64_t pfcTimersLow; //!< PFC: quanta of classes 0..3, 16 bits each, class 0 lowest
    };

    union {
        uint64_t offset;        //!< data: byte offset of the payload, relative to the QP's base
        uint64_t msn;           //!< ACK, NAK: messages completed by the responder
        uint64_t pfcTimersHigh; //!< PFC: quanta of classes 4..7
    };

    uint32_t source;      //!< endpoint index of the sender
    uint32_t destination; //!< endpoint index of the receiver
    uint32_t queuePair;   //!< QP number at the receiver (24 bit)
    uint32_t psn;         //!< 32 low bits of the packet sequence number; 24 of them on the wire
    /** Length of the whole message (RETH DMALen); IMMEDIATE: the immediate data, and the length is
     *  the payload where the RETH is with it; READ_RESPONSE: messages completed by the responder;
     *  RNR_NAK: timer code; PACKET: EtherType. */
    uint32_t messageBytes;
    uint16_t bytes;       //!< Ethernet frame with FCS, without preamble and gap
    uint16_t payload;     //!< RDMA payload bytes, without padding; 0 for everything else
    uint16_t entropy;     //!< UDP source port
    uint16_t ingress;     //!< switch: port index where the frame came in; PFC: class-enable vector
    FrameKind kind;       //!< what it is
    uint8_t trafficClass; //!< 0..7
    uint8_t flags;        //!< Flag bits
    uint8_t ttl;          //!< IPv4 TTL

    /** @return bytes of link time: the frame with preamble and inter-frame gap. */
    uint32_t WireBytes() const
    {
        return bytes + wire::PREAMBLE_IFG;
    }
};

static_assert(sizeof(Frame) == 64, "a frame is one cache line");

/**
 * @ingroup llm-training
 *
 * First-in first-out queue of frames, linked through Frame::next.
 */
class FrameFifo
{
  public:
    /** @return true if no frame waits. */
    bool IsEmpty() const
    {
        return m_head == nullptr;
    }

    /** @return the oldest frame, or nullptr. */
    Frame* Front() const
    {
        return m_head;
    }

    /** @param frame goes to the end. */
    void Push(Frame* frame)
    {
        frame->next = nullptr;
        if (m_head)
        {
            m_tail->next = frame;
        }
        else
        {
            m_head = frame;
        }
        m_tail = frame;
    }

    /** @return the oldest frame, taken out; the queue must not be empty. */
    Frame* Pop()
    {
        Frame* frame = m_head;
        m_head = frame->next;
        __builtin_prefetch(m_head); // its turn is next, and it may have waited for long
        return frame;
    }

  private:
    Frame* m_head{nullptr}; //!< oldest
    Frame* m_tail{nullptr}; //!< newest; valid while m_head is not null
};

/**
 * @ingroup llm-training
 *
 * Frames of one fabric: allocated in slabs, recycled last-in first-out so that the next frame is
 * warm in the cache. Counts what is out, so that a run can prove that nothing was lost or leaked.
 */
class FramePool
{
  public:
    FramePool() = default;
    FramePool(const FramePool&) = delete;
    FramePool& operator=(const FramePool&) = delete;

    /** @return a frame with indeterminate fields. */
    Frame* Allocate()
    {
        ++m_live;
        Frame* frame = m_free;
        if (frame)
        {
            m_free = frame->next;
            return frame;
        }
        if (m_fresh == m_freshEnd)
        {
            Grow();
        }
        return m_fresh++;
    }

    /** @param frame from this pool; a PACKET must have given up its reference before. */
    void Free(Frame* frame)
    {
        frame->next = m_free;
        m_free = frame;
        --m_live;
    }

    /** Have room for telemetry beside every frame. @param hops records per frame. */
    void RequireInt(uint32_t hops);

    /** Let a frame collect telemetry; after RequireInt. @param frame from this pool, without any.
     *  @param bytesPerHop by which each record lengthens it. */
    static void StartInt(Frame& frame, uint8_t bytesPerHop)
    {
        FindInts(frame).Start(IndexOf(frame), bytesPerHop);
    }

    /** @param frame with Frame::INT; grows. @param record to add. */
    static void AppendInt(Frame& frame, const IntRecord& record)
    {
        frame.bytes += static_cast<uint16_t>(FindInts(frame).Append(IndexOf(frame), record));
    }

    /** @param frame that has collected. @return how many records. */
    static uint32_t CountInt(const Frame& frame)
    {
        return FindInts(frame).GetCount(IndexOf(frame));
    }

    /** @param frame that has collected. @return bytes by which the records lengthen a frame. */
    static uint32_t GetIntBytes(const Frame& frame)
    {
        return FindInts(frame).GetBytes(IndexOf(frame));
    }

    /** @param frame that has collected. @return its records, until it is freed. */
    static const IntRecord* GetInt(const Frame& frame)
    {
        return FindInts(frame).GetRecords(IndexOf(frame));
    }

    /** @return frames allocated and not freed. */
    uint64_t GetLive() const
    {
        return m_live;
    }

    /** @return frames that exist, live or free. */
    uint64_t GetCapacity() const
    {
        return m_capacity;
    }

  private:
    static constexpr std::size_t SLAB_BYTES = std::size_t{2} << 20; //!< a huge page; aligned so

    static constexpr std::size_t FRAMES = SLAB_BYTES / sizeof(Frame); //!< of a slab, head included

    /** In place of a slab's first frame. */
    struct alignas(64) SlabHead
    {
        std::unique_ptr<FabricIntTable> ints; //!< telemetry of its frames; nullptr: none
    };

    static_assert(sizeof(SlabHead) == sizeof(Frame), "the head takes one frame's place");

    /** @return head of a frame's slab. */
    static const SlabHead& HeadOf(const Frame& frame)
    {
        return *reinterpret_cast<const SlabHead*>(reinterpret_cast<uintptr_t>(&frame) &
                                                  ~uintptr_t{SLAB_BYTES - 1});
    }

    /** @return telemetry of a frame's slab. */
    static FabricIntTable& FindInts(const Frame& frame)
    {
        return *HeadOf(frame).ints;
    }

    /** @return place of a frame in its slab, from 1 on. */
    static std::size_t IndexOf(const Frame& frame)
    {
        return (reinterpret_cast<uintptr_t>(&frame) & (SLAB_BYTES - 1)) / sizeof(Frame);
    }

    /** Gives a slab back. */
    struct FreeSlab
    {
        /** @param slab from Grow. */
        void operator()(void* slab) const;
    };

    /** Add a slab of frames. */
    void Grow();

    Frame* m_free{nullptr};     //!< recycled frames
    Frame* m_fresh{nullptr};    //!< first frame of the newest slab that was never out
    Frame* m_freshEnd{nullptr}; //!< end of that slab
    uint64_t m_live{0};         //!< frames out
    uint64_t m_capacity{0};     //!< frames in all slabs
    uint32_t m_intHops{0};      //!< records of telemetry per frame; 0: none
    std::vector<std::unique_ptr<void, FreeSlab>> m_slabs; //!< storage
};

} // namespace llm
} // namespace ns3

#endif // FABRIC_FRAME_H

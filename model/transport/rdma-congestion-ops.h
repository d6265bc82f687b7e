/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_CONGESTION_OPS_H
#define RDMA_CONGESTION_OPS_H

#include "ns3/data-rate.h"
#include "ns3/fabric-int-table.h"
#include "ns3/nstime.h"
#include "ns3/object.h"

#include <cstdint>
#include <limits>

namespace ns3
{
namespace llm
{

/** What a congestion control knows of its path when it starts. */
struct RdmaPathInfo
{
    DataRate lineRate;     //!< of the NIC
    Time baseRtt;          //!< of an unloaded path: full packet there, ACK back
    uint32_t mtu{4096};    //!< payload bytes per packet
    uint32_t wireBytes{0}; //!< link bytes of a full packet, preamble and gap included
    uint32_t hops{0};      //!< links on the path
    uint64_t bdp{0};       //!< line rate times base RTT, bytes

    /**
     * @return what RdmaAckInfo::rtt is of a full packet on an unloaded path: base RTT without the
     *         packet's time on the NIC's own link; 0 if the path is unknown.
     */
    Time GetLeastRtt() const;
};

/** What an acknowledgement says. */
struct RdmaAckInfo
{
    Time now;               //!< present time
    Time rtt;               //!< of the packet that caused the ACK; zero: no valid sample
    uint64_t ackedBytes{0}; //!< payload newly acknowledged
    uint64_t ackedPsn{0};   //!< 64-bit PSN: everything below is acknowledged
    uint64_t nextPsn{0};    //!< 64-bit PSN of the next packet to send
    uint64_t inFlight{0};   //!< payload sent and not acknowledged, after this ACK
    bool ecnEcho{false};    //!< BECN was set
    uint32_t intHops{0};    //!< records at intRecords; 0 without NEEDS_INT
    /** One by each switch on the path of the packet that caused the ACK, in its order; valid
     *  during the call. */
    const IntRecord* intRecords{nullptr};
};

/** How a loss was noticed. */
enum class RdmaLossKind : uint8_t
{
    NAK,     //!< PSN sequence error, or packets missing behind others
    TIMEOUT, //!< retransmission timeout
    TRIM     //!< one packet came without its payload
};

/**
 * @ingroup llm-training
 *
 * Services that a queue pair gives to its congestion control.
 */
class RdmaCongestionHost
{
  public:
    /**
     * Have OnTimer(id) called; replaces an earlier setting of the same id.
     * @param id 0 or 1.
     * @param at when, not before now.
     */
    virtual void ArmTimer(uint32_t id, Time at) = 0;
    /** @param id 0 or 1; OnTimer(id) will not be called. */
    virtual void CancelTimer(uint32_t id) = 0;
    /** Rate or window changed. */
    virtual void ControlChanged() = 0;

  protected:
    ~RdmaCongestionHost() = default;
};

/**
 * @ingroup llm-training
 *
 * Congestion control of one queue pair: sets the rate at which the NIC paces it, and the bytes it
 * may have in flight. Derive from it, register a TypeId, and name that TypeId in
 * RdmaTransport::CongestionControl; nothing else has to change.
 *
 * A queue pair keeps its instance for life, so that state survives between messages. Callbacks come
 * in the order of events; GetNeeds says which ones are wanted, and what is not needed costs
 * nothing.
 */
class RdmaCongestionOps : public Object
{
  public:
    /** Bits of GetNeeds. */
    enum Needs : uint32_t
    {
        NEEDS_NOTHING = 0,
        NEEDS_ACK = 1,             //!< OnAck for every ACK
        NEEDS_CNP = 2,             //!< the receiver sends CNPs for CE marks; OnCnp
        NEEDS_SEND = 4,            //!< OnSend for every data packet
        NEEDS_ECN_ECHO = 8,        //!< the receiver sets BECN on the ACK of a CE-marked packet
        NEEDS_ACK_PER_PACKET = 16, //!< every packet asks for an ACK
        NEEDS_INT = 32             //!< switches add IntRecords to data; ACKs bring them back
    };

    /** Window that never binds. */
    static constexpr uint64_t UNLIMITED = std::numeric_limits<uint64_t>::max();

    /** @return type id. */
    static TypeId GetTypeId();
    RdmaCongestionOps();
    ~RdmaCongestionOps() override;

    /** @return bits of Needs; constant over the life of the instance. */
    virtual uint32_t GetNeeds() const = 0;

    /**
     * First call: set the first rate and window.
     * @param path that the queue pair uses.
     */
    virtual void Init(const RdmaPathInfo& path) = 0;

    /** A data packet was handed to the port. @param now time. @param wireBytes on the link. */
    virtual void OnSend(Time now, uint32_t wireBytes);
    /** An ACK arrived. @param ack what it says. */
    virtual void OnAck(const RdmaAckInfo& ack);
    /** A congestion notification packet arrived. @param now time. */
    virtual void OnCnp(Time now);
    /** A loss was noticed, before anything is sent again. @param now time. @param kind how. */
    virtual void OnLoss(Time now, RdmaLossKind kind);
    /** A timer ran out. @param now time. @param id which. */
    virtual void OnTimer(Time now, uint32_t id);
    /** The queue pair has nothing to send; OnIdleRestart ends it. CNPs and ACKs of what is in
     *  flight may still come. Timers that only prepare the next sending can rest until then.
     *  @param now time. */
    virtual void OnIdle(Time now);
    /** The queue pair sends again after it had nothing to send. @param now time. @param idle how
     *  long. */
    virtual void OnIdleRestart(Time now, Time idle);

    /** @return bytes that each switch adds to a data frame with NEEDS_INT, and that its ACK has
     *  more; 0: records are free. Constant over the life of the instance. */
    virtual uint8_t GetIntBytesPerHop() const;

    /** @return pacing rate of wire bytes, bit/s; at most the line rate. */
    uint64_t GetRate() const
    {
        return m_rate;
    }

    /** @return payload bytes that may be in flight. */
    uint64_t GetWindow() const
    {
        return m_window;
    }

    /** @param host services; set once, before Init. */
    void SetHost(RdmaCongestionHost* host);

  protected:
    /** @param bitsPerSecond new rate, >= 1. */
    void SetRate(uint64_t bitsPerSecond);
    /** @param bytes new window. */
    void SetWindow(uint64_t bytes);
    /** Both, told at once. @param bitsPerSecond new rate, >= 1. @param bytes new window. */
    void SetRateAndWindow(uint64_t bitsPerSecond, uint64_t bytes);

    /** @return services; nullptr in a test without a queue pair. */
    RdmaCongestionHost* GetHost() const
    {
        return m_host;
    }

  private:
    RdmaCongestionHost* m_host{nullptr}; //!< services
    uint64_t m_rate{0};                  //!< bit/s
    uint64_t m_window{UNLIMITED};        //!< bytes
};

/**
 * @ingroup llm-training
 *
 * No reaction to congestion: line rate, and a fixed window if wanted. PFC or loss does the rest.
 */
class RdmaNoCongestionControl final : public RdmaCongestionOps
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();
    RdmaNoCongestionControl();
    ~RdmaNoCongestionControl() override;
    uint32_t GetNeeds() const override;
    void Init(const RdmaPathInfo& path) override;

  private:
    uint64_t m_fixedWindow; //!< attribute Window
};

} // namespace llm
} // namespace ns3

#endif // RDMA_CONGESTION_OPS_H

/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_INT_BASE_H
#define RDMA_INT_BASE_H

#include "rdma-congestion-ops.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * What congestion controls by in-band telemetry share: a window between that of the least rate and
 * the bandwidth-delay product, paced over the base RTT T, that follows what the most loaded hop
 * says. Of two records of a hop, dt apart, an algorithm makes a number; the largest of all hops is
 * averaged over T:
 *
 *     signal = (1 - min(dt, T) / T) signal + min(dt, T) / T * largest
 *
 * The first window is the bandwidth-delay product. The first ACK, and the first by a path of
 * another length, only record.
 */
class RdmaIntBase : public RdmaCongestionOps
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();
    RdmaIntBase();
    ~RdmaIntBase() override;
    /** @return ACKs, INT. */
    uint32_t GetNeeds() const final;
    void Init(const RdmaPathInfo& path) override;
    void OnAck(const RdmaAckInfo& ack) final;
    uint8_t GetIntBytesPerHop() const final;

    /** @return window, bytes. */
    double GetWindowBytes() const
    {
        return m_current;
    }

  protected:
    /**
     * @param now newest record of a hop.
     * @param before the one that the ACK before brought.
     * @param dt ticks between them, above 0.
     * @param bytesPerTick rate of the hop's link.
     * @return what it says, at least 0.
     */
    virtual double MeasureHop(const IntRecord& now,
                              const IntRecord& before,
                              double dt,
                              double bytesPerTick) const = 0;
    /**
     * The signal is new: set the window.
     * @param newRound the acknowledged packet was sent after the window of the last round was set.
     * @return false to leave everything as it is, the round included.
     */
    virtual bool UpdateWindow(bool newRound) = 0;

    /** @param bytes new window; it is kept within its bounds. */
    void SetWindowBytes(double bytes);

    /** @return averaged signal. */
    double GetSignal() const
    {
        return m_signal;
    }

    /** @return bandwidth-delay product, bytes. */
    double GetFullWindow() const
    {
        return m_fullWindow;
    }

    /** @return base RTT, ticks. */
    double GetBaseRtt() const
    {
        return m_baseRtt;
    }

  private:
    /** Keep records for the next difference. */
    void Remember(const RdmaAckInfo& ack);
    /** Measure the signal by the newest records. @return false if they say nothing. */
    bool Measure(const RdmaAckInfo& ack);
    /** Tell rate and window. */
    void Publish();

    DataRate m_minRate;    //!< attribute MinRate
    uint8_t m_bytesPerHop; //!< attribute IntBytesPerHop

    double m_baseRtt{1};             //!< ticks
    double m_ticksPerSecond{1};      //!< resolution
    double m_line{0};                //!< bit/s
    double m_fullWindow{1};          //!< bytes
    double m_leastWindow{1};         //!< bytes
    double m_current{0};             //!< window, bytes
    double m_signal{1};              //!< averaged
    bool m_started{false};           //!< there was an ACK
    uint64_t m_updatedBefore{0};     //!< PSN up to which packets were sent before the last round
    std::vector<IntRecord> m_before; //!< records of the ACK before
};

} // namespace llm
} // namespace ns3

#endif // RDMA_INT_BASE_H

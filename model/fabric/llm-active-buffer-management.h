/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_ACTIVE_BUFFER_MANAGEMENT_H
#define LLM_ACTIVE_BUFFER_MANAGEMENT_H

#include "fabric-buffer-policy.h"

#include "ns3/nstime.h"

#include <array>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Active Buffer Management, ABM (Addanki, Apostolaki, Ghobadi, Schmid, Vanbever, SIGCOMM 2022):
 * T = alpha_p (size - used) mu / (b n_p) for a queue of class p, where n_p is the number of
 * congested queues of that class and mu / b the rate at which the queue drains, relative to its
 * port. A class as a whole thus gets no more than alpha_p / (1 + alpha_p) of the pool, however many
 * of its queues are congested, and slow queues get less.
 *
 * A queue is congested while it uses CongestedShare of its threshold or more. mu / b is measured
 * over intervals of UpdateInterval in which the queue was never empty, and is 1 before the first of
 * them. Not modelled: the larger alpha that the paper gives to the first round trip of a flow.
 */
class ActiveBufferManagement : public FabricBufferPolicy
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();
    ActiveBufferManagement();
    ~ActiveBufferManagement() override;

    /** @param trafficClass 0..7. @param alpha of it, instead of attribute Alpha; > 0. */
    void SetClassAlpha(uint8_t trafficClass, double alpha);
    /** @param trafficClass 0..7. @return congested queues of the class. */
    uint32_t GetCongested(uint8_t trafficClass) const;
    /** @param port index. @param trafficClass 0..7. @return mu / b as measured last. */
    double GetDrainShare(uint32_t port, uint8_t trafficClass) const;

    /** What a lone queue gets that drains at line rate. */
    uint64_t GetThreshold(uint64_t size, uint64_t used) const override;
    bool IsPerQueue() const override;
    void Configure(const std::vector<uint64_t>& rates) override;
    uint64_t GetQueueThreshold(uint32_t port,
                               uint8_t trafficClass,
                               uint64_t size,
                               uint64_t used,
                               int64_t now) override;
    void QueueChanged(uint32_t port,
                      uint8_t trafficClass,
                      uint64_t bytes,
                      uint32_t drained,
                      uint64_t size,
                      uint64_t used,
                      int64_t now) override;

  private:
    /** One (port, class). */
    struct Queue
    {
        uint64_t bytes{0};     //!< of the pool in use
        uint64_t drained{0};   //!< that left in this interval
        int64_t since{0};      //!< tick when the interval began
        double drainShare{1};  //!< mu / b
        bool congested{false}; //!< counted in m_congested
    };

    /** Close the interval if it is over. */
    void Measure(Queue& queue, uint32_t port, int64_t now) const;

    double m_alpha;                        //!< attribute Alpha
    double m_congestedShare;               //!< attribute CongestedShare
    Time m_interval;                       //!< attribute UpdateInterval
    std::array<double, 8> m_classAlpha{};  //!< by class; 0: m_alpha
    std::array<uint32_t, 8> m_congested{}; //!< congested queues by class
    std::vector<Queue> m_queues;           //!< by port * 8 + class
    std::vector<double> m_bytesPerTick;    //!< rate by port
};

} // namespace llm
} // namespace ns3

#endif // LLM_ACTIVE_BUFFER_MANAGEMENT_H

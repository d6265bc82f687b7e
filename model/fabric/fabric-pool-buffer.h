/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_POOL_BUFFER_H
#define FABRIC_POOL_BUFFER_H

#include "fabric-shared-buffer.h"

#include <map>
#include <utility>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Packet memory with ingress and egress pools, as SONiC configures Broadcom switches: every frame
 * is accounted for twice, and stored only if both sides have room.
 *
 * - Ingress: each (port, class), a priority group, has a reserve; above it, it shares the ingress
 *   pool with all others under a threshold; above that, a lossless one has headroom, of its own or
 *   from a common pool (HeadroomOversubscription). A lossless group is paused when it reaches its
 *   threshold or uses headroom, and resumed when it uses no headroom and no more than
 *   max(Xon, threshold - XonOffset).
 * - Egress: each (port, class), a queue, has a reserve, and above it shares the lossless or the
 *   lossy egress pool under a threshold. By default lossless queues have none: nothing that ingress
 *   let in is dropped there. Egress pools bound what they count, not memory: their sizes may add up
 *   to more than Size.
 *
 * The base class's Size, Reserve, XonOffset, LosslessClasses and Policy (lossless groups at
 * ingress) have the same meaning here. What single ports get differently is said by
 * SetIngressProfile and SetEgressProfile.
 */
class FabricPoolBuffer : public FabricSharedBuffer
{
  public:
    /** What one priority group gets. */
    struct IngressProfile
    {
        uint64_t reserve{0};            //!< bytes of its own
        uint64_t headroom{0};           //!< bytes above its threshold; lossless only
        uint64_t xon{0};                //!< bytes at which it resumes at the latest
        uint64_t xonOffset{0};          //!< or so far below its threshold
        Ptr<FabricBufferPolicy> policy; //!< threshold; nullptr: as all others
    };

    /** What one queue gets. */
    struct EgressProfile
    {
        uint64_t reserve{0};            //!< bytes of its own
        Ptr<FabricBufferPolicy> policy; //!< threshold; nullptr: as all others
    };

    /** @return type id. */
    static TypeId GetTypeId();
    FabricPoolBuffer();
    ~FabricPoolBuffer() override;

    /** Before Configure. @param port index. @param trafficClass 0..7. @param profile of it. */
    void SetIngressProfile(uint32_t port, uint8_t trafficClass, const IngressProfile& profile);
    /** Before Configure. @param port index. @param trafficClass 0..7. @param profile of it. */
    void SetEgressProfile(uint32_t port, uint8_t trafficClass, const EgressProfile& profile);

    void Configure(const std::vector<FabricBufferPort>& ports,
                   const FabricEventQueue& events,
                   const std::string& name) override;
    uint64_t GetEgressUsed(uint32_t port, uint8_t trafficClass) const override;
    std::string Check(uint64_t queued) const override;

    /** @param lossless or lossy. @return bytes of that egress pool in use, without reserves. */
    uint64_t GetEgressPoolUsed(bool lossless) const;

  protected:
    void DoDispose() override;
    Verdict DoAdmit(uint32_t ingress,
                    uint32_t egress,
                    uint8_t trafficClass,
                    uint32_t bytes) override;
    void DoRelease(uint32_t ingress,
                   uint32_t egress,
                   uint8_t trafficClass,
                   uint32_t bytes) override;
    bool DoBeginPause(uint32_t ingress, uint8_t trafficClass) override;
    bool DoEndPause(uint32_t ingress, uint8_t trafficClass) override;

  private:
    /** Some memory that queues share. */
    struct Pool
    {
        uint64_t size{0}; //!< bytes
        uint64_t used{0}; //!< bytes
    };

    /** Limits of a priority group; what it uses is in m_ingress. */
    struct Group
    {
        uint64_t reserve{0};                 //!< see IngressProfile
        uint64_t xon{0};                     //!< see IngressProfile
        uint64_t xonOffset{0};               //!< see IngressProfile
        FabricBufferPolicy* policy{nullptr}; //!< threshold
    };

    /** A queue's limits and use. */
    struct Queue
    {
        uint64_t reserve{0};                 //!< see EgressProfile
        uint64_t reserved{0};                //!< of it in use
        uint64_t shared{0};                  //!< of the pool in use
        FabricBufferPolicy* policy{nullptr}; //!< threshold
    };

    /** (port, class). */
    using Place = std::pair<uint32_t, uint8_t>;

    /** Fill m_groups and the limits of headroom. @return sum of reserves and sum of headroom. */
    std::pair<uint64_t, uint64_t> ConfigureIngress(const std::vector<FabricBufferPort>& ports);
    /** Fill m_queues and size their pools. */
    void ConfigureEgress(std::size_t ports, const std::string& name);
    /** Prepare policies that treat queues apart, each once. */
    void ConfigurePolicies(const std::vector<FabricBufferPort>& ports);
    /** @return threshold of a priority group. */
    uint64_t GetIngressThreshold(uint32_t port, uint8_t trafficClass) const;
    /** @return threshold of a queue. */
    uint64_t GetEgressThreshold(uint32_t port, uint8_t trafficClass) const;
    /** Tell policies that treat queues apart. */
    void TellPolicies(uint32_t ingress, uint32_t egress, uint8_t trafficClass, uint32_t drained);

    uint64_t m_ingressPool;                          //!< attribute IngressPool
    uint64_t m_egressLosslessPool;                   //!< attribute EgressLosslessPool
    uint64_t m_egressLossyPool;                      //!< attribute EgressLossyPool
    uint64_t m_lossyReserve;                         //!< attribute LossyReserve
    uint64_t m_egressReserve;                        //!< attribute EgressReserve
    uint64_t m_xon;                                  //!< attribute Xon
    Ptr<FabricBufferPolicy> m_ingressLossyPolicy;    //!< attribute IngressLossyPolicy
    Ptr<FabricBufferPolicy> m_egressLosslessPolicy;  //!< attribute EgressLosslessPolicy
    Ptr<FabricBufferPolicy> m_egressLossyPolicy;     //!< attribute EgressLossyPolicy
    std::map<Place, IngressProfile> m_ingressByPort; //!< exceptions
    std::map<Place, EgressProfile> m_egressByPort;   //!< exceptions
    std::vector<Group> m_groups;                     //!< by port * 8 + class
    std::vector<Queue> m_queues;                     //!< by port * 8 + class
    std::array<Pool, 2> m_egressPools{};             //!< lossy, lossless
    bool m_anyPerQueue{false};                       //!< a policy treats queues apart
};

} // namespace llm
} // namespace ns3

#endif // FABRIC_POOL_BUFFER_H

/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_TRANSPORT_HELPER_H
#define RDMA_TRANSPORT_HELPER_H

#include "ns3/attribute.h"
#include "ns3/fabric-ecn-marker.h"
#include "ns3/llm-fabric.h"
#include "ns3/node-container.h"
#include "ns3/object-factory.h"
#include "ns3/rdma-transport.h"

#include <string>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Puts an RdmaTransport on endpoints of a built fabric.
 */
class RdmaTransportHelper
{
  public:
    RdmaTransportHelper();

    /** Set an attribute of RdmaTransport. @param name of it. @param value of it. */
    void SetAttribute(const std::string& name, const AttributeValue& value);

    /**
     * Choose the congestion control of every queue pair.
     * @param name a short name as "dcqcn" or "hpcc", or a TypeId name; see RdmaCongestionNames.
     * @throw ConfigError if there is no such congestion control.
     */
    void SetCongestionControl(const std::string& name);

    /**
     * Have switches mark as a congestion control wants it: DCTCP and NSCC have thresholds of their
     * own, all others the marker's default. Kmin and Kmax, where they are not 0, still count.
     * @param name of the congestion control, as of SetCongestionControl.
     * @param marker prototype for the switches; gets KminTime and KmaxTime.
     * @throw ConfigError if there is no such congestion control.
     */
    static void SetMarking(const std::string& name, RedEcnMarker& marker);

    /**
     * Choose the loss recovery.
     * @param name a short name as "go_back_n" or "selective_repeat", or a TypeId name; see
     *        GetRdmaReliabilityNames.
     * @throw ConfigError if there is no such loss recovery.
     */
    void SetReliability(const std::string& name);

    /** Set an attribute of the loss recovery; after SetReliability. @param name of it. @param value
     *  of it. */
    void SetReliabilityAttribute(const std::string& name, const AttributeValue& value);

    /**
     * Set retransmission timeout and retries at once, of every loss recovery: RdmaSelectiveRepeat
     * then has no timeouts of its own, unless they are set after.
     * @param preset "infiniband" (4.096 us x 2^14, 7 retries), "nccl" (4.096 us x 2^20, 7 retries),
     *        "scaled" (RdmaAckTimeout::Scale, 7 retries).
     * @throw ConfigError if there is no such preset.
     */
    void SetTimers(const std::string& preset);

    /** Set the retransmission timeout alone, of every loss recovery. @param exponent t of
     *  4.096 us x 2^t, 0 to 31. */
    void SetAckTimeout(uint32_t exponent);

    /** Set an attribute of the congestion control. @param name of it. @param value of it. */
    void SetCongestionAttribute(const std::string& name, const AttributeValue& value);

    /**
     * Choose the path selector of every queue pair.
     * @param name a short name as "single" or "reps", or a TypeId name; see GetRdmaPathNames.
     * @throw ConfigError if there is no such path selector.
     */
    void SetPathSelector(const std::string& name);

    /** Set an attribute of the path selector. @param name of it. @param value of it. */
    void SetPathAttribute(const std::string& name, const AttributeValue& value);

    /**
     * Take an object as path selector; a pinned one is told where to look for paths.
     * @param paths of all queue pairs.
     */
    void SetPathSelector(Ptr<RdmaPathSelector> paths);

    /**
     * @param fabric built.
     * @param ranks node of each rank, in rank order; endpoints of the fabric.
     * @return transport with all ranks.
     */
    Ptr<RdmaTransport> Install(Ptr<Fabric> fabric, const NodeContainer& ranks) const;

  private:
    /** Give a transport its path selector. */
    void InstallPaths(RdmaTransport& transport, const Ptr<Fabric>& fabric) const;
    /** Take away the timeouts that a loss recovery has of its own, if others were set. */
    void UseOneTimeout();

    ObjectFactory m_transport;        //!< of the transport
    ObjectFactory m_congestion;       //!< of congestion control
    ObjectFactory m_reliability;      //!< of loss recovery
    ObjectFactory m_paths;            //!< of the path selector
    bool m_hasPaths{false};           //!< m_paths was set
    Ptr<RdmaPathSelector> m_pathsPtr; //!< instead
    bool m_hasCongestion{false};      //!< m_congestion was set
    bool m_hasReliability{false};     //!< m_reliability was set
    bool m_hasTimers{false};          //!< the timeout was set for every loss recovery
};

} // namespace llm
} // namespace ns3

#endif // RDMA_TRANSPORT_HELPER_H

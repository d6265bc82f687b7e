/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_NIC_LIST_H
#define RDMA_NIC_LIST_H

#include "rdma-nic.h"

#include "ns3/node.h"
#include "ns3/object.h"
#include "ns3/ptr.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * The NICs of a node, aggregated to it: one for each fabric in which the node is an endpoint that
 * has RDMA. The first of them is aggregated to the node itself as well. By Config path all are
 * /NodeList/n/$ns3::llm::RdmaNicList/Nics/i.
 */
class RdmaNicList : public Object
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();
    RdmaNicList();
    ~RdmaNicList() override;

    /** @param node any. @param port of a fabric. @return the NIC behind it, or nullptr. */
    static Ptr<RdmaNic> Find(const Ptr<Node>& node, const FramePort* port);
    /** @param node gets @p nic. @param nic attached to a port that has none. */
    static void Add(const Ptr<Node>& node, const Ptr<RdmaNic>& nic);

    /** @return number of NICs. */
    uint32_t GetN() const;
    /** @param index below GetN. @return the NIC. */
    Ptr<RdmaNic> Get(uint32_t index) const;

  protected:
    void DoDispose() override;

  private:
    std::vector<Ptr<RdmaNic>> m_nics; //!< in order of Add
};

} // namespace llm
} // namespace ns3

#endif // RDMA_NIC_LIST_H

/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-nic-list.h"

#include "ns3/object-vector.h"

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(RdmaNicList);

TypeId
RdmaNicList::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::RdmaNicList")
            .SetParent<Object>()
            .SetGroupName("LlmTraining")
            .AddConstructor<RdmaNicList>()
            .AddAttribute("Nics",
                          "NICs of the node, one per fabric.",
                          ObjectVectorValue(),
                          MakeObjectVectorAccessor(&RdmaNicList::Get, &RdmaNicList::GetN),
                          MakeObjectVectorChecker<RdmaNic>());
    return tid;
}

RdmaNicList::RdmaNicList() = default;

RdmaNicList::~RdmaNicList() = default;

Ptr<RdmaNic>
RdmaNicList::Find(const Ptr<Node>& node, const FramePort* port)
{
    const Ptr<RdmaNicList> list = node->GetObject<RdmaNicList>();
    for (uint32_t i = 0; list && i < list->GetN(); ++i)
    {
        if (list->m_nics[i]->IsAt(port))
        {
            return list->m_nics[i];
        }
    }
    return nullptr;
}

void
RdmaNicList::Add(const Ptr<Node>& node, const Ptr<RdmaNic>& nic)
{
    Ptr<RdmaNicList> list = node->GetObject<RdmaNicList>();
    if (!list)
    {
        list = CreateObject<RdmaNicList>();
        node->AggregateObject(list);
        node->AggregateObject(nic);
    }
    list->m_nics.push_back(nic);
}

uint32_t
RdmaNicList::GetN() const
{
    return static_cast<uint32_t>(m_nics.size());
}

Ptr<RdmaNic>
RdmaNicList::Get(uint32_t index) const
{
    return m_nics.at(index);
}

void
RdmaNicList::DoDispose()
{
    // The first one is disposed of with the node, as part of it.
    for (std::size_t i = 1; i < m_nics.size(); ++i)
    {
        m_nics[i]->Dispose();
    }
    m_nics.clear();
    Object::DoDispose();
}

} // namespace llm
} // namespace ns3

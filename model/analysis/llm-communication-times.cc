/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-communication-times.h"

#include "ns3/llm-collective-operation.h"

#include <utility>

namespace ns3
{
namespace llm
{

CommunicationTimes::CommunicationTimes(const WorkloadSource& source,
                                       TrafficModel::Chooser chooser,
                                       const std::vector<uint32_t>& serverOf,
                                       const CollectiveLinks& links)
    : m_source(source),
      m_chooser(std::move(chooser)),
      m_serverOf(serverOf),
      m_links(links)
{
}

int64_t
CommunicationTimes::Reckon(const Operation& operation) const
{
    const ProcessGroup& group = m_source.GetGroups()[operation.group];
    CollectiveSpec spec;
    spec.kind = GetCollectiveKind(operation.kind);
    spec.groupSize = static_cast<uint32_t>(group.ranks.size());
    spec.bytes = operation.bytes;
    spec.root = operation.root;
    spec.exchange = operation.exchange;
    const CollectiveAlgorithm* algorithm = m_chooser(spec, group, operation.dimension);
    return static_cast<int64_t>(algorithm->PredictPipelinedTimePs(spec, m_links));
}

int64_t
CommunicationTimes::Get(uint32_t rank, const Operation& operation)
{
    if (operation.kind == OperationKind::SEND)
    {
        const bool together = m_serverOf[rank] == m_serverOf[operation.peer];
        const CollectiveLink& link = together ? m_links.scaleUp : m_links.network;
        return static_cast<int64_t>(link.alphaPs + link.GetPs(operation.bytes));
    }
    const Key key{operation.group,
                  operation.kind,
                  operation.bytes,
                  operation.root,
                  operation.exchange};
    const auto known = m_known.find(key);
    if (known != m_known.end())
    {
        return known->second;
    }
    return m_known[key] = Reckon(operation);
}

} // namespace llm
} // namespace ns3

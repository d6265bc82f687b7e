/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-flow-workload.h"

#include "ns3/llm-config-error.h"
#include "ns3/llm-units.h"

#include <algorithm>
#include <map>
#include <set>

namespace ns3
{
namespace llm
{

namespace
{

/** @return an operation in no queue. */
Operation
MakeOperation(OperationKind kind)
{
    Operation operation;
    operation.kind = kind;
    operation.stream = OperationStream::UNORDERED;
    return operation;
}

} // namespace

FlowWorkload::FlowWorkload(const FlowList& list, uint32_t ranks)
    : StoredWorkload(list.source),
      m_flows(list.flows)
{
    if (list.ranks == 0)
    {
        throw ConfigError(list.source, "", "has no flows");
    }
    if (ranks > 0 && list.ranks > ranks)
    {
        throw ConfigError(list.source,
                          "",
                          "has flows of rank " + std::to_string(list.ranks - 1) + "; there are " +
                              std::to_string(ranks) + " ranks, counted from 0");
    }
    std::stable_sort(m_flows.begin(), m_flows.end(), [](const Flow& a, const Flow& b) {
        return a.startPs < b.startPs;
    });
    MakePrograms(ranks > 0 ? ranks : list.ranks);
    uint64_t bytes = 0;
    std::set<uint32_t> classes;
    for (const Flow& flow : m_flows)
    {
        bytes += flow.bytes;
        classes.insert(flow.trafficClass);
    }
    const std::string first = FormatDurationPs(m_flows.front().startPs);
    const std::string last = FormatDurationPs(m_flows.back().startPs);
    std::string summary = list.kind + ", " + std::to_string(m_flows.size()) +
                          (m_flows.size() == 1 ? " flow, " : " flows, ") + FormatBytes(bytes) +
                          " in all, among " + std::to_string(m_ranks.size()) + " ranks, starts " +
                          (first == last ? "at " + first : "from " + first + " to " + last) +
                          ", class";
    for (const uint32_t trafficClass : classes)
    {
        summary += " " + std::to_string(trafficClass);
    }
    SetSummary(summary);
    for (const std::string& note : list.notes)
    {
        AddNote(note);
    }
}

void
FlowWorkload::MakePrograms(uint32_t ranks)
{
    m_ranks.resize(ranks);
    for (std::size_t i = 0; i < m_flows.size(); ++i)
    {
        Operation receive = MakeOperation(OperationKind::RECV);
        receive.bytes = m_flows[i].bytes;
        receive.peer = m_flows[i].from;
        receive.tag = i;
        m_ranks[m_flows[i].to].Append(receive);
    }
    // A chain of pauses from start time to start time; each send waits for the pause before it.
    std::vector<int64_t> clock(ranks, 0);
    std::vector<uint64_t> pauseOf(ranks, 0);
    std::map<std::pair<uint32_t, uint32_t>, uint32_t> flowsOfPair;
    uint32_t most = 0;
    for (std::size_t i = 0; i < m_flows.size(); ++i)
    {
        const Flow& flow = m_flows[i];
        OperationStore& program = m_ranks[flow.from];
        if (flow.startPs > clock[flow.from])
        {
            Operation pause = MakeOperation(OperationKind::COMPUTE);
            pause.durationPs = flow.startPs - clock[flow.from];
            if (clock[flow.from] > 0)
            {
                pause.waits.push_back(pauseOf[flow.from]);
            }
            clock[flow.from] = flow.startPs;
            pauseOf[flow.from] = program.GetSize();
            program.Append(pause);
        }
        Operation send = MakeOperation(OperationKind::SEND);
        send.bytes = flow.bytes;
        send.peer = flow.to;
        send.tag = i;
        send.trafficClass = flow.trafficClass;
        uint32_t& number = flowsOfPair[{flow.from, flow.to}];
        send.channel = static_cast<uint16_t>(number++ % MAX_PER_PAIR);
        most = std::max(most, number);
        if (flow.startPs > 0)
        {
            send.waits.push_back(pauseOf[flow.from]);
        }
        program.Append(send);
    }
    m_channels = std::min(most, MAX_PER_PAIR);
    if (most > MAX_PER_PAIR)
    {
        AddNote("a pair has up to " + std::to_string(most) + " flows, that share " +
                std::to_string(MAX_PER_PAIR) + " connections in turn");
    }
}

} // namespace llm
} // namespace ns3

/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-replay-links.h"

#include <algorithm>
#include <limits>

namespace ns3
{
namespace llm
{

namespace
{
constexpr double NEVER = std::numeric_limits<double>::infinity(); //!< nothing will happen
constexpr double DUST = 0.5; //!< picoseconds that are only rounding
} // namespace

OrderedReplayLinks::OrderedReplayLinks(uint32_t ranks, const CollectiveLink& link)
    : m_ranks(ranks),
      m_link(link),
      m_egressFree(ranks),
      m_ingressFree(ranks)
{
}

bool
OrderedReplayLinks::IsLater::operator()(const Event& a, const Event& b) const
{
    return std::make_tuple(a.timePs, !a.drained, a.message.from, a.number) >
           std::make_tuple(b.timePs, !b.drained, b.message.from, b.number);
}

void
OrderedReplayLinks::Start(const ReplayMessage& message, double nowPs)
{
    double& free = m_egressFree[message.from];
    const double firstBytePs = std::max(free, nowPs) + m_link.alphaPs;
    free = std::max(free, nowPs) + m_link.GetPs(message.bytes);
    const uint64_t number = m_count++;
    switch (message.inNetwork)
    {
    case InNetwork::NONE:
        m_events.push({firstBytePs, false, number, message});
        break;
    case InNetwork::REDUCE: {
        const std::tuple<uint32_t, uint32_t, uint64_t> key{message.to,
                                                           message.channel,
                                                           message.part};
        Sum& sum = m_sums[key];
        sum.second = std::max(sum.second, firstBytePs);
        if (++sum.first == m_ranks)
        {
            ReplayMessage result = message;
            result.from = message.to;
            m_events.push({sum.second, false, number, result});
            m_sums.erase(key);
        }
        break;
    }
    case InNetwork::MULTICAST:
        for (uint32_t rank = 0; rank < m_ranks; ++rank)
        {
            ReplayMessage copy = message;
            copy.to = rank;
            m_events.push({firstBytePs, false, number, copy});
        }
        break;
    }
}

double
OrderedReplayLinks::GetNextPs() const
{
    return m_events.empty() ? NEVER : m_events.top().timePs;
}

void
OrderedReplayLinks::Advance(std::vector<ReplayMessage>& delivered)
{
    Event event = m_events.top();
    m_events.pop();
    if (event.drained)
    {
        delivered.push_back(event.message);
        return;
    }
    double& free = m_ingressFree[event.message.to];
    free = std::max(free, event.timePs) + m_link.GetPs(event.message.bytes);
    event.timePs = free;
    event.drained = true;
    m_events.push(event);
}

FairReplayLinks::FairReplayLinks(uint32_t ranks, const CollectiveLink& link)
    : m_ranks(ranks),
      m_link(link)
{
}

void
FairReplayLinks::Pass(double nowPs)
{
    for (auto& [key, flow] : m_flows)
    {
        flow.leftPs -= (nowPs - m_nowPs) * flow.share;
    }
    m_nowPs = nowPs;
}

void
FairReplayLinks::Share()
{
    // Progressive filling: the port with the least left for each of its flows decides on them.
    struct Port
    {
        double left{1};
        uint32_t open{0};
    };

    std::vector<Port> ports(2 * static_cast<std::size_t>(m_ranks)); // senders, then receivers
    std::vector<Flow*> flows;
    std::vector<std::pair<std::size_t, std::size_t>> ends;
    for (auto& [key, flow] : m_flows)
    {
        flow.share = -1;
        flows.push_back(&flow);
        ends.emplace_back(std::get<0>(key), m_ranks + std::get<1>(key));
        ++ports[ends.back().first].open;
        ++ports[ends.back().second].open;
    }
    for (std::size_t done = 0; done < flows.size();)
    {
        std::size_t tightest = 0;
        for (std::size_t p = 0; p < ports.size(); ++p)
        {
            if (ports[p].open > 0 &&
                (ports[tightest].open == 0 ||
                 ports[p].left / ports[p].open < ports[tightest].left / ports[tightest].open))
            {
                tightest = p;
            }
        }
        const double share = ports[tightest].left / ports[tightest].open;
        for (std::size_t f = 0; f < flows.size(); ++f)
        {
            const auto [sender, receiver] = ends[f];
            if (flows[f]->share >= 0 || (sender != tightest && receiver != tightest))
            {
                continue;
            }
            flows[f]->share = share;
            ++done;
            for (const std::size_t p : {sender, receiver})
            {
                ports[p].left = std::max(0.0, ports[p].left - share);
                --ports[p].open;
            }
        }
    }
}

void
FairReplayLinks::Start(const ReplayMessage& message, double nowPs)
{
    Pass(nowPs);
    Flow& flow = m_flows[{message.from, message.to, message.channel}];
    flow.messages.push(message);
    if (flow.messages.size() == 1)
    {
        flow.leftPs = m_link.GetPs(message.bytes);
        Share();
    }
}

double
FairReplayLinks::GetNextPs() const
{
    double nextPs = m_arriving.empty() ? NEVER : m_arriving.front().first;
    for (const auto& [key, flow] : m_flows)
    {
        nextPs = std::min(nextPs, m_nowPs + std::max(0.0, flow.leftPs) / flow.share);
    }
    return nextPs;
}

void
FairReplayLinks::Advance(std::vector<ReplayMessage>& delivered)
{
    Pass(GetNextPs());
    while (!m_arriving.empty() && m_arriving.front().first <= m_nowPs)
    {
        delivered.push_back(m_arriving.front().second);
        m_arriving.pop();
    }
    bool changed = false;
    for (auto it = m_flows.begin(); it != m_flows.end();)
    {
        Flow& flow = it->second;
        if (flow.leftPs > DUST)
        {
            ++it;
            continue;
        }
        m_arriving.emplace(m_nowPs + m_link.alphaPs, flow.messages.front());
        flow.messages.pop();
        if (flow.messages.empty())
        {
            it = m_flows.erase(it);
            changed = true;
            continue;
        }
        flow.leftPs += m_link.GetPs(flow.messages.front().bytes);
        ++it;
    }
    if (changed)
    {
        Share();
    }
}

BufferedReplayLinks::BufferedReplayLinks(uint32_t ranks, const CollectiveLink& link)
    : m_link(link),
      m_open(ranks),
      m_inflow(ranks),
      m_backlogPs(ranks)
{
}

void
BufferedReplayLinks::Pass(double nowPs)
{
    const double passedPs = nowPs - m_nowPs;
    m_nowPs = nowPs;
    std::fill(m_inflow.begin(), m_inflow.end(), 0.0);
    for (auto& [key, flow] : m_flows)
    {
        const double share = 1.0 / m_open[std::get<0>(key)];
        flow.leftPs -= passedPs * share;
        m_inflow[std::get<1>(key)] += share;
    }
    for (std::size_t receiver = 0; receiver < m_backlogPs.size(); ++receiver)
    {
        m_backlogPs[receiver] =
            std::max(0.0, m_backlogPs[receiver] + passedPs * (m_inflow[receiver] - 1));
    }
}

void
BufferedReplayLinks::Start(const ReplayMessage& message, double nowPs)
{
    Pass(nowPs);
    Flow& flow = m_flows[{message.from, message.to, message.channel}];
    flow.messages.push(message);
    if (flow.messages.size() == 1)
    {
        flow.leftPs = m_link.GetPs(message.bytes);
        ++m_open[message.from];
    }
}

double
BufferedReplayLinks::GetNextPs() const
{
    double nextPs = m_arriving.empty() ? NEVER : m_arriving.top().timePs;
    for (const auto& [key, flow] : m_flows)
    {
        nextPs = std::min(nextPs, m_nowPs + std::max(0.0, flow.leftPs) * m_open[std::get<0>(key)]);
    }
    return nextPs;
}

void
BufferedReplayLinks::Advance(std::vector<ReplayMessage>& delivered)
{
    Pass(GetNextPs());
    while (!m_arriving.empty() && m_arriving.top().timePs <= m_nowPs)
    {
        delivered.push_back(m_arriving.top().message);
        m_arriving.pop();
    }
    for (auto it = m_flows.begin(); it != m_flows.end();)
    {
        Flow& flow = it->second;
        if (flow.leftPs > DUST)
        {
            ++it;
            continue;
        }
        const ReplayMessage& message = flow.messages.front();
        m_arriving.push({m_nowPs + m_backlogPs[message.to] + m_link.alphaPs, m_count++, message});
        flow.messages.pop();
        if (flow.messages.empty())
        {
            --m_open[std::get<0>(it->first)];
            it = m_flows.erase(it);
            continue;
        }
        flow.leftPs += m_link.GetPs(flow.messages.front().bytes);
        ++it;
    }
}

} // namespace llm
} // namespace ns3

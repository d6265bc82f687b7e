/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-stored-workload.h"

#include <array>
#include <functional>
#include <queue>

namespace ns3
{
namespace llm
{

uint32_t
StoredWorkload::GetWorldSize() const
{
    return static_cast<uint32_t>(m_ranks.size());
}

const std::vector<ProcessGroup>&
StoredWorkload::GetGroups() const
{
    return m_groups;
}

std::unique_ptr<StepProgram>
StoredWorkload::CreateProgram(uint32_t rank, uint32_t) const
{
    return std::make_unique<StoredProgram>(m_ranks[rank]);
}

uint64_t
StoredWorkload::CountOperations(uint32_t rank) const
{
    return m_ranks[rank].GetSize();
}

uint32_t
StoredWorkload::GetChannelCount() const
{
    return m_channels;
}

std::size_t
StoredWorkload::StoreOrdered(uint32_t rank, std::vector<Operation>& operations)
{
    const std::size_t count = operations.size();
    std::vector<uint32_t> open(count, 0);
    std::vector<std::vector<uint32_t>> behind(count);
    for (std::size_t i = 0; i < count; ++i)
    {
        for (const auto* waits : {&operations[i].waits, &operations[i].startWaits})
        {
            for (const uint64_t wait : *waits)
            {
                behind[wait].push_back(static_cast<uint32_t>(i));
                ++open[i];
            }
        }
    }
    std::priority_queue<std::size_t, std::vector<std::size_t>, std::greater<>> ready;
    for (std::size_t i = 0; i < count; ++i)
    {
        if (open[i] == 0)
        {
            ready.push(i);
        }
    }
    std::vector<std::size_t> order;
    std::vector<uint64_t> placeOf(count, 0);
    while (!ready.empty())
    {
        const std::size_t next = ready.top();
        ready.pop();
        placeOf[next] = order.size();
        order.push_back(next);
        for (const uint32_t follower : behind[next])
        {
            if (--open[follower] == 0)
            {
                ready.push(follower);
            }
        }
    }
    if (order.size() < count)
    {
        // Whoever is left waits for one that is left: going back often enough ends on a circle.
        std::size_t member = 0;
        while (open[member] == 0)
        {
            ++member;
        }
        for (std::size_t step = 0; step < count; ++step)
        {
            std::size_t before = member;
            for (const auto* waits : {&operations[member].waits, &operations[member].startWaits})
            {
                for (const uint64_t wait : *waits)
                {
                    before = open[wait] > 0 ? wait : before;
                }
            }
            member = before;
        }
        return member;
    }
    for (const std::size_t index : order)
    {
        Operation& operation = operations[index];
        for (auto* waits : {&operation.waits, &operation.startWaits})
        {
            for (uint64_t& wait : *waits)
            {
                wait = placeOf[wait];
            }
        }
        m_ranks[rank].Append(operation);
    }
    return count;
}

std::string
StoredWorkload::SummariseOperations() const
{
    constexpr std::size_t kinds = static_cast<std::size_t>(OperationKind::RECV) + 1;
    std::array<uint64_t, kinds> counts{};
    std::array<uint64_t, kinds> bytes{};
    uint64_t total = 0;
    Operation operation;
    for (const OperationStore& store : m_ranks)
    {
        total += store.GetSize();
        for (uint64_t i = 0; i < store.GetSize(); ++i)
        {
            store.Get(i, operation);
            ++counts[static_cast<std::size_t>(operation.kind)];
            bytes[static_cast<std::size_t>(operation.kind)] += operation.bytes;
        }
    }
    std::string text = std::to_string(total) + " operations";
    const char* separator = ": ";
    for (std::size_t kind = 0; kind < kinds; ++kind)
    {
        if (counts[kind] > 0)
        {
            text += separator + std::to_string(counts[kind]) + " " +
                    ToString(static_cast<OperationKind>(kind));
            text += bytes[kind] > 0 ? " (" + std::to_string(bytes[kind]) + " B)" : "";
            separator = ", ";
        }
    }
    return text;
}

} // namespace llm
} // namespace ns3

/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-operation-store.h"

namespace ns3
{
namespace llm
{

void
OperationStore::Append(const Operation& operation)
{
    const bool compute = operation.kind == OperationKind::COMPUTE;
    const bool pair =
        operation.kind == OperationKind::SEND || operation.kind == OperationKind::RECV;
    Packed packed;
    packed.amount = compute ? static_cast<uint64_t>(operation.durationPs) : operation.bytes;
    packed.tag = operation.tag;
    packed.exchange = operation.exchange;
    packed.firstWait = m_waits.size();
    packed.waits = static_cast<uint32_t>(operation.waits.size());
    packed.startWaits = static_cast<uint32_t>(operation.startWaits.size());
    packed.partner = pair ? operation.peer : operation.group;
    packed.root = operation.root;
    packed.layer = operation.layer;
    packed.microbatch = operation.microbatch;
    packed.channel = operation.channel;
    packed.kind = operation.kind;
    packed.stream = operation.stream;
    packed.dimension = operation.dimension;
    packed.phase = operation.phase;
    packed.lane = operation.lane;
    packed.trafficClass = operation.trafficClass;
    m_waits.insert(m_waits.end(), operation.waits.begin(), operation.waits.end());
    m_waits.insert(m_waits.end(), operation.startWaits.begin(), operation.startWaits.end());
    m_operations.push_back(packed);
}

void
OperationStore::Get(uint64_t index, Operation& operation) const
{
    const Packed& packed = m_operations[index];
    const bool compute = packed.kind == OperationKind::COMPUTE;
    const bool pair = packed.kind == OperationKind::SEND || packed.kind == OperationKind::RECV;
    const auto waits = m_waits.begin() + static_cast<std::ptrdiff_t>(packed.firstWait);
    operation.id = index;
    operation.kind = packed.kind;
    operation.stream = packed.stream;
    operation.dimension = packed.dimension;
    operation.phase = packed.phase;
    operation.layer = packed.layer;
    operation.microbatch = packed.microbatch;
    operation.durationPs = compute ? static_cast<int64_t>(packed.amount) : 0;
    operation.bytes = compute ? 0 : packed.amount;
    operation.group = pair ? 0 : packed.partner;
    operation.root = packed.root;
    operation.exchange = packed.exchange;
    operation.peer = pair ? packed.partner : 0;
    operation.tag = packed.tag;
    operation.channel = packed.channel;
    operation.lane = packed.lane;
    operation.trafficClass = packed.trafficClass;
    operation.waits.assign(waits, waits + packed.waits);
    operation.startWaits.assign(waits + packed.waits, waits + packed.waits + packed.startWaits);
}

StoredProgram::StoredProgram(const OperationStore& store)
    : m_store(store)
{
}

bool
StoredProgram::Next(Operation& operation)
{
    if (m_next == m_store.GetSize())
    {
        return false;
    }
    m_store.Get(m_next++, operation);
    return true;
}

} // namespace llm
} // namespace ns3

/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-drop-counter.h"

namespace ns3
{
namespace llm
{

void
DropCounter::Connect(Ptr<Fabric> fabric)
{
    for (const auto& port : fabric->GetPorts())
    {
        port->TraceConnectWithoutContext("FrameDrop", MakeCallback(&DropCounter::FrameDrop, this));
    }
}

void
DropCounter::FrameDrop(const FabricPort*, const Frame&, DropReason reason)
{
    ++m_counts[reason];
}

} // namespace llm
} // namespace ns3

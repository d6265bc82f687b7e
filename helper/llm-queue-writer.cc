/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-queue-writer.h"

namespace ns3
{
namespace llm
{

QueueWriter::QueueWriter(const std::string& path, Ptr<Fabric> fabric, Time interval)
    : m_file(path, "interval_start_us,port,class,highest_bytes,last_bytes"),
      m_fabric(fabric),
      m_events(fabric->GetEventQueue()),
      m_intervals(fabric->GetPorts().size(), interval.GetTimeStep())
{
    for (const auto& port : fabric->GetPorts())
    {
        port->TraceConnectWithoutContext("QueueBytes",
                                         MakeCallback(&QueueWriter::QueueBytes, this));
    }
}

void
QueueWriter::QueueBytes(const FabricPort* port, uint8_t trafficClass, uint64_t bytes)
{
    const int64_t now = m_events.Now();
    if (m_intervals.IsOver(now))
    {
        Finish();
    }
    Level& level = m_intervals.At(now, port->GetPortId(), trafficClass);
    level.highest = std::max(level.highest, bytes);
    level.last = bytes;
}

void
QueueWriter::Finish()
{
    m_intervals.Flush([this](int64_t start, uint32_t port, uint8_t trafficClass, const Level& l) {
        m_file.Write(FormatMicroseconds(start),
                     m_fabric->GetPorts()[port]->GetLabel(),
                     static_cast<unsigned>(trafficClass),
                     l.highest,
                     l.last);
    });
}

} // namespace llm
} // namespace ns3

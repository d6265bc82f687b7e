/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-ecn-writer.h"

namespace ns3
{
namespace llm
{

EcnWriter::EcnWriter(const std::string& path, Ptr<Fabric> fabric, Time interval)
    : m_file(path, "interval_start_us,port,class,marked_frames,marked_bytes"),
      m_fabric(fabric),
      m_events(fabric->GetEventQueue()),
      m_intervals(fabric->GetPorts().size(), interval.GetTimeStep())
{
    for (const auto& port : fabric->GetPorts())
    {
        port->TraceConnectWithoutContext("EcnMark", MakeCallback(&EcnWriter::EcnMark, this));
    }
}

void
EcnWriter::EcnMark(const FabricPort* port, const Frame& frame)
{
    const int64_t now = m_events.Now();
    if (m_intervals.IsOver(now))
    {
        Finish();
    }
    Marks& marks = m_intervals.At(now, port->GetPortId(), frame.trafficClass);
    ++marks.frames;
    marks.bytes += frame.bytes;
}

void
EcnWriter::Finish()
{
    m_intervals.Flush([this](int64_t start, uint32_t port, uint8_t trafficClass, const Marks& m) {
        m_file.Write(FormatMicroseconds(start),
                     m_fabric->GetPorts()[port]->GetLabel(),
                     static_cast<unsigned>(trafficClass),
                     m.frames,
                     m.bytes);
    });
}

} // namespace llm
} // namespace ns3

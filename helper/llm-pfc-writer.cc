/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-pfc-writer.h"

namespace ns3
{
namespace llm
{

PfcWriter::PfcWriter(const std::string& path, Ptr<Fabric> fabric)
    : m_file(path, "time_us,port,event,class,quanta"),
      m_events(fabric->GetEventQueue())
{
    for (const auto& port : fabric->GetPorts())
    {
        port->TraceConnectWithoutContext("PfcSent", MakeCallback(&PfcWriter::Sent, this));
        port->TraceConnectWithoutContext("PfcPause", MakeCallback(&PfcWriter::Paused, this));
        port->TraceConnectWithoutContext("PfcResume", MakeCallback(&PfcWriter::Resumed, this));
        port->TraceConnectWithoutContext("PfcStorm", MakeCallback(&PfcWriter::Storm, this));
    }
}

void
PfcWriter::Sent(const FabricPort* port, uint8_t trafficClass, uint16_t quanta)
{
    Write(port, quanta > 0 ? "xoff_sent" : "xon_sent", trafficClass, quanta);
}

void
PfcWriter::Paused(const FabricPort* port, uint8_t trafficClass, uint16_t quanta)
{
    Write(port, "paused", trafficClass, quanta);
}

void
PfcWriter::Resumed(const FabricPort* port, uint8_t trafficClass, uint16_t quanta)
{
    Write(port, "resumed", trafficClass, quanta);
}

void
PfcWriter::Storm(const FabricPort* port, uint8_t trafficClass, bool begins)
{
    Write(port, begins ? "storm" : "storm_over", trafficClass, 0);
}

void
PfcWriter::Write(const FabricPort* port, const char* event, uint8_t trafficClass, uint16_t quanta)
{
    m_file.Write(FormatMicroseconds(m_events.Now()),
                 port->GetLabel(),
                 event,
                 static_cast<unsigned>(trafficClass),
                 quanta);
}

} // namespace llm
} // namespace ns3

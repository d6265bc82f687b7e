/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-flow-writer.h"

#include "ns3/llm-step-program.h"
#include "ns3/nstime.h"

namespace ns3
{
namespace llm
{

FlowWriter::FlowWriter(const std::string& path)
    : m_file(path,
             "start_us,end_us,completion_us,from_rank,to_rank,channel,class,dimension,bytes,"
             "goodput_gbps")
{
}

void
FlowWriter::Connect(Ptr<MessageTransport> transport)
{
    transport->TraceConnectWithoutContext("MessageEnd",
                                          MakeCallback(&FlowWriter::MessageEnd, this));
}

void
FlowWriter::MessageEnd(const Message& message, int64_t now)
{
    const int64_t ticks = now - message.start;
    const double seconds = Time(ticks).GetSeconds();
    m_file.Write(FormatMicroseconds(message.start),
                 FormatMicroseconds(now),
                 FormatMicroseconds(ticks),
                 message.from,
                 message.to,
                 message.channel,
                 static_cast<unsigned>(message.trafficClass),
                 ToString(static_cast<ParallelDimension>(message.dimension)),
                 message.bytes,
                 ticks > 0 ? static_cast<double>(message.bytes) * 8e-9 / seconds : 0.0);
}

} // namespace llm
} // namespace ns3

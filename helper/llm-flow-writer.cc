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

FlowWriter::FlowWriter(const std::string& path, bool severalJobs)
    : m_severalJobs(severalJobs),
      m_file(path,
             std::string(severalJobs ? "job," : "") +
                 "start_us,end_us,completion_us,from_rank,to_rank,channel,class,dimension,bytes,"
                 "goodput_gbps,ideal_us,slowdown")
{
}

void
FlowWriter::Connect(Ptr<MessageTransport> transport,
                    const std::string& job,
                    std::unique_ptr<IdealCompletion> ideal)
{
    m_ideals[job] = std::move(ideal);
    transport->TraceConnect("MessageEnd", job, MakeCallback(&FlowWriter::MessageEnd, this));
}

void
FlowWriter::MessageEnd(std::string job, const Message& message, int64_t now)
{
    if (m_severalJobs)
    {
        m_file.Begin(job);
    }
    const int64_t ticks = now - message.start;
    const double seconds = Time(ticks).GetSeconds();
    const auto& known = m_ideals.at(job);
    const int64_t ideal = known ? known->GetTicks(message.from, message.to, message.bytes) : 0;
    m_file.Write(FormatMicroseconds(message.start),
                 FormatMicroseconds(now),
                 FormatMicroseconds(ticks),
                 message.from,
                 message.to,
                 message.channel,
                 static_cast<unsigned>(message.trafficClass),
                 message.dimension < static_cast<uint8_t>(ParallelDimension::COUNT)
                     ? ToString(static_cast<ParallelDimension>(message.dimension))
                     : "none",
                 message.bytes,
                 ticks > 0 ? static_cast<double>(message.bytes) * 8e-9 / seconds : 0.0,
                 FormatMicroseconds(ideal),
                 ideal > 0 ? static_cast<double>(ticks) / static_cast<double>(ideal) : 0.0);
}

} // namespace llm
} // namespace ns3

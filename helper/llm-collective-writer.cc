/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-collective-writer.h"

namespace ns3
{
namespace llm
{

CollectiveWriter::CollectiveWriter(const std::string& path, bool severalJobs)
    : m_severalJobs(severalJobs),
      m_file(path,
             std::string(severalJobs ? "job," : "") +
                 "start_us,all_started_us,end_us,duration_us,iteration,kind,dimension,group,"
                 "first_rank,ranks,sequence,bytes,algbw_gigabytes_per_s,busbw_gigabytes_per_s")
{
}

void
CollectiveWriter::Connect(Ptr<TrainingJob> job, const std::string& name)
{
    m_workloads[name] = job->GetWorkload();
    job->TraceConnect("CollectiveEnd", name, MakeCallback(&CollectiveWriter::CollectiveEnd, this));
}

void
CollectiveWriter::CollectiveEnd(std::string job, const CollectiveRecord& record)
{
    const ProcessGroup& group = m_workloads.at(job)->GetGroups()[record.group];
    if (m_severalJobs)
    {
        m_file.Begin(job);
    }
    m_file.Write(FormatMicroseconds(record.start),
                 FormatMicroseconds(record.ready),
                 FormatMicroseconds(record.end),
                 FormatMicroseconds(record.end - record.start),
                 record.iteration,
                 ToString(record.kind),
                 ToString(record.dimension),
                 group.name,
                 group.ranks.front(),
                 record.groupSize,
                 record.sequence,
                 record.bytes,
                 record.GetAlgorithmBandwidth() * 1e-9,
                 record.GetBusBandwidth() * 1e-9);
}

} // namespace llm
} // namespace ns3

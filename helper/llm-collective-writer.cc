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

CollectiveWriter::CollectiveWriter(const std::string& path, Ptr<TrainingJob> job)
    : m_file(path,
             "start_us,all_started_us,end_us,duration_us,iteration,kind,dimension,group,"
             "first_rank,ranks,sequence,bytes,algbw_gigabytes_per_s,busbw_gigabytes_per_s"),
      m_workload(job->GetWorkload())
{
    job->TraceConnectWithoutContext("CollectiveEnd",
                                    MakeCallback(&CollectiveWriter::CollectiveEnd, this));
}

void
CollectiveWriter::CollectiveEnd(const CollectiveRecord& record)
{
    const ProcessGroup& group = m_workload->GetGroups()[record.group];
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

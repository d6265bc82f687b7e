/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_COLLECTIVE_WRITER_H
#define LLM_COLLECTIVE_WRITER_H

#include "llm-csv-file.h"

#include "ns3/llm-training-job.h"

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Writes collectives.csv, a row per collective when its last member is through, from the trace
 * source CollectiveEnd of a TrainingJob. Must live as long as the job runs.
 */
class CollectiveWriter
{
  public:
    /**
     * @param path of the file.
     * @param job whose collectives are written.
     * @throw ConfigError if the file cannot be written.
     */
    CollectiveWriter(const std::string& path, Ptr<TrainingJob> job);
    CollectiveWriter(const CollectiveWriter&) = delete;
    CollectiveWriter& operator=(const CollectiveWriter&) = delete;

  private:
    /** Sink of CollectiveEnd. */
    void CollectiveEnd(const CollectiveRecord& record);

    CsvFile m_file;                                   //!< collectives.csv
    std::shared_ptr<const WorkloadSource> m_workload; //!< knows the groups
};

} // namespace llm
} // namespace ns3

#endif // LLM_COLLECTIVE_WRITER_H

/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_COLLECTIVE_WRITER_H
#define LLM_COLLECTIVE_WRITER_H

#include "llm-csv-file.h"

#include "ns3/llm-training-job.h"

#include <map>
#include <memory>
#include <string>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Writes collectives.csv, a row per collective when its last member is through, from the trace
 * source CollectiveEnd of TrainingJobs. Must live as long as the jobs run.
 */
class CollectiveWriter
{
  public:
    /**
     * @param path of the file.
     * @param severalJobs the first column says whose collective it is.
     * @throw ConfigError if the file cannot be written.
     */
    explicit CollectiveWriter(const std::string& path, bool severalJobs = false);
    CollectiveWriter(const CollectiveWriter&) = delete;
    CollectiveWriter& operator=(const CollectiveWriter&) = delete;

    /** @param job whose collectives are written. @param name of it. */
    void Connect(Ptr<TrainingJob> job, const std::string& name = "");

  private:
    /** Sink of CollectiveEnd. */
    void CollectiveEnd(std::string job, const CollectiveRecord& record);

    bool m_severalJobs; //!< there is a column for the job
    CsvFile m_file;     //!< collectives.csv
    /** By job: knows the groups. */
    std::map<std::string, std::shared_ptr<const WorkloadSource>> m_workloads;
};

} // namespace llm
} // namespace ns3

#endif // LLM_COLLECTIVE_WRITER_H

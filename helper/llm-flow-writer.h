/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_FLOW_WRITER_H
#define LLM_FLOW_WRITER_H

#include "llm-csv-file.h"
#include "llm-ideal-completion.h"

#include "ns3/llm-message-transport.h"

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
 * Writes flows.csv, a row per message when its last byte has been delivered, from the trace source
 * MessageEnd of MessageTransports. Must live as long as the transports send.
 */
class FlowWriter
{
  public:
    /**
     * @param path of the file.
     * @param severalJobs the first column says whose message it is.
     * @throw ConfigError if the file cannot be written.
     */
    explicit FlowWriter(const std::string& path, bool severalJobs = false);
    FlowWriter(const FlowWriter&) = delete;
    FlowWriter& operator=(const FlowWriter&) = delete;

    /**
     * @param transport whose messages are written.
     * @param job that they belong to.
     * @param ideal completion times of its messages if they meet nobody; null: told as 0.
     */
    void Connect(Ptr<MessageTransport> transport,
                 const std::string& job = "",
                 std::unique_ptr<IdealCompletion> ideal = nullptr);

  private:
    /** Sink of MessageEnd. */
    void MessageEnd(std::string job, const Message& message, int64_t now);

    bool m_severalJobs; //!< there is a column for the job
    CsvFile m_file;     //!< flows.csv
    std::map<std::string, std::unique_ptr<IdealCompletion>> m_ideals; //!< by job
};

} // namespace llm
} // namespace ns3

#endif // LLM_FLOW_WRITER_H

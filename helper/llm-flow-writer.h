/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_FLOW_WRITER_H
#define LLM_FLOW_WRITER_H

#include "llm-csv-file.h"

#include "ns3/llm-message-transport.h"

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Writes flows.csv, a row per message when its last byte has been delivered, from the trace source
 * MessageEnd of a MessageTransport. Must live as long as the transport sends.
 */
class FlowWriter
{
  public:
    /** @param path of the file. @throw ConfigError if it cannot be written. */
    explicit FlowWriter(const std::string& path);
    FlowWriter(const FlowWriter&) = delete;
    FlowWriter& operator=(const FlowWriter&) = delete;

    /** @param transport whose messages are written. */
    void Connect(Ptr<MessageTransport> transport);

  private:
    /** Sink of MessageEnd. */
    void MessageEnd(const Message& message, int64_t now);

    CsvFile m_file; //!< flows.csv
};

} // namespace llm
} // namespace ns3

#endif // LLM_FLOW_WRITER_H

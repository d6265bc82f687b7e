/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_QUEUE_WRITER_H
#define LLM_QUEUE_WRITER_H

#include "llm-csv-file.h"
#include "llm-port-intervals.h"

#include "ns3/llm-fabric.h"

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Writes queues.csv from the trace source QueueBytes of FabricPort: for each interval, each port
 * and class whose egress queue changed, its highest and its last length. Must live as long as the
 * fabric runs.
 */
class QueueWriter
{
  public:
    /**
     * @param path of the file.
     * @param fabric whose ports are watched.
     * @param interval length of an interval, > 0.
     * @throw ConfigError if the file cannot be written.
     */
    QueueWriter(const std::string& path, Ptr<Fabric> fabric, Time interval);
    QueueWriter(const QueueWriter&) = delete;
    QueueWriter& operator=(const QueueWriter&) = delete;

    /** The run is over: write the last interval. */
    void Finish();

  private:
    /** Of one queue in one interval. */
    struct Level
    {
        uint64_t highest{0}; //!< bytes
        uint64_t last{0};    //!< bytes
    };

    /** Sink of QueueBytes. */
    void QueueBytes(const FabricPort* port, uint8_t trafficClass, uint64_t bytes);

    CsvFile m_file;                   //!< queues.csv
    Ptr<Fabric> m_fabric;             //!< whose
    FabricEventQueue& m_events;       //!< knows the time
    PortIntervals<Level> m_intervals; //!< present interval
};

} // namespace llm
} // namespace ns3

#endif // LLM_QUEUE_WRITER_H

/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_ECN_WRITER_H
#define LLM_ECN_WRITER_H

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
 * Writes ecn.csv from the trace source EcnMark of FabricPort: for each interval, each port and
 * class that marked frames, how many and how many bytes. Must live as long as the fabric runs.
 */
class EcnWriter
{
  public:
    /**
     * @param path of the file.
     * @param fabric whose ports are watched.
     * @param interval length of an interval, > 0.
     * @throw ConfigError if the file cannot be written.
     */
    EcnWriter(const std::string& path, Ptr<Fabric> fabric, Time interval);
    EcnWriter(const EcnWriter&) = delete;
    EcnWriter& operator=(const EcnWriter&) = delete;

    /** The run is over: write the last interval. */
    void Finish();

  private:
    /** Of one port in one interval. */
    struct Marks
    {
        uint64_t frames{0}; //!< marked
        uint64_t bytes{0};  //!< of them, Ethernet with FCS
    };

    /** Sink of EcnMark. */
    void EcnMark(const FabricPort* port, const Frame& frame);

    CsvFile m_file;                   //!< ecn.csv
    Ptr<Fabric> m_fabric;             //!< whose
    FabricEventQueue& m_events;       //!< knows the time
    PortIntervals<Marks> m_intervals; //!< present interval
};

} // namespace llm
} // namespace ns3

#endif // LLM_ECN_WRITER_H

/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_PFC_WRITER_H
#define LLM_PFC_WRITER_H

#include "llm-csv-file.h"

#include "ns3/llm-fabric.h"

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Writes pfc.csv, a row per PFC event of every port, from the trace sources PfcSent, PfcPause,
 * PfcResume and PfcStorm of FabricPort. Must live as long as the fabric runs.
 */
class PfcWriter
{
  public:
    /**
     * @param path of the file.
     * @param fabric whose ports are watched.
     * @throw ConfigError if the file cannot be written.
     */
    PfcWriter(const std::string& path, Ptr<Fabric> fabric);
    PfcWriter(const PfcWriter&) = delete;
    PfcWriter& operator=(const PfcWriter&) = delete;

  private:
    /** Sink of PfcSent. */
    void Sent(const FabricPort* port, uint8_t trafficClass, uint16_t quanta);
    /** Sink of PfcPause. */
    void Paused(const FabricPort* port, uint8_t trafficClass, uint16_t quanta);
    /** Sink of PfcResume. */
    void Resumed(const FabricPort* port, uint8_t trafficClass, uint16_t quanta);
    /** Sink of PfcStorm. */
    void Storm(const FabricPort* port, uint8_t trafficClass, bool begins);
    /** Write a row. */
    void Write(const FabricPort* port, const char* event, uint8_t trafficClass, uint16_t quanta);

    CsvFile m_file;             //!< pfc.csv
    FabricEventQueue& m_events; //!< knows the time
};

} // namespace llm
} // namespace ns3

#endif // LLM_PFC_WRITER_H

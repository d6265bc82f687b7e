/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_HPCC_FCT_WRITER_H
#define LLM_HPCC_FCT_WRITER_H

#include "ns3/llm-fabric.h"
#include "ns3/llm-training-job.h"

#include <cstdint>
#include <fstream>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Writes fct.txt as the HPCC family of simulators does, for their scripts: a line per flow when its
 * last byte is acknowledged,
 *
 *     source destination sport dport bytes start_ns fct_ns ideal_ns
 *
 * with addresses 0x0b000001 + ((id / 256) << 16) + ((id % 256) << 8) in hexadecimal, and as ideal
 * two times the delay of the path, one MTU's payload on every link, and all bytes with 48 B of
 * headers per packet at the rate of the sender's link. This ideal is theirs; flows.csv has a better
 * one.
 */
class HpccFctWriter
{
  public:
    /**
     * @param path of the file.
     * @param fabric for ideal times.
     * @param numbers node ids of the topology file by endpoint; empty: the endpoint's index.
     * @param payload bytes of a full packet.
     * @throw ConfigError if it cannot be written.
     */
    HpccFctWriter(const std::string& path,
                  Ptr<Fabric> fabric,
                  const std::vector<uint32_t>& numbers,
                  uint32_t payload);
    HpccFctWriter(const HpccFctWriter&) = delete;
    HpccFctWriter& operator=(const HpccFctWriter&) = delete;

    /**
     * @param job whose sends are written, collectives are not; must not outlive this object.
     * @param endpoints by rank of the job.
     * @param name of the job, different from those of others.
     */
    void Connect(Ptr<TrainingJob> job,
                 const std::vector<uint32_t>& endpoints,
                 const std::string& name = "");

  private:
    /** Sink of OperationEnd. */
    void OperationEnded(std::string job,
                        uint32_t rank,
                        uint32_t iteration,
                        const Operation& operation,
                        int64_t start,
                        int64_t end);
    /** @return id of an endpoint's node, as an address. */
    std::string FormatAddress(uint32_t endpoint) const;
    /** @return ideal time between endpoints, ns. */
    int64_t GetIdealNs(uint32_t from, uint32_t to, uint64_t bytes) const;

    std::string m_path;                                       //!< name of the file
    std::ofstream m_file;                                     //!< the file
    Ptr<Fabric> m_fabric;                                     //!< paths
    std::map<std::string, std::vector<uint32_t>> m_endpoints; //!< by job and rank
    std::vector<uint32_t> m_numbers;                          //!< by endpoint
    uint32_t m_payload;                                       //!< of a full packet
    std::unordered_map<uint64_t, uint32_t> m_flows; //!< so far, by endpoints; never iterated
};

} // namespace llm
} // namespace ns3

#endif // LLM_HPCC_FCT_WRITER_H

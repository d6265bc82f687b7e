/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-hpcc-fct-writer.h"

#include "ns3/llm-config-error.h"
#include "ns3/llm-training-application.h"
#include "ns3/nstime.h"

#include <array>
#include <cstdio>

namespace ns3
{
namespace llm
{

namespace
{
constexpr uint64_t HEADERS = 48;       //!< of a packet, as those simulators count it
constexpr uint32_t FIRST_PORT = 10000; //!< source port of the first flow of a pair
constexpr uint32_t SERVICE_PORT = 100; //!< destination port
} // namespace

HpccFctWriter::HpccFctWriter(const std::string& path,
                             Ptr<Fabric> fabric,
                             const std::vector<uint32_t>& numbers,
                             uint32_t payload)
    : m_path(path),
      m_file(path, std::ios::binary | std::ios::trunc),
      m_fabric(fabric),
      m_numbers(numbers),
      m_payload(payload)
{
    if (!m_file)
    {
        throw ConfigError(path, "", "cannot be written");
    }
}

void
HpccFctWriter::Connect(Ptr<TrainingJob> job,
                       const std::vector<uint32_t>& endpoints,
                       const std::string& name)
{
    m_endpoints[name] = endpoints;
    for (uint32_t rank = 0; rank < job->GetWorldSize(); ++rank)
    {
        job->GetRank(rank)->TraceConnect("OperationEnd",
                                         name,
                                         MakeCallback(&HpccFctWriter::OperationEnded, this));
    }
}

std::string
HpccFctWriter::FormatAddress(uint32_t endpoint) const
{
    const uint32_t id = m_numbers.empty() ? endpoint : m_numbers.at(endpoint);
    const uint32_t address = 0x0b000001U + ((id / 256) << 16) + ((id % 256) << 8);
    std::array<char, 16> text{};
    std::snprintf(text.data(), text.size(), "%08x", address);
    return text.data();
}

int64_t
HpccFctWriter::GetIdealNs(uint32_t from, uint32_t to, uint64_t bytes) const
{
    int64_t ps = 0;
    uint64_t rate = 0;
    const auto bitPs = [](uint64_t bytes, uint64_t bitsPerSecond) {
        return static_cast<int64_t>(static_cast<double>(bytes) * 8e12 /
                                    static_cast<double>(bitsPerSecond));
    };
    for (const FabricPort* port : m_fabric->GetPath(from, to))
    {
        rate = rate == 0 ? port->GetBitRate() : rate;
        ps +=
            2 * TimeStep(port->GetDelay()).GetPicoSeconds() + bitPs(m_payload, port->GetBitRate());
    }
    const uint64_t packets = (bytes + m_payload - 1) / m_payload;
    return (ps + bitPs(bytes + packets * HEADERS, rate)) / 1000;
}

void
HpccFctWriter::OperationEnded(std::string job,
                              uint32_t rank,
                              uint32_t,
                              const Operation& operation,
                              int64_t start,
                              int64_t end)
{
    if (operation.kind != OperationKind::SEND)
    {
        return;
    }
    const uint32_t from = m_endpoints.at(job).at(rank);
    const uint32_t to = m_endpoints.at(job).at(operation.peer);
    m_file << FormatAddress(from) << ' ' << FormatAddress(to) << ' '
           << FIRST_PORT + m_flows[(static_cast<uint64_t>(from) << 32) | to]++ << ' '
           << SERVICE_PORT << ' ' << operation.bytes << ' ' << TimeStep(start).GetNanoSeconds()
           << ' ' << TimeStep(end - start).GetNanoSeconds() << ' '
           << GetIdealNs(from, to, operation.bytes) << '\n'
           << std::flush;
    if (!m_file)
    {
        throw ConfigError(m_path, "", "cannot be written any more");
    }
}

} // namespace llm
} // namespace ns3

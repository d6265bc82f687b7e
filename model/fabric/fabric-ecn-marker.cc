/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-ecn-marker.h"

#include "ns3/double.h"
#include "ns3/llm-config-error.h"
#include "ns3/llm-philox.h"
#include "ns3/uinteger.h"

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(FabricEcnMarker);
NS_OBJECT_ENSURE_REGISTERED(RedEcnMarker);

namespace
{
constexpr uint64_t STREAM_OF_MARKERS = uint64_t{1} << 40; //!< keeps port ids of users apart
} // namespace

TypeId
FabricEcnMarker::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::FabricEcnMarker").SetParent<Object>().SetGroupName("LlmTraining");
    return tid;
}

TypeId
RedEcnMarker::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::RedEcnMarker")
            .SetParent<FabricEcnMarker>()
            .SetGroupName("LlmTraining")
            .AddConstructor<RedEcnMarker>()
            .AddAttribute("Kmin",
                          "Queue length up to which nothing is marked, bytes. 0: KminTime at the "
                          "port's rate.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RedEcnMarker::m_kmin),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("Kmax",
                          "Queue length above which everything is marked, bytes. 0: KmaxTime at "
                          "the port's rate.",
                          UintegerValue(0),
                          MakeUintegerAccessor(&RedEcnMarker::m_kmax),
                          MakeUintegerChecker<uint64_t>())
            .AddAttribute("KminTime",
                          "Kmin as time of the port's link, where Kmin is 0: 32 us are 100 kB per "
                          "25 Gb/s.",
                          TimeValue(MicroSeconds(32)),
                          MakeTimeAccessor(&RedEcnMarker::m_kminTime),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("KmaxTime",
                          "Kmax as time of the port's link, where Kmax is 0: 128 us are 400 kB per "
                          "25 Gb/s.",
                          TimeValue(MicroSeconds(128)),
                          MakeTimeAccessor(&RedEcnMarker::m_kmaxTime),
                          MakeTimeChecker(Time(0)))
            .AddAttribute("Pmax",
                          "Probability of marking at Kmax, 0 to 1.",
                          DoubleValue(0.2),
                          MakeDoubleAccessor(&RedEcnMarker::m_pmax),
                          MakeDoubleChecker<double>(0, 1));
    return tid;
}

RedEcnMarker::RedEcnMarker()
    : m_kmin(0),
      m_kmax(0),
      m_pmax(0.2)
{
}

RedEcnMarker::~RedEcnMarker() = default;

void
RedEcnMarker::Configure(uint64_t bitsPerSecond, uint32_t port, uint64_t key)
{
    const auto bytes = [bitsPerSecond](Time time) {
        const auto ns = static_cast<uint64_t>(time.GetNanoSeconds());
        return bitsPerSecond / 8 * ns / 1000000000;
    };
    m_kmin = m_kmin ? m_kmin : bytes(m_kminTime);
    m_kmax = m_kmax ? m_kmax : bytes(m_kmaxTime);
    if (m_kmin > m_kmax)
    {
        throw ConfigError("RedEcnMarker",
                          "Kmin",
                          "is " + std::to_string(m_kmin) + " B, above Kmax of " +
                              std::to_string(m_kmax) + " B; Kmin must not exceed Kmax");
    }
    m_port = port;
    m_key = key;
}

uint64_t
RedEcnMarker::GetFloor() const
{
    return m_kmin;
}

bool
RedEcnMarker::Mark(uint64_t queueBytes)
{
    if (queueBytes > m_kmax)
    {
        return true;
    }
    const double probability =
        m_pmax * static_cast<double>(queueBytes - m_kmin) / static_cast<double>(m_kmax - m_kmin);
    const auto threshold = static_cast<uint64_t>(probability * 4294967296.0);
    return Philox(m_key)(m_trials++, STREAM_OF_MARKERS | m_port)[0] < threshold;
}

Ptr<FabricEcnMarker>
RedEcnMarker::Copy() const
{
    return CopyObject(Ptr<const RedEcnMarker>(this)); // CreateObject would reset the attributes
}

} // namespace llm
} // namespace ns3

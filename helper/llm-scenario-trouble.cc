/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-scenario-trouble.h"

#include "llm-error-context.h"

#include <map>
#include <set>

namespace ns3
{
namespace llm
{

namespace
{

/** @return fields of an event, beside at, kind and target, that a kind has a use for. */
const std::set<std::string>&
GetFieldsOf(const std::string& kind)
{
    static const std::set<std::string> none;
    static const std::map<std::string, std::set<std::string>> fields{
        {"link_down", {"duration"}},
        {"link_flap", {"period", "duty", "count"}},
        {"link_rate", {"rate", "duration"}},
        {"bit_errors", {"bit_error_rate", "duration"}},
        {"switch_down", {"duration"}},
        {"host_down", {"duration"}},
        {"pause_storm", {"duration", "classes"}},
        {"slow_accelerator", {"factor", "duration"}}};
    const auto found = fields.find(kind);
    return found == fields.end() ? none : found->second;
}

} // namespace

ScenarioTrouble::ScenarioTrouble(const Scenario& scenario, const FabricNetwork& network)
    : m_scenario(scenario),
      m_schedule(network)
{
}

void
ScenarioTrouble::NameRanks(const std::string& prefix, const std::vector<uint32_t>& endpoints)
{
    m_schedule.GetTargets().NameRanks(prefix, endpoints);
}

void
ScenarioTrouble::Schedule()
{
    for (std::size_t i = 0; i < m_scenario.events.size(); ++i)
    {
        const std::string path = "events[" + std::to_string(i) + "]";
        WithContext(m_scenario.source, path, [&] { Add(m_scenario.events[i], path); });
    }
}

void
ScenarioTrouble::Add(const Scenario::Event& event, const std::string& path)
{
    const std::set<std::string>& used = GetFieldsOf(event.kind);
    for (const std::string& field : event.given)
    {
        if (field != "at" && field != "kind" && field != "target" && used.count(field) == 0)
        {
            throw ConfigError(m_scenario.source,
                              path + "." + field,
                              "has no meaning for a " + event.kind);
        }
    }
    TroubleEvent trouble;
    trouble.at = PicoSeconds(event.at_ps);
    trouble.kind = ParseTroubleKind(event.kind);
    trouble.target = event.target;
    trouble.duration = PicoSeconds(event.duration_ps);
    trouble.period = PicoSeconds(event.period_ps);
    trouble.duty = event.duty;
    trouble.count = event.count;
    trouble.rate = DataRate(event.rate);
    trouble.factor = event.factor;
    trouble.bitErrorRate = event.bit_error_rate;
    trouble.trafficClasses = event.classes;
    m_schedule.Add(trouble);
}

void
ScenarioTrouble::WriteTo(const OutputFolder& folder)
{
    m_file = std::make_unique<CsvFile>(folder.GetFile("events.csv"), "time_us,kind,target,effect");
    m_schedule.AddListener([this](const TroubleRecord& record) {
        m_file->Write(FormatMicroseconds(record.tick), record.kind, record.target, record.effect);
    });
}

void
ScenarioTrouble::Cancel()
{
    m_schedule.Cancel();
}

} // namespace llm
} // namespace ns3

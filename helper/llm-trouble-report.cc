/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-trouble-report.h"

#include "llm-report-document.h"

#include "ns3/llm-units.h"
#include "ns3/nstime.h"

#include <algorithm>
#include <nlohmann/json.hpp>

namespace ns3
{
namespace llm
{

namespace
{

using Json = nlohmann::ordered_json;

constexpr std::size_t SHOWN = 12; //!< events that a terminal gets

/** @return "12.346 ms". */
std::string
ShowTime(int64_t ticks)
{
    return FormatDurationRounded(Time(ticks).GetPicoSeconds());
}

/** @return "2 iterations of 12.346 ms". */
std::string
ShowPart(const TroubleTimes::Part& part)
{
    if (part.count == 0)
    {
        return "no iteration";
    }
    return std::to_string(part.count) + (part.count == 1 ? " iteration of " : " iterations of ") +
           ShowTime(part.ticks / part.count) +
           (part.count == 1 ? "" : " on average, at most " + ShowTime(part.worst));
}

/** @return "not reached ..." of the events that had not come at the end; else empty. */
std::string
ShowNotReached(const RunReport& report)
{
    std::string first;
    std::size_t count = 0;
    for (const Scenario::Event& event : report.scenario.events)
    {
        const bool happened =
            std::any_of(report.trouble.begin(),
                        report.trouble.end(),
                        [&event](const TroubleRecord& record) {
                            return record.kind == event.kind && record.target == event.target;
                        });
        if (!happened && ++count == 1)
        {
            first = event.kind + " " + event.target + " at " + FormatDurationPs(event.at_ps);
        }
    }
    if (count == 0)
    {
        return "";
    }
    const std::string line = std::to_string(count) + (count == 1 ? " event" : " events") +
                             ", all was over before: " + first + (count == 1 ? "" : ", ...");
    return "  not reached   " + WrapText(line, 80, std::string(16, ' ')).substr(16);
}

/** @return count and times. */
Json
PartToJson(const TroubleTimes::Part& part)
{
    return {{"iterations", part.count},
            {"mean_ps", part.count ? Time(part.ticks / part.count).GetPicoSeconds() : 0},
            {"longest_ps", Time(part.worst).GetPicoSeconds()}};
}

} // namespace

TroubleTimes
CountTroubleTimes(const RunReport& report, std::size_t job)
{
    TroubleTimes times;
    if (report.trouble.empty())
    {
        return times;
    }
    const int64_t first = report.trouble.front().tick;
    const int64_t last = report.trouble.back().tick;
    for (const auto& iteration : report.jobs.at(job).iterations)
    {
        if (iteration.begun == 0 || iteration.finished != iteration.begun)
        {
            continue;
        }
        const bool isBefore = iteration.end <= first;
        const bool isAfter = iteration.end - iteration.duration >= last;
        TroubleTimes::Part& part = isBefore ? times.before : isAfter ? times.after : times.during;
        ++part.count;
        part.ticks += iteration.duration;
        part.worst = std::max(part.worst, iteration.duration);
    }
    return times;
}

std::string
FormatTrouble(const RunReport& report)
{
    const std::string notReached = ShowNotReached(report);
    if (report.trouble.empty())
    {
        return notReached.empty() ? "" : "\nTrouble\n" + notReached;
    }
    std::string text = "\nTrouble\n";
    for (std::size_t i = 0; i < std::min(SHOWN, report.trouble.size()); ++i)
    {
        const TroubleRecord& record = report.trouble[i];
        const std::string time = ShowTime(record.tick);
        const std::string line = WrapText(record.kind + " " + record.target + ": " + record.effect,
                                          80,
                                          std::string(16, ' '));
        text += std::string(time.size() < 14 ? 14 - time.size() : 0, ' ') + time + "  " +
                line.substr(16);
    }
    if (report.trouble.size() > SHOWN)
    {
        text += std::string(16, ' ') + "... and " + std::to_string(report.trouble.size() - SHOWN) +
                " more, in events.csv\n";
    }
    text += notReached;
    for (std::size_t i = 0; i < report.jobs.size(); ++i)
    {
        const TroubleTimes times = CountTroubleTimes(report, i);
        if (report.jobs.size() > 1)
        {
            text += "  job " + report.jobs[i].name + "\n";
        }
        text += "  before all    " + ShowPart(times.before) + "\n" + "  meanwhile     " +
                ShowPart(times.during) + "\n" + "  after all     " + ShowPart(times.after) + "\n";
    }
    return text;
}

std::string
FormatTroubleSummary(const RunReport& report)
{
    Json json;
    json["events"] = Json::array();
    for (const TroubleRecord& record : report.trouble)
    {
        json["events"].push_back({{"time_ps", Time(record.tick).GetPicoSeconds()},
                                  {"kind", record.kind},
                                  {"target", record.target},
                                  {"effect", record.effect}});
    }
    json["jobs"] = Json::array();
    for (std::size_t i = 0; i < report.jobs.size(); ++i)
    {
        const TroubleTimes times = CountTroubleTimes(report, i);
        json["jobs"].push_back({{"name", report.jobs[i].name},
                                {"before", PartToJson(times.before)},
                                {"during", PartToJson(times.during)},
                                {"after", PartToJson(times.after)}});
    }
    return json.dump();
}

void
DescribeTroubleInFailure(RunReport& report)
{
    if (report.complete || report.trouble.empty())
    {
        return;
    }
    std::string text = "by then:";
    for (std::size_t i = 0; i < std::min(SHOWN, report.trouble.size()); ++i)
    {
        const TroubleRecord& record = report.trouble[i];
        text += (i == 0 ? " " : ", ") + record.kind + " of " + record.target + " at " +
                ShowTime(record.tick);
    }
    if (report.trouble.size() > SHOWN)
    {
        text += " and " + std::to_string(report.trouble.size() - SHOWN) + " more";
    }
    report.failure.push_back(text);
}

} // namespace llm
} // namespace ns3

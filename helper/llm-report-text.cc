/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-report-text.h"

#include "ns3/llm-units.h"
#include "ns3/nstime.h"

#include <algorithm>
#include <cstdio>
#include <sstream>

namespace ns3
{
namespace llm
{

namespace
{
/** Stands for a blank between a number and its unit, where no line may be broken. */
constexpr char GLUE = '\1';
} // namespace

std::string
KeepTogether(std::string text)
{
    std::replace(text.begin(), text.end(), ' ', GLUE);
    return text;
}

int64_t
ToPs(int64_t ticks)
{
    return Time(ticks).GetPicoSeconds();
}

std::string
ShowTicks(int64_t ticks)
{
    return FormatDurationRounded(Time(ticks).GetPicoSeconds());
}

std::string
PadLeft(const std::string& text, std::size_t width)
{
    return text.size() >= width ? text : std::string(width - text.size(), ' ') + text;
}

std::string
PadRight(const std::string& text, std::size_t width)
{
    return text.size() >= width ? text : text + std::string(width - text.size(), ' ');
}

std::string
ShowPercent(int64_t part, int64_t whole)
{
    char text[32];
    std::snprintf(text,
                  sizeof(text),
                  "%.1f %%",
                  whole > 0 ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0.0);
    return text;
}

std::string
ShowBandwidth(double bytesPerSecond)
{
    char text[32];
    std::snprintf(text, sizeof(text), "%.2f GB/s", bytesPerSecond * 1e-9);
    return text;
}

std::string
ShowCount(uint64_t number, const std::string& noun)
{
    return std::to_string(number) + " " + noun + (number == 1 ? "" : "s");
}

void
AddReportFact(std::string& report,
              const std::string& label,
              const std::string& text,
              std::size_t indent)
{
    std::istringstream words(text);
    std::string word;
    std::string line = PadRight(label, indent - 1);
    std::string fact;
    bool fresh = true;
    while (words >> word)
    {
        if (!fresh && line.size() + 1 + word.size() > 80)
        {
            fact += line + "\n";
            line = std::string(indent - 1, ' ');
        }
        line += " " + word;
        fresh = false;
    }
    fact += line + "\n";
    std::replace(fact.begin(), fact.end(), GLUE, ' ');
    report += fact;
}

} // namespace llm
} // namespace ns3

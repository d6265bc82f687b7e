/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-units.h"

#include "llm-config-error.h"

#include <array>
#include <limits>
#include <string_view>
#include <vector>

namespace ns3
{
namespace llm
{

namespace
{

__extension__ using Wide = unsigned __int128;

/** A unit and its size in target units. */
struct Unit
{
    std::string name;
    uint64_t scale;
};

/** Where a quantity stands and what it is, for errors. */
struct Place
{
    const std::string& source;
    const std::string& path;
    const std::string& text;
    const char* what;   //!< "byte count", ...
    const char* target; //!< "bytes", ...

    ConfigError Error(const std::string& message) const
    {
        const std::string quoted = "'" + text + "' is not a " + what + ": " + message;
        return ConfigError(source.empty() ? what : source, path, quoted);
    }
};

bool
IsDigit(char c)
{
    return c >= '0' && c <= '9';
}

/** A decimal number: digits * 10^exponent. */
struct Decimal
{
    Wide digits{0};
    int exponent{0};
};

/** Multiplies by ten and adds, or fails when 2^124 is passed: far above any target. */
void
AppendDigit(Wide& value, unsigned digit, const Place& place)
{
    if (value >> 120)
    {
        throw place.Error("too many digits");
    }
    value = value * 10 + digit;
}

/** Reads the number at the start of the text and moves position behind it. */
Decimal
ReadDecimal(const Place& place, std::size_t& position)
{
    const std::string& text = place.text;
    Decimal decimal;
    bool any = false;
    bool fraction = false;
    for (; position < text.size(); ++position)
    {
        const char c = text[position];
        if (c == '.' && !fraction)
        {
            fraction = true;
            continue;
        }
        if (!IsDigit(c))
        {
            break;
        }
        any = true;
        AppendDigit(decimal.digits, static_cast<unsigned>(c - '0'), place);
        decimal.exponent -= fraction ? 1 : 0;
    }
    if (!any)
    {
        throw place.Error(!text.empty() && text[0] == '-' ? "must not be negative"
                                                          : "must begin with a digit");
    }
    // "1e6" has an exponent, "1EB" has a unit: an exponent has a digit behind its sign.
    std::size_t at = position;
    if (at < text.size() && (text[at] == 'e' || text[at] == 'E'))
    {
        ++at;
        const bool negative = at < text.size() && text[at] == '-';
        at += at < text.size() && (text[at] == '-' || text[at] == '+') ? 1 : 0;
        if (at < text.size() && IsDigit(text[at]))
        {
            int exponent = 0;
            for (; at < text.size() && IsDigit(text[at]); ++at)
            {
                exponent = exponent * 10 + (text[at] - '0');
                if (exponent > 40)
                {
                    throw place.Error("exponent above 40");
                }
            }
            decimal.exponent += negative ? -exponent : exponent;
            position = at;
        }
    }
    return decimal;
}

/** digits * 10^exponent * scale as a whole number of at most limit. */
uint64_t
ToWhole(Decimal decimal, uint64_t scale, uint64_t limit, const Place& place)
{
    if (decimal.digits == 0)
    {
        return 0;
    }
    while (decimal.exponent < 0 && decimal.digits % 10 == 0)
    {
        decimal.digits /= 10;
        ++decimal.exponent;
    }
    for (; decimal.exponent < 0 && scale % 10 == 0; ++decimal.exponent)
    {
        scale /= 10;
    }
    // What is left of 10^-exponent must divide: by fives and by twos.
    for (; decimal.exponent < 0; ++decimal.exponent)
    {
        for (const unsigned prime : {2U, 5U})
        {
            if (decimal.digits % prime == 0)
            {
                decimal.digits /= prime;
            }
            else if (scale % prime == 0)
            {
                scale /= prime;
            }
            else
            {
                throw place.Error(std::string("not a whole number of ") + place.target);
            }
        }
    }
    const auto tooLarge = [&place, limit]() {
        throw place.Error("above the largest value, " + std::to_string(limit) + " " + place.target);
    };
    for (; decimal.exponent > 0; --decimal.exponent)
    {
        if (decimal.digits > limit)
        {
            tooLarge();
        }
        decimal.digits *= 10;
    }
    if (decimal.digits > limit / scale)
    {
        tooLarge();
    }
    return static_cast<uint64_t>(decimal.digits) * scale;
}

/** Reads number and unit. */
uint64_t
ReadQuantity(const Place& place, const std::vector<Unit>& units, uint64_t limit, const char* hint)
{
    std::size_t position = 0;
    const Decimal decimal = ReadDecimal(place, position);
    std::size_t end = place.text.size();
    while (position < end && place.text[position] == ' ')
    {
        ++position;
    }
    while (end > position && place.text[end - 1] == ' ')
    {
        --end;
    }
    const std::string_view name = std::string_view(place.text).substr(position, end - position);
    for (const auto& unit : units)
    {
        if (name == unit.name)
        {
            return ToWhole(decimal, unit.scale, limit, place);
        }
    }
    if (name.empty() && decimal.digits == 0)
    {
        return 0;
    }
    throw place.Error(
        (name.empty() ? std::string("no unit") : "unknown unit '" + std::string(name) + "'") +
        "; " + hint);
}

std::vector<Unit>
MakeByteUnits()
{
    std::vector<Unit> units{{"", 1}, {"B", 1}, {"kB", 1000}, {"KB", 1000}};
    uint64_t decimal = 1000;
    uint64_t binary = 1;
    for (const char prefix : {'K', 'M', 'G', 'T', 'P', 'E'})
    {
        binary *= 1024;
        units.push_back({std::string(1, prefix) + "iB", binary});
        if (prefix != 'K')
        {
            decimal *= 1000;
            units.push_back({std::string(1, prefix) + "B", decimal});
        }
    }
    return units;
}

std::vector<Unit>
MakeRateUnits()
{
    struct Prefix
    {
        const char* name;
        uint64_t scale;
    };

    static constexpr std::array<Prefix, 10> prefixes{{{"", 1},
                                                      {"k", 1000},
                                                      {"K", 1000},
                                                      {"M", 1000000},
                                                      {"G", 1000000000},
                                                      {"T", 1000000000000},
                                                      {"Ki", 1ULL << 10},
                                                      {"Mi", 1ULL << 20},
                                                      {"Gi", 1ULL << 30},
                                                      {"Ti", 1ULL << 40}}};
    std::vector<Unit> units;
    for (const auto& prefix : prefixes)
    {
        for (const char* bit : {"bps", "b/s", "bit/s"})
        {
            units.push_back({std::string(prefix.name) + bit, prefix.scale});
        }
        for (const char* byte : {"Bps", "B/s"})
        {
            units.push_back({std::string(prefix.name) + byte, prefix.scale * 8});
        }
    }
    return units;
}

const std::vector<Unit>&
DurationUnits()
{
    static const std::vector<Unit> units{{"ps", 1},
                                         {"ns", 1000},
                                         {"us", 1000000},
                                         {"\u00b5s", 1000000},
                                         {"ms", 1000000000},
                                         {"s", 1000000000000},
                                         {"min", 60000000000000},
                                         {"h", 3600000000000000}};
    return units;
}

/** value / scale as an exact decimal, without trailing zeros. scale is a power of ten. */
std::string
ExactDecimal(uint64_t value, uint64_t scale)
{
    std::string text = std::to_string(value / scale);
    std::string fraction;
    for (uint64_t rest = value % scale; rest != 0; rest %= scale)
    {
        scale /= 10;
        fraction += static_cast<char>('0' + rest / scale);
    }
    return fraction.empty() ? text : text + "." + fraction;
}

/** value / scale rounded half up to three decimals, without trailing zeros. */
std::string
RoundedDecimal(uint64_t value, uint64_t scale)
{
    const Wide thousandths = (static_cast<Wide>(value) * 1000 + scale / 2) / scale;
    return ExactDecimal(static_cast<uint64_t>(thousandths), 1000);
}

/** The largest of the steps that is not above value. */
template <std::size_t N>
const Unit&
Choose(const std::array<Unit, N>& steps, uint64_t value)
{
    std::size_t index = 0;
    while (index + 1 < N && value >= steps[index + 1].scale)
    {
        ++index;
    }
    return steps[index];
}

const std::array<Unit, 5>&
TimeSteps()
{
    static const std::array<Unit, 5> steps{
        {{"ps", 1}, {"ns", 1000}, {"us", 1000000}, {"ms", 1000000000}, {"s", 1000000000000}}};
    return steps;
}

} // namespace

uint64_t
ParseBytes(const std::string& text, const std::string& source, const std::string& path)
{
    static const std::vector<Unit> units = MakeByteUnits();
    const Place place{source, path, text, "byte count", "bytes"};
    return ReadQuantity(place,
                        units,
                        std::numeric_limits<uint64_t>::max(),
                        "use B, kB, MB, GB, TB (1000) or KiB, MiB, GiB, TiB (1024)");
}

uint64_t
ParseBitRate(const std::string& text, const std::string& source, const std::string& path)
{
    static const std::vector<Unit> units = MakeRateUnits();
    const Place place{source, path, text, "rate", "bits per second"};
    return ReadQuantity(place,
                        units,
                        std::numeric_limits<uint64_t>::max(),
                        "use bps, kbps, Mbps, Gbps, Tbps (bits) or B/s, kB/s, MB/s, GB/s (bytes)");
}

int64_t
ParseDurationPs(const std::string& text, const std::string& source, const std::string& path)
{
    const Place place{source, path, text, "duration", "picoseconds"};
    return static_cast<int64_t>(
        ReadQuantity(place,
                     DurationUnits(),
                     static_cast<uint64_t>(std::numeric_limits<int64_t>::max()),
                     "use ps, ns, us, ms, s, min or h"));
}

uint64_t
ParseCount(const std::string& text, const std::string& source, const std::string& path)
{
    static const std::vector<Unit> units{{"", 1}};
    const Place place{source, path, text, "count", "units"};
    return ReadQuantity(place, units, std::numeric_limits<uint64_t>::max(), "write digits only");
}

std::string
FormatBytes(uint64_t bytes)
{
    static const std::array<Unit, 6> binary{{{"KiB", 1ULL << 10},
                                             {"MiB", 1ULL << 20},
                                             {"GiB", 1ULL << 30},
                                             {"TiB", 1ULL << 40},
                                             {"PiB", 1ULL << 50},
                                             {"EiB", 1ULL << 60}}};
    static const std::array<Unit, 7> decimal{{{"B", 1},
                                              {"kB", 1000},
                                              {"MB", 1000000},
                                              {"GB", 1000000000},
                                              {"TB", 1000000000000},
                                              {"PB", 1000000000000000},
                                              {"EB", 1000000000000000000}}};
    if (bytes != 0 && bytes % 1024 == 0 && bytes % 1000 != 0)
    {
        std::size_t index = 0;
        while (index + 1 < binary.size() && bytes % binary[index + 1].scale == 0)
        {
            ++index;
        }
        return std::to_string(bytes / binary[index].scale) + binary[index].name;
    }
    const Unit& unit = Choose(decimal, bytes);
    return ExactDecimal(bytes, unit.scale) + unit.name;
}

std::string
FormatBitRate(uint64_t bitsPerSecond)
{
    static const std::array<Unit, 5> steps{{{"bps", 1},
                                            {"kbps", 1000},
                                            {"Mbps", 1000000},
                                            {"Gbps", 1000000000},
                                            {"Tbps", 1000000000000}}};
    // People say 1600Gbps and 51.2Tbps: stay with Gbps below 10 Tb/s.
    const bool giga = bitsPerSecond >= steps[4].scale && bitsPerSecond < 10 * steps[4].scale;
    const Unit& unit = giga ? steps[3] : Choose(steps, bitsPerSecond);
    return ExactDecimal(bitsPerSecond, unit.scale) + unit.name;
}

std::string
FormatDurationPs(int64_t durationPs)
{
    const bool negative = durationPs < 0;
    const uint64_t magnitude = negative ? 0 - static_cast<uint64_t>(durationPs) : durationPs;
    const Unit& unit = Choose(TimeSteps(), magnitude);
    return (negative ? "-" : "") + ExactDecimal(magnitude, unit.scale) + unit.name;
}

std::string
FormatBytesRounded(uint64_t bytes)
{
    static const std::array<Unit, 7> steps{{{"B", 1},
                                            {"KiB", 1ULL << 10},
                                            {"MiB", 1ULL << 20},
                                            {"GiB", 1ULL << 30},
                                            {"TiB", 1ULL << 40},
                                            {"PiB", 1ULL << 50},
                                            {"EiB", 1ULL << 60}}};
    const Unit& unit = Choose(steps, bytes);
    return RoundedDecimal(bytes, unit.scale) + " " + unit.name;
}

std::string
FormatDurationRounded(int64_t durationPs)
{
    const bool negative = durationPs < 0;
    const uint64_t magnitude = negative ? 0 - static_cast<uint64_t>(durationPs) : durationPs;
    const Unit& unit = Choose(TimeSteps(), magnitude);
    return (negative ? "-" : "") + RoundedDecimal(magnitude, unit.scale) + " " + unit.name;
}

} // namespace llm
} // namespace ns3

/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_UNITS_H
#define LLM_UNITS_H

#include <cstdint>
#include <string>

namespace ns3
{
namespace llm
{

/**
 * @file
 * @ingroup llm-training
 *
 * Quantities as people write them. All of them are read exactly, in decimal, without a detour
 * through floating point: "1.5GB" is 1500000000 B, "0.1ns" is 100 ps, and what does not come out
 * as a whole number of the target unit is an error, never rounded. Grammar: digits, optionally a
 * fraction and a decimal exponent ("2.5e9"), optional blanks, the unit.
 */

/**
 * A byte count.
 * @param text e.g. "16MiB", "1.5 GB", "4096", "4096B". Units: none or B; kB/KB, MB, GB, TB, PB, EB
 *             (powers of 1000); KiB, MiB, GiB, TiB, PiB, EiB (powers of 1024). A lone K, M, G is
 *             refused, because half of the world means 1000 by it and the other half 1024.
 * @param source, path where the text stands, for the error.
 * @return bytes, 0 .. 2^64-1.
 * @throw ConfigError.
 */
uint64_t ParseBytes(const std::string& text,
                    const std::string& source = "",
                    const std::string& path = "");

/**
 * A rate.
 * @param text e.g. "400Gbps", "400 Gb/s", "400Gbit/s" (bits), "450GB/s", "450GBps" (bytes, times
 *             8). Prefixes k, K, M, G, T are powers of 1000, Ki, Mi, Gi, Ti of 1024. A unit is
 *             required.
 * @param source, path where the text stands, for the error.
 * @return bits per second, 0 .. 2^64-1.
 * @throw ConfigError.
 */
uint64_t ParseBitRate(const std::string& text,
                      const std::string& source = "",
                      const std::string& path = "");

/**
 * A duration.
 * @param text e.g. "5us", "1.5 ms", "250ps". Units: ps, ns, us, ms, s, min, h. A unit is required,
 *             except for 0.
 * @param source, path where the text stands, for the error.
 * @return picoseconds, 0 .. 2^63-1 (106 days).
 * @throw ConfigError.
 */
int64_t ParseDurationPs(const std::string& text,
                        const std::string& source = "",
                        const std::string& path = "");

/**
 * A plain count, e.g. "40000000", "4e7", "40M" is refused.
 * @param text the digits.
 * @param source, path where the text stands, for the error.
 * @return the count.
 * @throw ConfigError.
 */
uint64_t ParseCount(const std::string& text,
                    const std::string& source = "",
                    const std::string& path = "");

/** @param bytes count. @return exact and readable again: "16MiB", "1.5GB", "1.000003MB". */
std::string FormatBytes(uint64_t bytes);
/** @param bitsPerSecond rate. @return exact and readable again: "400Gbps". */
std::string FormatBitRate(uint64_t bitsPerSecond);
/** @param durationPs picoseconds, may be negative. @return exact, readable again: "1.5ms". */
std::string FormatDurationPs(int64_t durationPs);

/** @param bytes count. @return for people, rounded to three decimals at most: "8.75 GiB". */
std::string FormatBytesRounded(uint64_t bytes);
/** @param durationPs picoseconds. @return for people, rounded: "12.346 ms". */
std::string FormatDurationRounded(int64_t durationPs);

} // namespace llm
} // namespace ns3

#endif // LLM_UNITS_H

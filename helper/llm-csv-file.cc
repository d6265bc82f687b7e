/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-csv-file.h"

#include "ns3/llm-config-error.h"
#include "ns3/nstime.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace ns3
{
namespace llm
{

std::string
FormatMicroseconds(int64_t ticks)
{
    const int64_t ps = Time(ticks).GetPicoSeconds();
    const uint64_t size = ps < 0 ? -static_cast<uint64_t>(ps) : static_cast<uint64_t>(ps);
    char text[40];
    std::snprintf(text,
                  sizeof(text),
                  "%s%llu.%06llu",
                  ps < 0 ? "-" : "",
                  static_cast<unsigned long long>(size / 1000000),
                  static_cast<unsigned long long>(size % 1000000));
    return text;
}

CsvFile::CsvFile(const std::string& path, const std::string& header, bool atOnce)
    : m_path(path),
      m_atOnce(atOnce),
      m_line(header + "\n")
{
    errno = 0;
    m_file.open(path, std::ios::binary | std::ios::trunc);
    if (!m_file)
    {
        throw ConfigError(m_path, "", std::string("cannot be written: ") + std::strerror(errno));
    }
    WriteLine();
}

void
CsvFile::AppendNumber(double cell)
{
    char text[64];
    std::snprintf(text, sizeof(text), "%.3f", cell);
    m_line += text;
}

void
CsvFile::WriteLine()
{
    errno = 0;
    m_file << m_line;
    if (m_atOnce || !m_file)
    {
        Flush();
    }
    m_line.clear();
}

void
CsvFile::Flush()
{
    m_file << std::flush;
    if (!m_file)
    {
        throw ConfigError(m_path, "", std::string("cannot be written: ") + std::strerror(errno));
    }
}

} // namespace llm
} // namespace ns3

/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_CSV_FILE_H
#define LLM_CSV_FILE_H

#include <cstdint>
#include <fstream>
#include <string>
#include <type_traits>

namespace ns3
{
namespace llm
{

/**
 * @param ticks of ns-3's time resolution.
 * @return microseconds, exact, with six decimals: "12.345678".
 */
std::string FormatMicroseconds(int64_t ticks);

/**
 * @ingroup llm-training
 *
 * A table of results: a header row of column names with units, then rows of numbers and names.
 * Every row reaches the file whole and at once, so that the file is valid whenever the run is cut
 * off; a table of millions of rows that is written at one go can do without. Names may hold neither
 * commas nor quotes: they are ours.
 */
class CsvFile
{
  public:
    /**
     * @param path of the file, replaced if it exists.
     * @param header column names, separated by commas.
     * @param atOnce every row reaches the file at once; false: when the file's buffer is full, or
     *        by Flush.
     * @throw ConfigError naming the path if it cannot be written.
     */
    CsvFile(const std::string& path, const std::string& header, bool atOnce = true);

    /** Have all rows reach the file. @throw ConfigError naming the path if they cannot. */
    void Flush();

    /**
     * Have the next row begin with a cell that not every table has.
     * @param cell first in the row.
     */
    void Begin(const std::string& cell)
    {
        m_line = cell + ',';
    }

    /**
     * Write a row.
     * @param cells integers, strings, or doubles (three decimals).
     * @throw ConfigError naming the path if it cannot be written.
     */
    template <typename... T>
    void Write(const T&... cells)
    {
        (Append(cells), ...);
        m_line.back() = '\n';
        WriteLine();
        ++m_rows;
    }

    /** @return rows written, without the header. */
    uint64_t GetRows() const
    {
        return m_rows;
    }

  private:
    /** Add a cell and a comma. */
    template <typename T>
    void Append(const T& cell)
    {
        if constexpr (std::is_floating_point_v<T>)
        {
            AppendNumber(cell);
        }
        else if constexpr (std::is_integral_v<T>)
        {
            m_line += std::to_string(cell);
        }
        else
        {
            m_line += cell;
        }
        m_line += ',';
    }

    /** Add a number with three decimals. */
    void AppendNumber(double cell);
    /** Write m_line, and begin a new one. */
    void WriteLine();

    std::string m_path;   //!< for errors
    bool m_atOnce;        //!< rows are flushed
    std::ofstream m_file; //!< file
    std::string m_line;   //!< the row under construction
    uint64_t m_rows{0};   //!< rows written
};

} // namespace llm
} // namespace ns3

#endif // LLM_CSV_FILE_H

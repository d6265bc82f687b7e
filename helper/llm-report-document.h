/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_REPORT_DOCUMENT_H
#define LLM_REPORT_DOCUMENT_H

#include <cstdint>
#include <list>
#include <string>
#include <variant>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * A figure of a report: exact for machines, readable for people.
 */
class ReportValue
{
  public:
    /** @param text shown as it is. */
    ReportValue(const std::string& text);
    /** @param text shown as it is. */
    ReportValue(const char* text);
    /** @param count shown with its digits in groups: "50,331,648". */
    ReportValue(uint64_t count);
    /** @param count the same. */
    ReportValue(uint32_t count);

    /** @param bytes a size. @return shown exactly: "50,331,648 B". */
    static ReportValue Bytes(uint64_t bytes);
    /** @param bytes a size. @return shown rounded: "48 MiB". */
    static ReportValue RoundBytes(uint64_t bytes);
    /** @param ps a time in picoseconds. @return shown rounded: "1.5 ms". */
    static ReportValue Duration(int64_t ps);
    /**
     * @param value a number.
     * @param decimals shown behind the point.
     * @param unit behind a blank; empty: none.
     * @return it.
     */
    static ReportValue Real(double value, int decimals, const std::string& unit = "");

    /** @return for people. */
    std::string Show() const;
    /** @return JSON text: exact; bytes as a number of bytes, times as picoseconds. */
    std::string ToJsonText() const;
    /** @return whether it is a figure, which is aligned to the right. */
    bool IsNumber() const;

  private:
    /** How it is shown. */
    enum class Form : uint8_t
    {
        PLAIN,
        BYTES,
        ROUND_BYTES,
        DURATION
    };

    std::variant<std::string, uint64_t, int64_t, double> m_value; //!< exact
    Form m_form{Form::PLAIN};                                     //!< how it is shown
    int m_decimals{0};                                            //!< of a real number
    std::string m_unit;                                           //!< of a real number
};

/** @param number count. @return its digits in groups of three: "50,331,648". */
std::string GroupDigits(uint64_t number);

/** @param bitsPerSecond rate. @return for people: "400 Gb/s". */
std::string ShowBitRate(uint64_t bitsPerSecond);

/** @param text words. @param width columns. @param indent in front of each line. @return lines. */
std::string WrapText(const std::string& text, std::size_t width, const std::string& indent = "");

/** A column of a table. */
struct ReportColumn
{
    std::string key;   //!< for machines, with its unit: "size_bytes"
    std::string title; //!< for people; a line break makes two lines of it
};

/**
 * @ingroup llm-training
 *
 * A chapter of a report: sentences, figures each with the way it was computed, and tables.
 */
class ReportSection
{
  public:
    /**
     * @param key for machines.
     * @param title for people.
     */
    ReportSection(const std::string& key, const std::string& title);

    /** Add a paragraph. @param text of one or more sentences. */
    void Say(const std::string& text);
    /** Add lines that stay as they are. @param lines without line ends. */
    void Quote(const std::vector<std::string>& lines);
    /**
     * Add a figure.
     * @param key for machines, with its unit.
     * @param label for people.
     * @param value of it.
     * @param how it was computed; empty: it is given.
     */
    void Add(const std::string& key,
             const std::string& label,
             const ReportValue& value,
             const std::string& how = "");
    /** Begin a table. @param key for machines. @param columns of it. */
    void BeginTable(const std::string& key, const std::vector<ReportColumn>& columns);
    /** Add a row to the table begun last. @param cells as many as columns. */
    void AddRow(const std::vector<ReportValue>& cells);

  private:
    friend class ReportDocument;

    /** Paragraph, lines, one figure, or a table. */
    struct Block
    {
        enum class Kind : uint8_t
        {
            PARAGRAPH,
            LINES,
            FIGURE,
            TABLE
        } kind{Kind::PARAGRAPH};                    //!< what
        std::string key;                            //!< for machines
        std::string text;                           //!< paragraph, or label of a figure
        std::string how;                            //!< figure: how it was computed
        std::vector<ReportColumn> columns;          //!< table
        std::vector<std::vector<ReportValue>> rows; //!< table; a figure has one cell
        std::vector<std::string> lines;             //!< lines
    };

    std::string m_key;           //!< for machines
    std::string m_title;         //!< for people
    std::vector<Block> m_blocks; //!< in order
};

/**
 * @ingroup llm-training
 *
 * A report that programs of this module print: one content in three forms, for people, for
 * machines, and for the manual.
 */
class ReportDocument
{
  public:
    /** Columns of paragraphs. */
    static constexpr std::size_t WIDTH = 80;
    /** Columns that no line should exceed. */
    static constexpr std::size_t MAX_WIDTH = 100;

    /**
     * @param title of the whole; empty: none.
     * @param numbered put numbers in front of the titles of sections.
     */
    explicit ReportDocument(const std::string& title = "", bool numbered = false);

    /** Add a chapter. @param key for machines. @param title for people. @return it, to be filled.
     */
    ReportSection& AddSection(const std::string& key, const std::string& title);

    /** @return for a terminal. */
    std::string FormatText() const;
    /** @return one JSON object: a member per section, in it one per figure and per table. */
    std::string FormatJson() const;
    /** @return reStructuredText: sections under titles, figures and tables as literal blocks. */
    std::string FormatRst() const;

  private:
    using Block = ReportSection::Block;

    /** @return figures first .. end, in aligned columns. */
    static std::string FormatFigures(const std::vector<Block>& blocks,
                                     std::size_t first,
                                     std::size_t end);
    /** @return a table with a header. */
    static std::string FormatTable(const Block& block);
    /** @return blocks of a section, literal parts behind @p literal. */
    static std::string FormatBlocks(const ReportSection& section,
                                    const std::string& literalMark,
                                    const std::string& literalIndent);

    std::string m_title;                 //!< of the whole
    bool m_numbered;                     //!< sections have numbers
    std::list<ReportSection> m_sections; //!< in order; references to them stay valid
};

} // namespace llm
} // namespace ns3

#endif // LLM_REPORT_DOCUMENT_H

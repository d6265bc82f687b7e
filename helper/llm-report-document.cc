/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-report-document.h"

#include "ns3/assert.h"
#include "ns3/llm-units.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <sstream>

namespace ns3
{
namespace llm
{

namespace
{

using Json = nlohmann::ordered_json;

/** @return how many columns UTF-8 text takes: its characters. */
std::size_t
Columns(const std::string& text)
{
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
        return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
    }));
}

/** @return text filled up with blanks, on the left if @p right. */
std::string
Fill(const std::string& text, std::size_t width, bool right)
{
    const std::size_t columns = Columns(text);
    if (columns >= width)
    {
        return text;
    }
    const std::string blanks(width - columns, ' ');
    return right ? blanks + text : text + blanks;
}

/** @return lines without blanks at their ends. */
std::string
TrimLine(std::string line)
{
    line.erase(line.find_last_not_of(' ') + 1);
    return line;
}

/** @return text cut at line breaks. */
std::vector<std::string>
Lines(const std::string& text)
{
    std::vector<std::string> lines;
    std::istringstream stream(text);
    std::string line;
    while (std::getline(stream, line))
    {
        lines.push_back(line);
    }
    return lines;
}

} // namespace

std::string
GroupDigits(uint64_t number)
{
    std::string text = std::to_string(number);
    for (std::size_t i = text.size(); i > 3; i -= 3)
    {
        text.insert(i - 3, ",");
    }
    return text;
}

std::string
ShowBitRate(uint64_t bitsPerSecond)
{
    std::string text = FormatBitRate(bitsPerSecond);
    const std::size_t unit = text.find_first_not_of("0123456789.");
    const std::size_t bps = text.find("bps");
    return text.substr(0, unit) + " " + text.substr(unit, bps - unit) + "b/s";
}

std::string
WrapText(const std::string& text, std::size_t width, const std::string& indent)
{
    std::istringstream words(text);
    std::string word;
    std::string line = indent;
    std::string result;
    bool fresh = true;
    while (words >> word)
    {
        if (!fresh && Columns(line) + 1 + Columns(word) > width)
        {
            result += line + "\n";
            line = indent;
            fresh = true;
        }
        line += (fresh ? "" : " ") + word;
        fresh = false;
    }
    return result + line + "\n";
}

ReportValue::ReportValue(const std::string& text)
    : m_value(text)
{
}

ReportValue::ReportValue(const char* text)
    : m_value(std::string(text))
{
}

ReportValue::ReportValue(uint64_t count)
    : m_value(count)
{
}

ReportValue::ReportValue(uint32_t count)
    : m_value(uint64_t{count})
{
}

ReportValue
ReportValue::Bytes(uint64_t bytes)
{
    ReportValue value(bytes);
    value.m_form = Form::BYTES;
    return value;
}

ReportValue
ReportValue::RoundBytes(uint64_t bytes)
{
    ReportValue value(bytes);
    value.m_form = Form::ROUND_BYTES;
    return value;
}

ReportValue
ReportValue::Duration(int64_t ps)
{
    ReportValue value(uint64_t{0});
    value.m_value = ps;
    value.m_form = Form::DURATION;
    return value;
}

ReportValue
ReportValue::Real(double number, int decimals, const std::string& unit)
{
    ReportValue value(uint64_t{0});
    value.m_value = number;
    value.m_decimals = decimals;
    value.m_unit = unit;
    return value;
}

std::string
ReportValue::Show() const
{
    if (const auto* text = std::get_if<std::string>(&m_value))
    {
        return *text;
    }
    if (const auto* ps = std::get_if<int64_t>(&m_value))
    {
        return FormatDurationRounded(*ps);
    }
    if (const auto* number = std::get_if<double>(&m_value))
    {
        char text[64];
        std::snprintf(text, sizeof(text), "%.*f", m_decimals, *number);
        return text + (m_unit.empty() ? "" : " " + m_unit);
    }
    const uint64_t count = std::get<uint64_t>(m_value);
    return m_form == Form::ROUND_BYTES ? FormatBytesRounded(count)
           : m_form == Form::BYTES     ? GroupDigits(count) + " B"
                                       : GroupDigits(count);
}

std::string
ReportValue::ToJsonText() const
{
    return std::visit(
        [](const auto& value) {
            return Json(value).dump(-1, ' ', false, Json::error_handler_t::replace);
        },
        m_value);
}

bool
ReportValue::IsNumber() const
{
    return !std::holds_alternative<std::string>(m_value);
}

ReportSection::ReportSection(const std::string& key, const std::string& title)
    : m_key(key),
      m_title(title)
{
}

void
ReportSection::Say(const std::string& text)
{
    Block block;
    block.text = text;
    m_blocks.push_back(block);
}

void
ReportSection::Quote(const std::vector<std::string>& lines)
{
    Block block;
    block.kind = Block::Kind::LINES;
    block.lines = lines;
    m_blocks.push_back(block);
}

void
ReportSection::Add(const std::string& key,
                   const std::string& label,
                   const ReportValue& value,
                   const std::string& how)
{
    Block block;
    block.kind = Block::Kind::FIGURE;
    block.key = key;
    block.text = label;
    block.how = how;
    block.rows = {{value}};
    m_blocks.push_back(block);
}

void
ReportSection::BeginTable(const std::string& key, const std::vector<ReportColumn>& columns)
{
    Block block;
    block.kind = Block::Kind::TABLE;
    block.key = key;
    block.columns = columns;
    m_blocks.push_back(block);
}

void
ReportSection::AddRow(const std::vector<ReportValue>& cells)
{
    Block& block = m_blocks.back();
    NS_ASSERT_MSG(block.kind == Block::Kind::TABLE && cells.size() == block.columns.size(),
                  "a row has a cell for each column of the table before it");
    block.rows.push_back(cells);
}

ReportDocument::ReportDocument(const std::string& title, bool numbered)
    : m_title(title),
      m_numbered(numbered)
{
}

ReportSection&
ReportDocument::AddSection(const std::string& key, const std::string& title)
{
    const std::string number = std::to_string(m_sections.size() + 1) + ". ";
    m_sections.emplace_back(key, (m_numbered ? number : "") + title);
    return m_sections.back();
}

std::string
ReportDocument::FormatFigures(const std::vector<Block>& blocks, std::size_t first, std::size_t end)
{
    std::size_t labels = 0;
    std::size_t values = 0;
    for (std::size_t i = first; i < end; ++i)
    {
        labels = std::max(labels, Columns(blocks[i].text));
        if (blocks[i].rows[0][0].IsNumber())
        {
            values = std::max(values, Columns(blocks[i].rows[0][0].Show()));
        }
    }
    std::string text;
    for (std::size_t i = first; i < end; ++i)
    {
        const ReportValue& value = blocks[i].rows[0][0];
        const std::string start = "  " + Fill(blocks[i].text, labels, false) + "  ";
        if (!value.IsNumber())
        {
            // Text hangs in its column.
            const std::string wrapped = WrapText(value.Show(), WIDTH, std::string(labels + 4, ' '));
            text += start + wrapped.substr(labels + 4);
            continue;
        }
        std::string line = start + Fill(value.Show(), values, true);
        const std::string& how = blocks[i].how;
        if (!how.empty() && Columns(line) + 2 + Columns(how) > WIDTH)
        {
            text += line + "\n" + WrapText(how, WIDTH, std::string(8, ' '));
            continue;
        }
        text += line + (how.empty() ? "" : "  " + how) + "\n";
    }
    return text;
}

std::string
ReportDocument::FormatTable(const Block& block)
{
    const std::size_t columns = block.columns.size();
    std::vector<std::size_t> widths(columns, 0);
    std::vector<bool> right(columns, false);
    std::vector<std::vector<std::string>> titles(columns);
    std::size_t height = 1;
    for (std::size_t c = 0; c < columns; ++c)
    {
        titles[c] = Lines(block.columns[c].title);
        height = std::max(height, titles[c].size());
        for (const auto& line : titles[c])
        {
            widths[c] = std::max(widths[c], Columns(line));
        }
        for (const auto& row : block.rows)
        {
            widths[c] = std::max(widths[c], Columns(row[c].Show()));
            right[c] = right[c] || row[c].IsNumber();
        }
    }
    std::string text;
    for (std::size_t line = 0; line < height; ++line)
    {
        std::string header = "  ";
        for (std::size_t c = 0; c < columns; ++c)
        {
            // Titles of one line stand at the bottom.
            const std::size_t skipped = height - titles[c].size();
            header += (c == 0 ? "" : "  ") +
                      Fill(line < skipped ? "" : titles[c][line - skipped], widths[c], right[c]);
        }
        text += TrimLine(header) + "\n";
    }
    std::string rule = "  ";
    for (std::size_t c = 0; c < columns; ++c)
    {
        rule += (c == 0 ? "" : "  ") + std::string(widths[c], '-');
    }
    text += rule + "\n";
    for (const auto& row : block.rows)
    {
        std::string line = "  ";
        for (std::size_t c = 0; c < columns; ++c)
        {
            line += (c == 0 ? "" : "  ") + Fill(row[c].Show(), widths[c], right[c]);
        }
        text += TrimLine(line) + "\n";
    }
    return text;
}

std::string
ReportDocument::FormatBlocks(const ReportSection& section,
                             const std::string& literalMark,
                             const std::string& literalIndent)
{
    const std::vector<Block>& blocks = section.m_blocks;
    std::string text;
    for (std::size_t i = 0; i < blocks.size();)
    {
        const Block& block = blocks[i];
        if (block.kind == Block::Kind::PARAGRAPH)
        {
            text += "\n" + WrapText(block.text, WIDTH);
            ++i;
            continue;
        }
        std::string literal;
        std::size_t end = i + 1;
        if (block.kind == Block::Kind::FIGURE)
        {
            while (end < blocks.size() && blocks[end].kind == Block::Kind::FIGURE)
            {
                ++end;
            }
            literal = FormatFigures(blocks, i, end);
        }
        else if (block.kind == Block::Kind::TABLE)
        {
            literal = FormatTable(block);
        }
        else
        {
            for (const auto& line : block.lines)
            {
                literal += "  " + line + "\n";
            }
        }
        text += "\n" + literalMark;
        for (const auto& line : Lines(literal))
        {
            text += TrimLine(literalIndent + line) + "\n";
        }
        i = end;
    }
    return text;
}

std::string
ReportDocument::FormatText() const
{
    std::string text;
    if (!m_title.empty())
    {
        text += m_title + "\n" + std::string(Columns(m_title), '=') + "\n";
    }
    for (const auto& section : m_sections)
    {
        text += (text.empty() ? "" : "\n\n") + section.m_title + "\n" +
                std::string(Columns(section.m_title), '-') + "\n" + FormatBlocks(section, "", "");
    }
    return text;
}

std::string
ReportDocument::FormatRst() const
{
    std::string text;
    for (const auto& section : m_sections)
    {
        text += (text.empty() ? "" : "\n") + section.m_title + "\n" +
                std::string(Columns(section.m_title), '*') + "\n" +
                FormatBlocks(section, ".. code-block:: text\n\n", "  ");
    }
    return text;
}

std::string
ReportDocument::FormatJson() const
{
    Json json = Json::object();
    for (const auto& section : m_sections)
    {
        Json& object = json[section.m_key];
        object = Json::object();
        for (const auto& block : section.m_blocks)
        {
            if (block.kind == Block::Kind::FIGURE)
            {
                object[block.key] = Json::parse(block.rows[0][0].ToJsonText());
            }
            else if (block.kind == Block::Kind::TABLE)
            {
                Json& rows = object[block.key];
                rows = Json::array();
                for (const auto& row : block.rows)
                {
                    Json line = Json::object();
                    for (std::size_t c = 0; c < row.size(); ++c)
                    {
                        line[block.columns[c].key] = Json::parse(row[c].ToJsonText());
                    }
                    rows.push_back(line);
                }
            }
        }
    }
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace llm
} // namespace ns3

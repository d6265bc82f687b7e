/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-bpe-vocabulary.h"

#include "ns3/llm-config-error.h"

namespace ns3
{
namespace llm
{

void
BpeVocabulary::FindByteTokens()
{
    std::array<bool, 256> found{};
    for (std::size_t id = 0; id < tokens.size(); ++id)
    {
        if (tokens[id].size() == 1)
        {
            const auto byte = static_cast<uint8_t>(tokens[id][0]);
            byteTokens[byte] = static_cast<uint32_t>(id);
            found[byte] = true;
        }
    }
    for (std::size_t byte = 0; byte < found.size(); ++byte)
    {
        if (!found[byte])
        {
            throw ConfigError(name,
                              "",
                              "no token for the single byte " + std::to_string(byte) +
                                  "; a byte-level vocabulary has all 256");
        }
    }
}

void
BpeVocabulary::AddToken(const std::string& content, uint32_t id, bool special)
{
    if (id >= tokens.size())
    {
        tokens.resize(id + std::size_t{1});
    }
    tokens[id] = content;
    added.push_back({content, id, special});
}

BpeByteAlphabet::BpeByteAlphabet()
{
    m_bytes.fill(-1);
    std::size_t position = 0;
    const auto place = [&](uint32_t byte, uint16_t code) {
        m_order[position++] = static_cast<uint8_t>(byte);
        m_codes[byte] = code;
        m_bytes[code] = static_cast<int16_t>(byte);
    };
    const auto isPrintable = [](uint32_t byte) {
        return (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 255 && byte != 173);
    };
    for (uint32_t byte = 0; byte < 256; ++byte)
    {
        if (isPrintable(byte))
        {
            place(byte, static_cast<uint16_t>(byte));
        }
    }
    uint16_t code = 0x100;
    for (uint32_t byte = 0; byte < 256; ++byte)
    {
        if (!isPrintable(byte))
        {
            place(byte, code++);
        }
    }
}

std::string
BpeByteAlphabet::Spell(std::string_view bytes) const
{
    std::string spelt;
    for (const char c : bytes)
    {
        const uint16_t code = m_codes[static_cast<uint8_t>(c)];
        if (code < 0x80)
        {
            spelt.push_back(static_cast<char>(code));
        }
        else
        {
            spelt.push_back(static_cast<char>(0xc0 | (code >> 6)));
            spelt.push_back(static_cast<char>(0x80 | (code & 0x3f)));
        }
    }
    return spelt;
}

bool
BpeByteAlphabet::Read(std::string_view spelt, std::string& bytes) const
{
    bytes.clear();
    for (std::size_t i = 0; i < spelt.size(); ++i)
    {
        const auto lead = static_cast<uint8_t>(spelt[i]);
        uint32_t code = lead;
        if (lead >= 0x80)
        {
            // The alphabet ends at U+0143: two bytes of UTF-8 at most.
            const bool continued =
                i + 1 < spelt.size() && (static_cast<uint8_t>(spelt[i + 1]) & 0xc0) == 0x80;
            if ((lead & 0xe0) != 0xc0 || !continued)
            {
                return false;
            }
            code = (lead & 0x1fU) << 6 | (static_cast<uint8_t>(spelt[++i]) & 0x3fU);
        }
        if (code >= m_bytes.size() || m_bytes[code] < 0)
        {
            return false;
        }
        bytes.push_back(static_cast<char>(m_bytes[code]));
    }
    return true;
}

} // namespace llm
} // namespace ns3

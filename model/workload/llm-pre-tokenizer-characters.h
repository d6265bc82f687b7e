/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_PRE_TOKENIZER_CHARACTERS_H
#define LLM_PRE_TOKENIZER_CHARACTERS_H

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * What a character is to the patterns of pre-tokenizers: bits. Unicode's general categories come
 * from libutf8proc, which is optional when the module is built.
 */
enum CharacterClass : uint8_t
{
    UPPER_LETTER = 1, //!< Lu, Lt
    LOWER_LETTER = 2, //!< Ll
    OTHER_LETTER = 4, //!< Lm, Lo
    LETTER = 7,       //!< any of the three, \p{L}
    MARK = 8,         //!< \p{M}
    NUMBER = 16,      //!< \p{N}
    SPACE = 32,       //!< \s, Unicode's White_Space
    NEWLINE = 64,     //!< carriage return and line feed; they are spaces too
    PUNCTUATION = 128 //!< \p{P} and \p{S}
};

/** A character of a text. */
struct Character
{
    uint32_t code{0};   //!< code point; INVALID_CODE for a byte that is no UTF-8
    uint8_t bytes{0};   //!< length in the text, 1 .. 4
    uint8_t classes{0}; //!< of CharacterClass; none for control characters and bad bytes

    /** @param mask bits of CharacterClass. @return whether the character has one of them. */
    bool Is(unsigned mask) const
    {
        return (classes & mask) != 0;
    }
};

/** Code of a byte that is no part of valid UTF-8: such a byte is a character of its own. */
constexpr uint32_t INVALID_CODE = 0xffffffff;

/** @param code below 128. @return its classes. */
constexpr uint8_t
ClassesOfAscii(uint32_t code)
{
    if (code == '\r' || code == '\n')
    {
        return SPACE | NEWLINE;
    }
    if (code == ' ' || (code >= 9 && code <= 13))
    {
        return SPACE;
    }
    if (code >= 'a' && code <= 'z')
    {
        return LOWER_LETTER;
    }
    if (code >= 'A' && code <= 'Z')
    {
        return UPPER_LETTER;
    }
    if (code >= '0' && code <= '9')
    {
        return NUMBER;
    }
    return code > ' ' && code < 127 ? PUNCTUATION : 0;
}

/** @return ClassesOfAscii as a table. */
constexpr std::array<uint8_t, 128>
MakeAsciiClasses()
{
    std::array<uint8_t, 128> classes{};
    for (uint32_t code = 0; code < 128; ++code)
    {
        classes[code] = ClassesOfAscii(code);
    }
    return classes;
}

/** Classes of the ASCII characters, most of most texts. */
inline constexpr std::array<uint8_t, 128> ASCII_CLASSES = MakeAsciiClasses();

/** @param at a byte of 128 or more @param end of the text. @return the character there. */
Character NonAsciiCharacterAt(const char* at, const char* end);

/** @param at where it begins, before end @param end of the text. @return the character there. */
inline Character
CharacterAt(const char* at, const char* end)
{
    const auto byte = static_cast<unsigned char>(*at);
    if (byte < 128)
    {
        return {byte, 1, ASCII_CLASSES[byte]};
    }
    return NonAsciiCharacterAt(at, end);
}

/**
 * Canonical composition, Unicode's NFC. Bytes that are no UTF-8 stay as they are.
 * @param text any bytes.
 * @return the normal form.
 */
std::string ToNfc(std::string_view text);

/** @return whether this build knows Unicode: libutf8proc was there when it was configured. */
bool IsUnicodeAvailable();

/**
 * @param source who asks, for the error.
 * @throw ConfigError if this build does not know Unicode.
 */
void RequireUnicode(const std::string& source);

} // namespace llm
} // namespace ns3

#endif // LLM_PRE_TOKENIZER_CHARACTERS_H

/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-pre-tokenizer-scanners.h"

#include "llm-pre-tokenizer-characters.h"

namespace ns3
{
namespace llm
{

namespace
{

constexpr uint32_t LONG_S = 0x17f; //!< equals s when case does not matter

/** @param at a place @param end of the text @return the character there, none at the end. */
Character
Peek(const char* at, const char* end)
{
    return at < end ? CharacterAt(at, end) : Character();
}

/**
 * @param at a place @param end of the text
 * @param mask classes
 * @return behind the characters from here on that are of one of the classes.
 */
const char*
Run(const char* at, const char* end, unsigned mask)
{
    while (at < end)
    {
        const Character character = CharacterAt(at, end);
        if (!character.Is(mask))
        {
            break;
        }
        at += character.bytes;
    }
    return at;
}

/** As Run, but at most so many characters. @param at a place @param end of the text @param mask
 * classes @param most characters @return behind them. */
const char*
RunAtMost(const char* at, const char* end, unsigned mask, unsigned most)
{
    for (; most > 0 && at < end; --most)
    {
        const Character character = CharacterAt(at, end);
        if (!character.Is(mask))
        {
            break;
        }
        at += character.bytes;
    }
    return at;
}

/** @param at a place @param end of the text @param mask classes @return behind the characters that
 * are of none of the classes. */
const char*
RunOfOthers(const char* at, const char* end, unsigned mask)
{
    while (at < end)
    {
        const Character character = CharacterAt(at, end);
        if (character.Is(mask))
        {
            break;
        }
        at += character.bytes;
    }
    return at;
}

/**
 * 's|'t|'re|'ve|'m|'ll|'d
 * @param at a place @param end of the text
 * @param anyCase whether capitals count too
 * @return behind the contraction, or at.
 */
const char*
Contraction(const char* at, const char* end, bool anyCase)
{
    if (at == end || *at != '\'')
    {
        return at;
    }
    const char* const behind = at + 1;
    const auto letter = [&](const char* p) -> char {
        if (p >= end)
        {
            return 0;
        }
        return anyCase && *p >= 'A' && *p <= 'Z' ? static_cast<char>(*p - 'A' + 'a') : *p;
    };
    const char first = letter(behind);
    const char second = letter(behind + 1);
    switch (first)
    {
    case 's':
    case 't':
    case 'm':
    case 'd':
        return behind + 1;
    case 'r':
    case 'v':
        return second == 'e' ? behind + 2 : at;
    case 'l':
        return second == 'l' ? behind + 2 : at;
    default: {
        const Character character = Peek(behind, end);
        return anyCase && character.code == LONG_S ? behind + character.bytes : at;
    }
    }
}

/**
 * \s+(?!\S)|\s+, and before them \s*[\r\n]+ where line ends are kept apart.
 * @param begin the place, a space @param end of the text
 * @param newlines whether white space is cut behind its last line end
 * @return behind the match, or begin if there is no space.
 */
const char*
WhiteSpace(const char* begin, const char* end, bool newlines)
{
    const char* last = begin;
    const char* behindNewline = begin;
    const char* at = begin;
    while (at < end)
    {
        const Character character = CharacterAt(at, end);
        if (!character.Is(SPACE))
        {
            break;
        }
        last = at;
        at += character.bytes;
        if (character.Is(NEWLINE))
        {
            behindNewline = at;
        }
    }
    if (newlines && behindNewline > begin)
    {
        return behindNewline;
    }
    // The look-ahead leaves one space to the word that follows, if there are two.
    return at == end || last == begin ? at : last;
}

/**
 * ` ?[^\s\p{L}\p{N}]+` and line ends, or line ends and slashes, behind it.
 * @param begin the place @param end of the text
 * @param slashes whether slashes may follow too
 * @return behind the match, or begin.
 */
const char*
Symbols(const char* begin, const char* end, bool slashes)
{
    const char* const from = begin + (*begin == ' ' ? 1 : 0);
    const char* at = RunOfOthers(from, end, SPACE | LETTER | NUMBER);
    if (at == from)
    {
        return begin;
    }
    while (at < end && (*at == '\r' || *at == '\n' || (slashes && *at == '/')))
    {
        ++at;
    }
    return at;
}

/** cl100k's and Qwen's. @param begin the place @param end of the text @param digits most in a piece
 * @return behind the match. */
const char*
ScanWordsAndDigits(const char* begin, const char* end, unsigned digits)
{
    if (const char* behind = Contraction(begin, end, true); behind != begin)
    {
        return behind;
    }
    const Character first = CharacterAt(begin, end);
    const char* const second = begin + first.bytes;
    if (first.Is(LETTER))
    {
        return Run(second, end, LETTER);
    }
    if (first.Is(NUMBER))
    {
        return RunAtMost(begin, end, NUMBER, digits);
    }
    if (!first.Is(NEWLINE) && Peek(second, end).Is(LETTER))
    {
        return Run(second, end, LETTER);
    }
    if (const char* behind = Symbols(begin, end, false); behind != begin)
    {
        return behind;
    }
    return WhiteSpace(begin, end, true);
}

constexpr unsigned CAPITALS = UPPER_LETTER | OTHER_LETTER | MARK; //!< o200k's first set
constexpr unsigned SMALLS = LOWER_LETTER | OTHER_LETTER | MARK;   //!< o200k's second set

/**
 * [CAPITALS]*[SMALLS]+ with the backtracking of a regular expression.
 * @param begin the place @param end of the text @return behind the match, or nullptr.
 */
const char*
CapitalsThenSmalls(const char* begin, const char* end)
{
    const char* behindBoth = nullptr; // behind the last character that is in both sets
    const char* at = begin;
    while (at < end)
    {
        const Character character = CharacterAt(at, end);
        if (!character.Is(CAPITALS))
        {
            break;
        }
        at += character.bytes;
        if (character.Is(SMALLS))
        {
            behindBoth = at;
        }
    }
    const char* const behind = Run(at, end, SMALLS);
    return behind != at ? behind : behindBoth;
}

/** [CAPITALS]+[SMALLS]* @param begin the place @param end of the text @return behind, or nullptr.
 */
const char*
CapitalsPerhapsSmalls(const char* begin, const char* end)
{
    const char* const at = Run(begin, end, CAPITALS);
    return at == begin ? nullptr : Run(at, end, SMALLS);
}

/** The first two alternatives of o200k, without contractions. @param begin the place @param end of
 * the text @return behind the match, or nullptr. */
const char*
CasedWord(const char* begin, const char* end)
{
    const Character first = CharacterAt(begin, end);
    const bool maybeLead = !first.Is(NEWLINE | LETTER | NUMBER);
    for (const auto match : {&CapitalsThenSmalls, &CapitalsPerhapsSmalls})
    {
        // The optional lead is tried first, as it is greedy; a mark may be lead or word.
        if (const char* behind = maybeLead ? match(begin + first.bytes, end) : nullptr)
        {
            return behind;
        }
        if (const char* behind = match(begin, end))
        {
            return behind;
        }
    }
    return nullptr;
}

/** o200k's and Mistral's. @param begin the place @param end of the text @param digits most in a
 * piece @param contractions whether they belong to the word @return behind the match. */
const char*
ScanCasedWords(const char* begin, const char* end, unsigned digits, bool contractions)
{
    if (const char* behind = CasedWord(begin, end))
    {
        return contractions ? Contraction(behind, end, true) : behind;
    }
    if (CharacterAt(begin, end).Is(NUMBER))
    {
        return RunAtMost(begin, end, NUMBER, digits);
    }
    if (const char* behind = Symbols(begin, end, true); behind != begin)
    {
        return behind;
    }
    return WhiteSpace(begin, end, true);
}

/** @param at a place @param end of the text @return whether an ASCII letter is there. */
bool
IsAsciiLetter(const char* at, const char* end)
{
    return at < end && ((*at >= 'a' && *at <= 'z') || (*at >= 'A' && *at <= 'Z'));
}

} // namespace

const char*
ScanGpt2(const char* begin, const char* end)
{
    if (const char* behind = Contraction(begin, end, false); behind != begin)
    {
        return behind;
    }
    const char* const from = begin + (*begin == ' ' && begin + 1 < end ? 1 : 0);
    const Character first = CharacterAt(from, end);
    if (first.Is(LETTER))
    {
        return Run(from, end, LETTER);
    }
    if (first.Is(NUMBER))
    {
        return Run(from, end, NUMBER);
    }
    if (!first.Is(SPACE))
    {
        return RunOfOthers(from, end, SPACE | LETTER | NUMBER);
    }
    return WhiteSpace(begin, end, false);
}

const char*
ScanCl100k(const char* begin, const char* end)
{
    return ScanWordsAndDigits(begin, end, 3);
}

const char*
ScanQwen2(const char* begin, const char* end)
{
    return ScanWordsAndDigits(begin, end, 1);
}

const char*
ScanO200k(const char* begin, const char* end)
{
    return ScanCasedWords(begin, end, 3, true);
}

const char*
ScanTekken(const char* begin, const char* end)
{
    return ScanCasedWords(begin, end, 1, false);
}

const char*
ScanThreeDigits(const char* begin, const char* end)
{
    return RunAtMost(begin, end, NUMBER, 3);
}

const char*
ScanDigit(const char* begin, const char* end)
{
    return RunAtMost(begin, end, NUMBER, 1);
}

const char*
ScanDigits(const char* begin, const char* end)
{
    return Run(begin, end, NUMBER);
}

const char*
ScanCjk(const char* begin, const char* end)
{
    while (begin < end)
    {
        const Character character = CharacterAt(begin, end);
        const uint32_t code = character.code;
        if (!((code >= 0x4e00 && code <= 0x9fa5) || (code >= 0x3040 && code <= 0x30ff)))
        {
            break;
        }
        begin += character.bytes;
    }
    return begin;
}

const char*
ScanDeepSeekWords(const char* begin, const char* end)
{
    const Character first = CharacterAt(begin, end);
    const char* const second = begin + first.bytes;
    if (first.code < 128 && first.Is(PUNCTUATION) && IsAsciiLetter(second, end))
    {
        const char* at = second;
        while (IsAsciiLetter(at, end))
        {
            ++at;
        }
        return at;
    }
    if (!first.Is(NEWLINE | LETTER | PUNCTUATION) && Peek(second, end).Is(LETTER | MARK))
    {
        return Run(second, end, LETTER | MARK);
    }
    if (first.Is(LETTER | MARK))
    {
        return Run(begin, end, LETTER | MARK);
    }
    const char* const from = begin + (*begin == ' ' ? 1 : 0);
    if (const char* at = Run(from, end, PUNCTUATION); at != from)
    {
        while (at < end && (*at == '\r' || *at == '\n'))
        {
            ++at;
        }
        return at;
    }
    return WhiteSpace(begin, end, true);
}

} // namespace llm
} // namespace ns3

/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-pre-tokenizer-characters.h"

#include "ns3/llm-config-error.h"

#ifdef LLM_TRAINING_UTF8PROC
#include <algorithm>
#include <cstdlib>
#include <memory>
#include <utf8proc.h>
#endif

namespace ns3
{
namespace llm
{

#ifdef LLM_TRAINING_UTF8PROC

namespace
{

/** @param code of a character beyond ASCII. @return its classes. */
uint8_t
ClassesOf(utf8proc_int32_t code)
{
    switch (utf8proc_category(code))
    {
    case UTF8PROC_CATEGORY_LU:
    case UTF8PROC_CATEGORY_LT:
        return UPPER_LETTER;
    case UTF8PROC_CATEGORY_LL:
        return LOWER_LETTER;
    case UTF8PROC_CATEGORY_LM:
    case UTF8PROC_CATEGORY_LO:
        return OTHER_LETTER;
    case UTF8PROC_CATEGORY_MN:
    case UTF8PROC_CATEGORY_MC:
    case UTF8PROC_CATEGORY_ME:
        return MARK;
    case UTF8PROC_CATEGORY_ND:
    case UTF8PROC_CATEGORY_NL:
    case UTF8PROC_CATEGORY_NO:
        return NUMBER;
    case UTF8PROC_CATEGORY_PC:
    case UTF8PROC_CATEGORY_PD:
    case UTF8PROC_CATEGORY_PS:
    case UTF8PROC_CATEGORY_PE:
    case UTF8PROC_CATEGORY_PI:
    case UTF8PROC_CATEGORY_PF:
    case UTF8PROC_CATEGORY_PO:
    case UTF8PROC_CATEGORY_SM:
    case UTF8PROC_CATEGORY_SC:
    case UTF8PROC_CATEGORY_SK:
    case UTF8PROC_CATEGORY_SO:
        return PUNCTUATION;
    case UTF8PROC_CATEGORY_ZS:
    case UTF8PROC_CATEGORY_ZL:
    case UTF8PROC_CATEGORY_ZP:
        return SPACE;
    default:
        // Of the control characters beyond ASCII only NEXT LINE is White_Space.
        return code == 0x85 ? SPACE : 0;
    }
}

/** @param valid UTF-8 @param out where its normal form is appended. */
void
AppendNfc(std::string_view valid, std::string& out)
{
    utf8proc_uint8_t* composed = nullptr;
    const utf8proc_ssize_t size =
        utf8proc_map(reinterpret_cast<const utf8proc_uint8_t*>(valid.data()),
                     static_cast<utf8proc_ssize_t>(valid.size()),
                     &composed,
                     static_cast<utf8proc_option_t>(UTF8PROC_STABLE | UTF8PROC_COMPOSE));
    const std::unique_ptr<utf8proc_uint8_t, decltype(&std::free)> owner(composed, &std::free);
    if (size < 0)
    {
        throw ConfigError("normalizer", "", utf8proc_errmsg(size));
    }
    out.append(reinterpret_cast<const char*>(composed), static_cast<std::size_t>(size));
}

} // namespace

Character
NonAsciiCharacterAt(const char* at, const char* end)
{
    utf8proc_int32_t code = -1;
    const utf8proc_ssize_t bytes = utf8proc_iterate(reinterpret_cast<const utf8proc_uint8_t*>(at),
                                                    static_cast<utf8proc_ssize_t>(end - at),
                                                    &code);
    if (bytes <= 0)
    {
        return {INVALID_CODE, 1, 0};
    }
    return {static_cast<uint32_t>(code), static_cast<uint8_t>(bytes), ClassesOf(code)};
}

std::string
ToNfc(std::string_view text)
{
    // All below U+0300, whose first byte is 0xcc, is its own normal form.
    const auto mayChange = [](char c) { return static_cast<unsigned char>(c) >= 0xcc; };
    if (std::none_of(text.begin(), text.end(), mayChange))
    {
        return std::string(text);
    }
    std::string out;
    out.reserve(text.size());
    const char* const end = text.data() + text.size();
    const char* valid = text.data();
    for (const char* at = valid; at < end;)
    {
        const Character character = CharacterAt(at, end);
        if (character.code == INVALID_CODE)
        {
            AppendNfc({valid, static_cast<std::size_t>(at - valid)}, out);
            out.push_back(*at);
            valid = at + 1;
        }
        at += character.bytes;
    }
    AppendNfc({valid, static_cast<std::size_t>(end - valid)}, out);
    return out;
}

bool
IsUnicodeAvailable()
{
    return true;
}

void
RequireUnicode(const std::string&)
{
}

#else

Character
NonAsciiCharacterAt(const char*, const char*)
{
    return {INVALID_CODE, 1, 0};
}

std::string
ToNfc(std::string_view text)
{
    return std::string(text);
}

bool
IsUnicodeAvailable()
{
    return false;
}

void
RequireUnicode(const std::string& source)
{
    throw ConfigError(source,
                      "",
                      "tokenizers are not in this build, because libutf8proc was not found when it "
                      "was configured (Debian: apt install libutf8proc-dev, then configure again)");
}

#endif

} // namespace llm
} // namespace ns3

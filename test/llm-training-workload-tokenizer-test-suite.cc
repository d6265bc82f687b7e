/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-training-workload-expect.h"

#include "ns3/llm-bpe-gpt2-format.h"
#include "ns3/llm-bpe-json-format.h"
#include "ns3/llm-bpe-tiktoken-format.h"
#include "ns3/llm-bpe-tokenizer.h"
#include "ns3/llm-bpe-trainer.h"
#include "ns3/llm-pre-tokenizer-characters.h"
#include "ns3/llm-pre-tokenizer.h"
#include "ns3/llm-token-dataset.h"
#include "ns3/llm-tokenizer-file.h"
#include "ns3/llm-tokenizer-sentence-piece.h"
#include "ns3/llm-tokenizer.h"
#include "ns3/llm-training-compat.h"
#include "ns3/test.h"

#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <memory>
#include <random>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

using Ids = std::vector<uint32_t>;

/** @param ids tokens @return them with blanks between. */
std::string
Join(const Ids& ids)
{
    std::string text;
    for (const uint32_t id : ids)
    {
        text += (text.empty() ? "" : " ") + std::to_string(id);
    }
    return text;
}

/** @param name of a text that ships @return the text. */
std::string
ReadShipped(const std::string& name)
{
    return ReadWholeFile(std::string(LLM_TRAINING_SOURCE_DIR) + "/examples/text/" + name, "a text");
}

/** @return where test/fetch-vocabularies.sh puts what it fetches. */
std::string
VocabularyFolder()
{
    const auto variable = [](const char* name) -> std::string {
        const char* value = std::getenv(name);
        return value == nullptr ? "" : value;
    };
    if (!variable("LLM_TRAINING_VOCABULARIES").empty())
    {
        return variable("LLM_TRAINING_VOCABULARIES");
    }
    const std::string cache = variable("XDG_CACHE_HOME");
    return (cache.empty() ? variable("HOME") + "/.cache" : cache) + "/llm-training/vocabularies";
}

/** @param name of a vocabulary @return its file; empty, with a message, if it is not there. */
std::string
FindVocabulary(const std::string& name)
{
    const std::string file = VocabularyFolder() + "/" + name;
    if (std::ifstream(file).good())
    {
        return file;
    }
    std::cout << name
              << " is not there, nothing compared with it: see test/fetch-vocabularies.sh\n";
    return "";
}

/** @param text and its @param replaced part @param by what @return the text with all replaced. */
std::string
Replace(std::string text, const std::string& replaced, const std::string& by)
{
    for (std::size_t at = text.find(replaced); at != std::string::npos;
         at = text.find(replaced, at + by.size()))
    {
        text.replace(at, replaced.size(), by);
    }
    return text;
}

/** @param index of a trial @return random bytes, a quarter of them not UTF-8 at all. */
std::string
RandomBytes(uint64_t index)
{
    std::mt19937_64 random(index + 1); // specified by the standard to the bit, as engines are
    const std::string alphabet = " \t\n\r'stSLd10,.!aZ\xc3\xa8\xe4\xb8\x80\xf0\x9f\x8c\x8d\xcc\x81";
    std::string bytes;
    const uint64_t size = random() % 300;
    for (uint64_t i = 0; i < size; ++i)
    {
        const uint64_t choice = random();
        bytes.push_back(index % 4 == 0 ? static_cast<char>(choice >> 8)
                                       : alphabet[(choice >> 8) % alphabet.size()]);
    }
    return bytes;
}

/** One row of what a pre-tokenizer makes of a text. */
struct PieceRow
{
    const char* name;   //!< pre-tokenizer
    const char* text;   //!< what is cut
    const char* pieces; //!< with | between
};

/** Pieces as the regular expressions give them (checked with ECMAScript's, Unicode sets). */
class PatternsCutTexts : public TestCase
{
  public:
    PatternsCutTexts()
        : TestCase("pre-tokenizers cut as their regular expressions do")
    {
    }

  private:
    void DoRun() override
    {
        const PieceRow rows[] = {
            {"none", "a b\n", "a b\n"},
            {"gpt2", "Hello  world!", "Hello| | world|!"},
            {"gpt2", "I've 1234 'S I'LL", "I|'ve| 1234| '|S| I|'|LL"},
            {"gpt2", "a\n\n  b \n", "a|\n\n | b| \n"},
            {"gpt2", "  ", "  "},
            {"gpt2", "\u00e8\u0301x", "\u00e8|\u0301|x"},
            {"cl100k", "I'LL 12345\u00bd!?\r\n\n x", "I|'LL| |123|45\u00bd|!?\r\n\n| x"},
            {"cl100k", "(abc) \t\n  \n d'\u017f", "(abc|)| \t\n  \n| d|'\u017f"},
            {"cl100k", "a\u3000b\u00a0 c", "a|\u3000b|\u00a0| c"},
            {"qwen2", " 12a", " |1|2|a"},
            {"o200k", "HelloWorld USAid's I'm/\n/x", "Hello|World| USAid's| I'm|/\n/|x"},
            {"o200k", "AA\u3042BB \u0301a", "AA\u3042|BB| \u0301a"},
            {"tekken", "don't 12", "don|'t| |1|2"},
            {"deepseek-v3",
             "ab12\u4e2d\u6587\u3042 .com x\u0301 \u2014\n\x01",
             "ab|12|\u4e2d\u6587\u3042| .|com| x\u0301| \u2014\n|\x01"},
        };
        for (const PieceRow& row : rows)
        {
            const std::string text = row.text;
            std::string pieces;
            for (const std::string_view piece : PreTokenizer::ByName(row.name).Split(text))
            {
                pieces += (pieces.empty() ? "" : "|") + std::string(piece);
            }
            NS_TEST_EXPECT_MSG_EQ(pieces, row.pieces, row.name << " of '" << row.text << "'");
        }
        const char* const names[] = {"gpt2", "cl100k", "qwen2", "o200k", "tekken", "deepseek-v3"};
        for (uint64_t trial = 0; trial < 200; ++trial)
        {
            const std::string text = RandomBytes(trial);
            for (const char* name : names)
            {
                std::string joined;
                for (const std::string_view piece : PreTokenizer::ByName(name).Split(text))
                {
                    NS_TEST_ASSERT_MSG_EQ(piece.empty(), false, name << ": an empty piece");
                    joined += piece;
                }
                NS_TEST_ASSERT_MSG_EQ((joined == text), true, name << " lost bytes, " << trial);
            }
        }
    }
};

/** The byte alphabet of GPT-2's files. */
class ByteAlphabetSpellsAllBytes : public TestCase
{
  public:
    ByteAlphabetSpellsAllBytes()
        : TestCase("every byte has a printable character: space U+0120, newline U+010A")
    {
    }

  private:
    void DoRun() override
    {
        const BpeByteAlphabet alphabet;
        NS_TEST_EXPECT_MSG_EQ(alphabet.Spell(" a\n"), "\u0120a\u010a", "known characters");
        std::string all;
        for (int byte = 0; byte < 256; ++byte)
        {
            all.push_back(static_cast<char>(byte));
        }
        std::string back;
        NS_TEST_EXPECT_MSG_EQ(alphabet.Read(alphabet.Spell(all), back), true, "can be read");
        NS_TEST_EXPECT_MSG_EQ((back == all), true, "gives the same bytes");
        NS_TEST_EXPECT_MSG_EQ(alphabet.Read("\u4e2d", back), false, "not of the alphabet");
        NS_TEST_EXPECT_MSG_EQ(alphabet.Read("a b", back), false, "a blank is not of the alphabet");
        NS_TEST_EXPECT_MSG_EQ(unsigned{alphabet.GetOrder()[0]}, 33U, "ids begin with '!'");
        NS_TEST_EXPECT_MSG_EQ(unsigned{alphabet.GetOrder()[188]}, 0U, "then the others in order");
        NS_TEST_EXPECT_MSG_EQ(unsigned{alphabet.GetOrder()[255]}, 173U, "the soft hyphen is last");
    }
};

/** The trainer on a text that can be followed by hand, and on the canto. */
class TrainerTakesTheMostFrequentPair : public TestCase
{
  public:
    TrainerTakesTheMostFrequentPair()
        : TestCase("trained merges: the most frequent pair, of equals the lowest; always the same")
    {
    }

  private:
    void DoRun() override
    {
        // aaabdaaabac: aa (4 times) -> Z, then ab and Za, both twice: a is the lower left token,
        // so Y = ab; then ZY twice; then nothing is met twice.
        BpeTrainerConfig config;
        config.vocabularySize = 300;
        config.preTokenizer = "none";
        const BpeVocabulary small = TrainBpe({"aaabdaaabac"}, config);
        const auto text = [&](uint32_t id) { return small.tokens[id]; };
        NS_TEST_ASSERT_MSG_EQ(small.merges.size(), 3U, "three merges");
        NS_TEST_EXPECT_MSG_EQ(text(256), "aa", "first");
        NS_TEST_EXPECT_MSG_EQ(text(257), "ab", "second");
        NS_TEST_EXPECT_MSG_EQ(text(258), "aaab", "third");
        NS_TEST_EXPECT_MSG_EQ(text(259), "<|endoftext|>", "last");
        NS_TEST_EXPECT_MSG_EQ(Join(BpeTokenizer(small).Encode("aaabdaaabac")),
                              "258 67 258 64 66",
                              "encoded");

        BpeTrainerConfig larger;
        larger.vocabularySize = 1024;
        const std::string canto = ReadShipped("inferno-1-it.txt");
        const BpeVocabulary first = TrainBpe({canto}, larger);
        const BpeVocabulary second = TrainBpe({canto}, larger);
        NS_TEST_EXPECT_MSG_EQ(first.tokens.size(), 656U, "then no pair is met twice");
        NS_TEST_EXPECT_MSG_EQ((first.tokens == second.tokens), true, "the same every time");
        const BpeTokenizer tokenizer(first);
        const Ids ids = tokenizer.Encode(canto);
        NS_TEST_EXPECT_MSG_EQ(ids.size(), CANTO_TOKENS, "a known answer");
        NS_TEST_EXPECT_MSG_EQ((tokenizer.Decode(ids) == canto), true, "and back");

        const std::string file = WriteGpt2Merges(first);
        const BpeVocabulary read = ReadGpt2Merges(file, "written");
        NS_TEST_EXPECT_MSG_EQ((read.tokens == first.tokens), true, "written and read");
        NS_TEST_EXPECT_MSG_EQ((BpeTokenizer(read).Encode(canto) == ids), true, "encodes alike");
    }

    static constexpr std::size_t CANTO_TOKENS = 2028; //!< as counted by brute force outside
};

/** Any bytes survive. */
class RandomBytesComeBack : public TestCase
{
  public:
    RandomBytesComeBack()
        : TestCase("decoding what was encoded gives the same bytes, whatever they are")
    {
    }

  private:
    void DoRun() override
    {
        const std::string canto = ReadShipped("inferno-1-en.txt");
        for (const char* name : {"none", "gpt2", "cl100k", "o200k", "deepseek-v3"})
        {
            BpeTrainerConfig config;
            config.vocabularySize = 600;
            config.preTokenizer = name;
            const BpeTokenizer tokenizer(TrainBpe({canto}, config));
            for (uint64_t trial = 0; trial < 100; ++trial)
            {
                const std::string text = RandomBytes(trial);
                NS_TEST_ASSERT_MSG_EQ((tokenizer.Decode(tokenizer.Encode(text)) == text),
                                      true,
                                      name << ", trial " << trial);
            }
        }
    }
};

/** Words of bytes for tiny vocabularies: the 256 bytes in GPT-2's spelling. */
std::string
ByteVocabJson()
{
    const BpeByteAlphabet alphabet;
    std::string json;
    for (int id = 0; id < 256; ++id)
    {
        std::string spelt = alphabet.Spell(std::string(1, static_cast<char>(id)));
        spelt = spelt == "\"" || spelt == "\\" ? "\\" + spelt : spelt;
        json += "\"" + spelt + "\": " + std::to_string(id) + ", ";
    }
    return json;
}

/** @param merges JSON @param rest further members, each with a comma in front @param inModel
 * further members of the model @return a tokenizer.json. */
std::string
TokenizerJson(const std::string& merges,
              const std::string& rest = "",
              const std::string& inModel = "")
{
    return R"({"normalizer": null, "pre_tokenizer": {"type": "ByteLevel",
               "add_prefix_space": false}, "model": {"type": "BPE", "vocab": {)" +
           ByteVocabJson() + R"("ab": 256, "bc": 257, "abc": 258}, "merges": )" + merges + inModel +
           "}" + rest + "}";
}

/** Hugging Face's format. */
class TokenizerJsonIsRead : public TestCase
{
  public:
    TokenizerJsonIsRead()
        : TestCase("tokenizer.json: both spellings of merges, ignore_merges, NFC, added tokens")
    {
    }

  private:
    /** @param json a file @param text to encode @param special tokens in it @return ids. */
    static std::string Encode(const std::string& json,
                              const std::string& text,
                              Tokenizer::SpecialTokens special = Tokenizer::SpecialTokens::AS_TEXT)
    {
        return Join(BpeTokenizer(ReadTokenizerJson(json, "t.json")).Encode(text, special));
    }

    void DoRun() override
    {
        const std::string strings = R"(["b c", "a b", "ab c"])";
        const std::string pairs = R"([["b", "c"], ["a", "b"], ["ab", "c"]])";
        NS_TEST_EXPECT_MSG_EQ(Encode(TokenizerJson(strings), "abc ab"), "97 257 32 256", "strings");
        NS_TEST_EXPECT_MSG_EQ(Encode(TokenizerJson(pairs), "abc ab"), "97 257 32 256", "pairs");
        NS_TEST_EXPECT_MSG_EQ(
            Encode(TokenizerJson(pairs, "", R"(, "ignore_merges": true)"), "abc ab"),
            "258 32 256",
            "a whole piece needs no merges");

        const std::string added = R"(, "added_tokens": [
            {"id": 300, "content": "<end>", "special": true},
            {"id": 301, "content": "<t", "special": false},
            {"id": 302, "content": "<think>", "special": false}])";
        const std::string json = TokenizerJson(pairs, added);
        NS_TEST_EXPECT_MSG_EQ(Encode(json, "ab<think>ab<tab"), "256 302 256 301 256", "longest");
        NS_TEST_EXPECT_MSG_EQ(Encode(json, "<end>"), "60 101 110 100 62", "special, as text");
        NS_TEST_EXPECT_MSG_EQ(Encode(json, "ab<end>", Tokenizer::SpecialTokens::RECOGNISED),
                              "256 300",
                              "special, recognised");
        const BpeTokenizer tokenizer(ReadTokenizerJson(json, "t.json"));
        NS_TEST_EXPECT_MSG_EQ(tokenizer.GetVocabularySize(), 303U, "up to the largest id");
        NS_TEST_EXPECT_MSG_EQ(tokenizer.Decode({300, 256}), "<end>ab", "back");
        NS_TEST_EXPECT_MSG_EQ(MessageOf([&] { tokenizer.Decode({299}); }),
                              "t.json: no token has id 299; the vocabulary has 303 ids",
                              "an id between");

        const std::string decomposed = "e\u0301 \xff\u212b";
        const std::string nfc = Replace(json, R"("normalizer": null)", R"("normalizer": {"type":
            "Sequence", "normalizers": [{"type": "NFC"}]})");
        const BpeTokenizer composing(ReadTokenizerJson(nfc, "t.json"));
        NS_TEST_EXPECT_MSG_EQ((tokenizer.Decode(tokenizer.Encode(decomposed)) == decomposed),
                              true,
                              "not normalised");
        NS_TEST_EXPECT_MSG_EQ(
            (composing.Decode(composing.Encode(decomposed)) == "\u00e9 \xff\u00c5"),
            true,
            "composed, and the bad byte is kept");
        const std::string split = Replace(json,
                                          R"({"type": "ByteLevel",
               "add_prefix_space": false})",
                                          R"({"type": "Sequence", "pretokenizers": [{"type":
            "Split", "pattern": {"Regex": "\\p{N}{1,3}"}, "behavior": "Isolated", "invert": false},
            {"type": "ByteLevel", "add_prefix_space": false, "use_regex": false}]})");
        NS_TEST_EXPECT_MSG_EQ(Encode(split, "a b1"), "97 32 98 49", "a known pattern");
    }
};

/** GPT-2's and tiktoken's formats. */
class SmallFilesAreRead : public TestCase
{
  public:
    SmallFilesAreRead()
        : TestCase("vocab.bpe with and without encoder.json, tiktoken, recognised by content")
    {
    }

  private:
    /** @param name of a file @param text that it gets @return its path. */
    std::string Write(const std::string& name, const std::string& text)
    {
        std::string path = CreateTempDirFilename(name);
        std::ofstream(path, std::ios::binary) << text;
        return path;
    }

    void DoRun() override
    {
        const std::string merges = "#version: 0.2\nb c\na bc\r\n\u0120 abc\n";
        const auto plain = Tokenizer::ReadFile(Write("merges-alone.bpe", merges));
        NS_TEST_EXPECT_MSG_EQ(Join(plain->Encode("abc abc")), "257 258", "ids by order");
        uint32_t id = 0;
        NS_TEST_EXPECT_MSG_EQ(plain->FindAddedToken("<|endoftext|>", id), true, "is there");
        NS_TEST_EXPECT_MSG_EQ(id, 259U, "and last");

        const std::string encoder =
            "{" + ByteVocabJson() + "\"bc\": 500, \"abc\": 400, \"\u0120abc\": 300, \"<s>\": 0}";
        // <s> takes the id of the byte 0, so that one has to move.
        const std::string fixed = Replace(encoder, "\"\u0100\": 0", "\"\u0100\": 999");
        const BpeTokenizer mapped(ReadGpt2Merges(merges, "m", fixed, "e"));
        NS_TEST_EXPECT_MSG_EQ(Join(mapped.Encode("abc abc")), "400 300", "ids of encoder.json");
        NS_TEST_EXPECT_MSG_EQ(mapped.FindAddedToken("<s>", id), true, "no merge makes it");
        NS_TEST_EXPECT_MSG_EQ(MessageOf([&] { ReadGpt2Merges(merges, "m", encoder, "e"); }),
                              "e: \u0100: id 0 is that of '<s>' too",
                              "an id twice");

        // 256 bytes, then "ab", "abc": ranks 256 and 257; "YWI=" is base64 for ab.
        const auto tiktoken =
            Tokenizer::ReadFile(Write("small.tiktoken", TiktokenBytes() + "YWI= 256\nYWJj 257\n"),
                                "gpt2");
        NS_TEST_EXPECT_MSG_EQ(Join(tiktoken->Encode("abcab ab")), "257 256 32 256", "tiktoken");
    }

  public:
    /** @return lines of the 256 bytes in order. */
    static std::string TiktokenBytes()
    {
        const std::string digits =
            "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
        std::string lines;
        for (std::size_t byte = 0; byte < 256; ++byte)
        {
            lines += std::string() + digits[byte >> 2] + digits[(byte & 3) << 4] +
                     "== " + std::to_string(byte) + "\n";
        }
        return lines;
    }
};

/** A row of bad input. */
struct BadRow
{
    std::string message;        //!< what should be said
    std::function<void()> call; //!< what is wrong
};

/** One line says what is wrong. */
class BadFilesAreNamed : public TestCase
{
  public:
    BadFilesAreNamed()
        : TestCase("bad vocabularies and configs: one line each")
    {
    }

  private:
    /** @param text of a tokenizer.json @return what reads it. */
    static std::function<void()> Json(const std::string& text)
    {
        return [text] { ReadTokenizerJson(text, "t.json"); };
    }

    /** @param text of a vocab.bpe @return what reads it. */
    static std::function<void()> Merges(const std::string& text)
    {
        return [text] { ReadGpt2Merges(text, "vocab.bpe"); };
    }

    /** @param text of a tiktoken file @return what reads it. */
    static std::function<void()> Tiktoken(const std::string& text)
    {
        return [text] { ReadTiktoken(text, "x.tiktoken"); };
    }

    /** @return bad tokenizer.json files. */
    static std::vector<BadRow> BadJson()
    {
        const std::string none = "[]";
        const std::string good = TokenizerJson(none);
        return {
            {"t.json: expected the object of a tokenizer.json", Json("[1]")},
            {"t.json: not valid JSON: ", Json("{\"model\": ")},
            {"t.json: model: should be an object with a type", Json("{}")},
            {"t.json: model.type: 'Unigram' is not known; known: BPE",
             Json(Replace(good, "\"BPE\"", "\"Unigram\""))},
            {"t.json: model.byte_fallback: true: not a byte-level vocabulary; for SentencePiece "
             "read the model's tokenizer.model instead",
             Json(TokenizerJson(none, "", ", \"byte_fallback\": true"))},
            {"t.json: model.ignore_merges: should be true or false",
             Json(TokenizerJson(none, "", ", \"ignore_merges\": 1"))},
            {"t.json: model.dropout: should be null; anything else is not known here",
             Json(TokenizerJson(none, "", ", \"dropout\": 0.1"))},
            {"t.json: model.vocab: should be an object of tokens and their ids",
             Json(R"({"model": {"type": "BPE", "vocab": [], "merges": []}})")},
            {"t.json: model.vocab.abc: the id of a token is an integer from 0 to 4194303, found -1",
             Json(Replace(good, "\"abc\": 258", "\"abc\": -1"))},
            {"t.json: model.vocab.bc: another token has the id 256 too",
             Json(Replace(good, "\"bc\": 257", "\"bc\": 256"))},
            {"t.json: no token for the single byte 97; a byte-level vocabulary has all 256",
             Json(Replace(good, "\"a\": 97, ", ""))},
            {"t.json: model.merges: should be an array of pairs, [a, b] or \"a b\"",
             Json(TokenizerJson("null"))},
            {"t.json: model.merges[1]: should be a pair of tokens, [a, b] or \"a b\"",
             Json(TokenizerJson(R"(["a b", "a"])"))},
            {"t.json: model.merges[0]: 'ca' is not in model.vocab",
             Json(TokenizerJson(R"([["c", "a"]])"))},
            {"t.json: normalizer.type: 'NFKC' is not known; known: NFC, Sequence",
             Json(Replace(good, "\"normalizer\": null", R"("normalizer": {"type": "NFKC"})"))},
            {"t.json: pre_tokenizer.type: 'Metaspace' is not known; known: ByteLevel, Digits, "
             "Sequence, Split",
             Json(Replace(good, "\"ByteLevel\"", "\"Metaspace\""))},
            {"t.json: pre_tokenizer.add_prefix_space: true is not known here",
             Json(Replace(good, "\"add_prefix_space\": false", "\"add_prefix_space\": true"))},
            {"t.json: pre_tokenizer: no ByteLevel in it: not a byte-level vocabulary; for "
             "SentencePiece read the model's tokenizer.model instead",
             Json(Replace(good, "\"ByteLevel\"", "\"Digits\""))},
            {"t.json: pre_tokenizer.pattern.Regex: unknown pattern '\\d+'; known are those of "
             "GPT-2, cl100k, o200k, Llama-3, Qwen, Mistral (tekken) and DeepSeek-V3; a "
             "pre-tokenizer may be named instead",
             Json(Replace(good,
                          "\"ByteLevel\"",
                          R"("Split", "behavior": "Isolated", "pattern": {"Regex": "\\d+"})"))},
            {"t.json: pre_tokenizer: should have behavior Isolated, or behavior Removed and invert "
             "true",
             Json(Replace(good,
                          "\"ByteLevel\"",
                          R"("Split", "behavior": "MergedWithNext", "pattern": {"Regex": "x"})"))},
            {"t.json: added_tokens[0].content: should be a text that is not empty",
             Json(TokenizerJson(none, R"(, "added_tokens": [{"id": 300, "content": ""}])"))},
            {"t.json: added_tokens[0].id: another token has the id 258 too",
             Json(TokenizerJson(none, R"(, "added_tokens": [{"id": 258, "content": "<s>"}])"))},
            {"t.json: added_tokens[0].single_word: true is not known here",
             Json(TokenizerJson(none,
                                R"(, "added_tokens": [{"content": "x", "single_word": true}])"))},
        };
    }

    /** @return other bad files. */
    static std::vector<BadRow> BadLines()
    {
        const std::string bytes = SmallFilesAreRead::TiktokenBytes();
        return {
            {"vocab.bpe: line 2: expected two tokens with one blank between them, found 'ab'",
             Merges("#version: 0.2\nab\n")},
            {"vocab.bpe: line 1: expected two tokens with one blank between them, found 'a b c'",
             Merges("a b c\n")},
            {"vocab.bpe: line 1: '\u4e2d a' has a character that stands for no byte in GPT-2's "
             "spelling",
             Merges("\u4e2d a\n")},
            {"vocab.bpe: line 2: no single byte, no earlier line and no encoder.json makes the "
             "token 'bc'",
             Merges("a b\na bc\n")},
            {"vocab.bpe: line 4: the token 'abc' is made a second time",
             Merges("b c\na bc\na b\nab c\n")},
            {"x.tiktoken: line 257: expected base64, a blank and a rank, found 'YW*= 3'",
             Tiktoken(bytes + "YW*= 3\n")},
            {"x.tiktoken: line 257: expected base64, a blank and a rank, found 'YWI='",
             Tiktoken(bytes + "YWI=\n")},
            {"x.tiktoken: line 257: the rank 255 stands in the file twice",
             Tiktoken(bytes + "YWI= 255\n")},
            {"x.tiktoken: line 257: the rank 99999999 is not below 4194304",
             Tiktoken(bytes + "YWI= 99999999\n")},
            {"x.tiktoken: no token for the single byte 255; a byte-level vocabulary has all 256",
             Tiktoken(bytes.substr(0, bytes.size() - 9))},
            {"x.tiktoken: 257 tokens are those of no encoding known here, so that a pre-tokenizer "
             "has to be named, e.g. cl100k",
             Tiktoken(bytes + "YWI= 256\n")},
            {"x.tiktoken: the token of rank 257 is also that of rank 256",
             [bytes] { ReadTiktoken(bytes + "YWI= 256\nYWI= 257\n", "x.tiktoken", "gpt2"); }},
            {"/nowhere/vocab.bpe: cannot be read or is empty; it should be tokenizer.json, a "
             "tiktoken file, vocab.bpe or a SentencePiece model",
             [] { Tokenizer::ReadFile("/nowhere/vocab.bpe"); }},
        };
    }

    /** @return bad configs. */
    static std::vector<BadRow> BadConfigs()
    {
        return {
            {"pre-tokenizer: unknown pre-tokenizer 'cl10k', did you mean 'cl100k'? known: none, "
             "gpt2, r50k, p50k, cl100k, llama3, qwen2, qwen3, o200k, tekken, deepseek-v3",
             [] { PreTokenizer::ByName("cl10k"); }},
            {"BPE trainer: a vocabulary of 256 ids has no room for the 256 bytes and "
             "<|endoftext|>; at least 257",
             [] {
                 TrainBpe({"a"}, {256, 2, "gpt2"});
             }},
            {"BPE trainer: the minimum count of a pair is 0; it should be at least 1",
             [] {
                 TrainBpe({"a"}, {300, 0, "gpt2"});
             }},
            {"token dataset: seq_length: is 0; it should be at least 1",
             [] {
                 TokenDataset::Count(1, {0, 1, false, ""});
             }},
            {"token dataset: global_batch_size: is 0; it should be at least 1",
             [] {
                 TokenDataset(TokenDatasetConfig{1, 0, false, ""});
             }},
            {"token dataset: epochs: is 0; it should be at least 1",
             [] {
                 TokenDataset::Count(1, {1, 1, false, ""}, 0);
             }},
            {"token dataset: epochs: 2 of 9223372036854775808 tokens exceed 2^64 - 1 tokens",
             [] {
                 TokenDataset::Count(uint64_t{1} << 63, {1, 1, false, ""}, 2);
             }},
            {"token dataset: eod: the tokenizer trained has no token '</s>' to end a document",
             [] {
                 TokenDataset data({1, 1, true, "</s>"});
                 data.AddDocument(BpeTokenizer(TrainBpe({"a"}, {300, 2, "gpt2"})), "a");
             }},
        };
    }

    void DoRun() override
    {
        for (const auto& rows : {BadJson(), BadLines(), BadConfigs()})
        {
            for (const BadRow& row : rows)
            {
                const std::string message = MessageOf(row.call);
                // The JSON library words its own complaints.
                const bool begins = row.message.back() == ' ';
                NS_TEST_EXPECT_MSG_EQ((begins ? message.substr(0, row.message.size()) : message),
                                      row.message,
                                      "message");
                NS_TEST_EXPECT_MSG_EQ(message.find('\n'), std::string::npos, "one line");
            }
        }
    }
};

/** Sequences, batches, steps. */
class TokensBecomeSteps : public TestCase
{
  public:
    TokensBecomeSteps()
        : TestCase("tokens to sequences to batches to steps, as Megatron packs them")
    {
    }

  private:
    void DoRun() override
    {
        // The whole Commedia has 222,622 GPT-2 tokens: 217 sequences of 1024, 6 steps of 32.
        const TokenDatasetCounts commedia = TokenDataset::Count(222622, {1024, 32, false, ""});
        NS_TEST_EXPECT_MSG_EQ(commedia.sequences, 217U, "sequences");
        NS_TEST_EXPECT_MSG_EQ(commedia.steps, 6U, "steps");
        NS_TEST_EXPECT_MSG_EQ(commedia.tokensPerStep, 32768U, "tokens per step");
        NS_TEST_EXPECT_MSG_EQ(commedia.tokensLeftOver, 222622U - 6 * 32768, "left over");
        const TokenDatasetCounts ten = TokenDataset::Count(222622, {1024, 32, false, ""}, 10);
        NS_TEST_EXPECT_MSG_EQ(ten.sequences, 2174U, "epochs follow each other without a gap");
        NS_TEST_EXPECT_MSG_EQ(ten.steps, 67U, "ten epochs have 67 steps, not 60");
        // 15e12 tokens, 16M per batch: counts without tokens at hand.
        NS_TEST_EXPECT_MSG_EQ(TokenDataset::Count(15000000000000, {8192, 2048, false, ""}).steps,
                              894069U,
                              "a large corpus");

        TokenDataset data({4, 2, false, ""});
        NS_TEST_EXPECT_MSG_EQ(data.GetCounts().sequences, 0U, "nothing yet");
        NS_TEST_EXPECT_MSG_EQ(data.GetSequence(0).size(), 0U, "nothing yet");
        data.AddTokens({0, 1, 2, 3, 4, 5, 6, 7});
        NS_TEST_EXPECT_MSG_EQ(data.GetCounts().sequences, 1U, "the last token is only asked for");
        data.AddTokens({8});
        NS_TEST_EXPECT_MSG_EQ(data.GetCounts().sequences, 2U, "two of four");
        NS_TEST_EXPECT_MSG_EQ(data.GetCounts().steps, 1U, "one batch");
        NS_TEST_EXPECT_MSG_EQ(Join(data.GetSequence(1)), "4 5 6 7 8", "fed 4-7, asked 5-8");
        NS_TEST_EXPECT_MSG_EQ(Join(data.GetSequence(2)), "8 0 1 2 3", "into the next epoch");
        NS_TEST_EXPECT_MSG_EQ(data.GetSequenceIndex(3, 1), 7U, "rows of a batch in order");

        const BpeTokenizer tokenizer(TrainBpe({"aa aa"}, {258, 2, "gpt2"}));
        TokenDataset documents({4, 1, true, "<|endoftext|>"});
        NS_TEST_EXPECT_MSG_EQ(documents.AddDocument(tokenizer, "aa"), 2U, "with its end");
        NS_TEST_EXPECT_MSG_EQ(documents.AddDocument(tokenizer, ""), 1U, "an empty one");
        NS_TEST_EXPECT_MSG_EQ(Join(documents.GetTokens()), "256 257 257", "tokens");
    }
};

/** A text, and how many tokens it is in each vocabulary. */
struct CountRow
{
    const char* vocabulary; //!< file
    std::size_t italian;    //!< canto as measured: << >> for quotes, two lines broken in three
    std::size_t english;    //!< Longfellow's
};

/** The canto that ships. */
class CantoHasItsMeasuredCounts : public TestCase
{
  public:
    CantoHasItsMeasuredCounts()
        : TestCase("Inferno I: 136 lines, and the published token counts where vocabularies are")
    {
    }

  private:
    void DoRun() override
    {
        const std::string italian = ReadShipped("inferno-1-it.txt");
        const std::string english = ReadShipped("inferno-1-en.txt");
        for (const std::string& text : {italian, english})
        {
            NS_TEST_EXPECT_MSG_EQ(std::count(text.begin(), text.end(), '\n'), 136, "lines");
        }
        NS_TEST_EXPECT_MSG_EQ(italian.size(), 5054U, "bytes of the Italian");
        NS_TEST_EXPECT_MSG_EQ(english.size(), 5847U, "bytes of the English");
        NS_TEST_EXPECT_MSG_EQ(italian.substr(0, 36), "Nel mezzo del cammin di nostra vita\n", "it");
        NS_TEST_EXPECT_MSG_EQ(english.substr(0, 36), "Midway upon the journey of our life\n", "en");

        // The counts were taken from an edition that sets Latin words on lines of their own.
        std::string measured = Replace(Replace(italian, "\u00ab", "<<"), "\u00bb", ">>");
        measured = Replace(measured, "<<Miserere di me>>", "<<\nMiserere\ndi me>>");
        measured = Replace(measured, "Nacqui sub Iulio, ancor", "Nacqui\nsub Iulio\n, ancor");
        NS_TEST_EXPECT_MSG_EQ(measured.size(), 5056U, "bytes as measured");
        const CountRow rows[] = {
            {"gpt2/vocab.bpe", 2093, 1584},
            {"r50k_base.tiktoken", 2093, 1584},
            {"cl100k_base.tiktoken", 1725, 1428},
            {"o200k_base.tiktoken", 1580, 1413},
            {"llama3.json", 1724, 1427},
            {"deepseek-v3.json", 1681, 1421},
            {"qwen3.json", 1720, 1428},
        };
        for (const CountRow& row : rows)
        {
            const std::string file = FindVocabulary(row.vocabulary);
            if (file.empty())
            {
                continue;
            }
            const auto tokenizer = Tokenizer::ReadFile(file);
            NS_TEST_EXPECT_MSG_EQ(tokenizer->Encode(measured).size(), row.italian, row.vocabulary);
            NS_TEST_EXPECT_MSG_EQ(tokenizer->Encode(english).size(), row.english, row.vocabulary);
            NS_TEST_EXPECT_MSG_EQ((tokenizer->Decode(tokenizer->Encode(italian)) == italian),
                                  true,
                                  row.vocabulary);
        }
    }
};

/** A text and its tokens. */
struct KnownAnswer
{
    const char* text;                                     //!< what is encoded
    std::vector<std::pair<const char*, const char*>> ids; //!< vocabulary and tokens
};

/** Tokens on which independent implementations agree. */
class KnownAnswers : public TestCase
{
  public:
    KnownAnswers()
        : TestCase("known tokens of GPT-2, cl100k, o200k, Llama-3, DeepSeek-V3 and Qwen3")
    {
    }

  private:
    void DoRun() override
    {
        const KnownAnswer answers[] = {
            {"Hello world",
             {{"gpt2/vocab.bpe", "15496 995"},
              {"cl100k_base.tiktoken", "9906 1917"},
              {"o200k_base.tiktoken", "13225 2375"},
              {"deepseek-v3.json", "19923 2058"},
              {"qwen3.json", "9707 1879"}}},
            {" Hello  world!",
             {{"gpt2/vocab.bpe", "18435 220 995 0"},
              {"cl100k_base.tiktoken", "22691 220 1917 0"},
              {"o200k_base.tiktoken", "32949 220 2375 0"},
              {"deepseek-v3.json", "45948 223 2058 3"},
              {"qwen3.json", "21927 220 1879 0"}}},
            {"Nel mezzo del cammin di nostra vita",
             {{"gpt2/vocab.bpe", "45 417 502 47802 1619 12172 1084 2566 18216 430 410 5350"},
              {"cl100k_base.tiktoken", "45 301 757 46748 1624 6730 1083 1891 91127 55576"},
              {"o200k_base.tiktoken", "101291 139101 1083 4166 1493 1320 50904 27565"},
              {"deepseek-v3.json", "84852 114687 1543 6961 1930 1298 72493 38030"},
              {"qwen3.json", "45 301 752 45648 1594 6592 1065 1853 90027 54476"}}},
            {"Midway upon the journey of our life",
             {{"gpt2/vocab.bpe", "22622 1014 2402 262 7002 286 674 1204"},
              {"cl100k_base.tiktoken", "34748 3195 5304 279 11879 315 1057 2324"},
              {"o200k_base.tiktoken", "41748 3499 7557 290 12647 328 1039 2615"},
              {"deepseek-v3.json", "51268 2077 4465 270 8572 294 1132 1988"},
              {"qwen3.json", "33648 3117 5193 279 11618 315 1039 2272"}}},
            {"Nel mezzo del cammin di nostra vita\nmi ritrovai per una selva oscura\n"
             "ch\u00e9 la diritta via era smarrita.\n",
             {{"gpt2/vocab.bpe",
               "45 417 502 47802 1619 12172 1084 2566 18216 430 410 5350 198 11632 374 270 18657 "
               "1872 583 555 64 384 6780 64 267 1416 5330 198 354 2634 8591 26672 48519 2884 6980 "
               "895 283 799 64 13 198"}}},
        };
        const std::pair<const char*, const char*> sameIds[] = {
            {"gpt2/vocab.bpe", "gpt2/vocab.bpe"},
            {"r50k_base.tiktoken", "gpt2/vocab.bpe"},
            {"p50k_base.tiktoken", "gpt2/vocab.bpe"},
            {"cl100k_base.tiktoken", "cl100k_base.tiktoken"},
            {"llama3.json", "cl100k_base.tiktoken"},
            {"o200k_base.tiktoken", "o200k_base.tiktoken"},
            {"deepseek-v3.json", "deepseek-v3.json"},
            {"qwen3.json", "qwen3.json"},
        };
        for (const auto& [file, column] : sameIds)
        {
            const std::string path = FindVocabulary(file);
            if (path.empty())
            {
                continue;
            }
            const auto tokenizer = Tokenizer::ReadFile(path);
            for (const KnownAnswer& answer : answers)
            {
                for (const auto& [vocabulary, ids] : answer.ids)
                {
                    if (std::string(vocabulary) == column)
                    {
                        NS_TEST_EXPECT_MSG_EQ(Join(tokenizer->Encode(answer.text)),
                                              ids,
                                              file << ": " << answer.text);
                    }
                }
            }
        }
        CompareRedundantEncoder();
    }

    /** encoder.json says what the order of vocab.bpe says. */
    void CompareRedundantEncoder()
    {
        const std::string merges = FindVocabulary("gpt2/vocab.bpe");
        const std::string encoder = FindVocabulary("gpt2/encoder.json");
        if (merges.empty() || encoder.empty())
        {
            return;
        }
        const std::string text = ReadWholeFile(merges, "merges");
        const BpeVocabulary alone = ReadGpt2Merges(text, merges);
        const BpeVocabulary both =
            ReadGpt2Merges(text, merges, ReadWholeFile(encoder, "ids"), encoder);
        NS_TEST_EXPECT_MSG_EQ(alone.tokens.size(), 50257U, "all tokens");
        NS_TEST_EXPECT_MSG_EQ((alone.tokens == both.tokens), true, "the same ids");
        NS_TEST_ASSERT_MSG_EQ(both.added.size(), 1U, "one special token");
        NS_TEST_EXPECT_MSG_EQ(both.added[0].content, "<|endoftext|>", "the same one");
    }
};

/** The test plan that gpt-tokenizer publishes. */
class PublishedTestPlan : public TestCase
{
  public:
    PublishedTestPlan()
        : TestCase("gpt-tokenizer's published test plan for r50k, p50k, cl100k and o200k")
    {
    }

  private:
    void DoRun() override
    {
        const std::string plan = FindVocabulary("test-plan.txt");
        if (plan.empty())
        {
            return;
        }
        const std::string text = "\n" + Replace(ReadWholeFile(plan, "a test plan"), "\r", "");
        for (const auto& [encoding, expected] :
             std::vector<std::pair<std::string, uint32_t>>{{"r50k_base", 64},
                                                           {"p50k_base", 64},
                                                           {"cl100k_base", 64},
                                                           {"o200k_base", 57}})
        {
            const std::string file = FindVocabulary(encoding + ".tiktoken");
            if (!file.empty())
            {
                NS_TEST_EXPECT_MSG_EQ(Compare(*Tokenizer::ReadFile(file), text, encoding),
                                      expected,
                                      "samples of " << encoding);
            }
        }
    }

    /** @param tokenizer to test @param plan text @param encoding its name in the plan @return how
     * many samples were compared. */
    uint32_t Compare(const Tokenizer& tokenizer,
                     const std::string& plan,
                     const std::string& encoding)
    {
        const std::string head = "\nEncodingName: " + encoding + "\nSample: ";
        const std::string middle = "\nEncoded: [";
        uint32_t samples = 0;
        for (std::size_t at = plan.find(head); at != std::string::npos; at = plan.find(head, at))
        {
            at += head.size();
            const std::size_t cut = plan.find(middle, at);
            const std::size_t end = plan.find(']', cut);
            if (end == std::string::npos)
            {
                return 0;
            }
            const std::string sample = plan.substr(at, cut - at);
            const std::size_t numbers = cut + middle.size();
            const std::string ids = Replace(plan.substr(numbers, end - numbers), ",", "");
            NS_TEST_EXPECT_MSG_EQ(Join(tokenizer.Encode(sample)), ids, encoding << ": " << sample);
            ++samples;
        }
        return samples;
    }
};

/** libsentencepiece. */
class SentencePieceModelsAreRun : public TestCase
{
  public:
    SentencePieceModelsAreRun()
        : TestCase("a SentencePiece model, made here by its own trainer, encodes and decodes")
    {
    }

  private:
    void DoRun() override
    {
        const std::string garbage = CreateTempDirFilename("garbage.model");
        std::ofstream(garbage, std::ios::binary) << std::string("\n\0\1garbage", 10);
        const std::string message = MessageOf([&] { Tokenizer::ReadFile(garbage); });
        NS_TEST_EXPECT_MSG_EQ(message.find('\n'), std::string::npos, "one line");
        if (!IsSentencePieceAvailable())
        {
            NS_TEST_EXPECT_MSG_EQ(message,
                                  garbage + ": SentencePiece models cannot be read by this build, "
                                            "because libsentencepiece was not found when it was "
                                            "configured (Debian: apt install libsentencepiece-dev, "
                                            "then configure again)",
                                  "what is missing");
            return;
        }
        const std::string begin = garbage + ": no SentencePiece model: ";
        NS_TEST_EXPECT_MSG_EQ(message.substr(0, begin.size()), begin, "no model");
        const std::string prefix = CreateTempDirFilename("canto");
        const std::string train =
            "spm_train --input='" + std::string(LLM_TRAINING_SOURCE_DIR) +
            "/examples/text/inferno-1-it.txt' --model_type=bpe --vocab_size=600 --byte_fallback "
            "--character_coverage=1.0 --minloglevel=2 --model_prefix='" +
            prefix + "' >/dev/null 2>&1";
        if (std::system("command -v spm_train >/dev/null") != 0)
        {
            std::cout << "spm_train is not installed: no SentencePiece model was run\n";
            return;
        }
        NS_TEST_ASSERT_MSG_EQ(std::system(train.c_str()), 0, "training");
        const auto tokenizer = Tokenizer::ReadFile(prefix + ".model");
        NS_TEST_EXPECT_MSG_EQ(tokenizer->GetVocabularySize(), 600U, "as trained");
        const std::string line = "Nel mezzo del cammin di nostra vita";
        const Ids ids = tokenizer->Encode(line);
        NS_TEST_EXPECT_MSG_EQ(tokenizer->Decode(ids), line, "back");
        std::string bytes;
        for (const uint32_t id : ids)
        {
            bytes += tokenizer->GetTokenBytes(id);
        }
        NS_TEST_EXPECT_MSG_EQ(bytes, " " + line, "with the blank that SentencePiece puts in front");
        const Ids unseen = tokenizer->Encode("\u4e2d");
        NS_TEST_EXPECT_MSG_EQ(tokenizer->GetTokenBytes(unseen.back()), "\xad", "bytes if need be");
        uint32_t id = 0;
        NS_TEST_EXPECT_MSG_EQ(tokenizer->FindAddedToken("</s>", id), true, "the end of a text");
        NS_TEST_EXPECT_MSG_EQ(id, 2U, "its id");
        NS_TEST_EXPECT_MSG_EQ(tokenizer->FindAddedToken("<|x|>", id), false, "no such token");
        NS_TEST_EXPECT_MSG_EQ(MessageOf([&] { tokenizer->Decode({600}); }),
                              prefix + ".model: no token has id 600; the vocabulary has 600 ids",
                              "no such id");
    }
};

/** What a build without Unicode says. */
class BuildWithoutUnicodeSaysSo : public TestCase
{
  public:
    BuildWithoutUnicodeSaysSo()
        : TestCase("without libutf8proc tokenizers say what is missing")
    {
    }

  private:
    void DoRun() override
    {
        std::cout << "libutf8proc was not found when this was configured: tokenizers not tested\n";
        NS_TEST_EXPECT_MSG_EQ(MessageOf([] {
                                  TrainBpe({"a"}, {300, 2, "gpt2"});
                              }),
                              "BPE trainer: tokenizers are not in this build, because libutf8proc "
                              "was not found when it was configured (Debian: apt install "
                              "libutf8proc-dev, then configure again)",
                              "message");
    }
};

/** Tokenizers. */
class LlmTrainingWorkloadTokenizerTestSuite : public TestSuite
{
  public:
    LlmTrainingWorkloadTokenizerTestSuite()
        : TestSuite("llm-training-workload-tokenizer", Type::UNIT)
    {
        AddTestCase(new ByteAlphabetSpellsAllBytes, llm::TestDuration::QUICK);
        AddTestCase(new SentencePieceModelsAreRun, llm::TestDuration::QUICK);
        if (!IsUnicodeAvailable())
        {
            AddTestCase(new BuildWithoutUnicodeSaysSo, llm::TestDuration::QUICK);
            return;
        }
        AddTestCase(new PatternsCutTexts, llm::TestDuration::QUICK);
        AddTestCase(new TrainerTakesTheMostFrequentPair, llm::TestDuration::QUICK);
        AddTestCase(new RandomBytesComeBack, llm::TestDuration::QUICK);
        AddTestCase(new TokenizerJsonIsRead, llm::TestDuration::QUICK);
        AddTestCase(new SmallFilesAreRead, llm::TestDuration::QUICK);
        AddTestCase(new BadFilesAreNamed, llm::TestDuration::QUICK);
        AddTestCase(new TokensBecomeSteps, llm::TestDuration::QUICK);
        AddTestCase(new CantoHasItsMeasuredCounts, llm::TestDuration::QUICK);
        AddTestCase(new KnownAnswers, llm::TestDuration::QUICK);
        AddTestCase(new PublishedTestPlan, llm::TestDuration::QUICK);
    }
};

LlmTrainingWorkloadTokenizerTestSuite g_llmTrainingWorkloadTokenizerTestSuite; //!< registers itself

} // namespace

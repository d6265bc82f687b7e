/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-goal-parser.h"

#include <algorithm>
#include <cctype>
#include <sstream>

namespace ns3
{
namespace llm
{

namespace
{

constexpr uint64_t MOST_RANKS = 16777216;         //!< no cluster is near it
constexpr uint64_t MOST_NS = 9223372036854775ULL; //!< 106 days, what fits in picoseconds
constexpr uint64_t MOST_TAG = UINT64_MAX >> 1;    //!< tags have 63 bits
constexpr uint64_t MOST_CHANNELS = 4096;          //!< connections per pair and dimension
constexpr int64_t PS_PER_NS = 1000;

/** @return whether a word may name an operation. */
bool
IsName(const std::string& word)
{
    static const char* const reserved[] = {"num_ranks",
                                           "rank",
                                           "send",
                                           "recv",
                                           "calc",
                                           "to",
                                           "from",
                                           "tag",
                                           "cpu",
                                           "nic",
                                           "requires",
                                           "irequires"};
    return (std::isalpha(static_cast<unsigned char>(word[0])) || word[0] == '_') &&
           word.find('-') == std::string::npos &&
           std::find(std::begin(reserved), std::end(reserved), word) == std::end(reserved);
}

} // namespace

GoalParser::GoalParser(const std::string& fileName)
    : m_lexer(fileName)
{
}

bool
GoalParser::IsAnnotated() const
{
    return m_annotated;
}

uint32_t
GoalParser::GetChannels() const
{
    return m_channels;
}

uint64_t
GoalParser::ParseNumber(const std::string& text,
                        uint64_t line,
                        const std::string& what,
                        uint64_t most) const
{
    uint64_t number = 0;
    bool good = !text.empty();
    for (const char c : text)
    {
        const auto digit = static_cast<uint64_t>(c - '0');
        if (c < '0' || c > '9')
        {
            good = false;
            break;
        }
        if (number > (UINT64_MAX - digit) / 10)
        {
            m_lexer.Fail(line, what + " " + text + " does not fit in 64 bits");
        }
        number = number * 10 + digit;
    }
    if (!good)
    {
        m_lexer.Fail(line, what + " must be a whole number, is '" + text + "'");
    }
    if (number > most)
    {
        m_lexer.Fail(line, what + " is " + text + "; at most " + std::to_string(most));
    }
    return number;
}

GoalParser::Token
GoalParser::TakeWord(const std::string& what)
{
    while (m_lexer.Peek().kind == GoalLexer::Kind::ANNOTATION)
    {
        m_lexer.Take();
    }
    const Token token = m_lexer.Take();
    if (token.kind == GoalLexer::Kind::END)
    {
        m_lexer.Fail(token.line, "the file ends where " + what + " should stand");
    }
    if (token.kind != GoalLexer::Kind::WORD)
    {
        m_lexer.Fail(token.line, "'" + token.text + "' stands where " + what + " should");
    }
    return token;
}

void
GoalParser::Expect(const std::string& text, const std::string& where)
{
    while (m_lexer.Peek().kind == GoalLexer::Kind::ANNOTATION)
    {
        m_lexer.Take();
    }
    const Token token = m_lexer.Take();
    if (token.kind == GoalLexer::Kind::END)
    {
        m_lexer.Fail(token.line, "the file ends " + where + "; '" + text + "' is missing");
    }
    if (token.text != text)
    {
        m_lexer.Fail(token.line,
                     "'" + token.text + "' " + where + "; '" + text + "' should stand there");
    }
}

uint64_t
GoalParser::TakeNumber(const std::string& what, uint64_t most)
{
    const Token token = TakeWord(what);
    return ParseNumber(token.text, token.line, what, most);
}

uint64_t
GoalParser::TakeSize()
{
    Token token = TakeWord("a size such as 4096b");
    if (token.text.back() != 'b')
    {
        m_lexer.Fail(token.line, "a size is written as 4096b, not '" + token.text + "'");
    }
    token.text.pop_back();
    return ParseNumber(token.text, token.line, "the size", UINT64_MAX);
}

uint32_t
GoalParser::TakePeer(uint32_t self, bool receive)
{
    const Token token = TakeWord("a rank");
    if (receive && token.text == "-1")
    {
        m_lexer.Fail(token.line,
                     "a receive from any rank (-1) cannot be run: who sends would depend on the "
                     "network; name the rank");
    }
    const uint64_t peer = ParseNumber(token.text, token.line, "the rank", UINT32_MAX);
    if (peer >= m_ranks)
    {
        m_lexer.Fail(token.line,
                     "there is no rank " + token.text + "; num_ranks is " +
                         std::to_string(m_ranks));
    }
    if (peer == self)
    {
        m_lexer.Fail(token.line,
                     "rank " + std::to_string(self) + (receive ? " receives from" : " sends to") +
                         " itself");
    }
    return static_cast<uint32_t>(peer);
}

void
GoalParser::ReadTitle()
{
    if (m_lexer.Peek().kind != GoalLexer::Kind::ANNOTATION)
    {
        return;
    }
    const Token token = m_lexer.Take();
    std::istringstream words(token.text);
    std::string word;
    words >> word;
    if (word != "llm-training")
    {
        return;
    }
    std::string version;
    words >> version;
    if (version != "1")
    {
        m_lexer.Fail(token.line,
                     "annotations of version '" + version + "'; this reader knows version 1");
    }
    m_annotated = true;
    while (words >> word)
    {
        if (word.compare(0, 9, "channels=") != 0)
        {
            m_lexer.Fail(token.line, "unknown annotation '" + word + "'");
        }
        m_channels = static_cast<uint32_t>(
            ParseNumber(word.substr(9), token.line, "channels", MOST_CHANNELS));
        m_channels = std::max(m_channels, 1U);
    }
}

uint32_t
GoalParser::ReadHead()
{
    ReadTitle();
    Expect("num_ranks", "at the beginning");
    const uint64_t line = m_lexer.Peek().line;
    m_ranks = static_cast<uint32_t>(TakeNumber("num_ranks", MOST_RANKS));
    if (m_ranks == 0)
    {
        m_lexer.Fail(line, "num_ranks is 0; at least 1 is needed");
    }
    m_seen.assign(m_ranks, 0);
    return m_ranks;
}

bool
GoalParser::ReadRank(Rank& rank)
{
    rank = Rank();
    m_names.clear();
    while (m_lexer.Peek().kind == GoalLexer::Kind::ANNOTATION)
    {
        m_lexer.Take();
    }
    if (m_lexer.Peek().kind == GoalLexer::Kind::END)
    {
        for (uint32_t r = 0; r < m_ranks; ++r)
        {
            if (m_seen[r] == 0)
            {
                m_lexer.Fail(m_lexer.Peek().line,
                             "the file ends without rank " + std::to_string(r) + "; num_ranks is " +
                                 std::to_string(m_ranks));
            }
        }
        return false;
    }
    const uint64_t line = m_lexer.Peek().line;
    Expect("rank", "between ranks");
    const uint64_t number = TakeNumber("the rank", UINT32_MAX);
    if (number >= m_ranks)
    {
        m_lexer.Fail(line,
                     "there is no rank " + std::to_string(number) + "; num_ranks is " +
                         std::to_string(m_ranks));
    }
    if (m_seen[number] > 0)
    {
        m_lexer.Fail(line,
                     "rank " + std::to_string(number) + " stands there again; it began in line " +
                         std::to_string(m_seen[number]));
    }
    m_seen[number] = line;
    rank.rank = static_cast<uint32_t>(number);
    Expect("{", "behind the rank's number");
    for (;;)
    {
        const Token& next = m_lexer.Peek();
        if (next.kind == GoalLexer::Kind::END)
        {
            m_lexer.Fail(next.line,
                         "the file ends within rank " + std::to_string(number) +
                             ", which began in line " + std::to_string(line));
        }
        if (next.kind == GoalLexer::Kind::MARK && next.text == "}")
        {
            m_lexer.Take();
            return true;
        }
        if (next.kind == GoalLexer::Kind::ANNOTATION)
        {
            m_lexer.Take();
            continue;
        }
        ReadStatement(rank);
    }
}

void
GoalParser::ReadStatement(Rank& rank)
{
    const Token first = TakeWord("a statement");
    if (first.text == "send" || first.text == "recv" || first.text == "calc")
    {
        ReadOperation(rank, first);
        return;
    }
    if (!IsName(first.text))
    {
        m_lexer.Fail(first.line,
                     "'" + first.text +
                         "' begins no statement; send, recv, calc or a name should stand there");
    }
    if (m_lexer.Peek().kind != GoalLexer::Kind::MARK || m_lexer.Peek().text != ":")
    {
        ReadDependency(rank, first);
        return;
    }
    m_lexer.Take();
    if (!m_names.emplace(first.text, rank.operations.size()).second)
    {
        m_lexer.Fail(first.line,
                     "the name '" + first.text + "' is taken; it stands in line " +
                         std::to_string(rank.lines[m_names.at(first.text)]));
    }
    const Token verb = TakeWord("send, recv or calc");
    if (verb.text != "send" && verb.text != "recv" && verb.text != "calc")
    {
        m_lexer.Fail(verb.line, "'" + verb.text + "' is no operation; send, recv and calc are");
    }
    ReadOperation(rank, verb);
}

void
GoalParser::ReadOperation(Rank& rank, const Token& verb)
{
    Operation operation;
    operation.stream = OperationStream::UNORDERED;
    uint64_t ns = 0;
    const bool pair = verb.text != "calc";
    if (pair)
    {
        const bool receive = verb.text == "recv";
        operation.kind = receive ? OperationKind::RECV : OperationKind::SEND;
        operation.bytes = TakeSize();
        Expect(receive ? "from" : "to", "behind the size");
        operation.peer = TakePeer(rank.rank, receive);
    }
    else
    {
        ns = TakeNumber("the time in ns", MOST_NS);
        operation.durationPs = static_cast<int64_t>(ns) * PS_PER_NS;
    }
    ReadOptions(rank, operation, pair);
    ReadAnnotation(operation, verb.line, ns);
    rank.operations.push_back(operation);
    rank.lines.push_back(verb.line);
}

void
GoalParser::ReadOptions(Rank& rank, Operation& operation, bool pair)
{
    for (;;)
    {
        const Token& next = m_lexer.Peek();
        if (next.kind != GoalLexer::Kind::WORD)
        {
            return;
        }
        if (next.text == "cpu")
        {
            m_lexer.Take();
            operation.lane = static_cast<uint8_t>(TakeNumber("cpu", UINT8_MAX));
        }
        else if (pair && next.text == "nic")
        {
            m_lexer.Take();
            operation.channel = static_cast<uint16_t>(TakeNumber("nic", UINT8_MAX));
            rank.hasNic = true;
        }
        else if (pair && next.text == "tag")
        {
            m_lexer.Take();
            if (m_lexer.Peek().text == "-1")
            {
                m_lexer.Fail(m_lexer.Peek().line,
                             "a receive of any tag (-1) cannot be run; name the tag");
            }
            operation.tag = TakeNumber("tag", MOST_TAG);
        }
        else
        {
            return;
        }
    }
}

void
GoalParser::ReadAnnotation(Operation& operation, uint64_t line, uint64_t ns)
{
    if (!m_annotated || m_lexer.Peek().kind != GoalLexer::Kind::ANNOTATION ||
        m_lexer.Peek().line != line)
    {
        return;
    }
    std::istringstream items(m_lexer.Take().text);
    for (std::string item; items >> item;)
    {
        Annotate(operation, line, ns, item);
    }
}

void
GoalParser::Annotate(Operation& operation, uint64_t line, uint64_t ns, const std::string& item)
{
    const auto equals = item.find('=');
    const std::string key = item.substr(0, equals);
    const std::string value = equals == std::string::npos ? "" : item.substr(equals + 1);
    if (key == "ps" && operation.kind == OperationKind::COMPUTE)
    {
        const uint64_t ps = ParseNumber(value, line, "ps", INT64_MAX);
        if (ps / PS_PER_NS > ns + 1 || ns > ps / PS_PER_NS + 1)
        {
            m_lexer.Fail(line,
                         "calc " + std::to_string(ns) + " and its annotation ps=" + value +
                             " differ by more than rounding; one of them was changed");
        }
        operation.durationPs = static_cast<int64_t>(ps);
    }
    else if (key == "channel" && operation.kind == OperationKind::SEND)
    {
        operation.channel =
            static_cast<uint16_t>(ParseNumber(value, line, "channel", MOST_CHANNELS - 1));
    }
    else if (key == "dimension" && operation.kind != OperationKind::COMPUTE)
    {
        uint8_t i = 0;
        while (i < static_cast<uint8_t>(ParallelDimension::COUNT) &&
               value != ToString(static_cast<ParallelDimension>(i)))
        {
            ++i;
        }
        if (i == static_cast<uint8_t>(ParallelDimension::COUNT))
        {
            m_lexer.Fail(line, "there is no dimension '" + value + "'");
        }
        operation.dimension = static_cast<ParallelDimension>(i);
    }
    else
    {
        m_lexer.Fail(line, "unknown annotation '" + item + "'");
    }
}

uint64_t
GoalParser::Find(const Token& name) const
{
    const auto found = m_names.find(name.text);
    if (found == m_names.end())
    {
        m_lexer.Fail(name.line, "no operation of this rank is named '" + name.text + "' so far");
    }
    return found->second;
}

void
GoalParser::ReadDependency(Rank& rank, const Token& follower)
{
    const Token verb = TakeWord("requires or irequires");
    if (verb.text != "requires" && verb.text != "irequires")
    {
        m_lexer.Fail(verb.line,
                     "'" + verb.text + "' behind '" + follower.text +
                         "'; a ':', requires or irequires should stand there");
    }
    const uint64_t to = Find(follower);
    const uint64_t from = Find(TakeWord("a name"));
    if (to == from)
    {
        m_lexer.Fail(verb.line, "'" + follower.text + "' requires itself");
    }
    Operation& operation = rank.operations[to];
    (verb.text == "requires" ? operation.waits : operation.startWaits).push_back(from);
}

} // namespace llm
} // namespace ns3

/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_GOAL_PARSER_H
#define LLM_GOAL_PARSER_H

#include "llm-goal-lexer.h"
#include "llm-step-program.h"

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Reads GOAL text rank by rank; see GoalWorkload for what the language means.
 */
class GoalParser
{
  public:
    /** What one rank does, in the order of the file. */
    struct Rank
    {
        uint32_t rank{0};                  //!< which
        std::vector<Operation> operations; //!< waits are places in this list, maybe later ones
        std::vector<uint64_t> lines;       //!< of each operation
        bool hasNic{false};                //!< some operation names one
    };

    /** @param fileName file. @throw ConfigError if it cannot be read. */
    explicit GoalParser(const std::string& fileName);

    /** Read what comes before the first rank. @return number of ranks. @throw ConfigError. */
    uint32_t ReadHead();
    /**
     * @param rank gets the next rank's operations.
     * @return false at the end, when every rank was there.
     * @throw ConfigError.
     */
    bool ReadRank(Rank& rank);

    /** @return whether the file was written by GoalWriter. */
    bool IsAnnotated() const;
    /** @return connections per pair and dimension that the annotations speak of. */
    uint32_t GetChannels() const;

  private:
    using Token = GoalLexer::Token;

    /** Read "//@ llm-training 1 channels=2". */
    void ReadTitle();
    /** Read one statement. */
    void ReadStatement(Rank& rank);
    /** Read "send ...", "recv ..." or "calc ...". @param verb taken already. */
    void ReadOperation(Rank& rank, const Token& verb);
    /** Read the tag, cpu and nic behind an operation. */
    void ReadOptions(Rank& rank, Operation& operation, bool pair);
    /** Read the annotation of an operation, if there is one on its line. */
    void ReadAnnotation(Operation& operation, uint64_t line, uint64_t ns);
    /** Apply "key=value". */
    void Annotate(Operation& operation, uint64_t line, uint64_t ns, const std::string& item);
    /** Read "a requires b" from the verb on. @param follower a. */
    void ReadDependency(Rank& rank, const Token& follower);
    /** @return place of the operation with that name. */
    uint64_t Find(const Token& name) const;

    /** Take a word. @param what stands there, for the error. */
    Token TakeWord(const std::string& what);
    /** Take a given word or mark. */
    void Expect(const std::string& text, const std::string& where);
    /** Take a number of at most @p most. @param what it is. */
    uint64_t TakeNumber(const std::string& what, uint64_t most);
    /** @return the number that @p text is. @param what it is. @param most bound. */
    uint64_t ParseNumber(const std::string& text,
                         uint64_t line,
                         const std::string& what,
                         uint64_t most) const;
    /** Take "4096b". */
    uint64_t TakeSize();
    /** Take the rank on the other side. */
    uint32_t TakePeer(uint32_t self, bool receive);

    GoalLexer m_lexer;                                 //!< gives words
    uint32_t m_ranks{0};                               //!< number of ranks
    std::vector<uint64_t> m_seen;                      //!< by rank: line where it began, or 0
    std::unordered_map<std::string, uint64_t> m_names; //!< of the present rank
    bool m_annotated{false};                           //!< see IsAnnotated
    uint32_t m_channels{1};                            //!< see GetChannels
};

} // namespace llm
} // namespace ns3

#endif // LLM_GOAL_PARSER_H

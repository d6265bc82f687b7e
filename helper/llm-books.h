/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_BOOKS_H
#define LLM_BOOKS_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

/** Two figures that must be equal to the byte. */
struct BookEntry
{
    std::string left;        //!< what one figure is
    uint64_t leftAmount{0};  //!< figure
    std::string right;       //!< what the other figure is
    uint64_t rightAmount{0}; //!< figure
    std::string unit{"B"};   //!< of both

    /** @return true if they are equal. */
    bool IsBalanced() const
    {
        return leftAmount == rightAmount;
    }

    /** @return "traffic model 12 B = collectives emitted 12 B", or with "!=". */
    std::string Describe() const;
};

/**
 * @ingroup llm-training
 *
 * The books of a run: every byte is accounted for, from the closed form to the counters of ports.
 */
class Books
{
  public:
    /** Add a pair of figures. Parameters as of BookEntry. */
    void Compare(const std::string& left,
                 uint64_t leftAmount,
                 const std::string& right,
                 uint64_t rightAmount,
                 const std::string& unit = "B");

    /** Add the pairs of others. @param other books. @param prefix of the left figures' names. */
    void Append(const Books& other, const std::string& prefix);

    /** @return all pairs. */
    const std::vector<BookEntry>& GetEntries() const
    {
        return m_entries;
    }

    /** @return true if all pairs are equal. */
    bool AreBalanced() const;

  private:
    std::vector<BookEntry> m_entries; //!< in order
};

} // namespace llm
} // namespace ns3

#endif // LLM_BOOKS_H

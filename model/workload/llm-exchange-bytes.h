/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_EXCHANGE_BYTES_H
#define LLM_EXCHANGE_BYTES_H

#include <cstdint>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * How much each member of a group gives to each other one in an all-to-all of uneven parts
 * (all-to-all-v). Members are group ranks; what a rank gives to itself puts nothing on the network.
 */
class ExchangeBytes
{
  public:
    virtual ~ExchangeBytes() = default;
    /** @return members of the group that this is made for. */
    virtual uint32_t GetGroupSize() const = 0;
    /** @param from group rank. @param to group rank. @return bytes from one to the other. */
    virtual uint64_t Get(uint32_t from, uint32_t to) const = 0;

    /** @param from group rank. @return bytes that it gives, to itself included. */
    virtual uint64_t GetSent(uint32_t from) const;
    /** @param to group rank. @return bytes that it gets, from itself included. */
    virtual uint64_t GetReceived(uint32_t to) const;
    /** @return the mean of GetSent over the group, rounded down: Operation::bytes. */
    uint64_t GetMeanBytes() const;
};

/**
 * @ingroup llm-training
 *
 * Every rank gives the same to a given rank: tokens that go to experts of uneven popularity. Its
 * reverse, in which every rank gets the same from a given rank, brings them back.
 */
class PopularityExchange : public ExchangeBytes
{
  public:
    /**
     * @param bytes by group rank: what each rank gives to it (or, reverse, gets from it).
     * @param reverse whether they come back.
     */
    PopularityExchange(std::vector<uint64_t> bytes, bool reverse);

    uint32_t GetGroupSize() const override;
    uint64_t Get(uint32_t from, uint32_t to) const override;
    uint64_t GetSent(uint32_t from) const override;
    uint64_t GetReceived(uint32_t to) const override;

  private:
    std::vector<uint64_t> m_bytes; //!< by group rank
    uint64_t m_total{0};           //!< their sum
    bool m_reverse;                //!< by sender, not by receiver
};

/**
 * @ingroup llm-training
 *
 * Any matrix.
 */
class MatrixExchange : public ExchangeBytes
{
  public:
    /**
     * @param groupSize n.
     * @param bytes n x n, row by row: row = sender.
     */
    MatrixExchange(uint32_t groupSize, std::vector<uint64_t> bytes);

    uint32_t GetGroupSize() const override;
    uint64_t Get(uint32_t from, uint32_t to) const override;

  private:
    uint32_t m_groupSize;          //!< n
    std::vector<uint64_t> m_bytes; //!< n x n
};

} // namespace llm
} // namespace ns3

#endif // LLM_EXCHANGE_BYTES_H

/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_CHAKRA_WRITER_H
#define LLM_CHAKRA_WRITER_H

#include "llm-chakra-file.h"
#include "llm-step-program.h"

#include <cstdint>
#include <map>
#include <string>
#include <utility>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Writes a workload as Chakra execution traces, one file per rank: PREFIX.0.et, PREFIX.1.et, ...
 *
 * Others read times in us, sizes (of a rank's input, as astra-sim counts them), process groups from
 * the METADATA node, what an operation waits for as data dependencies and the order of streams as
 * control dependencies. Whatever they have no place for stands in attributes that begin with
 * "llm_", so that ChakraWorkload reads back exactly the same operations.
 */
class ChakraWriter
{
  public:
    /** @param source the work; it must outlive this object. */
    explicit ChakraWriter(const WorkloadSource& source);

    /**
     * Write the first iteration of every rank.
     * @param prefix of the files' names.
     * @return number of nodes written.
     * @throw ConfigError if a file cannot be written or the module has no protobuf-c.
     */
    uint64_t Write(const std::string& prefix) const;

  private:
    /** What is known while a rank is written. */
    struct RankState
    {
        uint32_t rank{0};                                       //!< whose
        std::map<OperationStream, uint64_t> lastOf;             //!< by stream: node id
        std::map<uint32_t, uint64_t> sequences;                 //!< by group: collectives so far
        std::map<const ExchangeBytes*, uint64_t> firstSequence; //!< where it was written
    };

    uint64_t WriteRank(const std::string& prefix, uint32_t rank) const;
    ChakraNode MakeGroupNode(uint32_t rank) const;
    ChakraNode MakeNode(RankState& state, const Operation& operation) const;
    void AddCollective(RankState& state, const Operation& operation, ChakraNode& node) const;

    const WorkloadSource& m_source; //!< the work
};

} // namespace llm
} // namespace ns3

#endif // LLM_CHAKRA_WRITER_H

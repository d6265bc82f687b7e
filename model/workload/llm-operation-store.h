/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_OPERATION_STORE_H
#define LLM_OPERATION_STORE_H

#include "llm-step-program.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * The operations of one rank's program, kept in little memory: 72 bytes each and 8 per wait.
 */
class OperationStore
{
  public:
    /** @param operation is appended; its id is its place, whatever it says. */
    void Append(const Operation& operation);
    /** @param index below GetSize(). @param operation gets it. */
    void Get(uint64_t index, Operation& operation) const;

    /** @return number of operations. */
    uint64_t GetSize() const
    {
        return m_operations.size();
    }

  private:
    /** An operation without its lists. */
    struct Packed
    {
        uint64_t amount;               //!< bytes, or picoseconds
        uint64_t tag;                  //!< as in Operation
        const ExchangeBytes* exchange; //!< as in Operation
        uint64_t firstWait;            //!< in m_waits
        uint32_t waits;                //!< number of these, then startWaits
        uint32_t startWaits;           //!< number
        uint32_t partner;              //!< group, or peer
        uint32_t root;                 //!< as in Operation
        int32_t layer;                 //!< as in Operation
        int32_t microbatch;            //!< as in Operation
        uint16_t channel;              //!< as in Operation
        OperationKind kind;            //!< as in Operation
        OperationStream stream;        //!< as in Operation
        ParallelDimension dimension;   //!< as in Operation
        StepPhase phase;               //!< as in Operation
        uint8_t lane;                  //!< as in Operation
        uint8_t trafficClass;          //!< as in Operation
    };

    std::vector<Packed> m_operations; //!< in order
    std::vector<uint64_t> m_waits;    //!< of all
};

/**
 * @ingroup llm-training
 *
 * Gives the operations of a store one after the other.
 */
class StoredProgram : public StepProgram
{
  public:
    /** @param store outlives this. */
    explicit StoredProgram(const OperationStore& store);
    bool Next(Operation& operation) override;

  private:
    const OperationStore& m_store; //!< what
    uint64_t m_next{0};            //!< place
};

} // namespace llm
} // namespace ns3

#endif // LLM_OPERATION_STORE_H

/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_SIMAI_PROGRAM_H
#define LLM_SIMAI_PROGRAM_H

#include "llm-simai-workload.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * One rank's way through the rows of a SimAI workload, row by row.
 */
class SimaiProgram : public StepProgram
{
  public:
    /** @param workload outlives this. @param rank whose program. */
    SimaiProgram(const SimaiWorkload& workload, uint32_t rank);

    bool Next(Operation& operation) override;

  private:
    /** Where in the iteration. */
    enum class Part : uint8_t
    {
        FORWARD,
        BACKWARD,
        OVER
    };

    /** Write the operations of the next row. */
    void WriteRow();
    void WriteForward(uint32_t row);
    void WriteBackward(uint32_t row);
    void WriteMicro(uint32_t row);
    /** Forward again, from the last checkpoint. */
    void WriteAgain(uint32_t row);
    /** Take over from, or hand over to, the neighbour stage. */
    void HandOver(bool receive, bool forward, uint32_t block);
    /** @return number of the block that has this row, or the number of blocks if none has. */
    std::size_t BlockOf(uint32_t row) const;
    /** @return whether the row is the last of its block. */
    bool EndsBlock(uint32_t row) const;

    Operation& Append(OperationKind kind, OperationStream stream);
    void Compute(int64_t durationPs, OperationStream stream = OperationStream::COMPUTE);
    /** @return whether there is anything to communicate. */
    bool Communicate(const SimaiPhase& phase);

    const SimaiWorkload& m_workload;       //!< what
    const SimaiFile& m_file;               //!< its rows
    const uint32_t m_rank;                 //!< whose
    const uint32_t m_stage;                //!< pipeline stage
    Part m_part{Part::FORWARD};            //!< present pass
    uint32_t m_row{0};                     //!< next row
    StepPhase m_phase{StepPhase::FORWARD}; //!< label
    uint32_t m_label{0};                   //!< row that is written
    std::vector<uint64_t> m_chain;         //!< what the next operation waits for
    uint64_t m_nextId{0};                  //!< of the next operation
    std::vector<Operation> m_written;      //!< of the present row
    std::size_t m_read{0};                 //!< of them
};

} // namespace llm
} // namespace ns3

#endif // LLM_SIMAI_PROGRAM_H

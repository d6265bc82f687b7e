/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_INT_TABLE_H
#define FABRIC_INT_TABLE_H

#include <cstddef>
#include <cstdint>
#include <memory>

namespace ns3
{
namespace llm
{

/**
 * What a switch's egress port tells of itself when a frame leaves it: in-band network telemetry, as
 * HPCC (Li et al., SIGCOMM 2019, figure 7) and PowerTCP use it.
 */
struct IntRecord
{
    int64_t time;        //!< tick when the frame left its queue
    uint64_t bitRate;    //!< of the port
    uint64_t bytesSent;  //!< link bytes (preamble and gap included) sent before this frame
    uint64_t queueBytes; //!< left in the frame's class queue
};

/**
 * @ingroup llm-training
 *
 * Telemetry of frames, beside them: frames that carry none pay nothing. One table serves one slab
 * of frames.
 */
class FabricIntTable
{
  public:
    /** @param frames of the slab. @param hops records per frame, at least 1. */
    FabricIntTable(std::size_t frames, uint32_t hops);

    /** @return a table that holds the same, with more records per frame. @param hops of it. */
    std::unique_ptr<FabricIntTable> Widen(uint32_t hops) const;

    /** Forget what a frame carried. @param index of it. @param bytesPerHop on the link. */
    void Start(std::size_t index, uint8_t bytesPerHop)
    {
        m_stacks[index] = {0, bytesPerHop};
    }

    /**
     * Add a record; one beyond the last that there is room for is not kept.
     * @param index of the frame.
     * @param record what to add.
     * @return bytes by which the frame grows on the link.
     */
    uint32_t Append(std::size_t index, const IntRecord& record)
    {
        Stack& stack = m_stacks[index];
        if (stack.count == m_hops)
        {
            return 0;
        }
        m_records[index * m_hops + stack.count++] = record;
        return stack.bytesPerHop;
    }

    /** @param index of a frame. @return how many records it has. */
    uint32_t GetCount(std::size_t index) const
    {
        return m_stacks[index].count;
    }

    /** @param index of a frame. @return link bytes of its records. */
    uint32_t GetBytes(std::size_t index) const
    {
        return m_stacks[index].count * m_stacks[index].bytesPerHop;
    }

    /** @param index of a frame. @return its records, in the order of its path. */
    const IntRecord* GetRecords(std::size_t index) const
    {
        return &m_records[index * m_hops];
    }

  private:
    /** What is known of a frame's records. */
    struct Stack
    {
        uint16_t count;       //!< records
        uint16_t bytesPerHop; //!< on the link
    };

    std::size_t m_frames;                   //!< of the slab
    uint32_t m_hops;                        //!< records per frame
    std::unique_ptr<Stack[]> m_stacks;      //!< by frame
    std::unique_ptr<IntRecord[]> m_records; //!< by frame and hop; pages come when touched
};

} // namespace llm
} // namespace ns3

#endif // FABRIC_INT_TABLE_H

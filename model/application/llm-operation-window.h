/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_OPERATION_WINDOW_H
#define LLM_OPERATION_WINDOW_H

#include "ns3/llm-growing-fifo.h"
#include "ns3/llm-step-program.h"

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * The operations of one rank that have been taken from its step program and are not over: at most
 * a fixed number, queued per stream. Knows which operations are over, and so which may start.
 *
 * Memory grows with the capacity and with the distance between the oldest open operation and the
 * newest one (four bytes each), never with the length of the program.
 */
class OperationWindow
{
  public:
    /** No operation. */
    static constexpr uint32_t NONE = 0xffffffffU;

    /** An operation that is not over. */
    struct Slot
    {
        Operation operation;  //!< what
        int64_t start{0};     //!< tick when it started
        bool started{false};  //!< it has
        uint32_t next{NONE};  //!< behind it in the same stream
        int64_t sequence{-1}; //!< collective: number within the group
    };

    /** @param capacity operations held at once, at least 1. */
    explicit OperationWindow(uint32_t capacity);

    /** Take operations from @p program from now on. The window must be over. */
    void Begin(std::unique_ptr<StepProgram> program);

    /**
     * Take the next operation from the program if there is room.
     * @return its slot, or NONE if the window is full or the program is at its end.
     * @throw ConfigError if the operation is not number n of the program or waits for a later one.
     */
    uint32_t Fetch();

    /** @param slot index. @return the operation in it. */
    Slot& operator[](uint32_t slot)
    {
        return m_slots[slot];
    }

    /** @param slot index. @return the operation in it. */
    const Slot& operator[](uint32_t slot) const
    {
        return m_slots[slot];
    }

    /** @param stream which. @return slot of its oldest operation, started or not; or NONE. */
    uint32_t GetHead(OperationStream stream) const
    {
        return m_streams[static_cast<std::size_t>(stream)].head;
    }

    /** @return slot of the open operation that comes first in the program, or NONE. */
    uint32_t GetOldest() const;

    /**
     * @param slot of the head of a stream.
     * @return true if all operations that it waits for are over.
     */
    bool IsReady(uint32_t slot) const;

    /**
     * @param slot of an operation.
     * @return itself if it has started, else the operation that, in the end of the chain of waits
     *         and streams, holds it up: one that has started, or one that may start.
     */
    uint32_t FindCause(uint32_t slot) const;

    /** @param slot of a started head of a stream; it is over and the slot is free. */
    void Complete(uint32_t slot);

    /** @return true if the program is at its end and every operation is over. */
    bool IsOver() const
    {
        return !m_program && m_open == 0;
    }

    /** @return operations in the window. */
    uint32_t GetOpen() const
    {
        return m_open;
    }

  private:
    /** Operations of a stream, linked by Slot::next. */
    struct Queue
    {
        uint32_t head{NONE}; //!< oldest
        uint32_t tail{NONE}; //!< newest
    };

    /** @param id of an operation. @return its slot, or NONE if it is over. */
    uint32_t Find(uint64_t id) const;
    /** @param operation just taken. @throw ConfigError if it makes no sense. */
    void Check(const Operation& operation) const;

    std::vector<Slot> m_slots;              //!< storage
    std::vector<uint32_t> m_free;           //!< free slots
    std::unique_ptr<StepProgram> m_program; //!< null at its end
    uint32_t m_open{0};                     //!< operations in the window
    uint64_t m_firstId{0};                  //!< everything before is over
    GrowingFifo<uint32_t> m_slotOf;         //!< from m_firstId on: slot, or NONE if over
    std::array<Queue, static_cast<std::size_t>(OperationStream::COUNT)> m_streams; //!< queues
};

} // namespace llm
} // namespace ns3

#endif // LLM_OPERATION_WINDOW_H

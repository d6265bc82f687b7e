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
#include <deque>
#include <memory>
#include <set>
#include <string>
#include <tuple>
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
 * UNORDERED operations stand in no queue and are not counted: a window that was full of those that
 * wait could hold up one that need not.
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
        Operation operation;                   //!< what
        int64_t start{0};                      //!< tick when it started
        bool started{false};                   //!< it has
        uint32_t next{NONE};                   //!< behind it in the same stream
        int64_t sequence{-1};                  //!< collective: number within the group
        uint32_t pending{0};                   //!< UNORDERED: waits that hold it up
        std::vector<uint32_t> dependents;      //!< UNORDERED slots that wait for its end
        std::vector<uint32_t> startDependents; //!< UNORDERED slots that wait for its start
    };

    /** @param capacity operations of streams held at once, at least 1. */
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

    /** Take an UNORDERED computation that takes no time and may start: a join of others, which is
     *  over as soon as they are. @return its slot, or NONE. */
    uint32_t TakeInstant();

    /**
     * Take any other UNORDERED operation that may start, each once. Those of the lowest lane come
     * first, in a lane those of the lowest id; what becomes ready behind the last one taken still
     * comes in the same pass.
     * @param again whether to begin a new pass.
     * @return its slot, or NONE at the end of the pass.
     */
    uint32_t TakeReady(bool again);

    /** @return slot of the first computation of an UNORDERED program that takes time and is not
     *  over, or NONE. */
    uint32_t GetFirstCompute() const;

    /** @param slot of an operation; it has started. @param now tick. */
    void Start(uint32_t slot, int64_t now);

    /** @param slot of a started operation, of a stream its head; it is over, the slot is free. */
    void Complete(uint32_t slot);

    /** @return slots of the open operations, in program order, at most @p most that have started.
     *  @param most bound. */
    std::vector<uint32_t> ListStarted(std::size_t most) const;

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
    struct StreamQueue
    {
        uint32_t head{NONE}; //!< oldest
        uint32_t tail{NONE}; //!< newest
    };

    /** @param id of an operation. @return its slot, or NONE if it is over. */
    uint32_t Find(uint64_t id) const;
    /** @param operation just taken. @throw ConfigError if it makes no sense. */
    void Check(const Operation& operation) const;
    /** Put an operation behind its stream. @param slot just taken. */
    void Queue(uint32_t slot);
    /** Count what an UNORDERED operation waits for. @param slot just taken. */
    void Link(uint32_t slot);
    /** Something that UNORDERED operations wait for has happened. @param slots who. */
    void Release(std::vector<uint32_t>& slots);
    /** An UNORDERED operation may start. @param slot which. */
    void MakeReady(uint32_t slot);

    uint32_t m_capacity;                    //!< operations of streams held at once
    uint32_t m_ordered{0};                  //!< operations of streams in the window
    std::deque<Slot> m_slots;               //!< storage
    std::vector<uint32_t> m_free;           //!< free slots
    std::unique_ptr<StepProgram> m_program; //!< null at its end
    uint32_t m_open{0};                     //!< operations in the window
    uint64_t m_firstId{0};                  //!< everything before is over
    GrowingFifo<uint32_t> m_slotOf;         //!< from m_firstId on: slot, or NONE if over
    std::array<StreamQueue, static_cast<std::size_t>(OperationStream::COUNT)> m_streams; //!< queues
    std::set<std::tuple<uint8_t, uint64_t, uint32_t>> m_ready; //!< lane, id, slot: may start
    std::tuple<uint8_t, uint64_t, uint32_t> m_cursor;          //!< see TakeReady
    GrowingFifo<uint32_t> m_instant;                           //!< slots; see TakeInstant
    std::set<uint64_t> m_computes; //!< ids of UNORDERED computations that are not over
};

} // namespace llm
} // namespace ns3

#endif // LLM_OPERATION_WINDOW_H

/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_MESSAGE_PROGRAM_H
#define LLM_MESSAGE_PROGRAM_H

#include "llm-collective-algorithm.h"

#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * A program made of steps, for algorithms in which a step begins when all that came before has
 * arrived. A subclass lists the messages of a step; this class cuts them into slices and counts the
 * dependencies. Memory: the messages of one step.
 */
class MessageProgram : public TransferProgram
{
  public:
    /** @param sliceBytes as in CollectiveSpec. */
    explicit MessageProgram(uint64_t sliceBytes);

    bool Next(Transfer& transfer) override;

  protected:
    /** One message before it is sliced. Empty messages are left out. */
    struct Message
    {
        /**
         * Add a byte range behind what is there; joined to it if it continues it.
         * @param range may be empty.
         */
        void Add(const ByteRange& range);

        bool send{false};              //!< as in Transfer
        bool reduce{false};            //!< as in Transfer
        uint32_t peer{0};              //!< as in Transfer
        std::vector<ByteRange> pieces; //!< what it is gathered from or scattered to
    };

    /** What the sends of a step wait for. */
    enum class Waits : uint8_t
    {
        FOR_ALL,      //!< all receives of the steps before
        AS_BEFORE,    //!< what the sends of the step before wait for
        FOR_NOTHING,  //!< nothing
        FOR_LAST_STEP //!< the receives of the step before
    };

    /** Messages that go together. */
    struct Step
    {
        std::vector<Message> messages; //!< in program order
        Waits waits{Waits::FOR_ALL};   //!< for what its sends wait

        /** @param peer whom to. @param range what. @return the new message. */
        Message& Send(uint32_t peer, const ByteRange& range = {});
        /** @param peer whom from. @param reduce add. @param range what. @return the message. */
        Message& Receive(uint32_t peer, bool reduce, const ByteRange& range = {});
    };

    /**
     * @param step gets the next step; it comes empty.
     * @return false at the end, and ever after.
     */
    virtual bool NextStep(Step& step) = 0;

  private:
    /** Go to the next message. @return false at the end. */
    bool EnterMessage();
    /** Work out what the sends of the present step wait for. */
    void EnterStep();
    /** Cut the present slice out of the present message. */
    void CutSlice();

    const uint64_t m_sliceBytes;  //!< longest slice; 0: any
    Step m_step;                  //!< present step
    std::size_t m_next{0};        //!< message of it that comes next
    Message* m_message{nullptr};  //!< present message
    uint64_t m_bytes{0};          //!< its length
    uint64_t m_slices{0};         //!< its slices
    uint64_t m_slice{0};          //!< slice of it that comes next
    std::vector<ByteRange> m_cut; //!< pieces of the present slice
    uint64_t m_received{0};       //!< receives so far
    uint64_t m_stepBegin{0};      //!< receives before the present step
    uint64_t m_first{0};          //!< first of the receives that sends wait for
    uint64_t m_end{0};            //!< behind the last of them
};

} // namespace llm
} // namespace ns3

#endif // LLM_MESSAGE_PROGRAM_H

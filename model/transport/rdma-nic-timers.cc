/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Timers of a NIC: pacing, retransmission, congestion control; one fabric event for all.

#include "rdma-nic.h"

#include <algorithm>
#include <string>

namespace ns3
{
namespace llm
{

namespace
{
__extension__ typedef unsigned __int128 Wide; //!< product of rate and resolution
} // namespace

void
RdmaNic::RestartTimeout(RdmaQueuePair& qp, int64_t now)
{
    qp.m_timeoutAt = now + qp.m_timeoutTicks;
    if (qp.m_timeoutTimer == RdmaQueuePair::NEVER)
    {
        qp.m_timeoutTimer = qp.m_timeoutAt;
        AddTimer(qp.m_timeoutTimer, qp.m_number, TimerKind::TIMEOUT);
    }
}

void
RdmaNic::HandleTimeout(RdmaQueuePair& qp, int64_t now)
{
    if (qp.m_selective && ExtendTimeout(qp, now))
    {
        return;
    }
    ++qp.m_counters.timeouts;
    m_timeoutTrace(qp);
    qp.m_timeoutAt = RdmaQueuePair::NEVER;
    if (m_goBack && m_goBack->DiscardsProgress())
    {
        // Only whole messages are progress.
        const uint64_t start = qp.m_firstWork->firstPsn;
        qp.m_stuckTimeouts = start == qp.m_stuckPsn ? qp.m_stuckTimeouts : 0;
        qp.m_stuckPsn = start;
        qp.m_retries = qp.m_stuckTimeouts++;
    }
    if (++qp.m_retries > m_config.retryCount)
    {
        qp.m_special |= RdmaQueuePair::FAILED;
        ReportFailure(qp);
        return;
    }
    qp.m_ops->OnLoss(TimeStep(now), RdmaLossKind::TIMEOUT);
    if (qp.m_needs & NEEDS_PATH_FEEDBACK)
    {
        qp.m_paths->Feedback(qp, 0, RdmaPathEvent::TIMEOUT);
    }
    qp.m_afterTimeout = true;
    if (m_selective)
    {
        m_selective->HandleTimeout(*qp.m_selective);
    }
    else
    {
        GoBack(qp, m_goBack->ResumeAfterTimeout(qp.m_unackedPsn, qp.m_firstWork->firstPsn));
        // The first packet asks for an answer: at a low rate, AckInterval packets can take longer
        // than the timer, which would then go back for ever.
        qp.m_sinceAckRequest = qp.m_ackInterval - 1;
    }
    RestartTimeout(qp, now);
    Activate(qp, now);
}

void
RdmaNic::ReportFailure(RdmaQueuePair& qp)
{
    // The work stays where it is: the responder may be in the middle of it.
    std::string reason =
        "no acknowledgement of PSN " + std::to_string(qp.m_unackedPsn) + " after " +
        std::to_string(m_config.retryCount) + " retries, the last timeout of " +
        std::to_string(TimeStep(static_cast<uint64_t>(qp.m_timeoutTicks)).GetMicroSeconds()) +
        " us; " + std::to_string(qp.m_counters.timeouts) + " timeouts in all; " +
        std::to_string(qp.m_sentBytes - qp.m_ackedBytes) + " B sent and not acknowledged";
    if (qp.m_verbs && qp.m_verbs->receives.gaveUp)
    {
        reason = "the receiver has posted no receive for PSN " + std::to_string(qp.m_unackedPsn) +
                 ", which " + std::to_string(qp.m_verbs->receives.refusals) + " RNR NAKs say; " +
                 std::to_string(m_config.rnrRetryCount) + " retries are allowed";
    }
    for (RdmaWork* work = qp.m_firstWork; work; work = work->next)
    {
        if (work->lastOfMessage && !work->failed)
        {
            work->failed = true;
            if (qp.m_listener)
            {
                qp.m_listener->WorkFailed(qp, *work, reason);
            }
        }
    }
}

void
RdmaNic::ReadControl(RdmaQueuePair& qp, int64_t now)
{
    const uint64_t line = qp.m_nicPort->m_port->GetBitRate();
    const uint64_t rate = std::min(qp.m_ops->GetRate(), line);
    const uint64_t window = qp.m_ops->GetWindow();
    qp.m_ticksPerByte = rate == line && !m_config.paceAtLineRate
                            ? 0
                            : static_cast<uint64_t>((static_cast<Wide>(8 * m_ticksPerSecond)
                                                     << RdmaQueuePair::PACE_BITS) /
                                                    std::max<uint64_t>(rate, 1));
    m_rateTrace(qp, rate);
    if (window != qp.m_window)
    {
        qp.m_window = window;
        m_windowTrace(qp, window);
    }
    if (qp.m_lastWireBytes)
    {
        // As if the last packet had been paced at the new rate.
        qp.m_nextSendAt =
            qp.m_lastSendAt + static_cast<int64_t>((qp.m_lastWireBytes * qp.m_ticksPerByte) >>
                                                   RdmaQueuePair::PACE_BITS);
        qp.m_paceFraction = 0;
        if (qp.m_paceAt != RdmaQueuePair::NEVER && qp.m_nextSendAt < qp.m_paceAt)
        {
            qp.m_paceAt = std::max(qp.m_nextSendAt, now);
            AddTimer(qp.m_paceAt, qp.m_number, TimerKind::PACE);
        }
    }
    if (qp.m_peer)
    {
        Activate(qp, now);
    }
}

void
RdmaNic::GuardUnsent(RdmaQueuePair& qp, int64_t now)
{
    if (!(qp.m_special & RdmaQueuePair::FAILED) && qp.m_firstWork &&
        qp.m_timeoutAt == RdmaQueuePair::NEVER)
    {
        RestartTimeout(qp, now);
    }
}

bool
RdmaNic::IsLater(const Timer& a, const Timer& b)
{
    if (a.tick != b.tick)
    {
        return a.tick > b.tick;
    }
    return a.queuePair != b.queuePair ? a.queuePair > b.queuePair : a.kind > b.kind;
}

void
RdmaNic::AddTimer(int64_t tick, uint32_t queuePair, TimerKind kind)
{
    m_timers.push_back({tick, queuePair, kind});
    std::push_heap(m_timers.begin(), m_timers.end(), IsLater);
    if (tick < m_armedAt)
    {
        m_armedAt = tick;
        m_events->ScheduleAt(tick, FabricEventKind::NIC_TIMER, m_eventId);
    }
}

void
RdmaNic::HandleFabricEvent(FabricEventKind, int64_t now)
{
    if (now != m_armedAt)
    {
        return; // an earlier firing has done the work
    }
    m_armedAt = INT64_MIN; // what the handlers add is seen by the loop or armed below
    while (!m_timers.empty() && m_timers.front().tick <= now)
    {
        const Timer timer = m_timers.front();
        std::pop_heap(m_timers.begin(), m_timers.end(), IsLater);
        m_timers.pop_back();
        FireTimer(timer, now);
    }
    m_armedAt = INT64_MAX;
    if (!m_timers.empty())
    {
        m_armedAt = m_timers.front().tick;
        m_events->ScheduleAt(m_armedAt, FabricEventKind::NIC_TIMER, m_eventId);
    }
}

void
RdmaNic::FireTimer(const Timer& timer, int64_t now)
{
    if (timer.kind == TimerKind::EMPTY_WORK)
    {
        std::vector<EmptyMessage> messages;
        messages.swap(m_emptyMessages);
        for (const EmptyMessage& empty : messages)
        {
            RdmaWork work;
            work.lastOfMessage = true;
            work.message = empty.message;
            RdmaWorkListener* listener = empty.queuePair->m_listener;
            listener->WorkDelivered(*empty.queuePair->m_peer, work, now);
            listener->WorkAcknowledged(*empty.queuePair, work, now);
        }
        return;
    }
    if (timer.kind == TimerKind::POST)
    {
        PostDelayed(now);
        return;
    }
    RdmaQueuePair& qp = *m_queuePairs[timer.queuePair - FIRST_NUMBER];
    switch (timer.kind)
    {
    case TimerKind::PACE:
        if (qp.m_paceAt == timer.tick)
        {
            qp.m_paceAt = RdmaQueuePair::NEVER;
            Activate(qp, now);
        }
        break;
    case TimerKind::TIMEOUT:
        qp.m_timeoutTimer = RdmaQueuePair::NEVER;
        if (qp.m_timeoutAt > now)
        {
            if (qp.m_timeoutAt != RdmaQueuePair::NEVER)
            {
                qp.m_timeoutTimer = qp.m_timeoutAt;
                AddTimer(qp.m_timeoutTimer, qp.m_number, TimerKind::TIMEOUT);
            }
        }
        else
        {
            HandleTimeout(qp, now);
        }
        break;
    case TimerKind::FAILURE:
        ReportFailure(qp);
        break;
    case TimerKind::ANSWERS:
        SendAnswers(qp, now);
        break;
    case TimerKind::RESPONSE:
        ReadyResponse(qp, now);
        break;
    case TimerKind::NOT_READY:
        EndNotReady(qp, now);
        break;
    case TimerKind::REORDER:
        HandleReorder(qp, now);
        break;
    default: {
        const uint32_t id = timer.kind == TimerKind::CONTROL_0 ? 0 : 1;
        if (qp.m_ccTimerAt[id] == timer.tick)
        {
            qp.m_ccTimerAt[id] = RdmaQueuePair::NEVER;
            qp.m_ops->OnTimer(TimeStep(now), id);
        }
        break;
    }
    }
}

} // namespace llm
} // namespace ns3

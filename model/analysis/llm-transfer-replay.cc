/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-transfer-replay.h"

#include "ns3/llm-config-error.h"

#include <algorithm>
#include <deque>
#include <limits>

namespace ns3
{
namespace llm
{

namespace
{
constexpr std::size_t LOOKAHEAD = 8; //!< blocked sends per program, as in CollectiveRunner
} // namespace

/** The state of one program. */
struct TransferReplay::Channel
{
    /** A receive that has been taken from the program. */
    struct Receive
    {
        uint32_t peer{0};                     //!< group rank
        InNetwork inNetwork{InNetwork::NONE}; //!< as in Transfer
        bool done{false};                     //!< its bytes are here
    };

    std::unique_ptr<TransferProgram> program; //!< null at its end
    std::deque<Receive> receives;             //!< from number firstReceive on
    uint64_t firstReceive{0};                 //!< all before are done
    std::deque<Transfer> sends;               //!< not yet started
    std::deque<Receive> early;                //!< messages that came before their receive
    std::vector<uint64_t> shares;             //!< in-network sends by peer; empty: none

    /** @return true if the receives that @p send depends on are done. */
    bool IsReady(const Transfer& send) const
    {
        for (uint64_t i = std::max(send.firstDependency, firstReceive); i < send.endDependency; ++i)
        {
            const uint64_t place = i - firstReceive;
            if (place >= receives.size() || !receives[place].done)
            {
                return false;
            }
        }
        return true;
    }

    /** Forget receives that are done, oldest first. */
    void PopDone()
    {
        while (!receives.empty() && receives.front().done)
        {
            receives.pop_front();
            ++firstReceive;
        }
    }
};

TransferReplay::TransferReplay(const CollectiveAlgorithm& algorithm,
                               const CollectiveSpec& spec,
                               const CollectiveLinks& links,
                               Sharing sharing)
    : m_spec(spec),
      m_scaleUp(std::make_unique<OrderedReplayLinks>(spec.groupSize, links.scaleUp)),
      m_channels(static_cast<std::size_t>(spec.groupSize) * spec.channels),
      m_rankPs(spec.groupSize)
{
    if (sharing == Sharing::FAIR)
    {
        m_network = std::make_unique<FairReplayLinks>(spec.groupSize, links.network);
    }
    else if (sharing == Sharing::BUFFERED)
    {
        m_network = std::make_unique<BufferedReplayLinks>(spec.groupSize, links.network);
    }
    else
    {
        m_network = std::make_unique<OrderedReplayLinks>(spec.groupSize, links.network);
    }
    for (uint32_t rank = 0; rank < spec.groupSize; ++rank)
    {
        for (uint32_t channel = 0; channel < spec.channels; ++channel)
        {
            m_channels[static_cast<std::size_t>(rank) * spec.channels + channel].program =
                algorithm.CreateProgram(spec, rank, channel);
        }
    }
}

TransferReplay::~TransferReplay() = default;

double
TransferReplay::Run()
{
    for (uint32_t rank = 0; rank < m_spec.groupSize; ++rank)
    {
        for (uint32_t channel = 0; channel < m_spec.channels; ++channel)
        {
            Progress(rank, channel, 0);
        }
    }
    double nowPs = 0;
    std::vector<ReplayMessage> delivered;
    for (;;)
    {
        ReplayLinks& links =
            *(m_network->GetNextPs() < m_scaleUp->GetNextPs() ? m_network : m_scaleUp);
        if (links.GetNextPs() == std::numeric_limits<double>::infinity())
        {
            break;
        }
        const double nextPs = links.GetNextPs();
        delivered.clear();
        links.Advance(delivered);
        for (const ReplayMessage& message : delivered)
        {
            nowPs = nextPs;
            Deliver(message, nowPs);
        }
    }
    for (std::size_t i = 0; i < m_channels.size(); ++i)
    {
        const Channel& state = m_channels[i];
        if (state.program || !state.sends.empty() || !state.receives.empty())
        {
            throw ConfigError("TransferReplay",
                              "rank " + std::to_string(i / m_spec.channels),
                              std::to_string(state.sends.size()) + " sends and " +
                                  std::to_string(state.receives.size()) +
                                  " receives are left and nothing moves");
        }
    }
    return nowPs;
}

double
TransferReplay::GetRankPs(uint32_t rank) const
{
    return m_rankPs[rank];
}

void
TransferReplay::Progress(uint32_t rank, uint32_t channel, double nowPs)
{
    Channel& state = m_channels[static_cast<std::size_t>(rank) * m_spec.channels + channel];
    bool moved = true;
    while (moved)
    {
        moved = Emit(rank, channel, nowPs);
        moved |= Pull(state);
    }
}

bool
TransferReplay::Pull(Channel& state)
{
    bool any = false;
    Transfer transfer;
    while (state.program && state.sends.size() < LOOKAHEAD)
    {
        if (!state.program->Next(transfer))
        {
            state.program.reset();
            break;
        }
        any = true;
        if (transfer.send)
        {
            transfer.pieces = nullptr; // not valid for longer, and not needed
            state.sends.push_back(transfer);
            continue;
        }
        const auto early = std::find_if(state.early.begin(),
                                        state.early.end(),
                                        [&transfer](const Channel::Receive& message) {
                                            return message.peer == transfer.peer &&
                                                   message.inNetwork == transfer.inNetwork;
                                        });
        const bool done = early != state.early.end();
        if (done)
        {
            state.early.erase(early);
        }
        state.receives.push_back({transfer.peer, transfer.inNetwork, done});
        state.PopDone();
    }
    return any;
}

bool
TransferReplay::Emit(uint32_t rank, uint32_t channel, double nowPs)
{
    Channel& state = m_channels[static_cast<std::size_t>(rank) * m_spec.channels + channel];
    bool any = false;
    for (std::size_t i = 0; i < state.sends.size();)
    {
        const Transfer send = state.sends[i];
        const auto before = state.sends.begin() + static_cast<std::ptrdiff_t>(i);
        const bool held =
            !state.IsReady(send) ||
            std::any_of(state.sends.begin(), before, [&send](const Transfer& earlier) {
                return earlier.peer == send.peer && earlier.inNetwork == send.inNetwork;
            });
        if (held)
        {
            ++i;
            continue;
        }
        state.sends.erase(before);
        any = true;
        ReplayMessage message{rank, send.peer, channel, send.bytes, send.inNetwork, 0};
        if (send.inNetwork != InNetwork::NONE)
        {
            state.shares.resize(m_spec.groupSize + 1);
            message.part =
                state.shares[send.inNetwork == InNetwork::REDUCE ? send.peer : m_spec.groupSize]++;
        }
        const uint32_t perNode = std::max(1U, m_spec.ranksPerNode);
        const bool inside = rank / perNode == send.peer / perNode;
        (inside ? m_scaleUp : m_network)->Start(message, nowPs);
    }
    return any;
}

void
TransferReplay::Deliver(const ReplayMessage& message, double nowPs)
{
    m_rankPs[message.to] = std::max(m_rankPs[message.to], nowPs);
    Channel& state =
        m_channels[static_cast<std::size_t>(message.to) * m_spec.channels + message.channel];
    const auto receive = std::find_if(state.receives.begin(),
                                      state.receives.end(),
                                      [&message](const Channel::Receive& one) {
                                          return !one.done && one.peer == message.from &&
                                                 one.inNetwork == message.inNetwork;
                                      });
    if (receive == state.receives.end())
    {
        state.early.push_back({message.from, message.inNetwork, true});
        return;
    }
    receive->done = true;
    state.PopDone();
    Progress(message.to, message.channel, nowPs);
}

} // namespace llm
} // namespace ns3

/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-collective-runner.h"

#include "ns3/assert.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

/** One channel of a member's part: the state of one TransferProgram. */
struct CollectiveRunner::Channel
{
    /** A receive that has been taken from the program. */
    struct Receive
    {
        uint32_t from{0};                     //!< global rank
        InNetwork inNetwork{InNetwork::NONE}; //!< through the switch of the scale-up domain
        bool done{false};                     //!< its bytes are here
        uint64_t bytes{0};                    //!< how many
    };

    /** A message that came before its receive was looked at. */
    struct Early
    {
        uint32_t from{0};                     //!< global rank
        InNetwork inNetwork{InNetwork::NONE}; //!< through the switch of the scale-up domain
        uint64_t bytes{0};                    //!< how many
    };

    std::unique_ptr<TransferProgram> program; //!< null at its end
    GrowingFifo<Receive> receives;            //!< from number firstReceive on
    uint64_t firstReceive{0};                 //!< all before are done
    GrowingFifo<Transfer> sends;              //!< not yet handed to the transport
    GrowingFifo<Early> early;                 //!< messages waiting for their receive
    uint64_t unacknowledged{0};               //!< sends in the transport
    std::vector<uint32_t> shares;             //!< in-network sends so far, by peer; empty: none
    bool busy{false};                         //!< Progress works on it
    bool over{false};                         //!< through

    /** Prepare for a new program. */
    void Reset()
    {
        program.reset();
        receives.Clear();
        firstReceive = 0;
        sends.Clear();
        early.Clear();
        unacknowledged = 0;
        shares.clear();
        busy = false;
        over = false;
    }

    /** Forget receives that are done, oldest first. */
    void PopDone()
    {
        while (!receives.IsEmpty() && receives.Front().done)
        {
            receives.Pop();
            ++firstReceive;
        }
    }

    /** @return true if the receives that @p send depends on are done. */
    bool IsReady(const Transfer& send) const
    {
        for (uint64_t i = std::max(send.firstDependency, firstReceive); i < send.endDependency; ++i)
        {
            const uint64_t place = i - firstReceive;
            if (place >= receives.Size() || !receives[place].done)
            {
                return false;
            }
        }
        return true;
    }

    /** @return the first receive of such a message that is not done, or nullptr. */
    Receive* FindReceive(uint32_t from, InNetwork inNetwork)
    {
        for (std::size_t i = 0; i < receives.Size(); ++i)
        {
            if (receives[i].from == from && receives[i].inNetwork == inNetwork && !receives[i].done)
            {
                return &receives[i];
            }
        }
        return nullptr;
    }

    /** @return true if nothing is left to do. */
    bool IsThrough() const
    {
        return !program && receives.IsEmpty() && sends.IsEmpty() && unacknowledged == 0;
    }
};

/** A member's part in one collective. */
struct CollectiveRunner::Run
{
    Part part;                     //!< what; valid once joined
    bool joined{false};            //!< the rank has started
    std::vector<Channel> channels; //!< at least part.spec.channels
    uint32_t openChannels{0};      //!< not over
    GrowingFifo<Message> early;    //!< messages that came before the rank joined
};

/** A rank's membership in a group. */
struct CollectiveRunner::Member
{
    /** A collective of the group, for this member. */
    struct Entry
    {
        std::unique_ptr<Run> run; //!< null if nothing happened yet, or if it is over
        bool over{false};         //!< it is over
    };

    uint32_t group{0};         //!< index of the group
    uint32_t rank{0};          //!< global rank
    uint32_t groupRank{0};     //!< place in the group
    uint64_t firstSequence{0}; //!< all collectives before are over
    GrowingFifo<Entry> runs;   //!< from firstSequence on
};

/** A collective of a group: what its members agree on. */
struct CollectiveRunner::Instance
{
    CollectiveRecord record;                //!< for the report
    uint32_t firstRank{0};                  //!< who joined first
    uint32_t root{0};                       //!< as it said
    const ExchangeBytes* exchange{nullptr}; //!< as it said
    uint32_t joined{0};                     //!< members that have started
    uint32_t finished{0};                   //!< members that are through
};

/** A group's collectives. */
struct CollectiveRunner::Group
{
    uint32_t firstMember{0};         //!< its members follow each other
    uint32_t localMembers{0};        //!< how many run here
    uint64_t firstSequence{0};       //!< all collectives before are over
    GrowingFifo<Instance> instances; //!< from firstSequence on
};

CollectiveRunner::CollectiveRunner(const std::vector<ProcessGroup>& groups,
                                   MessageTransport& transport,
                                   TrafficLedger& ledger,
                                   CollectiveListener& listener)
    : m_groupTable(groups),
      m_transport(transport),
      m_ledger(ledger),
      m_listener(listener)
{
    m_groups.resize(groups.size());
    std::size_t memberships = 0;
    for (const ProcessGroup& group : groups)
    {
        memberships += group.ranks.size();
    }
    m_members.resize(memberships);
    uint32_t next = 0;
    for (uint32_t g = 0; g < groups.size(); ++g)
    {
        m_groups[g].firstMember = next;
        m_groups[g].localMembers = static_cast<uint32_t>(groups[g].ranks.size());
        for (uint32_t place = 0; place < groups[g].ranks.size(); ++place)
        {
            const uint32_t rank = groups[g].ranks[place];
            if (rank >= m_membersOf.size())
            {
                m_membersOf.resize(rank + 1);
            }
            m_membersOf[rank].push_back(next);
            m_members[next].group = g;
            m_members[next].rank = rank;
            m_members[next].groupRank = place;
            ++next;
        }
    }
}

CollectiveRunner::~CollectiveRunner() = default;

const CollectiveRunner::Member*
CollectiveRunner::FindMember(uint32_t rank, uint32_t group) const
{
    if (rank >= m_membersOf.size())
    {
        return nullptr;
    }
    // A rank is in a handful of groups.
    for (const uint32_t index : m_membersOf[rank])
    {
        if (m_members[index].group == group)
        {
            return &m_members[index];
        }
    }
    return nullptr;
}

CollectiveRunner::Member*
CollectiveRunner::FindMember(uint32_t rank, uint32_t group)
{
    return const_cast<Member*>(static_cast<const CollectiveRunner*>(this)->FindMember(rank, group));
}

uint64_t
CollectiveRunner::SequenceOf(const Message& message, const Member& member)
{
    // The tag carries 32 bits, which is more than can be open at once.
    const auto low = static_cast<uint32_t>(message.tag);
    const auto ahead = static_cast<int32_t>(low - static_cast<uint32_t>(member.firstSequence));
    return member.firstSequence + static_cast<uint64_t>(static_cast<int64_t>(ahead));
}

CollectiveRunner::Run*
CollectiveRunner::GetRun(Member& member, uint64_t sequence)
{
    if (sequence < member.firstSequence)
    {
        return nullptr;
    }
    while (member.firstSequence + member.runs.Size() <= sequence)
    {
        member.runs.Push({});
    }
    Member::Entry& entry = member.runs[sequence - member.firstSequence];
    if (!entry.run && !entry.over)
    {
        if (m_free.empty())
        {
            entry.run = std::make_unique<Run>();
        }
        else
        {
            entry.run = std::move(m_free.back());
            m_free.pop_back();
        }
    }
    return entry.run.get();
}

bool
CollectiveRunner::Agree(const Part& part, const Instance& instance)
{
    const CollectiveRecord& record = instance.record;
    const bool rooted =
        part.spec.kind == CollectiveKind::BROADCAST || part.spec.kind == CollectiveKind::REDUCE;
    if (record.kind == part.spec.kind && record.bytes == part.spec.bytes &&
        instance.exchange == part.spec.exchange && (!rooted || instance.root == part.spec.root))
    {
        return true;
    }
    const bool parts = record.bytes == part.spec.bytes && instance.exchange != part.spec.exchange;
    const auto say = [rooted](uint32_t rank, CollectiveKind kind, uint64_t bytes, uint32_t root) {
        return "rank " + std::to_string(rank) + " runs " + ToString(kind) + " of " +
               std::to_string(bytes) + " B" + (rooted ? ", root " + std::to_string(root) : "");
    };
    m_listener.CollectiveFailed(
        "collective " + std::to_string(part.sequence) + " of group " + std::to_string(part.group) +
        " (" + m_groupTable[part.group].name +
        ") does not match: " + say(instance.firstRank, record.kind, record.bytes, instance.root) +
        ", " + say(part.rank, part.spec.kind, part.spec.bytes, part.spec.root) +
        (parts ? ", in other parts" : ""));
    return false;
}

void
CollectiveRunner::Join(const Part& part, int64_t now)
{
    Member* member = FindMember(part.rank, part.group);
    NS_ASSERT_MSG(member, "rank " << part.rank << " is not in group " << part.group);
    Group& group = m_groups[part.group];
    while (group.firstSequence + group.instances.Size() <= part.sequence)
    {
        group.instances.Push({});
    }
    Instance& instance = group.instances[part.sequence - group.firstSequence];
    if (instance.joined == 0)
    {
        ++m_openInstances;
        instance.firstRank = part.rank;
        instance.root = part.spec.root;
        instance.exchange = part.spec.exchange;
        CollectiveRecord& record = instance.record;
        record.kind = part.spec.kind;
        record.dimension = part.dimension;
        record.group = part.group;
        record.groupSize = part.spec.groupSize;
        record.iteration = part.iteration;
        record.sequence = part.sequence;
        record.bytes = part.spec.bytes;
        record.start = now;
    }
    else if (!Agree(part, instance))
    {
        return;
    }
    ++instance.joined;
    instance.record.ready = now;

    Run& run = *GetRun(*member, part.sequence);
    run.part = part;
    run.joined = true;
    const uint32_t channels = part.spec.channels;
    run.openChannels = channels;
    if (run.channels.size() < channels)
    {
        run.channels.resize(channels);
    }
    for (uint32_t c = 0; c < channels; ++c)
    {
        run.channels[c].Reset();
        run.channels[c].program = part.algorithm->CreateProgram(part.spec, member->groupRank, c);
    }
    for (; !run.early.IsEmpty(); run.early.Pop())
    {
        const Message& message = run.early.Front();
        run.channels[message.channel - part.firstChannel].early.Push(
            {message.from, message.inNetwork, message.bytes});
    }
    for (uint32_t c = 0; c < channels; ++c)
    {
        Progress(*member, run, c, now);
    }
}

void
CollectiveRunner::Progress(Member& member, Run& run, uint32_t index, int64_t now)
{
    Channel& channel = run.channels[index];
    if (channel.busy || channel.over)
    {
        return; // whoever is busy with it sees what has changed
    }
    channel.busy = true;
    bool moved;
    do
    {
        moved = Emit(member, run, index);
        moved |= Pull(member, run, index);
    } while (moved);
    channel.busy = false;
    if (channel.IsThrough())
    {
        channel.over = true;
        if (!channel.early.IsEmpty())
        {
            m_listener.CollectiveFailed("rank " + std::to_string(member.rank) + " got " +
                                        std::to_string(channel.early.Front().bytes) +
                                        " B from rank " +
                                        std::to_string(channel.early.Front().from) + " in " +
                                        ToString(run.part.spec.kind) + ", which it expects not");
            return;
        }
        EndChannel(member, run, now);
    }
}

bool
CollectiveRunner::Fits(const Member& member,
                       const Run& run,
                       uint32_t from,
                       uint64_t got,
                       uint64_t expected)
{
    if (got == expected)
    {
        return true;
    }
    m_listener.CollectiveFailed(
        "rank " + std::to_string(member.rank) + " expects " + std::to_string(expected) +
        " B from rank " + std::to_string(from) + " in " + ToString(run.part.spec.kind) +
        " of group " + std::to_string(member.group) + " and got " + std::to_string(got) + " B");
    return false;
}

bool
CollectiveRunner::Pull(const Member& member, Run& run, uint32_t index)
{
    Channel& channel = run.channels[index];
    const Group& group = m_groups[member.group];
    bool any = false;
    Transfer transfer;
    while (channel.program && channel.sends.Size() < LOOKAHEAD)
    {
        if (!channel.program->Next(transfer))
        {
            channel.program.reset();
            break;
        }
        any = true;
        if (transfer.send)
        {
            channel.sends.Push(transfer);
            continue;
        }
        const uint32_t from = m_members[group.firstMember + transfer.peer].rank;
        if (transfer.bytes > 0 && transfer.inNetwork == InNetwork::NONE)
        {
            m_transport.Announce(MakeMessage(member, run, index, transfer));
        }
        bool done = transfer.bytes == 0;
        for (std::size_t i = 0; !done && i < channel.early.Size(); ++i)
        {
            if (channel.early[i].from == from && channel.early[i].inNetwork == transfer.inNetwork)
            {
                if (!Fits(member, run, from, channel.early[i].bytes, transfer.bytes))
                {
                    return false;
                }
                channel.early.Erase(i);
                done = true;
            }
        }
        channel.receives.Push({from, transfer.inNetwork, done, transfer.bytes});
        channel.PopDone();
    }
    return any;
}

Message
CollectiveRunner::MakeMessage(const Member& member,
                              const Run& run,
                              uint32_t index,
                              const Transfer& transfer) const
{
    const Part& part = run.part;
    const uint32_t peer = m_members[m_groups[member.group].firstMember + transfer.peer].rank;
    Message message;
    message.from = transfer.send ? member.rank : peer;
    message.to = transfer.send ? peer : member.rank;
    message.channel = static_cast<uint16_t>(part.firstChannel + index);
    message.trafficClass = part.trafficClass;
    message.dimension = static_cast<uint8_t>(part.dimension);
    message.protocol = part.protocol;
    message.bytes = transfer.bytes;
    message.tag = TAG_BIT | (static_cast<uint64_t>(member.group) << 32) |
                  static_cast<uint32_t>(part.sequence);
    return message;
}

void
CollectiveRunner::Address(Message& message,
                          const Transfer& transfer,
                          Channel& channel,
                          uint32_t group) const
{
    const std::vector<uint32_t>& members = m_groupTable[group].ranks;
    message.inNetwork = transfer.inNetwork;
    message.members = &members;
    // What a rank copies counts apart from its shares of the sums of each rank.
    channel.shares.resize(members.size() + 1);
    const bool sum = transfer.inNetwork == InNetwork::REDUCE;
    message.part = channel.shares[sum ? transfer.peer : members.size()]++;
}

bool
CollectiveRunner::Emit(const Member& member, Run& run, uint32_t index)
{
    Channel& channel = run.channels[index];
    bool any = false;
    for (std::size_t i = 0; i < channel.sends.Size();)
    {
        bool held = !channel.IsReady(channel.sends[i]);
        for (std::size_t j = 0; !held && j < i; ++j)
        {
            held = channel.sends[j].peer == channel.sends[i].peer &&
                   channel.sends[j].inNetwork == channel.sends[i].inNetwork;
        }
        if (held)
        {
            ++i;
            continue;
        }
        const Transfer transfer = channel.sends[i];
        channel.sends.Erase(i);
        any = true;
        if (transfer.bytes == 0)
        {
            continue;
        }
        Message message = MakeMessage(member, run, index, transfer);
        if (transfer.inNetwork != InNetwork::NONE)
        {
            Address(message, transfer, channel, member.group);
        }
        ++channel.unacknowledged;
        const bool direct = message.inNetwork == InNetwork::NONE;
        m_ledger.Add(message.from,
                     direct ? message.to : message.from,
                     run.part.dimension,
                     message.bytes);
        m_transport.Send(message);
    }
    return any;
}

void
CollectiveRunner::MessageDelivered(const Message& message, int64_t now)
{
    const auto group = static_cast<uint32_t>((message.tag & ~TAG_BIT) >> 32);
    Member* member = FindMember(message.to, group);
    Run* run = member ? GetRun(*member, SequenceOf(message, *member)) : nullptr;
    const uint32_t index = run ? message.channel - run->part.firstChannel : 0;
    if (!run || (run->joined && (index >= run->part.spec.channels || run->channels[index].over)))
    {
        m_listener.CollectiveFailed("rank " + std::to_string(message.to) + " got " +
                                    std::to_string(message.bytes) + " B from rank " +
                                    std::to_string(message.from) + " for a collective of group " +
                                    std::to_string(group) + " that is over");
        return;
    }
    if (!run->joined)
    {
        run->early.Push(message);
        return;
    }
    Channel& channel = run->channels[index];
    Channel::Receive* receive = channel.FindReceive(message.from, message.inNetwork);
    if (!receive)
    {
        channel.early.Push({message.from, message.inNetwork, message.bytes});
        return;
    }
    if (!Fits(*member, *run, message.from, message.bytes, receive->bytes))
    {
        return;
    }
    receive->done = true;
    channel.PopDone();
    Progress(*member, *run, index, now);
}

void
CollectiveRunner::MessageSent(const Message& message, int64_t now)
{
    const auto group = static_cast<uint32_t>((message.tag & ~TAG_BIT) >> 32);
    Member* member = FindMember(message.from, group);
    Run* run = GetRun(*member, SequenceOf(message, *member));
    NS_ASSERT_MSG(run && run->joined, "acknowledgement of a message that was not sent");
    const uint32_t index = message.channel - run->part.firstChannel;
    --run->channels[index].unacknowledged;
    if (run->channels[index].unacknowledged == 0)
    {
        Progress(*member, *run, index, now);
    }
}

void
CollectiveRunner::EndChannel(Member& member, Run& run, int64_t now)
{
    if (--run.openChannels == 0)
    {
        EndRun(member, run, now);
    }
}

void
CollectiveRunner::EndRun(Member& member, Run& run, int64_t now)
{
    const Part part = run.part;
    Member::Entry& entry = member.runs[part.sequence - member.firstSequence];
    run.joined = false;
    m_free.push_back(std::move(entry.run));
    entry.over = true;
    while (!member.runs.IsEmpty() && member.runs.Front().over)
    {
        member.runs.Pop();
        ++member.firstSequence;
    }

    Group& group = m_groups[part.group];
    Instance& instance = group.instances[part.sequence - group.firstSequence];
    instance.record.end = now;
    ++instance.finished;
    const bool ended = instance.finished == group.localMembers;
    const CollectiveRecord record = instance.record;
    while (!group.instances.IsEmpty() && group.instances.Front().finished == group.localMembers)
    {
        group.instances.Pop();
        ++group.firstSequence;
    }
    m_listener.CollectiveRankDone(part.rank, part.token, now);
    if (ended)
    {
        --m_openInstances;
        m_listener.CollectiveEnded(record);
    }
}

std::string
CollectiveRunner::Describe(uint32_t rank, uint32_t group, uint64_t sequence) const
{
    const Group& state = m_groups[group];
    const ProcessGroup& table = m_groupTable[group];
    const auto find = [&](const Member& member) -> const Run* {
        return sequence - member.firstSequence < member.runs.Size()
                   ? member.runs[sequence - member.firstSequence].run.get()
                   : nullptr;
    };
    std::string text = "collective " + std::to_string(sequence) + " of group " +
                       std::to_string(group) + " (" + table.name + ")";
    const Member* member = FindMember(rank, group);
    const Run* run = member ? find(*member) : nullptr;
    for (uint32_t c = 0; run && c < run->part.spec.channels; ++c)
    {
        const Channel& channel = run->channels[c];
        if (!channel.receives.IsEmpty())
        {
            const Channel::Receive& receive = channel.receives.Front();
            text += ", waits for " + std::to_string(receive.bytes) + " B from rank " +
                    std::to_string(receive.from) + " (channel " + std::to_string(c) + ")";
            break;
        }
        if (channel.unacknowledged > 0)
        {
            text += ", waits for acknowledgement of " + std::to_string(channel.unacknowledged) +
                    " messages (channel " + std::to_string(c) + ")";
            break;
        }
    }
    uint32_t absent = 0;
    for (uint32_t place = 0; place < table.ranks.size(); ++place)
    {
        const Member& other = m_members[state.firstMember + place];
        const Run* part = find(other);
        if (other.firstSequence > sequence || (part && part->joined) ||
            (sequence - other.firstSequence < other.runs.Size() &&
             other.runs[sequence - other.firstSequence].over))
        {
            continue;
        }
        if (++absent <= 4)
        {
            text += (absent == 1 ? ", not joined by rank " : ", ") + std::to_string(other.rank);
        }
    }
    return absent > 4 ? text + " and " + std::to_string(absent - 4) + " more" : text;
}

} // namespace llm
} // namespace ns3

/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_TRAINING_RELIABILITY_H
#define LLM_TRAINING_RELIABILITY_H

// What the suites of loss recovery share: the schemes, spraying over unequal paths, a listener that
// checks what the application gets, a congestion control that keeps what it is told.

#include "fabric-test-helpers.h"

#include "ns3/llm-philox.h"
#include "ns3/rdma-path-selector.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace reliabilitytest
{

using namespace ns3;
using namespace ns3::llm;
using namespace fabrictest;

/** Names and values of attributes. */
using Settings = std::vector<std::pair<std::string, std::string>>;

/** A scheme of loss recovery. */
struct Scheme
{
    const char* name;     //!< as in scenarios
    uint64_t mostPackets; //!< of a message
};

/** All of them. */
constexpr Scheme SCHEMES[] = {{"go_back_n", 100},
                              {"go_back_0", 16}, // longer messages may never end
                              {"selective_repeat", 100},
                              {"out_of_order", 100}};

/** Another path for every packet, at random, of eight. */
class SprayTestSelector : public RdmaPathSelector
{
  public:
    uint16_t ChooseInitial(const RdmaQueuePair&) override
    {
        return FIRST;
    }

    bool IsPerPacket() const override
    {
        return true;
    }

    uint16_t Choose(const RdmaQueuePair&, uint64_t) override
    {
        return static_cast<uint16_t>(FIRST + Philox(1).Draw(m_count++, 0) % 8);
    }

    bool WantsFeedback() const override
    {
        return wantsFeedback;
    }

    void Feedback(const RdmaQueuePair&, uint16_t entropy, RdmaPathEvent event) override
    {
        switch (event)
        {
        case RdmaPathEvent::ACKED:
        case RdmaPathEvent::ECN:
            ++arrived;
            unknown += entropy < FIRST || entropy >= FIRST + 8 ? 1 : 0;
            break;
        case RdmaPathEvent::TRIMMED:
            trimmed.push_back(entropy);
            break;
        case RdmaPathEvent::LOST:
            ++lost;
            break;
        case RdmaPathEvent::TIMEOUT:
            ++timeouts;
            break;
        }
    }

    bool wantsFeedback{false};     //!< of WantsFeedback
    uint64_t arrived{0};           //!< events ACKED and ECN
    uint64_t unknown{0};           //!< of those, with an entropy that was never chosen
    uint64_t lost{0};              //!< events LOST
    uint64_t timeouts{0};          //!< events TIMEOUT
    std::vector<uint16_t> trimmed; //!< events TRIMMED

  private:
    static constexpr uint16_t FIRST = 0xC000; //!< lowest source port
    uint64_t m_count{0};                      //!< packets
};

/** Two tiers whose spines are at different distances. @param net to build. @param leaves edge
 *  switches. @param spines others. @param perLeaf hosts. */
inline void
BuildUnequalPaths(Net& net, uint32_t leaves, uint32_t spines, uint32_t perLeaf)
{
    std::vector<Ptr<Node>> top;
    for (uint32_t s = 0; s < spines; ++s)
    {
        top.push_back(net.AddSwitch());
    }
    for (uint32_t l = 0; l < leaves; ++l)
    {
        Ptr<Node> leaf = net.AddSwitch();
        for (uint32_t i = 0; i < perLeaf; ++i)
        {
            net.Link(net.AddHost(), leaf, 100, MicroSeconds(1));
        }
        for (uint32_t s = 0; s < spines; ++s)
        {
            net.Link(leaf, top[s], 100, NanoSeconds(1000 + 200 * s));
        }
    }
    net.fabric->Build();
}

/** Checks, whenever a message is delivered, that it is the next of its connection, that all its
 *  bytes have been received and that none has been received twice. */
class CheckingListener
{
  public:
    /** @param net installed; its Recorder calls. */
    explicit CheckingListener(Net& net)
        : m_net(net)
    {
        net.recorder.onDelivered = [this](const Message& message, int64_t) { Deliver(message); };
        net.recorder.onSent = [this](const Message& message, int64_t) { Finish(message); };
    }

    /** @return the first thing that was wrong; empty: nothing. */
    const std::string& GetWrong() const
    {
        return m_wrong;
    }

    /** @return packets that came ahead of their turn, all NICs: taken or thrown away. */
    uint64_t GetReordered() const
    {
        const TransportTotals totals = m_net.transport->GetTotals();
        return totals.placedEarly + totals.payloadOutOfOrder / 1024;
    }

  private:
    /** A connection. */
    using Key = std::tuple<uint32_t, uint32_t, uint16_t>;

    /** What has come of it. */
    struct Progress
    {
        uint64_t next{0};     //!< message
        uint64_t bytes{0};    //!< delivered
        uint64_t finished{0}; //!< messages that the sender knows to be there
    };

    void Deliver(const Message& message)
    {
        Progress& progress = m_progress[{message.from, message.to, message.channel}];
        Expect(message, "delivered", message.tag, progress.next++);
        progress.bytes += message.bytes;
        const RdmaQueuePair* qp =
            m_net.transport->FindQueuePair(message.from, message.to, message.channel);
        const uint64_t received = qp->GetPeer()->GetCounters().payloadReceived;
        if (received < progress.bytes && m_wrong.empty())
        {
            m_wrong = "message " + std::to_string(message.tag) + " is delivered with " +
                      std::to_string(received) + " of " + std::to_string(progress.bytes) + " B";
        }
        if (received > qp->GetCounters().payloadSent && m_wrong.empty())
        {
            m_wrong = "more received than was sent first";
        }
    }

    void Finish(const Message& message)
    {
        Progress& progress = m_progress[{message.from, message.to, message.channel}];
        Expect(message, "acknowledged", message.tag, progress.finished++);
        if (progress.finished > progress.next && m_wrong.empty())
        {
            m_wrong = "acknowledged before delivery";
        }
    }

    void Expect(const Message& message, const std::string& what, uint64_t tag, uint64_t expected)
    {
        if (tag != expected && m_wrong.empty())
        {
            m_wrong = "rank " + std::to_string(message.from) + " to " + std::to_string(message.to) +
                      ": " + what + " message " + std::to_string(tag) + " instead of " +
                      std::to_string(expected);
        }
    }

    Net& m_net;                         //!< under test
    std::map<Key, Progress> m_progress; //!< by connection
    std::string m_wrong;                //!< first
};

/** Line rate, and a memory of what it was told. */
class TellTaleCongestionControl : public RdmaCongestionOps
{
  public:
    /** @return type id. */
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("ns3::llm::TellTaleCongestionControl")
                                .SetParent<RdmaCongestionOps>()
                                .SetGroupName("LlmTraining")
                                .AddConstructor<TellTaleCongestionControl>();
        return tid;
    }

    uint32_t GetNeeds() const override
    {
        return NEEDS_ACK;
    }

    void Init(const RdmaPathInfo& path) override
    {
        SetRate(path.lineRate.GetBitRate());
    }

    void OnAck(const RdmaAckInfo& ack) override
    {
        acked += ack.ackedBytes;
        worstInFlight = std::max(worstInFlight, ack.inFlight);
        longestRtt = std::max(longestRtt, ack.rtt);
        withoutRtt += ack.rtt.IsZero() ? 1 : 0;
    }

    void OnLoss(Time, RdmaLossKind kind) override
    {
        naks += kind == RdmaLossKind::NAK ? 1 : 0;
        trims += kind == RdmaLossKind::TRIM ? 1 : 0;
        timeouts += kind == RdmaLossKind::TIMEOUT ? 1 : 0;
    }

    uint64_t acked{0};         //!< sum of ackedBytes
    uint64_t worstInFlight{0}; //!< greatest inFlight
    Time longestRtt;           //!< greatest sample
    uint64_t withoutRtt{0};    //!< ACKs without a sample
    uint64_t naks{0};          //!< losses by NAK
    uint64_t trims{0};         //!< losses by trimming
    uint64_t timeouts{0};      //!< losses by timeout
};

} // namespace reliabilitytest

#endif // LLM_TRAINING_RELIABILITY_H

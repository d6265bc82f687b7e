/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Verbs: what each puts on the wire, completions, limits, READs with and without loss, receives,
// processing delays, congestion control by choice.

#include "fabric-test-helpers.h"

#include "ns3/boolean.h"
#include "ns3/llm-config-error.h"
#include "ns3/llm-philox.h"
#include "ns3/llm-training-compat.h"
#include "ns3/pcap-file.h"
#include "ns3/rdma-dcqcn.h"
#include "ns3/rdma-reliability-names.h"
#include "ns3/roce-wire.h"
#include "ns3/test.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <tuple>

using namespace ns3;
using namespace fabrictest;

namespace
{

const char* const SUITE = "llm-training-rdma-verbs"; //!< name
constexpr uint32_t MTU = 1024;                       //!< of most tests

constexpr RdmaVerb VERBS[] = {RDMA_WRITE,
                              RDMA_WRITE_IMM,
                              RDMA_SEND,
                              RDMA_SEND_IMM,
                              RDMA_READ}; //!< all

/** @return name of a verb as in attributes. */
const char*
NameOf(RdmaVerb verb)
{
    static const char* const NAMES[] = {"?", "write", "write_imm", "send", "send_imm", "read"};
    return NAMES[verb];
}

/** Keeps all completions. */
struct Completions
{
    /** @param transport whose. */
    explicit Completions(RdmaTransport& transport)
    {
        transport.SetCompletionCallback(
            [this](const RdmaQueuePair& queuePair, const RdmaWorkCompletion& completion) {
                ofRank[queuePair.GetLocalRank()].push_back(completion);
            });
    }

    std::map<uint32_t, std::vector<RdmaWorkCompletion>> ofRank; //!< in order
};

/** @return a request. */
RdmaWorkRequest
MakeRequest(RdmaVerb verb, uint64_t bytes, uint64_t id, uint32_t immediate = 0)
{
    RdmaWorkRequest request;
    request.verb = verb;
    request.bytes = bytes;
    request.workRequestId = id;
    request.immediateData = immediate;
    return request;
}

/** Send a message by a verb. */
void
SendBy(Net& net, RdmaVerb verb, uint32_t from, uint32_t to, uint64_t bytes, uint64_t tag)
{
    Message message;
    message.from = from;
    message.to = to;
    message.bytes = bytes;
    message.tag = tag;
    message.verb = verb;
    net.transport->Send(message);
}

/** Keep the frames that arrive at a host. @param port of it. @param frames gets copies. */
void
Watch(FabricPort& port, std::vector<Frame>& frames)
{
    Net::Lose(port, [&frames](const Frame& frame) {
        frames.push_back(frame);
        return false;
    });
}

/// @ingroup llm-training-tests
/// Frames of each verb.
class FramesTest : public TestCase
{
  public:
    FramesTest()
        : TestCase("each verb has its packets, headers and packet numbers on the wire")
    {
    }

  private:
    void DoRun() override
    {
        UsePicoseconds(SUITE);
        for (const RdmaVerb verb : VERBS)
        {
            for (const uint64_t bytes : {uint64_t{1},
                                         uint64_t{1023},
                                         uint64_t{1024},
                                         uint64_t{1025},
                                         uint64_t{3 * MTU},
                                         uint64_t{10 * MTU + 2}})
            {
                Check(verb, bytes);
            }
        }
    }

    /// One message, and another that shows its packet numbers.
    void Check(RdmaVerb verb, uint64_t bytes)
    {
        const std::string what = std::string(NameOf(verb)) + " of " + std::to_string(bytes);
        Net net(MTU);
        net.BuildStar(2, 100, MicroSeconds(1));
        net.Install();
        std::vector<Frame> requester;
        std::vector<Frame> responder;
        Watch(net.HostPort(0), requester);
        Watch(net.HostPort(1), responder);
        Completions completions(*net.transport);
        RdmaQueuePair& qp = net.transport->OpenQueuePair(0, 1);
        net.transport->PostSend(qp, MakeRequest(verb, bytes, 5, 0xABCD));
        net.transport->PostSend(qp, MakeRequest(RDMA_WRITE, 1, 6));
        Simulator::Run();
        const bool read = verb == RDMA_READ;
        const std::vector<Frame>& data = read ? requester : responder;
        const uint64_t packets = (bytes + MTU - 1) / MTU;
        std::vector<Frame> mine;
        for (const Frame& frame : data)
        {
            if (frame.kind <= FrameKind::READ_RESPONSE && mine.size() < packets)
            {
                mine.push_back(frame);
            }
        }
        NS_TEST_ASSERT_MSG_EQ(mine.size(), packets, what);
        const bool send = verb == RDMA_SEND || verb == RDMA_SEND_IMM;
        const bool immediate = verb == RDMA_WRITE_IMM || verb == RDMA_SEND_IMM;
        uint64_t left = bytes;
        for (std::size_t i = 0; i < mine.size(); ++i)
        {
            const Frame& frame = mine[i];
            const bool first = i == 0;
            const bool last = i + 1 == mine.size();
            const uint64_t payload = std::min<uint64_t>(left, MTU);
            left -= payload;
            const FrameKind kind = read   ? FrameKind::READ_RESPONSE
                                   : send ? FrameKind::SEND
                                          : FrameKind::WRITE;
            NS_TEST_EXPECT_MSG_EQ((frame.kind == kind), true, what);
            NS_TEST_EXPECT_MSG_EQ(frame.payload, payload, what);
            NS_TEST_EXPECT_MSG_EQ(frame.psn, i, what << ": PSN");
            NS_TEST_EXPECT_MSG_EQ(((frame.flags & Frame::FIRST) != 0), first, what);
            NS_TEST_EXPECT_MSG_EQ(((frame.flags & Frame::LAST) != 0), last, what);
            NS_TEST_EXPECT_MSG_EQ(((frame.flags & Frame::IMMEDIATE) != 0),
                                  (last && immediate),
                                  what);
            // RETH 16, AETH 4, ImmDt 4.
            const uint64_t extended = (first && !send && !read ? 16 : 0) +
                                      (last && immediate ? 4 : 0) +
                                      (read && (first || last) ? 4 : 0);
            const uint64_t length = std::max<uint64_t>(64, 62 + extended + (payload + 3) / 4 * 4);
            NS_TEST_EXPECT_MSG_EQ(std::max<uint32_t>(64, frame.bytes), length, what << ": bytes");
            NS_TEST_EXPECT_MSG_EQ(ComputeFrameBytes(frame), length, what << ": bytes");
            if (last && immediate)
            {
                NS_TEST_EXPECT_MSG_EQ(frame.messageBytes, 0xABCD, what << ": immediate data");
            }
        }
        if (read)
        {
            NS_TEST_ASSERT_MSG_EQ((responder.front().kind == FrameKind::READ_REQUEST), true, what);
            NS_TEST_EXPECT_MSG_EQ(responder.front().bytes, 78, what);
            NS_TEST_EXPECT_MSG_EQ(responder.front().messageBytes, bytes, what);
            NS_TEST_EXPECT_MSG_EQ(responder.front().psn, 0, what);
        }
        // The next request has the next packet number.
        NS_TEST_EXPECT_MSG_EQ(responder.back().psn, packets, what << ": PSNs consumed");
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", what);
        const auto& mineCompleted = completions.ofRank[0];
        NS_TEST_ASSERT_MSG_EQ(mineCompleted.size(), 2, what);
        NS_TEST_EXPECT_MSG_EQ(mineCompleted[0].workRequestId, 5, what);
        NS_TEST_EXPECT_MSG_EQ(mineCompleted[1].workRequestId, 6, what);
        NS_TEST_EXPECT_MSG_EQ(completions.ofRank[1].size(), (send || immediate ? 1 : 0), what);
    }
};

/// @ingroup llm-training-tests
/// The dissector's view.
class DissectorTest : public TestCase
{
  public:
    DissectorTest()
        : TestCase("tshark reads what verbs put on the wire")
    {
    }

  private:
    void DoRun() override
    {
        UsePicoseconds(SUITE);
        Net net(MTU);
        net.BuildStar(2, 100, MicroSeconds(1));
        RdmaTransportHelper helper;
        helper.SetAttribute("PostedReceives", BooleanValue(true));
        helper.SetAttribute("RnrTimer", UintegerValue(1));
        net.Install(helper);
        const std::string name = CreateTempDirFilename("verbs.pcap");
        PcapFile file;
        file.Open(name, std::ios::out | std::ios::binary);
        file.Init(1, PcapFile::SNAPLEN_DEFAULT, 0, false, true);
        for (const uint32_t host : {0, 1})
        {
            Net::Lose(net.HostPort(host), [&](const Frame& frame) {
                file.Write(0,
                           static_cast<uint32_t>(Simulator::Now().GetNanoSeconds()),
                           MakeWirePacket(frame, *net.fabric, false));
                return false;
            });
        }
        RdmaQueuePair& qp = net.transport->OpenQueuePair(0, 1);
        for (const RdmaVerb verb : VERBS)
        {
            net.transport->PostSend(qp, MakeRequest(verb, 3 * MTU, 0, 7));
            net.transport->PostSend(qp, MakeRequest(verb, 100, 0, 8));
        }
        Simulator::Schedule(MicroSeconds(30), [&net] {
            RdmaQueuePair& peer = net.transport->OpenQueuePair(1, 0);
            for (uint64_t id = 1; id <= 6; ++id)
            {
                net.transport->PostReceive(peer, id);
            }
        });
        Simulator::Run();
        file.Close();
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
        NS_TEST_EXPECT_MSG_GT(net.transport->GetTotals().rnrNaksSent, 0, "RNR NAKs");
        if (std::system("command -v tshark > /dev/null 2>&1") != 0)
        {
            std::cerr << "tshark is not installed: dissection not checked\n";
            return;
        }
        std::map<std::string, uint32_t> opcodes;
        uint32_t bad = 0;
        const std::string command =
            "tshark -n -r '" + name +
            "' -T fields -E occurrence=f -e infiniband.bth.opcode -e _ws.malformed 2>/dev/null";
        FILE* pipe = popen(command.c_str(), "r");
        NS_TEST_ASSERT_MSG_NE(pipe, nullptr, "tshark");
        char line[256];
        while (std::fgets(line, sizeof(line), pipe))
        {
            std::string text = line;
            text.erase(text.find_last_not_of(" \t\r\n") + 1);
            bad +=
                text.empty() || text.find_first_not_of("0123456789") != std::string::npos ? 1 : 0;
            ++opcodes[text];
        }
        pclose(pipe);
        NS_TEST_EXPECT_MSG_EQ(bad, 0, "malformed");
        // First, middle, last of WRITE; the same, of SEND; with immediate data; Only; READ.
        for (const char* opcode : {"6",
                                   "7",
                                   "8",
                                   "10",
                                   "9",
                                   "11",
                                   "0",
                                   "1",
                                   "2",
                                   "4",
                                   "3",
                                   "5",
                                   "12",
                                   "13",
                                   "14",
                                   "15",
                                   "16",
                                   "17"})
        {
            NS_TEST_EXPECT_MSG_EQ(opcodes.count(opcode), 1, "opcode " << opcode);
        }
    }
};

/// @ingroup llm-training-tests
/// Completions and limits.
class CompletionsTest : public TestCase
{
  public:
    CompletionsTest()
        : TestCase("completions come in order and say what was done; limits hold")
    {
    }

  private:
    /// Many open requests of all verbs, in both directions.
    void Mixed()
    {
        Net net(MTU);
        net.BuildStar(2, 100, MicroSeconds(1));
        net.Install();
        Completions completions(*net.transport);
        const Philox random(3);
        std::array<std::vector<RdmaWorkRequest>, 2> posted;
        for (uint32_t i = 0; i < 200; ++i)
        {
            const auto numbers = random(i, 0);
            const uint32_t rank = numbers[0] % 2;
            RdmaWorkRequest request =
                MakeRequest(VERBS[numbers[1] % 5], 1 + numbers[2] % 20000, i, i + 1000);
            request.signaled = numbers[3] % 4 != 0;
            RdmaQueuePair& qp = net.transport->OpenQueuePair(rank, 1 - rank);
            NS_TEST_EXPECT_MSG_EQ(net.transport->PostSend(qp, request), true, "posted");
            posted[rank].push_back(request);
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
        for (const uint32_t rank : {0, 1})
        {
            std::vector<RdmaWorkCompletion> sent;
            std::vector<RdmaWorkCompletion> received;
            int64_t before = 0;
            for (const RdmaWorkCompletion& completion : completions.ofRank[rank])
            {
                NS_TEST_EXPECT_MSG_EQ((completion.tick >= before), true, "time");
                before = completion.tick;
                const bool receive = completion.kind == RdmaCompletionKind::RECEIVE ||
                                     completion.kind == RdmaCompletionKind::RECEIVE_WRITE;
                (receive ? received : sent).push_back(completion);
            }
            auto next = sent.begin();
            for (const RdmaWorkRequest& request : posted[rank])
            {
                if (!request.signaled)
                {
                    continue;
                }
                NS_TEST_ASSERT_MSG_EQ((next != sent.end()), true, "a completion each");
                NS_TEST_EXPECT_MSG_EQ(next->workRequestId, request.workRequestId, "order");
                NS_TEST_EXPECT_MSG_EQ(next->bytes, request.bytes, "bytes");
                NS_TEST_EXPECT_MSG_EQ((next->status == RdmaCompletionStatus::SUCCESS), true, "ok");
                const bool send = request.verb == RDMA_SEND || request.verb == RDMA_SEND_IMM;
                const RdmaCompletionKind kind = request.verb == RDMA_READ ? RdmaCompletionKind::READ
                                                : send                    ? RdmaCompletionKind::SEND
                                                       : RdmaCompletionKind::WRITE;
                NS_TEST_EXPECT_MSG_EQ((next->kind == kind), true, "kind");
                ++next;
            }
            NS_TEST_EXPECT_MSG_EQ((next == sent.end()), true, "no more");
            auto other = received.begin();
            for (const RdmaWorkRequest& request : posted[1 - rank])
            {
                if (request.verb == RDMA_WRITE || request.verb == RDMA_READ)
                {
                    continue;
                }
                NS_TEST_ASSERT_MSG_EQ((other != received.end()), true, "a receive each");
                const bool immediate = request.verb != RDMA_SEND;
                NS_TEST_EXPECT_MSG_EQ(other->bytes, request.bytes, "bytes");
                NS_TEST_EXPECT_MSG_EQ(other->hasImmediateData, immediate, "immediate");
                NS_TEST_EXPECT_MSG_EQ((!immediate || other->immediateData == request.immediateData),
                                      true,
                                      "data");
                ++other;
            }
            NS_TEST_EXPECT_MSG_EQ((other == received.end()), true, "no more");
        }
    }

    /// MaxSendRequests.
    void Limit()
    {
        Net net(MTU);
        net.BuildStar(2, 100, MicroSeconds(1));
        RdmaTransportHelper helper;
        helper.SetAttribute("MaxSendRequests", UintegerValue(3));
        net.Install(helper);
        RdmaQueuePair& qp = net.transport->OpenQueuePair(0, 1);
        uint32_t completed = 0;
        uint32_t more = 7;
        net.transport->SetCompletionCallback([&](const RdmaQueuePair&,
                                                 const RdmaWorkCompletion& completion) {
            ++completed;
            if (more > 0 && completion.kind <= RdmaCompletionKind::READ)
            {
                --more;
                NS_TEST_EXPECT_MSG_EQ(net.transport->PostSend(qp, MakeRequest(RDMA_SEND, 5000, 0)),
                                      true,
                                      "there is room for one");
                NS_TEST_EXPECT_MSG_EQ(net.transport->PostSend(qp, MakeRequest(RDMA_SEND, 5000, 0)),
                                      false,
                                      "and not for two");
            }
        });
        for (uint32_t i = 0; i < 5; ++i)
        {
            NS_TEST_EXPECT_MSG_EQ(net.transport->PostSend(qp, MakeRequest(RDMA_WRITE, 5000, i)),
                                  (i < 3),
                                  "limit");
        }
        Simulator::Run();
        // The receives of the SENDs have completions as well.
        NS_TEST_EXPECT_MSG_GT_OR_EQ(completed, 10, "all");
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
        for (const uint64_t bytes : {uint64_t{0}, (uint64_t{1} << 31) + 1})
        {
            std::string error;
            try
            {
                net.transport->PostSend(qp, MakeRequest(RDMA_WRITE, bytes, 0));
            }
            catch (const ConfigError& thrown)
            {
                error = thrown.what();
            }
            NS_TEST_EXPECT_MSG_NE(error.find(std::to_string(bytes) + " B"),
                                  std::string::npos,
                                  error);
        }
    }

    /// A peer that is gone.
    void Failure()
    {
        Net net(MTU);
        net.BuildStar(2, 100, MicroSeconds(1));
        RdmaTransportHelper helper;
        helper.SetAttribute("RetransmissionTimeout", TimeValue(MicroSeconds(50)));
        helper.SetAttribute("RetryCount", UintegerValue(2));
        net.Install(helper);
        Completions completions(*net.transport);
        Net::Lose(net.HostPort(1), [](const Frame&) { return true; });
        RdmaQueuePair& qp = net.transport->OpenQueuePair(0, 1);
        for (uint64_t id = 0; id < 3; ++id)
        {
            RdmaWorkRequest request = MakeRequest(VERBS[2 * id], 5000, id);
            request.signaled = false; // failures are told all the same
            net.transport->PostSend(qp, request);
        }
        Simulator::Run();
        const auto& told = completions.ofRank[0];
        NS_TEST_ASSERT_MSG_EQ(told.size(), 3, "all");
        for (uint64_t id = 0; id < 3; ++id)
        {
            NS_TEST_EXPECT_MSG_EQ(told[id].workRequestId, id, "order");
            NS_TEST_EXPECT_MSG_EQ(
                (told[id].status == (id == 0 ? RdmaCompletionStatus::RETRIES_EXCEEDED
                                             : RdmaCompletionStatus::FLUSHED)),
                true,
                "status");
        }
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(false), "", "books");
    }

    void DoRun() override
    {
        UsePicoseconds(SUITE);
        Mixed();
        Limit();
        Failure();
    }
};

/// @ingroup llm-training-tests
/// READ without trouble.
class ReadTest : public TestCase
{
  public:
    ReadTest()
        : TestCase("a READ takes a request's time and a message's; 16 of them may be under way")
    {
    }

  private:
    /// Closed form.
    void Time()
    {
        Net net(MTU);
        net.BuildStar(2, 100, MicroSeconds(1));
        net.Install();
        Completions completions(*net.transport);
        const uint64_t packets = 1000;
        net.transport->PostSend(net.transport->OpenQueuePair(0, 1),
                                MakeRequest(RDMA_READ, packets * MTU, 1));
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(completions.ofRank[0].size(), 1, "done");
        // A request of 98 bytes over two links; then the responses, of which the first and the
        // last have an AETH, and the last once more over the second link.
        const int64_t ps = 2 * 98 * 80 + 4 * 1000000 + (packets * 1106 + 8) * 80 + 1110 * 80;
        const double ticks = static_cast<double>(Seconds(1).GetTimeStep()) / 1e12;
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(completions.ofRank[0][0].tick),
                                  static_cast<double>(ps) * ticks,
                                  4,
                                  "time");
        NS_TEST_EXPECT_MSG_EQ(net.transport->GetTotals().readRequests, 1, "one request");
        NS_TEST_EXPECT_MSG_EQ(net.transport->GetTotals().acksSent, 0, "responses say it all");
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
    }

    /// @param limit of READs
    void Outstanding(uint32_t limit)
    {
        Net net(MTU);
        net.BuildStar(2, 100, MicroSeconds(1));
        RdmaTransportHelper helper;
        helper.SetAttribute("MaxReads", UintegerValue(limit));
        net.Install(helper);
        uint32_t open = 0;
        uint32_t most = 0;
        Net::Lose(net.HostPort(1), [&](const Frame& frame) {
            open += frame.kind == FrameKind::READ_REQUEST ? 1 : 0;
            most = std::max(most, open);
            return false;
        });
        net.transport->SetCompletionCallback(
            [&open](const RdmaQueuePair&, const RdmaWorkCompletion& completion) {
                open -= completion.kind == RdmaCompletionKind::READ ? 1 : 0;
            });
        RdmaQueuePair& qp = net.transport->OpenQueuePair(0, 1);
        for (uint32_t i = 0; i < 100; ++i)
        {
            net.transport->PostSend(qp, MakeRequest(RDMA_READ, 3000, i));
        }
        net.transport->PostSend(qp, MakeRequest(RDMA_WRITE, 3000, 100));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(most, limit, "under way");
        NS_TEST_EXPECT_MSG_EQ(open, 0, "all came");
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
    }

    /// The ACK of a WRITE behind a READ is not ahead of the responses.
    void Order()
    {
        Net net(MTU);
        net.BuildStar(2, 100, MicroSeconds(1));
        net.Install();
        std::vector<Frame> back;
        Watch(net.HostPort(0), back);
        RdmaQueuePair& qp = net.transport->OpenQueuePair(0, 1);
        net.transport->PostSend(qp, MakeRequest(RDMA_READ, 50 * MTU, 0));
        net.transport->PostSend(qp, MakeRequest(RDMA_WRITE, 100, 1));
        net.transport->PostSend(qp, MakeRequest(RDMA_READ, 3 * MTU, 2));
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(back.size(), 54, "responses and an ACK");
        uint64_t psn = 0;
        uint32_t acks = 0;
        for (const Frame& frame : back)
        {
            acks += frame.kind == FrameKind::ACK ? 1 : 0;
            NS_TEST_EXPECT_MSG_EQ((frame.psn >= psn), true, "in the order of PSNs");
            psn = frame.psn;
        }
        NS_TEST_EXPECT_MSG_EQ(acks, 1, "of the WRITE");
        NS_TEST_EXPECT_MSG_EQ(net.transport->GetTotals().payloadRetransmitted, 0, "no loss seen");
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
    }

    /// The responder's congestion control paces responses.
    void Paced()
    {
        for (const uint64_t window : {uint64_t{4096}, uint64_t{40960}})
        {
            Net net(4096);
            net.BuildStar(2, 100, MicroSeconds(10));
            RdmaTransportHelper helper;
            helper.SetCongestionControl("none");
            helper.SetCongestionAttribute("Window", UintegerValue(window));
            net.Install(helper);
            SendBy(net, RDMA_READ, 0, 1, 4096000, 0);
            Simulator::Run();
            // A window per round trip, as of a WRITE.
            const double rtt = 4 * 10e-6 + 2 * 4178 * 8 / 100e9 + 2 * 86 * 8 / 100e9;
            const double expected = 4096000.0 / static_cast<double>(window) * rtt;
            const double seconds = static_cast<double>(net.recorder.GetEnd()) /
                                   static_cast<double>(Seconds(1).GetTimeStep());
            NS_TEST_EXPECT_MSG_EQ_TOL(seconds, expected, 0.03 * expected, "window " << window);
            NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
        }
    }

    void DoRun() override
    {
        UsePicoseconds(SUITE);
        Time();
        Outstanding(1);
        Outstanding(16);
        Order();
        Paced();
    }
};

/// @ingroup llm-training-tests
/// Chosen frames of READs are lost.
class ReadLossTest : public TestCase
{
  public:
    ReadLossTest()
        : TestCase("lost READ requests and responses are asked for again, under every reliability")
    {
    }

  private:
    /// @param kind of the frame to lose @param nth of that kind @param tail nothing comes behind
    void Check(const std::string& reliability, FrameKind kind, uint32_t nth, bool tail)
    {
        const std::string what = reliability + ", kind " + std::to_string(static_cast<int>(kind)) +
                                 ", number " + std::to_string(nth);
        Net net(MTU);
        net.BuildStar(2, 100, MicroSeconds(1));
        RdmaTransportHelper helper;
        helper.SetAttribute("RetransmissionTimeout", TimeValue(MicroSeconds(100)));
        helper.SetReliability(reliability);
        net.Install(helper);
        Completions completions(*net.transport);
        uint32_t seen = 0;
        const auto choose = [&](const Frame& frame) { return frame.kind == kind && ++seen == nth; };
        const auto forth = Net::Lose(net.HostPort(1), choose);
        const auto back = Net::Lose(net.HostPort(0), choose);
        RdmaQueuePair& qp = net.transport->OpenQueuePair(0, 1);
        net.transport->PostSend(qp, MakeRequest(RDMA_WRITE, 2 * MTU, 0));
        net.transport->PostSend(qp, MakeRequest(RDMA_READ, 10 * MTU - 1, 1));
        net.transport->PostSend(qp, MakeRequest(RDMA_READ, 1, 2));
        net.transport->PostSend(qp, MakeRequest(RDMA_SEND, 3 * MTU, 3));
        if (!tail)
        {
            net.transport->PostSend(qp, MakeRequest(RDMA_READ, 5 * MTU, 4));
            net.transport->PostSend(qp, MakeRequest(RDMA_WRITE, 20 * MTU, 5));
        }
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(forth->losses + back->losses, 1, what << ": lost");
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", what);
        const auto& told = completions.ofRank[0];
        NS_TEST_ASSERT_MSG_EQ(told.size(), (tail ? 4 : 6), what);
        for (std::size_t id = 0; id < told.size(); ++id)
        {
            NS_TEST_EXPECT_MSG_EQ(told[id].workRequestId, id, what);
            NS_TEST_EXPECT_MSG_EQ((told[id].status == RdmaCompletionStatus::SUCCESS), true, what);
        }
        NS_TEST_EXPECT_MSG_EQ(completions.ofRank[1].size(), 1, what << ": one SEND");
    }

    void DoRun() override
    {
        UsePicoseconds(SUITE);
        for (const char* reliability :
             {"go_back_n", "go_back_0", "selective_repeat", "out_of_order"})
        {
            for (const bool tail : {false, true})
            {
                for (const uint32_t nth : {1, 2})
                {
                    Check(reliability, FrameKind::READ_REQUEST, nth, tail);
                    Check(reliability, FrameKind::SEND, nth, tail);
                }
                for (const uint32_t nth : {1, 2, 5, 9, 10, 11})
                {
                    Check(reliability, FrameKind::READ_RESPONSE, nth, tail);
                }
                Check(reliability, FrameKind::ACK, 1, tail);
                Check(reliability, FrameKind::WRITE, 1, tail);
                Check(reliability, FrameKind::WRITE, 2, tail);
            }
        }
    }
};

/// @ingroup llm-training-tests
/// The property, over random work.
class RandomVerbsTest : public TestCase
{
  public:
    RandomVerbsTest()
        : TestCase("random work of all verbs, random loss, any reliability and congestion control: "
                   "each once, in order")
    {
    }

  private:
    /// @param seed of all that is random
    void Check(uint64_t seed)
    {
        const Philox random(seed);
        const std::array<const char*, 4> schemes{"go_back_n",
                                                 "selective_repeat",
                                                 "go_back_0",
                                                 "out_of_order"};
        const std::array<const char*, 6> controls{"dcqcn",
                                                  "none",
                                                  "hpcc",
                                                  "swift",
                                                  "dctcp",
                                                  "timely"};
        const auto draw = random(0, 1);
        const std::string scheme = schemes[seed % schemes.size()];
        const std::string control = controls[draw[1] % controls.size()];
        const std::string what = "seed " + std::to_string(seed) + ", " + scheme + ", " + control;
        Net net(MTU);
        SwitchSettings settings;
        settings.marker = CreateObject<RedEcnMarker>();
        net.BuildStar(3, 100, MicroSeconds(1), settings);
        RdmaTransportHelper helper;
        helper.SetAttribute("RetransmissionTimeout", TimeValue(MicroSeconds(100)));
        helper.SetAttribute("RetryCount", UintegerValue(100));
        helper.SetAttribute("AckInterval", UintegerValue(1 + draw[2] % 4));
        helper.SetReliability(scheme);
        helper.SetCongestionControl(control);
        net.Install(helper);
        Completions completions(*net.transport);
        const uint32_t threshold = draw[3] % 3 == 0 ? 0 : (1U << 22) << (draw[3] % 4);
        uint64_t frames = 0;
        for (const uint32_t host : {0, 1, 2})
        {
            Net::Lose(net.HostPort(host),
                      [&](const Frame&) { return random(++frames, 2)[0] < threshold; });
        }
        std::map<std::pair<uint32_t, uint32_t>, std::vector<uint64_t>> posted;
        const uint32_t most = scheme == "go_back_0" ? 12 * MTU : 40 * MTU;
        for (uint32_t i = 0; i < 60; ++i)
        {
            const auto numbers = random(i, 3);
            const uint32_t from = numbers[0] % 3;
            const uint32_t to = (from + 1 + numbers[0] / 3 % 2) % 3;
            const RdmaVerb verb = VERBS[numbers[1] % 5];
            const uint64_t bytes = 1 + numbers[2] % most;
            Simulator::Schedule(NanoSeconds(numbers[3] % 60000),
                                [&net, &posted, from, to, verb, bytes, i] {
                                    posted[{from, to}].push_back(i);
                                    net.transport->PostSend(net.transport->OpenQueuePair(from, to),
                                                            MakeRequest(verb, bytes, i, i));
                                });
        }
        std::map<std::pair<uint32_t, uint32_t>, std::vector<uint64_t>> done;
        net.transport->SetCompletionCallback([&](const RdmaQueuePair& qp,
                                                 const RdmaWorkCompletion& completion) {
            if (completion.kind <= RdmaCompletionKind::READ)
            {
                NS_TEST_EXPECT_MSG_EQ((completion.status == RdmaCompletionStatus::SUCCESS),
                                      true,
                                      what);
                done[{qp.GetLocalRank(), qp.GetRemoteRank()}].push_back(completion.workRequestId);
            }
        });
        Simulator::Stop(Seconds(2));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ((done == posted), true, what << ": completions in order, each once");
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", what);
    }

    void DoRun() override
    {
        UsePicoseconds(SUITE);
        for (uint64_t seed = 1; seed <= 80; ++seed)
        {
            Check(seed);
        }
    }
};

/// @ingroup llm-training-tests
/// Receives.
class ReceivesTest : public TestCase
{
  public:
    ReceivesTest()
        : TestCase("without a posted receive there is an RNR NAK, a wait, and in the end a failure")
    {
    }

  private:
    /// @param code of the RNR timer @param waitUs what it means @param verb that consumes a receive
    void Wait(uint32_t code, int64_t waitUs, RdmaVerb verb)
    {
        Net net(MTU);
        net.BuildStar(2, 100, MicroSeconds(1));
        RdmaTransportHelper helper;
        helper.SetAttribute("PostedReceives", BooleanValue(true));
        helper.SetAttribute("RnrTimer", UintegerValue(code));
        net.Install(helper);
        Completions completions(*net.transport);
        RdmaQueuePair& qp = net.transport->OpenQueuePair(0, 1);
        RdmaQueuePair& peer = net.transport->OpenQueuePair(1, 0);
        std::vector<std::pair<int64_t, uint32_t>> tries;
        Net::Lose(net.HostPort(1), [&](const Frame& frame) {
            if (frame.payload > 0)
            {
                tries.emplace_back(Simulator::Now().GetTimeStep(), frame.psn);
            }
            return false;
        });
        net.transport->PostSend(qp, MakeRequest(RDMA_WRITE, 3 * MTU, 1)); // needs none
        net.transport->PostSend(qp, MakeRequest(verb, 2 * MTU, 2, 99));
        net.transport->PostSend(qp, MakeRequest(verb, MTU, 3, 98));
        // Posted in the middle of the wait: it goes on all the same.
        Simulator::Schedule(MicroSeconds(5) + MicroSeconds(waitUs) / 2, [&] {
            net.transport->PostReceive(peer, 71);
            net.transport->PostReceive(peer, 72);
        });
        Simulator::Run();
        const std::string what = "code " + std::to_string(code);
        NS_TEST_EXPECT_MSG_EQ(net.transport->GetTotals().rnrNaksSent, 1, what);
        NS_TEST_EXPECT_MSG_EQ(net.transport->GetTotals().naksSent, 0, what);
        NS_TEST_EXPECT_MSG_EQ(net.transport->GetTotals().timeouts, 0, what);
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", what);
        // The refused packet: a SEND's first, a WRITE's last.
        const uint32_t refused = verb == RDMA_WRITE_IMM ? 4 : 3;
        std::vector<int64_t> when;
        for (const auto& [tick, psn] : tries)
        {
            if (psn == refused)
            {
                when.push_back(tick);
            }
        }
        NS_TEST_ASSERT_MSG_EQ(when.size(), 2, what);
        const double us = static_cast<double>(when[1] - when[0]) /
                          static_cast<double>(MicroSeconds(1).GetTimeStep());
        // And a round trip.
        NS_TEST_EXPECT_MSG_EQ_TOL(us, static_cast<double>(waitUs) + 4.2, 0.3, what);
        const auto& receives = completions.ofRank[1];
        NS_TEST_ASSERT_MSG_EQ(receives.size(), 2, what);
        NS_TEST_EXPECT_MSG_EQ(receives[0].workRequestId, 71, what);
        NS_TEST_EXPECT_MSG_EQ(receives[1].workRequestId, 72, what);
        NS_TEST_EXPECT_MSG_EQ(receives[0].bytes, 2 * MTU, what);
        NS_TEST_EXPECT_MSG_EQ(completions.ofRank[0].size(), 3, what);
    }

    /// @param retries that are allowed
    void GiveUp(uint32_t retries)
    {
        Net net(MTU);
        net.BuildStar(2, 100, MicroSeconds(1));
        RdmaTransportHelper helper;
        helper.SetAttribute("PostedReceives", BooleanValue(true));
        helper.SetAttribute("RnrTimer", UintegerValue(1));
        helper.SetAttribute("RnrRetryCount", UintegerValue(retries));
        net.Install(helper);
        Completions completions(*net.transport);
        RdmaQueuePair& qp = net.transport->OpenQueuePair(0, 1);
        net.transport->PostSend(qp, MakeRequest(RDMA_WRITE, MTU, 1));
        net.transport->PostSend(qp, MakeRequest(RDMA_SEND, MTU, 2));
        net.transport->PostSend(qp, MakeRequest(RDMA_WRITE, MTU, 3));
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(net.transport->GetTotals().rnrNaksSent, retries + 1, "NAKs");
        const auto& told = completions.ofRank[0];
        NS_TEST_ASSERT_MSG_EQ(told.size(), 3, "all");
        NS_TEST_EXPECT_MSG_EQ((told[0].status == RdmaCompletionStatus::SUCCESS), true, "before");
        NS_TEST_EXPECT_MSG_EQ((told[1].status == RdmaCompletionStatus::RNR_RETRIES_EXCEEDED),
                              true,
                              "it");
        NS_TEST_EXPECT_MSG_EQ((told[2].status == RdmaCompletionStatus::FLUSHED), true, "behind");
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(false), "", "books");
    }

    /// Messages get their receives by Announce.
    void Announced()
    {
        Net net(MTU);
        net.BuildStar(2, 100, MicroSeconds(1));
        RdmaTransportHelper helper;
        helper.SetAttribute("PostedReceives", BooleanValue(true));
        helper.SetAttribute("RnrTimer", UintegerValue(2));
        helper.SetAttribute("Verb", StringValue("write_imm"));
        net.Install(helper);
        net.Send(0, 1, 10000, 0);
        net.Send(0, 1, 20000, 1);
        for (const uint64_t tag : {0, 1})
        {
            Simulator::Schedule(MicroSeconds(40 * (1 + tag)), [&net, tag] {
                Message message;
                message.from = 0;
                message.to = 1;
                message.bytes = 10000 * (tag + 1);
                message.tag = tag;
                net.transport->Announce(message);
            });
        }
        Simulator::Run();
        NS_TEST_ASSERT_MSG_EQ(net.recorder.delivered.size(), 2, "both");
        for (const uint64_t tag : {0, 1})
        {
            NS_TEST_EXPECT_MSG_GT(net.recorder.delivered[tag].now,
                                  MicroSeconds(40 * (1 + tag)).GetTimeStep(),
                                  "not before the receive");
        }
        NS_TEST_EXPECT_MSG_GT(net.transport->GetTotals().rnrNaksSent, 1, "RNR NAKs");
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
        // What was taken early cannot be refused.
        Net wrong(MTU);
        wrong.BuildStar(2, 100, MicroSeconds(1));
        helper.SetReliability("selective_repeat");
        std::string error;
        try
        {
            wrong.Install(helper);
        }
        catch (const ConfigError& thrown)
        {
            error = thrown.what();
        }
        NS_TEST_EXPECT_MSG_NE(error.find("PostedReceives"), std::string::npos, error);
    }

    void DoRun() override
    {
        UsePicoseconds(SUITE);
        Wait(1, 10, RDMA_SEND);
        Wait(1, 10, RDMA_WRITE_IMM);
        Wait(12, 640, RDMA_SEND_IMM);
        Wait(14, 1280, RDMA_WRITE_IMM);
        GiveUp(0);
        GiveUp(3);
        Announced();
    }
};

/// @ingroup llm-training-tests
/// Messages of a transport by every verb.
class MessagesTest : public TestCase
{
  public:
    MessagesTest()
        : TestCase("messages ride any verb: the attribute's, or their own")
    {
    }

  private:
    void DoRun() override
    {
        UsePicoseconds(SUITE);
        for (const RdmaVerb verb : VERBS)
        {
            for (const bool fresh : {false, true})
            {
                const std::string what = std::string(NameOf(verb)) + (fresh ? ", fresh" : "");
                Net net(MTU);
                net.BuildStar(4, 100, MicroSeconds(1));
                RdmaTransportHelper helper;
                helper.SetAttribute("Verb", StringValue(NameOf(verb)));
                helper.SetAttribute("MaxWriteBytes", UintegerValue(30000));
                helper.SetAttribute("FreshQueuePairs", BooleanValue(fresh));
                net.Install(helper);
                uint64_t count = 0;
                for (uint32_t from = 0; from < 4; ++from)
                {
                    for (uint64_t tag = 0; tag < 5; ++tag)
                    {
                        net.Send(from, (from + 1) % 4, 1 + 17000 * tag, tag);
                        net.Send(from, (from + 3) % 4, 40000 * tag, tag); // empty ones too
                        count += 2;
                    }
                }
                Simulator::Run();
                NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", what);
                NS_TEST_EXPECT_MSG_EQ(net.recorder.delivered.size(), count, what);
                NS_TEST_EXPECT_MSG_EQ(net.recorder.sent.size(), count, what);
                NS_TEST_EXPECT_MSG_EQ((net.transport->GetTotals().readRequests > 0),
                                      (verb == RDMA_READ),
                                      what);
                if (!fresh)
                {
                    std::map<std::pair<uint32_t, uint32_t>, uint64_t> next;
                    for (const auto& entry : net.recorder.delivered)
                    {
                        const Message& message = entry.message;
                        if (message.bytes > 0)
                        {
                            uint64_t& expected = next[{message.from, message.to}];
                            NS_TEST_EXPECT_MSG_EQ((message.tag >= expected), true, what);
                            expected = message.tag;
                        }
                    }
                }
            }
        }
        // A message's own verb counts before the attribute.
        Net net(MTU);
        net.BuildStar(2, 100, MicroSeconds(1));
        net.Install();
        SendBy(net, RDMA_READ, 0, 1, 5000, 0);
        SendBy(net, RDMA_SEND, 0, 1, 5000, 1);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(net.transport->GetTotals().readRequests, 1, "one READ");
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
    }
};

/// @ingroup llm-training-tests
/// Processing delays.
class DelaysTest : public TestCase
{
  public:
    DelaysTest()
        : TestCase("processing delays add exactly, and take nothing from throughput")
    {
    }

  private:
    /// Delays in nanoseconds.
    struct Delays
    {
        int64_t transmit{0}; ///< TransmitDelay
        int64_t receive{0};  ///< ReceiveDelay
        int64_t ack{0};      ///< AckDelay
    };

    /// @return ticks of delivery and of the last acknowledgement
    std::pair<int64_t, int64_t> Run(const Delays& delays, RdmaVerb verb, uint64_t bytes)
    {
        Net net(MTU);
        net.BuildStar(2, 100, MicroSeconds(1));
        RdmaTransportHelper helper;
        helper.SetAttribute("TransmitDelay", TimeValue(NanoSeconds(delays.transmit)));
        helper.SetAttribute("ReceiveDelay", TimeValue(NanoSeconds(delays.receive)));
        helper.SetAttribute("AckDelay", TimeValue(NanoSeconds(delays.ack)));
        net.Install(helper);
        SendBy(net, verb, 0, 1, bytes, 0);
        SendBy(net, verb, 0, 1, bytes, 1);
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
        return {net.recorder.delivered.at(1).now, net.recorder.sent.at(1).now};
    }

    void DoRun() override
    {
        UsePicoseconds(SUITE);
        const int64_t ns = NanoSeconds(1).GetTimeStep();
        for (const uint64_t bytes : {100, 1000000})
        {
            const auto none = Run({}, RDMA_WRITE, bytes);
            for (const Delays& d :
                 {Delays{300, 0, 0}, Delays{0, 500, 0}, Delays{0, 0, 700}, Delays{310, 520, 730}})
            {
                const auto some = Run(d, RDMA_WRITE, bytes);
                NS_TEST_EXPECT_MSG_EQ(some.first - none.first,
                                      (d.transmit + d.receive) * ns,
                                      "delivery");
                NS_TEST_EXPECT_MSG_EQ(some.second - none.second,
                                      (d.transmit + 2 * d.receive + d.ack) * ns,
                                      "acknowledgement");
            }
            // A READ is posted, received, answered, received.
            const auto read = Run({}, RDMA_READ, bytes);
            const auto slow = Run({310, 520, 730}, RDMA_READ, bytes);
            NS_TEST_EXPECT_MSG_EQ(slow.first - read.first, (2 * 310 + 2 * 520) * ns, "READ");
        }
        // CNPs: the rate falls later by just so much.
        std::array<int64_t, 2> reaction{};
        for (const int64_t delay : {0, 900})
        {
            Net net(MTU);
            SwitchSettings settings;
            settings.marker = CreateObject<RedEcnMarker>();
            settings.marker->SetAttribute("Kmin", UintegerValue(1));
            settings.marker->SetAttribute("Kmax", UintegerValue(2));
            settings.marker->SetAttribute("Pmax", DoubleValue(1));
            net.BuildStar(3, 100, MicroSeconds(1), settings);
            RdmaTransportHelper helper;
            helper.SetAttribute("CnpDelay", TimeValue(NanoSeconds(delay)));
            net.Install(helper);
            int64_t& first = reaction[delay > 0 ? 1 : 0];
            for (const auto& nic : net.transport->GetNics())
            {
                nic->TraceConnectWithoutContext(
                    "CnpReceived",
                    Callback<void, const RdmaQueuePair&>([&first](const RdmaQueuePair&) {
                        first = first == 0 ? Simulator::Now().GetTimeStep() : first;
                    }));
            }
            net.Send(0, 2, 100000);
            net.Send(1, 2, 100000);
            Simulator::Run();
            NS_TEST_EXPECT_MSG_GT(first, 0, "a CNP came");
            NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
        }
        NS_TEST_EXPECT_MSG_EQ(reaction[1] - reaction[0], 900 * ns, "CNP");
    }
};

/// @ingroup llm-training-tests
/// Congestion control of some queue pairs.
class ChoiceTest : public TestCase
{
  public:
    ChoiceTest()
        : TestCase("congestion control is chosen by queue pair, by ranks, by class, for all; the "
                   "narrower choice counts")
    {
    }

  private:
    void DoRun() override
    {
        UsePicoseconds(SUITE);
        Net net(MTU);
        net.BuildStar(4, 100, MicroSeconds(1));
        net.Install();
        const auto make = [](uint64_t window) {
            ObjectFactory factory;
            factory.SetTypeId("ns3::llm::RdmaNoCongestionControl");
            factory.Set("Window", UintegerValue(window));
            return factory;
        };
        net.transport->SetCongestionControl(make(1000));
        net.transport->SetCongestionControl(5, make(2000));
        net.transport->SetCongestionControlOfRanks(2, 3, make(3000));
        net.transport->SetCongestionControl(2, 3, 1, make(4000));
        const auto window = [&net](uint32_t from, uint32_t to, uint16_t channel, uint8_t c) {
            return net.transport->OpenQueuePair(from, to, channel, c)
                .GetCongestionOps()
                ->GetWindow();
        };
        NS_TEST_EXPECT_MSG_EQ(window(0, 1, 0, 3), 1000, "for all");
        NS_TEST_EXPECT_MSG_EQ(window(0, 1, 1, 5), 2000, "of the class");
        NS_TEST_EXPECT_MSG_EQ(window(2, 0, 0, 5), 3000, "of ranks");
        NS_TEST_EXPECT_MSG_EQ(window(0, 2, 0, 5), 2000, "the other side");
        NS_TEST_EXPECT_MSG_EQ(window(2, 3, 0, 3), 3000, "of ranks");
        NS_TEST_EXPECT_MSG_EQ(window(2, 3, 1, 3), 4000, "of the queue pair");
        NS_TEST_EXPECT_MSG_EQ(window(3, 2, 1, 3), 3000, "the other side");
    }
};

/// @ingroup llm-training-tests
/// The suite.
class RdmaVerbsSuite : public TestSuite
{
  public:
    RdmaVerbsSuite()
        : TestSuite("llm-training-rdma-verbs", Type::UNIT)
    {
        AddTestCase(new FramesTest, llm::TestDuration::QUICK);
        AddTestCase(new DissectorTest, llm::TestDuration::QUICK);
        AddTestCase(new CompletionsTest, llm::TestDuration::QUICK);
        AddTestCase(new ReadTest, llm::TestDuration::QUICK);
        AddTestCase(new ReadLossTest, llm::TestDuration::QUICK);
        AddTestCase(new RandomVerbsTest, llm::TestDuration::QUICK);
        AddTestCase(new ReceivesTest, llm::TestDuration::QUICK);
        AddTestCase(new MessagesTest, llm::TestDuration::QUICK);
        AddTestCase(new DelaysTest, llm::TestDuration::QUICK);
        AddTestCase(new ChoiceTest, llm::TestDuration::QUICK);
    }
};

RdmaVerbsSuite g_rdmaVerbsSuite; //!< instance

} // namespace

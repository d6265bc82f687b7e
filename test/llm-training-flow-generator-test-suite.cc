/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Flows beside jobs: sizes, arrivals and their statistics, without a network and on one.

#include "fabric-test-helpers.h"
#include "llm-training-error-of.h"

#include "ns3/boolean.h"
#include "ns3/double.h"
#include "ns3/llm-flow-size-distribution.h"
#include "ns3/llm-incast-traffic.h"
#include "ns3/llm-poisson-traffic.h"
#include "ns3/llm-training-compat.h"
#include "ns3/test.h"

#include <cmath>
#include <fstream>
#include <map>

using namespace ns3;
using namespace fabrictest;

namespace
{

using llmtest::ErrorOf;

/** Delivers everything at once and remembers it. */
class InstantTransport : public llm::MessageTransport
{
  public:
    void Send(const Message& message) override
    {
        Message copy = message;
        copy.start = Simulator::Now().GetTimeStep();
        sent.push_back(copy);
        NotifyStart(copy, copy.start);
        NotifyDelivered(copy, copy.start + 7);
        NotifySent(copy, copy.start + 7);
    }

    FabricEventQueue& GetEventQueue() override
    {
        NS_FATAL_ERROR("nobody asks");
    }

    TransportTotals GetTotals() const override
    {
        return {};
    }

    void DescribeOpen(std::vector<std::string>&, std::size_t) const override
    {
    }

    std::vector<Message> sent; //!< in order
};

/// @ingroup llm-training-tests
/// Sizes of flows.
class SizesFollowTheDistribution : public TestCase
{
  public:
    SizesFollowTheDistribution()
        : TestCase("sizes: published means, draws within 3 sigma of the mean, the points hit")
    {
    }

  private:
    void DoRun() override
    {
        // Means by hand: sums of part x (low + high) / 2.
        const std::map<std::string, double> means{{"web_search", 1711250.0},
                                                  {"hadoop", 120420.75},
                                                  {"ali_storage", 40869.8}};
        for (const std::string& name : llm::FlowSizeDistribution::GetNames())
        {
            const auto sizes = llm::FlowSizeDistribution::FromName(name, "test");
            NS_TEST_EXPECT_MSG_EQ_TOL(sizes.GetMean() / means.at(name), 1, 1e-9, name);
            auto uniform = CreateObject<UniformRandomVariable>();
            uniform->SetStream(11);
            constexpr int DRAWS = 200000;
            double sum = 0;
            for (int i = 0; i < DRAWS; ++i)
            {
                const uint64_t bytes = sizes.Draw(uniform->GetValue(0, 1));
                NS_TEST_ASSERT_MSG_GT(bytes, 0, name);
                NS_TEST_ASSERT_MSG_LT_OR_EQ(bytes, sizes.GetLongest(), name);
                sum += static_cast<double>(bytes);
            }
            const double sigma = std::sqrt(sizes.GetVariance() / DRAWS);
            NS_TEST_EXPECT_MSG_EQ_TOL(sum / DRAWS, sizes.GetMean(), 3 * sigma, name);
        }
        const auto web = llm::FlowSizeDistribution::FromName("web_search", "test");
        NS_TEST_EXPECT_MSG_EQ(web.Draw(0.15), 10000, "a point");
        NS_TEST_EXPECT_MSG_EQ(web.Draw(0.55 - 0.02), 80000, "a point");
        NS_TEST_EXPECT_MSG_EQ(web.Draw(0.075), 5000, "between points");
        NS_TEST_EXPECT_MSG_EQ(web.Draw(0), 1, "never empty");
        NS_TEST_EXPECT_MSG_EQ(web.Draw(1), 30000000, "the longest");
        const auto fixed = llm::FlowSizeDistribution::Fixed(5000);
        NS_TEST_EXPECT_MSG_EQ(fixed.Draw(0), 5000, "fixed");
        NS_TEST_EXPECT_MSG_EQ(fixed.Draw(0.999), 5000, "fixed");
        NS_TEST_EXPECT_MSG_EQ_TOL(fixed.GetMean(), 5000, 1e-9, "fixed");
        NS_TEST_EXPECT_MSG_EQ_TOL(fixed.GetVariance(), 0, 1e-3, "fixed");
    }
};

/// @ingroup llm-training-tests
/// Files of sizes.
class SizesAreReadFromFiles : public TestCase
{
  public:
    SizesAreReadFromFiles()
        : TestCase("sizes are read as HPCC's generator reads them; wrong files name the line")
    {
    }

  private:
    std::string Write(const std::string& text)
    {
        const std::string name = CreateTempDirFilename("sizes.txt");
        std::ofstream(name) << text;
        return name;
    }

    void Expect(const std::string& text, const std::string& error)
    {
        const std::string name = Write(text);
        const std::string what = ErrorOf([&] { llm::FlowSizeDistribution::ReadFile(name); });
        NS_TEST_EXPECT_MSG_EQ(what, name + ": " + error, text);
    }

    void DoRun() override
    {
        for (const char* text : {"0 0\n1000 50\n3000 100\n", "# x\n0 0\n\n1000 0.5 # y\n3000 1\n"})
        {
            const auto sizes = llm::FlowSizeDistribution::ReadFile(Write(text));
            NS_TEST_EXPECT_MSG_EQ_TOL(sizes.GetMean(), 0.5 * 500 + 0.5 * 2000, 1e-9, text);
        }
        Expect("0 0\nmuch 50\n",
               "line 2: must be a size in bytes and a percentage, as '10000 15', is 'much 50'");
        Expect("0 0\n1000 50\n500 100\n",
               "point 3 (500 B, 1) must follow (1000 B, 0.5): neither may fall, sizes end at "
               "1e+15, probabilities at 1");
        Expect("0 0\n1000 50\n",
               "the distribution of flow sizes ends at probability 0.5 (1000 B); it must end at 1");
        Expect("", "has no points of a distribution of flow sizes");
        Expect("0 100\n", "the mean of the flow sizes is 0 B; at least 1 B is needed");
        NS_TEST_EXPECT_MSG_EQ(
            ErrorOf([] { llm::FlowSizeDistribution::FromName("web_serch", "s.json"); }),
            "s.json: there is no distribution of flow sizes 'web_serch'; did you "
            "mean 'web_search'?",
            "name");
        NS_TEST_EXPECT_MSG_EQ(ErrorOf([] { llm::FlowSizeDistribution::ReadFile("/no/file"); }),
                              "/no/file: the distribution of flow sizes cannot be read: No such "
                              "file or directory",
                              "no file");
    }
};

/// @ingroup llm-training-tests
/// Arrivals and load.
class ArrivalsArePoisson : public TestCase
{
  public:
    ArrivalsArePoisson()
        : TestCase("arrivals, bytes, load and choice of hosts within 3 sigma of theory; intervals "
                   "exponential; streams repeat")
    {
    }

  private:
    /** @return what a generator sends in 2 s. */
    std::vector<Message> Generate(int64_t stream, Ptr<llm::PoissonTraffic>& traffic)
    {
        auto transport = CreateObject<InstantTransport>();
        traffic = CreateObject<llm::PoissonTraffic>();
        traffic->SetAttribute("Load", DoubleValue(0.4));
        traffic->SetAttribute("StartTime", TimeValue(Seconds(1)));
        traffic->SetAttribute("StopTime", TimeValue(Seconds(3)));
        traffic->SetAttribute("TrafficClass", UintegerValue(5));
        traffic->SetTransport(transport);
        traffic->SetEndpoints({0, 1, 2, 3}, {2, 3, 4});
        traffic->SetSizes(llm::FlowSizeDistribution::FromName("ali_storage", "test"));
        traffic->SetSendRate(4000000000ULL);
        NS_TEST_EXPECT_MSG_EQ(traffic->AssignStreams(stream), 2, "streams");
        bool idle = false;
        traffic->SetIdleCallback(Callback<void>([&idle] { idle = true; }));
        traffic->Start();
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(idle, true, "told of the end");
        NS_TEST_EXPECT_MSG_EQ(traffic->IsIdle(), true, "the end");
        return transport->sent;
    }

    void DoRun() override
    {
        Simulator::Destroy();
        Ptr<llm::PoissonTraffic> traffic;
        const std::vector<Message> sent = Generate(77, traffic);
        const auto& sizes = traffic->GetSizes();
        const double expected = 0.4 * 4e9 * 2 / (8 * sizes.GetMean()); // arrivals
        const auto count = static_cast<double>(sent.size());
        NS_TEST_EXPECT_MSG_EQ_TOL(count, expected, 3 * std::sqrt(expected), "arrivals");
        const double square = sizes.GetVariance() + sizes.GetMean() * sizes.GetMean();
        NS_TEST_EXPECT_MSG_EQ_TOL(static_cast<double>(traffic->GetStartedBytes()),
                                  expected * sizes.GetMean(),
                                  3 * std::sqrt(expected * square),
                                  "bytes");
        NS_TEST_EXPECT_MSG_EQ_TOL(traffic->GetOfferedLoad(),
                                  0.4,
                                  0.4 * 3 * std::sqrt(square / expected) / sizes.GetMean(),
                                  "load");
        double sum = 0;
        double squares = 0;
        uint32_t aboveMean = 0;
        int64_t last = Seconds(1).GetTimeStep();
        std::map<uint32_t, double> from;
        std::map<uint32_t, double> to;
        for (const Message& message : sent)
        {
            const auto interval = static_cast<double>(message.start - last);
            last = message.start;
            sum += interval;
            squares += interval * interval;
            aboveMean += interval > traffic->GetMeanInterval() ? 1 : 0;
            ++from[message.from];
            ++to[message.to];
            NS_TEST_ASSERT_MSG_NE(message.from, message.to, "never to itself");
            NS_TEST_ASSERT_MSG_EQ(message.trafficClass, 5, "class");
        }
        const double mean = sum / count;
        // An exponential time has its mean as its deviation, and exceeds it with probability 1/e.
        NS_TEST_EXPECT_MSG_EQ_TOL(std::sqrt(squares / count - mean * mean) / mean,
                                  1,
                                  3 * std::sqrt(2 / count),
                                  "deviation");
        NS_TEST_EXPECT_MSG_EQ_TOL(aboveMean / count,
                                  std::exp(-1),
                                  3 * std::sqrt(0.2326 / count),
                                  "longer than the mean");
        for (const uint32_t rank : {0, 1, 2, 3})
        {
            NS_TEST_EXPECT_MSG_EQ_TOL(from[rank] / count,
                                      0.25,
                                      3 * std::sqrt(0.1875 / count),
                                      "senders");
        }
        NS_TEST_EXPECT_MSG_EQ_TOL(to[4] / count,
                                  5.0 / 12,
                                  3 * std::sqrt(0.244 / count),
                                  "receivers");

        Simulator::Destroy();
        Ptr<llm::PoissonTraffic> again;
        const std::vector<Message> same = Generate(77, again);
        NS_TEST_ASSERT_MSG_EQ(same.size(), sent.size(), "the same streams");
        for (std::size_t i = 0; i < sent.size(); ++i)
        {
            NS_TEST_ASSERT_MSG_EQ(same[i].bytes, sent[i].bytes, "the same streams");
            NS_TEST_ASSERT_MSG_EQ(same[i].start, sent[i].start, "the same streams");
        }
        Simulator::Destroy();
        NS_TEST_EXPECT_MSG_NE(Generate(78, again)[0].start, sent[0].start, "other streams");
        Simulator::Destroy();
    }
};

/// @ingroup llm-training-tests
/// Flows on a fabric.
class FlowsOnAFabric : public TestCase
{
  public:
    FlowsOnAFabric()
        : TestCase("flows on a fabric arrive to the byte; memory is bounded by what is open; a "
                   "generator that is stopped lets them end; incasts have all their senders")
    {
    }

  private:
    void DoRun() override
    {
        Net net(1024);
        net.BuildLeafSpine(2, 2, 4, 100, 100, MicroSeconds(1));
        RdmaTransportHelper helper;
        helper.SetAttribute("FreshQueuePairs", BooleanValue(true));
        net.Install(helper);
        auto traffic = CreateObject<llm::PoissonTraffic>();
        traffic->SetAttribute("Load", DoubleValue(0.3));
        traffic->SetTransport(net.transport);
        traffic->SetEndpoints({0, 1, 2, 3, 4, 5, 6, 7}, {0, 1, 2, 3, 4, 5, 6, 7});
        traffic->SetSizes(llm::FlowSizeDistribution::FromName("hadoop", "test"));
        traffic->SetSendRate(800000000000ULL);
        traffic->AssignStreams(5);
        traffic->Start();
        Simulator::Schedule(MicroSeconds(800), [traffic] { traffic->Stop(); });
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
        NS_TEST_EXPECT_MSG_GT(traffic->GetStarted(), 50, "flows");
        NS_TEST_EXPECT_MSG_EQ(traffic->GetFlows().size(), traffic->GetStarted(), "all arrive");
        NS_TEST_EXPECT_MSG_EQ(net.transport->GetTotals().bytesDelivered,
                              traffic->GetStartedBytes(),
                              "to the byte");
        NS_TEST_EXPECT_MSG_LT(net.transport->GetQueuePairCount(),
                              2 * traffic->GetStarted(),
                              "queue pairs are used again");

        auto incast = CreateObject<llm::IncastTraffic>();
        incast->SetAttribute("Bytes", UintegerValue(20000));
        incast->SetAttribute("FanIn", UintegerValue(5));
        incast->SetAttribute("Count", UintegerValue(3));
        incast->SetAttribute("Period", TimeValue(MicroSeconds(30)));
        incast->SetAttribute("StartTime", TimeValue(MilliSeconds(2)));
        incast->SetTransport(net.transport);
        incast->SetEndpoints({0, 1, 2, 3, 4, 5, 6, 7}, {3, 4});
        incast->AssignStreams(9);
        incast->Start();
        Simulator::Run();
        NS_TEST_EXPECT_MSG_EQ(net.CheckBooks(), "", "books");
        NS_TEST_EXPECT_MSG_EQ(incast->GetFlows().size(), 3 * 5 * 2, "flows");
        NS_TEST_EXPECT_MSG_EQ(incast->IsIdle(), true, "over");
        incast = CreateObject<llm::IncastTraffic>();
        incast->SetAttribute("FanIn", UintegerValue(8));
        incast->SetTransport(net.transport);
        incast->SetEndpoints({0, 1, 2, 3, 4, 5, 6, 7}, {3});
        NS_TEST_EXPECT_MSG_EQ(ErrorOf([incast] { incast->Start(); }),
                              "IncastTraffic: FanIn: is 8, but only 7 senders can send to rank 3",
                              "too many");
        NS_TEST_EXPECT_MSG_EQ(ErrorOf([incast] { incast->SetEndpoints({1}, {1}); }),
                              "FlowGenerator: 1 senders and 1 receivers have no pair of two "
                              "different ranks",
                              "no pair");
        NS_TEST_EXPECT_MSG_EQ(ErrorOf([incast] {
                                  incast->SetEndpoints({1, 2, 1}, {1});
                              }),
                              "FlowGenerator: senders: rank 1 stands in the list twice",
                              "twice");
        traffic->Dispose();
        incast->Dispose();
    }
};

/// The suite.
class FlowGeneratorTestSuite : public TestSuite
{
  public:
    FlowGeneratorTestSuite()
        : TestSuite("llm-training-flow-generator", Type::UNIT)
    {
        AddTestCase(new SizesFollowTheDistribution, llm::TestDuration::QUICK);
        AddTestCase(new SizesAreReadFromFiles, llm::TestDuration::QUICK);
        AddTestCase(new ArrivalsArePoisson, llm::TestDuration::QUICK);
        AddTestCase(new FlowsOnAFabric, llm::TestDuration::QUICK);
    }
};

FlowGeneratorTestSuite g_flowGeneratorTestSuite; //!< registers

} // namespace

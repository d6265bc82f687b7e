/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// A training job over TCP on a stock ns-3 dumbbell, beside a UDP application.
//
//   rank 0, rank 1 \         10 Gb/s         / rank 2, rank 3
//                   left router --- right router
//       UDP source /                         \ UDP sink
//
// Everything but the lines marked (1) to (3) is what one writes in ns-3 anyway.

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/llm-training-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"

#include <iostream>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/// @param bytes received so far @param packet just received @param from unused
void
Count(uint64_t* bytes, Ptr<const Packet> packet, const Address& from [[maybe_unused]])
{
    *bytes += packet->GetSize();
}

/// Run the example. @param argc see main @param argv see main @return exit code
int
Run(int argc, char* argv[])
{
    Time::SetResolution(Time::PS);
    std::string model;
    std::string udpRate = "1Gbps";
    std::string iterations = "1";
    std::string sequence = "256";
    ProgramOptions options("llm-training-dumbbell",
                           "A training job over TCP on a dumbbell, beside a UDP application.");
    options.AddText("model", "a Hugging Face config.json; empty: GPT-2 small", model);
    options.AddText("udpRate", "of the UDP application; 0bps: none", udpRate);
    options.AddText("iterations", "training iterations", iterations);
    options.AddText("sequence", "tokens per sequence", sequence);
    options.Parse(argc, argv);
    if (model.empty())
    {
        model = GetShippedFile("models", "gpt2");
    }
    const uint32_t count = ReadOptionCount(iterations, "--iterations", 1, 1000);
    const DataRate udp(ParseBitRate(udpRate, "command line", "--udpRate"));
    TrainingConfig training;
    training.seq_length = ReadOptionCount(sequence, "--sequence", 1, 1000000);
    training.global_batch_size = 8;
    training.grad_reduce_dtype = "bf16";
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(8948));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(4 << 20));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(4 << 20));

    NodeContainer routers;
    NodeContainer left;
    NodeContainer right;
    routers.Create(2);
    left.Create(3);
    right.Create(3);
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", StringValue("10Gbps"));
    link.SetDeviceAttribute("Mtu", UintegerValue(9000));
    link.SetChannelAttribute("Delay", StringValue("5us"));
    InternetStackHelper internet;
    internet.InstallAll();
    Ipv4AddressHelper address("10.0.0.0", "255.255.255.0");
    const auto connect = [&](Ptr<Node> a, Ptr<Node> b) {
        auto interfaces = address.Assign(link.Install(a, b));
        address.NewNetwork();
        return interfaces.GetAddress(0);
    };
    connect(routers.Get(0), routers.Get(1));
    Ipv4Address sink;
    for (uint32_t i = 0; i < 3; ++i)
    {
        connect(left.Get(i), routers.Get(0));
        sink = connect(right.Get(i), routers.Get(1));
    }
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();

    // The third host of each side carries the UDP application.
    ApplicationContainer receiver =
        PacketSinkHelper("ns3::UdpSocketFactory", InetSocketAddress(sink, 9)).Install(right.Get(2));
    uint64_t udpBytes = 0;
    receiver.Get(0)->TraceConnectWithoutContext("Rx", MakeBoundCallback(&Count, &udpBytes));
    if (udp.GetBitRate() > 0)
    {
        OnOffHelper source("ns3::UdpSocketFactory", InetSocketAddress(sink, 9));
        source.SetConstantRate(udp, 1400);
        source.Install(left.Get(2));
    }

    // Two pipeline stages, left and right, of two data-parallel ranks each.
    NodeContainer servers(left.Get(0), left.Get(1), right.Get(0), right.Get(1));
    LlmTrainingHelper llm(model); // (1)
    llm.SetParallel(1, 2);        // (2) tensor, pipeline; data parallelism is the rest
    llm.SetTraining(training);
    llm.SetJobAttribute("Iterations", UintegerValue(count));
    Ptr<TrainingJob> job = llm.Install(servers); // (3)

    job->SetCompletionCallback(
        Callback<void, Ptr<TrainingJob>>([](Ptr<TrainingJob>) { Simulator::Stop(); }));
    Simulator::Run();

    for (const std::string& line : job->GetFailure())
    {
        std::cerr << line << std::endl;
    }
    for (const IterationRecord& iteration : job->GetIterations())
    {
        std::cout << "iteration: " << TimeStep(iteration.duration).As(Time::MS) << std::endl;
    }
    const RankTimes& times = job->GetRank(0)->GetTimes();
    std::cout << "rank 0: compute " << TimeStep(times.compute).As(Time::MS)
              << ", exposed communication " << TimeStep(times.exposed).As(Time::MS)
              << ", pipeline bubble " << TimeStep(times.bubble).As(Time::MS) << std::endl;
    for (const ParallelDimension dimension : {ParallelDimension::DATA, ParallelDimension::PIPELINE})
    {
        std::cout << ToString(dimension)
                  << " traffic: " << FormatBytesRounded(job->GetTraffic().GetBytes(dimension))
                  << std::endl;
    }
    for (const CollectiveSummary& summary : job->GetCollectives())
    {
        std::cout << ToString(summary.dimension) << " " << ToString(summary.kind) << ": "
                  << summary.count << ", together " << FormatBytesRounded(summary.bytes)
                  << ", busbw " << summary.GetBusBandwidth() / 1e9 << " GB/s" << std::endl;
    }
    std::cout << "UDP beside it: " << 8e-9 * udpBytes / Simulator::Now().GetSeconds() << " Gb/s"
              << std::endl;
    const bool complete = job->IsComplete();
    job = nullptr;
    Simulator::Destroy();
    return complete ? 0 : 1;
}

} // namespace

int
main(int argc, char* argv[])
{
    try
    {
        return Run(argc, argv);
    }
    catch (const ConfigError& error)
    {
        std::cerr << error.what() << std::endl;
        return 2;
    }
}

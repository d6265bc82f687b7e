/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// A training job over RDMA on a leaf-spine fabric built in C++, beside ordinary ns-3 applications
// on the same ports: a UDP source and a TCP bulk transfer. Two trace sources tell of pauses and of
// the job's messages.
//
//        spine0   spine1
//        /    \  /    \        4 hosts per leaf, 100 Gb/s everywhere
//     leaf0   leaf1            ranks 0-7 on hosts 0-7
//     /|||\   /|||\            UDP host0 -> host4, TCP host1 -> host5

#include "ns3/applications-module.h"
#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/llm-training-module.h"
#include "ns3/network-module.h"

#include <algorithm>
#include <iostream>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/// What the two trace sources tell.
struct Observations
{
    uint64_t pauses{0};     ///< times a class of a port was paused
    uint64_t messages{0};   ///< messages of the job
    int64_t longest{0};     ///< longest completion time, ticks
    uint64_t otherBytes{0}; ///< bytes that the ordinary applications received
};

/// Sink of PfcPause. @param seen here
void
Paused(Observations* seen, const FabricPort*, uint8_t, uint16_t)
{
    ++seen->pauses;
}

/// Sink of MessageEnd. @param seen here @param message delivered @param now tick
void
Delivered(Observations* seen, const Message& message, int64_t now)
{
    ++seen->messages;
    seen->longest = std::max(seen->longest, now - message.start);
}

/// Sink of a PacketSink's Rx. @param seen here @param packet received
void
Received(Observations* seen, Ptr<const Packet> packet, const Address&)
{
    seen->otherBytes += packet->GetSize();
}

/// @param argc see main @param argv see main @return exit code
int
Run(int argc, char* argv[])
{
    Time::SetResolution(Time::PS);
    FabricSimulatorImpl::Select();
    std::string model;
    std::string udpRate = "2Gbps";
    std::string sequence = "128";
    ProgramOptions options("llm-training-fabric",
                           "A training job beside ordinary applications on the same fabric.");
    options.AddText("model", "a Hugging Face config.json; empty: GPT-2 small", model);
    options.AddText("udpRate", "of the UDP application; 0bps: none", udpRate);
    options.AddText("sequence", "tokens per sequence", sequence);
    options.Parse(argc, argv);
    if (model.empty())
    {
        model = GetShippedFile("models", "gpt2");
    }
    const DataRate udp(ParseBitRate(udpRate, "command line", "--udpRate"));
    TrainingConfig training;
    training.seq_length = ReadOptionCount(sequence, "--sequence", 1, 1000000);
    training.global_batch_size = 16;

    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1448));
    Config::SetDefault("ns3::TcpSocket::SndBufSize", UintegerValue(1 << 20));
    Config::SetDefault("ns3::TcpSocket::RcvBufSize", UintegerValue(1 << 20));

    // The fabric: 2 leaves of 4 hosts, 2 spines.
    FabricLink link;
    link.rate = DataRate("100Gbps");
    link.delay = NanoSeconds(500);
    LeafSpineTopology topology(2, 2, 4, link);
    topology.SetHostLink(link);
    const FabricNetwork network = topology.Build(CreateObject<Fabric>(), 1);

    // The job: 4 pipeline stages, each twice.
    LlmTrainingHelper llm(model);
    llm.SetParallel(1, 4);
    llm.SetTraining(training);
    Ptr<TrainingJob> job = llm.Install(network.fabric, network.endpoints);

    // Ordinary applications on the same hosts and ports.
    Observations seen;
    FabricIpHelper().Install(network.fabric, network.endpoints);
    const InetSocketAddress udpSink(FabricIpHelper::GetAddress(4), 9);
    const InetSocketAddress tcpSink(FabricIpHelper::GetAddress(5), 10);
    ApplicationContainer sinks;
    sinks.Add(PacketSinkHelper("ns3::UdpSocketFactory", udpSink).Install(network.endpoints.Get(4)));
    sinks.Add(PacketSinkHelper("ns3::TcpSocketFactory", tcpSink).Install(network.endpoints.Get(5)));
    for (uint32_t i = 0; i < sinks.GetN(); ++i)
    {
        sinks.Get(i)->TraceConnectWithoutContext("Rx", MakeBoundCallback(&Received, &seen));
    }
    if (udp.GetBitRate() > 0)
    {
        OnOffHelper source("ns3::UdpSocketFactory", udpSink);
        source.SetConstantRate(udp, 1400);
        source.Install(network.endpoints.Get(0));
    }
    BulkSendHelper tcp("ns3::TcpSocketFactory", tcpSink);
    tcp.SetAttribute("MaxBytes", UintegerValue(20000000));
    tcp.Install(network.endpoints.Get(1));

    // Two trace sources: one of every port, one of the job's transport.
    for (const Ptr<FabricPort>& port : network.fabric->GetPorts())
    {
        port->TraceConnectWithoutContext("PfcPause", MakeBoundCallback(&Paused, &seen));
    }
    job->GetTransport()->TraceConnectWithoutContext("MessageEnd",
                                                    MakeBoundCallback(&Delivered, &seen));

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
    std::cout << "job: " << seen.messages << " messages, the slowest took "
              << TimeStep(seen.longest).As(Time::MS) << std::endl;
    std::cout << "PFC: " << seen.pauses << " pauses" << std::endl;
    std::cout << "ordinary applications beside it: " << seen.otherBytes << " B received"
              << std::endl;
    const bool complete = job->IsComplete();
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

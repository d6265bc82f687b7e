/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// A training job on a network of another kind: an Ethernet bus, Wi-Fi, links with a queue disc, or
// IPv6. Each of the functions below builds one as one does in ns-3 anyway; the three lines that put
// the job on its nodes are marked (1) to (3), and are the same for all.

#include "ns3/core-module.h"
#include "ns3/internet-module.h"
#include "ns3/llm-training-module.h"
#include "ns3/network-module.h"
#include "ns3/point-to-point-module.h"
#include "ns3/traffic-control-module.h"

#ifdef LLM_TRAINING_CSMA
#include "ns3/csma-module.h"
#endif
#ifdef LLM_TRAINING_WIFI
#include "ns3/mobility-module.h"
#include "ns3/wifi-module.h"
#endif

#include <functional>
#include <iostream>
#include <map>

using namespace ns3;
using namespace ns3::llm;

namespace
{

#ifdef LLM_TRAINING_CSMA
/// All nodes on one Ethernet bus. @param nodes with stacks
void
BuildCsma(const NodeContainer& nodes)
{
    CsmaHelper bus;
    bus.SetChannelAttribute("DataRate", StringValue("1Gbps"));
    bus.SetChannelAttribute("Delay", StringValue("1us"));
    Ipv4AddressHelper("10.1.0.0", "255.255.255.0").Assign(bus.Install(nodes));
}
#endif

#ifdef LLM_TRAINING_WIFI
/// The first node is the access point of the others. @param nodes with stacks
void
BuildWifi(const NodeContainer& nodes)
{
    YansWifiPhyHelper phy;
    phy.SetChannel(YansWifiChannelHelper::Default().Create());
    WifiHelper wifi;
    wifi.SetStandard(WIFI_STANDARD_80211a);
    WifiMacHelper mac;
    mac.SetType("ns3::ApWifiMac", "Ssid", SsidValue(Ssid("training")));
    NetDeviceContainer devices = wifi.Install(phy, mac, nodes.Get(0));
    mac.SetType("ns3::StaWifiMac", "Ssid", SsidValue(Ssid("training")));
    MobilityHelper mobility; // a line of nodes, 1 m from each other
    mobility.SetMobilityModel("ns3::ConstantPositionMobilityModel");
    mobility.Install(nodes);
    for (uint32_t i = 1; i < nodes.GetN(); ++i)
    {
        devices.Add(wifi.Install(phy, mac, nodes.Get(i)));
        nodes.Get(i)->GetObject<MobilityModel>()->SetPosition(Vector(i, 0, 0));
    }
    Ipv4AddressHelper("10.1.0.0", "255.255.255.0").Assign(devices);
}
#endif

/// Nodes around a router whose ports are 100 Mb/s and have FqCoDel. @param nodes with stacks
void
BuildQueueDiscs(const NodeContainer& nodes)
{
    NodeContainer router(CreateObject<Node>());
    InternetStackHelper().Install(router);
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", StringValue("1Gbps"));
    link.SetChannelAttribute("Delay", StringValue("10us"));
    TrafficControlHelper control;
    control.SetRootQueueDisc("ns3::FqCoDelQueueDisc");
    Ipv4AddressHelper address("10.1.0.0", "255.255.255.0");
    for (uint32_t i = 0; i < nodes.GetN(); ++i)
    {
        const NetDeviceContainer pair = link.Install(nodes.Get(i), router.Get(0));
        pair.Get(1)->SetAttribute("DataRate", StringValue("100Mbps"));
        control.Install(pair.Get(1));
        address.Assign(pair);
        address.NewNetwork();
    }
    Ipv4GlobalRoutingHelper::PopulateRoutingTables();
}

/// Nodes in a ring of links, over IPv6 with RIPng. @param nodes with stacks
void
BuildIpv6(const NodeContainer& nodes)
{
    PointToPointHelper link;
    link.SetDeviceAttribute("DataRate", StringValue("1Gbps"));
    link.SetChannelAttribute("Delay", StringValue("10us"));
    Ipv6AddressHelper address;
    address.SetBase("2001:1::", Ipv6Prefix(64));
    for (uint32_t i = 0; i < nodes.GetN(); ++i)
    {
        Ipv6InterfaceContainer pair =
            address.Assign(link.Install(nodes.Get(i), nodes.Get((i + 1) % nodes.GetN())));
        pair.SetForwarding(0, true);
        pair.SetForwarding(1, true);
        address.NewNetwork();
    }
}

/// Run the example. @param argc see main @param argv see main @return exit code
int
Run(int argc, char* argv[])
{
    std::map<std::string, std::function<void(const NodeContainer&)>> networks = {
        {"p2p-tc", BuildQueueDiscs},
        {"ipv6", BuildIpv6},
#ifdef LLM_TRAINING_CSMA
        {"csma", BuildCsma},
#endif
#ifdef LLM_TRAINING_WIFI
        {"wifi", BuildWifi},
#endif
    };
    std::string network = "p2p-tc";
    ProgramOptions options("llm-training-anywhere", "A training job on a network of another kind.");
    options.AddText("network", "csma, wifi, p2p-tc or ipv6", network);
    options.Parse(argc, argv);
    if (networks.count(network) == 0)
    {
        std::string known;
        for (const auto& [name, build] : networks)
        {
            known += (known.empty() ? "" : ", ") + name;
        }
        throw ConfigError("command line",
                          "--network",
                          "'" + network + "' is not there; this ns-3 has " + known);
    }
    Config::SetDefault("ns3::TcpSocket::SegmentSize", UintegerValue(1400));
    ModelConfig model; // a small one: a transformer of two layers
    model.SetFamily("llama");
    model.vocab_size = 1000;
    model.hidden_size = 128;
    model.num_hidden_layers = 2;
    model.num_attention_heads = 4;
    model.intermediate_size = 256;
    model.Validate();

    NodeContainer nodes;
    nodes.Create(4);
    InternetStackHelper internet;
    RipNgHelper ripNg;
    if (network == "ipv6")
    {
        internet.SetRoutingHelper(ripNg);
    }
    internet.Install(nodes);
    networks[network](nodes);

    TrainingConfig training;
    training.seq_length = 64;
    training.global_batch_size = 4;

    LlmTrainingHelper llm(model); // (1)
    llm.SetParallel(1, 2);        // (2) tensor, pipeline; data parallelism is the rest
    llm.SetTraining(training);
    llm.SetJobAttribute("StartTime", TimeValue(Seconds(20))); // association, routes
    Ptr<TrainingJob> job = llm.Install(nodes);                // (3)

    job->SetCompletionCallback(
        Callback<void, Ptr<TrainingJob>>([](Ptr<TrainingJob>) { Simulator::Stop(); }));
    Simulator::Stop(Seconds(1000));
    Simulator::Run();
    for (const std::string& line : job->GetFailure())
    {
        std::cerr << line << std::endl;
    }
    for (const IterationRecord& iteration : job->GetIterations())
    {
        std::cout << "iteration over " << network << ": "
                  << TimeStep(iteration.duration).As(Time::MS) << std::endl;
    }
    const TransportTotals totals = job->GetTransport()->GetTotals();
    std::cout << totals.bytesDelivered << " B of " << totals.bytesStarted << " B delivered in "
              << totals.messagesDelivered << " messages" << std::endl;
    const bool complete = job->IsComplete() && totals.bytesDelivered == totals.bytesStarted;
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

/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// An incast under one or several congestion controls: queue of the bottleneck, goodput of each flow
// and Jain's index of fairness over time, as CSV, and a gnuplot script that draws them:
//
//     llm-training-incast --controls=dcqcn,hpcc,swift --flows=4 --spacing=1ms --duration=12ms
//     gnuplot incast.plt          # incast.png
//
//     flow 0 ... flow n-1  --100 Gb/s, 1 us--  switch  --100 Gb/s, 1 us--  receiver

#include "ns3/core-module.h"
#include "ns3/llm-training-module.h"
#include "ns3/network-module.h"

#include <fstream>
#include <iomanip>
#include <iostream>
#include <sstream>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/// What is wanted of a run.
struct Wanted
{
    uint32_t flows{4};                  ///< senders
    Time spacing{MilliSeconds(1)};      ///< between starts
    Time duration{MilliSeconds(12)};    ///< of the run
    Time interval{MicroSeconds(50)};    ///< between rows
    uint64_t bytes{uint64_t{1} << 30U}; ///< of a flow
    uint64_t kmin{0};                   ///< bytes from which switches mark; 0: as is wanted
    uint64_t kmax{0};                   ///< bytes above which they mark everything
    double pmax{0.2};                   ///< probability at kmax
};

/// Writes a row, and has the next one written.
/// @param file CSV @param network of the run @param transport of the run @param wanted of it
/// @param before payload received by then, by flow
void
Sample(std::ofstream& file,
       const FabricNetwork& network,
       Ptr<RdmaTransport> transport,
       const Wanted& wanted,
       std::vector<uint64_t>& before)
{
    const FabricPort* port = PeekPointer(network.fabric->GetEndpointPort(wanted.flows))->GetPeer();
    std::ostringstream rates;
    double sum = 0;
    double squares = 0;
    uint32_t active = 0;
    for (uint32_t flow = 0; flow < wanted.flows; ++flow)
    {
        const RdmaQueuePair* qp = transport->FindQueuePair(wanted.flows, flow, 0);
        const uint64_t received = qp ? qp->GetCounters().payloadReceived : 0;
        const double gbps = static_cast<double>(received - before[flow]) * 8 /
                            static_cast<double>(wanted.interval.GetNanoSeconds());
        before[flow] = received;
        rates << "," << gbps;
        sum += gbps;
        squares += gbps * gbps;
        active += received > 0 ? 1 : 0;
    }
    file << Simulator::Now().GetNanoSeconds() / 1000 << "," << port->GetQueueBytes(3) << ","
         << (squares > 0 ? sum * sum / (active * squares) : 1) << rates.str() << "\n";
    Simulator::Schedule(wanted.interval, [&file, &network, transport, &wanted, &before] {
        Sample(file, network, transport, wanted, before);
    });
}

/// Runs one congestion control. @param control its name @param wanted of the run
void
RunOne(const std::string& control, const Wanted& wanted)
{
    SingleSwitchTopology topology(wanted.flows + 1);
    FabricLink link;
    link.rate = DataRate("100Gbps");
    link.delay = MicroSeconds(1);
    topology.SetHostLink(link);
    topology.SetNamePrefix(control + "-");
    topology.SetSwitchMaker([&wanted, &control] {
        Ptr<RedEcnMarker> red = CreateObject<RedEcnMarker>();
        RdmaTransportHelper::SetMarking(control, *red);
        red->SetAttribute("Kmin", UintegerValue(wanted.kmin));
        red->SetAttribute("Kmax", UintegerValue(wanted.kmax));
        red->SetAttribute("Pmax", DoubleValue(wanted.pmax));
        return CreateObjectWithAttributes<FabricSwitch>("EcnMarker", PointerValue(red));
    });
    const FabricNetwork network = topology.Build(CreateObject<Fabric>(), 1);
    RdmaTransportHelper helper;
    helper.SetCongestionControl(control);
    const Ptr<RdmaTransport> transport = helper.Install(network.fabric, network.endpoints);
    for (uint32_t flow = 0; flow < wanted.flows; ++flow)
    {
        Message message;
        message.from = flow;
        message.to = wanted.flows;
        message.bytes = wanted.bytes;
        Simulator::Schedule(wanted.spacing * flow,
                            [transport, message] { transport->Send(message); });
    }
    std::ofstream file("incast-" + control + ".csv");
    file << "time_us,queue_bytes,jain";
    for (uint32_t flow = 0; flow < wanted.flows; ++flow)
    {
        file << ",flow" << flow << "_gbps";
    }
    file << "\n";
    std::vector<uint64_t> before(wanted.flows, 0);
    Simulator::Schedule(wanted.interval, [&] { Sample(file, network, transport, wanted, before); });
    Simulator::Stop(wanted.duration);
    Simulator::Run();
    const FabricPortCounters sent =
        PeekPointer(network.fabric->GetEndpointPort(wanted.flows))->GetPeer()->GetCounters();
    std::cout << std::left << std::setw(16) << control << " queue peak " << sent.queuePeak
              << " B, payload delivered " << sent.txDataPayload << " B" << std::endl;
    transport->Dispose();
    network.fabric->Dispose();
    Simulator::Destroy();
}

/// Writes the gnuplot script. @param controls all names @param flows of each
void
WriteScript(const std::vector<std::string>& controls, uint32_t flows)
{
    std::ofstream script("incast.plt");
    script << "set terminal png size 1400," << 300 * controls.size() << "\n"
           << "set output 'incast.png'\nset datafile separator ','\nset grid\n"
           << "set multiplot layout " << controls.size() << ",3\n";
    for (const std::string& control : controls)
    {
        const std::string file = "'incast-" + control + ".csv'";
        script << "set title '" << control << ": goodput, Gb/s' noenhanced\nset yrange [0:105]\n"
               << "plot for [i=4:" << flows + 3 << "] " << file
               << " skip 1 using 1:i with lines notitle\n"
               << "set title '" << control << ": queue, kB'\nset yrange [0:*]\n"
               << "plot " << file << " skip 1 using 1:($2/1000) with lines notitle\n"
               << "set title '" << control << ": Jain index'\nset yrange [0:1.05]\n"
               << "plot " << file << " skip 1 using 1:3 with lines notitle\n";
    }
    script << "unset multiplot\n";
}

} // namespace

int
main(int argc, char* argv[])
{
    Time::SetResolution(Time::PS);
    FabricSimulatorImpl::Select();
    Wanted wanted;
    std::string controls = "dcqcn,hpcc,timely,swift,dctcp,powertcp,powertcp_delay,nscc";
    CommandLine cmd(__FILE__);
    cmd.AddValue("controls", "names of congestion controls, with commas between them", controls);
    cmd.AddValue("flows", "senders", wanted.flows);
    cmd.AddValue("spacing", "time between the starts of two flows", wanted.spacing);
    cmd.AddValue("duration", "simulated time", wanted.duration);
    cmd.AddValue("interval", "time between two rows of the CSV files", wanted.interval);
    cmd.AddValue("bytes", "of each flow", wanted.bytes);
    cmd.AddValue("kmin",
                 "queue from which switches mark, bytes; 0: as the control wants",
                 wanted.kmin);
    cmd.AddValue("kmax", "queue above which switches mark all, bytes", wanted.kmax);
    cmd.AddValue("pmax", "probability of marks at kmax", wanted.pmax);
    cmd.Parse(argc, argv);
    try
    {
        std::vector<std::string> names;
        std::istringstream list(controls);
        for (std::string name; std::getline(list, name, ',');)
        {
            RunOne(name, wanted);
            names.push_back(name);
        }
        WriteScript(names, wanted.flows);
    }
    catch (const ConfigError& error)
    {
        std::cerr << error.what() << std::endl;
        return 2;
    }
    return 0;
}

/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Verbs from C++, outside the tree: a SEND with immediate data and an RDMA READ between two hosts
// behind one switch, and what their completions say.

#include "ns3/boolean.h"
#include "ns3/llm-config-error.h"
#include "ns3/llm-training-module.h"
#include "ns3/node-container.h"
#include "ns3/simulator.h"

#include <iostream>

using namespace ns3;
using namespace ns3::llm;

int
main()
{
    Time::SetResolution(Time::PS);

    // Two hosts, one switch, 100 Gb/s.
    NodeContainer hosts(2);
    Ptr<Node> center = CreateObject<Node>();
    Ptr<Fabric> fabric = CreateObject<Fabric>();
    fabric->AddEndpoint(hosts.Get(0));
    fabric->AddEndpoint(hosts.Get(1));
    fabric->AddSwitch(center);
    for (uint32_t i = 0; i < 2; ++i)
    {
        fabric->Connect(hosts.Get(i), center, DataRate("100Gbps"), MicroSeconds(1));
    }
    fabric->Build();

    // Ranks 0 and 1. SENDs need a receive that was posted.
    RdmaTransportHelper helper;
    helper.SetAttribute("PostedReceives", BooleanValue(true));
    Ptr<RdmaTransport> transport = helper.Install(fabric, hosts);
    RdmaQueuePair& here = transport->OpenQueuePair(0, 1);
    RdmaQueuePair& there = transport->OpenQueuePair(1, 0);

    uint32_t completed = 0;
    transport->SetCompletionCallback(
        [&completed](const RdmaQueuePair& queuePair, const RdmaWorkCompletion& completion) {
            ++completed;
            std::cout << TimeStep(completion.tick).As(Time::US) << " rank "
                      << queuePair.GetLocalRank() << ": work request " << completion.workRequestId
                      << ", " << completion.bytes << " B";
            if (completion.hasImmediateData)
            {
                std::cout << ", immediate data " << completion.immediateData;
            }
            std::cout << "\n";
        });

    transport->PostReceive(there, 7);

    RdmaWorkRequest send;
    send.workRequestId = 1;
    send.verb = RDMA_SEND_IMM;
    send.bytes = 1000000;
    send.immediateData = 42;
    transport->PostSend(here, send);

    RdmaWorkRequest read;
    read.workRequestId = 2;
    read.verb = RDMA_READ;
    read.bytes = 5000000;
    transport->PostSend(here, read);

    Simulator::Run();
    transport->Dispose();
    fabric->Dispose();
    Simulator::Destroy();
    return completed == 3 ? 0 : 1;
}

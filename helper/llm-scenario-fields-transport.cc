/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-scenario-field-section.h"
#include "llm-scenario-field-tables.h"

namespace ns3
{
namespace llm
{

void
AddTransportFields(std::vector<ScenarioField>& fields)
{
    ScenarioFieldSection transport(fields, "transport", &Scenario::transport);
    transport.Choice("kind", &Scenario::Transport::kind)
        .Choices({"rdma", "tcp"})
        .Doc("RoCEv2 queue pairs, or ns-3's TCP sockets, over the same fabric");
    transport.Text("congestion_control", &Scenario::Transport::congestion_control)
        .Doc("rdma: dcqcn (the default), dcqcn_mellanox, hpcc, timely, swift, dctcp, "
             "powertcp, powertcp_delay, nscc, none, or the TypeId of an RdmaCongestionOps; "
             "tcp: the TypeId of a TcpCongestionOps (default ns3::TcpCubic)");
    transport
        .Map("congestion_control_attributes", &Scenario::Transport::congestion_control_attributes)
        .Doc("rdma: its ns-3 attributes, e.g. {\"RateAi\": \"40Mbps\"}");
    transport.Count("ack_interval", &Scenario::Transport::ack_interval)
        .Range(1, 65535)
        .Doc("rdma: packets per ACK; the last of a message always asks for one");
    transport.Count("traffic_class", &Scenario::Transport::traffic_class)
        .Range(0, 7)
        .Doc("rdma: class of the job's data");
    transport.Map("attributes", &Scenario::Transport::attributes)
        .Doc("further ns-3 attributes of RdmaTransport, or of TcpSocket");
}

} // namespace llm
} // namespace ns3

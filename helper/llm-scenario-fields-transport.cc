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
    transport.Choice("headers", &Scenario::Transport::headers)
        .Choices({"roce", "hpcc"})
        .Doc("bytes of frames beside payload: as on the wire, or as the HPCC family counts them "
             "(48 B "
             "per packet, 60 B per ACK, no preamble and gap)");
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
    transport.Choice("verb", &Scenario::Transport::verb)
        .Choices({"write", "write_imm", "send", "send_imm", "read"})
        .Doc("rdma: how messages travel: RDMA WRITE, the same with immediate data in the "
             "last packet, SEND, the same with immediate data, or RDMA READ by the receiver");
    transport.Count("max_reads", &Scenario::Transport::max_reads)
        .Range(1, MAX_COUNT)
        .Doc("rdma: READs of a queue pair that may be under way, as max_rd_atomic");
    transport.Choice("port_selection", &Scenario::Transport::port_selection)
        .Choices({"hash", "round_robin"})
        .Doc("rdma: how queue pairs are spread over the ports of endpoints with several: by "
             "ranks and channel, or in turn");
    transport.Duration("transmit_delay", &Scenario::Transport::transmit_delay_ps)
        .Range(0, MAX_PS)
        .Doc("rdma: time from posting a message until its first packet is ready");
    transport.Duration("receive_delay", &Scenario::Transport::receive_delay_ps)
        .Range(0, MAX_PS)
        .Doc("rdma: time from the last bit of a frame until the NIC acts on it");
    transport.Duration("ack_delay", &Scenario::Transport::ack_delay_ps)
        .Range(0, MAX_PS)
        .Doc("rdma: time until an ACK or NAK is ready");
    transport.Duration("cnp_delay", &Scenario::Transport::cnp_delay_ps)
        .Range(0, MAX_PS)
        .Doc("rdma: time until a CNP is ready");
    transport.Text("reliability", &Scenario::Transport::reliability)
        .Doc("rdma: loss recovery: go_back_n, go_back_0, selective_repeat (IRN), out_of_order "
             "(for sprayed packets), or the TypeId of an RdmaReliability");
    transport.Map("reliability_attributes", &Scenario::Transport::reliability_attributes)
        .Doc("rdma: its ns-3 attributes, e.g. {\"ReorderTime\": \"20us\"}");
    transport.Choice("timers", &Scenario::Transport::timers)
        .Choices({"default", "infiniband", "nccl", "scaled"})
        .Doc("rdma: retransmission timeout 4.096 us x 2^t: infiniband, t = 14; nccl, t = 20; "
             "scaled, the least t that gives 64 base RTTs of the path; default: infiniband, but "
             "100 and 320 us with selective_repeat");
    transport.Count("timeout", &Scenario::Transport::timeout)
        .Range(0, 31)
        .Doc("rdma: t itself, as NCCL_IB_TIMEOUT; 0: by timers");
    transport.Count("retry_count", &Scenario::Transport::retry_count)
        .Range(0, MAX_COUNT)
        .Doc("rdma: timeouts without an acknowledgement between them that are borne, as "
             "NCCL_IB_RETRY_CNT; one more, and the job fails");
    transport.Count("traffic_class", &Scenario::Transport::traffic_class)
        .Range(0, 7)
        .Doc("rdma: class of the job's data");
    transport.Map("attributes", &Scenario::Transport::attributes)
        .Doc("further ns-3 attributes of RdmaTransport, or of TcpSocket");
}

} // namespace llm
} // namespace ns3

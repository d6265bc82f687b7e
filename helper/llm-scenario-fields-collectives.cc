/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-scenario-field-section.h"
#include "llm-scenario-field-tables.h"

#include "ns3/llm-collective-selector.h"

namespace ns3
{
namespace llm
{

void
AddCollectivesFields(std::vector<ScenarioField>& fields)
{
    const std::string which = "algorithm, or auto, or nccl";
    ScenarioFieldSection collectives(fields, "collectives", &Scenario::collectives);
    collectives.Text("all_reduce", &Scenario::Collectives::all_reduce).Doc(which);
    collectives.Text("all_gather", &Scenario::Collectives::all_gather).Doc(which);
    collectives.Text("reduce_scatter", &Scenario::Collectives::reduce_scatter).Doc(which);
    collectives.Text("broadcast", &Scenario::Collectives::broadcast).Doc(which);
    collectives.Text("reduce", &Scenario::Collectives::reduce).Doc(which);
    collectives.Text("all_to_all", &Scenario::Collectives::all_to_all).Doc(which);
    collectives.Count("channels", &Scenario::Collectives::channels)
        .Range(1, 64)
        .Doc("a collective's data is split over so many connections per pair");
    collectives.Bytes("slice_bytes", &Scenario::Collectives::slice_bytes)
        .Range(0, 1e15)
        .Doc("a chunk is pipelined in slices of this; 0: one slice; NCCL's protocols have "
             "slices of their own");
    collectives.Choice("protocol", &Scenario::Collectives::protocol)
        .Choices(CollectiveSelector::GetProtocolNames())
        .Doc("protocol of NCCL; nccl: what its cost model takes; auto: nccl where the "
             "algorithm is nccl, else none");
    const std::string latency = ": from the last byte of a message over the network to its use";
    const std::string inside = ": the same within servers";
    collectives.Duration("simple_latency", &Scenario::Collectives::simple_latency_ps)
        .Range(0, MAX_PS)
        .Doc("protocol Simple" + latency);
    collectives.Duration("ll_latency", &Scenario::Collectives::ll_latency_ps)
        .Range(0, MAX_PS)
        .Doc("protocol LL" + latency);
    collectives.Duration("ll128_latency", &Scenario::Collectives::ll128_latency_ps)
        .Range(0, MAX_PS)
        .Doc("protocol LL128" + latency);
    collectives
        .Duration("scale_up_simple_latency", &Scenario::Collectives::scale_up_simple_latency_ps)
        .Range(0, MAX_PS)
        .Doc("protocol Simple" + inside);
    collectives.Duration("scale_up_ll_latency", &Scenario::Collectives::scale_up_ll_latency_ps)
        .Range(0, MAX_PS)
        .Doc("protocol LL" + inside);
    collectives
        .Duration("scale_up_ll128_latency", &Scenario::Collectives::scale_up_ll128_latency_ps)
        .Range(0, MAX_PS)
        .Doc("protocol LL128" + inside);
    collectives.Count("qps_per_connection", &Scenario::Collectives::qps_per_connection)
        .Range(1, 128)
        .Doc("queue pairs of each connection over the network (NCCL_IB_QPS_PER_CONNECTION)");
    collectives.Boolean("split_data_on_qps", &Scenario::Collectives::split_data_on_qps)
        .Doc("each message goes over all of them; false: over one in turn "
             "(NCCL_IB_SPLIT_DATA_ON_QPS)");
    collectives.Boolean("clear_to_send", &Scenario::Collectives::clear_to_send)
        .Doc("messages of a protocol wait for their receiver's clear-to-send record (64 "
             "bytes), as in NCCL's NET/IB");
}

} // namespace llm
} // namespace ns3

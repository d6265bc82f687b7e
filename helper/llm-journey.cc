/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-journey.h"

#include "llm-journey-layouts.h"
#include "llm-journey-tensors.h"
#include "llm-journey-text.h"
#include "llm-wire-cost.h"

#include "ns3/fabric-frame.h"
#include "ns3/llm-parameter-tensor.h"
#include "ns3/llm-units.h"

#include <algorithm>
#include <memory>
#include <vector>

namespace ns3
{
namespace llm
{

namespace
{

using Layouts = std::vector<std::unique_ptr<JourneyLayout>>;

/** @return "50.00 GB/s". */
ReportValue
Rate(double bytesPerSecond)
{
    return ReportValue::Real(bytesPerSecond * 1e-9, bytesPerSecond < 1e8 ? 4 : 2);
}

/** @return a layout's name where several are told of; long ones would take half of a table. */
std::string
NameIn(const Layouts& layouts, const JourneyLayout& layout)
{
    return layouts.size() > 1 ? layout.GetName() : "this one";
}

void
TellStart(ReportDocument& document,
          const JourneyText& text,
          const Layouts& layouts,
          const JourneyConfig& config)
{
    ReportSection& section = document.AddSection("start", "What is followed");
    const TrainingStep& step = layouts.front()->GetStep();
    const ModelConfig& model = layouts.front()->GetModel();
    const Scenario::FabricSection& fabric = config.layouts.front().fabric;
    section.Say(
        "What follows is one text on its way through one step of the training of a language "
        "model: from words to numbers, to tensors, to accelerators that share the work, to "
        "messages between them, to packets, to bits on a cable. Behind each figure stands how "
        "it was computed; symbols such as B or T are explained where they first appear. B "
        "behind a figure means bytes; KiB, MiB, GiB are powers of 1,024.");
    std::string names;
    for (const auto& layout : layouts)
    {
        names += (names.empty() ? "" : "; ") + layout->GetName();
    }
    section.Add("text", "text", text.GetName());
    section.Add("model",
                "model",
                model.name + ", " + GroupDigits(CountParameters(model)) + " parameters");
    section.Add("batch",
                "batch",
                GroupDigits(step.GetTraining().global_batch_size) + " sequences of " +
                    GroupDigits(step.GetTraining().seq_length) + " tokens");
    section.Add("layouts", layouts.size() == 1 ? "layout" : "layouts", names);
    section.Add("link",
                "link",
                "each accelerator has one of " + ShowBitRate(fabric.host_rate) + ", RoCEv2 with " +
                    GroupDigits(fabric.path_mtu) + " B per packet; a message takes " +
                    FormatDurationRounded(config.latencyPs) + " besides the time of its bytes");
}

void
TellWays(ReportDocument& document, const JourneyConfig& config)
{
    ReportSection& section = document.AddSection("ways", "Sharing the work");
    section.Say(
        "One accelerator would take too long, and large models do not even fit into one. So "
        "several share a step, and there are a few ways to cut it: by sequences (data "
        "parallel, DP), by the matrices inside each layer (tensor parallel, TP), by layers "
        "(pipeline parallel, PP), and for large models also along the sequence (context "
        "parallel, CP) and by experts (EP). Each needs its own kind of exchange.");
    section.Say(
        "Most of it is done in collectives: operations that all ranks of a group start "
        "together. The most frequent is the all-reduce: n ranks have S bytes of numbers each, "
        "and in the end each has the sum of all. Three ways to do it:");
    section.Quote(
        {"naive  all send their S bytes to rank 0, which adds them up and sends the sum to",
         "       all. Two steps, but its link carries (n - 1) S in and (n - 1) S out.",
         "ring   S is cut into n pieces. In each step every rank sends one piece to its",
         "       neighbour: n - 1 steps add up, n - 1 more hand the sums around. Each",
         "       rank sends 2 (n - 1) pieces of S / n, and all links work all the time.",
         "tree   sums go up a binary tree and down again, about 2 log2 n steps; two trees",
         "       carry half of S each, so that everybody has something to do. Cut into",
         "       slices, the steps of different slices overlap."});
    section.Say(
        "The time of a message is reckoned as alpha + bytes x beta: alpha = " +
        FormatDurationRounded(config.latencyPs) +
        " for the way, beta = the time of a byte at the rate of the link (less the headers of "
        "packets, see the chapter on packets). It is the time on a network where nobody is in "
        "the way; what others do to it is what llm-training-sim simulates.");
}

void
TellPackets(ReportDocument& document,
            const JourneyText& text,
            const Layouts& layouts,
            const JourneyConfig& config)
{
    const Scenario::FabricSection& fabric = config.layouts.front().fabric;
    const uint64_t mtu = fabric.path_mtu;
    ReportSection& section = document.AddSection("packets", "Messages to packets to bits");
    section.Say(
        "The network card cuts each message into packets of at most the path MTU of payload "
        "and puts headers around them. With RDMA it does so alone, straight from the memory "
        "of one accelerator into that of another (RoCEv2: RDMA over Ethernet). A packet on "
        "the wire:");
    section.BeginTable("packet", {{"part", "part"}, {"bytes", "bytes"}, {"for", "what for"}});
    section.AddRow(
        {"preamble and gap", wire::PREAMBLE_IFG, "the receiver's clock; between packets"});
    section.AddRow({"Ethernet", wire::ETHERNET, "from one port to the next"});
    section.AddRow({"IPv4", wire::IPV4, "from one end of the network to the other"});
    section.AddRow({"UDP", wire::UDP, "port 4791 says RoCEv2; the source port spreads load"});
    section.AddRow({"BTH", wire::BTH, "queue pair and number of the packet"});
    section.AddRow({"RETH", wire::RETH, "first packet only: where in memory, how much"});
    section.AddRow({"payload", mtu, "the numbers; at most the path MTU"});
    section.AddRow({"ICRC and FCS", wire::ICRC + wire::FCS, "checksums, end to end and per link"});
    const uint64_t middle = mtu + wire::ROCE_BASE + wire::PREAMBLE_IFG;
    section.Add("middle_packet_link_bytes",
                "a packet on the link",
                ReportValue::Bytes(middle),
                "without RETH, as all but the first");
    section.Add(
        "efficiency",
        "of it payload",
        ReportValue::Real(100.0 * static_cast<double>(mtu) / static_cast<double>(middle), 1, "%"),
        "= " + GroupDigits(mtu) + " / " + GroupDigits(middle));
    section.Add("payload_rate",
                "payload of the link",
                ReportValue::Real(static_cast<double>(fabric.host_rate) * 1e-9 *
                                      static_cast<double>(mtu) / static_cast<double>(middle),
                                  1,
                                  "Gb/s"),
                "of " + ShowBitRate(fabric.host_rate));
    section.Add("ack_link_bytes",
                "an acknowledgement",
                ReportValue::Bytes(GetAckLinkBytes()),
                "comes back for each packet, or for several together");
    section.Say("Messages of this journey. The first would be " + text.GetPieceName() +
                " alone, if its activations between two layers were sent; the others are those "
                "that the layouts send most of, one of each:");
    section.BeginTable("messages",
                       {{"layout", "layout"},
                        {"message", "message"},
                        {"bytes", "bytes"},
                        {"packets", "packets"},
                        {"bits", "bits on\nthe link"},
                        {"time_ps", "time"}});
    const TrainingStep& step = layouts.front()->GetStep();
    const uint64_t piece = text.GetPieceTokens() * step.GetModel().hidden_size *
                           GetBytesPerElement(step.GetParamsType());
    const auto add = [&](const std::string& layout, const std::string& name, uint64_t bytes) {
        const WireCost cost = EstimateWireCost(bytes, static_cast<uint32_t>(mtu));
        section.AddRow({layout,
                        name,
                        bytes,
                        cost.packets,
                        cost.GetLinkBits(),
                        ReportValue::Duration(cost.GetDurationPs(fabric.host_rate))});
    };
    add("-", text.GetPieceName(), piece);
    for (const auto& layout : layouts)
    {
        const JourneyLayout::MainMessage message = layout->GetMainMessage();
        if (message.bytes > 0)
        {
            add(NameIn(layouts, *layout), message.name, message.bytes);
        }
    }
    const WireCost own = EstimateWireCost(piece, static_cast<uint32_t>(mtu));
    section.Say("The first row by hand: " + GroupDigits(piece) + " B are " +
                GroupDigits(own.packets) + " packets of at most " + GroupDigits(mtu) +
                " B; with their headers and gaps " + GroupDigits(own.linkBytes) + " B, times 8 " +
                GroupDigits(own.GetLinkBits()) + " bits, divided by " +
                ShowBitRate(fabric.host_rate) + ".");
}

void
TellTime(ReportDocument& document, const Layouts& layouts, const JourneyConfig& config)
{
    const uint64_t rate = config.layouts.front().fabric.host_rate;
    ReportSection& section = document.AddSection("step_time", "One step on the link");
    section.Say(
        "All that the busiest rank sends in a step, with collectives by ring unless a scenario "
        "names others. The "
        "time is that of the bits alone, without alpha and without anybody in the way. "
        "Compute is what the rank calculates in the same step: each kernel takes as long as "
        "its arithmetic or its memory traffic, whichever is longer. All ranks together take "
        "longer than one accelerator alone would, as smaller products of matrices reach "
        "less of the peak.");
    section.BeginTable("steps",
                       {{"layout", "layout"},
                        {"dimension", "for"},
                        {"payload_bytes", "payload\nbytes"},
                        {"packets", "packets"},
                        {"bits", "bits on\nthe link"},
                        {"time_ps", "time at\nthe link"},
                        {"compute_ps", "compute"}});
    for (const auto& layout : layouts)
    {
        for (const auto& [dimension, cost] : layout->GetWireCosts())
        {
            section.AddRow({NameIn(layouts, *layout),
                            ToString(dimension),
                            cost.payloadBytes,
                            cost.packets,
                            cost.GetLinkBits(),
                            ReportValue::Duration(cost.GetDurationPs(rate)),
                            ReportValue::Duration(layout->GetComputePs())});
        }
    }
}

void
TellNeeds(ReportDocument& document, const Layouts& layouts, const JourneyConfig& config)
{
    const Scenario::FabricSection& fabric = config.layouts.front().fabric;
    ReportSection& section = document.AddSection("needs", "What the network must give");
    section.Say(
        "Communication costs nothing if it happens while the accelerator computes something "
        "else anyway. How fast must the network be for that? The bytes, divided by the time "
        "of the compute that they can hide behind (the window). The network sees them as "
        "bursts, one for each collective or message, and between the bursts nothing: the "
        "period is the window divided by their number.");
    section.BeginTable("needs",
                       {{"layout", "layout"},
                        {"dimension", "for"},
                        {"bytes", "bytes of\na step"},
                        {"bursts", "bursts"},
                        {"largest_burst_bytes", "largest\nburst"},
                        {"period_ps", "period"},
                        {"window_ps", "window"},
                        {"gigabytes_per_second", "GB/s\nneeded"}});
    bool missing = false;
    for (const auto& layout : layouts)
    {
        for (const auto& demand : layout->GetDemands())
        {
            if (demand.windowPs == 0)
            {
                missing = true;
                continue;
            }
            section.AddRow({NameIn(layouts, *layout),
                            ToString(demand.dimension),
                            demand.bytes,
                            demand.operations,
                            demand.largestBurst,
                            ReportValue::Duration(demand.GetPeriodPs()),
                            ReportValue::Duration(demand.windowPs),
                            Rate(demand.GetBytesPerSecond())});
        }
    }
    const double given = static_cast<double>(fabric.host_rate) / 8;
    section.Add("link_gigabytes_per_second",
                "the link gives",
                ReportValue::Real(given * 1e-9, 2, "GB/s"),
                "= " + ShowBitRate(fabric.host_rate) + " / 8, headers included");
    section.Say(
        "Windows: gradients (data) hide behind the backward of the last microbatch, which "
        "makes them; all else behind all compute of the step. Whether it really hides "
        "depends on the program: an all-reduce inside a layer stands in the way of what comes "
        "after it, unless both are cut into pieces that overlap.");
    if (missing)
    {
        section.Say("Scalars and tied embeddings are exchanged when all compute is over; they have "
                    "nothing to hide behind and are left out.");
    }
    for (const auto& layout : layouts)
    {
        double worst = 0;
        const NetworkDemand* which = nullptr;
        for (const auto& demand : layout->GetDemands())
        {
            if (demand.GetBytesPerSecond() > worst)
            {
                worst = demand.GetBytesPerSecond();
                which = &demand;
            }
        }
        if (!which)
        {
            continue;
        }
        const std::string need = ReportValue::Real(worst * 1e-9, 1, "GB/s").Show();
        section.Say(
            layout->GetName() + ": " + need + " for " + ToString(which->dimension) +
            (worst <= given
                 ? ", less than the link gives: it can hide."
                 : ", " + ReportValue::Real(worst / given, 1).Show() +
                       " times what the link gives: the accelerators will wait for the "
                       "network. Inside a server a scale-up link (NVLink, " +
                       ReportValue::Real(static_cast<double>(layout->GetStep()
                                                                 .GetAccelerator()
                                                                 .GetConfig()
                                                                 .scale_up_bits_per_second) /
                                             8e9,
                                         0,
                                         "GB/s")
                           .Show() +
                       ") gives more."));
    }
}

} // namespace

ReportDocument
TellJourney(const JourneyConfig& config)
{
    Layouts layouts;
    for (const auto& scenario : config.layouts)
    {
        layouts.push_back(std::make_unique<JourneyLayout>(scenario, config.latencyPs));
    }
    const TrainingStep& step = layouts.front()->GetStep();
    const JourneyText text(config,
                           step.GetTraining().seq_length,
                           step.GetTraining().global_batch_size,
                           step.GetModel().vocab_size);
    ReportDocument document("The journey of a text through the training of a language model", true);
    TellStart(document, text, layouts, config);
    text.Tell(document);
    TellTensors(document, text, layouts.front()->GetModel(), step);
    TellWays(document, config);
    for (const auto& layout : layouts)
    {
        layout->Tell(document);
    }
    TellPackets(document, text, layouts, config);
    if (std::all_of(layouts.begin(), layouts.end(), [](const auto& layout) {
            return layout->GetDemands().empty();
        }))
    {
        document.AddSection("needs", "What the network must give")
            .Say("Nothing: one accelerator does all of the work and sends nothing to anybody.");
        return document;
    }
    TellTime(document, layouts, config);
    TellNeeds(document, layouts, config);
    return document;
}

} // namespace llm
} // namespace ns3

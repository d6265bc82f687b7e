/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-training-helper.h"

#include "ns3/data-rate.h"
#include "ns3/ipv4.h"
#include "ns3/ipv6.h"
#include "ns3/llm-config-error.h"
#include "ns3/llm-parallel-layout.h"
#include "ns3/llm-routed-transport.h"
#include "ns3/llm-scale-up-transport.h"
#include "ns3/llm-socket-transport.h"
#include "ns3/llm-training-step.h"
#include "ns3/node.h"

namespace ns3
{
namespace llm
{

namespace
{

/** @param node any. @param isIpv6 family. @param found gets its first address that is neither the
 *  loopback nor of its link alone. @return false if it has none. */
bool
FindAddress(const Ptr<Node>& node, bool isIpv6, Address& found)
{
    // Interface 0 is the loopback on every stack that InternetStackHelper installs.
    const Ptr<Ipv4> ipv4 = node->GetObject<Ipv4>();
    for (uint32_t i = 1; !isIpv6 && ipv4 && i < ipv4->GetNInterfaces(); ++i)
    {
        if (ipv4->GetNAddresses(i) > 0)
        {
            found = ipv4->GetAddress(i, 0).GetLocal();
            return true;
        }
    }
    const Ptr<Ipv6> ipv6 = node->GetObject<Ipv6>();
    for (uint32_t i = 1; isIpv6 && ipv6 && i < ipv6->GetNInterfaces(); ++i)
    {
        for (uint32_t j = 0; j < ipv6->GetNAddresses(i); ++j)
        {
            const Ipv6Address address = ipv6->GetAddress(i, j).GetAddress();
            if (!address.IsLinkLocal())
            {
                found = address;
                return true;
            }
        }
    }
    return false;
}

/** @param nodes any. @param isIpv6 family. @param addresses gets theirs.
 *  @return a node without one, or null. */
Ptr<Node>
FindAddresses(const NodeContainer& nodes, bool isIpv6, std::vector<Address>& addresses)
{
    addresses.clear();
    for (uint32_t i = 0; i < nodes.GetN(); ++i)
    {
        addresses.emplace_back();
        if (!FindAddress(nodes.Get(i), isIpv6, addresses.back()))
        {
            return nodes.Get(i);
        }
    }
    return nullptr;
}

} // namespace

LlmTrainingHelper::LlmTrainingHelper(const std::string& fileName)
    : LlmTrainingHelper(ModelConfig::ReadFile(fileName))
{
}

LlmTrainingHelper::LlmTrainingHelper(const ModelConfig& model)
    : m_model(model),
      m_choice{"ring", 1, 1U << 20, "auto"}
{
    m_job.SetTypeId(TrainingJob::GetTypeId());
    m_scaleUp.SetTypeId(ScaleUpTransport::GetTypeId());
    m_sockets.SetTypeId(SocketTransport::GetTypeId());
}

LlmTrainingHelper::LlmTrainingHelper(std::shared_ptr<const WorkloadSource> workload)
    : LlmTrainingHelper(ModelConfig())
{
    m_workload = std::move(workload);
}

void
LlmTrainingHelper::SetParallel(uint32_t tensor, uint32_t pipeline)
{
    m_parallel.tensor_model_parallel_size = tensor;
    m_parallel.pipeline_model_parallel_size = pipeline;
}

void
LlmTrainingHelper::SetParallel(const ParallelConfig& config)
{
    m_parallel = config;
}

void
LlmTrainingHelper::SetTraining(const TrainingConfig& config)
{
    m_training = config;
}

void
LlmTrainingHelper::SetAccelerator(const AcceleratorConfig& config)
{
    m_accelerator = config;
}

void
LlmTrainingHelper::SetAcceleratorsPerNode(uint32_t count)
{
    if (count == 0)
    {
        throw ConfigError("LlmTrainingHelper",
                          "accelerators per node",
                          "is 0; at least 1 is needed");
    }
    m_perNode = count;
}

void
LlmTrainingHelper::SetAcceleratorsPerServer(uint32_t count)
{
    m_perServer = count;
}

void
LlmTrainingHelper::SetCollectives(const TrainingJob::CollectiveChoice& choice)
{
    m_choice = choice;
}

void
LlmTrainingHelper::SetJobAttribute(const std::string& name, const AttributeValue& value)
{
    m_job.Set(name, value);
}

void
LlmTrainingHelper::SetScaleUpAttribute(const std::string& name, const AttributeValue& value)
{
    m_scaleUp.Set(name, value);
}

void
LlmTrainingHelper::SetIpv6(bool prefer)
{
    m_ipv6 = prefer;
}

void
LlmTrainingHelper::SetSocketAttribute(const std::string& name, const AttributeValue& value)
{
    m_sockets.Set(name, value);
}

RdmaTransportHelper&
LlmTrainingHelper::GetRdmaHelper()
{
    return m_rdma;
}

Ptr<TrainingJob>
LlmTrainingHelper::Install(const NodeContainer& nodes) const
{
    std::vector<Address> addresses;
    const Ptr<Node> without = FindAddresses(nodes, m_ipv6, addresses);
    if (without && FindAddresses(nodes, !m_ipv6, addresses))
    {
        Address any;
        const bool hasOne = FindAddress(without, !m_ipv6, any);
        throw ConfigError("LlmTrainingHelper",
                          "node " + std::to_string(without->GetId()),
                          hasOne
                              ? std::string("has no ") + (m_ipv6 ? "IPv6" : "IPv4") +
                                    " address, and another node no " + (m_ipv6 ? "IPv4" : "IPv6") +
                                    " address; assign all of them addresses of one family"
                              : "has no IP address; install an Internet stack and assign "
                                "addresses first");
    }
    return Install(nodes, addresses);
}

Ptr<TrainingJob>
LlmTrainingHelper::Install(const NodeContainer& nodes, const std::vector<Address>& addresses) const
{
    if (addresses.size() != nodes.GetN())
    {
        throw ConfigError("LlmTrainingHelper",
                          "addresses",
                          "are " + std::to_string(addresses.size()) + " for " +
                              std::to_string(nodes.GetN()) + " nodes; each needs one");
    }
    auto sockets = m_sockets.Create<SocketTransport>();
    NodeContainer ranks;
    for (uint32_t i = 0; i < nodes.GetN(); ++i)
    {
        for (uint32_t j = 0; j < m_perNode; ++j)
        {
            sockets->AddRank(ranks.GetN(), nodes.Get(i), addresses[i]);
            ranks.Add(nodes.Get(i));
        }
    }
    return Install(Ptr<MessageTransport>(sockets), ranks);
}

Ptr<TrainingJob>
LlmTrainingHelper::Install(Ptr<Fabric> fabric, const NodeContainer& nodes) const
{
    if (m_perNode != 1)
    {
        throw ConfigError("LlmTrainingHelper",
                          "accelerators per node",
                          "is " + std::to_string(m_perNode) +
                              "; an endpoint of a fabric carries 1 (group them by "
                              "SetAcceleratorsPerServer)");
    }
    return Install(Ptr<MessageTransport>(m_rdma.Install(fabric, nodes)), nodes);
}

Ptr<TrainingJob>
LlmTrainingHelper::Install(Ptr<MessageTransport> network, const NodeContainer& ranks) const
{
    auto job = m_job.Create<TrainingJob>();
    job->SetWorkload(MakeWorkload(ranks.GetN()));
    const std::vector<uint32_t> servers = FindServers(ranks.GetN());
    job->SetTransport(AddScaleUp(network, ranks, servers));
    job->SetServers(servers);
    job->SetCollectives(m_choice);
    if (m_choice.algorithm == "ring")
    {
        // The ring has no all-to-all.
        job->SetCollective(CollectiveKind::ALL_TO_ALL,
                           {"direct", m_choice.channels, m_choice.sliceBytes, m_choice.protocol});
    }
    job->Install(ranks);
    return job;
}

std::shared_ptr<const WorkloadSource>
LlmTrainingHelper::MakeWorkload(uint32_t world) const
{
    if (m_workload)
    {
        return m_workload;
    }
    return std::make_shared<TrainingStep>(m_model,
                                          ParallelLayout(m_parallel, world),
                                          m_training,
                                          Accelerator(m_accelerator));
}

std::vector<uint32_t>
LlmTrainingHelper::FindServers(uint32_t world) const
{
    const uint32_t perServer = m_perServer > 0 ? m_perServer : m_perNode;
    std::vector<uint32_t> serverOf;
    for (uint32_t rank = 0; rank < world; ++rank)
    {
        serverOf.push_back(rank / perServer);
    }
    return serverOf;
}

Ptr<MessageTransport>
LlmTrainingHelper::AddScaleUp(Ptr<MessageTransport> network,
                              const NodeContainer& ranks,
                              const std::vector<uint32_t>& serverOf) const
{
    const uint32_t perServer = m_perServer > 0 ? m_perServer : m_perNode;
    if (perServer == 1)
    {
        return network;
    }
    auto scaleUp = m_scaleUp.Create<ScaleUpTransport>();
    const uint64_t rate = Accelerator(m_accelerator).GetConfig().scale_up_bits_per_second;
    scaleUp->SetAttribute("Bandwidth", DataRateValue(DataRate(rate)));
    scaleUp->SetEventQueue(network->GetEventQueue());
    for (uint32_t rank = 0; rank < ranks.GetN(); ++rank)
    {
        scaleUp->AddRank(rank, serverOf[rank], ranks.Get(rank)->GetId());
    }
    auto routed = CreateObject<RoutedTransport>();
    routed->SetRoutes(scaleUp, network, serverOf);
    return routed;
}

} // namespace llm
} // namespace ns3

/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_TRAINING_HELPER_H
#define LLM_TRAINING_HELPER_H

#include "rdma-transport-helper.h"

#include "ns3/address.h"
#include "ns3/attribute.h"
#include "ns3/llm-accelerator.h"
#include "ns3/llm-fabric.h"
#include "ns3/llm-model-config.h"
#include "ns3/llm-parallel-config.h"
#include "ns3/llm-step-program.h"
#include "ns3/llm-training-config.h"
#include "ns3/llm-training-job.h"
#include "ns3/node-container.h"
#include "ns3/object-factory.h"

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Puts a training job on nodes that exist, in three lines:
 *
 * @code
 *   LlmTrainingHelper llm("gpt2.json");   // a Hugging Face config.json
 *   llm.SetParallel(1, 2);                // tensor, pipeline; data parallelism is the rest
 *   auto job = llm.Install(nodes);        // over TCP on the nodes' own stacks
 * @endcode
 *
 * or, on the endpoints of a Fabric, `llm.Install(fabric, nodes)` over RDMA. Then Simulator::Run;
 * afterwards ask the TrainingJob. A helper may install any number of jobs.
 *
 * Every node carries SetAcceleratorsPerNode ranks (1), consecutive ones: rank r is on node r / n.
 * Consecutive ranks share a scale-up domain (NVLink) if SetAcceleratorsPerServer or
 * SetAcceleratorsPerNode is above 1; all others talk over the network.
 */
class LlmTrainingHelper
{
  public:
    /** @param fileName a Hugging Face config.json. @throw ConfigError if it cannot be used. */
    explicit LlmTrainingHelper(const std::string& fileName);
    /** @param model shape. */
    explicit LlmTrainingHelper(const ModelConfig& model);
    /** @param workload ready to run; the model, parallelism, training and accelerator settings of
     *         the helper are then without effect. */
    explicit LlmTrainingHelper(std::shared_ptr<const WorkloadSource> workload);

    /** @param tensor ranks that share a layer. @param pipeline stages. The rest is data parallel.
     */
    void SetParallel(uint32_t tensor, uint32_t pipeline);
    /** @param config all of it. */
    void SetParallel(const ParallelConfig& config);
    /** @param config batch sizes, number formats, buckets. */
    void SetTraining(const TrainingConfig& config);
    /** @param config compute and scale-up speed. */
    void SetAccelerator(const AcceleratorConfig& config);
    /** @param count ranks on each node, >= 1. */
    void SetAcceleratorsPerNode(uint32_t count);
    /** @param count consecutive ranks of a scale-up domain, 1: none; 0: those of a node. */
    void SetAcceleratorsPerServer(uint32_t count);
    /** @param choice how all kinds of collectives are done. Default: ring, 1 channel, slices of
     *         1 MiB. */
    void SetCollectives(const TrainingJob::CollectiveChoice& choice);
    /** Set an attribute of TrainingJob: Iterations, StartTime, StallTime ...
     *  @param name of it. @param value of it. */
    void SetJobAttribute(const std::string& name, const AttributeValue& value);
    /** Set an attribute of the ScaleUpTransport: Latency. @param name of it. @param value of it. */
    void SetScaleUpAttribute(const std::string& name, const AttributeValue& value);
    /** Set an attribute of the SocketTransport. @param name of it. @param value of it. */
    void SetSocketAttribute(const std::string& name, const AttributeValue& value);
    /** @return what makes the RDMA transport: path MTU, congestion control ... */
    RdmaTransportHelper& GetRdmaHelper();

    /** @param prefer IPv6 addresses over TCP where nodes have both. Default: false. */
    void SetIpv6(bool prefer);

    /**
     * Over TCP: each rank is reached at the first address of its node that is neither the loopback
     * nor of its link alone; of the family that every node has such an address of, IPv4 if both.
     * @param nodes with Internet stacks, addresses and routes; world size / accelerators per node.
     * @return the job, installed.
     * @throw ConfigError if something does not fit.
     */
    Ptr<TrainingJob> Install(const NodeContainer& nodes) const;

    /**
     * Over TCP, at chosen addresses: for nodes with several, of which others reach some only.
     * @param nodes as above.
     * @param addresses of the nodes, as SocketTransport::AddRank takes them.
     * @return the job, installed.
     * @throw ConfigError if something does not fit.
     */
    Ptr<TrainingJob> Install(const NodeContainer& nodes,
                             const std::vector<Address>& addresses) const;

    /**
     * Over RDMA.
     * @param fabric built.
     * @param nodes endpoints of it, one per rank.
     * @return the job, installed.
     * @throw ConfigError if something does not fit.
     */
    Ptr<TrainingJob> Install(Ptr<Fabric> fabric, const NodeContainer& nodes) const;

    /**
     * Over a transport of one's own.
     * @param network knows all ranks.
     * @param ranks node of each rank.
     * @return the job, installed.
     * @throw ConfigError if something does not fit.
     */
    Ptr<TrainingJob> Install(Ptr<MessageTransport> network, const NodeContainer& ranks) const;

  private:
    /** @param world number of ranks. @return the workload. */
    std::shared_ptr<const WorkloadSource> MakeWorkload(uint32_t world) const;
    /** Put scale-up domains in front of a network. */
    Ptr<MessageTransport> AddScaleUp(Ptr<MessageTransport> network,
                                     const NodeContainer& ranks,
                                     const std::vector<uint32_t>& serverOf) const;
    /** @param world number of ranks. @return the server of each. */
    std::vector<uint32_t> FindServers(uint32_t world) const;

    ModelConfig m_model;                              //!< unless m_workload
    std::shared_ptr<const WorkloadSource> m_workload; //!< null: made from the model
    ParallelConfig m_parallel;                        //!< layout
    TrainingConfig m_training;                        //!< batch
    AcceleratorConfig m_accelerator;                  //!< speed
    bool m_ipv6{false};                               //!< before IPv4
    uint32_t m_perNode{1};                            //!< ranks on a node
    uint32_t m_perServer{0};                          //!< ranks in a scale-up domain
    TrainingJob::CollectiveChoice m_choice;           //!< collectives
    ObjectFactory m_job;                              //!< of the job
    ObjectFactory m_scaleUp;                          //!< of the scale-up transport
    ObjectFactory m_sockets;                          //!< of the socket transport
    RdmaTransportHelper m_rdma;                       //!< of the RDMA transport
};

} // namespace llm
} // namespace ns3

#endif // LLM_TRAINING_HELPER_H

/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_NETWORK_DEMAND_H
#define LLM_NETWORK_DEMAND_H

#include "llm-traffic-model.h"
#include "llm-traffic-volumes.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * What the network must give to one accelerator so that the communication of one dimension hides
 * behind compute: as many bytes as its busiest rank sends, within the compute that can run beside
 * them. Whether the real step lets it hide is another question: tensor-parallel all-reduces stand
 * in the way of the compute that follows unless tp_comm_overlap splits both.
 */
struct NetworkDemand
{
    ParallelDimension dimension{ParallelDimension::DATA}; //!< what for
    uint32_t rank{0};                                     //!< the busiest one
    uint64_t bytes{0};                                    //!< that it sends per iteration
    uint64_t operations{0};   //!< collectives and sends of it per iteration
    uint64_t largestBurst{0}; //!< bytes that it sends in the largest of them
    int64_t windowPs{0};      //!< compute beside which these bytes can go; 0: none
    std::string window;       //!< which compute that is

    /** @return bytes per second, 0 if there is no window. */
    double GetBytesPerSecond() const;
    /** @return picoseconds from one operation to the next, on average; 0 if there is no window. */
    int64_t GetPeriodPs() const;
};

/**
 * @ingroup llm-training
 *
 * Windows: tensor, context, expert and pipeline traffic goes beside all forwards and backwards of
 * the rank. Gradients go beside the backward of the last microbatch, which makes them; sharded
 * optimizers gather parameters beside the first forward as well; sharded gradients are scattered
 * beside every backward; sharded parameters move beside everything. Tied embeddings and scalars
 * come when compute is over and have no window.
 *
 * @param step what is trained.
 * @param model its closed form.
 * @param chooser the one that the model has.
 * @param volumes of the model.
 * @return the demand of each dimension that has traffic.
 */
std::vector<NetworkDemand> EstimateNetworkDemands(const TrainingStep& step,
                                                  const TrafficModel& model,
                                                  const TrafficModel::Chooser& chooser,
                                                  const TrafficVolumes& volumes);

} // namespace llm
} // namespace ns3

#endif // LLM_NETWORK_DEMAND_H

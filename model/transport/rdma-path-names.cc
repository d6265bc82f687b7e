/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-path-names.h"

#include "rdma-pinned-path.h"
#include "rdma-random-spray.h"
#include "rdma-reps.h"
#include "rdma-round-robin-spray.h"
#include "rdma-single-path.h"

namespace ns3
{
namespace llm
{

const ClassNames&
GetRdmaPathNames()
{
    static const ClassNames names("path selector",
                                  &RdmaPathSelector::GetTypeId,
                                  {{"single", &RdmaSinglePath::GetTypeId},
                                   {"pinned", &RdmaPinnedPath::GetTypeId},
                                   {"spray", &RdmaRandomSpray::GetTypeId},
                                   {"round_robin", &RdmaRoundRobinSpray::GetTypeId},
                                   {"reps", &RdmaReps::GetTypeId}});
    return names;
}

} // namespace llm
} // namespace ns3

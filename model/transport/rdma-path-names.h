/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_PATH_NAMES_H
#define RDMA_PATH_NAMES_H

#include "ns3/llm-class-names.h"

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Names of path selectors, as people write them in scenarios.
 *
 * | name        | class               |
 * | ----------- | ------------------- |
 * | single      | RdmaSinglePath      |
 * | pinned      | RdmaPinnedPath      |
 * | spray       | RdmaRandomSpray     |
 * | round_robin | RdmaRoundRobinSpray |
 * | reps        | RdmaReps            |
 *
 * Beside these, the TypeId name of any registered RdmaPathSelector.
 *
 * @return all of them.
 */
const ClassNames& GetRdmaPathNames();

} // namespace llm
} // namespace ns3

#endif // RDMA_PATH_NAMES_H

/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_RELIABILITY_NAMES_H
#define RDMA_RELIABILITY_NAMES_H

#include "ns3/llm-class-names.h"

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Names of loss recoveries, as people write them in scenarios.
 *
 * | name             | class               |
 * | ---------------- | ------------------- |
 * | go_back_n        | RdmaGoBackN         |
 * | go_back_0        | RdmaGoBackZero      |
 * | selective_repeat | RdmaSelectiveRepeat |
 * | out_of_order     | RdmaOutOfOrder      |
 *
 * Beside these, the TypeId name of any registered RdmaReliability.
 *
 * @return all of them.
 */
const ClassNames& GetRdmaReliabilityNames();

} // namespace llm
} // namespace ns3

#endif // RDMA_RELIABILITY_NAMES_H

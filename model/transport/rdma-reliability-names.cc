/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-reliability-names.h"

#include "rdma-go-back-n.h"
#include "rdma-go-back-zero.h"
#include "rdma-out-of-order.h"
#include "rdma-selective-repeat.h"

namespace ns3
{
namespace llm
{

const ClassNames&
GetRdmaReliabilityNames()
{
    static const ClassNames names("reliability",
                                  &RdmaReliability::GetTypeId,
                                  {{"go_back_n", &RdmaGoBackN::GetTypeId},
                                   {"go_back_0", &RdmaGoBackZero::GetTypeId},
                                   {"selective_repeat", &RdmaSelectiveRepeat::GetTypeId},
                                   {"out_of_order", &RdmaOutOfOrder::GetTypeId}});
    return names;
}

} // namespace llm
} // namespace ns3

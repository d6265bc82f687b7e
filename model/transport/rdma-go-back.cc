/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "rdma-go-back.h"

namespace ns3
{
namespace llm
{

NS_OBJECT_ENSURE_REGISTERED(RdmaGoBack);

TypeId
RdmaGoBack::GetTypeId()
{
    static TypeId tid =
        TypeId("ns3::llm::RdmaGoBack").SetParent<RdmaReliability>().SetGroupName("LlmTraining");
    return tid;
}

bool
RdmaGoBack::DiscardsProgress() const
{
    return false;
}

} // namespace llm
} // namespace ns3

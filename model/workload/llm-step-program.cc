/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-step-program.h"

namespace ns3
{
namespace llm
{

const char*
ToString(ParallelDimension dimension)
{
    switch (dimension)
    {
    case ParallelDimension::TENSOR:
        return "tensor";
    case ParallelDimension::CONTEXT:
        return "context";
    case ParallelDimension::EXPERT:
        return "expert";
    case ParallelDimension::DATA:
        return "data";
    case ParallelDimension::PIPELINE:
        return "pipeline";
    case ParallelDimension::EMBEDDING:
        return "embedding";
    case ParallelDimension::SCALAR:
        return "scalar";
    case ParallelDimension::COUNT:
        break;
    }
    return "unknown";
}

const char*
ToString(OperationKind kind)
{
    switch (kind)
    {
    case OperationKind::COMPUTE:
        return "compute";
    case OperationKind::ALL_REDUCE:
        return "all_reduce";
    case OperationKind::ALL_GATHER:
        return "all_gather";
    case OperationKind::REDUCE_SCATTER:
        return "reduce_scatter";
    case OperationKind::BROADCAST:
        return "broadcast";
    case OperationKind::REDUCE:
        return "reduce";
    case OperationKind::ALL_TO_ALL:
        return "all_to_all";
    case OperationKind::SEND:
        return "send";
    case OperationKind::RECV:
        return "recv";
    }
    return "unknown";
}

const char*
ToString(StepPhase phase)
{
    switch (phase)
    {
    case StepPhase::FORWARD:
        return "forward";
    case StepPhase::BACKWARD:
        return "backward";
    case StepPhase::GRADIENT:
        return "gradient";
    case StepPhase::OPTIMIZER:
        return "optimizer";
    case StepPhase::SETUP:
        return "setup";
    }
    return "unknown";
}

const char*
ToString(OperationStream stream)
{
    switch (stream)
    {
    case OperationStream::COMPUTE:
        return "compute";
    case OperationStream::TENSOR:
        return "tensor";
    case OperationStream::DATA:
        return "data";
    case OperationStream::SEND_FORWARD:
        return "send_forward";
    case OperationStream::RECV_FORWARD:
        return "recv_forward";
    case OperationStream::SEND_BACKWARD:
        return "send_backward";
    case OperationStream::RECV_BACKWARD:
        return "recv_backward";
    case OperationStream::CONTEXT:
        return "context";
    case OperationStream::EXPERT:
        return "expert";
    case OperationStream::OTHER:
        return "other";
    case OperationStream::UNORDERED:
        return "unordered";
    case OperationStream::COUNT:
        break;
    }
    return "unknown";
}

std::string
DescribeGroup(const ProcessGroup& group)
{
    constexpr std::size_t named = 8;
    std::string text = "group \"" + group.name + "\" of ranks";
    for (std::size_t i = 0; i < group.ranks.size() && i < named; ++i)
    {
        text += (i == 0 ? " " : ", ") + std::to_string(group.ranks[i]);
    }
    return group.ranks.size() > named ? text + ", ..." : text;
}

} // namespace llm
} // namespace ns3

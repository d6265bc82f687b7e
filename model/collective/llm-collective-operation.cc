/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-collective-operation.h"

#include <stdexcept>
#include <string>

namespace ns3
{
namespace llm
{

CollectiveKind
GetCollectiveKind(OperationKind kind)
{
    switch (kind)
    {
    case OperationKind::ALL_REDUCE:
        return CollectiveKind::ALL_REDUCE;
    case OperationKind::ALL_GATHER:
        return CollectiveKind::ALL_GATHER;
    case OperationKind::REDUCE_SCATTER:
        return CollectiveKind::REDUCE_SCATTER;
    case OperationKind::BROADCAST:
        return CollectiveKind::BROADCAST;
    case OperationKind::REDUCE:
        return CollectiveKind::REDUCE;
    case OperationKind::ALL_TO_ALL:
        return CollectiveKind::ALL_TO_ALL;
    case OperationKind::COMPUTE:
    case OperationKind::SEND:
    case OperationKind::RECV:
        break;
    }
    throw std::invalid_argument(std::string(ToString(kind)) + " is no collective");
}

} // namespace llm
} // namespace ns3

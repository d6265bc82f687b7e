/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_IN_NETWORK_H
#define LLM_IN_NETWORK_H

#include <cstdint>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * What the switch of a scale-up domain does to a message, as NVSwitches do since their third
 * generation (NVLS: multimem.ld_reduce and multimem.st).
 *
 * What a rank gives to the switch, or gets from it, crosses its port once, whatever the switch
 * makes of it. Books therefore keep it as traffic of the rank with itself: pair (r, r) of the
 * traffic model and of the job's ledger is what rank r puts on its port for the switch.
 */
enum class InNetwork : uint8_t
{
    NONE,     //!< from one rank to another
    REDUCE,   //!< every member gives one of equal length; one of them gets the sum, once
    MULTICAST //!< one member gives; every member gets a copy, the giver too
};

} // namespace llm
} // namespace ns3

#endif // LLM_IN_NETWORK_H

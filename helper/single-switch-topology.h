/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef SINGLE_SWITCH_TOPOLOGY_H
#define SINGLE_SWITCH_TOPOLOGY_H

#include "fabric-topology.h"

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * All endpoints on one switch, named "switch0".
 */
class SingleSwitchTopology : public FabricTopology
{
  public:
    /** @param hosts endpoints, 1 .. 65535. @throw ConfigError outside. */
    explicit SingleSwitchTopology(uint32_t hosts);

    std::string Describe() const override;
    uint32_t GetEndpointCount() const override;

  protected:
    void Wire(FabricNetwork& network) const override;

  private:
    uint32_t m_hosts; //!< endpoints
};

} // namespace llm
} // namespace ns3

#endif // SINGLE_SWITCH_TOPOLOGY_H

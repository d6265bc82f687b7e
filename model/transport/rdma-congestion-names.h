/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_CONGESTION_NAMES_H
#define RDMA_CONGESTION_NAMES_H

#include "ns3/type-id.h"

#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Names of congestion controls, as people write them in scenarios and on command lines.
 *
 * | name           | class                   |
 * | -------------- | ----------------------- |
 * | dcqcn          | RdmaDcqcn               |
 * | dcqcn_mellanox | RdmaDcqcnMellanox       |
 * | hpcc           | RdmaHpcc                |
 * | timely         | RdmaTimely              |
 * | swift          | RdmaSwift               |
 * | dctcp          | RdmaDctcp               |
 * | powertcp       | RdmaPowerTcp            |
 * | powertcp_delay | RdmaDelayPowerTcp       |
 * | nscc           | RdmaNscc                |
 * | none           | RdmaNoCongestionControl |
 *
 * Beside these, the TypeId name of any registered class that derives from RdmaCongestionOps and
 * can be constructed, wherever it was written.
 */
class RdmaCongestionNames
{
  public:
    /**
     * @param name short name or TypeId name.
     * @param source where the name was written, for the error: a file, "command line" ...
     * @param path place inside the source; may be empty.
     * @return the class.
     * @throw ConfigError if there is no such congestion control; it says the nearest name, and all.
     */
    static TypeId Lookup(const std::string& name,
                         const std::string& source,
                         const std::string& path = "");

    /** @return all names: the short ones, then TypeIds in alphabetic order. */
    static std::vector<std::string> GetNames();
};

} // namespace llm
} // namespace ns3

#endif // RDMA_CONGESTION_NAMES_H

/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_GRAPH_FILE_H
#define FABRIC_GRAPH_FILE_H

#include "fabric-graph.h"
#include "llm-scenario-field.h"

#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Reads a FabricGraph that is written as JSON (comments are allowed):
 *
 * @code
 *   {
 *     "hosts": ["h0", "h1"],
 *     "switches": ["s0", "s1"],
 *     "links": [
 *       {"from": "h0", "to": "s0", "rate": "100Gbps", "delay": "1us"},
 *       {"from": "h1", "to": "s1"},
 *       {"from": "s0", "to": "s1", "count": 2, "loss": 0.001}
 *     ],
 *     "servers": [{"hosts": ["h0", "h1"]}],
 *     "routes": [{"at": "s0", "to": ["h1"], "via": ["s1"]}],
 *     "switch_settings": [{"name": "s0", "buffer": {"Size": "16777216"}}]
 *   }
 * @endcode
 */
class FabricGraphFile
{
  public:
    /**
     * @param text JSON.
     * @param source file, for errors.
     * @param prefix of JSON paths in errors: empty, or "fabric.graph." for an object within a
     *        scenario.
     * @param hostLink of links with a host that say neither rate nor delay.
     * @param switchLink of links between switches that say neither.
     * @return the graph.
     * @throw ConfigError naming source and JSON path.
     */
    static FabricGraph Parse(const std::string& text,
                             const std::string& source,
                             const std::string& prefix,
                             const FabricLink& hostLink,
                             const FabricLink& switchLink);

    /** @return every field of such a file, for the manual. */
    static const std::vector<ScenarioField>& GetFields();
};

} // namespace llm
} // namespace ns3

#endif // FABRIC_GRAPH_FILE_H

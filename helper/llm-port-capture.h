/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_PORT_CAPTURE_H
#define LLM_PORT_CAPTURE_H

#include "llm-output-folder.h"

#include "ns3/llm-fabric.h"

#include <string>

namespace ns3
{
namespace llm
{

/**
 * Write a pcap file, in nanoseconds, of all frames that a port sends and receives.
 * @param fabric that the port belongs to.
 * @param name of the port, "leaf0:3", or of a node that has only one, "host0".
 * @param folder where the file goes: "leaf0-3.pcap".
 * @return the port's label, "leaf0:3".
 * @throw ConfigError if there is no such port, or the file cannot be written.
 */
std::string CapturePort(Ptr<Fabric> fabric, const std::string& name, const OutputFolder& folder);

} // namespace llm
} // namespace ns3

#endif // LLM_PORT_CAPTURE_H

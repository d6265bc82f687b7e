/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-port-capture.h"

#include "ns3/boolean.h"
#include "ns3/llm-config-error.h"
#include "ns3/llm-nearest-name.h"
#include "ns3/pcap-file-wrapper.h"
#include "ns3/simulator.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

namespace
{

constexpr uint32_t ETHERNET_LINK_TYPE = 1; //!< LINKTYPE_ETHERNET of libpcap

/** Sink of PromiscSniffer. */
void
Capture(Ptr<PcapFileWrapper> file, Ptr<const Packet> packet)
{
    file->Write(Simulator::Now(), packet);
}

/** @return the port of that name. */
Ptr<FabricPort>
FindPort(Ptr<Fabric> fabric, const std::string& name)
{
    std::vector<std::string> labels;
    for (const auto& port : fabric->GetPorts())
    {
        const std::string label = port->GetLabel();
        const std::string node = label.substr(0, label.rfind(':'));
        if (label == name || (node == name && !port->IsSwitchPort()))
        {
            return port;
        }
        labels.push_back(label);
    }
    throw ConfigError("ports",
                      "",
                      "there is no port '" + name + "'; did you mean '" +
                          NearestName(name, labels) + "'?");
}

} // namespace

std::string
CapturePort(Ptr<Fabric> fabric, const std::string& name, const OutputFolder& folder)
{
    const Ptr<FabricPort> port = FindPort(fabric, name);
    std::string fileName = port->GetLabel() + ".pcap";
    std::replace(fileName.begin(), fileName.end(), ':', '-');
    const std::string path = folder.GetFile(fileName);
    Ptr<PcapFileWrapper> file = CreateObject<PcapFileWrapper>();
    file->SetAttribute("NanosecMode", BooleanValue(true));
    file->Open(path, std::ios::out | std::ios::binary);
    if (file->Fail())
    {
        throw ConfigError(path, "", "cannot be written");
    }
    file->Init(ETHERNET_LINK_TYPE);
    port->TraceConnectWithoutContext("PromiscSniffer", MakeBoundCallback(&Capture, file));
    return port->GetLabel();
}

} // namespace llm
} // namespace ns3

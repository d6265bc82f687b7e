/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// A congestion control of one's own, outside the module: additive increase, multiplicative decrease
// on ECN echoes. Four flows share a link; --control=hpcc, or any other, for comparison, and
// --OwnControl::Decrease=0.7 for one of its attributes.

#include "ns3/core-module.h"
#include "ns3/llm-training-module.h"
#include "ns3/network-module.h"

#include <algorithm>
#include <iostream>

using namespace ns3;
using namespace ns3::llm;

/** Once per RTT: half the window after an echo, else one packet more. */
class OwnControl : public RdmaCongestionOps
{
  public:
    static TypeId GetTypeId()
    {
        static TypeId tid = TypeId("OwnControl")
                                .SetParent<RdmaCongestionOps>()
                                .AddConstructor<OwnControl>()
                                .AddAttribute("Decrease",
                                              "Factor of the window after an echo, 0 to 1.",
                                              DoubleValue(0.5),
                                              MakeDoubleAccessor(&OwnControl::m_decrease),
                                              MakeDoubleChecker<double>(0, 1));
        return tid;
    }

    uint32_t GetNeeds() const override
    {
        return NEEDS_ACK | NEEDS_ECN_ECHO | NEEDS_ACK_PER_PACKET;
    }

    void Init(const RdmaPathInfo& path) override
    {
        m_mtu = path.mtu;
        m_most = std::max<uint64_t>(path.bdp, m_mtu);
        SetRateAndWindow(path.lineRate.GetBitRate(), m_most);
    }

    void OnAck(const RdmaAckInfo& ack) override
    {
        m_echo = m_echo || ack.ecnEcho;
        if (ack.ackedPsn <= m_roundEnd)
        {
            return; // what was sent in this RTT is still on its way
        }
        const auto less = static_cast<uint64_t>(m_decrease * static_cast<double>(GetWindow()));
        SetWindow(m_echo ? std::max(m_mtu, less) : std::min(m_most, GetWindow() + m_mtu));
        m_roundEnd = ack.nextPsn;
        m_echo = false;
    }

  private:
    double m_decrease{0.5};
    uint64_t m_mtu{1};
    uint64_t m_most{1};
    uint64_t m_roundEnd{0};
    bool m_echo{false};
};

NS_OBJECT_ENSURE_REGISTERED(OwnControl);

int
main(int argc, char* argv[])
{
    std::string control = "OwnControl";
    CommandLine cmd(__FILE__);
    cmd.AddValue("control", "congestion control: a short name or a TypeId", control);
    cmd.Parse(argc, argv);
    try
    {
        FabricLink link;
        link.rate = DataRate("100Gbps");
        link.delay = MicroSeconds(1);
        SingleSwitchTopology topology(5);
        topology.SetHostLink(link);
        topology.SetSwitchMaker([] {
            Ptr<RedEcnMarker> red = CreateObject<RedEcnMarker>();
            red->SetAttribute("Kmin", UintegerValue(30000));
            red->SetAttribute("Kmax", UintegerValue(30000));
            return CreateObjectWithAttributes<FabricSwitch>("EcnMarker", PointerValue(red));
        });
        const FabricNetwork network = topology.Build(CreateObject<Fabric>(), 1);
        RdmaTransportHelper helper;
        helper.SetCongestionControl(control);
        Ptr<RdmaTransport> transport = helper.Install(network.fabric, network.endpoints);
        for (uint32_t sender = 0; sender < 4; ++sender)
        {
            Message message;
            message.from = sender;
            message.to = 4;
            message.bytes = uint64_t{1} << 30;
            Simulator::Schedule(Seconds(0), [=] { transport->Send(message); });
        }
        Simulator::Stop(MilliSeconds(5));
        Simulator::Run();
        for (uint32_t sender = 0; sender < 4; ++sender)
        {
            const uint64_t bytes = transport->FindQueuePair(sender, 4, 0)->GetAckedBytes();
            std::cout << control << ": flow " << sender << " has sent " << bytes << " B\n";
        }
        Simulator::Destroy();
    }
    catch (const ConfigError& error)
    {
        std::cerr << error.what() << std::endl;
        return 2;
    }
    return 0;
}

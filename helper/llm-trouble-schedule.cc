/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-trouble-schedule.h"

#include "ns3/bit-error-loss-model.h"
#include "ns3/double.h"
#include "ns3/llm-config-error.h"
#include "ns3/llm-nearest-name.h"
#include "ns3/llm-training-application.h"
#include "ns3/llm-units.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <sstream>

namespace ns3
{
namespace llm
{

namespace
{

/** @return "1 link", "2 links". */
std::string
Count(uint64_t number, const std::string& noun)
{
    return std::to_string(number) + " " + noun + (number == 1 ? "" : "s");
}

/** @return a number, short. */
std::string
Show(double number)
{
    std::ostringstream text;
    text << number;
    return text.str();
}

/** @throw ConfigError saying what is wrong with an event. */
[[noreturn]] void
Refuse(const std::string& what)
{
    throw ConfigError("event", "", what);
}

/** @return frames dropped so far at the ports of links. */
uint64_t
CountDrops(const std::vector<FabricPort*>& links)
{
    uint64_t drops = 0;
    for (const FabricPort* port : links)
    {
        drops += port->GetCounters().drops + port->GetPeer()->GetCounters().drops;
    }
    return drops;
}

/** Let a model judge the frames that arrive at a port, before what does so already. */
void
Spoil(FabricPort& port, Ptr<BitErrorLossModel> model)
{
    model->SetBefore(port.GetLossModel());
    port.SetLossModel(model);
}

/** Take a model of Spoil away again. */
void
Heal(FabricPort& port, const Ptr<BitErrorLossModel>& model)
{
    if (port.GetLossModel() == model)
    {
        port.SetLossModel(model->GetBefore());
        return;
    }
    // Another one came later, and asks this one first.
    for (auto above = DynamicCast<BitErrorLossModel>(port.GetLossModel()); above;
         above = DynamicCast<BitErrorLossModel>(above->GetBefore()))
    {
        if (above->GetBefore() == model)
        {
            above->SetBefore(model->GetBefore());
            return;
        }
    }
}

} // namespace

const std::vector<std::string>&
GetTroubleNames()
{
    static const std::vector<std::string> names{"link_down",
                                                "link_up",
                                                "link_flap",
                                                "link_rate",
                                                "bit_errors",
                                                "switch_down",
                                                "switch_up",
                                                "host_down",
                                                "host_up",
                                                "pause_storm",
                                                "slow_accelerator"};
    return names;
}

const std::string&
ToString(TroubleKind kind)
{
    return GetTroubleNames().at(static_cast<std::size_t>(kind));
}

TroubleKind
ParseTroubleKind(const std::string& name)
{
    const auto& names = GetTroubleNames();
    const auto found = std::find(names.begin(), names.end(), name);
    if (found == names.end())
    {
        Refuse("there is no trouble '" + name + "'; did you mean '" + NearestName(name, names) +
               "'?");
    }
    return static_cast<TroubleKind>(found - names.begin());
}

TroubleSchedule::TroubleSchedule(const FabricNetwork& network)
    : m_fabric(network.fabric),
      m_targets(network)
{
    m_fabric->TraceConnectWithoutContext("RoutesRecomputed",
                                         MakeCallback(&TroubleSchedule::RoutesRecomputed, this));
}

TroubleSchedule::~TroubleSchedule()
{
    m_fabric->TraceDisconnectWithoutContext("RoutesRecomputed",
                                            MakeCallback(&TroubleSchedule::RoutesRecomputed, this));
}

TroubleTargets&
TroubleSchedule::GetTargets()
{
    return m_targets;
}

void
TroubleSchedule::AddListener(const Listener& listener)
{
    m_listeners.push_back(listener);
}

void
TroubleSchedule::Cancel()
{
    for (EventId& event : m_events)
    {
        Simulator::Remove(event); // a cancelled event would still move the clock
    }
    m_events.clear();
    while (!m_storms.empty())
    {
        const auto [port, trafficClass] = m_storms.begin()->first;
        Storm(port, trafficClass, false);
    }
}

void
TroubleSchedule::At(Time at,
                    const std::string& kind,
                    const std::string& target,
                    const Action& action)
{
    m_events.push_back(Simulator::Schedule(at - Simulator::Now(), [this, kind, target, action] {
        Note(kind, target, action());
    }));
}

void
TroubleSchedule::Note(const std::string& kind, const std::string& target, const std::string& effect)
{
    m_records.push_back({m_fabric->GetEventQueue().Now(), kind, target, effect});
    for (const Listener& listener : m_listeners)
    {
        listener(m_records.back());
    }
}

void
TroubleSchedule::RoutesRecomputed(uint32_t linksDown)
{
    Note("routes",
         "fabric",
         "computed anew " + (linksDown == 0 ? std::string("with all links")
                                            : "without " + Count(linksDown, "link")));
}

void
TroubleSchedule::Add(const TroubleEvent& event)
{
    if (event.at < Simulator::Now())
    {
        Refuse("is at " + FormatDurationRounded(event.at.GetPicoSeconds()) + ", before now");
    }
    switch (event.kind)
    {
    case TroubleKind::LINK_DOWN:
    case TroubleKind::LINK_UP:
    case TroubleKind::HOST_DOWN:
    case TroubleKind::HOST_UP:
        AddLink(event);
        break;
    case TroubleKind::LINK_FLAP:
        AddFlap(event);
        break;
    case TroubleKind::LINK_RATE:
        AddRate(event);
        break;
    case TroubleKind::BIT_ERRORS:
        AddBitErrors(event);
        break;
    case TroubleKind::SWITCH_DOWN:
    case TroubleKind::SWITCH_UP:
        AddSwitch(event);
        break;
    case TroubleKind::PAUSE_STORM:
        AddStorm(event);
        break;
    case TroubleKind::SLOW_ACCELERATOR:
        AddAccelerator(event);
        break;
    }
}

std::vector<FabricPort*>
TroubleSchedule::FindLinks(const TroubleEvent& event) const
{
    if (event.kind != TroubleKind::HOST_DOWN && event.kind != TroubleKind::HOST_UP)
    {
        return m_targets.FindLinks(event.target);
    }
    std::vector<FabricPort*> links;
    for (const uint32_t endpoint : m_targets.FindHosts(event.target))
    {
        const auto ports = m_targets.GetPorts(endpoint);
        links.insert(links.end(), ports.begin(), ports.end());
    }
    return links;
}

std::string
TroubleSchedule::SwitchLinks(const std::vector<FabricPort*>& links, bool up) const
{
    const uint64_t before = CountDrops(links);
    for (FabricPort* port : links)
    {
        port->SetLinkUp(up);
    }
    return Count(links.size(), "link") + (up ? " up" : " down; ") +
           (up ? "" : Count(CountDrops(links) - before, "queued frame") + " dropped");
}

void
TroubleSchedule::AddLink(const TroubleEvent& event)
{
    const bool host = event.kind == TroubleKind::HOST_DOWN || event.kind == TroubleKind::HOST_UP;
    const bool up = event.kind == TroubleKind::LINK_UP || event.kind == TroubleKind::HOST_UP;
    const auto links = FindLinks(event);
    At(event.at, ToString(event.kind), event.target, [this, links, up] {
        return SwitchLinks(links, up);
    });
    if (!up && event.duration.IsStrictlyPositive())
    {
        At(event.at + event.duration,
           ToString(host ? TroubleKind::HOST_UP : TroubleKind::LINK_UP),
           event.target,
           [this, links] { return SwitchLinks(links, true); });
    }
}

void
TroubleSchedule::AddFlap(const TroubleEvent& event)
{
    const auto links = m_targets.FindLinks(event.target);
    if (!event.period.IsStrictlyPositive())
    {
        Refuse("a flapping link needs a period above 0");
    }
    if (!(event.duty > 0 && event.duty < 1))
    {
        Refuse("a flapping link is down for a share between 0 and 1 of its period, not " +
               Show(event.duty));
    }
    const int64_t period = event.period.GetTimeStep();
    const auto down = static_cast<int64_t>(static_cast<double>(period) * event.duty);
    for (uint32_t i = 0; i < event.count; ++i)
    {
        const Time start = event.at + TimeStep(static_cast<uint64_t>(period) * i);
        At(start, ToString(TroubleKind::LINK_FLAP), event.target, [this, links] {
            return SwitchLinks(links, false);
        });
        At(start + TimeStep(static_cast<uint64_t>(down)),
           ToString(TroubleKind::LINK_FLAP),
           event.target,
           [this, links] { return SwitchLinks(links, true); });
    }
}

void
TroubleSchedule::AddRate(const TroubleEvent& event)
{
    const auto links = m_targets.FindLinks(event.target);
    if (event.rate.GetBitRate() == 0)
    {
        Refuse("a link's rate must be above 0; take it down with link_down");
    }
    for (FabricPort* port : links)
    {
        m_rates.emplace(port, port->GetBitRate());
    }
    const auto describe = [](uint64_t now, uint64_t before) {
        return FormatBitRate(now) + " instead of " + FormatBitRate(before);
    };
    At(event.at, ToString(event.kind), event.target, [links, rate = event.rate, describe] {
        const uint64_t before = links.front()->GetBitRate();
        for (FabricPort* port : links)
        {
            port->SetRate(rate);
        }
        return describe(rate.GetBitRate(), before);
    });
    if (event.duration.IsStrictlyPositive())
    {
        At(event.at + event.duration, ToString(event.kind), event.target, [this, links, describe] {
            const uint64_t before = links.front()->GetBitRate();
            for (FabricPort* port : links)
            {
                port->SetRate(DataRate(m_rates.at(port)));
            }
            return describe(links.front()->GetBitRate(), before);
        });
    }
}

void
TroubleSchedule::AddBitErrors(const TroubleEvent& event)
{
    const auto links = m_targets.FindLinks(event.target);
    if (!(event.bitErrorRate > 0 && event.bitErrorRate <= 1))
    {
        Refuse("a bit error rate is above 0 and at most 1, not " + Show(event.bitErrorRate));
    }
    std::vector<std::pair<FabricPort*, Ptr<BitErrorLossModel>>> models;
    for (FabricPort* port : links)
    {
        for (FabricPort* end : {port, port->GetPeer()})
        {
            Ptr<BitErrorLossModel> model = CreateObject<BitErrorLossModel>();
            model->SetAttribute("BitErrorRate", DoubleValue(event.bitErrorRate));
            models.emplace_back(end, model);
        }
    }
    At(event.at, ToString(event.kind), event.target, [models, rate = event.bitErrorRate] {
        for (const auto& [port, model] : models)
        {
            Spoil(*port, model);
        }
        return "bit error rate " + Show(rate);
    });
    if (event.duration.IsStrictlyPositive())
    {
        At(event.at + event.duration, ToString(event.kind), event.target, [models] {
            for (const auto& [port, model] : models)
            {
                Heal(*port, model);
            }
            return std::string("none any more");
        });
    }
}

void
TroubleSchedule::AddSwitch(const TroubleEvent& event)
{
    FabricSwitch* target = m_targets.FindSwitch(event.target);
    const auto action = [target](bool up) {
        const uint64_t before = CountDrops(target->GetPorts());
        const uint64_t bytes = target->GetBuffer().GetUsed();
        target->SetUp(up);
        return up ? "up"
                  : "down; " + Count(CountDrops(target->GetPorts()) - before, "queued frame") +
                        " dropped with " + std::to_string(bytes) + " B in its buffer";
    };
    const bool up = event.kind == TroubleKind::SWITCH_UP;
    At(event.at, ToString(event.kind), event.target, [action, up]() -> std::string {
        return action(up);
    });
    if (!up && event.duration.IsStrictlyPositive())
    {
        At(event.at + event.duration,
           ToString(TroubleKind::SWITCH_UP),
           event.target,
           [action]() -> std::string { return action(true); });
    }
}

void
TroubleSchedule::AddStorm(const TroubleEvent& event)
{
    std::vector<FabricPort*> ports;
    for (const uint32_t endpoint : m_targets.FindHosts(event.target))
    {
        const auto more = m_targets.GetPorts(endpoint);
        ports.insert(ports.end(), more.begin(), more.end());
    }
    for (const uint32_t trafficClass : event.trafficClasses)
    {
        if (trafficClass > 7)
        {
            Refuse("there is no traffic class " + std::to_string(trafficClass) + "; use 0 to 7");
        }
    }
    const auto storm = [this, ports, classes = event.trafficClasses](bool begins) {
        for (FabricPort* port : ports)
        {
            for (const uint32_t trafficClass : classes)
            {
                Storm(port, static_cast<uint8_t>(trafficClass), begins);
            }
        }
        return std::string(begins ? "XOFF and its refreshes" : "XON") + " from " +
               Count(ports.size(), "port");
    };
    At(event.at, ToString(event.kind), event.target, [storm] { return storm(true); });
    if (event.duration.IsStrictlyPositive())
    {
        At(event.at + event.duration, ToString(event.kind), event.target, [storm] {
            return storm(false);
        });
    }
}

void
TroubleSchedule::Storm(FabricPort* port, uint8_t trafficClass, bool begins)
{
    FabricEntry entry(m_fabric->GetEventQueue());
    const int64_t now = m_fabric->GetEventQueue().Now();
    uint32_t& raging = m_storms[{port, trafficClass}];
    if (begins && raging++ == 0)
    {
        port->PausePeer(trafficClass, now);
    }
    if (!begins && --raging == 0)
    {
        m_storms.erase({port, trafficClass});
        port->ResumePeer(trafficClass, now);
    }
}

std::string
TroubleSchedule::SlowDown(const std::vector<uint32_t>& endpoints, double factor, bool begins) const
{
    uint32_t ranks = 0;
    for (const uint32_t endpoint : endpoints)
    {
        const Ptr<Node> node = m_targets.GetNode(endpoint);
        for (uint32_t i = 0; i < node->GetNApplications(); ++i)
        {
            const auto rank = DynamicCast<LlmTrainingApplication>(node->GetApplication(i));
            if (rank)
            {
                const double slowdown = rank->GetSlowdown();
                rank->SetSlowdown(begins ? slowdown * factor : slowdown / factor);
                ++ranks;
            }
        }
    }
    return "computations of " + Count(ranks, "rank") + " take " +
           (begins ? Show(factor) + " times as long" : "as long as before");
}

void
TroubleSchedule::AddAccelerator(const TroubleEvent& event)
{
    const auto endpoints = m_targets.FindHosts(event.target);
    if (!(event.factor > 0))
    {
        Refuse("computations take a positive time: the factor must be above 0, not " +
               Show(event.factor));
    }
    const auto slow = [this, endpoints, factor = event.factor](bool begins) {
        return SlowDown(endpoints, factor, begins);
    };
    At(event.at, ToString(event.kind), event.target, [slow] { return slow(true); });
    if (event.duration.IsStrictlyPositive())
    {
        At(event.at + event.duration, ToString(event.kind), event.target, [slow] {
            return slow(false);
        });
    }
}

} // namespace llm
} // namespace ns3

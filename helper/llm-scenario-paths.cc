/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-scenario-paths.h"

#include "llm-attribute-map.h"
#include "llm-error-context.h"

#include "ns3/boolean.h"
#include "ns3/fabric-hash.h"
#include "ns3/fabric-load-balancer-names.h"
#include "ns3/hashed-load-balancer.h"
#include "ns3/llm-config-error.h"
#include "ns3/llm-nearest-name.h"
#include "ns3/pointer.h"
#include "ns3/rdma-nic.h"
#include "ns3/rdma-path-names.h"
#include "ns3/rdma-pinned-path.h"
#include "ns3/rdma-reliability-names.h"
#include "ns3/rdma-selective-reliability.h"
#include "ns3/rdma-selective-repeat.h"
#include "ns3/static-load-balancer.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

namespace
{

/** @return class of the load balancers. */
TypeId
LookupLoadBalancer(const Scenario& scenario)
{
    return GetFabricLoadBalancerNames().Lookup(scenario.fabric.load_balancing,
                                               scenario.source,
                                               "fabric.load_balancing");
}

/** @return class of the path selector. */
TypeId
LookupPathSelector(const Scenario& scenario)
{
    return GetRdmaPathNames().Lookup(scenario.transport.path_selector,
                                     scenario.source,
                                     "transport.path_selector");
}

/** Sets the fields of the hash. */
void
SetHash(const Scenario& scenario, TypeId tid, ObjectFactory& factory)
{
    const Scenario::FabricSection& fabric = scenario.fabric;
    if (!tid.IsChildOf(HashedLoadBalancer::GetTypeId()))
    {
        return;
    }
    factory.Set("Seed", UintegerValue(fabric.ecmp_seed));
    factory.Set("HashDestinationQp", BooleanValue(fabric.ecmp_hash_queue_pair));
    if (fabric.ecmp_hash != "mix")
    {
        ObjectFactory hash;
        hash.SetTypeId(
            GetFabricHashNames().Lookup(fabric.ecmp_hash, scenario.source, "fabric.ecmp_hash"));
        factory.Set("HashFunction", PointerValue(hash.Create<FabricHash>()));
    }
}

/** @return the value of a field, or what stands for any if it was not given. */
uint32_t
OrAny(const std::set<std::string>& given, const std::string& field, uint32_t value)
{
    return given.count(field) > 0 ? value : UINT32_MAX;
}

/** @return switches that a pin is for. */
std::vector<Ptr<FabricSwitch>>
FindSwitches(const Fabric& fabric, const std::string& name)
{
    std::vector<std::string> labels;
    for (const auto& fabricSwitch : fabric.GetSwitches())
    {
        labels.push_back(fabricSwitch->GetLabel());
        if (labels.back() == name)
        {
            return {fabricSwitch};
        }
    }
    if (!name.empty())
    {
        throw ConfigError("fabric",
                          "switch",
                          "there is no switch '" + name + "'; did you mean '" +
                              NearestName(name, labels) + "'?");
    }
    return fabric.GetSwitches();
}

/** Checks an endpoint or rank. */
void
CheckBelow(const std::set<std::string>& given,
           const std::string& field,
           uint32_t value,
           uint32_t count,
           const std::string& what)
{
    if (given.count(field) > 0 && value >= count)
    {
        throw ConfigError("pin",
                          field,
                          what + " " + std::to_string(value) + " does not exist; there are " +
                              std::to_string(count) + ", numbered from 0");
    }
}

} // namespace

ObjectFactory
MakeScenarioLoadBalancers(const Scenario& scenario)
{
    const Scenario::FabricSection& fabric = scenario.fabric;
    const TypeId tid = LookupLoadBalancer(scenario);
    CheckAttributes(tid,
                    fabric.load_balancing_attributes,
                    scenario.source,
                    "fabric.load_balancing_attributes");
    if (!fabric.pins.empty() && tid != StaticLoadBalancer::GetTypeId())
    {
        throw ConfigError(scenario.source,
                          "fabric.pins",
                          "has " + std::to_string(fabric.pins.size()) +
                              " entries, but fabric.load_balancing is " + fabric.load_balancing +
                              "; set it to static");
    }
    ObjectFactory factory;
    factory.SetTypeId(tid);
    SetHash(scenario, tid, factory);
    for (const auto& [name, value] : fabric.load_balancing_attributes)
    {
        factory.Set(name, StringValue(value));
    }
    return factory;
}

void
PinScenarioRoutes(const Scenario& scenario, const Fabric& fabric)
{
    const std::vector<Scenario::RoutePin>& pins = scenario.fabric.pins;
    for (std::size_t i = 0; i < pins.size(); ++i)
    {
        const Scenario::RoutePin& pin = pins[i];
        WithContext(scenario.source, "fabric.pins[" + std::to_string(i) + "]", [&] {
            const uint32_t endpoints = fabric.GetEndpointCount();
            CheckBelow(pin.given, "source", pin.source, endpoints, "endpoint");
            CheckBelow(pin.given, "destination", pin.destination, endpoints, "endpoint");
            for (const auto& fabricSwitch : FindSwitches(fabric, pin.at))
            {
                auto* table = dynamic_cast<StaticLoadBalancer*>(&fabricSwitch->GetLoadBalancer());
                if (table)
                {
                    table->Pin(OrAny(pin.given, "source", pin.source),
                               OrAny(pin.given, "destination", pin.destination),
                               OrAny(pin.given, "queue_pair", pin.queue_pair),
                               pin.uplink);
                }
            }
        });
    }
}

Ptr<RdmaPathSelector>
MakeScenarioPathSelector(const Scenario& scenario, uint32_t ranks)
{
    const Scenario::Transport& transport = scenario.transport;
    const TypeId tid = LookupPathSelector(scenario);
    CheckAttributes(tid,
                    transport.path_selector_attributes,
                    scenario.source,
                    "transport.path_selector_attributes");
    ObjectFactory factory;
    factory.SetTypeId(tid);
    for (const auto& [name, value] : transport.path_selector_attributes)
    {
        factory.Set(name, StringValue(value));
    }
    Ptr<RdmaPathSelector> paths = factory.Create<RdmaPathSelector>();
    const Ptr<RdmaPinnedPath> pinned = DynamicCast<RdmaPinnedPath>(paths);
    if (!transport.path_pins.empty() && !pinned)
    {
        throw ConfigError(scenario.source,
                          "transport.path_pins",
                          "has " + std::to_string(transport.path_pins.size()) +
                              " entries, but transport.path_selector is " +
                              transport.path_selector + "; set it to pinned");
    }
    for (std::size_t i = 0; i < transport.path_pins.size(); ++i)
    {
        const Scenario::PathPin& pin = transport.path_pins[i];
        WithContext(scenario.source, "transport.path_pins[" + std::to_string(i) + "]", [&] {
            CheckBelow(pin.given, "source", pin.source, ranks, "rank");
            CheckBelow(pin.given, "destination", pin.destination, ranks, "rank");
            const uint32_t source = OrAny(pin.given, "source", pin.source);
            const uint32_t destination = OrAny(pin.given, "destination", pin.destination);
            const uint32_t channel = OrAny(pin.given, "channel", pin.channel);
            if (pin.given.count("entropy") == pin.given.count("path"))
            {
                throw ConfigError("pin", "entropy", "either entropy or path must be given");
            }
            if (pin.given.count("path") > 0)
            {
                pinned->PinPath(source, destination, channel, pin.path);
            }
            else
            {
                pinned->PinEntropy(source, destination, channel, pin.entropy);
            }
        });
    }
    return paths;
}

std::vector<std::pair<std::string, uint64_t>>
CollectPathCounters(const FabricNetwork& network)
{
    std::vector<std::pair<std::string, uint64_t>> sums; // in order of appearance
    const auto add = [&sums](const std::vector<std::pair<std::string, uint64_t>>& counters) {
        for (const auto& [name, count] : counters)
        {
            const auto known =
                std::find_if(sums.begin(), sums.end(), [&name = name](const auto& sum) {
                    return sum.first == name;
                });
            if (known == sums.end())
            {
                sums.emplace_back(name, count);
            }
            else
            {
                known->second += count;
            }
        }
    };
    for (const auto& fabricSwitch : network.fabric->GetSwitches())
    {
        add(fabricSwitch->GetLoadBalancer().GetCounters());
    }
    std::vector<Ptr<RdmaPathSelector>> selectors;
    for (uint32_t i = 0; i < network.endpoints.GetN(); ++i)
    {
        const Ptr<RdmaNic> nic = network.endpoints.Get(i)->GetObject<RdmaNic>();
        if (!nic)
        {
            continue;
        }
        for (const auto& queuePair : nic->GetQueuePairs())
        {
            const Ptr<RdmaPathSelector> selector = queuePair->GetPathSelector();
            if (selector &&
                std::find(selectors.begin(), selectors.end(), selector) == selectors.end())
            {
                selectors.push_back(selector);
                add(selector->GetCounters());
            }
        }
    }
    return sums;
}

bool
HasHash(const Scenario& scenario)
{
    return LookupLoadBalancer(scenario).IsChildOf(HashedLoadBalancer::GetTypeId());
}

std::string
DescribeScenarioPaths(const Scenario& scenario)
{
    std::string text = scenario.fabric.load_balancing + " at switches";
    if (HasHash(scenario) && scenario.fabric.ecmp_seed != 0)
    {
        text += " (all with seed " + std::to_string(scenario.fabric.ecmp_seed) + ")";
    }
    if (scenario.transport.kind == "rdma")
    {
        text += ", " + scenario.transport.path_selector + " at senders";
    }
    return text;
}

std::string
WarnOfReordering(const Scenario& scenario)
{
    if (scenario.transport.kind != "rdma")
    {
        return "";
    }
    const TypeId reliability = GetRdmaReliabilityNames().Lookup(scenario.transport.reliability,
                                                                scenario.source,
                                                                "transport.reliability");
    const bool selective = reliability.IsChildOf(RdmaSelectiveReliability::GetTypeId());
    if (selective && reliability != RdmaSelectiveRepeat::GetTypeId())
    {
        return "";
    }
    std::string who;
    if (!MakeScenarioLoadBalancers(scenario).Create<FabricLoadBalancer>()->KeepsOrder())
    {
        who = "fabric.load_balancing " + scenario.fabric.load_balancing;
    }
    ObjectFactory selector;
    selector.SetTypeId(LookupPathSelector(scenario));
    if (selector.Create<RdmaPathSelector>()->IsPerPacket())
    {
        who += (who.empty() ? "" : " and ") + std::string("transport.path_selector ") +
               scenario.transport.path_selector;
    }
    if (who.empty())
    {
        return "";
    }
    return who + ": packets overtake each other, and transport.reliability " +
           scenario.transport.reliability +
           (selective ? " takes what is late for lost and sends it again"
                      : " takes packets in order only: it throws away and sends again") +
           "; out_of_order waits";
}

} // namespace llm
} // namespace ns3

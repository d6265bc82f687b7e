/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "fabric-graph-file.h"

#include "llm-json-text.h"
#include "llm-scenario-field-section.h"
#include "llm-scenario-object-reader.h"

#include "ns3/llm-config-error.h"
#include "ns3/llm-nearest-name.h"

#include <map>
#include <nlohmann/json.hpp>
#include <set>

namespace ns3
{
namespace llm
{

namespace
{

/** An element of "links". */
struct LinkEntry
{
    std::set<std::string> given;
    std::string from;
    std::string to;
    uint64_t rate{0};
    int64_t delay_ps{0};
    double loss{0};
    uint32_t count{1};
};

/** An element of "servers". */
struct ServerEntry
{
    std::set<std::string> given;
    std::vector<std::string> hosts;
};

/** An element of "routes". */
struct RouteEntry
{
    std::set<std::string> given;
    std::string at;
    std::vector<std::string> to;
    std::vector<std::string> via;
};

/** An element of "switch_settings". */
struct SettingsEntry
{
    std::set<std::string> given;
    std::string name;
    std::map<std::string, std::string> attributes;
    std::map<std::string, std::string> buffer;
};

/** The file. */
struct GraphEntry
{
    std::set<std::string> given;
    std::vector<std::string> hosts;
    std::vector<std::string> switches;
    std::vector<LinkEntry> links;
    std::vector<ServerEntry> servers;
    std::vector<RouteEntry> routes;
    std::vector<SettingsEntry> switch_settings;
};

constexpr double MAX_RATE = 1e15;   //!< bit/s
constexpr double MAX_TIME = 9.2e18; //!< ps

const std::vector<ScenarioField>&
GetLinkFields()
{
    static const std::vector<ScenarioField> table = [] {
        std::vector<ScenarioField> fields;
        ScenarioFieldSection<LinkEntry> link(fields);
        link.Text("from", &LinkEntry::from).Required().Doc("host or switch at one end");
        link.Text("to", &LinkEntry::to).Required().Doc("host or switch at the other end");
        link.Rate("rate", &LinkEntry::rate)
            .Range(1, MAX_RATE)
            .Doc("of each direction; else fabric.host_rate, or fabric.uplink_rate");
        link.Duration("delay", &LinkEntry::delay_ps)
            .Range(1, MAX_TIME)
            .Doc("propagation; else fabric.host_delay, or fabric.uplink_delay");
        link.Number("loss", &LinkEntry::loss)
            .Range(0, 1)
            .Doc("probability that a frame is lost, each direction");
        link.Count("count", &LinkEntry::count).Range(1, 65535).Doc("parallel links");
        return fields;
    }();
    return table;
}

const std::vector<ScenarioField>&
GetServerFields()
{
    static const std::vector<ScenarioField> table = [] {
        std::vector<ScenarioField> fields;
        ScenarioFieldSection<ServerEntry> server(fields);
        server.TextList("hosts", &ServerEntry::hosts)
            .Required()
            .Doc("accelerators that share a scale-up domain; servers are of one size");
        return fields;
    }();
    return table;
}

const std::vector<ScenarioField>&
GetRouteFields()
{
    static const std::vector<ScenarioField> table = [] {
        std::vector<ScenarioField> fields;
        ScenarioFieldSection<RouteEntry> route(fields);
        route.Text("at", &RouteEntry::at).Required().Doc("switch");
        route.TextList("to", &RouteEntry::to)
            .Doc("hosts that frames are for; else all that are not linked to the switch");
        route.TextList("via", &RouteEntry::via)
            .Required()
            .Doc("neighbours that frames go to, all links of equal weight");
        return fields;
    }();
    return table;
}

const std::vector<ScenarioField>&
GetSettingsFields()
{
    static const std::vector<ScenarioField> table = [] {
        std::vector<ScenarioField> fields;
        ScenarioFieldSection<SettingsEntry> settings(fields);
        settings.Text("name", &SettingsEntry::name).Required().Doc("switch");
        settings.Map("attributes", &SettingsEntry::attributes)
            .Doc("ns-3 attributes of its FabricSwitch, e.g. {\"Headroom\": \"60000\"}");
        settings.Map("buffer", &SettingsEntry::buffer)
            .Doc("ns-3 attributes of its FabricSharedBuffer, e.g. {\"Size\": \"16777216\"}");
        return fields;
    }();
    return table;
}

/** Turns entries into a graph. */
class GraphMaker
{
  public:
    GraphMaker(const GraphEntry& entry,
               const std::string& source,
               const std::string& prefix,
               const FabricLink& hostLink,
               const FabricLink& switchLink)
        : m_entry(entry),
          m_prefix(prefix),
          m_hostLink(hostLink),
          m_switchLink(switchLink)
    {
        m_graph.source = source;
    }

    FabricGraph Make()
    {
        AddVertices();
        AddEdges();
        AddRoutes();
        AddSettings();
        m_graph.summary = "graph: " + std::to_string(m_entry.hosts.size()) + " hosts, " +
                          std::to_string(m_entry.switches.size()) + " switches, " +
                          std::to_string(m_graph.edges.size()) + " links" +
                          (m_entry.routes.empty()
                               ? ""
                               : ", " + std::to_string(m_entry.routes.size()) + " static routes");
        return m_graph;
    }

  private:
    [[noreturn]] void Fail(const std::string& path, const std::string& message) const
    {
        throw ConfigError(m_graph.source, m_prefix + path, message);
    }

    /** @return path of an element. */
    static std::string At(const std::string& list, std::size_t index)
    {
        return list + "[" + std::to_string(index) + "]";
    }

    void AddVertex(const std::string& name, bool isSwitch, const std::string& path)
    {
        FabricGraph::Vertex vertex;
        vertex.name = name;
        vertex.isSwitch = isSwitch;
        vertex.number = isSwitch ? 0 : m_hosts++;
        vertex.path = m_prefix + path;
        if (name.empty() || name.find('/') != std::string::npos)
        {
            Fail(path, "'" + name + "' is no name for a node");
        }
        m_indexOf.emplace(name, static_cast<uint32_t>(m_graph.vertices.size()));
        m_graph.vertices.push_back(vertex);
    }

    /** Hosts server by server, if there are servers, so that each is a range of endpoints. */
    void AddVertices()
    {
        const std::set<std::string> known(m_entry.hosts.begin(), m_entry.hosts.end());
        for (std::size_t i = 0; i < m_entry.servers.size(); ++i)
        {
            const auto& hosts = m_entry.servers[i].hosts;
            if (hosts.empty() || hosts.size() != m_entry.servers.front().hosts.size())
            {
                Fail(At("servers", i) + ".hosts",
                     "has " + std::to_string(hosts.size()) + " hosts, servers[0] has " +
                         std::to_string(m_entry.servers.front().hosts.size()) +
                         "; servers are of one size");
            }
            for (std::size_t j = 0; j < hosts.size(); ++j)
            {
                const std::string path = At(At("servers", i) + ".hosts", j);
                if (known.count(hosts[j]) == 0)
                {
                    FailUnknown(path, hosts[j], m_entry.hosts);
                }
                if (m_indexOf.count(hosts[j]) > 0)
                {
                    Fail(path, "host " + hosts[j] + " is in another server already");
                }
                AddVertex(hosts[j], false, path);
            }
            m_graph.serverSize = static_cast<uint32_t>(hosts.size());
        }
        for (std::size_t i = 0; i < m_entry.hosts.size(); ++i)
        {
            if (m_entry.servers.empty())
            {
                AddVertex(m_entry.hosts[i], false, At("hosts", i));
            }
            else if (m_indexOf.count(m_entry.hosts[i]) == 0)
            {
                Fail(At("hosts", i), "host " + m_entry.hosts[i] + " is in none of the servers");
            }
        }
        for (std::size_t i = 0; i < m_entry.switches.size(); ++i)
        {
            if (m_indexOf.count(m_entry.switches[i]) > 0)
            {
                Fail(At("switches", i), "there is a host '" + m_entry.switches[i] + "' already");
            }
            AddVertex(m_entry.switches[i], true, At("switches", i));
        }
    }

    [[noreturn]] void FailUnknown(const std::string& path,
                                  const std::string& name,
                                  const std::vector<std::string>& known) const
    {
        Fail(path,
             "there is no '" + name + "'" +
                 (known.empty() ? "" : "; did you mean '" + NearestName(name, known) + "'?"));
    }

    /** @return index of a node. */
    uint32_t Find(const std::string& name,
                  const std::string& path,
                  bool wantSwitch,
                  bool wantHost) const
    {
        const auto found = m_indexOf.find(name);
        if (found == m_indexOf.end())
        {
            std::vector<std::string> known;
            known.insert(known.end(), m_entry.hosts.begin(), m_entry.hosts.end());
            known.insert(known.end(), m_entry.switches.begin(), m_entry.switches.end());
            FailUnknown(path, name, known);
        }
        const bool isSwitch = m_graph.vertices[found->second].isSwitch;
        if (isSwitch ? !wantSwitch : !wantHost)
        {
            Fail(path,
                 "'" + name + "' is a " + (isSwitch ? "switch" : "host") + ", not a " +
                     (isSwitch ? "host" : "switch"));
        }
        return found->second;
    }

    void AddEdges()
    {
        for (std::size_t i = 0; i < m_entry.links.size(); ++i)
        {
            const LinkEntry& entry = m_entry.links[i];
            const std::string path = At("links", i);
            FabricGraph::Edge edge;
            edge.a = Find(entry.from, path + ".from", true, true);
            edge.b = Find(entry.to, path + ".to", true, true);
            edge.path = m_prefix + path;
            const bool between =
                m_graph.vertices[edge.a].isSwitch && m_graph.vertices[edge.b].isSwitch;
            edge.link = between ? m_switchLink : m_hostLink;
            if (entry.rate > 0)
            {
                edge.link.rate = DataRate(entry.rate);
            }
            if (entry.delay_ps > 0)
            {
                edge.link.delay = PicoSeconds(entry.delay_ps);
            }
            edge.link.loss = entry.loss;
            m_graph.edges.insert(m_graph.edges.end(), entry.count, edge);
        }
    }

    void AddRoutes()
    {
        for (std::size_t i = 0; i < m_entry.routes.size(); ++i)
        {
            const RouteEntry& entry = m_entry.routes[i];
            const std::string path = At("routes", i);
            FabricGraph::Route route;
            route.path = m_prefix + path;
            route.at = Find(entry.at, path + ".at", true, false);
            for (std::size_t j = 0; j < entry.to.size(); ++j)
            {
                route.to.push_back(Find(entry.to[j], At(path + ".to", j), false, true));
            }
            for (std::size_t j = 0; j < entry.via.size(); ++j)
            {
                route.via.push_back(Find(entry.via[j], At(path + ".via", j), true, true));
            }
            if (entry.via.empty())
            {
                Fail(path + ".via", "is empty; name a neighbour of " + entry.at);
            }
            if (entry.given.count("to") == 0)
            {
                route.to = FindAllBut(route.at);
            }
            m_graph.routes.push_back(route);
        }
    }

    /** @return hosts without a link to that switch. */
    std::vector<uint32_t> FindAllBut(uint32_t at) const
    {
        std::vector<bool> isLinked(m_graph.vertices.size(), false);
        for (const auto& edge : m_graph.edges)
        {
            isLinked[edge.a] = isLinked[edge.a] || edge.b == at;
            isLinked[edge.b] = isLinked[edge.b] || edge.a == at;
        }
        std::vector<uint32_t> hosts;
        for (uint32_t v = 0; v < m_graph.vertices.size(); ++v)
        {
            if (!m_graph.vertices[v].isSwitch && !isLinked[v])
            {
                hosts.push_back(v);
            }
        }
        return hosts;
    }

    void AddSettings()
    {
        for (std::size_t i = 0; i < m_entry.switch_settings.size(); ++i)
        {
            const SettingsEntry& entry = m_entry.switch_settings[i];
            const std::string path = At("switch_settings", i);
            FabricGraph::Vertex& vertex =
                m_graph.vertices[Find(entry.name, path + ".name", true, false)];
            vertex.path = m_prefix + path;
            vertex.fabric = entry.attributes;
            vertex.buffer = entry.buffer;
        }
    }

    const GraphEntry& m_entry;                 //!< as read
    std::string m_prefix;                      //!< of paths
    FabricLink m_hostLink;                     //!< default
    FabricLink m_switchLink;                   //!< default
    FabricGraph m_graph;                       //!< result
    std::map<std::string, uint32_t> m_indexOf; //!< vertex by name
    uint32_t m_hosts{0};                       //!< so far
};

} // namespace

const std::vector<ScenarioField>&
FabricGraphFile::GetFields()
{
    static const std::vector<ScenarioField> table = [] {
        std::vector<ScenarioField> fields;
        ScenarioFieldSection<GraphEntry> graph(fields);
        graph.TextList("hosts", &GraphEntry::hosts).Doc("names; endpoint i is the i-th");
        graph.TextList("switches", &GraphEntry::switches).Doc("names");
        graph.List("links", &GraphEntry::links, GetLinkFields).Doc("full-duplex links");
        graph.List("servers", &GraphEntry::servers, GetServerFields)
            .Doc("who shares a scale-up domain; endpoints are then numbered in this order");
        graph.List("routes", &GraphEntry::routes, GetRouteFields)
            .Doc("what switches do instead of following shortest paths");
        graph.List("switch_settings", &GraphEntry::switch_settings, GetSettingsFields)
            .Doc("settings of single switches");
        return fields;
    }();
    return table;
}

FabricGraph
FabricGraphFile::Parse(const std::string& text,
                       const std::string& source,
                       const std::string& prefix,
                       const FabricLink& hostLink,
                       const FabricLink& switchLink)
{
    const nlohmann::ordered_json json = ParseJsonText(text, source);
    const std::string whole = prefix.empty() ? "" : prefix.substr(0, prefix.size() - 1);
    if (!json.is_object())
    {
        throw ConfigError(source, whole, "a graph is a JSON object with hosts, switches and links");
    }
    GraphEntry entry;
    ScenarioObjectReader(GetFields(), &entry, entry.given, prefix).Read(json, source);
    if (entry.hosts.empty())
    {
        throw ConfigError(source, prefix + "hosts", "is missing or empty; a network has hosts");
    }
    return GraphMaker(entry, source, prefix, hostLink, switchLink).Make();
}

} // namespace llm
} // namespace ns3

/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-topology-drawing.h"

#include "ns3/llm-config-error.h"
#include "ns3/llm-units.h"
#include "ns3/names.h"

#include <algorithm>
#include <array>
#include <cstdio>
#include <map>
#include <sstream>

namespace ns3
{
namespace llm
{

namespace
{

constexpr double MARGIN = 30;         //!< around the drawing, px
constexpr double TITLE = 34;          //!< height of the title, px
constexpr double TITLE_LINE = 17;     //!< of each further line, px
constexpr std::size_t MAX_NAMED = 32; //!< switches in a row that gets wide enough for names
constexpr double ROW = 110;           //!< between tiers, px
constexpr double HOST_SIZE = 10;      //!< side of an endpoint, px
constexpr double HOST_PITCH = 16;     //!< between endpoints, px
constexpr double BOX_HEIGHT = 20;     //!< of a switch, px
constexpr double MAX_BOX = 96;        //!< width of a switch, px
constexpr double LETTER = 6.2;        //!< width of a letter of a name, px

/** Colours of servers, in turn. */
constexpr std::array<const char*, 6> COLOURS{"#4477aa",
                                             "#ee6677",
                                             "#228833",
                                             "#ccbb44",
                                             "#66ccee",
                                             "#aa3377"};

/** @return text that can stand in XML. */
std::string
Escape(const std::string& text)
{
    std::string escaped;
    for (const char c : text)
    {
        escaped += c == '&' ? "&amp;" : c == '<' ? "&lt;" : c == '>' ? "&gt;" : std::string(1, c);
    }
    return escaped;
}

/** @return a coordinate. */
std::string
Px(double value)
{
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.1f", value);
    return text.data();
}

/** Works on one drawing. */
class Painter
{
  public:
    Painter(const FabricTopology& topology, const FabricNetwork& network)
        : m_network(network),
          m_title(topology.Describe()),
          m_free(topology.PlaceSwitches())
    {
        for (uint32_t i = 0; i < network.endpoints.GetN(); ++i)
        {
            m_indexOf[network.endpoints.Get(i)->GetId()] = i;
            m_nodes.push_back({});
        }
        for (uint32_t i = 0; i < network.switches.GetN(); ++i)
        {
            m_indexOf[network.switches.Get(i)->GetId()] = static_cast<uint32_t>(m_nodes.size());
            m_nodes.push_back({});
        }
        CollectLinks();
    }

    std::string Paint()
    {
        if (m_free.empty())
        {
            PlaceInRows();
        }
        else
        {
            PlaceFreely();
        }
        const std::vector<std::string> title = WrapTitle();
        const double shift = TITLE_LINE * static_cast<double>(title.size() - 1);
        std::ostringstream out;
        out << "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"" << Px(m_width) << "\" height=\""
            << Px(m_height + shift) << "\" font-family=\"sans-serif\" font-size=\"11\">\n"
            << "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n";
        for (std::size_t i = 0; i < title.size(); ++i)
        {
            out << "<text x=\"" << Px(MARGIN) << "\" y=\""
                << Px(22 + TITLE_LINE * static_cast<double>(i)) << "\" font-size=\"13\">"
                << Escape(title[i]) << "</text>\n";
        }
        out << "<g transform=\"translate(0," << Px(shift) << ")\">\n";
        PaintLinks(out);
        PaintHosts(out);
        PaintSwitches(out);
        out << "</g>\n</svg>\n";
        return out.str();
    }

  private:
    /** A node's place. */
    struct Spot
    {
        double x{0};         //!< middle
        double y{0};         //!< middle
        double width{0};     //!< of a switch
        uint32_t tier{0};    //!< 0: endpoint
        bool isKnown{false}; //!< the tier is
    };

    /** Links between two nodes. */
    struct Bundle
    {
        uint32_t count{0}; //!< how many
        uint64_t rate{0};  //!< of one
    };

    /** @return the title in lines that fit. */
    std::vector<std::string> WrapTitle() const
    {
        const auto most = static_cast<std::size_t>((m_width - 2 * MARGIN) / (LETTER * 13 / 11));
        std::vector<std::string> lines(1);
        std::istringstream words(m_title);
        for (std::string word; words >> word;)
        {
            if (!lines.back().empty() && lines.back().size() + 1 + word.size() > most)
            {
                lines.emplace_back();
            }
            lines.back() += (lines.back().empty() ? "" : " ") + word;
        }
        return lines;
    }

    /** @return endpoints. */
    uint32_t Hosts() const
    {
        return m_network.endpoints.GetN();
    }

    void CollectLinks()
    {
        for (const auto& port : m_network.fabric->GetPorts())
        {
            const uint32_t a = m_indexOf.at(port->GetNode()->GetId());
            const uint32_t b = m_indexOf.at(port->GetPeer()->GetNode()->GetId());
            if (a < b)
            {
                Bundle& bundle = m_links[{a, b}];
                ++bundle.count;
                bundle.rate = port->GetBitRate();
                m_fastest = std::max(m_fastest, bundle.rate);
            }
        }
    }

    /** Tiers by distance from the endpoints. */
    uint32_t FindTiers()
    {
        for (uint32_t i = 0; i < Hosts(); ++i)
        {
            m_nodes[i].isKnown = true;
        }
        uint32_t tiers = 0;
        for (bool more = true; more; ++tiers)
        {
            more = false;
            for (const auto& [ends, bundle] : m_links)
            {
                for (const auto& [from, to] :
                     {ends, std::pair<uint32_t, uint32_t>(ends.second, ends.first)})
                {
                    if (m_nodes[from].isKnown && m_nodes[from].tier == tiers &&
                        !m_nodes[to].isKnown)
                    {
                        m_nodes[to].isKnown = true;
                        m_nodes[to].tier = tiers + 1;
                        more = true;
                    }
                }
            }
        }
        return tiers;
    }

    void PlaceInRows()
    {
        const uint32_t tiers = FindTiers();
        std::vector<std::vector<uint32_t>> rows(tiers);
        for (uint32_t i = 0; i < m_nodes.size(); ++i)
        {
            rows[m_nodes[i].tier].push_back(i);
        }
        double inner = std::max(560.0, static_cast<double>(Hosts()) * HOST_PITCH);
        for (uint32_t tier = 1; tier < tiers; ++tier)
        {
            double pitch = 18;
            for (const uint32_t i : rows[tier])
            {
                // Names where there is room for them.
                const double named = (static_cast<double>(Name(i).size()) * LETTER + 6) / 0.86;
                pitch = rows[tier].size() <= MAX_NAMED ? std::max(pitch, named) : pitch;
            }
            inner = std::max(inner, pitch * static_cast<double>(rows[tier].size()));
        }
        m_width = inner + 2 * MARGIN;
        m_height = TITLE + 2 * MARGIN + (tiers - 1) * ROW;
        for (uint32_t tier = 0; tier < tiers; ++tier)
        {
            const double pitch = inner / static_cast<double>(rows[tier].size());
            for (std::size_t i = 0; i < rows[tier].size(); ++i)
            {
                Spot& spot = m_nodes[rows[tier][i]];
                spot.x = MARGIN + (static_cast<double>(i) + 0.5) * pitch;
                spot.y = TITLE + MARGIN + (tiers - 1 - tier) * ROW;
                spot.width = std::min(MAX_BOX, 0.86 * pitch);
            }
        }
        // Endpoints by position of their first switch, where that is in order anyway.
        SpreadHosts(inner);
    }

    /** In rail-optimised networks neighbours belong to different switches: gap between servers. */
    void SpreadHosts(double inner)
    {
        const uint32_t servers = std::max(m_network.serverCount, 1U);
        if (servers == Hosts() || servers == 1)
        {
            return;
        }
        const double slot = inner / servers;
        const double size = static_cast<double>(Hosts()) / servers;
        const double pitch = std::min(HOST_PITCH, 0.85 * slot / size);
        std::vector<uint32_t> seen(servers, 0);
        for (uint32_t i = 0; i < Hosts(); ++i)
        {
            const uint32_t server = m_network.serverOf[i];
            m_nodes[i].x =
                MARGIN + (server + 0.5) * slot + (seen[server]++ - (size - 1) / 2) * pitch;
        }
    }

    void PlaceFreely()
    {
        double left = 0;
        double right = 0;
        double top = 0;
        double bottom = 0;
        for (const auto& place : m_free)
        {
            left = std::min(left, place.x);
            right = std::max(right, place.x);
            top = std::min(top, place.y);
            bottom = std::max(bottom, place.y);
        }
        const double edge = 2 * MARGIN + 20;
        m_width = std::max(right - left, 320.0) + 2 * edge;
        m_height = bottom - top + 2 * edge + TITLE;
        for (std::size_t i = 0; i < m_free.size(); ++i)
        {
            Spot& spot = m_nodes[Hosts() + i];
            spot.x = m_free[i].x - left + edge;
            spot.y = m_free[i].y - top + edge + TITLE;
            spot.width = 0; // by the name
            spot.tier = 1;
        }
        // Endpoints beside their switch, away from the middle.
        std::vector<uint32_t> seen(m_nodes.size(), 0);
        const double middleX = m_width / 2;
        const double middleY = (m_height + TITLE) / 2;
        for (const auto& [ends, bundle] : m_links)
        {
            if (ends.first >= Hosts())
            {
                continue;
            }
            const Spot& at = m_nodes[ends.second];
            const double k = seen[ends.second]++;
            const double down = at.y >= middleY ? 1 : -1;
            m_nodes[ends.first].x = at.x + (at.x >= middleX ? 1 : -1) * (8 + k * (HOST_SIZE + 3));
            m_nodes[ends.first].y = at.y + down * (BOX_HEIGHT / 2 + 12);
        }
    }

    void PaintLinks(std::ostringstream& out) const
    {
        for (const auto& [ends, bundle] : m_links)
        {
            const Spot& a = m_nodes[ends.first];
            const Spot& b = m_nodes[ends.second];
            const double share = static_cast<double>(bundle.rate) / static_cast<double>(m_fastest);
            out << "<line x1=\"" << Px(a.x) << "\" y1=\"" << Px(a.y) << "\" x2=\"" << Px(b.x)
                << "\" y2=\"" << Px(b.y) << "\" stroke=\""
                << (ends.first < Hosts() ? "#aaaaaa" : "#778899") << "\" stroke-width=\""
                << Px(0.6 + share) << "\"><title>" << Name(ends.first) << " - " << Name(ends.second)
                << ": " << (bundle.count > 1 ? std::to_string(bundle.count) + " x " : "")
                << FormatBitRate(bundle.rate) << "</title></line>\n";
            if (bundle.count > 1)
            {
                out << "<text x=\"" << Px((a.x + b.x) / 2 + 3) << "\" y=\"" << Px((a.y + b.y) / 2)
                    << "\" font-size=\"9\" fill=\"#555555\">" << bundle.count << "x</text>\n";
            }
        }
    }

    void PaintHosts(std::ostringstream& out) const
    {
        for (uint32_t i = 0; i < Hosts(); ++i)
        {
            const Spot& spot = m_nodes[i];
            out << "<rect x=\"" << Px(spot.x - HOST_SIZE / 2) << "\" y=\""
                << Px(spot.y - HOST_SIZE / 2) << "\" width=\"" << Px(HOST_SIZE) << "\" height=\""
                << Px(HOST_SIZE) << "\" fill=\"" << COLOURS[m_network.serverOf[i] % COLOURS.size()]
                << "\"><title>" << Name(i) << "</title></rect>\n";
        }
    }

    void PaintSwitches(std::ostringstream& out) const
    {
        for (std::size_t i = Hosts(); i < m_nodes.size(); ++i)
        {
            const Spot& spot = m_nodes[i];
            const std::string name = Name(static_cast<uint32_t>(i));
            const double needed = static_cast<double>(name.size()) * LETTER + 6;
            const double width = spot.width > 0 ? spot.width : needed;
            out << "<rect x=\"" << Px(spot.x - width / 2) << "\" y=\""
                << Px(spot.y - BOX_HEIGHT / 2) << "\" width=\"" << Px(width) << "\" height=\""
                << Px(BOX_HEIGHT) << "\" rx=\"3\" fill=\"#eef2f7\" stroke=\"#334455\"><title>"
                << name << "</title></rect>\n";
            if (needed <= width + 4)
            {
                out << "<text x=\"" << Px(spot.x) << "\" y=\"" << Px(spot.y + 4)
                    << "\" text-anchor=\"middle\" fill=\"#223344\">" << name << "</text>\n";
            }
        }
    }

    /** @return name of a node. */
    std::string Name(uint32_t index) const
    {
        const Ptr<Node> node = index < Hosts() ? m_network.endpoints.Get(index)
                                               : m_network.switches.Get(index - Hosts());
        return Escape(Names::FindName(node));
    }

    const FabricNetwork& m_network;                          //!< what
    std::string m_title;                                     //!< above
    std::vector<FabricTopology::Place> m_free;               //!< of switches; empty: rows
    std::vector<Spot> m_nodes;                               //!< endpoints, then switches
    std::map<uint32_t, uint32_t> m_indexOf;                  //!< by ns-3 node
    std::map<std::pair<uint32_t, uint32_t>, Bundle> m_links; //!< by nodes
    uint64_t m_fastest{1};                                   //!< rate of the fastest link
    double m_width{0};                                       //!< of the drawing
    double m_height{0};                                      //!< of the drawing
};

} // namespace

std::string
TopologyDrawing::MakeSvg(const FabricTopology& topology, const FabricNetwork& network)
{
    const uint32_t nodes = network.endpoints.GetN() + network.switches.GetN();
    if (nodes > MAX_NODES)
    {
        throw ConfigError("drawing",
                          "",
                          "the network has " + std::to_string(nodes) + " nodes; at most " +
                              std::to_string(MAX_NODES) +
                              " can be drawn, take a smaller one of the "
                              "same shape");
    }
    return Painter(topology, network).Paint();
}

} // namespace llm
} // namespace ns3

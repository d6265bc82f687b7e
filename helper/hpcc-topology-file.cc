/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "hpcc-topology-file.h"

#include "llm-json-text.h"

#include "ns3/llm-config-error.h"
#include "ns3/llm-token-lines.h"
#include "ns3/llm-units.h"

#include <algorithm>
#include <cctype>

namespace ns3
{
namespace llm
{

namespace
{

constexpr uint64_t MAX_NODES = 1U << 24; //!< of a file
constexpr std::size_t LINK_TOKENS = 5;   //!< of a link

/** What the header says, and where its parts stand. */
struct Header
{
    const char* variant;  //!< whose format
    std::size_t size;     //!< tokens
    std::size_t switches; //!< token with the number of switches
    std::size_t links;    //!< token with the number of links
    bool hasServers;      //!< SimAI
    const char* ignored;  //!< what is not used, and why
};

constexpr Header PLAIN{"HPCC", 3, 1, 2, false, ""};
constexpr Header TORS{"ns3-datacenter", 4, 1, 3, false, "the number of ToRs tells nothing new"};
constexpr Header CAPACITIES{"Reverie",
                            6,
                            1,
                            3,
                            false,
                            "the number of ToRs and the two capacities tell nothing new"};
constexpr Header SIMAI{"SimAI", 6, 3, 4, true, ""};

/** Reads a file. */
class Reader
{
  public:
    Reader(const std::string& text, const std::string& source)
        : m_tokens(text, source)
    {
        m_graph.source = source;
    }

    FabricGraph Read()
    {
        m_header = &ChooseHeader();
        m_nodes = m_tokens.GetNumber(0, "the number of nodes", MAX_NODES);
        const uint64_t switches =
            m_tokens.GetNumber(m_header->switches, "the number of switches", MAX_NODES);
        const uint64_t links = m_tokens.GetNumber(m_header->links, "the number of links", 1U << 30);
        uint64_t scaleUp = 0;
        uint64_t perServer = 0;
        if (m_header->hasServers)
        {
            perServer = m_tokens.GetNumber(1, "the number of GPUs per server", MAX_NODES);
            scaleUp = m_tokens.GetNumber(2, "the number of NVSwitches", MAX_NODES);
        }
        m_firstLink = m_header->size + scaleUp + switches;
        CheckSize(switches + scaleUp, links);
        ReadVertices(scaleUp, switches);
        for (uint64_t i = 0; i < links; ++i)
        {
            ReadLink(m_firstLink + i * LINK_TOKENS);
        }
        if (perServer > 0 && scaleUp > 0)
        {
            CheckServers(perServer, scaleUp);
        }
        Summarise(switches);
        return m_graph;
    }

  private:
    /** What a node id is. */
    enum class Kind : uint8_t
    {
        HOST,
        SWITCH,
        SCALE_UP //!< NVSwitch
    };

    /** @return number of tokens if that header is right; 0 if it cannot be. */
    std::size_t Expect(const Header& header) const
    {
        const auto number = [this](std::size_t index) {
            const bool whole =
                index < m_tokens.GetSize() && m_tokens.Get(index).size() < 10 &&
                m_tokens.Get(index).find_first_not_of("0123456789") == std::string::npos;
            return whole ? std::stoull(m_tokens.Get(index)) : MAX_NODES * 64;
        };
        return header.size + (header.hasServers ? number(2) : 0) + number(header.switches) +
               LINK_TOKENS * number(header.links);
    }

    /** @return the header that this file has, by its first line, else by the number of tokens. */
    const Header& ChooseHeader() const
    {
        if (m_tokens.GetSize() < PLAIN.size)
        {
            m_tokens.Fail(m_tokens.GetSize(),
                          "a topology begins with three numbers: nodes, switches and links");
        }
        const bool named = m_tokens.GetSize() >= SIMAI.size &&
                           std::isalpha(static_cast<unsigned char>(m_tokens.Get(5).front())) != 0;
        switch (m_tokens.GetFirstLineSize())
        {
        case 3:
            return PLAIN;
        case 4:
            return TORS;
        case 6:
            return named ? SIMAI : CAPACITIES;
        default:
            break;
        }
        for (const Header* header : {&PLAIN, &TORS, &CAPACITIES, &SIMAI})
        {
            if (Expect(*header) == m_tokens.GetSize() && header->hasServers == named)
            {
                return *header;
            }
        }
        m_tokens.Fail(0,
                      "has " + std::to_string(m_tokens.GetFirstLineSize()) +
                          " fields; a header has 3 (nodes switches links), 4 (nodes switches tors "
                          "links) or 6 (nodes gpus_per_server nvswitches switches links gpu_type)");
    }

    void CheckSize(uint64_t switches, uint64_t links) const
    {
        const uint64_t wanted = m_firstLink + links * LINK_TOKENS;
        if (m_tokens.GetSize() == wanted)
        {
            return;
        }
        if (m_tokens.GetSize() < m_firstLink)
        {
            m_tokens.Fail(m_tokens.GetSize(),
                          "the header says " + std::to_string(switches) +
                              " switches, the file lists " +
                              std::to_string(m_tokens.GetSize() - m_header->size));
        }
        const uint64_t fields = m_tokens.GetSize() - m_firstLink;
        const uint64_t rest = fields % LINK_TOKENS;
        m_tokens.Fail(
            m_tokens.GetSize() < wanted ? m_tokens.GetSize() : wanted,
            "the header says " + std::to_string(links) + " links, the file has " +
                std::to_string(fields / LINK_TOKENS) +
                (rest > 0 ? " and " + std::to_string(rest) + " of the 5 fields of another" : ""));
    }

    void ReadVertices(uint64_t scaleUp, uint64_t switches)
    {
        m_kinds.assign(m_nodes, Kind::HOST);
        m_vertexOf.assign(m_nodes, 0);
        for (uint64_t i = 0; i < scaleUp + switches; ++i)
        {
            const std::size_t at = m_header->size + i;
            const uint64_t id = ReadNode(at, "the id of a switch");
            if (m_kinds[id] != Kind::HOST)
            {
                m_tokens.Fail(at, "switch " + std::to_string(id) + " is listed twice");
            }
            m_kinds[id] = i < scaleUp ? Kind::SCALE_UP : Kind::SWITCH;
        }
        for (uint64_t id = 0; id < m_nodes; ++id)
        {
            if (m_kinds[id] == Kind::SCALE_UP)
            {
                continue;
            }
            m_vertexOf[id] = static_cast<uint32_t>(m_graph.vertices.size());
            FabricGraph::Vertex vertex;
            vertex.isSwitch = m_kinds[id] == Kind::SWITCH;
            vertex.name = (vertex.isSwitch ? "switch" : "host") + std::to_string(id);
            vertex.number = static_cast<uint32_t>(id);
            vertex.path = "node " + std::to_string(id);
            m_hosts += vertex.isSwitch ? 0 : 1;
            m_graph.vertices.push_back(vertex);
        }
    }

    /** @return a node id. */
    uint64_t ReadNode(std::size_t at, const std::string& what) const
    {
        const uint64_t id = m_tokens.GetNumber(at, what, UINT32_MAX);
        if (id >= m_nodes)
        {
            m_tokens.Fail(at,
                          "node " + std::to_string(id) + " does not exist: the header says " +
                              std::to_string(m_nodes) + " nodes, counted from 0");
        }
        return id;
    }

    void ReadLink(std::size_t at)
    {
        const uint64_t a = ReadNode(at, "an end of a link");
        const uint64_t b = ReadNode(at + 1, "an end of a link");
        FabricLink link;
        link.rate = DataRate(m_tokens.GetBitRate(at + 2));
        const int64_t delay = m_tokens.GetDurationPs(at + 3);
        link.delay = PicoSeconds(delay);
        link.loss = m_tokens.GetProbability(at + 4);
        if (delay == 0)
        {
            m_tokens.Fail(at + 3, "the delay of a link must be above 0");
        }
        if (m_kinds[a] == Kind::SCALE_UP || m_kinds[b] == Kind::SCALE_UP)
        {
            ReadScaleUpLink(at, a, b, link.rate.GetBitRate(), delay);
            return;
        }
        m_anyLoss = m_anyLoss || link.loss > 0;
        m_graph.edges.push_back({m_vertexOf[a], m_vertexOf[b], link, m_tokens.GetPlace(at)});
    }

    void ReadScaleUpLink(std::size_t at, uint64_t a, uint64_t b, uint64_t rate, int64_t delay)
    {
        const uint64_t host = m_kinds[a] == Kind::SCALE_UP ? b : a;
        const uint64_t other = host == a ? b : a;
        if (m_kinds[host] != Kind::HOST)
        {
            m_tokens.Fail(at, "an NVSwitch is linked to GPUs only, not to a switch");
        }
        m_scaleUpOf.resize(m_nodes, UINT64_MAX);
        m_scaleUpRate.resize(m_nodes, 0);
        if (m_scaleUpOf[host] == UINT64_MAX)
        {
            m_scaleUpOf[host] = other;
        }
        m_scaleUpRate[host] += rate;
        m_graph.scaleUpLatencyPs = std::max(m_graph.scaleUpLatencyPs, 2 * delay);
        ++m_scaleUpLinks;
    }

    /** The servers that NVSwitches imply must be the ranges of hosts that the header implies. */
    void CheckServers(uint64_t perServer, uint64_t scaleUp)
    {
        if (m_hosts % perServer != 0)
        {
            m_tokens.Fail(1,
                          "servers of " + std::to_string(perServer) + " GPUs do not divide the " +
                              std::to_string(m_hosts) + " GPUs");
        }
        m_scaleUpOf.resize(m_nodes, UINT64_MAX);
        m_scaleUpRate.resize(m_nodes, 0);
        uint64_t index = 0;
        uint64_t first = 0;
        for (uint64_t id = 0; id < m_nodes; ++id)
        {
            if (m_kinds[id] != Kind::HOST)
            {
                continue;
            }
            first = index % perServer == 0 ? id : first;
            ++index;
            if (m_scaleUpOf[id] == UINT64_MAX || m_scaleUpOf[id] != m_scaleUpOf[first] ||
                m_scaleUpRate[id] != m_scaleUpRate[0])
            {
                m_tokens.Fail(1,
                              "GPU " + std::to_string(id) +
                                  " is not linked to the NVSwitch of GPU " + std::to_string(first) +
                                  ", or not as fast as the others; with " +
                                  std::to_string(perServer) + " GPUs per server it must be");
            }
        }
        m_graph.serverSize = static_cast<uint32_t>(perServer);
        m_graph.scaleUpBitsPerSecond = m_scaleUpRate[0];
        m_notes.push_back(std::to_string(scaleUp) + " NVSwitches and " +
                          std::to_string(m_scaleUpLinks) +
                          " links to them are scale-up domains of " + std::to_string(perServer) +
                          " at " + FormatBitRate(m_graph.scaleUpBitsPerSecond));
    }

    void Summarise(uint64_t switches)
    {
        const auto slash = m_graph.source.rfind('/');
        m_graph.summary =
            (slash == std::string::npos ? m_graph.source : m_graph.source.substr(slash + 1)) +
            ": " + m_header->variant + " topology, " + std::to_string(m_hosts) + " hosts, " +
            std::to_string(switches) + " switches, " + std::to_string(m_graph.edges.size()) +
            " links" + (m_anyLoss ? ", with losses" : "");
        if (m_header->ignored[0] != '\0')
        {
            m_notes.emplace_back(std::string("ignored: ") + m_header->ignored);
        }
        if (m_header->hasServers)
        {
            m_notes.push_back("ignored: GPU type " + m_tokens.Get(5) +
                              ", set accelerator.* for compute times");
        }
        for (const std::string& note : m_notes)
        {
            m_graph.summary += "; " + note;
        }
    }

    TokenLines m_tokens;                 //!< of the file
    const Header* m_header{nullptr};     //!< variant
    FabricGraph m_graph;                 //!< result
    uint64_t m_nodes{0};                 //!< of the header
    uint64_t m_hosts{0};                 //!< nodes that are hosts
    std::size_t m_firstLink{0};          //!< token
    std::vector<Kind> m_kinds;           //!< by node id
    std::vector<uint32_t> m_vertexOf;    //!< by node id
    std::vector<uint64_t> m_scaleUpOf;   //!< first NVSwitch by node id
    std::vector<uint64_t> m_scaleUpRate; //!< sum of rates by node id
    uint64_t m_scaleUpLinks{0};          //!< links to NVSwitches
    bool m_anyLoss{false};               //!< a link loses frames
    std::vector<std::string> m_notes;    //!< for the summary
};

} // namespace

FabricGraph
HpccTopologyFile::Read(const std::string& fileName)
{
    return Parse(ReadTextFile(fileName, "the topology"), fileName);
}

FabricGraph
HpccTopologyFile::Parse(const std::string& text, const std::string& source)
{
    return Reader(text, source).Read();
}

} // namespace llm
} // namespace ns3

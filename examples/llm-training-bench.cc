/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Speed of the packet path: classic patterns over packet-level RDMA, in packet-hops per CPU-second.
//
// Without --pattern it runs its whole suite, each case in a child process of its own. A packet-hop
// is one frame (data or control) that leaves one port.

#include "ns3/fabric-ecn-marker.h"
#include "ns3/fabric-load-balancer-names.h"
#include "ns3/fabric-simulator-impl.h"
#include "ns3/fat-tree-topology.h"
#include "ns3/leaf-spine-topology.h"
#include "ns3/llm-config-error.h"
#include "ns3/llm-fabric.h"
#include "ns3/llm-message-transport.h"
#include "ns3/llm-philox.h"
#include "ns3/llm-program-options.h"
#include "ns3/llm-units.h"
#include "ns3/pointer.h"
#include "ns3/rdma-transport-helper.h"
#include "ns3/simulator.h"
#include "ns3/string.h"
#include "ns3/uinteger.h"

#include <cstdio>
#include <cstdlib>
#include <iostream>
#include <memory>
#include <new>
#include <numeric>
#include <string>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <vector>

namespace
{
uint64_t g_allocatedBytes = 0; //!< by operator new since the start; the point of the program
} // namespace

// Not inlined: g++ would take the call of free for a mismatch with the new of another file.
[[gnu::noinline]] void*
operator new(std::size_t size)
{
    g_allocatedBytes += size;
    if (void* memory = std::malloc(size))
    {
        return memory;
    }
    throw std::bad_alloc();
}

[[gnu::noinline]] void
operator delete(void* memory) noexcept
{
    std::free(memory);
}

[[gnu::noinline]] void
operator delete(void* memory, std::size_t) noexcept
{
    std::free(memory);
}

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** What is to be run. */
struct Case
{
    std::string pattern{"permutation"}; //!< permutation, incast, ring, alltoall
    std::string topology{"leaf-spine"}; //!< leaf-spine or fat-tree
    uint32_t hosts{64};                 //!< endpoints
    uint64_t bytes{4 << 20};            //!< message; ring: buffer; alltoall: buffer of a host
    uint32_t gbps{100};                 //!< all links
    uint32_t payload{1000};             //!< path MTU
    std::string queue{"native"};        //!< native or portable
    std::string congestion{"ns3::llm::RdmaDcqcn"}; //!< TypeId
    std::string reliability{"go_back_n"};          //!< name
    std::string balancing{"ecmp"};                 //!< name, of switches
    std::string paths{"single"};                   //!< name, of senders
    uint32_t ackInterval{1};                       //!< packets per ACK
    uint32_t open{4}; //!< alltoall: messages that a host has open at once
};

/** @return a whole square root or cube of what the topology needs, or an error. */
std::unique_ptr<FabricTopology>
MakeTopology(const Case& c)
{
    const FabricLink link{DataRate(uint64_t{c.gbps} * 1000000000), MicroSeconds(1)};
    std::unique_ptr<FabricTopology> topology;
    if (c.topology == "fat-tree")
    {
        uint32_t k = 2;
        while (k * k * k / 4 < c.hosts)
        {
            k += 2;
        }
        topology = std::make_unique<FatTreeTopology>(k, link);
    }
    else if (c.topology == "leaf-spine")
    {
        uint32_t perLeaf = 1;
        while (perLeaf * perLeaf < c.hosts)
        {
            ++perLeaf;
        }
        topology = std::make_unique<LeafSpineTopology>((c.hosts + perLeaf - 1) / perLeaf,
                                                       perLeaf,
                                                       perLeaf,
                                                       link);
    }
    else
    {
        throw ConfigError("command line",
                          "topology",
                          "\"" + c.topology + "\" is unknown; use leaf-spine or fat-tree");
    }
    topology->SetHostLink(link);
    ObjectFactory balancer;
    balancer.SetTypeId(GetFabricLoadBalancerNames().Lookup(c.balancing, "command line"));
    topology->SetSwitchMaker([balancer] {
        auto fabricSwitch = CreateObject<FabricSwitch>();
        fabricSwitch->SetAttribute("LoadBalancer", PointerValue(balancer.Create()));
        fabricSwitch->SetAttribute("EcnMarker", PointerValue(CreateObject<RedEcnMarker>()));
        return fabricSwitch;
    });
    return topology;
}

/** Sends the pattern's messages; a ring goes on when a chunk arrives. */
class Driver : public MessageListener
{
  public:
    Driver(Ptr<MessageTransport> transport, const Case& c)
        : m_transport(transport),
          m_case(c)
    {
        transport->SetListener(this);
    }

    void Start()
    {
        const uint32_t n = m_case.hosts;
        if (m_case.pattern == "permutation")
        {
            // Sattolo's shuffle: one cycle, so that nobody sends to itself.
            std::vector<uint32_t> to(n);
            std::iota(to.begin(), to.end(), 0);
            const Philox random(1);
            for (uint32_t i = n - 1; i > 0; --i)
            {
                std::swap(to[i], to[random.Draw(i, 0) % i]);
            }
            for (uint32_t i = 0; i < n; ++i)
            {
                Send(i, to[i], m_case.bytes, 0);
            }
        }
        else if (m_case.pattern == "incast")
        {
            for (uint32_t i = 1; i < n; ++i)
            {
                Send(i, 0, m_case.bytes, 0);
            }
        }
        else if (m_case.pattern == "ring")
        {
            for (uint32_t i = 0; i < n; ++i)
            {
                Send(i, (i + 1) % n, m_case.bytes / n, 1);
            }
        }
        else if (m_case.pattern == "alltoall")
        {
            // Connections as a job has them from its first iteration on.
            for (uint32_t i = 0; i < n; ++i)
            {
                for (uint32_t j = i + 1; j < n; ++j)
                {
                    Send(i, j, 0, n);
                }
            }
            for (uint32_t step = 1; step <= std::min(m_case.open, n - 1); ++step)
            {
                for (uint32_t i = 0; i < n; ++i)
                {
                    Send(i, (i + step) % n, m_case.bytes / n, step);
                }
            }
        }
        else
        {
            throw ConfigError("command line",
                              "pattern",
                              "\"" + m_case.pattern +
                                  "\" is unknown; use permutation, incast, ring or alltoall");
        }
    }

    void MessageDelivered(const Message& message, int64_t now) override
    {
        ++m_delivered;
        m_end = now;
        if (m_case.pattern == "ring" && message.tag + 2 < 2 * uint64_t{m_case.hosts})
        {
            Send(message.to, (message.to + 1) % m_case.hosts, message.bytes, message.tag + 1);
        }
    }

    void MessageSent(const Message& message, int64_t) override
    {
        const uint64_t step = message.tag + m_case.open;
        if (m_case.pattern == "alltoall" && step < m_case.hosts)
        {
            const auto to = static_cast<uint32_t>((message.from + step) % m_case.hosts);
            Send(message.from, to, message.bytes, step);
        }
    }

    void MessageFailed(const Message&, const std::string& reason) override
    {
        std::cerr << reason << "\n";
        m_failed = true;
    }

    /** @return true if every message has arrived. */
    bool IsComplete() const
    {
        return !m_failed && m_delivered == m_sent;
    }

    /** @return tick of the last delivery. */
    int64_t GetEnd() const
    {
        return m_end;
    }

  private:
    void Send(uint32_t from, uint32_t to, uint64_t bytes, uint64_t tag)
    {
        Message message;
        message.from = from;
        message.to = to;
        message.bytes = bytes;
        message.tag = tag;
        ++m_sent;
        m_transport->Send(message);
    }

    Ptr<MessageTransport> m_transport;
    Case m_case;
    uint64_t m_sent{0};
    uint64_t m_delivered{0};
    int64_t m_end{0};
    bool m_failed{false};
};

/** Compares the allocation counter at half and at nine tenths of the delivered bytes. */
class AllocationProbe : public FabricEventHandler
{
  public:
    AllocationProbe(Ptr<Fabric> fabric, Ptr<RdmaTransport> transport, int64_t period)
        : m_fabric(fabric),
          m_transport(transport),
          m_period(period)
    {
        FabricEventQueue& events = fabric->GetEventQueue();
        m_id = events.Register(FabricEventKind::JOB, this, 0xffffffff);
        events.ScheduleAt(period, FabricEventKind::JOB, m_id);
    }

    void HandleFabricEvent(FabricEventKind, int64_t now) override
    {
        const uint64_t bytes = g_allocatedBytes;
        const TransportTotals totals = m_transport->GetTotals();
        if (m_looks == 0 && totals.payloadReceived * 2 >= totals.bytesStarted)
        {
            ++m_looks;
            m_bytes = bytes;
            m_hops = m_fabric->GetTotals().packetHops;
        }
        else if (m_looks == 1 && totals.payloadReceived * 10 >= totals.bytesStarted * 9)
        {
            ++m_looks;
            m_bytes = bytes - m_bytes;
            m_hops = m_fabric->GetTotals().packetHops - m_hops;
        }
        if (m_looks < 2)
        {
            m_fabric->GetEventQueue().ScheduleAt(now + m_period, FabricEventKind::JOB, m_id);
        }
    }

    /** @return bytes allocated per packet-hop between the two looks; -1 if it saw none. */
    double GetBytesPerHop() const
    {
        return m_looks == 2 && m_hops > 0
                   ? static_cast<double>(m_bytes) / static_cast<double>(m_hops)
                   : -1;
    }

  private:
    Ptr<Fabric> m_fabric;
    Ptr<RdmaTransport> m_transport;
    int64_t m_period;
    uint32_t m_id;
    uint32_t m_looks{0};
    uint64_t m_bytes{0};
    uint64_t m_hops{0};
};

/** @return CPU time of this process, s. */
double
CpuSeconds()
{
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    const auto seconds = [](const timeval& t) {
        return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
    };
    return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

/** @return least time of the pattern's bytes on a host link, ticks. */
int64_t
IdealTicks(const Case& c)
{
    const double onHostLink = static_cast<double>(c.bytes) *
                              (c.pattern == "incast" ? c.hosts - 1.0 : 1.0) *
                              (c.pattern == "ring" ? 2.0 : 1.0);
    return static_cast<int64_t>(onHostLink * 8000.0 / c.gbps);
}

/** Print the head of the table. */
void
PrintHeader()
{
    std::printf("%-11s %-10s %5s %4s %5s %-8s %9s %7s %7s %8s %7s %8s %9s\n",
                "pattern",
                "topology",
                "hosts",
                "Gb/s",
                "B",
                "queue",
                "hops M",
                "ev/hop",
                "CPU s",
                "hops M/s",
                "peak MB",
                "alloc B",
                "time us");
}

/** @param c case. @return exit code. */
int
Run(const Case& c)
{
    if (c.queue == "native")
    {
        FabricSimulatorImpl::Select();
    }
    else if (c.queue != "portable")
    {
        throw ConfigError("command line",
                          "queue",
                          "\"" + c.queue + "\" is unknown; use native or portable");
    }
    Time::SetResolution(Time::PS);
    auto fabric = CreateObject<Fabric>();
    fabric->SetAttribute("PathMtu", UintegerValue(c.payload));
    const FabricNetwork network = MakeTopology(c)->Build(fabric, 1);
    NodeContainer ranks;
    for (uint32_t i = 0; i < c.hosts; ++i)
    {
        ranks.Add(network.endpoints.Get(i));
    }
    RdmaTransportHelper helper;
    helper.SetAttribute("PathMtu", UintegerValue(c.payload));
    helper.SetAttribute("AckInterval", UintegerValue(c.ackInterval));
    helper.SetCongestionControl(c.congestion);
    helper.SetReliability(c.reliability);
    helper.SetPathSelector(c.paths);
    Ptr<RdmaTransport> transport = helper.Install(fabric, ranks);
    Driver driver(transport, c);
    AllocationProbe probe(fabric, transport, std::max<int64_t>(IdealTicks(c) / 50, 1));
    const double before = CpuSeconds();
    driver.Start();
    Simulator::Run();
    const double cpu = CpuSeconds() - before;
    const FabricTotals totals = fabric->GetTotals();
    rusage usage;
    getrusage(RUSAGE_SELF, &usage);
    const auto hops = static_cast<double>(totals.packetHops);
    std::printf("%-11s %-10s %5u %4u %5u %-8s %9.3f %7.3f %7.2f %8.3f %7.0f %8.4f %9.1f\n",
                c.pattern.c_str(),
                c.topology.c_str(),
                c.hosts,
                c.gbps,
                c.payload,
                c.queue.c_str(),
                hops * 1e-6,
                static_cast<double>(fabric->GetEventQueue().GetEventCount()) / hops,
                cpu,
                hops * 1e-6 / cpu,
                static_cast<double>(usage.ru_maxrss) / 1024,
                probe.GetBytesPerHop(),
                static_cast<double>(driver.GetEnd()) * 1e-6);
    std::fflush(stdout);
    const TransportTotals books = transport->GetTotals();
    const bool exact = books.bytesDelivered == books.bytesStarted &&
                       books.payloadReceived == books.bytesStarted && totals.framesLive == 0 &&
                       totals.bytesBuffered == 0;
    transport->Dispose();
    fabric->Dispose();
    Simulator::Destroy();
    if (!driver.IsComplete() || !exact)
    {
        std::fprintf(stderr,
                     "llm-training-bench: %s: bytes started %llu, delivered %llu\n",
                     c.pattern.c_str(),
                     static_cast<unsigned long long>(books.bytesStarted),
                     static_cast<unsigned long long>(books.bytesDelivered));
        return 1;
    }
    return 0;
}

/** Run a case in a child process. @return its exit code. */
int
RunInChild(const Case& c)
{
    std::fflush(stdout);
    const pid_t child = fork();
    if (child == 0)
    {
        int code = 2;
        try
        {
            code = Run(c);
        }
        catch (const ConfigError& error)
        {
            std::cerr << error.what() << "\n";
        }
        std::fflush(stdout);
        _exit(code);
    }
    int status = 0;
    waitpid(child, &status, 0);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1;
}

/** @param base what all cases share. @param quick less bytes. @return the cases of the suite. */
std::vector<Case>
MakeSuite(const Case& base, bool quick)
{
    struct Size
    {
        uint32_t hosts;       //!< endpoints
        const char* topology; //!< shape
        uint32_t scale;       //!< divides the bytes
    };

    std::vector<Case> suite;
    for (const Size size :
         {Size{64, "leaf-spine", 1}, {128, "fat-tree", 2}, {1024, "fat-tree", 16}})
    {
        for (const uint32_t gbps : {100, 400})
        {
            for (const char* pattern : {"permutation", "incast", "ring", "alltoall"})
            {
                Case c = base;
                c.pattern = pattern;
                c.topology = size.topology;
                c.hosts = size.hosts;
                c.gbps = gbps;
                c.payload = gbps == 100 ? 1000 : 4096;
                c.bytes = (uint64_t{16} << 20) / size.scale;
                if (c.pattern == "incast")
                {
                    c.bytes = (uint64_t{64} << 20) / size.hosts;
                }
                if (c.pattern == "ring" && size.hosts == 1024)
                {
                    c.bytes = uint64_t{4} << 20;
                }
                if (quick)
                {
                    c.bytes /= 16;
                }
                suite.push_back(c);
            }
        }
    }
    return suite;
}

/** @param argc of main. @param argv of main. @param c gets the case. @param quick gets --quick. */
void
ReadOptions(int argc, char* argv[], Case& c, bool& quick)
{
    std::string hosts = std::to_string(c.hosts);
    std::string bytes = FormatBytes(c.bytes);
    std::string gbps = std::to_string(c.gbps);
    std::string payload = std::to_string(c.payload);
    std::string ackInterval = std::to_string(c.ackInterval);
    std::string open = std::to_string(c.open);
    ProgramOptions options(
        "llm-training-bench",
        "Speed of the packet path. Without --pattern: the whole suite.\n"
        "Columns: packet-hops (millions), events per packet-hop, CPU seconds, packet-hops\n"
        "(millions) per CPU-second, peak memory (MB), bytes allocated per packet-hop in\n"
        "steady state, simulated time (us).");
    options.AddText("pattern", "permutation, incast, ring or alltoall", c.pattern);
    options.AddText("topology", "leaf-spine or fat-tree", c.topology);
    options.AddText("hosts", "endpoints", hosts);
    options.AddText("bytes", "per message; ring, alltoall: of a host", bytes);
    options.AddText("gbps", "rate of all links", gbps);
    options.AddText("payload", "path MTU, bytes", payload);
    options.AddText("queue", "native or portable", c.queue);
    options.AddText("congestion", "control, a TypeId", c.congestion);
    options.AddText("reliability", "loss recovery: go_back_n, selective_repeat ...", c.reliability);
    options.AddText("balancing", "of switches: ecmp, spray_random, adaptive ...", c.balancing);
    options.AddText("paths", "of senders: single, spray, reps ...", c.paths);
    options.AddText("ackInterval", "data packets per ACK", ackInterval);
    options.AddText("open", "alltoall: messages of a host at once", open);
    options.AddSwitch("quick", "suite with a sixteenth of the bytes", quick);
    options.Parse(argc, argv);
    if (c.pattern.empty())
    {
        for (const char* name : {"topology", "hosts", "bytes", "gbps", "payload"})
        {
            if (options.IsGiven(name))
            {
                throw ConfigError("command line",
                                  std::string("--") + name,
                                  "goes with --pattern; the suite has its own");
            }
        }
    }
    else if (quick)
    {
        throw ConfigError("command line", "--quick", "goes without --pattern");
    }
    c.hosts = ReadOptionCount(hosts, "--hosts", 2, 65535);
    c.bytes = ParseBytes(bytes, "command line", "--bytes");
    c.gbps = ReadOptionCount(gbps, "--gbps", 1, 1000000);
    c.payload = ReadOptionCount(payload, "--payload", 256, 4096);
    c.ackInterval = ReadOptionCount(ackInterval, "--ackInterval", 1, 65535);
    c.open = ReadOptionCount(open, "--open", 1, 65535);
    if (c.bytes < c.hosts || c.bytes > uint64_t{1} << 40)
    {
        throw ConfigError("command line",
                          "--bytes",
                          "must be from one for each host, " + std::to_string(c.hosts) +
                              ", to 1TiB, is " + bytes);
    }
}

} // namespace

int
main(int argc, char* argv[])
{
    Case c;
    c.pattern.clear();
    bool quick = false;
    try
    {
        ReadOptions(argc, argv, c, quick);
        PrintHeader();
        if (!c.pattern.empty())
        {
            return Run(c);
        }
        int result = 0;
        for (const Case& each : MakeSuite(c, quick))
        {
            result = std::max(result, RunInChild(each));
        }
        return result;
    }
    catch (const ConfigError& error)
    {
        std::cerr << error.what() << "\n";
        return 2;
    }
}

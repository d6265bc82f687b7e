/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-training-import-test.h"

#include "ns3/llm-chakra-file.h"
#include "ns3/llm-chakra-workload.h"
#include "ns3/llm-chakra-writer.h"
#include "ns3/llm-goal-workload.h"
#include "ns3/llm-training-compat.h"
#include "ns3/llm-workload-checker.h"
#include "ns3/test.h"

#include <boost/crc.hpp>
#include <cstdio>
#include <iterator>

using namespace ns3;
using namespace ns3::llm;
using namespace llmtest;

namespace
{

using V = ChakraValue;

/// A node in short. @param id of it @param type of it @param attributes of it
/// @param data dependencies @param control dependencies @param micros duration
ChakraNode
Node(uint64_t id,
     ChakraType type,
     const ChakraAttributes& attributes = {},
     const std::vector<uint64_t>& data = {},
     const std::vector<uint64_t>& control = {},
     uint64_t micros = 0)
{
    ChakraNode node;
    node.id = id;
    node.name = "n" + std::to_string(id);
    node.type = static_cast<int32_t>(type);
    node.attributes = attributes;
    node.dataDependencies = data;
    node.controlDependencies = control;
    node.durationMicros = micros;
    return node;
}

/// @param prefix of the file @param rank which @param nodes of it @param head attributes
void
WriteTrace(const std::string& prefix,
           uint32_t rank,
           const std::vector<ChakraNode>& nodes,
           const ChakraAttributes& head = {})
{
    ChakraFileWriter file(prefix + "." + std::to_string(rank) + ".et", head);
    for (const ChakraNode& node : nodes)
    {
        file.Write(node);
    }
    file.Close();
}

/// @param name of a file @return its content
std::string
ReadAll(const std::string& name)
{
    std::ifstream file(name, std::ios::binary);
    return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

/// @param number any @param bytes how many @return it, lowest byte first
std::string
LittleEndian(uint64_t number, int bytes)
{
    std::string text;
    for (int i = 0; i < bytes; ++i)
    {
        text += static_cast<char>(number >> (8 * i));
    }
    return text;
}

/// @param content below 64 KiB @return a gzip file of one stored block (RFC 1951, 1952)
std::string
Gzip(const std::string& content)
{
    boost::crc_32_type crc;
    crc.process_bytes(content.data(), content.size());
    const uint64_t size = content.size();
    return std::string("\x1f\x8b\x08\0\0\0\0\0\0\xff\x01", 11) + LittleEndian(size, 2) +
           LittleEndian(~size, 2) + content + LittleEndian(crc.checksum(), 4) +
           LittleEndian(size, 4);
}

/// @return what differs first between two operations, or empty
std::string
Differ(const Operation& a, const Operation& b)
{
    return a.id != b.id                   ? "id"
           : a.kind != b.kind             ? "kind"
           : a.stream != b.stream         ? "stream"
           : a.dimension != b.dimension   ? "dimension"
           : a.phase != b.phase           ? "phase"
           : a.layer != b.layer           ? "layer"
           : a.microbatch != b.microbatch ? "microbatch"
           : a.durationPs != b.durationPs ? "duration"
           : a.bytes != b.bytes           ? "bytes"
           : a.group != b.group           ? "group"
           : a.root != b.root             ? "root"
           : a.peer != b.peer             ? "peer"
           : a.tag != b.tag               ? "tag"
           : a.waits != b.waits           ? "waits"
           : a.startWaits != b.startWaits ? "startWaits"
           : a.channel != b.channel       ? "channel"
           : a.lane != b.lane             ? "lane"
           : !a.exchange != !b.exchange   ? "exchange"
                                          : "";
}

/// @return what differs first between two workloads, or empty
std::string
Differ(const WorkloadSource& a, const WorkloadSource& b)
{
    if (a.GetWorldSize() != b.GetWorldSize() || a.GetGroups().size() != b.GetGroups().size())
    {
        return "sizes";
    }
    for (std::size_t i = 0; i < a.GetGroups().size(); ++i)
    {
        const ProcessGroup& x = a.GetGroups()[i];
        const ProcessGroup& y = b.GetGroups()[i];
        if (x.ranks != y.ranks || x.name != y.name || x.dimension != y.dimension)
        {
            return "group " + std::to_string(i);
        }
    }
    for (uint32_t rank = 0; rank < a.GetWorldSize(); ++rank)
    {
        auto first = a.CreateProgram(rank, 0);
        auto second = b.CreateProgram(rank, 0);
        Operation x;
        Operation y;
        for (bool more = true; more;)
        {
            more = first->Next(x);
            if (second->Next(y) != more)
            {
                return "length";
            }
            const std::string what = more ? Differ(x, y) : "";
            for (uint32_t i = 0; more && x.exchange && i < x.exchange->GetGroupSize(); ++i)
            {
                for (uint32_t j = 0; j < x.exchange->GetGroupSize(); ++j)
                {
                    if (x.exchange->Get(i, j) != y.exchange->Get(i, j))
                    {
                        return "exchange";
                    }
                }
            }
            if (!what.empty())
            {
                return "rank " + std::to_string(rank) + " operation " + std::to_string(x.id) +
                       ": " + what;
            }
        }
    }
    return "";
}

/// There and back.
class ChakraRoundTripIsExact : public TestCase
{
  public:
    ChakraRoundTripIsExact()
        : TestCase("a step program written as Chakra and read back is the same, operation by "
                   "operation")
    {
    }

  private:
    void DoRun() override
    {
        for (const uint32_t data : {1U, 2U, 3U})
        {
            const auto step = TinyStep(data, data == 2, data == 3 ? 6 : 4);
            const std::string prefix = CreateTempDirFilename("trip" + std::to_string(data));
            ChakraWriter(*step).Write(prefix);
            const auto back = std::make_shared<ChakraWorkload>(prefix);
            NS_TEST_EXPECT_MSG_EQ(Differ(*step, *back), "", data << " replicas");
            const Choice choice{"ring", 2, 1000};
            NS_TEST_EXPECT_MSG_EQ(Compare(RunOnDelays(step, choice), RunOnDelays(back, choice)),
                                  "",
                                  data << " replicas, as they run");
        }
        // Uneven all-to-alls, twice the same one.
        MatrixExchange exchange(3, {0, 5, 6, 7, 0, 9, 1, 2, 0});
        MatrixExchange other(3, {0, 0, 600, 7, 0, 9, 1, 2, 0});
        std::vector<std::vector<Operation>> program(3);
        for (auto& operations : program)
        {
            for (const ExchangeBytes* one : {&exchange, &other, &exchange})
            {
                Operation operation = Collective(OperationKind::ALL_TO_ALL, one->GetMeanBytes());
                operation.exchange = one;
                operation.stream = OperationStream::EXPERT;
                operations.push_back(operation);
            }
        }
        const auto uneven = MakeScript(3, program, {WorldGroup(3)});
        const std::string prefix = CreateTempDirFilename("uneven");
        ChakraWriter(*uneven).Write(prefix);
        NS_TEST_EXPECT_MSG_EQ(Differ(*uneven, ChakraWorkload(prefix)), "", "uneven all-to-alls");
    }
};

/// Graphs too.
class ChakraCarriesGraphs : public TestCase
{
  public:
    ChakraCarriesGraphs()
        : TestCase("GOAL written as Chakra runs alike")
    {
    }

  private:
    void DoRun() override
    {
        const std::string name = WriteFile(
            CreateTempDirFilename("graph.goal"),
            "num_ranks 2 rank 0 { a: calc 7 cpu 2 b: send 99b to 1 tag 5 nic 3 c: send 1b to "
            "1 tag 5 nic 3 c irequires b b requires a } rank 1 { recv 99b from 0 tag 5 recv 1b "
            "from 0 tag 5 }");
        const auto goal = std::make_shared<GoalWorkload>(name);
        const std::string prefix = CreateTempDirFilename("graph");
        ChakraWriter(*goal).Write(prefix);
        const auto chakra = std::make_shared<ChakraWorkload>(prefix);
        NS_TEST_EXPECT_MSG_EQ(Differ(*goal, *chakra), "", "operations");
        const Choice choice{"ring", 1, 0};
        NS_TEST_EXPECT_MSG_EQ(Compare(RunOnDelays(goal, choice), RunOnDelays(chakra, choice)),
                              "",
                              "run");
    }
};

/// Traces of others.
class ForeignChakraIsRead : public TestCase
{
  public:
    ForeignChakraIsRead()
        : TestCase(
              "others' traces: any integer type, node 0, dependencies on later nodes, launches, "
              "groups in metadata or beside")
    {
    }

  private:
    void DoRun() override
    {
        const ChakraAttributes reduce{{"is_cpu_op", V::Boolean(false)},
                                      {"comm_type", V::Integer(0)},
                                      {"comm_size", V::Integer(1048576)},
                                      {"comm_priority", V::Integer(1)}};
        // The whole of a microbenchmark: one node, no groups.
        const std::string prefix = CreateTempDirFilename("micro");
        for (uint32_t rank = 0; rank < 4; ++rank)
        {
            WriteTrace(prefix, rank, {Node(0, ChakraType::COLLECTIVE, reduce, {99})});
        }
        const ChakraWorkload micro(prefix + ".0.et");
        NS_TEST_EXPECT_MSG_EQ(WorkloadChecker(micro).Run(), 4, "one node a rank");
        NS_TEST_EXPECT_MSG_EQ(micro.GetGroups().at(0).ranks.size(), 4, "all ranks");
        NS_TEST_EXPECT_MSG_EQ(micro.Describe(),
                              "micro"
                              ".0.et: Chakra, 4 ranks, 1 process groups, 4 operations: 4 "
                              "all_reduce (4194304 B); ignored: 4 dependencies on nodes that "
                              "are not in the files; ignored: attributes that say nothing "
                              "about time or bytes here: comm_priority",
                              "what it says");

        // Everything at once, on two ranks.
        const std::string full = CreateTempDirFilename("full");
        for (uint32_t rank = 0; rank < 2; ++rank)
        {
            ChakraNode groups = Node(9, ChakraType::METADATA);
            groups.inputs =
                R"([{"pg_name": "7", "ranks": [1, 0]}, {"pg_name": "all", "ranks": []}])";
            ChakraAttributes gather = reduce;
            gather["comm_type"] = V::Unsigned(2);
            gather["pg_name"] = V::Text("7");
            ChakraAttributes launch{{"is_cpu_op", V::Boolean(true)}};
            ChakraAttributes barrier{{"comm_type", V::Integer(9)}, {"pg_name", V::Text("all")}};
            const bool first = rank == 0;
            WriteTrace(full,
                       rank,
                       {groups,
                        Node(5, ChakraType::COLLECTIVE, gather, {4, 9}),
                        Node(4, ChakraType::COLLECTIVE, launch, {}, {0}),
                        Node(0, ChakraType::COMPUTE, {}, {}, {}, 12),
                        Node(8, ChakraType::COMPUTE, {{"num_ops", V::Integer(1000000000)}}, {5}),
                        Node(6, ChakraType::COLLECTIVE, barrier, {8}),
                        Node(7,
                             first ? ChakraType::SEND : ChakraType::RECEIVE,
                             {{"comm_src", V::Unsigned(0)},
                              {"comm_dst", V::Unsigned(1)},
                              {"comm_tag", V::Integer(3)},
                              {"comm_type", V::Integer(5)},
                              {"comm_size", V::Unsigned(77)}},
                             {6})});
        }
        const ChakraWorkload work(full);
        NS_TEST_EXPECT_MSG_EQ(WorkloadChecker(work).Run(), 12, "nodes");
        auto program = work.CreateProgram(1, 0);
        std::vector<Operation> operations(6);
        for (Operation& operation : operations)
        {
            program->Next(operation);
        }
        NS_TEST_EXPECT_MSG_EQ(operations[0].durationPs, 12000000, "12 us, which comes before");
        NS_TEST_EXPECT_MSG_EQ(operations[1].durationPs, 0, "the launch takes no time");
        NS_TEST_EXPECT_MSG_EQ(operations[2].bytes, 2097152, "the whole of the all-gather");
        NS_TEST_EXPECT_MSG_EQ(work.GetGroups()[operations[2].group].ranks[0], 1, "order of ranks");
        NS_TEST_EXPECT_MSG_EQ(operations[3].durationPs,
                              Accelerator(AcceleratorConfig()).GetDurationPs(1e9, 0),
                              "the roofline");
        NS_TEST_EXPECT_MSG_EQ(operations[4].bytes, 4, "a barrier");
        NS_TEST_EXPECT_MSG_EQ(operations[5].tag, 3, "tag");
        NS_TEST_EXPECT_MSG_EQ(ToString(operations[5].kind), std::string("recv"), "receive");

        // Compressed, and groups in a file of their own.
        ChakraAttributes pair = reduce;
        pair["pg_name"] = V::Text("0");
        const std::string zipped = CreateTempDirFilename("zipped");
        for (uint32_t rank = 0; rank < 3; ++rank)
        {
            WriteTrace(zipped,
                       rank,
                       rank == 1 ? std::vector<ChakraNode>{}
                                 : std::vector<ChakraNode>{Node(3, ChakraType::COLLECTIVE, pair)});
            const std::string name = zipped + "." + std::to_string(rank) + ".et";
            WriteFile(name, Gzip(ReadAll(name)));
        }
        const std::string beside =
            WriteFile(CreateTempDirFilename("groups.json"), R"({"0": [0, 2]})");
        const ChakraWorkload small(zipped, beside);
        NS_TEST_EXPECT_MSG_EQ(WorkloadChecker(small).Run(), 2, "two of three ranks");
    }
};

/// Everything that can be wrong.
class BadChakraIsRefused : public TestCase
{
  public:
    BadChakraIsRefused()
        : TestCase("each kind of malformed Chakra trace has its one-line error with the node")
    {
    }

  private:
    /// @param nodes of both ranks @return what is said
    std::string ErrorOfNodes(const std::vector<ChakraNode>& nodes,
                             const ChakraAttributes& head = {})
    {
        const std::string prefix = CreateTempDirFilename("bad");
        for (uint32_t rank = 0; rank < 2; ++rank)
        {
            WriteTrace(prefix, rank, nodes, head);
        }
        return ErrorOf([&] { ChakraWorkload work(prefix); });
    }

    /// @param content of rank 0's file @return what is said
    std::string ErrorOfBytes(const std::string& content)
    {
        const std::string prefix = CreateTempDirFilename("bytes");
        WriteFile(prefix + ".0.et", content);
        return ErrorOf([&] { ChakraWorkload work(prefix); });
    }

    void Expect(const std::string& error, const std::string& wanted)
    {
        NS_TEST_EXPECT_MSG_EQ((error.find(wanted) != std::string::npos),
                              true,
                              "'" << error << "' should say '" << wanted << "'");
        NS_TEST_EXPECT_MSG_EQ(error.find('\n'), std::string::npos, "one line: " << error);
    }

    void DoRun() override
    {
        const ChakraAttributes good{{"comm_type", V::Integer(0)}, {"comm_size", V::Integer(8)}};
        const auto with = [&](const std::string& name, const ChakraValue& value) {
            ChakraAttributes attributes = good;
            attributes[name] = value;
            return Node(3, ChakraType::COLLECTIVE, attributes);
        };
        const auto pair = [](ChakraType type, uint64_t source, uint64_t destination) {
            return Node(3,
                        type,
                        {{"comm_src", V::Unsigned(source)},
                         {"comm_dst", V::Unsigned(destination)},
                         {"comm_size", V::Integer(8)}});
        };
        const auto groups = [](const std::string& json) {
            ChakraNode node = Node(1, ChakraType::METADATA);
            node.inputs = json;
            return node;
        };
        using T = ChakraType;
        Expect(ErrorOfNodes({Node(2, static_cast<T>(0))}), "node 2 (n2): is of type 0");
        Expect(ErrorOfNodes({Node(2, static_cast<T>(8))}), "node 2 (n2): is of type 8");
        Expect(ErrorOfNodes({Node(2, T::COMPUTE), Node(2, T::COMPUTE)}),
               "node 2 (n2): there are two nodes of this id");
        Expect(ErrorOfNodes({Node(2, T::COMPUTE, {}, {}, {2})}), "node 2: depends on itself");
        Expect(ErrorOfNodes({Node(2, T::COMPUTE, {}, {4}), Node(4, T::COMPUTE, {}, {}, {2})}),
               "depends on itself, by way of others");
        Expect(ErrorOfNodes({Node(2, T::COMPUTE, {}, {}, {}, 99999999999999)}),
               "takes 99999999999999 us; at most 9223372036854");
        Expect(ErrorOfNodes({Node(3, T::COLLECTIVE)}), "node 3 (n3): has no attribute comm_type");
        Expect(ErrorOfNodes({Node(3, T::COLLECTIVE, {{"comm_type", V::Integer(0)}})}),
               "node 3 (n3): has no attribute comm_size");
        Expect(ErrorOfNodes({with("comm_size", V::Text("8"))}),
               "the attribute comm_size is no integer");
        Expect(ErrorOfNodes({with("comm_size", V::Integer(-8))}), "the attribute comm_size is -8");
        Expect(ErrorOfNodes({with("comm_type", V::Integer(3))}), "comm_type 3 (gather or scatter)");
        Expect(ErrorOfNodes({with("comm_type", V::Integer(99))}), "comm_type 99 is unknown");
        Expect(ErrorOfNodes({with("pg_name", V::Text("5"))}),
               "no metadata and no file of groups says which ranks are in process group '5'");
        Expect(ErrorOfNodes(
                   {groups(R"([{"pg_name": "5", "ranks": [1]}])"), with("pg_name", V::Text("5"))}),
               "rank 0 is not in process group '5'");
        Expect(ErrorOfNodes({groups(R"([{"pg_name": "5", "ranks": [1, 2]}])")}),
               "node 1: process group '5' has rank 2; there are files of 2 ranks");
        Expect(ErrorOfNodes({groups(R"([{"pg_name": "5", "ranks": [1, 1]}])")}),
               "node 1: process group '5' has a rank twice");
        Expect(ErrorOfNodes({groups(R"([{"pg_name": "5", "ranks": [1]}])"),
                             groups(R"([{"pg_name": "5", "ranks": [0, 1]}])")}),
               "process group '5' has other ranks here (2) than before (1)");
        Expect(ErrorOfNodes({pair(T::SEND, 0, 1)}),
               "comm_src is 0, but this is the file of rank 1");
        Expect(ErrorOfNodes({pair(T::SEND, 0, 2)}),
               "the attribute comm_dst is 2; 0 to 1 is possible");
        Expect(ErrorOfNodes({pair(T::SEND, 0, 0)}), "node 3 (n3): sends to itself");
        Expect(ErrorOfNodes({Node(3, T::SEND, {{"comm_size", V::Integer(1)}})}),
               "node 3 (n3): has no attribute comm_dst");
        Expect(ErrorOfNodes({}, {{"llm_format", V::Integer(2)}}),
               "head: was written by another version of llm-training");
        Expect(ErrorOfNodes({},
                            {{"llm_format", V::Integer(1)},
                             {"llm_channels", V::Integer(1)},
                             {"llm_groups", V::Integer(1)},
                             {"llm_ranks", V::Integer(4)}}),
               "head: is one of 4 ranks, but there are files of 2");

        // Bytes that are no trace.
        const std::string prefix = CreateTempDirFilename("whole");
        WriteTrace(prefix, 0, {Node(2, T::COMPUTE, {}, {}, {}, 5), Node(3, T::COMPUTE)});
        const std::string whole = ReadAll(prefix + ".0.et");
        Expect(ErrorOfBytes(""), "the Chakra trace cannot be read: it is empty or no file");
        Expect(ErrorOfBytes(whole.substr(0, whole.size() - 2)),
               ".0.et: node 1: is no message of a Chakra trace, or the file is cut off");
        Expect(ErrorOfBytes(whole + "\xff"), ".0.et: node 2: is no message of a Chakra trace");
        Expect(ErrorOfBytes("this is a text and no trace at all"), ".0.et: head: is no message");
        const std::string zipped = Gzip(whole);
        Expect(ErrorOfBytes(zipped), "no error");
        Expect(ErrorOfBytes(zipped.substr(0, zipped.size() - 12)),
               "is no message of a Chakra trace");
        Expect(ErrorOf([] { ChakraWorkload work("/nowhere/trace"); }),
               "/nowhere/trace: there is no file /nowhere/trace.0.et nor of any other rank");
        WriteFile(prefix + ".2.et", whole);
        Expect(ErrorOf([&] { ChakraWorkload work(prefix); }), ".2.et, but no ");
    }
};

/// Without the library.
class ChakraMayBeMissing : public TestCase
{
  public:
    ChakraMayBeMissing()
        : TestCase("without protobuf, reading and writing Chakra says which packages are missing")
    {
    }

  private:
    void DoRun() override
    {
        const std::string name = CreateTempDirFilename("none.0.et");
        WriteFile(name, "x");
        const std::string wanted =
            "(Debian: apt install libprotobuf-c-dev protobuf-c-compiler zlib1g-dev)";
        const std::string read = ErrorOf([&] { ChakraFileReader file(name); });
        const std::string write = ErrorOf([&] { ChakraFileWriter file(name, {}); });
        for (const auto& error : {read, write})
        {
            NS_TEST_EXPECT_MSG_EQ((error.find(wanted) != std::string::npos), true, error);
        }
    }
};

/// @ingroup llm-training-tests
/// The suite of Chakra.
class ChakraTestSuite : public TestSuite
{
  public:
    ChakraTestSuite()
        : TestSuite("llm-training-workload-chakra", ns3::TestSuite::Type::UNIT)
    {
        if (!HasChakra())
        {
            AddTestCase(new ChakraMayBeMissing, llm::TestDuration::QUICK);
            return;
        }
        AddTestCase(new ChakraRoundTripIsExact, llm::TestDuration::QUICK);
        AddTestCase(new ChakraCarriesGraphs, llm::TestDuration::QUICK);
        AddTestCase(new ForeignChakraIsRead, llm::TestDuration::QUICK);
        AddTestCase(new BadChakraIsRefused, llm::TestDuration::QUICK);
    }
};

ChakraTestSuite g_chakraTestSuite; //!< registers the suite

} // namespace

/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-chakra-file.h"

#include "ns3/llm-config-error.h"

#ifdef LLM_TRAINING_PROTOBUF
#include "llm-chakra-trace.pb.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <google/protobuf/io/gzip_stream.h>
#include <google/protobuf/io/zero_copy_stream_impl.h>
#include <google/protobuf/util/delimited_message_util.h>
#endif

namespace ns3
{
namespace llm
{

ChakraValue
ChakraValue::Integer(int64_t number)
{
    ChakraValue value;
    value.kind = Kind::INTEGER;
    value.negative = number < 0;
    value.number = static_cast<uint64_t>(number);
    return value;
}

ChakraValue
ChakraValue::Unsigned(uint64_t number)
{
    ChakraValue value;
    value.kind = Kind::INTEGER;
    value.number = number;
    return value;
}

ChakraValue
ChakraValue::Boolean(bool flag)
{
    ChakraValue value;
    value.kind = Kind::BOOLEAN;
    value.number = flag ? 1 : 0;
    return value;
}

ChakraValue
ChakraValue::Text(const std::string& text)
{
    ChakraValue value;
    value.kind = Kind::TEXT;
    value.text = text;
    return value;
}

ChakraValue
ChakraValue::Integers(std::vector<uint64_t> numbers)
{
    ChakraValue value;
    value.kind = Kind::INTEGERS;
    value.integers = std::move(numbers);
    return value;
}

#ifdef LLM_TRAINING_PROTOBUF

namespace
{

namespace io = google::protobuf::io;
namespace util = google::protobuf::util;

constexpr int GZIP_END = 1; //!< Z_STREAM_END of zlib

/** @return the numbers of a list, as they are. */
template <typename T>
ChakraValue
ListOf(const T& list)
{
    std::vector<uint64_t> numbers;
    for (const auto number : list.values())
    {
        numbers.push_back(static_cast<uint64_t>(number));
    }
    return ChakraValue::Integers(std::move(numbers));
}

/** @return an attribute's value. */
ChakraValue
ValueOf(const chakra::TraceAttribute& attribute)
{
    using A = chakra::TraceAttribute;
    ChakraValue value;
    switch (attribute.value_case())
    {
    case A::kReal64:
        value.kind = ChakraValue::Kind::REAL;
        value.real = attribute.real64();
        return value;
    case A::kReal32:
        value.kind = ChakraValue::Kind::REAL;
        value.real = static_cast<double>(attribute.real32());
        return value;
    case A::kSigned32:
        return ChakraValue::Integer(attribute.signed32());
    case A::kSigned64:
        return ChakraValue::Integer(attribute.signed64());
    case A::kUnsigned32:
        return ChakraValue::Unsigned(attribute.unsigned32());
    case A::kUnsigned64:
        return ChakraValue::Unsigned(attribute.unsigned64());
    case A::kZigzag32:
        return ChakraValue::Integer(attribute.zigzag32());
    case A::kZigzag64:
        return ChakraValue::Integer(attribute.zigzag64());
    case A::kFixed32:
        return ChakraValue::Unsigned(attribute.fixed32());
    case A::kFixed64:
        return ChakraValue::Unsigned(attribute.fixed64());
    case A::kSfixed32:
        return ChakraValue::Integer(attribute.sfixed32());
    case A::kSfixed64:
        return ChakraValue::Integer(attribute.sfixed64());
    case A::kSigned32S:
        return ListOf(attribute.signed32s());
    case A::kSigned64S:
        return ListOf(attribute.signed64s());
    case A::kUnsigned32S:
        return ListOf(attribute.unsigned32s());
    case A::kUnsigned64S:
        return ListOf(attribute.unsigned64s());
    case A::kZigzag32S:
        return ListOf(attribute.zigzag32s());
    case A::kZigzag64S:
        return ListOf(attribute.zigzag64s());
    case A::kFlags:
        return ListOf(attribute.flags());
    case A::kFlag:
        return ChakraValue::Boolean(attribute.flag());
    case A::kText:
        return ChakraValue::Text(attribute.text());
    case A::kData:
    case A::VALUE_NOT_SET:
        break;
    }
    return value;
}

/** Fill in an attribute. */
void
SetAttribute(chakra::TraceAttribute& attribute, const std::string& name, const ChakraValue& value)
{
    attribute.set_name(name);
    switch (value.kind)
    {
    case ChakraValue::Kind::INTEGER:
        // Most producers write int64; what does not fit goes as uint64.
        if (!value.negative && value.number > INT64_MAX)
        {
            attribute.set_unsigned64(value.number);
        }
        else
        {
            attribute.set_signed64(static_cast<int64_t>(value.number));
        }
        return;
    case ChakraValue::Kind::REAL:
        attribute.set_real64(value.real);
        return;
    case ChakraValue::Kind::BOOLEAN:
        attribute.set_flag(value.number != 0);
        return;
    case ChakraValue::Kind::TEXT:
        attribute.set_text(value.text);
        return;
    case ChakraValue::Kind::INTEGERS:
        for (const uint64_t number : value.integers)
        {
            attribute.mutable_unsigned64s()->add_values(number);
        }
        return;
    case ChakraValue::Kind::OTHER:
        return;
    }
}

} // namespace

bool
HasChakra()
{
    return true;
}

struct ChakraFileReader::Impl
{
    std::string fileName;                          //!< for errors
    std::ifstream file;                            //!< bytes
    std::unique_ptr<io::IstreamInputStream> bytes; //!< the file
    std::unique_ptr<io::GzipInputStream> gzip;     //!< null: not compressed
    io::ZeroCopyInputStream* input{nullptr};       //!< one of these
    ChakraAttributes head;                         //!< see GetHead
    uint64_t nodes{0};                             //!< read so far
    chakra::TraceNode node;                        //!< used again and again

    /** Read one message. @return false at the end. */
    bool Read(google::protobuf::MessageLite& message, const std::string& what)
    {
        bool end = false;
        message.Clear();
        if (util::ParseDelimitedFromZeroCopyStream(&message, input, &end))
        {
            return true;
        }
        if (!end || (gzip && gzip->ZlibErrorCode() != GZIP_END))
        {
            throw ConfigError(fileName,
                              what,
                              "is no message of a Chakra trace, or the file is cut off");
        }
        return false;
    }
};

ChakraFileReader::ChakraFileReader(const std::string& fileName)
    : m_impl(std::make_unique<Impl>())
{
    Impl& impl = *m_impl;
    impl.fileName = fileName;
    impl.file.open(fileName, std::ios::binary);
    const int first = impl.file ? impl.file.peek() : -1;
    if (first == -1)
    {
        throw ConfigError(
            fileName,
            "",
            "the Chakra trace cannot be read: " +
                std::string(impl.file.is_open() ? "it is empty or no file" : std::strerror(errno)));
    }
    char magic[2] = {};
    impl.file.read(magic, sizeof(magic));
    const bool compressed = magic[0] == '\x1f' && magic[1] == '\x8b';
    impl.file.clear();
    impl.file.seekg(0);
    impl.bytes = std::make_unique<io::IstreamInputStream>(&impl.file);
    impl.input = impl.bytes.get();
    if (compressed)
    {
        impl.gzip = std::make_unique<io::GzipInputStream>(impl.input);
        impl.input = impl.gzip.get();
    }
    chakra::TraceHead head;
    if (!impl.Read(head, "head"))
    {
        throw ConfigError(fileName, "head", "is missing: the trace is empty");
    }
    for (const auto& attribute : head.attributes())
    {
        impl.head[attribute.name()] = ValueOf(attribute);
    }
}

ChakraFileReader::~ChakraFileReader() = default;

const ChakraAttributes&
ChakraFileReader::GetHead() const
{
    return m_impl->head;
}

bool
ChakraFileReader::Next(ChakraNode& node)
{
    const chakra::TraceNode& from = m_impl->node;
    if (!m_impl->Read(m_impl->node, "node " + std::to_string(m_impl->nodes)))
    {
        return false;
    }
    ++m_impl->nodes;
    node.id = from.id();
    node.name = from.name();
    node.type = from.type();
    node.controlDependencies.assign(from.control_dependencies().begin(),
                                    from.control_dependencies().end());
    node.dataDependencies.assign(from.data_dependencies().begin(), from.data_dependencies().end());
    node.durationMicros = from.duration_micros();
    node.inputs = from.inputs().values();
    node.attributes.clear();
    for (const auto& attribute : from.attributes())
    {
        node.attributes[attribute.name()] = ValueOf(attribute);
    }
    return true;
}

struct ChakraFileWriter::Impl
{
    std::string fileName;   //!< for errors
    std::ofstream file;     //!< bytes
    chakra::TraceNode node; //!< used again and again
};

ChakraFileWriter::ChakraFileWriter(const std::string& fileName, const ChakraAttributes& head)
    : m_impl(std::make_unique<Impl>())
{
    m_impl->fileName = fileName;
    m_impl->file.open(fileName, std::ios::binary | std::ios::trunc);
    chakra::TraceHead message;
    message.set_version("0.0.4");
    for (const auto& [name, value] : head)
    {
        SetAttribute(*message.add_attributes(), name, value);
    }
    util::SerializeDelimitedToOstream(message, &m_impl->file);
    if (!m_impl->file)
    {
        throw ConfigError(fileName, "", std::string("cannot be written: ") + std::strerror(errno));
    }
}

ChakraFileWriter::~ChakraFileWriter() = default;

void
ChakraFileWriter::Write(const ChakraNode& node)
{
    chakra::TraceNode& message = m_impl->node;
    message.Clear();
    message.set_id(node.id);
    message.set_name(node.name);
    message.set_type(node.type);
    for (const uint64_t id : node.controlDependencies)
    {
        message.add_control_dependencies(id);
    }
    for (const uint64_t id : node.dataDependencies)
    {
        message.add_data_dependencies(id);
    }
    message.set_duration_micros(node.durationMicros);
    if (!node.inputs.empty())
    {
        message.mutable_inputs()->set_values(node.inputs);
    }
    for (const auto& [name, value] : node.attributes)
    {
        SetAttribute(*message.add_attributes(), name, value);
    }
    util::SerializeDelimitedToOstream(message, &m_impl->file);
}

void
ChakraFileWriter::Close()
{
    m_impl->file.close();
    if (!m_impl->file)
    {
        throw ConfigError(m_impl->fileName, "", "cannot be written");
    }
}

#else // LLM_TRAINING_PROTOBUF

namespace
{

[[noreturn]] void
FailWithoutProtobuf(const std::string& fileName)
{
    throw ConfigError(fileName,
                      "",
                      "Chakra traces need protobuf, which was missing when llm-training was "
                      "configured (Debian: apt install libprotobuf-dev protobuf-compiler)");
}

} // namespace

bool
HasChakra()
{
    return false;
}

struct ChakraFileReader::Impl
{
    ChakraAttributes head; //!< empty
};

ChakraFileReader::ChakraFileReader(const std::string& fileName)
{
    FailWithoutProtobuf(fileName);
}

ChakraFileReader::~ChakraFileReader() = default;

const ChakraAttributes&
ChakraFileReader::GetHead() const
{
    return m_impl->head;
}

bool
ChakraFileReader::Next(ChakraNode&)
{
    return false;
}

struct ChakraFileWriter::Impl
{
};

ChakraFileWriter::ChakraFileWriter(const std::string& fileName, const ChakraAttributes&)
{
    FailWithoutProtobuf(fileName);
}

ChakraFileWriter::~ChakraFileWriter() = default;

void
ChakraFileWriter::Write(const ChakraNode&)
{
}

void
ChakraFileWriter::Close()
{
}

#endif // LLM_TRAINING_PROTOBUF

} // namespace llm
} // namespace ns3

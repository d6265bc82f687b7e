/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-chakra-file.h"

#include "ns3/llm-config-error.h"

#include <algorithm>

#ifdef LLM_TRAINING_PROTOBUF_C
#include "llm-chakra-trace.pb-c.h"

#include <cerrno>
#include <cstring>
#include <fstream>
#include <memory>
#include <utility>
#include <zlib.h>
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

#ifdef LLM_TRAINING_PROTOBUF_C

namespace
{

using Attribute = Llm__Chakra__TraceAttribute;
using Head = Llm__Chakra__TraceHead;
using NodeMessage = Llm__Chakra__TraceNode;
using Numbers = Llm__Chakra__UnsignedNumbers;

/** A file that may be compressed by gzip, read message by message. */
class MessageSource
{
  public:
    /** @param fileName file. */
    explicit MessageSource(const std::string& fileName)
        : m_fileName(fileName),
          m_file(gzopen(fileName.c_str(), "rb"))
    {
    }

    ~MessageSource()
    {
        if (m_file)
        {
            gzclose(m_file);
        }
    }

    MessageSource(const MessageSource&) = delete;
    MessageSource& operator=(const MessageSource&) = delete;

    /**
     * Read the bytes of the next message.
     * @param what it is, for the error.
     * @return false at the end of the file. @throw ConfigError if the file is cut off.
     */
    bool Next(const std::string& what)
    {
        uint64_t length = 0;
        for (unsigned shift = 0;; shift += 7)
        {
            const int byte = m_file ? gzgetc(m_file) : -1;
            if (byte == -1 && shift == 0 && IsWhole())
            {
                return false;
            }
            if (byte == -1 || shift > 28)
            {
                Fail(what);
            }
            length |= static_cast<uint64_t>(byte & 0x7f) << shift;
            if ((byte & 0x80) == 0)
            {
                break;
            }
        }
        // Piece by piece: a length that is none must not take all memory.
        m_bytes.clear();
        while (m_bytes.size() < length)
        {
            const uint64_t before = m_bytes.size();
            const auto piece = static_cast<unsigned>(std::min(length - before, PIECE));
            m_bytes.resize(before + piece);
            if (gzread(m_file, m_bytes.data() + before, piece) != static_cast<int>(piece))
            {
                Fail(what);
            }
        }
        return true;
    }

    /** @return the bytes of the message. */
    const std::vector<uint8_t>& GetBytes() const
    {
        return m_bytes;
    }

    /** Say that a message is none. @param what it should be. */
    [[noreturn]] void Fail(const std::string& what) const
    {
        throw ConfigError(m_fileName,
                          what,
                          "is no message of a Chakra trace, or the file is cut off");
    }

  private:
    static constexpr uint64_t PIECE = 1048576; //!< bytes read at once

    /** @return whether the end is where it should be. */
    bool IsWhole() const
    {
        int error = Z_OK;
        if (m_file)
        {
            gzerror(m_file, &error);
        }
        return m_file && error == Z_OK;
    }

    std::string m_fileName;       //!< for errors
    gzFile m_file;                //!< null: not opened
    std::vector<uint8_t> m_bytes; //!< see GetBytes
};

/** @return the numbers of a list, as they are. */
template <typename T>
ChakraValue
ListOf(const T* list)
{
    std::vector<uint64_t> numbers;
    for (std::size_t i = 0; list && i < list->n_values; ++i)
    {
        numbers.push_back(static_cast<uint64_t>(list->values[i]));
    }
    return ChakraValue::Integers(std::move(numbers));
}

/** @return an attribute's value. */
ChakraValue
ValueOf(const Attribute& attribute)
{
    ChakraValue value;
    switch (attribute.value_case)
    {
    case LLM__CHAKRA__TRACE_ATTRIBUTE__VALUE_REAL64:
        value.kind = ChakraValue::Kind::REAL;
        value.real = attribute.real64;
        return value;
    case LLM__CHAKRA__TRACE_ATTRIBUTE__VALUE_REAL32:
        value.kind = ChakraValue::Kind::REAL;
        value.real = static_cast<double>(attribute.real32);
        return value;
    case LLM__CHAKRA__TRACE_ATTRIBUTE__VALUE_SIGNED32:
        return ChakraValue::Integer(attribute.signed32);
    case LLM__CHAKRA__TRACE_ATTRIBUTE__VALUE_SIGNED64:
        return ChakraValue::Integer(attribute.signed64);
    case LLM__CHAKRA__TRACE_ATTRIBUTE__VALUE_UNSIGNED32:
        return ChakraValue::Unsigned(attribute.unsigned32);
    case LLM__CHAKRA__TRACE_ATTRIBUTE__VALUE_UNSIGNED64:
        return ChakraValue::Unsigned(attribute.unsigned64);
    case LLM__CHAKRA__TRACE_ATTRIBUTE__VALUE_ZIGZAG32:
        return ChakraValue::Integer(attribute.zigzag32);
    case LLM__CHAKRA__TRACE_ATTRIBUTE__VALUE_ZIGZAG64:
        return ChakraValue::Integer(attribute.zigzag64);
    case LLM__CHAKRA__TRACE_ATTRIBUTE__VALUE_FIXED32:
        return ChakraValue::Unsigned(attribute.fixed32);
    case LLM__CHAKRA__TRACE_ATTRIBUTE__VALUE_FIXED64:
        return ChakraValue::Unsigned(attribute.fixed64);
    case LLM__CHAKRA__TRACE_ATTRIBUTE__VALUE_SFIXED32:
        return ChakraValue::Integer(attribute.sfixed32);
    case LLM__CHAKRA__TRACE_ATTRIBUTE__VALUE_SFIXED64:
        return ChakraValue::Integer(attribute.sfixed64);
    case LLM__CHAKRA__TRACE_ATTRIBUTE__VALUE_SIGNED32S:
        return ListOf(attribute.signed32s);
    case LLM__CHAKRA__TRACE_ATTRIBUTE__VALUE_SIGNED64S:
        return ListOf(attribute.signed64s);
    case LLM__CHAKRA__TRACE_ATTRIBUTE__VALUE_UNSIGNED32S:
        return ListOf(attribute.unsigned32s);
    case LLM__CHAKRA__TRACE_ATTRIBUTE__VALUE_UNSIGNED64S:
        return ListOf(attribute.unsigned64s);
    case LLM__CHAKRA__TRACE_ATTRIBUTE__VALUE_ZIGZAG32S:
        return ListOf(attribute.zigzag32s);
    case LLM__CHAKRA__TRACE_ATTRIBUTE__VALUE_ZIGZAG64S:
        return ListOf(attribute.zigzag64s);
    case LLM__CHAKRA__TRACE_ATTRIBUTE__VALUE_FLAGS:
        return ListOf(attribute.flags);
    case LLM__CHAKRA__TRACE_ATTRIBUTE__VALUE_FLAG:
        return ChakraValue::Boolean(attribute.flag != 0);
    case LLM__CHAKRA__TRACE_ATTRIBUTE__VALUE_TEXT:
        return ChakraValue::Text(attribute.text);
    default:
        return value;
    }
}

/** @return attributes by name. */
ChakraAttributes
AttributesOf(Attribute* const* attributes, std::size_t count)
{
    ChakraAttributes result;
    for (std::size_t i = 0; i < count; ++i)
    {
        result[attributes[i]->name] = ValueOf(*attributes[i]);
    }
    return result;
}

/** @return text in the form of the library, which does not write to it. */
char*
Borrow(const std::string& text)
{
    return const_cast<char*>(text.c_str());
}

/** Attributes in the form of the library; they refer to what they are made from. */
class AttributeMessages
{
  public:
    /** @param attributes by name; outlive this. */
    explicit AttributeMessages(const ChakraAttributes& attributes)
        : m_messages(attributes.size()),
          m_lists(attributes.size()),
          m_pointers(attributes.size())
    {
        std::size_t i = 0;
        for (const auto& [name, value] : attributes)
        {
            llm__chakra__trace_attribute__init(&m_messages[i]);
            m_messages[i].name = Borrow(name);
            Set(m_messages[i], m_lists[i], value);
            m_pointers[i] = &m_messages[i];
            ++i;
        }
    }

    /** Put them into a message. @param message gets them. */
    template <typename T>
    void AddTo(T& message)
    {
        message.n_attributes = m_pointers.size();
        message.attributes = m_pointers.data();
    }

  private:
    static void Set(Attribute& attribute, Numbers& list, const ChakraValue& value)
    {
        switch (value.kind)
        {
        case ChakraValue::Kind::INTEGER: {
            // Most producers write int64; what does not fit goes as uint64.
            const bool wide = !value.negative && value.number > INT64_MAX;
            attribute.value_case = wide ? LLM__CHAKRA__TRACE_ATTRIBUTE__VALUE_UNSIGNED64
                                        : LLM__CHAKRA__TRACE_ATTRIBUTE__VALUE_SIGNED64;
            attribute.unsigned64 = value.number;
            return;
        }
        case ChakraValue::Kind::REAL:
            attribute.value_case = LLM__CHAKRA__TRACE_ATTRIBUTE__VALUE_REAL64;
            attribute.real64 = value.real;
            return;
        case ChakraValue::Kind::BOOLEAN:
            attribute.value_case = LLM__CHAKRA__TRACE_ATTRIBUTE__VALUE_FLAG;
            attribute.flag = value.number != 0 ? 1 : 0;
            return;
        case ChakraValue::Kind::TEXT:
            attribute.value_case = LLM__CHAKRA__TRACE_ATTRIBUTE__VALUE_TEXT;
            attribute.text = Borrow(value.text);
            return;
        case ChakraValue::Kind::INTEGERS:
            llm__chakra__unsigned_numbers__init(&list);
            list.n_values = value.integers.size();
            list.values = const_cast<uint64_t*>(value.integers.data());
            attribute.value_case = LLM__CHAKRA__TRACE_ATTRIBUTE__VALUE_UNSIGNED64S;
            attribute.unsigned64s = &list;
            return;
        case ChakraValue::Kind::OTHER:
            return;
        }
    }

    std::vector<Attribute> m_messages;  //!< one by one
    std::vector<Numbers> m_lists;       //!< of those that have one
    std::vector<Attribute*> m_pointers; //!< as messages have them
};

/** Write a message behind its length. */
void
WriteMessage(const ProtobufCMessage& message, std::ofstream& file)
{
    const std::size_t size = protobuf_c_message_get_packed_size(&message);
    std::vector<uint8_t> bytes(size);
    protobuf_c_message_pack(&message, bytes.data());
    std::string length;
    std::size_t rest = size;
    for (; rest > 0x7f; rest >>= 7)
    {
        length += static_cast<char>(0x80 | (rest & 0x7f));
    }
    length += static_cast<char>(rest);
    file.write(length.data(), static_cast<std::streamsize>(length.size()));
    file.write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(size));
}

} // namespace

bool
HasChakra()
{
    return true;
}

struct ChakraFileReader::Impl
{
    /** @param name of the file. */
    explicit Impl(const std::string& name)
        : source(name)
    {
    }

    MessageSource source;  //!< bytes
    ChakraAttributes head; //!< see GetHead
    uint64_t nodes{0};     //!< read so far
};

ChakraFileReader::ChakraFileReader(const std::string& fileName)
{
    std::ifstream file(fileName, std::ios::binary);
    if (!file || file.peek() == std::ifstream::traits_type::eof())
    {
        throw ConfigError(
            fileName,
            "",
            "the Chakra trace cannot be read: " +
                std::string(file.is_open() ? "it is empty or no file" : std::strerror(errno)));
    }
    m_impl = std::make_unique<Impl>(fileName);
    MessageSource& source = m_impl->source;
    if (!source.Next("head"))
    {
        source.Fail("head");
    }
    const std::vector<uint8_t>& bytes = source.GetBytes();
    const std::unique_ptr<Head, void (*)(Head*)> head(
        llm__chakra__trace_head__unpack(nullptr, bytes.size(), bytes.data()),
        [](Head* message) { llm__chakra__trace_head__free_unpacked(message, nullptr); });
    if (!head)
    {
        source.Fail("head");
    }
    m_impl->head = AttributesOf(head->attributes, head->n_attributes);
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
    MessageSource& source = m_impl->source;
    const std::string what = "node " + std::to_string(m_impl->nodes);
    if (!source.Next(what))
    {
        return false;
    }
    const std::vector<uint8_t>& bytes = source.GetBytes();
    const std::unique_ptr<NodeMessage, void (*)(NodeMessage*)> message(
        llm__chakra__trace_node__unpack(nullptr, bytes.size(), bytes.data()),
        [](NodeMessage* one) { llm__chakra__trace_node__free_unpacked(one, nullptr); });
    if (!message)
    {
        source.Fail(what);
    }
    ++m_impl->nodes;
    const NodeMessage& from = *message;
    node.id = from.id;
    node.name = from.name;
    node.type = from.type;
    node.controlDependencies.assign(from.control_dependencies,
                                    from.control_dependencies + from.n_control_dependencies);
    node.dataDependencies.assign(from.data_dependencies,
                                 from.data_dependencies + from.n_data_dependencies);
    node.durationMicros = from.duration_micros;
    node.inputs = from.inputs ? from.inputs->values : "";
    node.attributes = AttributesOf(from.attributes, from.n_attributes);
    return true;
}

struct ChakraFileWriter::Impl
{
    std::string fileName; //!< for errors
    std::ofstream file;   //!< bytes
};

ChakraFileWriter::ChakraFileWriter(const std::string& fileName, const ChakraAttributes& head)
    : m_impl(std::make_unique<Impl>())
{
    m_impl->fileName = fileName;
    m_impl->file.open(fileName, std::ios::binary | std::ios::trunc);
    const std::string version = "0.0.4";
    Head message;
    llm__chakra__trace_head__init(&message);
    message.version = Borrow(version);
    AttributeMessages attributes(head);
    attributes.AddTo(message);
    WriteMessage(message.base, m_impl->file);
    if (!m_impl->file)
    {
        throw ConfigError(fileName, "", std::string("cannot be written: ") + std::strerror(errno));
    }
}

ChakraFileWriter::~ChakraFileWriter() = default;

void
ChakraFileWriter::Write(const ChakraNode& node)
{
    NodeMessage message;
    llm__chakra__trace_node__init(&message);
    message.id = node.id;
    message.name = Borrow(node.name);
    message.type = node.type;
    message.n_control_dependencies = node.controlDependencies.size();
    message.control_dependencies = const_cast<uint64_t*>(node.controlDependencies.data());
    message.n_data_dependencies = node.dataDependencies.size();
    message.data_dependencies = const_cast<uint64_t*>(node.dataDependencies.data());
    message.duration_micros = node.durationMicros;
    Llm__Chakra__TraceTensors inputs;
    llm__chakra__trace_tensors__init(&inputs);
    inputs.values = Borrow(node.inputs);
    message.inputs = node.inputs.empty() ? nullptr : &inputs;
    AttributeMessages attributes(node.attributes);
    attributes.AddTo(message);
    WriteMessage(message.base, m_impl->file);
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

#else // LLM_TRAINING_PROTOBUF_C

namespace
{

[[noreturn]] void
FailWithoutProtobuf(const std::string& fileName)
{
    throw ConfigError(fileName,
                      "",
                      "Chakra traces need protobuf-c, which was missing when llm-training was "
                      "configured (Debian: apt install libprotobuf-c-dev protobuf-c-compiler "
                      "zlib1g-dev)");
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

#endif // LLM_TRAINING_PROTOBUF_C

} // namespace llm
} // namespace ns3

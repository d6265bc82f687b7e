/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_CHAKRA_FILE_H
#define LLM_CHAKRA_FILE_H

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

/** Kinds of nodes of a Chakra trace, with the numbers that stand in files. */
enum class ChakraType : int32_t
{
    METADATA = 1,
    MEMORY_LOAD = 2,
    MEMORY_STORE = 3,
    COMPUTE = 4,
    SEND = 5,
    RECEIVE = 6,
    COLLECTIVE = 7
};

/** Kinds of collectives of a Chakra trace, with the numbers that stand in files. */
enum class ChakraCollective : int64_t
{
    ALL_REDUCE = 0,
    REDUCE = 1,
    ALL_GATHER = 2,
    GATHER = 3,
    SCATTER = 4,
    BROADCAST = 5,
    ALL_TO_ALL = 6,
    REDUCE_SCATTER = 7,
    REDUCE_SCATTER_BLOCK = 8,
    BARRIER = 9
};

/** Value of an attribute; whatever integer type a producer chose, it is one kind here. */
struct ChakraValue
{
    /** What it is. */
    enum class Kind : uint8_t
    {
        OTHER, //!< nothing that we use
        INTEGER,
        REAL,
        BOOLEAN,
        TEXT,
        INTEGERS
    };

    Kind kind{Kind::OTHER};         //!< what it is
    bool negative{false};           //!< INTEGER below 0; number is then its two's complement
    uint64_t number{0};             //!< INTEGER, BOOLEAN
    double real{0};                 //!< REAL
    std::string text;               //!< TEXT
    std::vector<uint64_t> integers; //!< INTEGERS

    /** @param number value. @return an INTEGER. */
    static ChakraValue Integer(int64_t number);
    /** @param number value. @return an INTEGER that is written without sign. */
    static ChakraValue Unsigned(uint64_t number);
    /** @param flag value. @return a BOOLEAN. */
    static ChakraValue Boolean(bool flag);
    /** @param text value. @return a TEXT. */
    static ChakraValue Text(const std::string& text);
    /** @param numbers value. @return INTEGERS. */
    static ChakraValue Integers(std::vector<uint64_t> numbers);
};

/** Attributes by name. */
using ChakraAttributes = std::map<std::string, ChakraValue>;

/** One node of a trace. */
struct ChakraNode
{
    uint64_t id{0};                            //!< unique within the file
    std::string name;                          //!< for people
    int32_t type{0};                           //!< see ChakraType
    std::vector<uint64_t> controlDependencies; //!< ids, of this file, also later ones
    std::vector<uint64_t> dataDependencies;    //!< likewise
    uint64_t durationMicros{0};                //!< of a computation
    std::string inputs;                        //!< values of the inputs
    ChakraAttributes attributes;               //!< everything else
};

/** @return whether the module was built with protobuf-c. */
bool HasChakra();

/**
 * @ingroup llm-training
 *
 * Reads the trace of one rank: messages of protobuf, each behind its length, maybe all compressed
 * by gzip.
 */
class ChakraFileReader
{
  public:
    /** @param fileName file. @throw ConfigError if it cannot be read, or the module was built
     *  without protobuf-c. */
    explicit ChakraFileReader(const std::string& fileName);
    ~ChakraFileReader();
    ChakraFileReader(const ChakraFileReader&) = delete;
    ChakraFileReader& operator=(const ChakraFileReader&) = delete;

    /** @return attributes of the whole trace. */
    const ChakraAttributes& GetHead() const;
    /** @param node gets the next one. @return false at the end. @throw ConfigError if the file is
     *  cut off or no trace, naming the number of the node. */
    bool Next(ChakraNode& node);

  private:
    struct Impl;
    std::unique_ptr<Impl> m_impl; //!< what needs protobuf-c
};

/**
 * @ingroup llm-training
 *
 * Writes the trace of one rank.
 */
class ChakraFileWriter
{
  public:
    /** @param fileName file. @param head attributes of the whole trace. @throw ConfigError if it
     *  cannot be written, or the module was built without protobuf-c. */
    ChakraFileWriter(const std::string& fileName, const ChakraAttributes& head);
    ~ChakraFileWriter();
    ChakraFileWriter(const ChakraFileWriter&) = delete;
    ChakraFileWriter& operator=(const ChakraFileWriter&) = delete;

    /** @param node is appended. */
    void Write(const ChakraNode& node);
    /** End the file. @throw ConfigError if something could not be written. */
    void Close();

  private:
    struct Impl;
    std::unique_ptr<Impl> m_impl; //!< what needs protobuf-c
};

} // namespace llm
} // namespace ns3

#endif // LLM_CHAKRA_FILE_H

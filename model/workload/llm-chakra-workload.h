/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_CHAKRA_WORKLOAD_H
#define LLM_CHAKRA_WORKLOAD_H

#include "llm-accelerator.h"
#include "llm-chakra-file.h"
#include "llm-stored-workload.h"

#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Chakra execution traces (MLCommons): one file per rank, PREFIX.0.et, PREFIX.1.et, ..., each maybe
 * compressed by gzip. Needs protobuf-c at build.
 *
 * A node starts when its data and control dependencies are over, wherever they stand in the file;
 * computations of an accelerator run one after the other, those of its host (is_cpu_op) too, and so
 * do memory operations. A computation takes duration_micros, or without it what the roofline says
 * of num_ops and tensor_size. comm_size is what a rank puts in, as astra-sim counts, so that an
 * all-gather's whole is that times the group. Process groups come from METADATA nodes (JSON list of
 * pg_name and ranks) or from a JSON file of their own ({"0": [0, 1]}); a collective without pg_name
 * is over all ranks. Nodes of the host that only launch a communication take no time.
 *
 * Files that ChakraWriter wrote are read back into exactly the operations that were written.
 */
class ChakraWorkload : public StoredWorkload
{
  public:
    /**
     * @param prefix of the files' names, or the name of the first file.
     * @param groupsFile process groups; empty: none.
     * @param accelerator roofline for computations without a duration.
     * @throw ConfigError naming file and node.
     */
    explicit ChakraWorkload(const std::string& prefix,
                            const std::string& groupsFile = "",
                            const Accelerator& accelerator = Accelerator(AcceleratorConfig()));

  private:
    class RowsExchange;

    /** The present rank while its file is read. */
    struct Trace
    {
        uint32_t rank{0};                    //!< whose
        std::string fileName;                //!< for errors
        bool ours{false};                    //!< written by ChakraWriter
        std::map<uint64_t, uint64_t> places; //!< node id -> place in operations, or none
        std::vector<Operation> operations;   //!< in order of the file
        std::vector<std::vector<uint64_t>> dependencies; //!< node ids, by operation
        std::vector<std::vector<uint64_t>> starts;       //!< likewise, of starts
        std::map<uint32_t, uint64_t> sequences;          //!< by group: collectives so far
    };

    [[noreturn]] void Fail(const Trace& trace,
                           const ChakraNode& node,
                           const std::string& message) const;
    void CountRanks(std::string prefix);
    std::string FileOf(uint32_t rank) const;
    void ReadGroupsFile(const std::string& fileName);
    void ReadGroups(uint32_t rank);
    void AddGroups(const std::string& text, const std::string& fileName, const std::string& path);
    void AddGroup(const std::string& name,
                  ProcessGroup group,
                  const std::string& fileName,
                  const std::string& path);
    void ReadRank(uint32_t rank);
    void AddNode(Trace& trace, const ChakraNode& node);
    void Translate(const Trace& trace, const ChakraNode& node, Operation& operation);
    void TranslateCompute(const Trace& trace, const ChakraNode& node, Operation& operation);
    void TranslatePair(const Trace& trace, const ChakraNode& node, Operation& operation);
    void TranslateCollective(const Trace& trace, const ChakraNode& node, Operation& operation);
    void SetCollectiveKind(const Trace& trace, const ChakraNode& node, Operation& operation);
    void TakeOurs(Trace& trace, const ChakraNode& node, Operation& operation);
    void TakeExchange(Trace& trace, const ChakraNode& node, Operation& operation);
    uint32_t FindGroup(const Trace& trace, const ChakraNode& node);
    void Link(Trace& trace);
    void CheckExchanges() const;
    void Summarise();

    /** @return an attribute, or nullptr. */
    static const ChakraValue* FindAttribute(const ChakraNode& node, const std::string& name);
    /** @return an integer attribute. @param fallback if there is none; NONE: an error. */
    uint64_t GetInteger(const Trace& trace,
                        const ChakraNode& node,
                        const std::string& name,
                        uint64_t most,
                        uint64_t fallback) const;
    /** @return a text attribute of ours. */
    std::string GetText(const Trace& trace, const ChakraNode& node, const std::string& name) const;

    std::string m_prefix;                      //!< of the files
    Accelerator m_accelerator;                 //!< roofline
    std::map<std::string, uint32_t> m_groupOf; //!< by pg_name
    std::set<std::string> m_ignored;           //!< names of attributes
    uint64_t m_launches{0};                    //!< nodes that only launch
    uint64_t m_missing{0};                     //!< dependencies on nodes that are not there
    uint64_t m_rooflines{0};                   //!< computations by roofline
    uint64_t m_barriers{0};                    //!< run as all-reduces
    uint64_t m_roots{0};                       //!< rooted collectives without a root
    bool m_ours{true};                         //!< all files are
    std::map<std::pair<uint32_t, uint64_t>, RowsExchange*> m_rows; //!< by group and first use
};

} // namespace llm
} // namespace ns3

#endif // LLM_CHAKRA_WORKLOAD_H

/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_COLLECTIVE_SWEEP_H
#define LLM_COLLECTIVE_SWEEP_H

#include "llm-scenario.h"

#include "ns3/llm-collective-selector.h"
#include "ns3/llm-training-result.h"

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

class TrainingJob;

/** A data type of nccl-tests. */
struct CollectiveDataType
{
    std::string name; //!< "float", "half", ...
    uint32_t bytes;   //!< of an element
};

/** @return the data types of nccl-tests. */
const std::vector<CollectiveDataType>& GetCollectiveDataTypes();

/** What a sweep does: the options of nccl-tests, and a scenario instead of machines. */
struct CollectiveSweepConfig
{
    /** Fabric, transport, cluster and collectives count; what is trained does not. */
    Scenario scenario;
    CollectiveKind kind{CollectiveKind::ALL_REDUCE}; //!< which collective
    uint64_t minBytes{32 << 20};                     //!< first size
    uint64_t maxBytes{32 << 20};                     //!< last size, at least minBytes
    uint64_t stepBytes{1 << 20};         //!< to the next size, > 0, where the factor is 1
    uint64_t stepFactor{1};              //!< to the next size, >= 1
    uint32_t iterations{1};              //!< measured, >= 1
    uint32_t warmups{1};                 //!< before, >= 0
    CollectiveDataType type{"float", 4}; //!< of the elements
    std::string operation{"sum"};        //!< shown only
    uint32_t root{0};                    //!< of broadcast and reduce
    std::vector<std::string>
        algorithms; //!< side by side; empty: the scenario's; "all": all that fit
};

/** A size, done by an algorithm. */
struct CollectiveSweepRow
{
    uint64_t bytes{0};           //!< size column of nccl-tests
    uint64_t count{0};           //!< count column, elements
    CollectiveDecision decision; //!< how it was done, and why
    double timeUs{0};            //!< mean of the iterations
    double algorithmGBps{0};     //!< size over time, 10^9 bytes per second
    double busGBps{0};           //!< the same as the hardware's share, see BusBandwidthFactor
    uint64_t payloadBytes{0};    //!< sent by all ranks in one iteration
    uint64_t protocolBytes{0};   //!< the same: flags and clear-to-send
    uint64_t retransmitted{0};   //!< bytes, all iterations
    uint64_t ecnMarks{0};        //!< frames, all iterations
    uint64_t pfcPauses{0};       //!< all iterations
};

/** All sizes of an algorithm. */
struct CollectiveSweepTable
{
    std::string algorithm;                //!< as asked for
    std::vector<CollectiveSweepRow> rows; //!< by size
};

/** What a sweep found. */
struct CollectiveSweepResult
{
    CollectiveSweepConfig config;             //!< what was asked
    uint32_t ranks{0};                        //!< of the collective
    std::string fabric;                       //!< described in a line
    std::vector<std::string> placement;       //!< line per server
    std::vector<CollectiveSweepTable> tables; //!< in the order asked for
    std::vector<std::string> skipped;         //!< of "all": "naive: why not"
    std::vector<std::string> failure;         //!< a run that could not end, or books; else empty
};

/**
 * @ingroup llm-training
 *
 * Runs one collective over a fabric for a sweep of sizes, as nccl-tests do on machines. Every size
 * and algorithm has a simulation of its own, so that no row depends on another. The time of a row
 * is that from the end of the last warm-up to the end of the last iteration, over the iterations;
 * ranks go from one to the next without a barrier. It owns ns-3's simulator while it runs.
 */
class CollectiveSweep
{
  public:
    /**
     * @param config what to do.
     * @throw ConfigError if it makes no sense.
     */
    explicit CollectiveSweep(const CollectiveSweepConfig& config);

    /** @return sizes of the size column: whole elements, where the ranks share them whole lines of
     *          16 bytes, as in nccl-tests. */
    std::vector<uint64_t> GetSizes() const;

    /**
     * @param progress is told of every row; may be empty.
     * @return tables; with a failure those up to it.
     * @throw ConfigError if fabric, transport and collective do not fit together.
     */
    CollectiveSweepResult Run(
        const std::function<void(const CollectiveSweepRow&)>& progress = nullptr) const;

  private:
    struct Machine;

    /** @return algorithms to run; tells of those that do not fit. */
    std::vector<std::string> ListAlgorithms(CollectiveSweepResult& result) const;
    /** Run one size. @return false if it failed. */
    bool RunSize(const std::string& algorithm,
                 uint64_t bytes,
                 CollectiveSweepResult& result,
                 CollectiveSweepRow& row) const;
    /** Fill in what a run showed. */
    void Measure(const TrainingJob& job, const Machine& machine, CollectiveSweepRow& row) const;
    /** Every byte of a run accounted for. */
    static void CheckBooks(const Scenario& scenario,
                           uint64_t predicted,
                           const TrainingJob& job,
                           const Machine& machine,
                           std::vector<std::string>& failure);
    /** @return bytes that an iteration of a row must emit, by the closed form. */
    uint64_t Predict(const CollectiveSweepRow& row) const;
    /** @return elements of the count column. */
    uint64_t CountElements(uint64_t bytes) const;
    /** @return a collective of that size. */
    CollectiveSpec MakeSpec(uint64_t bytes) const;
    /** @return how it shall be done. */
    CollectiveSelector::Wish MakeWish(const std::string& algorithm) const;

    CollectiveSweepConfig m_config;                 //!< what to do
    uint32_t m_ranks{0};                            //!< of the collective
    std::vector<uint32_t> m_servers;                //!< by rank
    uint32_t m_ranksPerNode{1};                     //!< see CollectiveSpec
    std::shared_ptr<CollectiveSelector> m_selector; //!< algorithms
};

} // namespace llm
} // namespace ns3

#endif // LLM_COLLECTIVE_SWEEP_H

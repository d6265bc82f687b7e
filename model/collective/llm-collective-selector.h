/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_COLLECTIVE_SELECTOR_H
#define LLM_COLLECTIVE_SELECTOR_H

#include "llm-collective-algorithm.h"
#include "llm-nccl-cost-model.h"
#include "llm-nccl-protocol.h"

#include <memory>
#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Finds the algorithm for a collective by name, and says which it took and why.
 *
 * A name that is not known, or that cannot do what is asked, is a ConfigError: nothing is ever
 * replaced silently. "auto" takes the algorithm of least predicted time among those that can and
 * that are registered for it; equal times go to the one registered first. Of the module's
 * algorithms these are ring and, for ALL_TO_ALL, direct: the alpha-beta form knows nothing of
 * shared links, so that partners far apart would always look as cheap as neighbours.
 *
 * "nccl" takes what NCCL's cost model does, protocol and number of channels included; see
 * NcclCostModel and Plan.
 *
 * "tree" is short for double_binary_tree, for BROADCAST and REDUCE for binomial_tree.
 */
class CollectiveSelector
{
  public:
    /** What was chosen. */
    struct Choice
    {
        const CollectiveAlgorithm* algorithm; //!< lives as long as the selector
        std::string reason;                   //!< why, for the report; no line break
    };

    /** How somebody wants a collective done. */
    struct Wish
    {
        std::string algorithm{"auto"}; //!< as Choose takes it
        uint32_t channels{1};          //!< at most; without a protocol, exactly
        uint64_t sliceBytes{0};        //!< without a protocol; see CollectiveSpec
        /** "none", "simple", "ll", "ll128"; "nccl": what NCCL's cost model takes; "auto": "nccl"
         *  where the algorithm is "nccl", else "none". */
        std::string protocol{"auto"};
    };

    /** How a collective is done. */
    struct CollectivePlan
    {
        const CollectiveAlgorithm* algorithm{nullptr}; //!< lives as long as the selector
        NcclProtocol protocol{NcclProtocol::NONE};     //!< of every message
        uint32_t channels{1};                          //!< for CollectiveSpec
        uint64_t sliceBytes{0};                        //!< for CollectiveSpec
        std::string reason;                            //!< why, for the report; no line break
    };

    /**
     * With the module's algorithms: ring, direct, double_binary_tree, halving_doubling,
     * recursive_doubling, pat, pairwise, bruck, binomial_tree, naive,
     * two_level_rail, two_level_node, pxn, nvls.
     * @param alphaPs latency per step that "auto" reckons with, in picoseconds.
     * @param bitsPerSecond rate of a rank's link that "auto" reckons with.
     */
    explicit CollectiveSelector(double alphaPs = 5e6, double bitsPerSecond = 1e11);

    /** @param model that "nccl" reckons with; by default 450 GB/s within servers, 50 GB/s between.
     */
    void SetNcclCostModel(const NcclCostModel& model);

    /** Who may choose an algorithm. */
    enum class Use : uint8_t
    {
        ALWAYS, //!< also "auto"
        LAST,   //!< also "auto", where none that was registered before can
        BY_NAME //!< whoever names it
    };

    /**
     * Add an algorithm of one's own.
     * @param algorithm its name must be new and none of "auto", "tree" and "nccl".
     * @param use who may choose it.
     * @throw ConfigError otherwise.
     */
    void Register(std::unique_ptr<CollectiveAlgorithm> algorithm, Use use = Use::ALWAYS);

    /** @return the names that Choose takes, "auto" first. */
    std::vector<std::string> GetNames() const;

    /**
     * @param spec what is to be done.
     * @param name an algorithm's name, "auto" or "nccl".
     * @param source where the name was read, for the error message.
     * @param path place in it.
     * @return the algorithm.
     * @throw ConfigError if the name is unknown or the algorithm cannot do it.
     */
    Choice Choose(const CollectiveSpec& spec,
                  const std::string& name,
                  const std::string& source = "CollectiveSelector",
                  const std::string& path = "") const;

    /**
     * Decide everything that is open about a collective.
     * @param spec what is to be done; its channels and sliceBytes are not looked at.
     * @param wish how.
     * @param source where the wish was read, for the error message.
     * @param path place in it.
     * @return the way.
     * @throw ConfigError if there is none.
     */
    CollectivePlan Plan(const CollectiveSpec& spec,
                        const Wish& wish,
                        const std::string& source = "CollectiveSelector",
                        const std::string& path = "") const;

    /** @return the protocols that a Wish may name, "auto" first. */
    static std::vector<std::string> GetProtocolNames();

  private:
    /** @return what NCCL's cost model takes among what it knows, and why. */
    CollectivePlan PlanNccl(const CollectiveSpec& spec,
                            const Wish& wish,
                            const std::string& source,
                            const std::string& path) const;
    /** @return the algorithm of that name, or nullptr. */
    const CollectiveAlgorithm* Find(const std::string& name) const;

    /** An algorithm and who may choose it. */
    struct Entry
    {
        std::unique_ptr<CollectiveAlgorithm> algorithm; //!< how
        Use use;                                        //!< who
    };

    const double m_alphaPs;                //!< cost model of "auto"
    const double m_bitsPerSecond;          //!< cost model of "auto"
    std::unique_ptr<NcclCostModel> m_nccl; //!< cost model of "nccl"
    std::vector<Entry> m_algorithms;       //!< in order of registration
};

} // namespace llm
} // namespace ns3

#endif // LLM_COLLECTIVE_SELECTOR_H

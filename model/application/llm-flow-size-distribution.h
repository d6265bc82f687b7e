/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_FLOW_SIZE_DISTRIBUTION_H
#define LLM_FLOW_SIZE_DISTRIBUTION_H

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Sizes of flows by an empirical cumulative distribution: points (bytes, probability that a flow is
 * not longer), straight lines between them.
 *
 * Known by name, with the points that simulations of data-centre congestion control share:
 * - web_search: web search of DCTCP (Alizadeh et al., SIGCOMM 2010, figure 4);
 * - hadoop: Hadoop at Facebook (Roy et al., SIGCOMM 2015, figure 6), as the evaluation of HPCC
 *   (Li et al., SIGCOMM 2019, s. 5.1) has it;
 * - ali_storage: a distributed storage system of Alibaba, 2019, published with HPCC.
 */
class FlowSizeDistribution
{
  public:
    /** A point of the distribution. */
    struct Point
    {
        double bytes;       //!< size
        double probability; //!< that a flow has at most so many bytes
    };

    /**
     * @param points by rising size and probability; the last probability is 1. What the first has
     *        above 0 is the probability of exactly its size.
     * @param source for errors.
     * @throw ConfigError if they are no distribution, or the mean is below 1 byte.
     */
    explicit FlowSizeDistribution(std::vector<Point> points, const std::string& source = "flows");

    /** @param bytes of every flow. @return the distribution of that size alone. */
    static FlowSizeDistribution Fixed(uint64_t bytes);

    /** @param name see above. @param source for errors. @return it.
     *  @throw ConfigError naming those that there are. */
    static FlowSizeDistribution FromName(const std::string& name, const std::string& source);

    /** @return the names. */
    static const std::vector<std::string>& GetNames();

    /**
     * Read "bytes percent" lines, as files for HPCC's traffic generator have them, or with
     * probabilities up to 1; "#" begins a comment.
     * @param fileName file.
     * @return the distribution.
     * @throw ConfigError naming file and line.
     */
    static FlowSizeDistribution ReadFile(const std::string& fileName);

    /** @return mean size, bytes. */
    double GetMean() const
    {
        return m_mean;
    }

    /** @return variance of the size, bytes squared. */
    double GetVariance() const
    {
        return m_variance;
    }

    /** @return longest flow, bytes. */
    uint64_t GetLongest() const;

    /** @param uniform number in [0, 1). @return size at that probability, rounded, at least 1. */
    uint64_t Draw(double uniform) const;

  private:
    std::vector<Point> m_points; //!< rising
    double m_mean{0};            //!< bytes
    double m_variance{0};        //!< bytes squared
};

} // namespace llm
} // namespace ns3

#endif // LLM_FLOW_SIZE_DISTRIBUTION_H

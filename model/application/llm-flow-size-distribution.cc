/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-flow-size-distribution.h"

#include "ns3/llm-config-error.h"
#include "ns3/llm-nearest-name.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <utility>

namespace ns3
{
namespace llm
{

namespace
{

/** A published distribution; probabilities in percent. */
struct Published
{
    const char* name;                              //!< for scenarios
    std::vector<std::pair<double, double>> points; //!< bytes, percent
};

const std::vector<Published>&
GetPublished()
{
    static const std::vector<Published> all{
        {"web_search",
         {{0, 0},
          {10e3, 15},
          {20e3, 20},
          {30e3, 30},
          {50e3, 40},
          {80e3, 53},
          {200e3, 60},
          {1e6, 70},
          {2e6, 80},
          {5e6, 90},
          {10e6, 97},
          {30e6, 100}}},
        {"hadoop",
         {{0, 0},     {100, 1},    {200, 2},    {300, 5},    {350, 15},  {400, 20},  {500, 30},
          {600, 40},  {700, 50},   {1000, 60},  {2000, 67},  {7000, 70}, {30e3, 72}, {50e3, 82},
          {80e3, 87}, {120e3, 90}, {300e3, 95}, {1e6, 97.5}, {2e6, 99},  {10e6, 100}}},
        {"ali_storage",
         {{0, 0},
          {4000, 22.93},
          {8000, 69.21},
          {16e3, 80.61},
          {32e3, 90.47},
          {64e3, 93.53},
          {128e3, 96.77},
          {256e3, 97.53},
          {2e6, 100}}},
    };
    return all;
}

/** @return a number without trailing zeros. */
std::string
Show(double number)
{
    std::ostringstream text;
    text << number;
    return text.str();
}

} // namespace

FlowSizeDistribution::FlowSizeDistribution(std::vector<Point> points, const std::string& source)
    : m_points(std::move(points))
{
    constexpr double MAX_BYTES = 1e15;
    if (m_points.empty())
    {
        throw ConfigError(source, "", "has no points of a distribution of flow sizes");
    }
    double bytes = 0;
    double probability = 0;
    double square = 0;
    for (std::size_t i = 0; i < m_points.size(); ++i)
    {
        const Point& p = m_points[i];
        if (!(p.bytes >= bytes && p.bytes <= MAX_BYTES) ||
            !(p.probability >= probability && p.probability <= 1))
        {
            throw ConfigError(source,
                              "",
                              "point " + std::to_string(i + 1) + " (" + Show(p.bytes) + " B, " +
                                  Show(p.probability) + ") must follow (" + Show(bytes) + " B, " +
                                  Show(probability) +
                                  "): neither may fall, sizes end at 1e+15, probabilities at 1");
        }
        // A uniform part between two points; before the first, all of one size.
        const double low = i == 0 ? p.bytes : bytes;
        const double part = p.probability - probability;
        m_mean += part * (low + p.bytes) / 2;
        square += part * (low * low + low * p.bytes + p.bytes * p.bytes) / 3;
        bytes = p.bytes;
        probability = p.probability;
    }
    if (probability != 1)
    {
        throw ConfigError(source,
                          "",
                          "the distribution of flow sizes ends at probability " +
                              Show(probability) + " (" + Show(bytes) + " B); it must end at 1");
    }
    if (m_mean < 1)
    {
        throw ConfigError(source,
                          "",
                          "the mean of the flow sizes is " + Show(m_mean) +
                              " B; at least 1 B is needed");
    }
    m_variance = square - m_mean * m_mean;
}

FlowSizeDistribution
FlowSizeDistribution::Fixed(uint64_t bytes)
{
    return FlowSizeDistribution({{static_cast<double>(bytes), 1}});
}

const std::vector<std::string>&
FlowSizeDistribution::GetNames()
{
    static const std::vector<std::string> names = [] {
        std::vector<std::string> list;
        for (const Published& published : GetPublished())
        {
            list.emplace_back(published.name);
        }
        return list;
    }();
    return names;
}

FlowSizeDistribution
FlowSizeDistribution::FromName(const std::string& name, const std::string& source)
{
    for (const Published& published : GetPublished())
    {
        if (name == published.name)
        {
            std::vector<Point> points;
            for (const auto& [bytes, percent] : published.points)
            {
                points.push_back({bytes, percent / 100});
            }
            return FlowSizeDistribution(std::move(points), source);
        }
    }
    throw ConfigError(source,
                      "",
                      "there is no distribution of flow sizes '" + name + "'; did you mean '" +
                          NearestName(name, GetNames()) + "'?");
}

FlowSizeDistribution
FlowSizeDistribution::ReadFile(const std::string& fileName)
{
    errno = 0;
    std::ifstream file(fileName);
    if (!file)
    {
        throw ConfigError(fileName,
                          "",
                          std::string("the distribution of flow sizes cannot be read: ") +
                              std::strerror(errno));
    }
    std::vector<Point> points;
    std::string line;
    for (uint32_t number = 1; std::getline(file, line); ++number)
    {
        std::istringstream words(line.substr(0, line.find('#')));
        Point point{0, 0};
        std::string rest;
        if (!(words >> std::ws) || words.eof())
        {
            continue;
        }
        if (!(words >> point.bytes >> point.probability) || (words >> rest))
        {
            throw ConfigError(fileName,
                              "line " + std::to_string(number),
                              "must be a size in bytes and a percentage, as '10000 15', is '" +
                                  line.substr(0, 40) + "'");
        }
        points.push_back(point);
    }
    // Percent, unless nothing is above 1.
    const double most = points.empty() ? 0 : points.back().probability;
    for (Point& point : points)
    {
        point.probability /= most > 1 ? 100 : 1;
    }
    return FlowSizeDistribution(std::move(points), fileName);
}

uint64_t
FlowSizeDistribution::GetLongest() const
{
    return static_cast<uint64_t>(m_points.back().bytes);
}

uint64_t
FlowSizeDistribution::Draw(double uniform) const
{
    const auto above =
        std::upper_bound(m_points.begin(), m_points.end(), uniform, [](double u, const Point& p) {
            return u < p.probability;
        });
    if (above == m_points.begin() || above == m_points.end())
    {
        return static_cast<uint64_t>((above == m_points.end() ? above - 1 : above)->bytes);
    }
    const Point& high = *above;
    const Point& low = *(above - 1);
    const double part = (uniform - low.probability) / (high.probability - low.probability);
    const double bytes = low.bytes + part * (high.bytes - low.bytes);
    return std::max<uint64_t>(static_cast<uint64_t>(bytes + 0.5), 1);
}

} // namespace llm
} // namespace ns3

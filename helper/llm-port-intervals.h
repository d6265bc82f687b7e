/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_PORT_INTERVALS_H
#define LLM_PORT_INTERVALS_H

#include <algorithm>
#include <cstdint>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Values per (port, class), collected over intervals of simulated time. Needs no events of its
 * own: an interval is over when the first call of a later one comes.
 *
 * @tparam T a value that is default-constructible; value-initialised at the start of each interval.
 */
template <typename T>
class PortIntervals
{
  public:
    /**
     * @param ports number of ports.
     * @param interval ticks, > 0.
     */
    PortIntervals(std::size_t ports, int64_t interval)
        : m_values(ports * CLASSES),
          m_interval(interval)
    {
    }

    /** @param now tick. @return true if an interval with values is over: Flush first. */
    bool IsOver(int64_t now) const
    {
        return now >= m_end && !m_touched.empty();
    }

    /**
     * @param now tick.
     * @param port below the number of ports.
     * @param trafficClass 0..7.
     * @return the value of the present interval, to change.
     */
    T& At(int64_t now, uint32_t port, uint8_t trafficClass)
    {
        if (now >= m_end)
        {
            m_start = now / m_interval * m_interval;
            m_end = m_start + m_interval;
        }
        Cell& cell = m_values[port * CLASSES + trafficClass];
        if (!cell.touched)
        {
            cell.touched = true;
            m_touched.push_back(port * CLASSES + trafficClass);
        }
        return cell.value;
    }

    /**
     * End the interval.
     * @param write called with start tick, port, class and value, ports ascending.
     */
    template <typename F>
    void Flush(F write)
    {
        std::sort(m_touched.begin(), m_touched.end());
        for (const uint32_t index : m_touched)
        {
            write(m_start,
                  index / CLASSES,
                  static_cast<uint8_t>(index % CLASSES),
                  m_values[index].value);
            m_values[index] = Cell();
        }
        m_touched.clear();
    }

  private:
    static constexpr uint32_t CLASSES = 8; //!< traffic classes

    /** A value. */
    struct Cell
    {
        T value{};           //!< of the present interval
        bool touched{false}; //!< in m_touched
    };

    std::vector<Cell> m_values;      //!< by port and class
    std::vector<uint32_t> m_touched; //!< those with a value
    int64_t m_interval;              //!< ticks
    int64_t m_start{0};              //!< of the present interval
    int64_t m_end{0};                //!< of the present interval
};

} // namespace llm
} // namespace ns3

#endif // LLM_PORT_INTERVALS_H

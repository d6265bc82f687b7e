/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-kernel-roofline.h"

namespace ns3
{
namespace llm
{

namespace
{

/** Edge of a tile, and length of a step. */
constexpr uint64_t TILE = 128;
/** A sum in fp32 is read and written. */
constexpr uint64_t ACCUMULATED_BYTES = 8;

double
CountTiles(uint64_t length)
{
    const uint64_t whole = (length + TILE - 1) / TILE;
    return static_cast<double>(whole);
}

/** @return the next whole number; above 2^53 every double is one. */
double
RoundUp(double value)
{
    constexpr double wholeFrom = 9007199254740992.0;
    if (value >= wholeFrom)
    {
        return value;
    }
    const auto whole = static_cast<double>(static_cast<int64_t>(value));
    return whole < value ? whole + 1 : whole;
}

} // namespace

KernelRoofline::KernelRoofline(const Accelerator& accelerator, uint64_t elementBytes)
    : m_accelerator(accelerator),
      m_elementBytes(elementBytes)
{
}

int64_t
KernelRoofline::GetProductPs(uint64_t count,
                             uint64_t m,
                             uint64_t n,
                             uint64_t k,
                             uint64_t bytesPerResult) const
{
    if (count == 0 || m == 0 || n == 0 || k == 0)
    {
        return 0;
    }
    constexpr double flopsPerStep = 2.0 * TILE * TILE * TILE;
    const auto processors = static_cast<double>(m_accelerator.GetConfig().multiprocessors);
    const auto copies = static_cast<double>(count);
    const double steps = copies * CountTiles(m) * CountTiles(n) * (CountTiles(k) + 1);
    const double flops = RoundUp(steps / processors) * processors * flopsPerStep;
    const double operands = static_cast<double>(m) * static_cast<double>(k) +
                            static_cast<double>(k) * static_cast<double>(n);
    const double results = static_cast<double>(m) * static_cast<double>(n);
    const double bytes = copies * (operands * static_cast<double>(m_elementBytes) +
                                   results * static_cast<double>(bytesPerResult));
    return m_accelerator.GetDurationPs(flops, bytes);
}

int64_t
KernelRoofline::GetMatrixProductPs(uint64_t count, uint64_t m, uint64_t n, uint64_t k) const
{
    return GetProductPs(count, m, n, k, m_elementBytes);
}

int64_t
KernelRoofline::GetWeightGradientPs(uint64_t count, uint64_t m, uint64_t n, uint64_t k) const
{
    return GetProductPs(count, m, n, k, ACCUMULATED_BYTES);
}

int64_t
KernelRoofline::GetMemoryPs(uint64_t elements) const
{
    return m_accelerator.GetDurationPs(0,
                                       static_cast<double>(elements) *
                                           static_cast<double>(m_elementBytes));
}

const Accelerator&
KernelRoofline::GetAccelerator() const
{
    return m_accelerator;
}

uint64_t
KernelRoofline::GetElementBytes() const
{
    return m_elementBytes;
}

} // namespace llm
} // namespace ns3

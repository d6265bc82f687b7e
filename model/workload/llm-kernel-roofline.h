/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_KERNEL_ROOFLINE_H
#define LLM_KERNEL_ROOFLINE_H

#include "llm-accelerator.h"

#include <cstdint>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Times of single kernels on an accelerator.
 *
 * A matrix product is cut into tiles of 128 x 128 outputs, each of which advances by steps of 128
 * along the inner dimension; a tile takes one more step to begin and to be written. The steps of
 * all tiles are dealt to the multiprocessors in whole rounds ("tile and wave quantization" of
 * NVIDIA's deep learning performance guide, with the inner dimension split as in Stream-K, Osama et
 * al. 2023). So a large product reaches compute_efficiency of the peak, and a small or an awkward
 * one less. Operands are read and results written once; if that takes longer, it counts.
 *
 * The sizes are those of today's libraries in round numbers, not measured; who knows better gives
 * measured times.
 */
class KernelRoofline
{
  public:
    /**
     * @param accelerator how fast.
     * @param elementBytes of weights and activations.
     */
    KernelRoofline(const Accelerator& accelerator, uint64_t elementBytes);

    /**
     * @param count so many products alike, side by side (experts).
     * @param m rows of left operand and result.
     * @param n columns of right operand and result.
     * @param k inner dimension.
     * @return picoseconds; 0 if nothing is to be done.
     */
    int64_t GetMatrixProductPs(uint64_t count, uint64_t m, uint64_t n, uint64_t k) const;

    /** The same for gradients of weights, which are added to a sum in fp32. */
    int64_t GetWeightGradientPs(uint64_t count, uint64_t m, uint64_t n, uint64_t k) const;

    /** @param elements read and written. @return picoseconds of a kernel that does little else. */
    int64_t GetMemoryPs(uint64_t elements) const;

    /** @return the accelerator. */
    const Accelerator& GetAccelerator() const;

    /** @return bytes of an element. */
    uint64_t GetElementBytes() const;

  private:
    int64_t GetProductPs(uint64_t count,
                         uint64_t m,
                         uint64_t n,
                         uint64_t k,
                         uint64_t bytesPerResult) const;

    Accelerator m_accelerator; //!< how fast
    uint64_t m_elementBytes;   //!< of operands
};

} // namespace llm
} // namespace ns3

#endif // LLM_KERNEL_ROOFLINE_H

/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_GRADIENT_BUCKETS_H
#define LLM_GRADIENT_BUCKETS_H

#include "llm-parameter-tensor.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace llm
{

/** Gradients that are reduced in one collective. */
struct GradientBucket
{
    uint64_t elements{0};       //!< gradients on one rank
    uint64_t paddedElements{0}; //!< with padding, which is sent as well
    uint64_t bytes{0};          //!< paddedElements times the size of the wire type
    std::size_t firstTensor{0}; //!< index, in forward order, of the tensor that is ready last
    std::size_t lastTensor{0};  //!< index of the tensor that is ready first
};

/** When a bucket is full, and how it is padded. */
struct BucketRule
{
    uint64_t firstCapacity{0};  //!< elements that fill the first bucket; 0: never full
    uint64_t capacity{0};       //!< elements that fill a later bucket; 0: never full
    bool closesBefore{false};   //!< a tensor that would overflow a bucket begins the next one
    uint64_t tensorMultiple{1}; //!< each tensor begins at a multiple of so many elements
    uint64_t bucketMultiple{1}; //!< each bucket ends at a multiple of so many elements

    /** @return one bucket for everything. */
    static BucketRule Whole();

    /**
     * PyTorch's DistributedDataParallel (torch/csrc/distributed/c10d/reducer.hpp): a first bucket
     * of 1 MiB, so that communication starts early, then buckets of bucket_cap_mb.
     * @param capMiB bucket_cap_mb, >= 1, PyTorch's default is 25. MiB in spite of its name.
     * @param elementBytes size of a gradient.
     * @return the rule.
     */
    static BucketRule PyTorch(uint64_t capMiB, uint64_t elementBytes);

    /**
     * Megatron-Core's DistributedDataParallel: max(40000000, 1000000 d) parameters.
     * @param dataParallelSize d.
     * @param bucketSize --ddp-bucket-size in parameters; 0: by d.
     * @return the rule.
     */
    static BucketRule Megatron(uint32_t dataParallelSize, uint64_t bucketSize);

    /**
     * DeepSpeed's ZeRO: reduce_bucket_size elements; a bucket closes before it would overflow. A
     * tensor above the size has a bucket of its own.
     * @param bucketSize reduce_bucket_size; 0: DeepSpeed's default of 5e8.
     * @return the rule.
     */
    static BucketRule DeepSpeed(uint64_t bucketSize);
};

/**
 * Fills buckets from the last tensor to the first. A bucket closes when it has reached its
 * capacity, so that it may exceed it by less than one tensor (PyTorch and Megatron), or before it
 * would exceed it (DeepSpeed).
 *
 * @param elements gradients per tensor on one rank, in forward order; zeros are allowed.
 * @param rule when a bucket is full.
 * @param elementBytes size of a gradient on the wire.
 * @param alone tensors that have a bucket each, whatever the rule; ascending.
 * @return buckets in the order in which they become full. No empty ones.
 */
std::vector<GradientBucket> MakeGradientBuckets(const std::vector<uint64_t>& elements,
                                                const BucketRule& rule,
                                                uint64_t elementBytes,
                                                const std::vector<std::size_t>& alone = {});

} // namespace llm
} // namespace ns3

#endif // LLM_GRADIENT_BUCKETS_H

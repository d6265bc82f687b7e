/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_DATA_TYPE_H
#define LLM_DATA_TYPE_H

#include <cstdint>
#include <string>

namespace ns3
{
namespace llm
{

/** Number format of parameters, activations or gradients. */
enum class DataType : uint8_t
{
    FP32,
    BF16,
    FP16
};

/** @param type which. @return "fp32", "bf16" or "fp16". */
const char* ToString(DataType type);

/** @param type which. @return bytes per element. */
uint64_t GetBytesPerElement(DataType type);

/**
 * @param name PyTorch's or Megatron's: "bf16", "bfloat16", "torch.bfloat16", "fp16", "float16",
 *             "half", "fp32", "float32", "float".
 * @param source, path where the name stands, for the error.
 * @return the type.
 * @throw ConfigError.
 */
DataType ParseDataType(const std::string& name,
                       const std::string& source = "",
                       const std::string& path = "");

} // namespace llm
} // namespace ns3

#endif // LLM_DATA_TYPE_H

/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-data-type.h"

#include "ns3/llm-config-error.h"

namespace ns3
{
namespace llm
{

const char*
ToString(DataType type)
{
    switch (type)
    {
    case DataType::FP32:
        return "fp32";
    case DataType::BF16:
        return "bf16";
    case DataType::FP16:
        return "fp16";
    }
    return "unknown";
}

uint64_t
GetBytesPerElement(DataType type)
{
    return type == DataType::FP32 ? 4 : 2;
}

DataType
ParseDataType(const std::string& name, const std::string& source, const std::string& path)
{
    const std::string prefix = "torch.";
    const std::string bare = name.rfind(prefix, 0) == 0 ? name.substr(prefix.size()) : name;
    if (bare == "fp32" || bare == "float32" || bare == "float")
    {
        return DataType::FP32;
    }
    if (bare == "bf16" || bare == "bfloat16")
    {
        return DataType::BF16;
    }
    if (bare == "fp16" || bare == "float16" || bare == "half")
    {
        return DataType::FP16;
    }
    throw ConfigError(source.empty() ? "data type" : source,
                      path,
                      "unknown data type '" + name + "'; known: bf16, fp16, fp32");
}

} // namespace llm
} // namespace ns3

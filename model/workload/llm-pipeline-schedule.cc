/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-pipeline-schedule.h"

#include "llm-dualpipe-schedule.h"
#include "llm-gpipe-schedule.h"
#include "llm-interleaved-schedule.h"
#include "llm-one-forward-one-backward.h"
#include "llm-zero-bubble-h1-schedule.h"

#include "ns3/llm-config-error.h"
#include "ns3/llm-nearest-name.h"

#include <algorithm>
#include <vector>

namespace ns3
{
namespace llm
{

namespace
{

const char* const GPIPE = "gpipe";
const char* const ONE_F_ONE_B = "1f1b";
const char* const ZB_H1 = "zb_h1";
const char* const DUALPIPE = "dualpipe";

} // namespace

void
CheckPipelineSchedule(const ParallelConfig& config,
                      const std::string& source,
                      const std::string& path)
{
    const auto fail = [&source, &path](const char* key, const std::string& message) {
        throw ConfigError(source, path.empty() ? key : path + "." + key, message);
    };
    const std::string& name = config.pipeline_schedule;
    const uint32_t p = config.pipeline_model_parallel_size;
    const uint32_t v = config.virtual_pipeline_model_parallel_size;
    const std::vector<std::string> names{GPIPE, ONE_F_ONE_B, ZB_H1, DUALPIPE};
    if (std::find(names.begin(), names.end(), name) == names.end())
    {
        fail("pipeline_schedule",
             "no schedule '" + name + "'; did you mean '" + NearestName(name, names) +
                 "'? Known: gpipe, 1f1b, zb_h1, dualpipe");
    }
    if (v == 0)
    {
        fail("virtual_pipeline_model_parallel_size", "must be at least 1, is 0");
    }
    if (v > 1 && name != ONE_F_ONE_B)
    {
        fail("virtual_pipeline_model_parallel_size",
             "is " + std::to_string(v) + ", but pipeline_schedule '" + name +
                 "' needs 1; only 1f1b interleaves chunks");
    }
    if (v > 1 && p == 1)
    {
        fail("virtual_pipeline_model_parallel_size",
             "is " + std::to_string(v) +
                 ", which needs pipeline_model_parallel_size of at least 2, not 1");
    }
    if (name == DUALPIPE && p % 2 != 0)
    {
        fail("pipeline_schedule",
             "dualpipe needs an even pipeline_model_parallel_size, which is " + std::to_string(p));
    }
}

std::string
FindMicrobatchError(const ParallelConfig& config, uint64_t microbatches)
{
    const uint64_t p = config.pipeline_model_parallel_size;
    const std::string have = std::to_string(microbatches) + " microbatches (m = global_batch_size "
                                                            "/ (micro_batch_size x "
                                                            "data_parallel_size)) ";
    if (config.virtual_pipeline_model_parallel_size > 1 && microbatches % p != 0)
    {
        return have + "are not a multiple of pipeline_model_parallel_size " + std::to_string(p) +
               ", as virtual_pipeline_model_parallel_size " +
               std::to_string(config.virtual_pipeline_model_parallel_size) + " needs";
    }
    if (config.pipeline_schedule == DUALPIPE && microbatches < 2 * p)
    {
        return have + "are too few for pipeline_schedule dualpipe, which needs at least " +
               std::to_string(2 * p) + ", two per pipeline stage";
    }
    if (config.pipeline_schedule == DUALPIPE && microbatches % 2 != 0)
    {
        return have + "are odd; pipeline_schedule dualpipe needs as many from either end";
    }
    return "";
}

std::unique_ptr<PipelineSchedule>
MakePipelineSchedule(const ParallelConfig& config, uint32_t rank, uint64_t microbatches)
{
    const uint32_t p = config.pipeline_model_parallel_size;
    const uint32_t v = config.virtual_pipeline_model_parallel_size;
    const std::string& name = config.pipeline_schedule;
    if (name == GPIPE)
    {
        return std::make_unique<GPipeSchedule>(microbatches);
    }
    if (name == ZB_H1)
    {
        return std::make_unique<ZeroBubbleH1Schedule>(rank, p, microbatches);
    }
    if (name == DUALPIPE)
    {
        return std::make_unique<DualPipeSchedule>(rank, p, microbatches);
    }
    if (v > 1)
    {
        return std::make_unique<InterleavedSchedule>(rank, p, v, microbatches);
    }
    return std::make_unique<OneForwardOneBackward>(rank, p, microbatches);
}

} // namespace llm
} // namespace ns3

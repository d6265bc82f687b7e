/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_SIMAI_FILE_H
#define LLM_SIMAI_FILE_H

#include "llm-step-program.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

/** How the ranks of a SimAI workload share their work; the first word of the file. */
enum class SimaiPolicy : uint8_t
{
    DATA,
    MODEL,
    HYBRID_TRANSFORMER,
    HYBRID_TRANSFORMER_FWD_IN_BCKWD,
    HYBRID_CUSTOMIZED, //!< each row says its own
    MICRO
};

/** @param policy which. @return "DATA", ... as in the file. */
const char* ToString(SimaiPolicy policy);

/** Groups that the communication of a row can be over. */
enum class SimaiGroup : uint8_t
{
    ALL,        //!< every rank
    TENSOR,     //!< TP
    DATA,       //!< DP
    EXPERT,     //!< EP
    DATA_EXPERT //!< DP of experts
};

/** One of the three phases of a row: forward, input gradient, weight gradient. */
struct SimaiPhase
{
    int64_t durationPs{0};                         //!< of its computation
    bool communicates{false};                      //!< whether something follows
    OperationKind kind{OperationKind::ALL_REDUCE}; //!< what
    SimaiGroup group{SimaiGroup::ALL};             //!< over which ranks
    uint64_t bytes{0};                             //!< size as in nccl-tests
};

/** A row: a layer, or a part of one. */
struct SimaiRow
{
    std::string name;                      //!< first column
    uint64_t line{0};                      //!< where it begins
    SimaiPolicy policy{SimaiPolicy::DATA}; //!< the file's, or its own
    SimaiPhase forward;                    //!< columns 3 to 5
    SimaiPhase inputGradient;              //!< columns 6 to 8
    SimaiPhase weightGradient;             //!< columns 9 to 11
    int64_t updatePs{0};                   //!< column 12: after the weight gradient's communication
};

/**
 * @ingroup llm-training
 *
 * A workload file of SimAI or AICB as it stands there: its header and its rows. What SimAI drops
 * without a word is an error with the line: unknown kinds of communication, rows too many or too
 * few, columns too many or too few, unknown keys.
 */
struct SimaiFile
{
    std::string fileName;                  //!< where it was read
    SimaiPolicy policy{SimaiPolicy::DATA}; //!< first word
    uint32_t tensor{0};                    //!< model_parallel_NPU_group, 0: not said
    uint32_t expert{1};                    //!< ep
    uint32_t pipeline{1};                  //!< pp
    uint32_t virtualPipeline{1};           //!< vpp
    uint32_t accumulation{1};              //!< ga
    uint32_t ranks{0};                     //!< all_gpus, 0: not said
    uint64_t pipelineBytes{0};             //!< pp_comm
    std::vector<uint32_t> checkpoints;     //!< rows whose input is kept
    std::vector<uint32_t> initiates;       //!< rows before whose backward forward runs again
    std::vector<SimaiRow> rows;            //!< in order
    uint64_t broadcasts{0};                //!< phases that broadcast
    uint64_t dependencies{0};              //!< rows whose second column is not -1

    /** @param fileName file. @return what stands in it. @throw ConfigError naming the line. */
    static SimaiFile Read(const std::string& fileName);
};

} // namespace llm
} // namespace ns3

#endif // LLM_SIMAI_FILE_H

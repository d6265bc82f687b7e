/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_JOURNEY_H
#define LLM_JOURNEY_H

#include "llm-report-document.h"
#include "llm-scenario.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

/** What a journey is told about. */
struct JourneyConfig
{
    std::string textFile;          //!< empty: canto I of the Inferno
    std::string language{"it"};    //!< of the canto: it or en
    std::string tokenizerFile;     //!< as Tokenizer::ReadFile; empty: a BPE trained on the text
    uint32_t vocabularySize{1024}; //!< ids of the trained BPE
    std::string word;              //!< followed: its number in the text from 1, or the word itself
    uint64_t line{0};           //!< followed: its number from 1; 0 with neither word nor batch: 1
    uint64_t batch{0};          //!< followed: the number of a training step from 1
    int64_t latencyPs{5000000}; //!< alpha: time of a message besides that of its bytes
    /** Model, batch, accelerator and link of the first are told of; the others differ from it in
     *  parallelism and micro-batch. Not empty. */
    std::vector<Scenario> layouts;
};

/**
 * @ingroup llm-training
 *
 * Follows a text through all stages of one training step, from words to bits on the wire, with the
 * figures of each and how they are computed. Everything follows from closed forms and from the
 * programs of collectives; nothing is simulated.
 *
 * Layouts that Megatron refuses because heads or layers do not divide are told of nevertheless,
 * with a note; what they send is the same.
 *
 * @param config what about.
 * @return the story.
 * @throw ConfigError if a file cannot be read, the piece to be followed is not in the text, or
 * model, layout and training do not fit together.
 */
ReportDocument TellJourney(const JourneyConfig& config);

} // namespace llm
} // namespace ns3

#endif // LLM_JOURNEY_H

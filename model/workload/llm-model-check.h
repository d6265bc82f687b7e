/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_MODEL_CHECK_H
#define LLM_MODEL_CHECK_H

#include "llm-model-config.h"

#include <cstdint>
#include <string>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * The parts of ModelConfig::Validate, with every complaint in one form. Each fills in the defaults
 * that follow from other numbers and throws ConfigError for what contradicts itself.
 */
class ModelCheck
{
  public:
    /** Larger than any shape of a language model, small enough that no product of three
     *  overflows. */
    static constexpr uint64_t LARGEST_SHAPE = 1ULL << 32;
    /** More layers than any model has, few enough to go through them one by one. */
    static constexpr uint64_t MOST_LAYERS = 1000000;
    /** Likewise, of the experts of a layer. */
    static constexpr uint64_t MOST_EXPERTS = 65536;

    /** @param source name of the file, for errors. @param path where in it the model stands. */
    ModelCheck(std::string source, std::string path);

    /** @param key of the complaint. @param message what is wrong. */
    [[noreturn]] void Fail(const std::string& key, const std::string& message) const;
    /** @param key of a number. @param value must be 1 .. most. @param most largest. */
    void Require(const std::string& key, uint64_t value, uint64_t most = LARGEST_SHAPE) const;
    /** @param key of a number. @param value must be 0 .. most. @param most largest. */
    void Limit(const std::string& key, uint64_t value, uint64_t most = LARGEST_SHAPE) const;
    /** Heads, ordinary or latent. @param model gets its defaults. */
    void Attention(ModelConfig& model) const;
    /** Experts, their groups and their layers. @param model gets its defaults. */
    void Experts(ModelConfig& model) const;
    /** The whole is not absurd. @param model is looked at. */
    void Size(const ModelConfig& model) const;

  private:
    void Latent(ModelConfig& model) const;
    void RefuseExpertNumbers(const ModelConfig& model) const;
    void ExpertGroups(const ModelConfig& model) const;

    std::string m_source; //!< for errors
    std::string m_path;   //!< for errors
};

} // namespace llm
} // namespace ns3

#endif // LLM_MODEL_CHECK_H

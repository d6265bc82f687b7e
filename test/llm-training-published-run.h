/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_TRAINING_PUBLISHED_RUN_H
#define LLM_TRAINING_PUBLISHED_RUN_H

#include "ns3/llm-collective-selector.h"
#include "ns3/llm-model-flops.h"
#include "ns3/llm-shipped-files.h"
#include "ns3/llm-traffic-model.h"
#include "ns3/llm-training-step.h"

#include <memory>
#include <string>

namespace ns3
{
namespace llm
{

/** @param name of a shipped model. @return it. */
inline ModelConfig
ReadShippedModel(const std::string& name)
{
    return ModelConfig::ReadFile(GetShippedFile("models", name));
}

/**
 * @param hidden, layers, heads, vocabulary, positions shape of a GPT.
 * @return the model.
 */
inline ModelConfig
MakeGptModel(uint64_t hidden,
             uint64_t layers,
             uint64_t heads,
             uint64_t vocabulary,
             uint64_t positions)
{
    ModelConfig model;
    model.SetFamily("gpt2");
    model.hidden_size = hidden;
    model.num_hidden_layers = layers;
    model.num_attention_heads = heads;
    model.vocab_size = vocabulary;
    model.max_position_embeddings = positions;
    model.Validate();
    return model;
}

/** A training run that somebody has published: shape, layout, batch. */
struct PublishedRun
{
    ModelConfig model;             //!< shape
    ParallelConfig parallel;       //!< layout
    TrainingConfig training;       //!< batch; the whole attention core counts
    AcceleratorConfig accelerator; //!< A100 unless said otherwise

    /** @param shape of the model. */
    explicit PublishedRun(const ModelConfig& shape)
        : model(shape)
    {
        training.causal_attention_flops = false;
        accelerator.name = "A100";
    }

    /** @param t, p, d sizes. @param batch sequences per iteration. @param length of a sequence.
     *  @return this. */
    PublishedRun& Set(uint32_t t, uint32_t p, uint32_t d, uint32_t batch, uint32_t length)
    {
        parallel.tensor_model_parallel_size = t;
        parallel.pipeline_model_parallel_size = p;
        parallel.data_parallel_size = d;
        training.global_batch_size = batch;
        training.seq_length = length;
        return *this;
    }
};

/** The step of a published run and its closed form. */
class PublishedStep
{
  public:
    /** @param run what was trained. */
    explicit PublishedStep(const PublishedRun& run)
        : m_step(run.model,
                 ParallelLayout(run.parallel),
                 run.training,
                 Accelerator(run.accelerator)),
          m_model(m_step, [this](CollectiveSpec& spec, const ProcessGroup&, ParallelDimension) {
              return m_selector.Choose(spec, "ring").algorithm;
          })
    {
    }

    /** @return the step. */
    const TrainingStep& GetStep() const
    {
        return m_step;
    }

    /** @return its closed form. */
    const TrafficModel& GetModel() const
    {
        return m_model;
    }

    /** @return FLOPs per token. */
    ModelFlops GetFlops() const
    {
        return ModelFlops(m_step.GetModel(),
                          m_step.GetTraining().seq_length,
                          m_step.GetTraining().causal_attention_flops);
    }

  private:
    CollectiveSelector m_selector;
    TrainingStep m_step;
    TrafficModel m_model;
};

} // namespace llm
} // namespace ns3

#endif // LLM_TRAINING_PUBLISHED_RUN_H

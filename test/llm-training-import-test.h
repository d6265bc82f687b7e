/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_TRAINING_IMPORT_TEST_H
#define LLM_TRAINING_IMPORT_TEST_H

// What the suites of imported workloads share: files written for a test, and runs that are laid
// beside each other message by message.

#include "llm-training-error-of.h"
#include "llm-training-test-job.h"

#include "ns3/llm-collective-selector.h"
#include "ns3/llm-parallel-layout.h"
#include "ns3/llm-training-step.h"

#include <algorithm>
#include <fstream>
#include <string>
#include <tuple>
#include <vector>

namespace llmtest
{

/// @param name of the file @param content of it @return the name
inline std::string
WriteFile(const std::string& name, const std::string& content)
{
    std::ofstream file(name, std::ios::binary | std::ios::trunc);
    file << content;
    return name;
}

/// A file that is wrong, and what is said of it.
struct BadFile
{
    std::string content; //!< of the file
    std::string error;   //!< what the error contains, behind the file's name
};

/// What a run did: everything that two runs of the same work must have in common.
struct RunTrace
{
    std::vector<std::tuple<int64_t, uint32_t, uint32_t, uint16_t, uint64_t>>
        messages;              //!< start, from, to, channel, bytes, in order of sending
    std::vector<int64_t> ends; //!< of the iterations
    std::vector<std::tuple<uint32_t, uint32_t, int, uint64_t, uint64_t>>
        pairs;                    //!< from, to, dimension, bytes, messages
    std::vector<int64_t> compute; //!< time of computing by rank
    std::string failure;          //!< empty: it completed
};

/// How collectives are done.
struct Choice
{
    std::string algorithm; //!< of all-reduce
    uint32_t channels;     //!< of all kinds
    uint64_t slice;        //!< of all kinds
};

/// @param choice what is wanted @param kind of collective @return how it is done
inline TrainingJob::CollectiveChoice
ChoiceOf(const Choice& choice, CollectiveKind kind)
{
    const std::string other = kind == CollectiveKind::ALL_TO_ALL ? "direct" : "ring";
    return {kind == CollectiveKind::ALL_REDUCE ? choice.algorithm : other,
            choice.channels,
            choice.slice};
}

/**
 * Run on a transport without contention, whose delay differs from pair to pair.
 * @param workload what @param choice algorithms @param iterations how many
 * @return what happened
 */
inline RunTrace
RunOnDelays(std::shared_ptr<const WorkloadSource> workload,
            const Choice& choice,
            uint32_t iterations = 1)
{
    SimulatorScope scope("ns3::DefaultSimulatorImpl");
    auto transport = CreateObject<DelayTransport>();
    transport->keepLog = true;
    transport->delay = 1234567;
    transport->onSend = [&transport](const Message& message) {
        transport->delay = 1000003 + 7919 * ((message.from * 31 + message.to * 17) % 13);
    };
    JobRig rig(workload, transport, "ring", choice.channels, choice.slice, iterations);
    for (uint8_t i = 0; i <= static_cast<uint8_t>(CollectiveKind::ALL_TO_ALL); ++i)
    {
        const auto kind = static_cast<CollectiveKind>(i);
        rig.job->SetCollective(kind, ChoiceOf(choice, kind));
    }
    Simulator::Run();
    RunTrace trace;
    for (const Message& message : transport->log)
    {
        trace.messages.emplace_back(message.start,
                                    message.from,
                                    message.to,
                                    message.channel,
                                    message.bytes);
    }
    for (const auto& iteration : rig.job->GetIterations())
    {
        trace.ends.push_back(iteration.end);
    }
    for (const auto& pair : rig.job->GetTraffic().GetPairs())
    {
        trace.pairs.emplace_back(pair.from,
                                 pair.to,
                                 static_cast<int>(pair.dimension),
                                 pair.bytes,
                                 pair.messages);
    }
    std::sort(trace.pairs.begin(), trace.pairs.end());
    for (uint32_t rank = 0; rank < rig.job->GetWorldSize(); ++rank)
    {
        trace.compute.push_back(rig.job->GetRank(rank)->GetTimes().compute);
    }
    if (!rig.job->IsComplete())
    {
        trace.failure = rig.job->GetFailure().empty() ? "open" : rig.job->GetFailure().front();
    }
    return trace;
}

/// @param a, b what is compared @return empty if they are the same, else what differs first
inline std::string
Compare(const RunTrace& a, const RunTrace& b)
{
    if (!a.failure.empty() || !b.failure.empty())
    {
        return "failed: '" + a.failure + "', '" + b.failure + "'";
    }
    for (std::size_t i = 0; i < std::min(a.messages.size(), b.messages.size()); ++i)
    {
        if (a.messages[i] != b.messages[i])
        {
            const auto show = [](const auto& m) {
                return std::to_string(std::get<0>(m)) + ": " + std::to_string(std::get<1>(m)) +
                       "->" + std::to_string(std::get<2>(m)) + "/" +
                       std::to_string(std::get<3>(m)) + " " + std::to_string(std::get<4>(m)) + " B";
            };
            return "message " + std::to_string(i) + ": " + show(a.messages[i]) + ", " +
                   show(b.messages[i]);
        }
    }
    if (a.messages.size() != b.messages.size())
    {
        return std::to_string(a.messages.size()) + " and " + std::to_string(b.messages.size()) +
               " messages";
    }
    return a.ends != b.ends         ? "iterations end at other times"
           : a.pairs != b.pairs     ? "bytes of pairs differ"
           : a.compute != b.compute ? "times of computing differ"
                                    : "";
}

/// @return a training step of a tiny model: TP 2 x PP 2 x DP @p data
/// @param data replicas @param sequence sequence parallelism @param heads makes times odd
inline std::shared_ptr<TrainingStep>
TinyStep(uint32_t data, bool sequence, uint32_t heads = 4)
{
    ModelConfig model;
    model.SetFamily("llama");
    model.name = "tiny";
    model.vocab_size = 512;
    model.hidden_size = 16 * heads;
    model.num_hidden_layers = 4;
    model.num_attention_heads = heads;
    model.num_key_value_heads = heads;
    model.intermediate_size = 36 * heads;
    model.max_position_embeddings = 64;
    model.tie_word_embeddings = true;
    model.Validate();
    ParallelConfig parallel;
    parallel.tensor_model_parallel_size = 2;
    parallel.pipeline_model_parallel_size = 2;
    parallel.sequence_parallel = sequence;
    TrainingConfig training;
    training.global_batch_size = 3 * data;
    training.seq_length = 64;
    training.ddp_bucket_size = 10000;
    return std::make_shared<TrainingStep>(model,
                                          ParallelLayout(parallel, 4 * data),
                                          training,
                                          Accelerator(AcceleratorConfig()));
}

} // namespace llmtest

#endif // LLM_TRAINING_IMPORT_TEST_H

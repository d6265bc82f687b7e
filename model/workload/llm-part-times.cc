/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-part-times.h"

#include "llm-kernel-roofline.h"
#include "llm-model-flops.h"

namespace ns3
{
namespace llm
{

namespace
{

/** Backward of FlashAttention has five matrix products for two of its forward (Dao 2022 s.3.1). */
constexpr double CORE_BACKWARD = 2.5;

/** Adds up the kernels of one part. */
class PartClock
{
  public:
    explicit PartClock(const KernelRoofline& kernels)
        : m_kernels(kernels)
    {
    }

    /** y = x W: forward m x k by k x n; backward the input's and the weights' gradients. */
    void Product(uint64_t m, uint64_t n, uint64_t k, uint64_t count = 1)
    {
        m_times.forwardPs += m_kernels.GetMatrixProductPs(count, m, n, k);
        m_times.backwardInputPs += m_kernels.GetMatrixProductPs(count, m, k, n);
        m_times.backwardWeightPs += m_kernels.GetWeightGradientPs(count, n, k, m);
    }

    /** A kernel that only moves memory: elements read and written. */
    void Memory(uint64_t forward, uint64_t backward)
    {
        m_times.forwardPs += m_kernels.GetMemoryPs(forward);
        m_times.backwardInputPs += m_kernels.GetMemoryPs(backward);
    }

    /** Norm over so many elements: input and output; backward input, gradient, result. */
    void Norm(uint64_t elements)
    {
        Memory(2 * elements, 3 * elements);
    }

    /** x + y: two inputs and the sum; the gradient is added to that of the norm. */
    void Residual(uint64_t elements)
    {
        Memory(3 * elements, 3 * elements);
    }

    /** Activation function behind one or two matrices: inputs and output; backward all of them and
     *  the gradients of both sides. */
    void Activation(uint64_t outputs, uint64_t matrices)
    {
        Memory((matrices + 1) * outputs, (2 * matrices + 1) * outputs);
    }

    void Core(double flops, uint64_t elements)
    {
        const Accelerator& accelerator = m_kernels.GetAccelerator();
        const double bytes =
            static_cast<double>(elements) * static_cast<double>(m_kernels.GetElementBytes());
        m_times.forwardPs += accelerator.GetAttentionDurationPs(flops, bytes);
        m_times.backwardInputPs +=
            accelerator.GetAttentionDurationPs(CORE_BACKWARD * flops, 2 * bytes);
    }

    const PassTimes& Get() const
    {
        return m_times;
    }

  private:
    const KernelRoofline& m_kernels;
    PassTimes m_times;
};

/** Makes the parts of a model. */
class PartMaker
{
  public:
    PartMaker(const ModelConfig& model,
              const TrainingConfig& training,
              const ParallelLayout& layout,
              const KernelRoofline& kernels)
        : m_model(model),
          m_training(training),
          m_kernels(kernels),
          m_t(layout.GetSize(ParallelAxis::TP)),
          m_tokens(static_cast<uint64_t>(training.micro_batch_size) * training.seq_length /
                   layout.GetSize(ParallelAxis::CP)),
          m_part(m_tokens / (layout.GetConfig().sequence_parallel ? m_t : 1)),
          m_routed(m_tokens / m_t),
          m_paddedVocabSize(layout.GetPaddedVocabSize(model)),
          m_h(model.hidden_size)
    {
    }

    /** @return tokens that a rank routes. */
    uint64_t GetRouted() const
    {
        return m_routed;
    }

    PassTimes Embedding() const
    {
        // Rows read and written; backward added to an fp32 sum, all of it for the weights.
        PartClock clock(m_kernels);
        clock.Memory(2 * m_tokens * m_h, 4 * m_tokens * m_h);
        PassTimes times = clock.Get();
        times.backwardWeightPs = times.backwardInputPs;
        times.backwardInputPs = 0;
        return times;
    }

    PassTimes Attention(int64_t& corePs) const
    {
        const uint64_t a = m_model.num_attention_heads;
        const uint64_t queries = a * m_model.GetQueryHeadDim() / m_t;
        const uint64_t values = a * m_model.GetValueHeadDim() / m_t;
        PartClock clock(m_kernels);
        clock.Norm(m_part * m_h);
        uint64_t keyValues = 2 * m_model.num_key_value_heads * m_model.head_dim / m_t;
        if (m_model.HasLatentAttention())
        {
            LatentProjections(clock);
            keyValues = queries + values;
        }
        else
        {
            clock.Product(m_tokens, queries + keyValues, m_h);
            const uint64_t rotated = m_tokens * (queries + keyValues / 2);
            clock.Norm(m_model.qk_norm ? rotated : 0);
            // In place: read and written, both ways.
            clock.Memory(m_model.learned_positions ? 0 : 2 * rotated,
                         m_model.learned_positions ? 0 : 2 * rotated);
        }
        const ModelFlops flops(m_model, m_training.seq_length, m_training.causal_attention_flops);
        PartClock core(m_kernels);
        core.Core(static_cast<double>(flops.GetAttentionCore()) * static_cast<double>(m_tokens) /
                      static_cast<double>(m_t),
                  m_tokens * (queries + keyValues + values));
        corePs = core.Get().forwardPs;
        clock.Product(m_tokens, m_h, values);
        clock.Residual(m_part * m_h);
        return clock.Get() + core.Get();
    }

    PassTimes Mlp() const
    {
        PartClock clock(m_kernels);
        clock.Norm(m_part * m_h);
        MlpOfWidth(clock, m_tokens, m_model.intermediate_size / m_t);
        clock.Residual(m_part * m_h);
        return clock.Get();
    }

    PassTimes Router() const
    {
        const uint64_t experts = m_model.num_experts;
        PartClock clock(m_kernels);
        clock.Norm(m_part * m_h);
        clock.Product(m_routed, experts, m_h);
        // Scores and their choice in fp32: scores in, weights and the map of choices out.
        clock.Memory(4 * m_routed * experts, 4 * m_routed * experts);
        clock.Memory((1 + m_model.num_experts_per_tok) * m_routed * m_h,
                     (1 + m_model.num_experts_per_tok) * m_routed * m_h);
        return clock.Get();
    }

    PassTimes SharedExperts() const
    {
        PartClock clock(m_kernels);
        MlpOfWidth(clock, m_tokens, m_model.shared_expert_intermediate_size / m_t);
        return clock.Get();
    }

    PassTimes Combine() const
    {
        PartClock clock(m_kernels);
        clock.Memory((1 + m_model.num_experts_per_tok) * m_routed * m_h,
                     (1 + 2 * m_model.num_experts_per_tok) * m_routed * m_h);
        clock.Residual(m_part * m_h);
        return clock.Get();
    }

    PassTimes MtpProjection() const
    {
        PartClock clock(m_kernels);
        clock.Norm(2 * m_part * m_h);
        clock.Product(m_tokens, m_h / m_t, 2 * m_h);
        return clock.Get();
    }

    PassTimes Head() const
    {
        const uint64_t rows = m_paddedVocabSize / m_t;
        PartClock clock(m_kernels);
        clock.Norm(m_part * m_h);
        clock.Product(m_tokens, rows, m_h);
        // Logits in, and the softmax in fp32, which has twice the width, out; backward the same
        // way round.
        clock.Memory(3 * m_tokens * rows, 3 * m_tokens * rows);
        return clock.Get();
    }

  private:
    void LatentProjections(PartClock& clock) const
    {
        const uint64_t a = m_model.num_attention_heads / m_t;
        const uint64_t rq = m_model.q_lora_rank;
        const uint64_t rkv = m_model.kv_lora_rank;
        const uint64_t queries = a * m_model.GetQueryHeadDim();
        if (rq > 0)
        {
            clock.Product(m_part, rq, m_h);
            clock.Norm(m_part * rq);
        }
        clock.Product(m_tokens, queries, rq > 0 ? rq : m_h);
        clock.Product(m_part, rkv + m_model.qk_rope_head_dim, m_h);
        clock.Norm(m_part * rkv);
        clock.Product(m_tokens, a * (m_model.qk_nope_head_dim + m_model.v_head_dim), rkv);
        // Queries are rotated in place; keys are put together from their two parts.
        clock.Memory(4 * m_tokens * queries, 4 * m_tokens * queries);
    }

    void MlpOfWidth(PartClock& clock, uint64_t tokens, uint64_t width) const
    {
        const uint64_t up = m_model.gated_mlp ? 2 : 1;
        clock.Product(tokens, up * width, m_h);
        clock.Activation(tokens * width, up);
        clock.Product(tokens, m_h, width);
    }

    const ModelConfig& m_model;
    const TrainingConfig& m_training;
    const KernelRoofline& m_kernels;
    uint64_t m_t;               //!< tensor-parallel size
    uint64_t m_tokens;          //!< b s / c
    uint64_t m_part;            //!< the same, / t under sequence parallelism
    uint64_t m_routed;          //!< b s / (c t): each rank of a TP group routes a part
    uint64_t m_paddedVocabSize; //!< V'
    uint64_t m_h;               //!< h
};

} // namespace

PassTimes
operator+(const PassTimes& a, const PassTimes& b)
{
    return {a.forwardPs + b.forwardPs,
            a.backwardInputPs + b.backwardInputPs,
            a.backwardWeightPs + b.backwardWeightPs};
}

PartTimes
PartTimes::Make(const ModelConfig& model,
                const TrainingConfig& training,
                const ParallelLayout& layout,
                DataType paramsType,
                const Accelerator& accelerator)
{
    PartTimes times;
    times.m_accelerator = accelerator;
    times.m_elementBytes = GetBytesPerElement(paramsType);
    times.m_hiddenSize = model.hidden_size;
    times.m_upMatrices = model.gated_mlp ? 2 : 1;
    const KernelRoofline kernels(accelerator, times.m_elementBytes);
    const PartMaker maker(model, training, layout, kernels);
    if (model.num_experts > 0)
    {
        const uint64_t et = layout.GetSize(ParallelAxis::ETP);
        times.m_share.experts = model.num_experts / layout.GetSize(ParallelAxis::EP);
        times.m_share.width = model.moe_intermediate_size / et;
        times.m_share.evenTokens = maker.GetRouted() * model.num_experts_per_tok * et;
    }
    if (accelerator.HasFixedLayerTime())
    {
        times.UseFixedLayerTime(model, training);
        times.UseMeasuredTimes();
        return times;
    }
    times.embedding = maker.Embedding();
    times.attention = maker.Attention(times.attentionCorePs);
    times.mlp = maker.Mlp();
    times.head = maker.Head();
    if (model.num_experts > 0)
    {
        times.router = maker.Router();
        times.combine = maker.Combine();
        times.sharedExperts = maker.SharedExperts();
    }
    if (model.num_nextn_predict_layers > 0)
    {
        times.mtpProjection = maker.MtpProjection();
    }
    times.UseMeasuredTimes();
    return times;
}

void
PartTimes::UseFixedLayerTime(const ModelConfig& model, const TrainingConfig& training)
{
    const ModelFlops flops(model, training.seq_length, training.causal_attention_flops);
    const double attentionFlops =
        static_cast<double>(flops.GetAttentionProjections() + flops.GetAttentionCore());
    const double share = attentionFlops / static_cast<double>(flops.GetLayer(0));
    const auto split = [share](int64_t whole, int64_t& first, int64_t& second) {
        first = static_cast<int64_t>(static_cast<double>(whole) * share);
        second = whole - first;
    };
    const AcceleratorConfig& config = m_accelerator.GetConfig();
    split(config.fixed_layer_forward_ps, attention.forwardPs, mlp.forwardPs);
    int64_t attentionBackward = 0;
    int64_t mlpBackward = 0;
    split(config.fixed_layer_backward_ps, attentionBackward, mlpBackward);
    attention.backwardInputPs = attentionBackward / 2;
    attention.backwardWeightPs = attentionBackward - attention.backwardInputPs;
    mlp.backwardInputPs = mlpBackward / 2;
    mlp.backwardWeightPs = mlpBackward - mlp.backwardInputPs;
    attentionCorePs =
        static_cast<int64_t>(static_cast<double>(attention.forwardPs) *
                             static_cast<double>(flops.GetAttentionCore()) / attentionFlops);
    m_fixedExperts = mlp;
}

void
PartTimes::UseMeasuredTimes()
{
    const MeasuredTimes& measured = m_accelerator.GetConfig().measured_times;
    const auto replace = [&measured](const char* part, PassTimes& times) {
        const PassTimes* found = measured.Find(part);
        times = found ? *found : times;
    };
    const int64_t before = attention.forwardPs;
    replace("embedding", embedding);
    replace("attention", attention);
    replace("mlp", mlp);
    replace("router", router);
    replace("shared_experts", sharedExperts);
    replace("combine", combine);
    replace("mtp_projection", mtpProjection);
    replace("head", head);
    if (before > 0 && measured.Find("attention"))
    {
        // The core keeps its share.
        attentionCorePs = static_cast<int64_t>(static_cast<double>(attentionCorePs) *
                                               static_cast<double>(attention.forwardPs) /
                                               static_cast<double>(before));
    }
}

PassTimes
PartTimes::GetExperts(uint64_t tokens) const
{
    if (const PassTimes* measured = m_accelerator.GetConfig().measured_times.Find("experts"))
    {
        const double load = static_cast<double>(tokens) / static_cast<double>(m_share.evenTokens);
        const auto scale = [load](int64_t ps) {
            return static_cast<int64_t>(static_cast<double>(ps) * load + 0.5);
        };
        return {scale(measured->forwardPs),
                scale(measured->backwardInputPs),
                scale(measured->backwardWeightPs)};
    }
    if (m_accelerator.HasFixedLayerTime())
    {
        return m_fixedExperts;
    }
    if (m_share.experts == 0 || tokens == 0)
    {
        return {};
    }
    const KernelRoofline kernels(m_accelerator, m_elementBytes);
    PartClock clock(kernels);
    const uint64_t each = (tokens + m_share.experts - 1) / m_share.experts;
    // Sorted by expert in front, and back into the order of their senders behind.
    clock.Memory(4 * tokens * m_hiddenSize, 4 * tokens * m_hiddenSize);
    clock.Product(each, m_upMatrices * m_share.width, m_hiddenSize, m_share.experts);
    clock.Activation(tokens * m_share.width, m_upMatrices);
    clock.Product(each, m_hiddenSize, m_share.width, m_share.experts);
    return clock.Get();
}

uint64_t
PartTimes::GetEvenExpertTokens() const
{
    return m_share.evenTokens;
}

PassTimes
PartTimes::GetEvenMoe() const
{
    return router + GetExperts(m_share.evenTokens) + sharedExperts + combine;
}

int64_t
PartTimes::GetOptimizerPs(uint64_t parameters, uint64_t gradBytes) const
{
    if (const PassTimes* measured = m_accelerator.GetConfig().measured_times.Find("optimizer"))
    {
        return measured->forwardPs;
    }
    if (m_accelerator.HasFixedLayerTime())
    {
        return 0;
    }
    constexpr uint64_t stateBytes = 24; // three fp32 numbers, both ways
    return m_accelerator.GetDurationPs(
        0,
        static_cast<double>(gradBytes + stateBytes + m_elementBytes) *
            static_cast<double>(parameters));
}

} // namespace llm
} // namespace ns3

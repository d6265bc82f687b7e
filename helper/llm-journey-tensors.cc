/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-journey-tensors.h"

#include "ns3/llm-model-flops.h"
#include "ns3/llm-parameter-tensor.h"

#include <algorithm>
#include <numeric>
#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

namespace
{

/** @return "32 x 1,024 x 768". */
std::string
Product(const std::vector<uint64_t>& factors)
{
    std::string text;
    for (const uint64_t factor : factors)
    {
        text += (text.empty() ? "" : " x ") + GroupDigits(factor);
    }
    return text;
}

uint64_t
Multiply(const std::vector<uint64_t>& factors)
{
    return std::accumulate(factors.begin(), factors.end(), uint64_t{1}, [](uint64_t a, uint64_t b) {
        return a * b;
    });
}

/** @return a number with its unit, as 1.23e+15 cannot be read aloud. */
ReportValue
Operations(double number)
{
    return number >= 1e12 ? ReportValue::Real(number * 1e-12, 3, "TFLOP")
                          : ReportValue::Real(number * 1e-9, 3, "GFLOP");
}

/** Writes the table of tensors that flow through a layer. */
class ActivationTable
{
  public:
    ActivationTable(ReportSection& section, uint64_t elementBytes)
        : m_section(section),
          m_elementBytes(elementBytes)
    {
        section.BeginTable(
            "activations",
            {{"tensor", "tensor"}, {"shape", "shape"}, {"sizes", "sizes"}, {"bytes", "bytes"}});
    }

    void Add(const std::string& name, const std::string& shape, const std::vector<uint64_t>& sizes)
    {
        m_section.AddRow(
            {name, shape, Product(sizes), ReportValue::Bytes(Multiply(sizes) * m_elementBytes)});
    }

  private:
    ReportSection& m_section;
    uint64_t m_elementBytes;
};

/** What all chapters of this file need. */
struct Shape
{
    const ModelConfig& model;
    const TrainingStep& step;
    uint64_t B;
    uint64_t T;
    uint64_t d;
    uint64_t q;
};

void
TellEmbedding(ReportDocument& document, const JourneyText& text, const Shape& s)
{
    ReportSection& section = document.AddSection("embedding", "From ids to vectors");
    section.Say(
        "The first thing that the model does with an id is to look up a row of a table, the "
        "embedding: d numbers that stand for this token. They were random once; training "
        "has made them similar for tokens of similar use. From here on everything is "
        "tensors: blocks of numbers with a shape, such as B x T x d.");
    const uint64_t V = s.model.vocab_size;
    const uint64_t n = text.GetPieceTokens();
    section.Add("hidden_size", "d: numbers per token", s.d);
    section.Add("element_bytes",
                "q: bytes per number",
                ReportValue::Bytes(s.q),
                std::string("the format ") + ToString(s.step.GetParamsType()));
    section.Add("vocab_size", "V: rows of the table", V, "every id that the model knows");
    section.Add("embedding_bytes",
                "the table",
                ReportValue::Bytes(V * s.d * s.q),
                "= V x d x q = " + Product({V, s.d, s.q}));
    if (s.model.learned_positions)
    {
        section.Add("position_bytes",
                    "table of positions",
                    ReportValue::Bytes(s.model.max_position_embeddings * s.d * s.q),
                    "= " + Product({s.model.max_position_embeddings, s.d, s.q}) +
                        ", a row is added to each token for its place");
    }
    section.Add("token_bytes",
                "one token",
                ReportValue::Bytes(s.d * s.q),
                "= d x q = " + Product({s.d, s.q}));
    if (text.GetPiece() != JourneyText::Piece::BATCH)
    {
        section.Add("piece_bytes",
                    text.GetPieceName() + ": " + GroupDigits(n) + (n == 1 ? " token" : " tokens"),
                    ReportValue::Bytes(n * s.d * s.q),
                    "= " + Product({n, s.d, s.q}));
    }
    section.Add("activation_bytes",
                "S_act: the whole batch",
                ReportValue::Bytes(s.B * s.T * s.d * s.q),
                "= B x T x d x q = " + Product({s.B, s.T, s.d, s.q}));
    section.Say("S_act is the size to remember: the batch has it between any two layers, and it is "
                "what accelerators that share the work hand to each other.");
    section.Add("growth",
                "bytes per byte of text",
                ReportValue::Real(static_cast<double>(s.d * s.q) / text.GetBytesPerToken(), 0),
                "a token was " +
                    ReportValue::Real(text.GetBytesPerToken(), 2, "B of text on average").Show());
}

void
TellAttention(ActivationTable& table, const Shape& s)
{
    const uint64_t a = s.model.num_attention_heads;
    table.Add("input", "B x T x d", {s.B, s.T, s.d});
    table.Add("normalised input", "B x T x d", {s.B, s.T, s.d});
    if (s.model.HasLatentAttention())
    {
        if (s.model.q_lora_rank > 0)
        {
            table.Add("compressed queries", "B x T x r_q", {s.B, s.T, s.model.q_lora_rank});
        }
        table.Add("compressed keys and values",
                  "B x T x r",
                  {s.B, s.T, s.model.kv_lora_rank + s.model.qk_rope_head_dim});
        const uint64_t width = s.model.qk_nope_head_dim + s.model.qk_rope_head_dim;
        table.Add("queries", "B x T x a x d_k", {s.B, s.T, a, width});
        table.Add("keys", "B x T x a x d_k", {s.B, s.T, a, width});
        table.Add("values", "B x T x a x d_v", {s.B, s.T, a, s.model.v_head_dim});
        table.Add("scores", "B x a x T x T", {s.B, a, s.T, s.T});
        table.Add("weighted values", "B x T x a x d_v", {s.B, s.T, a, s.model.v_head_dim});
    }
    else
    {
        const uint64_t k = s.model.num_key_value_heads;
        const uint64_t w = s.model.head_dim;
        table.Add("queries", "B x T x a x d_h", {s.B, s.T, a, w});
        table.Add("keys", "B x T x k x d_h", {s.B, s.T, k, w});
        table.Add("values", "B x T x k x d_h", {s.B, s.T, k, w});
        table.Add("scores", "B x a x T x T", {s.B, a, s.T, s.T});
        table.Add("weighted values", "B x T x a x d_h", {s.B, s.T, a, w});
    }
    table.Add("output of attention", "B x T x d", {s.B, s.T, s.d});
}

void
TellMlp(ActivationTable& table, const Shape& s, bool experts)
{
    table.Add("normalised again", "B x T x d", {s.B, s.T, s.d});
    const std::string branches = s.model.gated_mlp ? "2 x " : "";
    const uint64_t count = s.model.gated_mlp ? 2 : 1;
    if (experts)
    {
        const uint64_t K = s.model.num_experts_per_tok;
        table.Add("scores of experts", "B x T x E", {s.B, s.T, s.model.num_experts});
        table.Add("tokens to experts", "B x T x K x d", {s.B, s.T, K, s.d});
        table.Add("inside the experts",
                  branches + "B x T x K x f_e",
                  {count, s.B, s.T, K, s.model.moe_intermediate_size});
        table.Add("tokens from experts", "B x T x K x d", {s.B, s.T, K, s.d});
    }
    else
    {
        table.Add("inside the MLP",
                  branches + "B x T x f",
                  s.model.gated_mlp
                      ? std::vector<uint64_t>{count, s.B, s.T, s.model.intermediate_size}
                      : std::vector<uint64_t>{s.B, s.T, s.model.intermediate_size});
    }
    table.Add("output", "B x T x d", {s.B, s.T, s.d});
}

void
TellLayer(ReportDocument& document, const Shape& s)
{
    ReportSection& section = document.AddSection("layer", "Through one layer");
    const ModelConfig& model = s.model;
    const uint64_t layer = model.num_hidden_layers - 1;
    const bool experts = model.IsMoeLayer(layer);
    section.Say("The model is a stack of L layers that all look alike. Each has two parts. In "
                "attention every token makes a query, a key and a value; the query of a token is "
                "compared with the keys of all tokens before it, and the values of those that fit "
                "are mixed into it: so tokens learn of each other. This happens in several heads "
                "side by side, each on its own slice of the numbers.");
    section.Say(experts ? "In the second part each token goes through a few of many experts, small "
                          "networks of their own; a router chooses which. It is done for every "
                          "token alone."
                        : "The second part, the MLP, is two steps of arithmetic for every token "
                          "alone: out to f numbers and back to d.");
    section.Add("layers", "L: layers", model.num_hidden_layers);
    section.Add("heads", "a: heads", model.num_attention_heads);
    if (!model.HasLatentAttention())
    {
        if (model.num_key_value_heads != model.num_attention_heads)
        {
            section.Add("key_value_heads",
                        "k: heads of keys and values",
                        model.num_key_value_heads,
                        "shared by several heads of queries");
        }
        section.Add("head_dim", "d_h: numbers per head", model.head_dim);
    }
    if (experts)
    {
        section.Add("experts", "E: experts", model.num_experts);
        section.Add("experts_per_token", "K: experts of a token", model.num_experts_per_tok);
        section.Add("expert_size", "f_e: width of an expert", model.moe_intermediate_size);
    }
    else
    {
        section.Add("intermediate_size", "f: width of the MLP", model.intermediate_size);
    }
    section.Say("What flows through it for the whole batch" +
                std::string(model.HasLatentAttention() ||
                                    model.num_key_value_heads != model.num_attention_heads
                                ? ":"
                                : " (k = a heads of keys and values):"));
    ActivationTable table(section, s.q);
    TellAttention(table, s);
    TellMlp(table, s, experts);
    section.Say(
        "The scores are the largest of all. Modern kernels (FlashAttention) make them piece by "
        "piece and never store them; no network ever sees them.");
    section.Say("And what the layer knows, its parameters, learned and the same for all tokens:");
    section.BeginTable(
        "parameters",
        {{"tensor", "tensor"}, {"shape", "shape"}, {"numbers", "numbers"}, {"bytes", "bytes"}});
    for (const auto& tensor : ListLayerTensors(model, layer))
    {
        std::vector<uint64_t> sizes{tensor.rows};
        if (tensor.columns > 1)
        {
            sizes.push_back(tensor.columns);
        }
        if (tensor.experts > 1)
        {
            sizes.insert(sizes.begin(), tensor.experts);
        }
        section.AddRow({tensor.name,
                        Product(sizes),
                        tensor.GetElements(),
                        ReportValue::Bytes(tensor.GetElements() * s.q)});
    }
    const uint64_t count = CountLayerParameters(model, layer);
    section.Add("layer_parameters", "parameters of this layer", count, "the sum");
}

void
TellModel(ReportDocument& document, const Shape& s)
{
    ReportSection& section = document.AddSection("model", "The whole model, and one step");
    const ModelConfig& model = s.model;
    section.Say(
        "Behind the last layer the output layer turns the d numbers of each token into V "
        "scores, one for each token that could come next. One step of training is: forward "
        "through all layers; compare with the right answers (the loss); backward through all "
        "layers, which finds for each parameter its gradient: which way to change it and how "
        "much; then the optimizer changes all parameters.");
    const uint64_t P = CountParameters(model);
    const uint64_t V = model.vocab_size;
    uint64_t layers = 0;
    for (uint64_t layer = 0; layer < model.num_hidden_layers; ++layer)
    {
        layers += CountLayerParameters(model, layer);
    }
    const uint64_t g = GetBytesPerElement(s.step.GetGradientType());
    section.Add("layers_parameters", "parameters of all layers", layers);
    section.Add("embedding_parameters",
                "of the embedding",
                V * s.d,
                "= V x d = " + Product({V, s.d}));
    section.Add("other_parameters",
                "others",
                P - layers - V * s.d,
                model.tie_word_embeddings
                    ? "positions, last norm; the output layer is the embedding again"
                    : "output layer, last norm");
    section.Add("parameter_count", "parameters, together", P);
    if (model.num_experts > 0)
    {
        section.Add("active_parameters",
                    "of them used by one token",
                    CountActiveParameters(model),
                    "the others belong to experts that it does not go to");
    }
    section.Add("parameter_bytes",
                "S_theta: parameters",
                ReportValue::Bytes(P * s.q),
                "= " + GroupDigits(P) + " x q");
    section.Add("gradient_bytes",
                "S_grad: gradients",
                ReportValue::Bytes(P * g),
                "= " + GroupDigits(P) + " x " + std::to_string(g) + " (" +
                    ToString(s.step.GetGradientType()) + ")");
    section.Add("optimizer_bytes",
                "optimizer",
                ReportValue::Bytes(P * 12),
                "= " + GroupDigits(P) + " x 12: Adam keeps 3 numbers of 4 B for each");
    const TrainingConfig& training = s.step.GetTraining();
    const ModelFlops flops(model, s.T, training.causal_attention_flops);
    const uint64_t forward = flops.GetForward();
    const double all = static_cast<double>(flops.GetTraining()) * static_cast<double>(s.B * s.T);
    section.Say("The work is counted in floating point operations (FLOP), nearly all of them in "
                "products of matrices; backward takes twice as much as forward.");
    section.Add("flops_per_token_forward",
                "FLOP of a token, forward",
                forward,
                "2 for each parameter in a matrix, and attention");
    section.Add("flops_per_step",
                "FLOP of the step",
                Operations(all),
                "= 3 x " + GroupDigits(forward) + " x B x T");
    const AcceleratorConfig& accelerator = s.step.GetAccelerator().GetConfig();
    const double rate = static_cast<double>(accelerator.flops_per_second);
    section.Add("peak_flops_per_second",
                accelerator.name + ": an accelerator",
                ReportValue::Real(rate * 1e-12, 1, "TFLOP/s"),
                "peak of its data sheet");
    section.Add("one_accelerator_step_ps",
                "the step on one of them",
                ReportValue::Duration(
                    static_cast<int64_t>(1e12 * all / (rate * accelerator.compute_efficiency))),
                "if it reaches " +
                    ReportValue::Real(100 * accelerator.compute_efficiency, 0, "% of it").Show());
}

} // namespace

void
TellTensors(ReportDocument& document,
            const JourneyText& text,
            const ModelConfig& model,
            const TrainingStep& step)
{
    const Shape shape{model,
                      step,
                      step.GetTraining().global_batch_size,
                      step.GetTraining().seq_length,
                      model.hidden_size,
                      GetBytesPerElement(step.GetParamsType())};
    TellEmbedding(document, text, shape);
    TellLayer(document, shape);
    TellModel(document, shape);
}

} // namespace llm
} // namespace ns3

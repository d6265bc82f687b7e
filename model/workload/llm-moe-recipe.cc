/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-moe-recipe.h"

#include "llm-expert-dispatch.h"
#include "llm-flex-dispatch.h"

#include "ns3/llm-config-error.h"

namespace ns3
{
namespace llm
{

namespace
{

/** Writes the recipes of one rank. */
class MoeRecipeMaker
{
  public:
    MoeRecipeMaker(const RecipeContext& context,
                   const ExpertDispatch& dispatch,
                   uint32_t expertRank);

    PartRecipes Make();

  private:
    enum class Backward
    {
        WHOLE,
        INPUT,
        WEIGHT
    };

    PartRecipe MakeForward();
    PartRecipe MakeBackward(Backward part);
    void ChainExperts(int64_t durationPs);
    void ChainShared();
    void ChainSharedBackward(Backward part);
    void ChainRoutedBackward(Backward part);
    static int64_t GetBackwardPs(const PassTimes& times, Backward part);

    const RecipeContext& m_context;   //!< shape
    const ExpertDispatch& m_dispatch; //!< communication
    uint32_t m_expertRank;            //!< coordinate on the EP axis
    bool m_overlaps;                  //!< shared experts beside dispatch
    PassTimes m_experts;              //!< of this rank
    bool m_hasShared;                 //!< there are shared experts
    RecipeWriter m_writer;            //!< of the recipe at hand
};

MoeRecipeMaker::MoeRecipeMaker(const RecipeContext& context,
                               const ExpertDispatch& dispatch,
                               uint32_t expertRank)
    : m_context(context),
      m_dispatch(dispatch),
      m_expertRank(expertRank),
      m_overlaps(context.training.moe_shared_expert_overlap),
      m_experts(context.times.GetExperts(dispatch.GetComputedSlots(expertRank))),
      m_hasShared(context.model.shared_expert_intermediate_size > 0)
{
}

PartRecipes
MoeRecipeMaker::Make()
{
    PartRecipes recipes;
    recipes.forward = MakeForward();
    recipes.backward = MakeBackward(Backward::WHOLE);
    recipes.backwardInput = MakeBackward(Backward::INPUT);
    recipes.backwardWeight = MakeBackward(Backward::WEIGHT);
    return recipes;
}

void
MoeRecipeMaker::ChainExperts(int64_t durationPs)
{
    // Also if no token has come: the programs of all ranks are equally long.
    RecipeStep step;
    step.durationPs = durationPs;
    m_writer.Chain(step);
}

void
MoeRecipeMaker::ChainShared()
{
    if (m_hasShared)
    {
        ChainSequenceGather(m_writer, m_context);
        m_writer.Compute(m_context.times.sharedExperts.forwardPs);
        ChainSequenceReduce(m_writer, m_context);
    }
}

PartRecipe
MoeRecipeMaker::MakeForward()
{
    if (!m_overlaps)
    {
        ChainShared();
    }
    m_writer.Compute(m_context.times.router.forwardPs);
    const RecipeEnd routed = m_writer.GetEnd();
    RecipeEnd shared;
    shared.atEntry = false;
    if (m_overlaps && m_hasShared)
    {
        ChainShared();
        shared = m_writer.GetEnd();
        m_writer.GoBack(routed);
    }
    m_dispatch.ChainCounts(m_writer);
    m_dispatch.ChainDispatch(m_writer, m_expertRank);
    ChainExperts(m_experts.forwardPs);
    m_dispatch.ChainCombine(m_writer, m_expertRank);
    m_writer.Join(shared);
    m_writer.Compute(m_context.times.combine.forwardPs);
    return m_writer.Take();
}

int64_t
MoeRecipeMaker::GetBackwardPs(const PassTimes& times, Backward part)
{
    switch (part)
    {
    case Backward::INPUT:
        return times.backwardInputPs;
    case Backward::WEIGHT:
        return times.backwardWeightPs;
    case Backward::WHOLE:
        break;
    }
    return times.GetBackwardPs();
}

void
MoeRecipeMaker::ChainSharedBackward(Backward part)
{
    if (!m_hasShared)
    {
        return;
    }
    if (part != Backward::WEIGHT)
    {
        ChainSequenceGather(m_writer, m_context); // the gradient of the output
    }
    if (part != Backward::INPUT)
    {
        ChainSequenceGather(m_writer, m_context); // the input
    }
    m_writer.Compute(GetBackwardPs(m_context.times.sharedExperts, part));
    if (part != Backward::WEIGHT)
    {
        ChainSequenceReduce(m_writer, m_context);
    }
}

void
MoeRecipeMaker::ChainRoutedBackward(Backward part)
{
    if (part != Backward::WEIGHT)
    {
        m_dispatch.ChainDispatch(m_writer, m_expertRank); // gradients of the outputs
    }
    ChainExperts(GetBackwardPs(m_experts, part));
    if (part != Backward::WEIGHT)
    {
        m_dispatch.ChainCombine(m_writer, m_expertRank); // gradients of the inputs
    }
}

PartRecipe
MoeRecipeMaker::MakeBackward(Backward part)
{
    m_writer.Compute(GetBackwardPs(m_context.times.combine, part));
    const RecipeEnd entry = m_writer.GetEnd();
    RecipeEnd shared;
    shared.atEntry = false;
    if (m_overlaps && m_hasShared)
    {
        ChainSharedBackward(part);
        shared = m_writer.GetEnd();
        m_writer.GoBack(entry);
    }
    ChainRoutedBackward(part);
    m_writer.Compute(GetBackwardPs(m_context.times.router, part));
    if (!m_overlaps)
    {
        ChainSharedBackward(part);
    }
    m_writer.Join(shared);
    return m_writer.Take();
}

} // namespace

MoeRecipes::MoeRecipes(const RecipeContext& context)
{
    if (context.model.num_experts == 0)
    {
        return;
    }
    const auto dispatch = ExpertDispatch::Make(context, m_exchanges);
    m_alike = dispatch->GetRouting().IsUniform();
    const ModelConfig& model = context.model;
    const uint64_t layers = m_alike ? 1 : model.num_hidden_layers + model.num_nextn_predict_layers;
    m_recipes.resize(layers);
    for (uint64_t layer = 0; layer < layers; ++layer)
    {
        if (!m_alike && !model.IsMoeLayer(layer))
        {
            continue;
        }
        dispatch->SetLayer(layer);
        const uint32_t variants = dispatch->IsEven() ? 1 : context.layout.GetSize(ParallelAxis::EP);
        for (uint32_t rank = 0; rank < variants; ++rank)
        {
            m_recipes[layer].push_back(MoeRecipeMaker(context, *dispatch, rank).Make());
        }
    }
}

const std::vector<PartRecipes>&
MoeRecipes::Get(uint64_t layer) const
{
    return m_recipes.at(m_alike ? 0 : layer);
}

namespace
{

/** The fields about experts of one config. */
class MoeCheck
{
  public:
    MoeCheck(const ModelConfig& model,
             const ParallelLayout& layout,
             const TrainingConfig& training,
             const std::string& source,
             const std::string& path)
        : m_model(model),
          m_layout(layout),
          m_training(training),
          m_source(source),
          m_path(path)
    {
    }

    void CheckNoExperts() const;
    void CheckNumbers() const;
    void CheckDispatcher() const;
    void CheckFlex() const;

  private:
    [[noreturn]] void Fail(const std::string& key, const std::string& message) const
    {
        throw ConfigError(m_source, m_path.empty() ? key : m_path + "." + key, message);
    }

    const ModelConfig& m_model;       //!< shape
    const ParallelLayout& m_layout;   //!< grid
    const TrainingConfig& m_training; //!< is checked
    const std::string& m_source;      //!< for errors
    const std::string& m_path;        //!< for errors
};

void
MoeCheck::CheckNoExperts() const
{
    const TrainingConfig defaults;
    const auto refuse = [this](const char* key, bool differs) {
        if (differs)
        {
            Fail(key, "is set, but the model has no experts (num_experts 0)");
        }
    };
    refuse("moe_token_dispatcher_type",
           m_training.moe_token_dispatcher_type != defaults.moe_token_dispatcher_type);
    refuse("moe_ranks_per_node", m_training.moe_ranks_per_node != defaults.moe_ranks_per_node);
    refuse("moe_dispatch_dtype", !m_training.moe_dispatch_dtype.empty());
    refuse("moe_expert_capacity_factor", m_training.moe_expert_capacity_factor != 0);
    refuse("moe_pad_expert_input_to_capacity", m_training.moe_pad_expert_input_to_capacity);
    refuse("moe_expert_skew", m_training.moe_expert_skew != 0);
    refuse("moe_shared_expert_overlap", m_training.moe_shared_expert_overlap);
}

void
MoeCheck::CheckNumbers() const
{
    constexpr double mostSkew = 8;
    constexpr double mostFactor = 1024;
    const double skew = m_training.moe_expert_skew;
    if (!(skew >= 0 && skew <= mostSkew))
    {
        Fail("moe_expert_skew", "must be between 0 and 8, is " + std::to_string(skew));
    }
    const double factor = m_training.moe_expert_capacity_factor;
    if (!(factor >= 0 && factor <= mostFactor))
    {
        Fail("moe_expert_capacity_factor",
             "must be between 0 (no limit) and 1024, is " + std::to_string(factor));
    }
    if (m_training.moe_pad_expert_input_to_capacity && factor == 0)
    {
        Fail("moe_pad_expert_input_to_capacity",
             "needs moe_expert_capacity_factor above 0, which is 0");
    }
    if (m_training.moe_shared_expert_overlap && m_model.shared_expert_intermediate_size == 0)
    {
        Fail("moe_shared_expert_overlap",
             "is true, but the model has no shared experts (shared_expert_intermediate_size 0)");
    }
}

void
MoeCheck::CheckDispatcher() const
{
    const std::string& type = m_training.moe_token_dispatcher_type;
    if (type != "alltoall" && type != "allgather" && type != "flex")
    {
        Fail("moe_token_dispatcher_type",
             "unknown type '" + type + "'; known: alltoall, allgather, flex");
    }
    const std::string& dtype = m_training.moe_dispatch_dtype;
    if (!dtype.empty() && dtype != "fp8")
    {
        Fail("moe_dispatch_dtype",
             "unknown type '" + dtype + "'; known: fp8, or empty for params_dtype");
    }
    if (dtype == "fp8" && type == "allgather")
    {
        Fail("moe_dispatch_dtype",
             "fp8 needs moe_token_dispatcher_type alltoall or flex, which is allgather");
    }
    if (type == "flex")
    {
        CheckFlex();
    }
}

void
MoeCheck::CheckFlex() const
{
    const char* const key = "moe_token_dispatcher_type";
    const uint32_t et = m_layout.GetSize(ParallelAxis::ETP);
    if (et != 1)
    {
        Fail(key, "flex needs expert_tensor_parallel_size 1, which is " + std::to_string(et));
    }
    if (m_training.moe_pad_expert_input_to_capacity)
    {
        Fail(key, "flex does not pad; moe_pad_expert_input_to_capacity is true");
    }
    const uint32_t size = m_training.moe_ranks_per_node;
    if (size == 0)
    {
        Fail("moe_ranks_per_node", "must be given for flex: neighbouring ranks that share a node");
    }
    const uint32_t members = FlexDispatch::CountMembersPerNode(m_layout, size);
    const uint32_t e = m_layout.GetSize(ParallelAxis::EP);
    if (members == 0 || e % members != 0)
    {
        Fail("moe_ranks_per_node",
             "nodes of " + std::to_string(size) + " ranks do not hold equally many of the " +
                 std::to_string(e) + " ranks of an expert-parallel group");
    }
    const uint64_t group = m_model.num_experts / m_model.n_group;
    for (const uint64_t part : {m_model.num_experts / e, m_model.num_experts / e * members})
    {
        if (m_model.topk_group < m_model.n_group && part % group != 0 && group % part != 0)
        {
            Fail(key,
                 "flex needs routing groups that hold whole ranks and nodes, or the reverse: " +
                     std::to_string(group) + " experts in a group (num_experts / n_group), " +
                     std::to_string(part) + " on a rank or a node");
        }
    }
}

} // namespace

void
MoeRecipes::Check(const ModelConfig& model,
                  const ParallelLayout& layout,
                  const TrainingConfig& training,
                  const std::string& source,
                  const std::string& path)
{
    const MoeCheck check(model, layout, training, source, path);
    if (model.num_experts == 0)
    {
        check.CheckNoExperts();
        return;
    }
    check.CheckNumbers();
    check.CheckDispatcher();
}

} // namespace llm
} // namespace ns3

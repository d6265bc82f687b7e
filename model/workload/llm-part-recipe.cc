/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-part-recipe.h"

#include <utility>

namespace ns3
{
namespace llm
{

RecipeStep
RecipeWriter::WithDependencies(RecipeStep step) const
{
    step.afterEntry = m_end.atEntry;
    step.after = m_end.steps;
    return step;
}

uint32_t
RecipeWriter::Chain(RecipeStep step)
{
    const uint32_t number = Beside(std::move(step));
    m_end = {{number}, false};
    return number;
}

uint32_t
RecipeWriter::Beside(RecipeStep step)
{
    const auto number = static_cast<uint32_t>(m_recipe.steps.size());
    m_recipe.steps.push_back(WithDependencies(std::move(step)));
    return number;
}

void
RecipeWriter::Join(uint32_t step)
{
    m_end.steps.push_back(step);
}

void
RecipeWriter::Compute(int64_t durationPs)
{
    if (durationPs > 0)
    {
        RecipeStep step;
        step.durationPs = durationPs;
        Chain(std::move(step));
    }
}

const RecipeEnd&
RecipeWriter::GetEnd() const
{
    return m_end;
}

void
RecipeWriter::GoBack(const RecipeEnd& end)
{
    m_end = end;
}

void
RecipeWriter::Join(const RecipeEnd& end)
{
    m_end.steps.insert(m_end.steps.end(), end.steps.begin(), end.steps.end());
    m_end.atEntry |= end.atEntry;
}

void
RecipeWriter::Append(const PartRecipe& recipe)
{
    const RecipeEnd entry = m_end;
    const auto before = static_cast<uint32_t>(m_recipe.steps.size());
    for (RecipeStep step : recipe.steps)
    {
        for (auto& earlier : step.after)
        {
            earlier += before;
        }
        if (step.afterEntry)
        {
            step.afterEntry = entry.atEntry;
            step.after.insert(step.after.end(), entry.steps.begin(), entry.steps.end());
        }
        m_recipe.steps.push_back(std::move(step));
    }
    if (!recipe.exits.empty())
    {
        m_end = RecipeEnd{{}, false};
        for (const uint32_t exit : recipe.exits)
        {
            m_end.steps.push_back(before + exit);
        }
    }
}

PartRecipe
RecipeWriter::Take()
{
    m_recipe.exits = m_end.steps;
    PartRecipe recipe = std::move(m_recipe);
    *this = RecipeWriter();
    return recipe;
}

} // namespace llm
} // namespace ns3

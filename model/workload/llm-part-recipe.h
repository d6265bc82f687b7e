/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_PART_RECIPE_H
#define LLM_PART_RECIPE_H

#include "llm-step-program.h"

#include <cstdint>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * One step of a PartRecipe: an Operation that is the same for every rank, microbatch and layer that
 * runs the recipe, but for the numbers of group and peer.
 */
struct RecipeStep
{
    OperationKind kind{OperationKind::COMPUTE};             //!< what
    OperationStream stream{OperationStream::COMPUTE};       //!< where it queues
    ParallelDimension dimension{ParallelDimension::TENSOR}; //!< communication: what for
    /** Communication: kind of group, see ParallelLayout. Steps over groups of one rank are left out
     *  by whoever makes the recipe. */
    const char* group{nullptr};
    int32_t peerOffset{0};                  //!< SEND, RECV: group ranks away, cyclic
    uint64_t bytes{0};                      //!< communication: as Operation::bytes
    int64_t durationPs{0};                  //!< COMPUTE: picoseconds
    const ExchangeBytes* exchange{nullptr}; //!< as Operation::exchange
    bool afterEntry{false};                 //!< waits for the exits of the part before
    std::vector<uint32_t> after;            //!< waits for these earlier steps of the recipe
};

/**
 * @ingroup llm-training
 *
 * What every rank does in one part of the model (say, attention of a layer, forward): compute and
 * communication with their dependencies. Recipes are made once per TrainingStep and written out as
 * operations by its programs, part after part.
 */
struct PartRecipe
{
    std::vector<RecipeStep> steps; //!< in program order
    /** Steps that the part after waits for. A recipe without exits lets its entry through. */
    std::vector<uint32_t> exits;
};

/** The end of a chain of steps: what the next one waits for. */
struct RecipeEnd
{
    std::vector<uint32_t> steps; //!< these
    bool atEntry{true};          //!< and the entry
};

/**
 * @ingroup llm-training
 *
 * Writes recipes in which most steps wait for the one before.
 *
 * Chain() and Collective() append a step that waits for the current end, and make it the end.
 * Beside() appends one that waits for the current end, too, but leaves the end where it is: the
 * steps after run beside it until Join() adds it to the end.
 */
class RecipeWriter
{
  public:
    /** @param step its afterEntry and after are filled in. @return its number. */
    uint32_t Chain(RecipeStep step);
    /** @param step the same. @return its number, for Join. */
    uint32_t Beside(RecipeStep step);
    /** @param step number that the next one waits for as well. */
    void Join(uint32_t step);
    /** Chain a compute step; nothing if it takes no time. @param durationPs picoseconds. */
    void Compute(int64_t durationPs);
    /** @return the current end. */
    const RecipeEnd& GetEnd() const;
    /** @param end an earlier one: the next step waits for that alone. */
    void GoBack(const RecipeEnd& end);
    /** @param end of a chain that the next step waits for as well. */
    void Join(const RecipeEnd& end);
    /** @param recipe its steps follow, those after its entry waiting for the current end; its exits
     *  become the end. */
    void Append(const PartRecipe& recipe);
    /** @return the recipe: its exits are the current end. */
    PartRecipe Take();

  private:
    RecipeStep WithDependencies(RecipeStep step) const;

    PartRecipe m_recipe; //!< so far
    RecipeEnd m_end;     //!< what the next step waits for
};

/**
 * @ingroup llm-training
 *
 * The recipes of one part. backward is all of backward; schedules that split it use the two halves:
 * backwardInput makes the gradient of the part's input (B), backwardWeight that of its weights (W),
 * which nobody but the optimizer waits for.
 */
struct PartRecipes
{
    PartRecipe forward;        //!< F
    PartRecipe backward;       //!< B and W
    PartRecipe backwardInput;  //!< B
    PartRecipe backwardWeight; //!< W
};

} // namespace llm
} // namespace ns3

#endif // LLM_PART_RECIPE_H

/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-compute-jitter.h"

#include "ns3/llm-philox.h"

#include <algorithm>
#include <limits>

namespace ns3
{
namespace llm
{

namespace
{

/** A program whose compute operations take what ComputeJitter says. */
class UnevenProgram : public StepProgram
{
  public:
    UnevenProgram(std::unique_ptr<StepProgram> program,
                  const ComputeJitter& jitter,
                  uint32_t rank,
                  uint32_t iteration)
        : m_program(std::move(program)),
          m_jitter(jitter),
          m_rank(rank),
          m_iteration(iteration)
    {
    }

    bool Next(Operation& operation) override
    {
        if (!m_program->Next(operation))
        {
            return false;
        }
        if (operation.kind == OperationKind::COMPUTE)
        {
            operation.durationPs =
                m_jitter.Apply(operation.durationPs, m_rank, m_iteration, operation.id);
        }
        return true;
    }

  private:
    std::unique_ptr<StepProgram> m_program;
    ComputeJitter m_jitter;
    uint32_t m_rank;
    uint32_t m_iteration;
};

} // namespace

ComputeJitter::ComputeJitter(const AcceleratorConfig& config)
    : m_jitter(config.compute_jitter),
      m_seed(config.jitter_seed),
      m_slowdown(config.straggler_slowdown),
      m_stragglers(config.straggler_ranks)
{
    std::sort(m_stragglers.begin(), m_stragglers.end());
}

bool
ComputeJitter::IsActive() const
{
    return m_jitter > 0 || !m_stragglers.empty();
}

int64_t
ComputeJitter::Apply(int64_t durationPs,
                     uint32_t rank,
                     uint32_t iteration,
                     uint64_t operation) const
{
    constexpr double steps = 4294967296.0; // of a 32-bit number
    double factor = 1;
    if (m_jitter > 0)
    {
        const uint64_t object = (static_cast<uint64_t>(iteration) << 32) | rank;
        const uint32_t number = Philox(m_seed)(operation, object)[0];
        factor += m_jitter * (2 * (static_cast<double>(number) + 0.5) / steps - 1);
    }
    if (std::binary_search(m_stragglers.begin(), m_stragglers.end(), rank))
    {
        factor *= m_slowdown;
    }
    const double taken = static_cast<double>(durationPs) * factor + 0.5;
    constexpr auto longest = std::numeric_limits<int64_t>::max() / 2;
    return taken < static_cast<double>(longest) ? static_cast<int64_t>(taken) : longest;
}

std::unique_ptr<StepProgram>
ComputeJitter::Wrap(std::unique_ptr<StepProgram> program, uint32_t rank, uint32_t iteration) const
{
    if (!IsActive())
    {
        return program;
    }
    return std::make_unique<UnevenProgram>(std::move(program), *this, rank, iteration);
}

} // namespace llm
} // namespace ns3

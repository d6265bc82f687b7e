/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-progress-line.h"

#include "ns3/llm-units.h"
#include "ns3/simulator.h"

#include <algorithm>
#include <cstdio>
#include <utility>

namespace ns3
{
namespace llm
{

namespace
{
constexpr double SHOW_EVERY = 0.25; //!< seconds between lines
constexpr double LOOK_EVERY = 0.05; //!< seconds between looks that are aimed at
} // namespace

ProgressLine::ProgressLine(std::vector<Ptr<TrainingJob>> jobs,
                           Ptr<Fabric> fabric,
                           uint64_t payload,
                           std::ostream& out)
    : m_jobs(std::move(jobs)),
      m_fabric(fabric),
      m_payload(payload),
      m_out(out),
      m_interval(MicroSeconds(1))
{
}

ProgressLine::~ProgressLine()
{
    Finish();
}

void
ProgressLine::Start()
{
    m_started = m_shown = m_looked = Clock::now();
    m_event = Simulator::Schedule(m_interval, &ProgressLine::Tick, this);
}

void
ProgressLine::Finish()
{
    m_event.Cancel();
    if (m_visible)
    {
        m_out << "\r\033[K" << std::flush;
        m_visible = false;
    }
}

void
ProgressLine::Tick()
{
    const auto now = Clock::now();
    const double looked = std::chrono::duration<double>(now - m_looked).count();
    if (looked < LOOK_EVERY / 2)
    {
        m_interval = m_interval + m_interval;
    }
    else if (looked > LOOK_EVERY * 2 && m_interval > MicroSeconds(1))
    {
        m_interval = TimeStep(m_interval.GetTimeStep() / 2);
    }
    m_looked = now;
    if (std::chrono::duration<double>(now - m_shown).count() >= SHOW_EVERY)
    {
        Show(now);
    }
    if (std::any_of(m_jobs.begin(), m_jobs.end(), [](const Ptr<TrainingJob>& job) {
            return job->GetState() == TrainingJob::State::WAITING ||
                   job->GetState() == TrainingJob::State::RUNNING;
        }))
    {
        m_event = Simulator::Schedule(m_interval, &ProgressLine::Tick, this);
    }
}

void
ProgressLine::Show(Clock::time_point now)
{
    const double elapsed = std::chrono::duration<double>(now - m_started).count();
    const double since = std::chrono::duration<double>(now - m_shown).count();
    const FabricTotals totals = m_fabric->GetTotals();
    const uint64_t hops = totals.packetHops;
    double done = 0;
    for (const auto& job : m_jobs)
    {
        done += job->GetProgress() / static_cast<double>(m_jobs.size());
    }
    // Packets take the wall time, not operations.
    const double moved = m_payload > 0 ? static_cast<double>(totals.hosts.rxDataPayload) /
                                             static_cast<double>(m_payload)
                                       : done;
    char text[120];
    std::snprintf(text,
                  sizeof(text),
                  "%5.1f %%  simulated %s  %.2f M packet-hops/s  ",
                  100 * done,
                  FormatDurationRounded(Simulator::Now().GetPicoSeconds()).c_str(),
                  static_cast<double>(hops - m_hopsShown) / since * 1e-6);
    m_out << "\r" << text;
    if (moved > 0.01 && moved <= 1)
    {
        std::snprintf(text, sizeof(text), "%.0f s left", elapsed * (1 - moved) / moved);
        m_out << text;
    }
    m_out << "\033[K" << std::flush;
    m_visible = true;
    m_shown = now;
    m_hopsShown = hops;
}

} // namespace llm
} // namespace ns3

/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_SCENARIO_JOBS_H
#define LLM_SCENARIO_JOBS_H

#include "llm-scenario.h"

#include "ns3/llm-config-error.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @param scenario as read.
 * @return a scenario for each of its jobs: the whole without lists, where the element of jobs says
 *         nothing else. Without jobs, the scenario itself; none if its list of jobs is given and
 *         empty.
 * @throw ConfigError if a name cannot be used or stands there twice, or a job among several does
 *        not say how many ranks it has.
 */
std::vector<Scenario> MakeJobScenarios(const Scenario& scenario);

/**
 * @param job scenario of one job.
 * @return its placement policy; list where it lists endpoints.
 * @throw ConfigError if list and policy contradict each other.
 */
std::string GetPlacementPolicy(const Scenario& job);

/** @param scenario as read. @return true if it has a list of jobs. */
bool HasSeveralJobs(const Scenario& scenario);

/**
 * For programs that look at one job without a network to place it on.
 * @param scenario as read.
 * @return the same.
 * @throw ConfigError if it has a list of jobs, or its placement is known only when a network stands
 *        and matters to them.
 */
const Scenario& RequireOneJob(const Scenario& scenario);

/**
 * Do something for one job: errors of a scenario with one job get the path of the element of jobs.
 * @param scenario of the whole.
 * @param job index.
 * @param action what to do.
 * @throw ConfigError of the action.
 */
template <typename F>
void
WithJob(const Scenario& scenario, std::size_t job, F action)
{
    try
    {
        action();
    }
    catch (const ConfigError& error)
    {
        if (!HasSeveralJobs(scenario) || error.GetSource() != scenario.source)
        {
            throw;
        }
        const std::string& path = error.GetPath();
        throw ConfigError(error.GetSource(),
                          "jobs[" + std::to_string(job) + "]" + (path.empty() ? "" : "." + path),
                          error.GetMessage());
    }
}

} // namespace llm
} // namespace ns3

#endif // LLM_SCENARIO_JOBS_H

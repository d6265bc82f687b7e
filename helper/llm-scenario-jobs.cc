/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-scenario-jobs.h"

#include "llm-scenario-field-tables.h"

#include <set>
#include <variant>

namespace ns3
{
namespace llm
{

namespace
{

/** Copies the value of a field. */
struct CopySlot
{
    ScenarioSlot to; //!< where it goes

    template <typename T>
    void operator()(T* from) const
    {
        *std::get<T*>(to) = *from;
    }

    void operator()(ScenarioListSlot) const
    {
        // No field of a job is a list of objects.
    }
};

/** @throw ConfigError if a name cannot stand in a file. */
void
CheckName(const Scenario& scenario, const std::string& name, const std::string& path)
{
    const auto bad = name.find_first_not_of("abcdefghijklmnopqrstuvwxyz"
                                            "ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.");
    if (name.empty() || bad != std::string::npos)
    {
        throw ConfigError(scenario.source,
                          path,
                          "'" + name + "' must be letters, digits, '-', '_' and '.'");
    }
}

/** @throw ConfigError if nobody can know how many ranks a job has. */
void
CheckRanks(const Scenario& job, const std::string& path)
{
    if (job.workload.format == "model" && job.cluster.accelerators == 0 &&
        job.parallelism.data_parallel_size == 0)
    {
        throw ConfigError(job.source,
                          path,
                          "needs cluster.accelerators or parallelism.data_parallel_size: several "
                          "jobs share the fabric, so none has all of it");
    }
}

/** @return the scenario of one job. */
Scenario
MakeJob(const Scenario& scenario, std::size_t index)
{
    Scenario element = scenario.jobs[index]; // slots are places to write to
    Scenario job = scenario;
    job.jobs.clear();
    job.background.clear();
    job.incasts.clear();
    job.tcp.clear();
    job.udp.clear();
    job.events.clear();
    job.job = static_cast<uint32_t>(index);
    for (const ScenarioField& field : GetJobFields())
    {
        if (element.given.count(field.path) > 0)
        {
            std::visit(CopySlot{field.slot(&job)}, field.slot(&element));
            job.given.insert(field.path);
        }
    }
    if (element.given.count("workload.format") > 0 && job.workload.format != "model")
    {
        // It brings its own; what the others have does not contradict it.
        for (auto path = job.given.begin(); path != job.given.end();)
        {
            const bool others = path->compare(0, 6, "model.") == 0 ||
                                path->compare(0, 12, "parallelism.") == 0 ||
                                path->compare(0, 9, "training.") == 0;
            path =
                others && element.given.count(*path) == 0 ? job.given.erase(path) : std::next(path);
        }
    }
    if (element.given.count("cluster.placement_policy") > 0 &&
        element.given.count("cluster.placement") == 0)
    {
        job.cluster.placement.clear();
    }
    return job;
}

} // namespace

const Scenario&
RequireOneJob(const Scenario& scenario)
{
    if (HasSeveralJobs(scenario))
    {
        throw ConfigError(scenario.source,
                          "jobs",
                          "lists " + std::to_string(scenario.jobs.size()) +
                              " jobs; only llm-training-sim, without an export, takes a list");
    }
    const std::string policy = GetPlacementPolicy(scenario);
    if (scenario.cluster.accelerators_per_server > 1 && policy != "packed" && policy != "list")
    {
        throw ConfigError(scenario.source,
                          "cluster.placement_policy",
                          "is " + policy +
                              ", which is known only when a network stands; list the endpoints in "
                              "cluster.placement");
    }
    return scenario;
}

std::string
GetPlacementPolicy(const Scenario& job)
{
    const std::string& policy = job.cluster.placement_policy;
    const bool lists = !job.cluster.placement.empty();
    if (lists && policy != "list" && job.given.count("cluster.placement_policy") > 0)
    {
        throw ConfigError(job.source,
                          "cluster.placement",
                          "lists endpoints, but cluster.placement_policy is " + policy +
                              "; leave one of them out");
    }
    if (!lists && policy == "list")
    {
        throw ConfigError(job.source,
                          "cluster.placement",
                          "is empty, but cluster.placement_policy is list");
    }
    return lists ? "list" : policy;
}

bool
HasSeveralJobs(const Scenario& scenario)
{
    return scenario.given.count("jobs") > 0;
}

std::vector<Scenario>
MakeJobScenarios(const Scenario& scenario)
{
    if (!HasSeveralJobs(scenario))
    {
        return {scenario};
    }
    std::vector<Scenario> jobs;
    std::set<std::string> names;
    for (std::size_t i = 0; i < scenario.jobs.size(); ++i)
    {
        const std::string path = "jobs[" + std::to_string(i) + "]";
        jobs.push_back(MakeJob(scenario, i));
        CheckName(scenario, jobs.back().name, path + ".name");
        CheckRanks(jobs.back(), path);
        if (!names.insert(jobs.back().name).second)
        {
            throw ConfigError(scenario.source,
                              path + ".name",
                              "'" + jobs.back().name + "' is the name of another job");
        }
    }
    return jobs;
}

} // namespace llm
} // namespace ns3

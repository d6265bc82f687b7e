/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// Jobs beside jobs, and beside other traffic, on one fabric.

#include "llm-training-error-of.h"

#include "ns3/boolean.h"
#include "ns3/llm-scenario-jobs.h"
#include "ns3/llm-scenario-reader.h"
#include "ns3/llm-simulation.h"
#include "ns3/llm-training-compat.h"
#include "ns3/llm-training-helper.h"
#include "ns3/names.h"
#include "ns3/simulator.h"
#include "ns3/single-switch-topology.h"
#include "ns3/test.h"
#include "ns3/uinteger.h"

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>
#include <string>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

using llmtest::ErrorOf;

using Overrides = std::vector<std::string>;

/** Two jobs of 16 ranks, interleaved under the same leaves, 2:1 oversubscribed. */
const char* const TWO_JOBS = R"({
    "model": {"config": {"model_type": "gpt2", "n_embd": 256, "n_layer": 2, "n_head": 4,
                         "vocab_size": 4096, "n_positions": 64, "n_inner": 1024}},
    "parallelism": {"data_parallel_size": 16},
    "training": {"seq_length": 64},
    "accelerator": {"fixed_layer_forward": "10us"},
    "cluster": {"accelerators_per_server": 1},
    "iterations": 2,
    "jobs": [
        {"name": "even", "cluster": {"placement": [0, 8, 16, 24, 2, 10, 18, 26,
                                                   4, 12, 20, 28, 6, 14, 22, 30]}},
        {"name": "odd", "start_time": "70us",
         "cluster": {"placement": [1, 9, 17, 25, 3, 11, 19, 27, 5, 13, 21, 29, 7, 15, 23, 31]}}],
    "fabric": {"leaves": 4, "spines": 4, "hosts_per_leaf": 8, "host_rate": "100Gbps",
               "uplink_rate": "100Gbps"},
    "output": {"folder": ""}})";

/** One job of 4 ranks on 8 hosts. */
const char* const ONE_JOB = R"({
    "model": {"config": {"model_type": "gpt2", "n_embd": 256, "n_layer": 2, "n_head": 4,
                         "vocab_size": 4096, "n_positions": 64, "n_inner": 1024}},
    "parallelism": {"data_parallel_size": 4},
    "training": {"seq_length": 64},
    "accelerator": {"fixed_layer_forward": "10us"},
    "cluster": {"accelerators_per_server": 1},
    "fabric": {"leaves": 2, "spines": 2, "hosts_per_leaf": 4, "host_rate": "100Gbps",
               "uplink_rate": "100Gbps"},
    "output": {"folder": ""}})";

/** @return a scenario of text and overrides. */
Scenario
Read(const std::string& text, const Overrides& overrides = {})
{
    return ScenarioReader::ParseText(text, "s.json", overrides);
}

/** @return what is wrong with a report: failures, books; empty if nothing is. */
std::string
WrongWith(const RunReport& report)
{
    std::string why;
    for (const auto& line : report.failure)
    {
        why += line + "; ";
    }
    for (const auto& entry : report.books.GetEntries())
    {
        why += entry.IsBalanced() ? "" : entry.Describe() + "; ";
    }
    return why;
}

/** @return the report of a run. */
RunReport
Simulate(const Scenario& scenario)
{
    Simulation simulation(scenario);
    simulation.Run();
    return simulation.GetReport();
}

/** @return sum of the iteration times, ticks. */
int64_t
SumOfIterations(const JobReport& job)
{
    int64_t sum = 0;
    for (const auto& iteration : job.iterations)
    {
        sum += iteration.duration;
    }
    return sum;
}

/** @return the report on traffic of that kind. */
const TrafficReport&
TrafficOf(const RunReport& report, const std::string& kind)
{
    for (const auto& traffic : report.traffic)
    {
        if (traffic.kind == kind)
        {
            return traffic;
        }
    }
    static const TrafficReport none;
    return none;
}

/** Jobs alone, together, and with TCP. */
class TwoJobsShareAFabric : public TestCase
{
  public:
    TwoJobsShareAFabric()
        : TestCase("two jobs of 16 ranks on a 2:1 leaf-spine: results per job, the offset kept, "
                   "shared is not faster than alone; with TCP both finish and its goodput is told")
    {
    }

  private:
    /** @return the report of one of the jobs alone. */
    RunReport RunAlone(uint32_t job)
    {
        Scenario scenario = Read(TWO_JOBS);
        scenario.jobs.erase(scenario.jobs.begin() + (job == 0 ? 1 : 0));
        return Simulate(scenario);
    }

    void DoRun() override
    {
        const RunReport even = RunAlone(0);
        const RunReport odd = RunAlone(1);
        NS_TEST_ASSERT_MSG_EQ(WrongWith(even), "", "one alone");
        NS_TEST_ASSERT_MSG_EQ(WrongWith(odd), "", "the other alone");
        const RunReport both = Simulate(Read(TWO_JOBS));
        NS_TEST_ASSERT_MSG_EQ(WrongWith(both), "", "both");
        NS_TEST_ASSERT_MSG_EQ(both.jobs.size(), 2, "a report each");
        const JobReport& first = both.jobs[0];
        const JobReport& second = both.jobs[1];
        NS_TEST_EXPECT_MSG_EQ(first.name, "even", "in order");
        NS_TEST_EXPECT_MSG_EQ(first.start, 0, "starts at once");
        NS_TEST_EXPECT_MSG_EQ(TimeStep(second.start), MicroSeconds(70), "starts later");
        NS_TEST_EXPECT_MSG_EQ(TimeStep(odd.jobs[0].start), MicroSeconds(70), "alone, too");
        NS_TEST_EXPECT_MSG_EQ(first.iterations.size(), 2, "iterations");
        NS_TEST_EXPECT_MSG_EQ(second.iterations.size(), 2, "iterations");
        NS_TEST_EXPECT_MSG_EQ(first.network.bytesDelivered,
                              even.jobs[0].network.bytesDelivered,
                              "the same bytes");
        NS_TEST_EXPECT_MSG_EQ(both.network.bytesDelivered,
                              first.network.bytesDelivered + second.network.bytesDelivered,
                              "together");
        NS_TEST_EXPECT_MSG_EQ(both.flows.count, first.flows.count + second.flows.count, "flows");
        NS_TEST_EXPECT_MSG_GT_OR_EQ(SumOfIterations(first),
                                    SumOfIterations(even.jobs[0]),
                                    "sharing makes nothing faster");
        NS_TEST_EXPECT_MSG_GT_OR_EQ(SumOfIterations(second),
                                    SumOfIterations(odd.jobs[0]),
                                    "sharing makes nothing faster");
        NS_TEST_EXPECT_MSG_GT(SumOfIterations(first) + SumOfIterations(second),
                              SumOfIterations(even.jobs[0]) + SumOfIterations(odd.jobs[0]),
                              "they meet at the spines");
        NS_TEST_EXPECT_MSG_GT(first.rankClasses[0].exposed, 0, "exposed communication");
        NS_TEST_EXPECT_MSG_GT(first.mfu, 0, "utilisation");

        const RunReport company = Simulate(
            Read(TWO_JOBS,
                 {R"(tcp=[{"name": "copy", "from": ["host0", "host9"], "to": ["host31", "host22"],
                      "bytes": "500kB"}])"}));
        NS_TEST_ASSERT_MSG_EQ(WrongWith(company), "", "with TCP");
        NS_TEST_EXPECT_MSG_EQ(company.jobs[0].complete && company.jobs[1].complete, true, "both");
        const TrafficReport& tcp = TrafficOf(company, "tcp");
        NS_TEST_EXPECT_MSG_EQ(tcp.name, "copy", "TCP is told of");
        NS_TEST_EXPECT_MSG_GT(tcp.bytesReceived, 100000, "TCP gets through");
        NS_TEST_EXPECT_MSG_GT(tcp.goodput, 1e8, "goodput");
        NS_TEST_EXPECT_MSG_GT_OR_EQ(SumOfIterations(company.jobs[0]) +
                                        SumOfIterations(company.jobs[1]),
                                    SumOfIterations(even.jobs[0]) + SumOfIterations(odd.jobs[0]),
                                    "TCP makes nothing faster");
        NS_TEST_EXPECT_MSG_NE(FormatRunReport(company).find("copy, 2 senders, class 1: "),
                              std::string::npos,
                              FormatRunReport(company));
        NS_TEST_EXPECT_MSG_NE(FormatRunSummary(company).find("\"goodput_bits_per_s\": "),
                              std::string::npos,
                              "summary");
    }
};

/** What is printed and written. */
class ResultsArePerJob : public TestCase
{
  public:
    ResultsArePerJob()
        : TestCase("report, summary and files tell jobs apart, the same bytes each time; the "
                   "report keeps to 80 columns")
    {
    }

  private:
    /** @return first lines of the files, and the summary. */
    std::vector<std::string> Write(const std::string& folder)
    {
        Simulation simulation(
            Read(TWO_JOBS, {"output.folder=" + folder, R"(background=[{"load": 0.05}])"}));
        simulation.Run();
        NS_TEST_EXPECT_MSG_EQ(WrongWith(simulation.GetReport()), "", "runs");
        m_text = FormatRunReport(simulation.GetReport());
        std::vector<std::string> texts;
        for (const char* name : {"flows.csv", "collectives.csv", "summary.json"})
        {
            std::ifstream file(folder + "/" + name, std::ios::binary);
            texts.emplace_back(std::istreambuf_iterator<char>(file),
                               std::istreambuf_iterator<char>());
        }
        return texts;
    }

    void DoRun() override
    {
        const std::vector<std::string> one = Write(CreateTempDirFilename("one"));
        const std::vector<std::string> two = Write(CreateTempDirFilename("two"));
        NS_TEST_EXPECT_MSG_EQ((one == two), true, "the same each time");
        NS_TEST_EXPECT_MSG_EQ(one[0].substr(0, 13), "job,start_us,", "flows");
        NS_TEST_EXPECT_MSG_EQ(one[1].substr(0, 13), "job,start_us,", "collectives");
        for (const char* name : {"\neven,", "\nodd,"})
        {
            NS_TEST_EXPECT_MSG_NE(one[0].find(name), std::string::npos, name);
            NS_TEST_EXPECT_MSG_NE(one[1].find(name), std::string::npos, name);
        }
        NS_TEST_EXPECT_MSG_NE(one[0].find("\nbackground[0],"), std::string::npos, "flows of it");
        const auto json = nlohmann::json::parse(one[2]);
        NS_TEST_EXPECT_MSG_EQ(json["jobs"].size(), 2, "jobs");
        NS_TEST_EXPECT_MSG_EQ(json["jobs"][1]["name"], "odd", "name");
        NS_TEST_EXPECT_MSG_EQ(json["jobs"][1]["start_ps"], 70000000, "start");
        NS_TEST_EXPECT_MSG_EQ(json["jobs"][0]["iterations"].size(), 2, "iterations");
        NS_TEST_EXPECT_MSG_EQ(json["scenario"]["jobs"][1]["start_time"], "70us", "scenario");
        NS_TEST_EXPECT_MSG_EQ(json["traffic_beside_the_jobs"].size(), 1, "traffic");
        for (const char* part : {"\nJob even\n", "\nJob odd\n", "from 70 us to "})
        {
            NS_TEST_EXPECT_MSG_NE(m_text.find(part), std::string::npos, m_text);
        }
        std::istringstream lines(m_text);
        std::string line;
        while (std::getline(lines, line))
        {
            NS_TEST_EXPECT_MSG_LT_OR_EQ(line.size(), 80, line);
        }
    }

    std::string m_text; //!< report
};

/** One fails. */
class AFailedJobIsToldOthersGoOn : public TestCase
{
  public:
    AFailedJobIsToldOthersGoOn()
        : TestCase("a job that fails is told, and the others go on to their end")
    {
    }

  private:
    void DoRun() override
    {
        Simulation simulation(Read(TWO_JOBS));
        const Ptr<TrainingJob> odd = simulation.GetJobs().at(1)->GetJob();
        Simulator::Schedule(MicroSeconds(100), [odd] { odd->Fail({"cut off", "by hand"}); });
        NS_TEST_EXPECT_MSG_EQ(simulation.Run(), false, "a failed run");
        const RunReport& report = simulation.GetReport();
        NS_TEST_EXPECT_MSG_EQ(report.jobs[0].complete, true, "goes on");
        NS_TEST_EXPECT_MSG_EQ(report.jobs[1].complete, false, "failed");
        NS_TEST_EXPECT_MSG_EQ(TimeStep(report.jobs[1].end), MicroSeconds(100), "then");
        NS_TEST_ASSERT_MSG_EQ(report.failure.size(), 2, "lines");
        NS_TEST_EXPECT_MSG_EQ(report.failure[0], "job odd: cut off", "first line");
        NS_TEST_EXPECT_MSG_NE(FormatRunReport(report).find("and FAILED"),
                              std::string::npos,
                              "printed");
    }
};

/** Jobs have what they say, and else what all have. */
class JobsInheritTheScenario : public TestCase
{
  public:
    JobsInheritTheScenario()
        : TestCase("a job has its own fields, else the scenario's; what cannot be is one line")
    {
    }

  private:
    void ExpectError(const Overrides& overrides, const std::string& error)
    {
        const std::string what = ErrorOf([&] { Simulation simulation(Read(TWO_JOBS, overrides)); });
        NS_TEST_EXPECT_MSG_EQ(what.substr(0, error.size()), error, what);
    }

    void DoRun() override
    {
        const Scenario scenario = Read(TWO_JOBS,
                                       {"jobs[1].transport.congestion_control=timely",
                                        "jobs[1].iterations=5",
                                        "transport.ack_interval=2"});
        const std::vector<Scenario> jobs = MakeJobScenarios(scenario);
        NS_TEST_ASSERT_MSG_EQ(jobs.size(), 2, "jobs");
        NS_TEST_EXPECT_MSG_EQ(jobs[0].iterations, 2, "of all");
        NS_TEST_EXPECT_MSG_EQ(jobs[1].iterations, 5, "its own");
        NS_TEST_EXPECT_MSG_EQ(jobs[0].transport.congestion_control, "default", "of all");
        NS_TEST_EXPECT_MSG_EQ(jobs[1].transport.congestion_control, "timely", "its own");
        NS_TEST_EXPECT_MSG_EQ(jobs[1].transport.ack_interval, 2, "given behind the list");
        NS_TEST_EXPECT_MSG_EQ(jobs[1].jobs.size(), 0, "no jobs in a job");
        NS_TEST_EXPECT_MSG_EQ(MakeJobScenarios(Read(ONE_JOB)).size(), 1, "the only job");

        const RunReport timely = Simulate(scenario);
        NS_TEST_EXPECT_MSG_EQ(WrongWith(timely), "", "congestion control per job");

        ExpectError({"jobs[1].name=even"},
                    "s.json: jobs[1].name: 'even' is the name of another job");
        ExpectError({"jobs[1].name=a,b"},
                    "s.json: jobs[1].name: 'a,b' must be letters, digits, '-', '_' and '.'");
        ExpectError({"jobs[1].cluster.placement=[1,9,17,25,3,11,19,27,5,13,21,29,7,15,23,30]"},
                    "s.json: jobs[1].cluster: placement: rank 15: endpoint 30 is taken by job "
                    "'even'; an accelerator runs one rank");
        ExpectError({"jobs[1].cluster={\"placement\": [], \"accelerators\": 32}",
                     "jobs[1].parallelism.data_parallel_size=32"},
                    "s.json: jobs[1].cluster: placement: the job has 32 ranks, but only 16 of the "
                    "fabric's 32 endpoints are free");
        ExpectError({"parallelism.data_parallel_size=0"},
                    "s.json: jobs[0]: needs cluster.accelerators or "
                    "parallelism.data_parallel_size: several jobs share the fabric, so none has "
                    "all of it");
        ExpectError({"jobs[1].parallelism.tensor_model_parallel_size=3"},
                    "s.json: jobs[1].parallelism.tensor_model_parallel_size: 3 does not divide");
        NS_TEST_EXPECT_MSG_EQ(ErrorOf([] { RequireOneJob(Read(TWO_JOBS)); }),
                              "s.json: jobs: lists 2 jobs; only llm-training-sim, without an "
                              "export, takes a list",
                              "programs that look at one job");
        ExpectError({"jobs=[]"}, "s.json: jobs: is empty, and there is no other traffic");
    }
};

/** The policies. */
class PoliciesPlaceRanks : public TestCase
{
  public:
    PoliciesPlaceRanks()
        : TestCase("placements: packed, spread over leaves, random by seed, list; printed")
    {
    }

  private:
    std::vector<uint32_t> Place(const Overrides& overrides)
    {
        Simulation simulation(Read(ONE_JOB, overrides));
        m_printed = simulation.GetReport().placement;
        return simulation.GetJobs().front()->GetEndpoints();
    }

    void DoRun() override
    {
        using List = std::vector<uint32_t>;
        NS_TEST_EXPECT_MSG_EQ((Place({}) == List{0, 1, 2, 3}), true, "packed");
        NS_TEST_EXPECT_MSG_EQ((Place({"cluster.placement_policy=spread"}) == List{0, 4, 1, 5}),
                              true,
                              "spread over leaves");
        NS_TEST_EXPECT_MSG_EQ(m_printed.size(), 4, "a line per server");
        NS_TEST_EXPECT_MSG_EQ(m_printed[1], "server 1: rank 2 on host 1", "printed");
        NS_TEST_EXPECT_MSG_EQ((Place({"cluster.placement_policy=spread",
                                      "cluster.accelerators_per_server=2",
                                      "fabric.topology=single-switch",
                                      "fabric.hosts=8"}) == List{0, 2, 4, 6}),
                              true,
                              "spread over servers, where there is one leaf");
        NS_TEST_EXPECT_MSG_EQ((Place({"cluster.placement=[7,5,3,1]"}) == List{7, 5, 3, 1}),
                              true,
                              "list");
        const Overrides random{"cluster.placement_policy=random"};
        const List one = Place(random);
        NS_TEST_EXPECT_MSG_EQ((one == Place(random)), true, "the same seed");
        NS_TEST_EXPECT_MSG_EQ(std::set<uint32_t>(one.begin(), one.end()).size(), 4, "different");
        uint32_t others = 0;
        for (const char* seed : {"seed=2", "seed=3", "run=2", "run=3"})
        {
            others += Place({random.front(), seed}) == one ? 0 : 1;
        }
        NS_TEST_EXPECT_MSG_GT(others, 2, "another seed or run, another placement");
        NS_TEST_EXPECT_MSG_EQ(
            ErrorOf([&] {
                Place({"cluster.placement=[7,5,3,1]", "cluster.placement_policy=spread"});
            }),
            "s.json: cluster.placement: lists endpoints, but cluster.placement_policy is spread; "
            "leave one of them out",
            "both");
        NS_TEST_EXPECT_MSG_EQ(ErrorOf([&] { Place({"cluster.placement_policy=list"}); }),
                              "s.json: cluster.placement: is empty, but cluster.placement_policy "
                              "is list",
                              "no list");
        // A placement over servers of 2 is what the collectives and the closed form go by.
        const RunReport spread = Simulate(Read(ONE_JOB,
                                               {"cluster.placement_policy=spread",
                                                "cluster.accelerators_per_server=2",
                                                "collectives.all_reduce=nccl"}));
        NS_TEST_EXPECT_MSG_EQ(WrongWith(spread), "", "spread over servers");
    }

    std::vector<std::string> m_printed; //!< lines of the placement
};

/** Background and incasts beside a job. */
class FlowsBesideAJob : public TestCase
{
  public:
    FlowsBesideAJob()
        : TestCase("background and incasts beside a job arrive to the byte, stop with it, slow it "
                   "down, and follow the seed")
    {
    }

  private:
    void DoRun() override
    {
        const RunReport alone = Simulate(Read(ONE_JOB));
        const Overrides wanted{
            R"(background=[{"name": "web", "load": 0.5, "traffic_class": 3}])",
            R"(incasts=[{"receivers": [1], "fan_in": 3, "bytes": "10kB", "at": "20us",
                         "period": "30us", "count": 2},
                        {"receivers": [2, 6], "senders": [0, 1, 7], "bytes": 1000}])"};
        const RunReport report = Simulate(Read(ONE_JOB, wanted));
        NS_TEST_ASSERT_MSG_EQ(WrongWith(report), "", "runs");
        NS_TEST_EXPECT_MSG_GT_OR_EQ(SumOfIterations(report.jobs[0]),
                                    SumOfIterations(alone.jobs[0]),
                                    "company makes nothing faster");
        const TrafficReport& web = TrafficOf(report, "background");
        NS_TEST_EXPECT_MSG_EQ(web.name, "web", "name");
        NS_TEST_EXPECT_MSG_GT(web.flows, 0, "flows");
        NS_TEST_EXPECT_MSG_EQ(web.arrived, web.flows, "all arrive");
        NS_TEST_ASSERT_MSG_EQ(report.traffic.size(), 3, "entries");
        NS_TEST_EXPECT_MSG_EQ(report.traffic[1].flows, 6, "2 incasts of 3");
        NS_TEST_EXPECT_MSG_EQ(report.traffic[1].bytes, 60000, "bytes");
        NS_TEST_EXPECT_MSG_EQ(report.traffic[2].flows, 6, "3 to each of 2");
        NS_TEST_EXPECT_MSG_EQ(report.traffic[2].buckets.size(), 1, "one size");
        NS_TEST_EXPECT_MSG_EQ(report.network.bytesDelivered,
                              report.jobs[0].network.bytesDelivered + web.bytes + 60000 + 6000,
                              "to the byte");
        for (const auto& traffic : report.traffic)
        {
            for (const auto& bucket : traffic.buckets)
            {
                NS_TEST_EXPECT_MSG_GT_OR_EQ(bucket.slowdownMedian, 0.9999, traffic.name);
            }
        }
        Overrides seeded = wanted;
        seeded.emplace_back("seed=2");
        const RunReport other = Simulate(Read(ONE_JOB, seeded));
        NS_TEST_EXPECT_MSG_NE(TrafficOf(other, "background").bytes, web.bytes, "another seed");
        NS_TEST_EXPECT_MSG_EQ(FormatRunSummary(Simulate(Read(ONE_JOB, wanted))),
                              FormatRunSummary(report),
                              "the same seed");
        seeded = wanted;
        seeded.emplace_back("background[0].congestion_control=none");
        NS_TEST_EXPECT_MSG_EQ(WrongWith(Simulate(Read(ONE_JOB, seeded))), "", "another control");
        NS_TEST_EXPECT_MSG_EQ(
            ErrorOf([&] { Simulate(Read(ONE_JOB, {R"(background=[{"name": "a,b"}])"})); }),
            "s.json: background[0].name: has a comma, a quote or a line break, "
            "which files of results cannot hold",
            "name");
        seeded.emplace_back("jobs=[]");
        NS_TEST_EXPECT_MSG_EQ(ErrorOf([&] { Simulate(Read(ONE_JOB, seeded)); }),
                              "s.json: background[0].stop: is 0, but there is no job whose end "
                              "would be its",
                              "endless");
        seeded.emplace_back("background[0].stop=100us");
        const RunReport none = Simulate(Read(ONE_JOB, seeded));
        NS_TEST_EXPECT_MSG_EQ(WrongWith(none), "", "no job");
        NS_TEST_EXPECT_MSG_EQ(none.jobs.size(), 0, "no job");
        NS_TEST_EXPECT_MSG_GT(TrafficOf(none, "background").arrived, 0, "flows");
    }
};

/** TCP and UDP applications. */
class IpBesideAJob : public TestCase
{
  public:
    IpBesideAJob()
        : TestCase("TCP and UDP applications: goodput of the rate that was asked for, bytes that "
                   "were asked for, errors that name the host")
    {
    }

  private:
    void ExpectError(const std::string& override, const std::string& error)
    {
        NS_TEST_EXPECT_MSG_EQ(ErrorOf([&] { Simulation simulation(Read(ONE_JOB, {override})); }),
                              "s.json: " + error,
                              override);
    }

    void DoRun() override
    {
        const RunReport report = Simulate(
            Read(ONE_JOB,
                 {"iterations=4",
                  R"(udp=[{"from": ["host4"], "to": ["host5"], "rate": "2Gbps", "stop": "2ms",
                               "packet_bytes": 1000},
                              {"from": ["host5"], "to": ["host6"], "rate": "1Gbps",
                               "bytes": 50000, "packet_bytes": 1000}])",
                  R"(tcp=[{"from": ["host6", "host7"], "to": ["host4"], "bytes": "100kB"},
                              {"from": ["host7"], "to": ["host6"], "rate": "1Gbps",
                               "start": "100us", "stop": "1100us"}])"}));
        NS_TEST_ASSERT_MSG_EQ(WrongWith(report), "", "runs");
        NS_TEST_ASSERT_MSG_EQ(report.traffic.size(), 4, "entries");
        const TrafficReport& bulk = report.traffic[0];
        NS_TEST_EXPECT_MSG_EQ(bulk.bytesReceived, 200000, "what two senders were asked for");
        NS_TEST_EXPECT_MSG_EQ(bulk.bytes, 200000, "sent");
        const TrafficReport& paced = report.traffic[1];
        NS_TEST_EXPECT_MSG_EQ_TOL(paced.goodput, 1e9, 3e7, "TCP at a rate");
        const TrafficReport& udp = report.traffic[2];
        NS_TEST_EXPECT_MSG_EQ_TOL(udp.goodput, 2e9, 2e7, "UDP at a rate");
        NS_TEST_EXPECT_MSG_EQ(udp.bytesReceived, udp.bytes, "nothing is lost");
        NS_TEST_EXPECT_MSG_EQ(report.traffic[3].bytesReceived, 50000, "what was asked for");

        ExpectError(R"(tcp=[{"from": ["host4"], "to": ["hots5"]}])",
                    "tcp[0].to[0]: there is no host 'hots5'; did you mean 'host5'?");
        ExpectError(R"(tcp=[{"from": ["host4"], "to": ["host4"]}])",
                    "tcp[0].from[0]: 'host4' would send to itself");
        ExpectError(R"(tcp=[{"from": ["host4"], "to": ["host5", "host6"]}])",
                    "tcp[0].to: names 2 hosts for 1 senders; one for each is needed, or one for "
                    "all");
        ExpectError(R"(tcp=[{"from": ["host4"], "to": ["host5"], "congestion_control": "bbr"}])",
                    "tcp[0].congestion_control: 'bbr' is no TypeId derived from "
                    "ns3::TcpCongestionOps; for example ns3::TcpCubic or ns3::TcpDctcp");
        ExpectError(R"(udp=[{"from": ["host4"], "to": ["host5"], "rate": "1Gbps",
                             "start": "2us", "stop": "1us"}])",
                    "udp[0].stop: is 1us, not after start, 2us");
    }
};

/** In C++. */
class HelperInstallsSeveralJobs : public TestCase
{
  public:
    HelperInstallsSeveralJobs()
        : TestCase("LlmTrainingHelper puts two jobs on the same endpoints and a third beside them")
    {
    }

  private:
    void DoRun() override
    {
        {
            SingleSwitchTopology topology(4);
            topology.SetNamePrefix("company-");
            const FabricNetwork network = topology.Build(CreateObject<Fabric>(), 1);
            ModelConfig model = ModelConfig::ParseText(
                R"({"model_type": "gpt2", "n_embd": 64, "n_layer": 2, "n_head": 4,
                    "vocab_size": 256, "n_positions": 64})",
                "model");
            LlmTrainingHelper helper(model);
            helper.SetJobAttribute("Iterations", UintegerValue(2));
            helper.SetJobAttribute("StopSimulation", BooleanValue(false));
            const auto one = helper.Install(network.fabric, network.endpoints);
            helper.SetJobAttribute("StartTime", TimeValue(MicroSeconds(50)));
            helper.GetRdmaHelper().SetCongestionControl("timely");
            const auto two = helper.Install(network.fabric, network.endpoints);
            NodeContainer some;
            some.Add(network.endpoints.Get(1));
            some.Add(network.endpoints.Get(3));
            const auto three = helper.Install(network.fabric, some);
            Simulator::Run();
            uint64_t sent = 0;
            for (const auto& job : {one, two, three})
            {
                NS_TEST_EXPECT_MSG_EQ(job->IsComplete(), true, "ends");
                NS_TEST_EXPECT_MSG_EQ(job->GetTraffic().GetTotalBytes(),
                                      job->GetTransport()->GetTotals().bytesDelivered,
                                      "its own bytes");
                sent += job->GetTransport()->GetTotals().payloadSent;
            }
            NS_TEST_EXPECT_MSG_EQ(TimeStep(two->GetStartTick()), MicroSeconds(50), "its own start");
            NS_TEST_EXPECT_MSG_EQ(network.fabric->GetTotals().hosts.txDataPayload, sent, "ports");
        }
        Simulator::Destroy();
        Names::Clear();
    }
};

/** Data over TCP is not looked for in the books of RDMA. */
class TcpJobBesideRdma : public TestCase
{
  public:
    TcpJobBesideRdma()
        : TestCase("a job over TCP beside RDMA, of another job or in the background: books balance")
    {
    }

  private:
    void DoRun() override
    {
        const std::string flows = R"("workload": {"format": "pattern", "pattern": "ring",
            "bytes": "64KiB"}, "cluster": {"accelerators": 4})";
        const RunReport jobs =
            Simulate(Read(ONE_JOB,
                          {"jobs=[{\"name\": \"a\", \"transport\": {\"kind\": \"tcp\"}, " + flows +
                           "}, {\"name\": \"b\", " + flows + "}]"}));
        NS_TEST_EXPECT_MSG_EQ(WrongWith(jobs), "", "two jobs");
        NS_TEST_EXPECT_MSG_EQ(jobs.complete, true, "both end");
        NS_TEST_EXPECT_MSG_EQ(jobs.fabric.hosts.txDataPayload, 4 * 65536, "RDMA of one of them");
        const RunReport background =
            Simulate(Read(ONE_JOB, {"transport.kind=tcp", "background=[{\"load\": 0.3}]"}));
        NS_TEST_EXPECT_MSG_EQ(WrongWith(background), "", "background");
        NS_TEST_EXPECT_MSG_GT(background.fabric.hosts.txDataPayload, 0, "there is some");
    }
};

/** What is shipped runs. */
class ShippedCompanyRuns : public TestCase
{
  public:
    ShippedCompanyRuns()
        : TestCase("the shipped scenarios with company, shrunk, complete with balanced books")
    {
    }

  private:
    void DoRun() override
    {
        const Overrides shrink{"model.overrides={\"n_layer\": 2, \"vocab_size\": 1024, "
                               "\"n_embd\": 192}",
                               "training.seq_length=128",
                               "iterations=1",
                               "output.folder="};
        for (const char* name : {"two-jobs.json", "company.json"})
        {
            const RunReport report = Simulate(ScenarioReader::ReadFile(
                std::string(LLM_TRAINING_SOURCE_DIR) + "/examples/scenarios/" + name,
                shrink));
            NS_TEST_EXPECT_MSG_EQ(WrongWith(report), "", name);
        }
    }
};

/** The suite. */
class CompanyTestSuite : public TestSuite
{
  public:
    CompanyTestSuite()
        : TestSuite("llm-training-company", Type::UNIT)
    {
        AddTestCase(new TwoJobsShareAFabric, llm::TestDuration::QUICK);
        AddTestCase(new ResultsArePerJob, llm::TestDuration::QUICK);
        AddTestCase(new AFailedJobIsToldOthersGoOn, llm::TestDuration::QUICK);
        AddTestCase(new JobsInheritTheScenario, llm::TestDuration::QUICK);
        AddTestCase(new PoliciesPlaceRanks, llm::TestDuration::QUICK);
        AddTestCase(new FlowsBesideAJob, llm::TestDuration::QUICK);
        AddTestCase(new IpBesideAJob, llm::TestDuration::QUICK);
        AddTestCase(new HelperInstallsSeveralJobs, llm::TestDuration::QUICK);
        AddTestCase(new TcpJobBesideRdma, llm::TestDuration::QUICK);
        AddTestCase(new ShippedCompanyRuns, llm::TestDuration::QUICK);
    }
};

CompanyTestSuite g_companyTestSuite; //!< registers itself

} // namespace

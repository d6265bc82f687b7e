/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-published-runs.h"

#include "llm-scenario-analysis.h"
#include "llm-scenario-reader.h"
#include "llm-shipped-files.h"

#include "ns3/llm-expert-routing.h"
#include "ns3/llm-parameter-tensor.h"

#include <algorithm>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace ns3
{
namespace llm
{

namespace
{

/** One run: its analysis, and a section of the report. */
class PublishedRun
{
  public:
    PublishedRun(ReportDocument& document, const std::string& scenario)
        : m_analysis(ScenarioReader::ReadFile(GetShippedFile("scenarios", scenario)), {}),
          m_section(document.AddSection(scenario, m_analysis.GetWorkload().GetScenario().name))
    {
    }

    const TrainingStep& GetStep() const
    {
        return *m_analysis.GetWorkload().GetStep();
    }

    const TrafficModel& GetModel() const
    {
        return m_analysis.GetWorkload().GetModel();
    }

    const ScenarioAnalysis& GetAnalysis() const
    {
        return m_analysis;
    }

    ReportSection& GetSection()
    {
        return m_section;
    }

    /** Begins the table of published figures. */
    void BeginFigures()
    {
        m_section.BeginTable("published",
                             {{"figure", "figure"},
                              {"published", "published"},
                              {"here", "here"},
                              {"how", "what it is here"}});
    }

    /** @return size of the collective that a pipeline rank has most bytes of; 0 without any. */
    uint64_t GetLargestBytes(uint32_t pipelineRank, ParallelDimension dimension) const
    {
        uint64_t bytes = 0;
        uint64_t most = 0;
        for (const auto& use : GetModel().ListCollectives(pipelineRank))
        {
            if (use.dimension == dimension && use.bytes * use.count > most)
            {
                bytes = use.bytes;
                most = use.bytes * use.count;
            }
        }
        return bytes;
    }

    /** @return what the collectives of a pipeline rank carry for a purpose. */
    uint64_t SumPayload(uint32_t pipelineRank, ParallelDimension dimension) const
    {
        uint64_t bytes = 0;
        for (const auto& use : GetModel().ListCollectives(pipelineRank))
        {
            bytes += use.dimension == dimension ? use.bytes * use.count : 0;
        }
        return bytes;
    }

    /** Adds the table of what is sent in a step. */
    void TellVolumes()
    {
        m_section.Say("Sent in a step:");
        m_section.BeginTable("volumes",
                             {{"dimension", "for"},
                              {"within_servers_bytes", "within servers"},
                              {"between_servers_bytes", "between servers"},
                              {"busiest_rank_bytes", "by the busiest rank"}});
        for (const auto& volume : m_analysis.GetVolumes().GetVolumes())
        {
            m_section.AddRow({ToString(volume.dimension),
                              ReportValue::Bytes(volume.withinServers),
                              ReportValue::Bytes(volume.betweenServers),
                              ReportValue::Bytes(volume.busiest)});
        }
    }

  private:
    ScenarioAnalysis m_analysis;
    ReportSection& m_section;
};

void
TellGpt3(ReportDocument& document)
{
    PublishedRun run(document, "gpt3-175b");
    run.GetSection().Say("Published in HPN (Qian et al., SIGCOMM 2024, table 3) for TP 8, PP 8 and "
                         "DP 512, without sequence length and batch; 2,048 tokens and one sequence "
                         "per microbatch give its sizes.");
    run.BeginFigures();
    const uint32_t inner = 3;
    run.GetSection().AddRow({"data parallel",
                             "5.5 GB",
                             ReportValue::Bytes(run.SumPayload(inner, ParallelDimension::DATA)),
                             "bf16 gradients of an inner rank, all-reduced"});
    run.GetSection().AddRow({"pipeline",
                             "6 MB",
                             ReportValue::Bytes(run.GetStep().GetPipelineBytes()),
                             "a message: 2 s b h / t"});
    const uint64_t layers = run.GetStep().GetStage(inner).layers.count;
    run.GetSection().AddRow({"tensor parallel",
                             "560 MB",
                             ReportValue::Bytes(layers * run.GetStep().GetActivationBytes()),
                             "2 s b h per layer; how they count is not stated"});
    run.TellVolumes();
}

/** Adds a row with the utilisation of a layout of Llama 3. */
void
AddUtilisation(ReportSection& section,
               const std::string& layout,
               const std::string& published,
               const ScenarioAnalysis& analysis)
{
    const auto& time = analysis.GetStepTime();
    const double ideal =
        analysis.GetWorkload().GetModel().GetMfu(static_cast<double>(time.idealPs));
    section.AddRow({"MFU, " + layout,
                    published,
                    ReportValue::Real(100 * time.mfu, 1, "%"),
                    ReportValue::Real(100 * ideal, 1, "% if communication took no time").Show()});
}

void
TellLlama3(ReportDocument& document)
{
    const std::string name = "llama-3.1-405b-16k";
    PublishedRun run(document, name);
    run.GetSection().Say("Published in \"The Llama 3 herd of models\" (table 4). Utilisation (MFU) "
                         "here is reckoned for a quiet network, with the module's idea of how fast "
                         "an H100 multiplies matrices. The rows for 8,192 tokens have the same "
                         "model without context parallelism: DP 64 with 32 sequences per replica, "
                         "DP 128 with 16.");
    run.BeginFigures();
    ReportSection& section = run.GetSection();
    const TrainingConfig& training = run.GetStep().GetTraining();
    section.AddRow({"tokens in a step",
                    "16 M",
                    uint64_t{training.global_batch_size} * training.seq_length,
                    "128 x 131,072"});
    AddUtilisation(section, "131,072 tokens", "38 %", run.GetAnalysis());
    for (const auto& [replicas, sequences, published] :
         {std::tuple<uint32_t, uint32_t, const char*>{64, 32, "43 %"},
          std::tuple<uint32_t, uint32_t, const char*>{128, 16, "41 %"}})
    {
        const ScenarioAnalysis shorter(
            ScenarioReader::ReadFile(
                GetShippedFile("scenarios", name),
                {"parallelism.context_parallel_size=1",
                 "training.seq_length=8192",
                 "parallelism.data_parallel_size=" + std::to_string(replicas),
                 "training.global_batch_size=" + std::to_string(replicas * sequences)}),
            {});
        AddUtilisation(section, "8,192, DP " + std::to_string(replicas), published, shorter);
    }
    const uint32_t inner = 3;
    section.AddRow({"TP all-gather",
                    "-",
                    run.GetLargestBytes(inner, ParallelDimension::TENSOR),
                    "B: 2 b (s / c) h"});
    section.AddRow(
        {"pipeline message", "-", run.GetStep().GetPipelineBytes(), "B: 2 b (s / c) h / t"});
    run.TellVolumes();
}

/** @return GPU-hours for a trillion tokens, in thousands. */
double
GpuHours(const TrainingStep& step, int64_t stepPs)
{
    const TrainingConfig& training = step.GetTraining();
    const double tokens =
        static_cast<double>(training.global_batch_size) * static_cast<double>(training.seq_length);
    const double hours = static_cast<double>(stepPs) * 1e-12 / 3600;
    return hours * step.GetWorldSize() / tokens * 1e12 / 1000;
}

/** @return bytes that a rank sends and keeps in an all-to-all of the scenario with 128 tokens of
 *  each of 8 ranks: there, and back. */
std::pair<uint64_t, uint64_t>
FindDeepEpBytes()
{
    const ScenarioWorkload workload(
        ScenarioReader::ReadFile(GetShippedFile("scenarios", "deepseek-v3-2048"),
                                 {"parallelism.pipeline_model_parallel_size=1",
                                  "parallelism.pipeline_schedule=1f1b",
                                  "parallelism.pipeline_model_parallel_layout=",
                                  "parallelism.data_parallel_size=8",
                                  "parallelism.expert_model_parallel_size=8",
                                  "training.moe_token_dispatcher_type=alltoall",
                                  "training.seq_length=128",
                                  "training.global_batch_size=8"}));
    std::vector<uint64_t> sizes;
    for (const auto& use : workload.GetModel().ListCollectives(0))
    {
        if (use.kind == CollectiveKind::ALL_TO_ALL)
        {
            sizes.push_back(use.bytes);
        }
    }
    const auto [there, back] = std::minmax_element(sizes.begin(), sizes.end());
    return {*there, *back};
}

void
TellDeepSeek(ReportDocument& document)
{
    PublishedRun run(document, "deepseek-v3-2048");
    run.GetSection().Say(
        "Published in DeepSeek-V3's report (s.1, s.3) and by DeepEP, its library for the exchange "
        "of tokens. GPU-hours here are reckoned for a quiet network: at least those of compute and "
        "bubble, at most those with all communication that DualPipe's paired passes do not hide; "
        "the report's kernels overlap more finely.");
    run.BeginFigures();
    ReportSection& section = run.GetSection();
    const ModelConfig& model = run.GetStep().GetModel();
    section.AddRow({"parameters", "671 B", CountParameters(model), "of the main model"});
    section.AddRow({"active ones", "37 B", CountActiveParameters(model), "that a token uses"});
    const auto& time = run.GetAnalysis().GetStepTime();
    section.AddRow({"GPU-hours, 1e12 tokens",
                    "180 K",
                    ReportValue::Real(GpuHours(run.GetStep(), time.idealPs), 0, "K"),
                    "without communication"});
    section.AddRow({"",
                    "",
                    ReportValue::Real(GpuHours(run.GetStep(), time.stepPs), 0, "K"),
                    "with what shows of it"});
    const ExpertRouting routing(model, run.GetStep().GetTraining(), 4096);
    section.AddRow({"servers of a token",
                    "at most 4",
                    ReportValue::Real(routing.GetExpectedParts(8), 2),
                    "expected, of 8"});
    const auto [there, back] = FindDeepEpBytes();
    section.AddRow({"DeepEP dispatch",
                    "77 us x 98 GB/s: 7.55 MB",
                    ReportValue::Bytes(there),
                    "128 x 8 x (7,168 + 224), fp8"});
    section.AddRow({"DeepEP combine",
                    "114 us x 127 GB/s: 14.48 MB",
                    ReportValue::Bytes(back),
                    "128 x 8 x 14,336, bf16"});
    run.TellVolumes();
}

} // namespace

ReportDocument
ReportPublishedRuns()
{
    ReportDocument document("Published runs");
    TellGpt3(document);
    TellLlama3(document);
    TellDeepSeek(document);
    return document;
}

} // namespace llm
} // namespace ns3

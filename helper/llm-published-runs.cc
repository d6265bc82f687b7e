/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-published-runs.h"

#include "llm-scenario-analysis.h"
#include "llm-scenario-reader.h"
#include "llm-shipped-files.h"

#include "ns3/llm-parameter-tensor.h"

#include <algorithm>
#include <string>

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

    /** @return size of the collective that a pipeline rank has most bytes of. */
    const CollectiveUse& FindLargest(uint32_t pipelineRank, ParallelDimension dimension) const
    {
        const CollectiveUse* largest = nullptr;
        for (const auto& use : GetModel().ListCollectives(pipelineRank))
        {
            if (use.dimension == dimension &&
                (!largest || use.bytes * use.count > largest->bytes * largest->count))
            {
                largest = &use;
            }
        }
        return *largest;
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
                             "gradients of an inner rank, all-reduced in bf16"});
    run.GetSection().AddRow({"pipeline",
                             "6 MB",
                             ReportValue::Bytes(run.GetStep().GetPipelineBytes()),
                             "a message: 2 s b h / t"});
    const uint64_t layers = run.GetStep().GetStage(inner).layers.count;
    run.GetSection().AddRow({"tensor parallel",
                             "560 MB",
                             ReportValue::Bytes(layers * run.GetStep().GetActivationBytes()),
                             "2 s b h of each layer; 7 % off, the paper's rule is not stated"});
    run.TellVolumes();
}

} // namespace

ReportDocument
ReportPublishedRuns()
{
    ReportDocument document("Published runs");
    TellGpt3(document);
    return document;
}

} // namespace llm
} // namespace ns3

/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-analysis-program.h"

#include "llm-program-options.h"
#include "llm-published-runs.h"
#include "llm-scenario-analysis.h"
#include "llm-scenario-reader.h"
#include "llm-shipped-files.h"

#include "ns3/llm-config-error.h"
#include "ns3/llm-units.h"

#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

int
RunAnalysisProgram(int argc, char* argv[], std::ostream& out, std::ostream& err)
{
    try
    {
        std::string file;
        std::string format = "text";
        std::string latency = "5us";
        std::vector<std::string> overrides;
        bool published = false;
        AnalysisConfig config;
        ProgramOptions options("llm-training-analyze",
                               "Tells of a scenario what needs no simulation of packets: bytes by "
                               "dimension and\npair of ranks, memory, time of a step on a quiet "
                               "network, what the network must\ngive. For 100,000 ranks as well.");
        options.AddArgument("scenario", "scenario file, or a shipped one's name", file);
        options.AddList("set", "PATH=VALUE, a field of the scenario", overrides);
        options.AddText("matrix", "CSV file: bytes by pair of ranks", config.matrixFile);
        options.AddText("server-matrix", "the same by servers", config.serverMatrixFile);
        options.AddText("latency", "of a message between servers", latency);
        options.AddSwitch("published", "shipped runs beside published figures", published);
        options.AddText("format", "text, json, or rst with --published", format);
        options.Parse(argc, argv);
        if (format != "text" && format != "json" && !(published && format == "rst"))
        {
            throw ConfigError("command line",
                              "--format",
                              "must be text or json, is '" + format + "'");
        }
        if (published && !file.empty())
        {
            throw ConfigError("command line", file, "--published takes no scenario");
        }
        for (const char* name : {"set", "matrix", "server-matrix", "latency"})
        {
            if (published && options.IsGiven(name))
            {
                throw ConfigError("command line",
                                  std::string("--") + name,
                                  "is of a scenario; --published takes none");
            }
        }
        if (file.empty() && !published)
        {
            throw ConfigError("command line",
                              "",
                              "which scenario? llm-training-analyze SCENARIO.json; --help says "
                              "more");
        }
        config.latencyPs = ParseDurationPs(latency, "command line", "--latency");
        ReportDocument document;
        bool fits = true;
        if (published)
        {
            document = ReportPublishedRuns();
        }
        else
        {
            const ScenarioAnalysis analysis(
                ScenarioReader::ReadFile(FindScenarioFile(file), overrides),
                config);
            document = analysis.Report();
            fits = analysis.FitsMemory();
        }
        out << (format == "text"   ? document.FormatText()
                : format == "json" ? document.FormatJson()
                                   : document.FormatRst())
            << std::flush;
        if (!out)
        {
            err << "the analysis cannot be written to standard output\n";
            return 1;
        }
        if (!fits)
        {
            err << "warning: the model does not fit into the accelerators' memory\n";
        }
        return 0;
    }
    catch (const ConfigError& error)
    {
        err << error.what() << std::endl;
        return 2;
    }
}

} // namespace llm
} // namespace ns3

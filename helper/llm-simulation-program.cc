/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-simulation-program.h"

#include "llm-scenario-fields.h"
#include "llm-scenario-reader.h"
#include "llm-shipped-files.h"
#include "llm-simulation.h"

#include "ns3/command-line.h"
#include "ns3/global-value.h"
#include "ns3/llm-config-error.h"
#include "ns3/llm-nearest-name.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <filesystem>
#include <iomanip>
#include <iostream>
#include <string>
#include <system_error>
#include <unistd.h>
#include <vector>

namespace ns3
{
namespace llm
{

namespace
{

constexpr int EXIT_FAILED = 1;    //!< the run failed
constexpr int EXIT_BAD_INPUT = 2; //!< nothing ran

/** What the command line says. */
struct Arguments
{
    std::string scenario;               //!< file
    std::vector<std::string> overrides; //!< of --set
    bool helpScenario{false};           //!< --help-scenario
    bool manualScenario{false};         //!< --manual-scenario
};

/** @return argument i + 1, the value of option i. */
std::string
TakeValue(int argc, char* argv[], int& i)
{
    if (i + 1 >= argc)
    {
        throw ConfigError("command line", argv[i], "needs a value behind it");
    }
    return argv[++i];
}

/**
 * Takes out what ns-3's CommandLine cannot express: options that may stand several times, and
 * values behind a blank. @return the rest.
 */
std::vector<std::string>
TakeOwn(int argc, char* argv[], Arguments& arguments)
{
    std::vector<std::string> rest{argv[0]};
    for (int i = 1; i < argc; ++i)
    {
        const std::string argument = argv[i];
        if (argument == "--set")
        {
            arguments.overrides.push_back(TakeValue(argc, argv, i));
        }
        else if (argument.compare(0, 6, "--set=") == 0)
        {
            arguments.overrides.push_back(argument.substr(6));
        }
        else if (argument == "--output")
        {
            arguments.overrides.push_back("output.folder=" + TakeValue(argc, argv, i));
        }
        else if (argument.compare(0, 9, "--output=") == 0)
        {
            arguments.overrides.push_back("output.folder=" + argument.substr(9));
        }
        else
        {
            rest.push_back(argument);
        }
    }
    return rest;
}

/** Refuses options that ns-3's CommandLine would answer with its help and another exit code. */
void
CheckOptions(const std::vector<std::string>& arguments)
{
    std::vector<std::string> known{"--set",
                                   "--output",
                                   "--help-scenario",
                                   "--manual-scenario",
                                   "--help"};
    for (auto i = GlobalValue::Begin(); i != GlobalValue::End(); ++i)
    {
        known.push_back("--" + (*i)->GetName());
    }
    for (const auto& argument : arguments)
    {
        const std::string name = argument.substr(0, argument.find('='));
        const bool fromNs3 = name.find("::") != std::string::npos ||
                             name.compare(0, 7, "--Print") == 0 || name == "--version";
        if (name.compare(0, 1, "-") == 0 && !fromNs3 &&
            std::find(known.begin(), known.end(), name) == known.end())
        {
            throw ConfigError("command line",
                              name,
                              "unknown option; did you mean '" + NearestName(name, known) + "'?");
        }
    }
}

Arguments
Parse(int argc, char* argv[])
{
    Arguments arguments;
    const std::vector<std::string> rest = TakeOwn(argc, argv, arguments);
    CheckOptions(rest);
    CommandLine cmd;
    cmd.Usage("Simulates the training of a language model over a RoCEv2 fabric.\n\n"
              "Beside the options below: --set PATH=VALUE overrides a field of the scenario (any\n"
              "number of times), --output FOLDER says where files go.");
    cmd.AddValue("help-scenario", "print every field of a scenario", arguments.helpScenario);
    cmd.AddValue("manual-scenario",
                 "print the same as the manual's tables (reStructuredText)",
                 arguments.manualScenario);
    cmd.AddNonOption("scenario",
                     "scenario file (JSON), or the name of a shipped one",
                     arguments.scenario);
    cmd.Parse(rest);
    if (cmd.GetNExtraNonOptions() > 0)
    {
        throw ConfigError("command line",
                          cmd.GetExtraNonOption(0),
                          "one scenario at a time; '" + arguments.scenario + "' is the first");
    }
    if (arguments.scenario.empty() && !arguments.helpScenario && !arguments.manualScenario)
    {
        throw ConfigError("command line",
                          "",
                          "which scenario? llm-training-sim SCENARIO.json; --help says more");
    }
    return arguments;
}

/** @return the scenario file that somebody means by a file name, or by the name of a shipped one.
 */
std::string
FindScenarioFile(const std::string& name)
{
    std::error_code error;
    const bool path =
        name.find('/') != std::string::npos || std::filesystem::path(name).extension() == ".json";
    if (path || std::filesystem::exists(name, error))
    {
        return name;
    }
    const std::vector<std::string> shipped = ListShippedFiles("scenarios");
    if (std::find(shipped.begin(), shipped.end(), name) == shipped.end())
    {
        const std::string nearest = NearestName(name, shipped);
        throw ConfigError("command line",
                          name,
                          "there is neither such a file nor a shipped scenario of that name" +
                              (nearest.empty() ? "" : "; did you mean '" + nearest + "'?"));
    }
    return GetShippedFile("scenarios", name);
}

/** Prints what a failed run has to say. */
void
PrintFailure(const RunReport& report, std::ostream& err)
{
    for (const auto& line : report.failure)
    {
        err << line << "\n";
    }
    for (const auto& entry : report.books.GetEntries())
    {
        if (!entry.IsBalanced())
        {
            err << "the books do not balance: " << entry.Describe() << "\n";
        }
    }
}

int
RunScenario(const Arguments& arguments, std::ostream& out, std::ostream& err)
{
    const auto start = std::chrono::steady_clock::now();
    const std::clock_t cpuStart = std::clock();
    const Scenario scenario =
        ScenarioReader::ReadFile(FindScenarioFile(arguments.scenario), arguments.overrides);
    Simulation simulation(scenario);
    if (isatty(STDERR_FILENO))
    {
        simulation.ShowProgress(std::cerr);
    }
    const bool good = simulation.Run();
    const RunReport& report = simulation.GetReport();
    out << FormatRunReport(report);
    const std::chrono::duration<double> took = std::chrono::steady_clock::now() - start;
    const double cpu = static_cast<double>(std::clock() - cpuStart) / CLOCKS_PER_SEC;
    out << std::fixed << std::setprecision(1) << "\nRan for " << took.count() << " s, " << cpu
        << " s of CPU: " << std::setprecision(2)
        << static_cast<double>(report.fabric.packetHops) / cpu * 1e-6
        << " M packet-hops per CPU-second\n";
    if (!scenario.output.folder.empty())
    {
        out << "Files in " << scenario.output.folder << "\n";
    }
    out << std::flush;
    if (!good)
    {
        PrintFailure(report, err);
    }
    return good ? 0 : EXIT_FAILED;
}

} // namespace

int
RunSimulationProgram(int argc, char* argv[], std::ostream& out, std::ostream& err)
{
    try
    {
        const Arguments arguments = Parse(argc, argv);
        if (arguments.helpScenario)
        {
            out << FormatScenarioHelp();
            return 0;
        }
        if (arguments.manualScenario)
        {
            out << FormatScenarioManual();
            return 0;
        }
        return RunScenario(arguments, out, err);
    }
    catch (const ConfigError& error)
    {
        err << error.what() << std::endl;
        return EXIT_BAD_INPUT;
    }
}

} // namespace llm
} // namespace ns3

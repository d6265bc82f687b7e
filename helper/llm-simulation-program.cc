/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-simulation-program.h"

#include "llm-attribute-map.h"
#include "llm-report-document.h"
#include "llm-scenario-fabric.h"
#include "llm-scenario-fields.h"
#include "llm-scenario-import.h"
#include "llm-scenario-jobs.h"
#include "llm-scenario-reader.h"
#include "llm-scenario-simulator.h"
#include "llm-scenario-workload.h"
#include "llm-shipped-files.h"
#include "llm-simulation.h"
#include "llm-topology-drawing.h"

#include "ns3/command-line.h"
#include "ns3/fabric-simulator-impl.h"
#include "ns3/global-value.h"
#include "ns3/llm-config-error.h"
#include "ns3/llm-nearest-name.h"
#include "ns3/scheduler.h"
#include "ns3/simulator-impl.h"

#include <algorithm>
#include <chrono>
#include <ctime>
#include <fstream>
#include <iomanip>
#include <iostream>
#include <map>
#include <string>
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
    std::string chakra;                 //!< --export-chakra
    std::string goal;                   //!< --export-goal
    std::string drawing;                //!< --draw-topology
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

/** Fills in the name of a file to write. */
void
TakeFile(std::string& slot, const std::string& option, const std::string& name)
{
    if (name.empty())
    {
        throw ConfigError("command line", option, "needs the name of a file, got ''");
    }
    if (!slot.empty())
    {
        throw ConfigError("command line",
                          option,
                          "stands twice, with '" + slot + "' and '" + name + "'");
    }
    slot = name;
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
        else if (argument == "--draw-topology")
        {
            TakeFile(arguments.drawing, argument, TakeValue(argc, argv, i));
        }
        else if (argument.compare(0, 16, "--draw-topology=") == 0)
        {
            TakeFile(arguments.drawing, "--draw-topology", argument.substr(16));
        }
        else if (argument == "--export-chakra" || argument == "--export-goal")
        {
            std::string& slot = argument == "--export-goal" ? arguments.goal : arguments.chakra;
            TakeFile(slot, argument, TakeValue(argc, argv, i));
        }
        else if (argument.compare(0, 16, "--export-chakra=") == 0)
        {
            TakeFile(arguments.chakra, "--export-chakra", argument.substr(16));
        }
        else if (argument.compare(0, 14, "--export-goal=") == 0)
        {
            TakeFile(arguments.goal, "--export-goal", argument.substr(14));
        }
        else
        {
            rest.push_back(argument);
        }
    }
    return rest;
}

/** Checks "--ns3::Type::Attribute=value", which ns-3 takes as a default. */
void
CheckDefault(const std::string& name, bool hasValue, const std::string& value)
{
    const auto colons = name.rfind("::");
    const std::string type = name.substr(2, colons - 2);
    TypeId tid;
    if (colons < 3 || !TypeId::LookupByNameFailSafe(type, &tid))
    {
        throw ConfigError("command line", name, "there is no type '" + type + "'");
    }
    if (!hasValue)
    {
        throw ConfigError("command line", name, "needs a value: " + name + "=...");
    }
    CheckAttribute(tid, name.substr(colons + 2), value, "command line", name);
}

/** @return the type of that name, which must derive from another. */
TypeId
FindType(const std::string& option, const std::string& name, TypeId base)
{
    TypeId tid;
    if (!TypeId::LookupByNameFailSafe(name, &tid) || !tid.IsChildOf(base) || !tid.HasConstructor())
    {
        throw ConfigError("command line",
                          option,
                          "'" + name + "' is no type derived from " + base.GetName());
    }
    return tid;
}

/**
 * Checks an option named after one of ns-3's global values. What the scenario has a field for is
 * handed on to it, so that it is not silently ignored.
 * @return true if nothing is left for ns-3 to do.
 */
bool
CheckGlobal(const GlobalValue& global,
            const std::string& name,
            const std::string& value,
            Arguments& arguments)
{
    if (name == "--RngSeed" || name == "--RngRun")
    {
        arguments.overrides.push_back((name == "--RngSeed" ? "seed=" : "run=") + value);
        return true;
    }
    const std::string wrong = CheckAttributeText(*global.GetChecker(), value);
    if (!wrong.empty())
    {
        throw ConfigError("command line", name, wrong);
    }
    if (name == "--SimulatorImplementationType")
    {
        const bool native =
            FindType(name, value, SimulatorImpl::GetTypeId()) == FabricSimulatorImpl::GetTypeId();
        arguments.overrides.push_back(std::string("simulator.event_queue=") +
                                      (native ? "native" : "portable"));
    }
    if (name == "--SchedulerType")
    {
        FindType(name, value, Scheduler::GetTypeId());
    }
    return false;
}

/**
 * Refuses options that ns-3's CommandLine would answer with its help and another exit code, or
 * with an abort. @return what is left for it.
 */
std::vector<std::string>
CheckOptions(const std::vector<std::string>& options, Arguments& arguments)
{
    const std::vector<std::string> own{"--help-scenario", "--manual-scenario", "--help"};
    std::vector<std::string> known{"--set",
                                   "--output",
                                   "--export-chakra",
                                   "--export-goal",
                                   "--draw-topology"};
    known.insert(known.end(), own.begin(), own.end());
    std::map<std::string, GlobalValue*> globals;
    for (auto i = GlobalValue::Begin(); i != GlobalValue::End(); ++i)
    {
        globals["--" + (*i)->GetName()] = *i;
        known.push_back("--" + (*i)->GetName());
    }
    std::vector<std::string> rest;
    for (const auto& option : options)
    {
        const auto equals = option.find('=');
        const std::string name = option.substr(0, equals);
        const bool hasValue = equals != std::string::npos;
        const std::string value = hasValue ? option.substr(equals + 1) : "";
        if (option.empty())
        {
            throw ConfigError("command line", "", "an argument is empty");
        }
        if (name.compare(0, 1, "-") == 0 && name.compare(0, 7, "--Print") != 0 &&
            name != "--version")
        {
            if (name.find("::") != std::string::npos)
            {
                CheckDefault(name, hasValue, value);
            }
            else if (globals.count(name) > 0)
            {
                if (CheckGlobal(*globals.at(name), name, value, arguments))
                {
                    continue;
                }
            }
            else if (std::find(own.begin(), own.end(), name) == own.end())
            {
                throw ConfigError("command line",
                                  name,
                                  "unknown option; did you mean '" + NearestName(name, known) +
                                      "'?");
            }
            else if (hasValue)
            {
                throw ConfigError("command line", name, "takes no value, got '" + value + "'");
            }
        }
        rest.push_back(option);
    }
    return rest;
}

Arguments
Parse(int argc, char* argv[])
{
    Arguments arguments;
    const std::vector<std::string> rest = CheckOptions(TakeOwn(argc, argv, arguments), arguments);
    CommandLine cmd("llm-training-sim"); // the usage shows this name
    cmd.Usage("Simulates the training of a language model over a RoCEv2 fabric.\n\n"
              "Beside the options below: --set PATH=VALUE overrides a field of the scenario\n"
              "(any number of times), --output FOLDER says where files go.\n"
              "--export-chakra PREFIX and --export-goal FILE write the workload for other\n"
              "simulators instead of running it; --draw-topology FILE.svg draws the network.");
    cmd.AddValue("help-scenario", "print every field of a scenario", arguments.helpScenario);
    cmd.AddValue("manual-scenario",
                 "the same as tables of reStructuredText",
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

/** Writes the workload for others. */
void
Export(const Arguments& arguments, std::ostream& out)
{
    const ScenarioWorkload workload(RequireOneJob(
        ScenarioReader::ReadFile(FindScenarioFile(arguments.scenario), arguments.overrides)));
    if (workload.GetImported())
    {
        out << workload.GetImported()->Describe() << "\n";
    }
    if (!arguments.chakra.empty())
    {
        ExportChakra(workload, arguments.chakra, out);
    }
    if (!arguments.goal.empty())
    {
        ExportGoal(workload, arguments.goal, out);
    }
}

/** Draws the network. */
void
Draw(const Arguments& arguments, std::ostream& out)
{
    const Scenario scenario = ResolveScenarioServers(
        ScenarioReader::ReadFile(FindScenarioFile(arguments.scenario), arguments.overrides));
    SelectScenarioSimulator(scenario);
    const uint32_t ranks =
        std::max(scenario.cluster.accelerators, scenario.cluster.accelerators_per_server);
    const auto topology = MakeScenarioTopology(scenario, ranks);
    const std::string text =
        TopologyDrawing::MakeSvg(*topology, BuildScenarioFabric(scenario, *topology));
    std::ofstream file(arguments.drawing, std::ios::binary | std::ios::trunc);
    file << text << std::flush;
    if (!file)
    {
        throw ConfigError(arguments.drawing, "", "cannot be written");
    }
    out << WrapText(topology->Describe(), 80) << "drawn in " << arguments.drawing << std::endl;
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
    if (!out)
    {
        err << "the report cannot be written to standard output\n";
        return EXIT_FAILED;
    }
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
        if (!arguments.chakra.empty() || !arguments.goal.empty())
        {
            Export(arguments, out);
            return 0;
        }
        if (!arguments.drawing.empty())
        {
            Draw(arguments, out);
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

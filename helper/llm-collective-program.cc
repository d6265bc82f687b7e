/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-collective-program.h"

#include "llm-collective-sweep.h"
#include "llm-collective-table.h"
#include "llm-program-options.h"
#include "llm-scenario-reader.h"
#include "llm-shipped-files.h"

#include "ns3/llm-config-error.h"
#include "ns3/llm-nearest-name.h"
#include "ns3/llm-units.h"

#include <algorithm>
#include <cctype>
#include <fstream>
#include <iostream>
#include <sstream>
#include <string>
#include <unistd.h>
#include <utility>
#include <vector>

namespace ns3
{
namespace llm
{

namespace
{

constexpr int EXIT_FAILED = 1;    //!< a run failed
constexpr int EXIT_BAD_INPUT = 2; //!< nothing ran

const char* const SOURCE = "command line"; //!< of errors

/** What the command line says. */
struct Arguments
{
    std::string kind;                   //!< which collective
    std::string scenario;               //!< file; empty: defaults
    std::vector<std::string> overrides; //!< of --set
    std::string ranks;                  //!< -g
    std::string minBytes{"32M"};        //!< -b
    std::string maxBytes;               //!< -e; empty: minBytes
    std::string stepBytes{"1M"};        //!< -i
    std::string stepFactor{"1"};        //!< -f
    std::string iterations{"1"};        //!< -n
    std::string warmups{"1"};           //!< -w
    std::string type{"float"};          //!< -d
    std::string operation{"sum"};       //!< -o
    std::string root{"0"};              //!< -r
    std::string algorithms;             //!< comma-separated
    bool all{false};                    //!< --all
    std::string protocol;               //!< of NCCL
    std::string channels;               //!< at most
    std::string csv;                    //!< file
    std::string json;                   //!< file
};

/** Short options of nccl-tests and the long ones that they stand for. */
const std::vector<std::pair<std::string, std::string>> SHORT_OPTIONS{{"-b", "--minbytes"},
                                                                     {"-e", "--maxbytes"},
                                                                     {"-i", "--stepbytes"},
                                                                     {"-f", "--stepfactor"},
                                                                     {"-n", "--iters"},
                                                                     {"-w", "--warmup_iters"},
                                                                     {"-g", "--ngpus"},
                                                                     {"-d", "--datatype"},
                                                                     {"-o", "--op"},
                                                                     {"-r", "--root"}};

/** @return arguments with long options where short ones were: "-b8" and "-b 8" alike. */
std::vector<std::string>
Lengthen(int argc, char* argv[])
{
    std::vector<std::string> arguments;
    for (int i = 0; i < argc; ++i)
    {
        const std::string argument = argv[i];
        const auto option =
            std::find_if(SHORT_OPTIONS.begin(), SHORT_OPTIONS.end(), [&argument](const auto& o) {
                return argument.compare(0, 2, o.first) == 0;
            });
        if (i == 0 || option == SHORT_OPTIONS.end())
        {
            arguments.push_back(argument);
            continue;
        }
        const std::string rest = argument.substr(2);
        arguments.push_back(option->second + (rest.empty() || rest[0] == '=' ? rest : "=" + rest));
    }
    return arguments;
}

Arguments
Parse(int argc, char* argv[])
{
    Arguments a;
    ProgramOptions options(
        "llm-training-collective",
        "Runs a collective over a simulated fabric and prints nccl-tests' table.\n\n"
        "  llm-training-collective all_reduce -b 8 -e 128M -f 2 --algorithm nccl\n"
        "  llm-training-collective alltoall -b 1M --all --set fabric.spines=2\n\n"
        "Collectives: all_reduce, all_gather, reduce_scatter, broadcast, reduce,\n"
        "alltoall. -b -e -i -f -n -w -d -o -r are nccl-tests' own; sizes end in\n"
        "K, M or G (powers of 1024) or in a unit. Fabric, transport, cluster and\n"
        "collectives are those of a scenario: llm-training-sim --help-scenario lists\n"
        "its fields, --set changes one.");
    options.AddArgument("collective", "see above", a.kind);
    options.AddText("minbytes", "-b: first size", a.minBytes);
    options.AddText("maxbytes", "-e: last size; empty: the first", a.maxBytes);
    options.AddText("stepbytes", "-i: step to the next size", a.stepBytes);
    options.AddText("stepfactor", "-f: factor to the next size; 1: step", a.stepFactor);
    options.AddText("iters", "-n: iterations that are measured", a.iterations);
    options.AddText("warmup_iters", "-w: iterations before", a.warmups);
    options.AddText("ngpus", "-g: ranks; empty: all endpoints", a.ranks);
    options.AddText("datatype", "-d: of the elements", a.type);
    options.AddText("op", "-o: shown in the table", a.operation);
    options.AddText("root", "-r: of broadcast and reduce", a.root);
    options.AddText("algorithm", "name, or several: ring,nccl,...", a.algorithms);
    options.AddSwitch("all", "every algorithm that fits, side by side", a.all);
    options.AddText("protocol", "none, simple, ll, ll128 or nccl", a.protocol);
    options.AddText("channels", "channels, with a protocol at most", a.channels);
    options.AddText("scenario", "file, or name of a shipped one", a.scenario);
    options.AddList("set", "PATH=VALUE: a field of the scenario", a.overrides);
    options.AddText("csv", "file for the same as CSV", a.csv);
    options.AddText("json", "file for the same as JSON", a.json);
    std::vector<std::string> arguments = Lengthen(argc, argv);
    std::vector<char*> pointers;
    for (std::string& argument : arguments)
    {
        pointers.push_back(argument.data());
    }
    pointers.push_back(nullptr);
    options.Parse(static_cast<int>(arguments.size()), pointers.data());
    return a;
}

/** @return bytes; a lone K, M or G counts as a power of 1024, as in nccl-tests. */
uint64_t
ReadSize(const std::string& text, const std::string& option)
{
    const bool lone =
        text.size() > 1 && std::isdigit(static_cast<unsigned char>(text[text.size() - 2]));
    const auto unit = std::string("KMGkmg").find(text.empty() ? ' ' : text.back());
    if (lone && unit != std::string::npos)
    {
        return ParseBytes(text.substr(0, text.size() - 1) + "KMG"[unit % 3] + "iB", SOURCE, option);
    }
    return ParseBytes(text, SOURCE, option);
}

/** @return one of several names. @throw ConfigError with the nearest. */
void
CheckName(const std::string& name, const std::string& option, const std::vector<std::string>& known)
{
    if (std::find(known.begin(), known.end(), name) == known.end())
    {
        std::string list;
        for (const std::string& one : known)
        {
            list += (list.empty() ? "" : ", ") + one;
        }
        throw ConfigError(SOURCE, option, "'" + name + "' is none of " + list);
    }
}

CollectiveKind
ReadKind(const std::string& name)
{
    const std::vector<std::pair<std::string, CollectiveKind>> kinds{
        {"all_reduce", CollectiveKind::ALL_REDUCE},
        {"all_gather", CollectiveKind::ALL_GATHER},
        {"reduce_scatter", CollectiveKind::REDUCE_SCATTER},
        {"broadcast", CollectiveKind::BROADCAST},
        {"reduce", CollectiveKind::REDUCE},
        {"all_to_all", CollectiveKind::ALL_TO_ALL},
        {"alltoall", CollectiveKind::ALL_TO_ALL}};
    std::vector<std::string> known;
    for (const auto& [text, kind] : kinds)
    {
        if (text == name)
        {
            return kind;
        }
        known.push_back(text);
    }
    if (name.empty())
    {
        throw ConfigError(SOURCE,
                          "",
                          "which collective? llm-training-collective all_reduce; --help says more");
    }
    CheckName(name, "collective", known);
    return CollectiveKind::ALL_REDUCE;
}

CollectiveDataType
ReadType(const std::string& name)
{
    std::vector<std::string> known;
    for (const CollectiveDataType& type : GetCollectiveDataTypes())
    {
        if (type.name == name)
        {
            return type;
        }
        known.push_back(type.name);
    }
    CheckName(name, "--datatype", known);
    return {};
}

std::vector<std::string>
ReadAlgorithms(const Arguments& a)
{
    std::vector<std::string> names;
    std::istringstream list(a.algorithms);
    for (std::string name; std::getline(list, name, ',');)
    {
        CheckName(name, "--algorithm", CollectiveSelector().GetNames());
        if (std::find(names.begin(), names.end(), name) != names.end())
        {
            throw ConfigError(SOURCE, "--algorithm", "'" + name + "' stands twice");
        }
        names.push_back(name);
    }
    if (a.all && !names.empty())
    {
        throw ConfigError(SOURCE, "--all", "goes with no --algorithm");
    }
    return a.all ? std::vector<std::string>{"all"} : names;
}

CollectiveSweepConfig
MakeConfig(const Arguments& a)
{
    CollectiveSweepConfig config;
    config.kind = ReadKind(a.kind);
    config.algorithms = ReadAlgorithms(a);
    std::vector<std::string> overrides;
    const auto add = [&overrides](const std::string& path, const std::string& value) {
        if (!value.empty())
        {
            overrides.push_back(path + "=" + value);
        }
    };
    add("cluster.accelerators", a.ranks);
    add("collectives.protocol", a.protocol);
    add("collectives.channels", a.channels);
    overrides.insert(overrides.end(), a.overrides.begin(), a.overrides.end());
    config.scenario = a.scenario.empty()
                          ? ScenarioReader::ParseText("{}", SOURCE, overrides)
                          : ScenarioReader::ReadFile(FindScenarioFile(a.scenario), overrides);
    config.minBytes = ReadSize(a.minBytes, "--minbytes");
    config.maxBytes = a.maxBytes.empty() ? config.minBytes : ReadSize(a.maxBytes, "--maxbytes");
    config.stepBytes = ReadSize(a.stepBytes, "--stepbytes");
    config.stepFactor = ReadOptionCount(a.stepFactor, "--stepfactor", 1, 1U << 30);
    config.iterations = ReadOptionCount(a.iterations, "--iters", 1, 1000000);
    config.warmups = ReadOptionCount(a.warmups, "--warmup_iters", 0, 1000000);
    config.type = ReadType(a.type);
    config.root = ReadOptionCount(a.root, "--root", 0, UINT32_MAX);
    CheckName(a.operation, "--op", {"sum", "prod", "min", "max", "avg"});
    config.operation = a.operation;
    return config;
}

/** Writes a text whole, or says why not. */
void
WriteFile(const std::string& path, const std::string& text)
{
    std::ofstream file(path, std::ios::binary | std::ios::trunc);
    file << text << std::flush;
    if (!file)
    {
        throw ConfigError(path, "", "cannot be written");
    }
}

} // namespace

int
RunCollectiveProgram(int argc, char* argv[], std::ostream& out, std::ostream& err)
{
    try
    {
        const Arguments arguments = Parse(argc, argv);
        const CollectiveSweep sweep(MakeConfig(arguments));
        // What cannot be written is better known now than after the run.
        if (!arguments.csv.empty())
        {
            WriteCollectiveCsv({}, arguments.csv);
        }
        if (!arguments.json.empty())
        {
            WriteFile(arguments.json, "");
        }
        const bool terminal = isatty(STDERR_FILENO) != 0;
        const CollectiveSweepResult result = sweep.Run([&](const CollectiveSweepRow& row) {
            if (terminal)
            {
                std::cerr << "\r\033[K" << row.decision.algorithm << ", "
                          << FormatBytesRounded(row.bytes) << " done" << std::flush;
            }
        });
        if (terminal)
        {
            std::cerr << "\r\033[K" << std::flush;
        }
        out << FormatCollectiveTables(result) << std::flush;
        if (!arguments.csv.empty())
        {
            WriteCollectiveCsv(result, arguments.csv);
        }
        if (!arguments.json.empty())
        {
            WriteFile(arguments.json, FormatCollectiveJson(result));
        }
        for (const std::string& line : result.failure)
        {
            err << line << "\n";
        }
        if (!out)
        {
            err << "the table cannot be written to standard output\n";
        }
        return result.failure.empty() && out ? 0 : EXIT_FAILED;
    }
    catch (const ConfigError& error)
    {
        err << error.what() << std::endl;
        return EXIT_BAD_INPUT;
    }
}

} // namespace llm
} // namespace ns3

/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-program-options.h"

#include "ns3/command-line.h"
#include "ns3/llm-config-error.h"
#include "ns3/llm-nearest-name.h"
#include "ns3/llm-units.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

namespace
{

[[noreturn]] void
Fail(const std::string& path, const std::string& message)
{
    throw ConfigError("command line", path, message);
}

/** @return whether ns-3's CommandLine answers that option itself, prints and ends. */
bool
IsAnsweredByNs3(const std::string& name)
{
    return name == "help" || name == "version" || name.compare(0, 5, "Print") == 0;
}

} // namespace

ProgramOptions::ProgramOptions(const std::string& program, const std::string& usage)
    : m_program(program),
      m_usage(usage)
{
}

void
ProgramOptions::AddText(const std::string& name, const std::string& help, std::string& slot)
{
    Option option;
    option.name = name;
    option.help = help;
    option.text = &slot;
    m_options.push_back(option);
}

void
ProgramOptions::AddSwitch(const std::string& name, const std::string& help, bool& slot)
{
    Option option;
    option.name = name;
    option.help = help;
    option.flag = &slot;
    m_options.push_back(option);
}

void
ProgramOptions::AddList(const std::string& name,
                        const std::string& help,
                        std::vector<std::string>& slot)
{
    Option option;
    option.name = name;
    option.help = help;
    option.list = &slot;
    m_options.push_back(option);
}

void
ProgramOptions::AddArgument(const std::string& name, const std::string& help, std::string& slot)
{
    Option option;
    option.name = name;
    option.help = help;
    option.text = &slot;
    option.argument = true;
    m_options.push_back(option);
}

ProgramOptions::Option*
ProgramOptions::Find(const std::string& name)
{
    for (auto& option : m_options)
    {
        if (option.name == name && !option.argument)
        {
            return &option;
        }
    }
    return nullptr;
}

bool
ProgramOptions::IsGiven(const std::string& name) const
{
    return std::any_of(m_options.begin(), m_options.end(), [&name](const Option& option) {
        return option.name == name && option.given;
    });
}

void
ProgramOptions::Parse(int argc, char* argv[])
{
    std::vector<std::string> forNs3{m_program};
    std::vector<std::string> known{"--help"};
    std::string none; // what the help shows as default of a list
    CommandLine cmd(m_program);
    cmd.Usage(m_usage);
    for (auto& option : m_options)
    {
        known.push_back("--" + option.name);
        if (option.argument)
        {
            cmd.AddNonOption(option.name, option.help, *option.text);
        }
        else if (option.flag)
        {
            cmd.AddValue(option.name, option.help, *option.flag);
        }
        else
        {
            cmd.AddValue(option.name, option.help, option.text ? *option.text : none);
        }
    }
    bool asksNs3 = false;
    for (int i = 1; i < argc; ++i)
    {
        const std::string argument = argv[i];
        if (argument.compare(0, 1, "-") != 0)
        {
            const auto slot =
                std::find_if(m_options.begin(), m_options.end(), [](const Option& option) {
                    return option.argument && !option.given;
                });
            if (argument.empty() || slot == m_options.end())
            {
                Fail(argument, argument.empty() ? "an argument is empty" : "one argument too many");
            }
            *slot->text = argument;
            slot->given = true;
            continue;
        }
        const auto equals = argument.find('=');
        const std::string dashed = argument.substr(0, equals);
        const std::string name =
            dashed.substr(std::min(dashed.find_first_not_of('-'), dashed.size()));
        Option* option = Find(name);
        if (!option || dashed != "--" + name)
        {
            if (dashed == "-h" || (dashed == "--" + name && IsAnsweredByNs3(name)))
            {
                forNs3.push_back(argument);
                asksNs3 = true;
                continue;
            }
            Fail(dashed, "unknown option; did you mean '" + NearestName(dashed, known) + "'?");
        }
        if (option->flag)
        {
            if (equals != std::string::npos)
            {
                Fail(dashed, "takes no value, got '" + argument.substr(equals + 1) + "'");
            }
            *option->flag = true;
        }
        else
        {
            if (equals == std::string::npos && i + 1 >= argc)
            {
                Fail(dashed, "needs a value behind it");
            }
            const std::string value =
                equals == std::string::npos ? argv[++i] : argument.substr(equals + 1);
            if (option->text && option->given)
            {
                Fail(dashed, "stands twice, with '" + *option->text + "' and '" + value + "'");
            }
            if (option->text)
            {
                *option->text = value;
            }
            else
            {
                option->list->push_back(value);
            }
        }
        option->given = true;
    }
    if (asksNs3)
    {
        cmd.Parse(forNs3);
    }
}

uint32_t
ReadOptionCount(const std::string& text, const std::string& option, uint32_t least, uint32_t most)
{
    const uint64_t number = ParseCount(text, "command line", option);
    if (number < least || number > most)
    {
        Fail(option,
             "must be from " + std::to_string(least) + " to " + std::to_string(most) + ", is " +
                 text);
    }
    return static_cast<uint32_t>(number);
}

} // namespace llm
} // namespace ns3

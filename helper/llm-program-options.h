/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_PROGRAM_OPTIONS_H
#define LLM_PROGRAM_OPTIONS_H

#include <cstdint>
#include <list>
#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * The command line of a program: ns-3's CommandLine with what it lacks. Values may stand behind a
 * blank, options may stand several times, and what is wrong is a ConfigError of one line, where
 * CommandLine would print its help and exit.
 *
 * All values are text; whoever declares them reads them, with the functions of llm-units.h.
 */
class ProgramOptions
{
  public:
    /**
     * @param program its name.
     * @param usage first lines of the help.
     */
    ProgramOptions(const std::string& program, const std::string& usage);

    /** An option with a value. @param name without dashes. @param help line. @param slot gets the
     * value; what it holds before is the default that the help shows. */
    void AddText(const std::string& name, const std::string& help, std::string& slot);
    /** An option without a value. @param name without dashes. @param help line. @param slot gets
     * true. */
    void AddSwitch(const std::string& name, const std::string& help, bool& slot);
    /** An option that may stand several times. @param name without dashes. @param help line.
     * @param slot gets each value. */
    void AddList(const std::string& name, const std::string& help, std::vector<std::string>& slot);
    /** An argument without dashes. @param name for the help. @param help line. @param slot gets
     * it. */
    void AddArgument(const std::string& name, const std::string& help, std::string& slot);

    /**
     * Fill in the slots. --help and ns-3's --Print options print and end the program.
     * @param argc of main.
     * @param argv of main.
     * @throw ConfigError for an unknown option, a value that is missing or not wanted, an argument
     *        too many.
     */
    void Parse(int argc, char* argv[]);

    /** @param name of an option, without dashes. @return whether Parse has met it. */
    bool IsGiven(const std::string& name) const;

  private:
    /** What is known of an option. */
    struct Option
    {
        std::string name;                        //!< without dashes; of an argument, its name
        std::string help;                        //!< line
        std::string* text{nullptr};              //!< one of these is set
        bool* flag{nullptr};                     //!< one of these is set
        std::vector<std::string>* list{nullptr}; //!< one of these is set
        bool argument{false};                    //!< stands without dashes
        bool given{false};                       //!< met
    };

    Option* Find(const std::string& name);

    std::string m_program;       //!< name
    std::string m_usage;         //!< for the help
    std::list<Option> m_options; //!< in order of the help
};

/**
 * Read a whole number that an option got.
 * @param text of the option.
 * @param option with its dashes, for the error.
 * @param least that is allowed.
 * @param most that is allowed.
 * @return the number.
 * @throw ConfigError if it is none, or out of range.
 */
uint32_t ReadOptionCount(const std::string& text,
                         const std::string& option,
                         uint32_t least,
                         uint32_t most);

} // namespace llm
} // namespace ns3

#endif // LLM_PROGRAM_OPTIONS_H

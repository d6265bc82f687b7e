/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_SCENARIO_FIELD_H
#define LLM_SCENARIO_FIELD_H

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <variant>
#include <vector>

namespace ns3
{
namespace llm
{

class ScenarioListType;

/** A list of objects; what they are, the ScenarioListType of its field knows. */
struct ScenarioListSlot
{
    void* list{nullptr}; //!< the std::vector
};

/** Where the value of a field is kept. */
using ScenarioSlot = std::variant<bool*,
                                  uint32_t*,
                                  uint64_t*,
                                  int64_t*,
                                  double*,
                                  std::string*,
                                  std::vector<uint32_t>*,
                                  std::vector<std::string>*,
                                  std::map<std::string, std::string>*,
                                  ScenarioListSlot>;

/** How a field is written in JSON. */
enum class ScenarioFieldType
{
    BOOLEAN,    //!< true, false
    COUNT,      //!< whole number
    NUMBER,     //!< number
    TEXT,       //!< string
    CHOICE,     //!< one of several strings
    BYTES,      //!< whole number, or "16MiB"
    RATE,       //!< "400Gbps"
    DURATION,   //!< "500ns"
    COUNT_LIST, //!< array of whole numbers
    TEXT_LIST,  //!< array of strings
    MAP,        //!< object with names that are not known here
    MODEL,      //!< string, or an object in the form of a model file
    LIST        //!< array of objects with fields of their own
};

/** @param type which. @return "whole number", "string", ... */
const char* ToString(ScenarioFieldType type);

/**
 * @ingroup llm-training
 *
 * One field of a scenario, or of an object in one of its lists. What parses it, what the help
 * prints and what the manual's table says all come from here. ScenarioFieldSection makes them.
 */
struct ScenarioField
{
    std::string path;                             //!< "fabric.host_rate", within its object
    ScenarioFieldType type;                       //!< form in JSON
    std::function<ScenarioSlot(void*)> slot;      //!< where the value goes in the object
    std::string doc;                              //!< one sentence
    double minimum{0};                            //!< numbers, bytes, rates (bit/s), times (ps)
    double maximum{9.0e18};                       //!< see minimum
    std::vector<std::string> choices;             //!< CHOICE: allowed; COUNT: if not empty, too
    bool required{false};                         //!< of lists: every element has it
    bool inherited{false};                        //!< of lists: the same field of the scenario
                                                  //!< holds where the element has none
    std::shared_ptr<const ScenarioListType> list; //!< LIST: what the elements are

    /** @param text one sentence. @return this. */
    ScenarioField& Doc(const std::string& text);
    /** @param least allowed. @param most allowed. @return this. */
    ScenarioField& Range(double least, double most);
    /** @param allowed values. @return this. */
    ScenarioField& Choices(const std::vector<std::string>& allowed);
    /** An element of a list must have it. @return this. */
    ScenarioField& Required();
};

/**
 * @ingroup llm-training
 *
 * What the elements of a list of objects are. An element is a plain struct with a member
 * `std::set<std::string> given`, the paths of its fields that somebody set.
 */
class ScenarioListType
{
  public:
    virtual ~ScenarioListType() = default;
    /** @return fields of an element. */
    virtual const std::vector<ScenarioField>& GetFields() const = 0;
    /** @param slot whose. @return number of elements. */
    virtual std::size_t GetSize(ScenarioListSlot slot) const = 0;
    /** @param slot whose. @param size elements that it shall have; new ones have defaults. */
    virtual void Resize(ScenarioListSlot slot, std::size_t size) const = 0;
    /** @param slot whose. @param index of element. @return the element. */
    virtual void* GetElement(ScenarioListSlot slot, std::size_t index) const = 0;
    /** @param slot whose. @param index of element. @return its fields that somebody set. */
    virtual std::set<std::string>& GetGiven(ScenarioListSlot slot, std::size_t index) const = 0;
    /** @return an element with defaults. */
    virtual std::shared_ptr<void> MakeElement() const = 0;
};

} // namespace llm
} // namespace ns3

#endif // LLM_SCENARIO_FIELD_H

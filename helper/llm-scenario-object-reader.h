/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_SCENARIO_OBJECT_READER_H
#define LLM_SCENARIO_OBJECT_READER_H

#include "llm-scenario-field.h"
#include "llm-scenario-value-reader.h"

#include <nlohmann/json_fwd.hpp>
#include <set>
#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Fills in one object of a scenario from JSON, by the table of its fields: the scenario itself, or
 * an element of one of its lists, for which it makes readers of their own. An unknown key is an
 * error that names the nearest known one; a needed field that an element does not have, too.
 */
class ScenarioObjectReader
{
  public:
    /**
     * @param fields table of the object.
     * @param object to be filled in, of the type that the table describes.
     * @param given gets the paths of fields that are set.
     * @param prefix of paths in errors: empty, or "events[2].".
     */
    ScenarioObjectReader(const std::vector<ScenarioField>& fields,
                         void* object,
                         std::set<std::string>& given,
                         const std::string& prefix = "");

    /**
     * @param json object.
     * @param source file, for errors.
     * @throw ConfigError naming the path.
     */
    void Read(const nlohmann::ordered_json& json, const std::string& source);

    /**
     * Set one field: of the object, of an element of one of its lists ("jobs[0].start_time"), or an
     * entry of a map ("model.overrides.n_layer"); or some fields of a section or element at once,
     * by an object.
     * @param path of it, without the prefix.
     * @param text value: JSON, or a bare string.
     * @param source of it, for errors.
     * @throw ConfigError naming the path.
     */
    void Override(const std::string& path, const std::string& text, const std::string& source);

  private:
    /** @return the field of that path, or nullptr. */
    const ScenarioField* FindField(const std::string& path) const;
    /** @return true if some field lies below that path. */
    bool IsSection(const std::string& path) const;
    /** @return where that is. */
    ScenarioPlace MakePlace(const std::string& path, const std::string& source) const;
    /** Complain of a path that is no field, with the nearest that is. */
    [[noreturn]] void FailUnknown(const std::string& path, const std::string& source) const;
    /** Walk an object of the file. */
    void Visit(const std::string& path,
               const nlohmann::ordered_json& json,
               const std::string& source);
    /** Put one value where it belongs. */
    void Set(const ScenarioField& field,
             const nlohmann::ordered_json& value,
             const std::string& source);
    /** Read a list of objects. */
    void SetList(const ScenarioField& field,
                 const nlohmann::ordered_json& value,
                 const std::string& source);
    /** @return a reader of an element. */
    ScenarioObjectReader MakeElementReader(const ScenarioField& field, std::size_t index);
    /** Override within an element. @return false if the path does not lead into a list. */
    bool OverrideElement(const std::string& path,
                         const std::string& text,
                         const std::string& source);
    /** Override an entry of a map. @return false if the path does not lead into a map. */
    bool OverrideEntry(const std::string& path, const std::string& text, const std::string& source);

    const std::vector<ScenarioField>& m_fields; //!< table
    void* m_object;                             //!< to be filled in
    std::set<std::string>& m_given;             //!< fields that were set
    std::string m_prefix;                       //!< of paths in errors
};

} // namespace llm
} // namespace ns3

#endif // LLM_SCENARIO_OBJECT_READER_H

/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_SCENARIO_FIELD_SECTION_H
#define LLM_SCENARIO_FIELD_SECTION_H

#include "llm-scenario-field.h"

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

/** The type of a list whose elements are of type T. See ScenarioListType. */
template <typename T>
class ScenarioVectorType final : public ScenarioListType
{
  public:
    /** Function that gives the fields of an element. */
    using Table = const std::vector<ScenarioField>& (*)();

    /** @param table gives the fields of an element. */
    explicit ScenarioVectorType(Table table)
        : m_table(table)
    {
    }

    const std::vector<ScenarioField>& GetFields() const override
    {
        return m_table();
    }

    std::size_t GetSize(ScenarioListSlot slot) const override
    {
        return Vector(slot).size();
    }

    void Resize(ScenarioListSlot slot, std::size_t size) const override
    {
        Vector(slot).resize(size);
    }

    void* GetElement(ScenarioListSlot slot, std::size_t index) const override
    {
        return &Vector(slot).at(index);
    }

    std::set<std::string>& GetGiven(ScenarioListSlot slot, std::size_t index) const override
    {
        return Vector(slot).at(index).given;
    }

    std::shared_ptr<void> MakeElement() const override
    {
        return std::make_shared<T>();
    }

  private:
    static std::vector<T>& Vector(ScenarioListSlot slot)
    {
        return *static_cast<std::vector<T>*>(slot.list);
    }

    Table m_table; //!< fields
};

/**
 * @ingroup llm-training
 *
 * Adds fields to a table. The object that the table describes is a Root; the fields added here are
 * members of a Section within it:
 *
 * @code
 *   ScenarioFieldSection fabric(fields, "fabric", &Scenario::fabric);
 *   fabric.Rate("host_rate", &Scenario::FabricSection::host_rate)
 *       .Range(1, 1e15)
 *       .Doc("rate of the endpoints' links");
 * @endcode
 *
 * What a method returns may be used until the next field is added.
 */
template <typename Root, typename Section = Root>
class ScenarioFieldSection
{
  public:
    /** Fields of the object itself.
     *  @param fields table. @param path before every key; may be empty. */
    explicit ScenarioFieldSection(std::vector<ScenarioField>& fields, const std::string& path = "")
        : m_fields(fields),
          m_path(path),
          m_section([](void* root) { return static_cast<Section*>(root); })
    {
    }

    /** Fields of a member of the object.
     *  @param fields table. @param path before every key. @param member of Root. */
    ScenarioFieldSection(std::vector<ScenarioField>& fields,
                         const std::string& path,
                         Section Root::*member)
        : m_fields(fields),
          m_path(path),
          m_section([member](void* root) { return &(static_cast<Root*>(root)->*member); })
    {
    }

    /** @param key of a bool. @param member where it is kept. @return the field. */
    template <typename C>
    ScenarioField& Boolean(const std::string& key, bool C::*member)
    {
        return Add(key, ScenarioFieldType::BOOLEAN, member);
    }

    /** @param key of a whole number. @param member uint32_t or uint64_t. @return the field. */
    template <typename V, typename C>
    ScenarioField& Count(const std::string& key, V C::*member)
    {
        return Add(key, ScenarioFieldType::COUNT, member);
    }

    /** @param key of a number. @param member where it is kept. @return the field. */
    template <typename C>
    ScenarioField& Number(const std::string& key, double C::*member)
    {
        return Add(key, ScenarioFieldType::NUMBER, member);
    }

    /** @param key of a string. @param member where it is kept. @return the field. */
    template <typename C>
    ScenarioField& Text(const std::string& key, std::string C::*member)
    {
        return Add(key, ScenarioFieldType::TEXT, member);
    }

    /** @param key of one of several strings. @param member where it is kept. @return the field. */
    template <typename C>
    ScenarioField& Choice(const std::string& key, std::string C::*member)
    {
        return Add(key, ScenarioFieldType::CHOICE, member);
    }

    /** @param key of bytes. @param member where they are kept. @return the field. */
    template <typename C>
    ScenarioField& Bytes(const std::string& key, uint64_t C::*member)
    {
        return Add(key, ScenarioFieldType::BYTES, member);
    }

    /** @param key of a rate. @param member where it is kept, bit/s. @return the field. */
    template <typename C>
    ScenarioField& Rate(const std::string& key, uint64_t C::*member)
    {
        return Add(key, ScenarioFieldType::RATE, member);
    }

    /** @param key of a time. @param member where it is kept, ps. @return the field. */
    template <typename C>
    ScenarioField& Duration(const std::string& key, int64_t C::*member)
    {
        return Add(key, ScenarioFieldType::DURATION, member);
    }

    /** @param key of whole numbers. @param member where they are kept. @return the field. */
    template <typename C>
    ScenarioField& CountList(const std::string& key, std::vector<uint32_t> C::*member)
    {
        return Add(key, ScenarioFieldType::COUNT_LIST, member);
    }

    /** @param key of strings. @param member where they are kept. @return the field. */
    template <typename C>
    ScenarioField& TextList(const std::string& key, std::vector<std::string> C::*member)
    {
        return Add(key, ScenarioFieldType::TEXT_LIST, member);
    }

    /** @param key of an object with any names. @param member where they are kept.
     *  @return the field. */
    template <typename C>
    ScenarioField& Map(const std::string& key, std::map<std::string, std::string> C::*member)
    {
        return Add(key, ScenarioFieldType::MAP, member);
    }

    /** @param key of a name, a file name or an object. @param member where it is kept, as text.
     *  @return the field. */
    template <typename C>
    ScenarioField& Model(const std::string& key, std::string C::*member)
    {
        return Add(key, ScenarioFieldType::MODEL, member);
    }

    /**
     * @param key of a list of objects.
     * @param member where they are kept; elements as ScenarioListType wants them.
     * @param table gives the fields of an element.
     * @return the field.
     */
    template <typename T, typename C>
    ScenarioField& List(const std::string& key,
                        std::vector<T> C::*member,
                        typename ScenarioVectorType<T>::Table table)
    {
        ScenarioField& field = Append(key, ScenarioFieldType::LIST);
        field.slot = [section = m_section, member](void* root) {
            return ScenarioSlot(ScenarioListSlot{&(section(root)->*member)});
        };
        field.list = std::make_shared<ScenarioVectorType<T>>(table);
        return field;
    }

  private:
    /** @return a new field, which goes nowhere yet. */
    ScenarioField& Append(const std::string& key, ScenarioFieldType type)
    {
        ScenarioField field;
        field.path = m_path.empty() ? key : m_path + "." + key;
        field.type = type;
        m_fields.push_back(std::move(field));
        return m_fields.back();
    }

    /** @return a new field. */
    template <typename V, typename C>
    ScenarioField& Add(const std::string& key, ScenarioFieldType type, V C::*member)
    {
        ScenarioField& field = Append(key, type);
        field.slot = [section = m_section, member](void* root) {
            return ScenarioSlot(&(section(root)->*member));
        };
        return field;
    }

    std::vector<ScenarioField>& m_fields;     //!< table
    std::string m_path;                       //!< before every key
    std::function<Section*(void*)> m_section; //!< of an object
};

} // namespace llm
} // namespace ns3

#endif // LLM_SCENARIO_FIELD_SECTION_H

/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_CLASS_NAMES_H
#define LLM_CLASS_NAMES_H

#include "ns3/type-id.h"

#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * Names of the classes behind one plug point, as people write them in scenarios and on command
 * lines: short ones of this module's classes, and the TypeId name of any registered class that
 * derives from the plug point and can be constructed, wherever it was written.
 */
class ClassNames
{
  public:
    /** A short name. */
    struct ShortName
    {
        const char* name;   //!< as written
        TypeId (*typeId)(); //!< of what it means
    };

    /**
     * @param what is named, for errors: "congestion control".
     * @param base class that all derive from.
     * @param shortNames in the order in which they are told.
     */
    ClassNames(const std::string& what, TypeId (*base)(), const std::vector<ShortName>& shortNames);

    /**
     * @param name short name or TypeId name.
     * @param source where the name was written, for the error: a file, "command line" ...
     * @param path place inside the source; may be empty.
     * @return the class.
     * @throw ConfigError if there is no such class; it says the nearest name, and all.
     */
    TypeId Lookup(const std::string& name,
                  const std::string& source,
                  const std::string& path = "") const;

    /** @return all names: the short ones, then TypeIds in alphabetic order. */
    std::vector<std::string> GetNames() const;

  private:
    /** @return true if one of these can be made of it. @param tid any type. */
    bool IsOne(TypeId tid) const;

    std::string m_what;                  //!< "congestion control"
    TypeId (*m_base)();                  //!< common base
    std::vector<ShortName> m_shortNames; //!< in order
};

} // namespace llm
} // namespace ns3

#endif // LLM_CLASS_NAMES_H

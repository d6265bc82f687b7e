/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_CONFIG_ERROR_H
#define LLM_CONFIG_ERROR_H

#include <stdexcept>
#include <string>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * The one exception that the module throws for input that cannot be run: a bad scenario, model
 * file, layout or attribute. what() is one line, "source: path: message", fit for stderr as it is:
 * line breaks and other control characters, as quoted input may have them, become spaces.
 */
class ConfigError : public std::runtime_error
{
  public:
    /**
     * @param source where the input came from: a file name, "command line", or a class name.
     * @param path JSON path or "line N"; empty where there is none.
     * @param message what is wrong, with both numbers where two disagree, and what would be right.
     */
    ConfigError(const std::string& source, const std::string& path, const std::string& message)
        : std::runtime_error(MakeLine(source + ": " + (path.empty() ? "" : path + ": ") + message)),
          m_source(source),
          m_path(path),
          m_message(MakeLine(message))
    {
    }

    /** @return where the input came from. */
    const std::string& GetSource() const
    {
        return m_source;
    }

    /** @return the place inside the source. */
    const std::string& GetPath() const
    {
        return m_path;
    }

    /** @return the message without source and path. */
    const std::string& GetMessage() const
    {
        return m_message;
    }

  private:
    /** @param text any. @return the same without control characters. */
    static std::string MakeLine(std::string text)
    {
        for (char& letter : text)
        {
            const bool control = static_cast<unsigned char>(letter) < ' ' || letter == '\x7f';
            letter = control ? ' ' : letter;
        }
        return text;
    }

    std::string m_source;  //!< file or class
    std::string m_path;    //!< JSON path or line
    std::string m_message; //!< what is wrong
};

} // namespace llm
} // namespace ns3

#endif // LLM_CONFIG_ERROR_H

/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_TRACE_H
#define FABRIC_TRACE_H

#include "ns3/traced-callback.h"

#include <cstdint>
#include <memory>
#include <string>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * A trace source for objects on the packet path: as TracedCallback, but it occupies no memory
 * before somebody connects, and can say so in a flag byte of its owner, so that one test of a hot
 * byte stands for many unconnected sources.
 *
 * @tparam Ts arguments of the sinks.
 */
template <typename... Ts>
class FabricTrace
{
  public:
    /**
     * @param flags byte of the owner.
     * @param bit set in it once a sink was ever connected.
     */
    FabricTrace(uint8_t& flags, uint8_t bit)
        : m_flags(&flags),
          m_bit(bit)
    {
    }

    /** A source that the packet path does not ask for. */
    FabricTrace()
        : m_flags(nullptr),
          m_bit(0)
    {
    }

    /** @return whether a sink was ever connected. */
    bool IsConnected() const
    {
        return m_sinks != nullptr;
    }

    /** @param callback sink. */
    void ConnectWithoutContext(const CallbackBase& callback)
    {
        Get().ConnectWithoutContext(callback);
    }

    /** @param callback sink. @param path context. */
    void Connect(const CallbackBase& callback, std::string path)
    {
        Get().Connect(callback, path);
    }

    /** @param callback sink. */
    void DisconnectWithoutContext(const CallbackBase& callback)
    {
        Get().DisconnectWithoutContext(callback);
    }

    /** @param callback sink. @param path context. */
    void Disconnect(const CallbackBase& callback, std::string path)
    {
        Get().Disconnect(callback, path);
    }

    /** @param args go to every sink. */
    void operator()(Ts... args) const
    {
        if (m_sinks)
        {
            (*m_sinks)(args...);
        }
    }

  private:
    /** @return sinks, made on first use. */
    TracedCallback<Ts...>& Get()
    {
        if (!m_sinks)
        {
            m_sinks = std::make_unique<TracedCallback<Ts...>>();
            if (m_flags)
            {
                *m_flags |= m_bit;
            }
        }
        return *m_sinks;
    }

    std::unique_ptr<TracedCallback<Ts...>> m_sinks; //!< connected sinks
    uint8_t* m_flags;                               //!< of the owner, or nullptr
    uint8_t m_bit;                                  //!< in m_flags
};

} // namespace llm
} // namespace ns3

#endif // FABRIC_TRACE_H

/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_DEADLOCK_DETECTOR_H
#define FABRIC_DEADLOCK_DETECTOR_H

#include "ns3/fabric-event-queue.h"
#include "ns3/nstime.h"
#include "ns3/object.h"
#include "ns3/traced-callback.h"

#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

class Fabric;
class FabricPort;

/** A port and a class of its transmitter. */
struct FabricPortClass
{
    const FabricPort* port; //!< at a switch
    uint8_t trafficClass;   //!< 0..7
};

/**
 * @ingroup llm-training
 *
 * Finds deadlocks of PFC in a running fabric: switch transmitters that are paused and wait for each
 * other in a circle. A transmitter waits for those of the next switch that hold frames which came
 * in from it; it is stuck if all of these are stuck too. That is exact: the next switch resumes a
 * class only when one of these frames leaves, so without outside help (a watchdog, a failure) no
 * stuck transmitter ever sends again. One whose peer is a host, however long it pauses, is not.
 *
 * FindCycle looks once. A detector looks every Interval as long as a class is paused somewhere, and
 * stops the simulation when it finds a cycle, if told to; it tells what it found by the trace
 * source Deadlock and by GetFound.
 */
class FabricDeadlockDetector : public Object, public FabricEventHandler
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();
    FabricDeadlockDetector();
    ~FabricDeadlockDetector() override;

    /** @param fabric looked at now. @return a circle, each waiting for the next; empty: none. */
    static std::vector<FabricPortClass> FindCycle(const Fabric& fabric);
    /** @param cycle from FindCycle. @return it in one line, "class 3: a:1 -> b:0 -> a:1". */
    static std::string Describe(const std::vector<FabricPortClass>& cycle);

    /** @param fabric to look at; calls Arm. */
    void Watch(Fabric* fabric);
    /** A class is paused somewhere. @param now present tick. */
    void Arm(int64_t now);

    /** @return the first cycle found, in one line; empty if there was none. */
    const std::string& GetFound() const
    {
        return m_found;
    }

    void HandleFabricEvent(FabricEventKind kind, int64_t now) override;

    /** Signature of Deadlock. @param cycle in one line. */
    typedef void (*DeadlockTracedCallback)(const std::string& cycle);

  private:
    Fabric* m_fabric{nullptr};                     //!< looked at
    uint32_t m_id{0};                              //!< event id
    bool m_armed{false};                           //!< a look is pending
    bool m_stop{true};                             //!< attribute Stop
    Time m_interval;                               //!< attribute Interval
    std::string m_found;                           //!< first cycle
    TracedCallback<const std::string&> m_deadlock; //!< Deadlock
};

} // namespace llm
} // namespace ns3

#endif // FABRIC_DEADLOCK_DETECTOR_H

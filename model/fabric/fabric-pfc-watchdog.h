/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_PFC_WATCHDOG_H
#define FABRIC_PFC_WATCHDOG_H

#include "ns3/fabric-event-queue.h"
#include "ns3/nstime.h"
#include "ns3/object.h"

#include <array>
#include <cstdint>

namespace ns3
{
namespace llm
{

class FabricPort;

/**
 * @ingroup llm-training
 *
 * The PFC watchdog of a switch port, as in SONiC and Junos: a traffic class that its peer has held
 * back for DetectionTime without a break, with frames queued at every poll, is in a storm. Then the
 * watchdog drops what is queued and what comes (DROP), sends it in spite of the pause (FORWARD), or
 * only tells (ALERT). Once no XOFF has come for RestorationTime the class is ordinary again.
 *
 * Polls stand on multiples of PollInterval and take place only while a class is paused or in a
 * storm: a storm is found up to one PollInterval late, as on real switches. One instance per switch
 * port, made by copying the switch's prototype. Not modelled: SONiC's drops at ingress of the
 * same port, and its tolerance of short breaks in the pause (1 %).
 */
class FabricPfcWatchdog : public Object, public FabricEventHandler
{
  public:
    /** What is done to a class in a storm. */
    enum Action
    {
        DROP,    //!< its queue is emptied, and what comes for it is dropped
        FORWARD, //!< its pauses are ignored
        ALERT    //!< nothing: counted and traced
    };

    /** @return type id. */
    static TypeId GetTypeId();
    FabricPfcWatchdog();
    ~FabricPfcWatchdog() override;

    /** @return a new watchdog with the same parameters. */
    Ptr<FabricPfcWatchdog> Copy() const;

    /**
     * @param port whose transmitter is watched; at a switch.
     * @param events of the fabric.
     * @param nodeId context of the polls.
     */
    void Configure(FabricPort* port, FabricEventQueue& events, uint32_t nodeId);

    /**
     * A pause frame has come for a class.
     * @param trafficClass 0..7.
     * @param quanta of the pause; 0 is XON.
     * @param now present tick.
     * @return true if the port must not obey it.
     */
    bool TakePause(uint8_t trafficClass, uint16_t quanta, int64_t now);

    /** @return bits of the classes in a storm. */
    uint8_t GetStorms() const
    {
        return m_storms;
    }

    void HandleFabricEvent(FabricEventKind kind, int64_t now) override;

  protected:
    void DoDispose() override;

  private:
    /** Look at one class. @return true if it needs another look. */
    bool Look(uint8_t trafficClass, int64_t now);
    /** Have a poll on the next multiple of PollInterval. */
    void Arm(int64_t now);

    Time m_detectionTime;                //!< attribute DetectionTime
    Time m_restorationTime;              //!< attribute RestorationTime
    Time m_pollInterval;                 //!< attribute PollInterval
    Action m_action{DROP};               //!< attribute Action
    FabricPort* m_port{nullptr};         //!< watched
    FabricEventQueue* m_events{nullptr}; //!< event core
    uint32_t m_id{0};                    //!< event id
    uint8_t m_storms{0};                 //!< classes in a storm
    bool m_armed{false};                 //!< a poll is pending
    std::array<int64_t, 8> m_lastXoff{}; //!< tick of the last XOFF
    std::array<int64_t, 8> m_lastIdle{}; //!< tick of the last poll that found nothing queued
};

} // namespace llm
} // namespace ns3

#endif // FABRIC_PFC_WATCHDOG_H

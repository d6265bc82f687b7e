/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_TROUBLE_SCHEDULE_H
#define LLM_TROUBLE_SCHEDULE_H

#include "llm-trouble-record.h"
#include "llm-trouble-targets.h"

#include "ns3/data-rate.h"
#include "ns3/event-id.h"
#include "ns3/fabric-loss-model.h"
#include "ns3/nstime.h"

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

namespace ns3
{
namespace llm
{

/** What can go wrong. */
enum class TroubleKind : uint8_t
{
    LINK_DOWN,       //!< a link goes down, for a duration or for good
    LINK_UP,         //!< a link that was taken down comes up
    LINK_FLAP,       //!< a link goes down and up again and again
    LINK_RATE,       //!< a link falls back to another rate, for a duration or for good
    BIT_ERRORS,      //!< a link spoils bits, for a duration or for good
    SWITCH_DOWN,     //!< a switch is switched off, for a duration or for good
    SWITCH_UP,       //!< a switch comes up
    HOST_DOWN,       //!< all links of hosts go down, for a duration or for good
    HOST_UP,         //!< they come up
    PAUSE_STORM,     //!< the NIC of a host says XOFF all the time, for a duration or for good
    SLOW_ACCELERATOR //!< computations of a host take longer, for a duration or for good
};

/** @return "link_down", ... in the order of TroubleKind. */
const std::vector<std::string>& GetTroubleNames();
/** @param kind which. @return "link_down", ... */
const std::string& ToString(TroubleKind kind);
/** @param name "link_down", ... @return which. @throw ConfigError naming the nearest name. */
TroubleKind ParseTroubleKind(const std::string& name);

/** One entry of a TroubleSchedule: fill in what its kind needs. */
struct TroubleEvent
{
    Time at;                                  //!< when, since the start of the simulation
    TroubleKind kind{TroubleKind::LINK_DOWN}; //!< what
    std::string target;                       //!< of what; see TroubleTargets
    Time duration;                            //!< then all is well again; 0: never
    Time period;                              //!< LINK_FLAP: from one down to the next, > 0
    double duty{0.5};                         //!< LINK_FLAP: share of a period that it is down
    uint32_t count{1};                        //!< LINK_FLAP: times
    DataRate rate;                            //!< LINK_RATE: new rate
    double factor{1};                         //!< SLOW_ACCELERATOR: times the duration, > 0
    double bitErrorRate{0};                   //!< BIT_ERRORS: probability per bit
    std::vector<uint32_t> trafficClasses{3};  //!< PAUSE_STORM: 0..7
};

/**
 * @ingroup llm-training
 *
 * Failures and their end, at their times: links, switches, hosts, NICs, accelerators of a network.
 * All it does goes by public calls of those (FabricPort::SetLinkUp, SetRate, SetLossModel,
 * PausePeer, FabricSwitch::SetUp, LlmTrainingApplication::SetSlowdown), which a program can as well
 * make itself.
 *
 * Events that overlap on one target: a link is down from the first down to the first up; the rate
 * set last counts, and the end of any returns to the rate at Build; bit errors and slow
 * accelerators add up.
 */
class TroubleSchedule
{
  public:
    /** Told of everything that happens. */
    using Listener = std::function<void(const TroubleRecord&)>;

    /** @param network in which things go wrong; with its applications, once events are due. */
    explicit TroubleSchedule(const FabricNetwork& network);
    ~TroubleSchedule();
    TroubleSchedule(const TroubleSchedule&) = delete;
    TroubleSchedule& operator=(const TroubleSchedule&) = delete;

    /** @return names of the network, to add those of ranks. */
    TroubleTargets& GetTargets();
    /** @param listener called when something happens. */
    void AddListener(const Listener& listener);
    /**
     * @param event to schedule; its time is not before now.
     * @throw ConfigError if its target does not exist or a value is out of range.
     */
    void Add(const TroubleEvent& event);
    /** Let nothing more happen, and pause storms end: all that would only keep the simulation
     *  going. */
    void Cancel();

    /** @return what has happened, in order. */
    const std::vector<TroubleRecord>& GetRecords() const
    {
        return m_records;
    }

  private:
    /** Something that is done to a target. */
    using Action = std::function<std::string()>;

    /** Do @p action at @p at and keep what it says. */
    void At(Time at, const std::string& kind, const std::string& target, const Action& action);
    /** Keep a record and tell it. */
    void Note(const std::string& kind, const std::string& target, const std::string& effect);
    /** Sink of the fabric's RoutesRecomputed. */
    void RoutesRecomputed(uint32_t linksDown);

    void AddLink(const TroubleEvent& event);        //!< LINK_DOWN, LINK_UP, HOST_DOWN, HOST_UP
    void AddFlap(const TroubleEvent& event);        //!< LINK_FLAP
    void AddRate(const TroubleEvent& event);        //!< LINK_RATE
    void AddBitErrors(const TroubleEvent& event);   //!< BIT_ERRORS
    void AddSwitch(const TroubleEvent& event);      //!< SWITCH_DOWN, SWITCH_UP
    void AddStorm(const TroubleEvent& event);       //!< PAUSE_STORM
    void AddAccelerator(const TroubleEvent& event); //!< SLOW_ACCELERATOR

    /** A NIC begins or ends to say XOFF. */
    void Storm(FabricPort* port, uint8_t trafficClass, bool begins);
    /** @return links that an event is about. */
    std::vector<FabricPort*> FindLinks(const TroubleEvent& event) const;
    /** Take links down or up. @return what that did. */
    std::string SwitchLinks(const std::vector<FabricPort*>& links, bool up) const;
    /** Make accelerators slower by a factor, or take that back. @return what that did. */
    std::string SlowDown(const std::vector<uint32_t>& endpoints, double factor, bool begins) const;

    Ptr<Fabric> m_fabric;                    //!< network
    TroubleTargets m_targets;                //!< its names
    std::vector<EventId> m_events;           //!< scheduled
    std::vector<Listener> m_listeners;       //!< told
    std::vector<TroubleRecord> m_records;    //!< what happened
    std::map<FabricPort*, uint64_t> m_rates; //!< bit/s at Build of links that changed theirs
    std::map<std::pair<FabricPort*, uint8_t>, uint32_t> m_storms; //!< that rage, by port and class
};

} // namespace llm
} // namespace ns3

#endif // LLM_TROUBLE_SCHEDULE_H

/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef RDMA_DCQCN_BASE_H
#define RDMA_DCQCN_BASE_H

#include "rdma-congestion-ops.h"

#include <cstdint>
#include <limits>
#include <string>

namespace ns3
{
namespace llm
{

/**
 * @ingroup llm-training
 *
 * What all DCQCN reaction points have in common (Zhu et al., "Congestion Control for Large-Scale
 * RDMA Deployments", SIGCOMM 2015, s. 3 and 5, after QCN, IEEE 802.1Qau): a current and a target
 * rate, an estimate alpha of congestion, and increases by an interval of time and an interval of
 * bytes. Derived classes say what a CNP does, and which increase follows how many intervals.
 *
 * Nothing ticks without need. Alpha is brought up to date when it is wanted, by the same
 * multiplications in the same order as if a timer had ticked, so the result is the same to the
 * bit. The increase timer runs only while the rate is below the line rate and the queue pair has
 * something to send; increases that fall into idle time are made up for when it ends. Bytes count
 * only below the line rate.
 *
 * At equal time a CNP comes before a timer.
 *
 * Rates are doubles inside; the pacing rate is their whole part, in bit/s. Attributes are read in
 * Init; later changes have no effect.
 *
 * Not modelled: the hardware's fixed-point numbers, and the limited number of its rate limiters.
 */
class RdmaDcqcnBase : public RdmaCongestionOps
{
  public:
    /** @return type id. */
    static TypeId GetTypeId();
    RdmaDcqcnBase();
    ~RdmaDcqcnBase() override;

    /** @return CNPs, and OnSend where a byte counter is configured. */
    uint32_t GetNeeds() const override;
    /**
     * Start at line rate (DCQCN has no slow start).
     * @param path that the queue pair uses.
     * @throw ConfigError if the attributes contradict each other or the path.
     */
    void Init(const RdmaPathInfo& path) override;
    void OnSend(Time now, uint32_t wireBytes) override;
    void OnTimer(Time now, uint32_t id) override;
    void OnIdle(Time now) override;
    void OnIdleRestart(Time now, Time idle) override;

    /**
     * @param now present time.
     * @return congestion estimate with all updates that are due, the present instant's included; 0
     *         to 1.
     */
    virtual double GetAlpha(Time now) const = 0;

    /** @return rate now in force, bit/s; GetRate() without its fraction, except in idle time. */
    double GetCurrentRate() const
    {
        return m_current;
    }

    /** @return rate that increases aim at, bit/s. */
    double GetTargetRate() const
    {
        return m_target;
    }

    /** @return increase timer intervals since the last decrease. */
    uint32_t GetTimerStage() const
    {
        return m_timerStage;
    }

    /** @return byte counter intervals since the last decrease. */
    uint32_t GetByteStage() const
    {
        return m_byteStage;
    }

  protected:
    /** Tick that never comes. */
    static constexpr int64_t NEVER = std::numeric_limits<int64_t>::max();
    /** Timer id of increases. */
    static constexpr uint32_t INCREASE_TIMER = 0;

    /** Initial values of the attributes that AddParameters adds, as ns-3 writes them. */
    struct Defaults
    {
        std::string g;                 //!< weight of alpha
        std::string initialAlpha;      //!< alpha at the first CNP
        std::string alphaTimer;        //!< interval of alpha's updates
        std::string increaseTimer;     //!< interval of increases
        std::string byteCounter;       //!< bytes between increases
        std::string fastRecoverySteps; //!< F
        std::string rateAi;            //!< additive step
        std::string rateHai;           //!< hyper step
        std::string minRate;           //!< floor
        std::string aiReferenceRate;   //!< of AiReferenceRate
    };

    /**
     * Give a derived type the attributes of this class with defaults of its own.
     * @param tid the derived type.
     * @param defaults initial values.
     * @return tid.
     */
    static TypeId AddParameters(TypeId tid, const Defaults& defaults);

    /**
     * @param lowest and
     * @param highest of the stages of timer and byte counter, the new one included; equal if only
     *        one of them is in use.
     * @return what to add to the target rate now, bit/s.
     */
    virtual double GetTargetStep(uint32_t lowest, uint32_t highest) const = 0;

    /**
     * Decrease: multiply the current rate, start the stages anew.
     * @param now tick.
     * @param factor of the current rate, 0 to 1; MinRate is kept.
     * @param moveTarget true: the target becomes the rate from before.
     */
    void Decrease(int64_t now, double factor, bool moveTarget);
    /** Set current and target rate, start the stages anew. @param now tick. @param rate bit/s. */
    void SetBothRates(int64_t now, double rate);
    /** Make up for increases before now that an idle queue pair slept through. @param now tick. */
    void CatchUp(int64_t now);
    /** Have OnTimer called. @param id of the timer. @param at tick. */
    void Arm(uint32_t id, int64_t at);
    /** Have OnTimer not called. @param id of the timer. */
    void Disarm(uint32_t id);

    /**
     * @param alpha estimate.
     * @param updates how many without a CNP.
     * @return what is left of it.
     */
    double Decay(double alpha, int64_t updates) const;
    /** @return alpha after an update with a CNP. @param alpha before. */
    double Excite(double alpha) const;

    /** @return attribute AlphaTimer in ticks. */
    int64_t GetAlphaPeriod() const
    {
        return m_alphaPeriod;
    }

    /** @return attribute InitialAlpha. */
    double GetInitialAlpha() const
    {
        return m_initialAlpha;
    }

    /** @return additive step, bit/s. */
    double GetAdditiveStep() const
    {
        return m_additiveStep;
    }

    /** @return hyper step, bit/s. */
    double GetHyperStep() const
    {
        return m_hyperStep;
    }

    /** @return attribute FastRecoverySteps. */
    uint32_t GetFastRecoverySteps() const
    {
        return m_fastRecoverySteps;
    }

  private:
    /** One increase: move the target, halve the distance to it. */
    void Raise();
    /** Stages start anew, and the increase timer with them. @param now tick. */
    void RestartStages(int64_t now);
    /** Set when the next increase is due. @param at tick or NEVER. */
    void SetIncrease(int64_t at);
    /** Tell the queue pair rate and window. */
    void Publish();

    double m_g;                   //!< attribute G
    double m_initialAlpha;        //!< attribute InitialAlpha
    Time m_alphaTimer;            //!< attribute AlphaTimer
    Time m_increaseTimer;         //!< attribute IncreaseTimer
    uint64_t m_byteCounter;       //!< attribute ByteCounter
    uint32_t m_fastRecoverySteps; //!< attribute FastRecoverySteps
    bool m_variableWindow;        //!< attribute VariableWindow
    bool m_idle{false};           //!< the increase timer rests
    DataRate m_rateAi;            //!< attribute RateAi
    DataRate m_rateHai;           //!< attribute RateHai
    DataRate m_aiReferenceRate;   //!< attribute AiReferenceRate
    DataRate m_minRate;           //!< attribute MinRate
    double m_windowBdp;           //!< attribute WindowBdp

    int64_t m_alphaPeriod{1};    //!< ticks
    int64_t m_increasePeriod{0}; //!< ticks; 0: no timer
    double m_keep{0};            //!< 1 - g
    double m_line{0};            //!< bit/s
    double m_floor{1};           //!< bit/s
    double m_additiveStep{0};    //!< bit/s
    double m_hyperStep{0};       //!< bit/s
    double m_fullWindow{0};      //!< bytes at line rate; 0: unlimited
    uint64_t m_leastWindow{1};   //!< bytes, one packet
    double m_current{0};         //!< Rc, bit/s
    double m_target{0};          //!< Rt, bit/s
    uint64_t m_countedBytes{0};  //!< since the last interval of the byte counter
    int64_t m_increaseAt{NEVER}; //!< tick of the next increase by time
    uint32_t m_timerStage{0};    //!< T
    uint32_t m_byteStage{0};     //!< BC
};

} // namespace llm
} // namespace ns3

#endif // RDMA_DCQCN_BASE_H

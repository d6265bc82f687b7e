/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef FABRIC_SHARED_BUFFER_H
#define FABRIC_SHARED_BUFFER_H

#include "fabric-buffer-policy.h"

#include "ns3/object.h"

#include <array>
#include <cstdint>
#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

class FabricEventQueue;

/** What a buffer knows of a port. */
struct FabricBufferPort
{
    uint64_t headroom;      //!< bytes of headroom that each of its lossless classes needs
    uint64_t bitsPerSecond; //!< rate
};

/**
 * @ingroup llm-training
 *
 * Packet memory of a switch, shared by all ports: a reserve per (ingress port, class), a pool
 * shared under a FabricBufferPolicy, and headroom per (ingress port, lossless class) that only
 * takes what arrives after XOFF was decided. Lossless classes are accounted at ingress; lossy
 * classes at egress, where the policy's threshold drops. PFC is decided here: a class is to be
 * paused once it uses headroom or reaches its threshold, and resumed when it is below again.
 *
 * With HeadroomOversubscription above 1 the headroom of all ports is a common pool, smaller than
 * the sum of what each may take from it: right only if not all ports need it at a time.
 *
 * A subclass can account for frames in another way: it sets m_accounting to OTHER in Configure and
 * overrides the functions that begin with Do. The way of this class does not pay for that.
 *
 * All counters are 64-bit bytes of Ethernet frames with FCS. Reserve, shared and headroom in use
 * always add up to what is queued. A frame leaves the buffer when its transmission starts.
 */
class FabricSharedBuffer : public Object
{
  public:
    /** Result of Admit. */
    enum class Verdict : uint8_t
    {
        ACCEPT,       //!< stored
        DROP_BUFFER,  //!< lossy: over the threshold or the memory is full
        DROP_HEADROOM //!< lossless: headroom exhausted; a wrong configuration or a failure
    };

    /** @return type id. */
    static TypeId GetTypeId();

    FabricSharedBuffer();
    ~FabricSharedBuffer() override;

    /**
     * Fix sizes; once, before traffic.
     * @param ports by index.
     * @param events know the time; live as long as there is traffic.
     * @param name of the switch, for errors.
     * @throw ConfigError if reserve and headroom exceed the buffer.
     */
    virtual void Configure(const std::vector<FabricBufferPort>& ports,
                           const FabricEventQueue& events,
                           const std::string& name);

    /**
     * @param ingress port index where the frame came in.
     * @param egress port index where it will leave.
     * @param trafficClass 0..7.
     * @param bytes frame length.
     * @return whether it was stored.
     */
    Verdict Admit(uint32_t ingress, uint32_t egress, uint8_t trafficClass, uint32_t bytes)
    {
        switch (m_accounting[trafficClass])
        {
        case Accounting::LOSSLESS:
            return AdmitLossless(ingress * 8 + trafficClass, bytes);
        case Accounting::LOSSY:
            return AdmitLossy(m_egress[egress * 8 + trafficClass], bytes);
        default:
            return DoAdmit(ingress, egress, trafficClass, bytes);
        }
    }

    /** The frame's transmission starts. Parameters as of Admit. */
    void Release(uint32_t ingress, uint32_t egress, uint8_t trafficClass, uint32_t bytes)
    {
        switch (m_accounting[trafficClass])
        {
        case Accounting::LOSSLESS:
            ReleaseShare(m_ingress[ingress * 8 + trafficClass], bytes);
            break;
        case Accounting::LOSSY:
            ReleaseLossy(m_egress[egress * 8 + trafficClass], bytes);
            break;
        default:
            DoRelease(ingress, egress, trafficClass, bytes);
            break;
        }
    }

    /**
     * After Admit.
     * @param ingress port.
     * @param trafficClass of the frame.
     * @return true if the peer must be paused now; it then counts as paused.
     */
    bool BeginPause(uint32_t ingress, uint8_t trafficClass)
    {
        if (m_accounting[trafficClass] != Accounting::LOSSLESS)
        {
            return m_accounting[trafficClass] == Accounting::OTHER &&
                   DoBeginPause(ingress, trafficClass);
        }
        Share& share = m_ingress[ingress * 8 + trafficClass];
        if (share.paused ||
            (share.headroom == 0 &&
             (share.shared == 0 || share.shared < m_policy->GetThreshold(m_sharedSize, m_shared))))
        {
            return false;
        }
        share.paused = true;
        return true;
    }

    /**
     * After Release.
     * @param ingress port.
     * @param trafficClass of the frame.
     * @return true if the peer was paused and may send again; it then counts as not paused.
     */
    bool EndPause(uint32_t ingress, uint8_t trafficClass)
    {
        Share& share = m_ingress[ingress * 8 + trafficClass];
        if (!share.paused || share.headroom > 0)
        {
            return false;
        }
        if (m_accounting[trafficClass] == Accounting::OTHER)
        {
            return DoEndPause(ingress, trafficClass);
        }
        if (share.shared > 0 &&
            share.shared + m_xonOffset > m_policy->GetThreshold(m_sharedSize, m_shared))
        {
            return false;
        }
        share.paused = false;
        return true;
    }

    /** @param trafficClass 0..7. @return true if PFC protects it. */
    bool IsLossless(uint8_t trafficClass) const
    {
        return (m_losslessClasses >> trafficClass) & 1;
    }

    /** @return bits of the lossless classes. */
    uint8_t GetLosslessClasses() const
    {
        return m_losslessClasses;
    }

    /** @return bytes stored: reserve, shared and headroom. */
    uint64_t GetUsed() const
    {
        return m_reserved + m_shared + m_headroom;
    }

    /** @return bytes of the shared pool in use. */
    uint64_t GetSharedUsed() const
    {
        return m_shared;
    }

    /** @return size of the shared pool. */
    uint64_t GetSharedSize() const
    {
        return m_sharedSize;
    }

    /** @return headroom in use, all ports. */
    uint64_t GetHeadroomUsed() const
    {
        return m_headroom;
    }

    /** @return headroom that all ports together may use. */
    uint64_t GetHeadroomPool() const
    {
        return m_headroomPool;
    }

    /** @return the most bytes ever stored. */
    uint64_t GetPeak() const
    {
        return m_peak;
    }

    /** @return bytes of (port, class) stored at ingress: reserve, shared and headroom. */
    uint64_t GetIngressUsed(uint32_t port, uint8_t trafficClass) const;
    /** @return the most headroom bytes that (port, class) ever used. */
    uint64_t GetHeadroomPeak(uint32_t port, uint8_t trafficClass) const;
    /** @return headroom bytes that (port, class) may use. */
    uint64_t GetHeadroomLimit(uint32_t port, uint8_t trafficClass) const;
    /** @return bytes of (port, class) stored at egress; here of lossy classes only. */
    virtual uint64_t GetEgressUsed(uint32_t port, uint8_t trafficClass) const;

    /** @return sum over all (port, class); equals GetUsed, for checks. */
    uint64_t SumOfShares() const;

    /**
     * For checks.
     * @param queued bytes of all frames in the switch.
     * @return empty if all sums equal that, else what does not.
     */
    virtual std::string Check(uint64_t queued) const;

  protected:
    /** How a class is accounted for. */
    enum class Accounting : uint8_t
    {
        LOSSY,    //!< at egress, under the pool's threshold
        LOSSLESS, //!< at ingress, with reserve and headroom
        OTHER     //!< by the functions that begin with Do
    };

    /** What one (port, class) uses. */
    struct Share
    {
        uint64_t reserved{0}; //!< of its reserve
        uint64_t shared{0};   //!< of the pool
        uint64_t headroom{0}; //!< of its headroom
        bool paused{false};   //!< the peer is held back
    };

    /** Headroom of one (port, class), looked at only when it is used. */
    struct Headroom
    {
        uint64_t limit{0}; //!< bytes it may use
        uint64_t peak{0};  //!< most ever used
    };

    /** Admit of a class with accounting OTHER; here for policies that treat queues apart. */
    virtual Verdict DoAdmit(uint32_t ingress,
                            uint32_t egress,
                            uint8_t trafficClass,
                            uint32_t bytes);
    /** Release of such a class. */
    virtual void DoRelease(uint32_t ingress, uint32_t egress, uint8_t trafficClass, uint32_t bytes);
    /** BeginPause of such a class. */
    virtual bool DoBeginPause(uint32_t ingress, uint8_t trafficClass);
    /** EndPause of such a class, where the peer is paused and no headroom is in use. */
    virtual bool DoEndPause(uint32_t ingress, uint8_t trafficClass);

    /** Share out the memory. @param reserve sum. @param headroom sum. */
    void ShareOut(uint64_t reserve, uint64_t headroom, std::size_t ports, const std::string& name);
    /** Take headroom. @return false if there is none left. */
    bool TakeHeadroom(uint32_t index, uint32_t bytes);
    /** Undo what a share was given, headroom first. */
    void ReleaseShare(Share& share, uint32_t bytes);
    /** @return present tick. */
    int64_t Now() const;

    /** Keep the peak. */
    void NotePeak()
    {
        const uint64_t used = GetUsed();
        m_peak = used > m_peak ? used : m_peak;
    }

    std::array<Accounting, 8> m_accounting{};  //!< by class
    uint64_t m_bufferSize;                     //!< attribute Size
    uint64_t m_reserveSize;                    //!< attribute Reserve
    uint64_t m_xonOffset;                      //!< attribute XonOffset
    uint8_t m_losslessClasses;                 //!< attribute LosslessClasses
    Ptr<FabricBufferPolicy> m_policyPtr;       //!< attribute Policy
    FabricBufferPolicy* m_policy{nullptr};     //!< same, without reference counting
    const FabricEventQueue* m_events{nullptr}; //!< knows the time
    double m_oversubscription;                 //!< attribute HeadroomOversubscription
    uint64_t m_headroomPool{0};                //!< headroom of all ports together
    uint64_t m_sharedSize{0};                  //!< pool
    uint64_t m_reserved{0};                    //!< reserve in use
    uint64_t m_shared{0};                      //!< pool in use
    uint64_t m_headroom{0};                    //!< headroom in use
    uint64_t m_peak{0};                        //!< most in use
    std::vector<Share> m_ingress;              //!< by port * 8 + class
    std::vector<Headroom> m_limits;            //!< of m_ingress
    std::vector<Share> m_egress;               //!< by port * 8 + class

  private:
    /** Account a lossless frame under a threshold that is asked for when it is needed. */
    template <typename Threshold>
    Verdict AdmitLosslessUnder(uint32_t index, uint32_t bytes, Threshold threshold);
    /** Account a lossy frame alike. */
    template <typename Threshold>
    Verdict AdmitLossyUnder(Share& share, uint32_t bytes, Threshold threshold);
    /** Account a lossless frame. */
    Verdict AdmitLossless(uint32_t index, uint32_t bytes);
    /** Account a lossy frame. */
    Verdict AdmitLossy(Share& share, uint32_t bytes);
    /** Undo AdmitLossy. */
    void ReleaseLossy(Share& share, uint32_t bytes);
    /** @return threshold of a queue, of a policy that treats them apart. */
    uint64_t GetQueueThreshold(uint32_t port, uint8_t trafficClass);
    /** Tell such a policy. */
    void TellPolicy(uint32_t port, uint8_t trafficClass, const Share& share, uint32_t drained);
};

} // namespace llm
} // namespace ns3

#endif // FABRIC_SHARED_BUFFER_H

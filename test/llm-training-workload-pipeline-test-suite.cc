/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-training-workload-expect.h"

#include "ns3/llm-pipeline-placement.h"
#include "ns3/llm-pipeline-schedule.h"
#include "ns3/llm-training-compat.h"
#include "ns3/test.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <tuple>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** @return a config of that schedule. */
ParallelConfig
MakeConfig(const std::string& schedule, uint32_t p, uint32_t v = 1)
{
    ParallelConfig config;
    config.pipeline_schedule = schedule;
    config.pipeline_model_parallel_size = p;
    config.virtual_pipeline_model_parallel_size = v;
    return config;
}

/** @return "F3" forward, "A3" backward, "B3" its input part, "W3" its weight part; an apostrophe
 * per chunk behind it, as in DeepSeek-V3's figure; & before what it is paired with. */
std::string
ToText(const PipelinePass& pass)
{
    constexpr std::array<char, 4> letters{'F', 'A', 'B', 'W'};
    return letters.at(static_cast<std::size_t>(pass.kind)) + std::to_string(pass.microbatch) +
           std::string(pass.chunk, '\'') + (pass.pairsWithNext ? "&" : " ");
}

/** @return the first passes of a schedule. */
std::string
ToText(PipelineSchedule& schedule, uint32_t most = 1000)
{
    std::string text;
    PipelinePass pass;
    for (uint32_t i = 0; i < most && schedule.Next(pass); ++i)
    {
        text += ToText(pass);
    }
    return text;
}

/** What passes take; any unit. */
struct PassTimes
{
    int64_t forward{1}; //!< F
    int64_t input{1};   //!< B
    int64_t weight{1};  //!< W

    int64_t Get(PassKind kind) const
    {
        switch (kind)
        {
        case PassKind::FORWARD:
            return forward;
        case PassKind::BACKWARD:
            return input + weight;
        case PassKind::BACKWARD_INPUT:
            return input;
        default:
            return weight;
        }
    }
};

/**
 * Runs the schedules of all ranks of a pipeline without cost of communication: a pass starts when
 * its rank is free and its inputs exist; a pair starts when the inputs of both do, and ends as one.
 * Stages and their neighbours are its own, so that the placement is checked as well.
 */
class PipelineExecutor
{
  public:
    PipelineExecutor(const ParallelConfig& config, uint64_t microbatches, PassTimes times = {})
        : m_config(config),
          m_microbatches(microbatches),
          m_times(times),
          m_placement(MakePipelinePlacement(config)),
          m_twoWays(config.pipeline_schedule == "dualpipe"),
          m_ranks(config.pipeline_model_parallel_size)
    {
        for (uint32_t rank = 0; rank < m_ranks.size(); ++rank)
        {
            m_ranks[rank].schedule = MakePipelineSchedule(config, rank, microbatches);
            Fetch(rank);
        }
        bool progress = true;
        while (progress)
        {
            progress = false;
            for (uint32_t rank = 0; rank < m_ranks.size(); ++rank)
            {
                while (!m_ranks[rank].block.empty() && RunBlock(rank))
                {
                    progress = true;
                }
            }
        }
        for (uint32_t rank = 0; rank < m_ranks.size(); ++rank)
        {
            CheckEnd(rank);
        }
    }

    int64_t GetTime() const
    {
        int64_t time = 0;
        for (const auto& rank : m_ranks)
        {
            time = std::max(time, rank.free);
        }
        return time;
    }

    int64_t GetBubble() const
    {
        const int64_t chunks = m_twoWays ? 1 : m_config.virtual_pipeline_model_parallel_size;
        return GetTime() - static_cast<int64_t>(m_microbatches) * chunks *
                               (m_times.forward + m_times.input + m_times.weight);
    }

    /** Most microbatches of chunks between F and B of a rank. */
    uint64_t GetMostUnread(uint32_t rank) const
    {
        return m_ranks[rank].mostUnread;
    }

    /** The same between F and W. */
    uint64_t GetMostInFlight(uint32_t rank) const
    {
        return m_ranks[rank].mostInFlight;
    }

    uint64_t GetForwardSends() const
    {
        return m_forwardSends;
    }

    uint64_t GetBackwardSends() const
    {
        return m_backwardSends;
    }

    /** What was illegal; empty: nothing. */
    const std::string& GetErrors() const
    {
        return m_errors;
    }

  private:
    struct Rank
    {
        std::unique_ptr<PipelineSchedule> schedule;
        std::vector<PipelinePass> block; //!< a pass or a pair
        int64_t free{0};
        uint64_t unread{0};
        uint64_t inFlight{0};
        uint64_t mostUnread{0};
        uint64_t mostInFlight{0};
        std::map<std::pair<PassKind, uint32_t>, uint64_t> counts;
    };

    /** F, B or W, stage, microbatch. */
    using Done = std::tuple<char, uint32_t, uint64_t>;

    uint32_t GetStage(uint32_t rank, uint32_t chunk) const
    {
        const auto p = static_cast<uint32_t>(m_ranks.size());
        return m_twoWays ? (chunk == 0 ? rank : p - 1 - rank) : chunk * p + rank;
    }

    uint32_t GetLastStage() const
    {
        return m_config.pipeline_model_parallel_size *
                   m_config.virtual_pipeline_model_parallel_size -
               1;
    }

    void Fail(uint32_t rank, const std::string& message)
    {
        m_errors += "rank " + std::to_string(rank) + ": " + message + "; ";
    }

    void Fetch(uint32_t rank)
    {
        Rank& state = m_ranks[rank];
        state.block.clear();
        PipelinePass pass;
        do
        {
            if (!state.schedule->Next(pass))
            {
                if (!state.block.empty())
                {
                    Fail(rank, "a pair ends half-way");
                }
                return;
            }
            state.block.push_back(pass);
        } while (pass.pairsWithNext);
        if (state.block.size() == 2 &&
            (state.block[0].kind != PassKind::FORWARD || !state.block[1].IsBackward() ||
             state.block[0].chunk == state.block[1].chunk))
        {
            Fail(rank, "pair " + ToText(state.block[0]) + ToText(state.block[1]));
        }
    }

    bool RunBlock(uint32_t rank)
    {
        Rank& state = m_ranks[rank];
        int64_t start = state.free;
        int64_t time = 0;
        for (const auto& pass : state.block)
        {
            const uint32_t stage = GetStage(rank, pass.chunk);
            std::vector<Done> inputs;
            if (pass.kind == PassKind::FORWARD && stage > 0)
            {
                inputs.emplace_back('F', stage - 1, pass.microbatch);
            }
            if (pass.IsBackward())
            {
                inputs.emplace_back('F', stage, pass.microbatch);
                if (stage < GetLastStage())
                {
                    inputs.emplace_back('B', stage + 1, pass.microbatch);
                }
            }
            if (pass.kind == PassKind::BACKWARD_WEIGHT)
            {
                inputs.emplace_back('B', stage, pass.microbatch);
            }
            for (const auto& input : inputs)
            {
                const auto found = m_done.find(input);
                if (found == m_done.end())
                {
                    return false;
                }
                start = std::max(start, found->second);
            }
            time += m_times.Get(pass.kind);
        }
        state.free = start + time;
        for (const auto& pass : state.block)
        {
            Finish(rank, pass);
        }
        Fetch(rank);
        return true;
    }

    void Finish(uint32_t rank, const PipelinePass& pass)
    {
        Rank& state = m_ranks[rank];
        const uint32_t stage = GetStage(rank, pass.chunk);
        const PipelinePlace place{rank, pass.chunk};
        if (m_placement->GetStage(place) != stage || pass.microbatch >= m_microbatches ||
            (m_twoWays && (2 * pass.microbatch >= m_microbatches) != (pass.chunk == 1)))
        {
            Fail(rank, "misplaced " + ToText(pass));
        }
        ++state.counts[{pass.kind, pass.chunk}];
        std::string parts;
        switch (pass.kind)
        {
        case PassKind::FORWARD:
            parts = "F";
            ++state.unread;
            ++state.inFlight;
            if (stage < GetLastStage())
            {
                m_forwardSends += m_placement->GetNext(place).rank == rank ? 0 : 1;
            }
            break;
        case PassKind::BACKWARD:
            parts = "BW";
            break;
        case PassKind::BACKWARD_INPUT:
            parts = "B";
            break;
        case PassKind::BACKWARD_WEIGHT:
            parts = "W";
            break;
        }
        for (const char part : parts)
        {
            if (!m_done.emplace(Done(part, stage, pass.microbatch), state.free).second)
            {
                Fail(rank, "again " + ToText(pass));
            }
        }
        state.mostUnread = std::max(state.mostUnread, state.unread);
        state.mostInFlight = std::max(state.mostInFlight, state.inFlight);
        state.unread -= pass.IsBackward() ? 1 : 0;
        state.inFlight -= parts.find('W') != std::string::npos ? 1 : 0;
        if (pass.IsBackward() && stage > 0)
        {
            m_backwardSends += m_placement->GetPrevious(place).rank == rank ? 0 : 1;
        }
    }

    void CheckEnd(uint32_t rank)
    {
        Rank& state = m_ranks[rank];
        if (!state.block.empty())
        {
            Fail(rank, "stuck before " + ToText(state.block.front()));
        }
        const uint32_t chunks = m_placement->GetChunkCount();
        for (uint32_t chunk = 0; chunk < chunks; ++chunk)
        {
            for (const PassKind kind : {PassKind::FORWARD,
                                        PassKind::BACKWARD,
                                        PassKind::BACKWARD_INPUT,
                                        PassKind::BACKWARD_WEIGHT})
            {
                const uint64_t count = state.counts[{kind, chunk}];
                if (count != state.schedule->Count(kind, chunk))
                {
                    Fail(rank, "counts kind " + std::to_string(static_cast<int>(kind)));
                }
            }
            for (uint64_t i = 0; i < m_microbatches; ++i)
            {
                const bool here = !m_twoWays || (2 * i >= m_microbatches) == (chunk == 1);
                const uint32_t stage = GetStage(rank, chunk);
                if (here && m_done.count(Done('W', stage, i)) == 0)
                {
                    Fail(rank, "never ends microbatch " + std::to_string(i));
                }
            }
        }
    }

    ParallelConfig m_config;
    uint64_t m_microbatches;
    PassTimes m_times;
    std::unique_ptr<PipelinePlacement> m_placement;
    bool m_twoWays;
    std::vector<Rank> m_ranks;
    std::map<Done, int64_t> m_done; //!< when
    uint64_t m_forwardSends{0};
    uint64_t m_backwardSends{0};
    std::string m_errors;
};

/** Small ones, pass by pass. */
class SchedulesPassByPass : public TestCase
{
  public:
    SchedulesPassByPass()
        : TestCase("Schedules pass by pass: as drawn in their papers")
    {
    }

  private:
    void Expect(const ParallelConfig& config, uint32_t rank, uint64_t m, const std::string& text)
    {
        NS_TEST_EXPECT_MSG_EQ(ToText(*MakePipelineSchedule(config, rank, m)),
                              text,
                              config.pipeline_schedule << " rank " << rank);
    }

    void DoRun() override
    {
        Expect(MakeConfig("gpipe", 3), 1, 4, "F0 F1 F2 F3 A0 A1 A2 A3 ");
        Expect(MakeConfig("1f1b", 4), 1, 4, "F0 F1 F2 A0 F3 A1 A2 A3 ");
        // Megatron-Core's table of p = 2, v = 2, m = 4: warm-up 2 (p-r-1) + (v-1) p.
        Expect(MakeConfig("1f1b", 2, 2),
               0,
               4,
               "F0 F1 F0' F1' F2 A0' F3 A1' F2' A0 F3' A1 A2' A3' A2 A3 ");
        Expect(MakeConfig("1f1b", 2, 2),
               1,
               4,
               "F0 F1 F0' A0' F1' A1' F2 A0 F3 A1 F2' A2' F3' A3' A2 A3 ");
        // Qi et al. 2024 fig. 3: the first rank never waits with W, the last for p - 1 of them.
        Expect(MakeConfig("zb_h1", 4), 0, 4, "F0 F1 F2 F3 B0 W0 B1 W1 B2 W2 B3 W3 ");
        Expect(MakeConfig("zb_h1", 4), 2, 4, "F0 F1 B0 F2 B1 F3 B2 W0 B3 W1 W2 W3 ");
        Expect(MakeConfig("zb_h1", 4), 3, 4, "F0 B0 F1 B1 F2 B2 F3 B3 W0 W1 W2 W3 ");
        // DeepSeek-V3 fig. 5 with two microbatches per rank.
        Expect(MakeConfig("dualpipe", 4),
               0,
               8,
               "F0 F1 F2 F4' B4' W4' F5' F3&A5' F6'&A0 A6' F7'&A1 A7' B2 W2 B3 W3 ");
        Expect(MakeConfig("dualpipe", 4),
               1,
               8,
               "F0 F4' F1 F5' F2 A4' F6'&A0 F3&A5' F7'&A1 A6' A2 B7' B3 W7' W3 ");
        Expect(MakeConfig("dualpipe", 4),
               3,
               8,
               "F4' F5' F6' F0 B0 W0 F1 F7'&A1 F2&A4' A2 F3&A5' A3 B6' W6' B7' W7' ");
    }
};

/** Law of every schedule. */
class EveryPassOnceInLegalOrder : public TestCase
{
  public:
    EveryPassOnceInLegalOrder()
        : TestCase("Every rank runs F, B, W of each chunk and microbatch once, nobody waits for "
                   "ever: 600 random p, m, v")
    {
    }

  private:
    void DoRun() override
    {
        std::mt19937 random(20241230); // its numbers are fixed by the C++ standard
        for (int i = 0; i < 600; ++i)
        {
            const std::array<const char*, 5> names{"gpipe", "1f1b", "1f1b", "zb_h1", "dualpipe"};
            const uint32_t which = i % 5;
            uint32_t p = 1 + random() % 12;
            uint32_t v = 1;
            uint64_t m = 1 + random() % 30;
            if (which == 2)
            {
                p += p == 1 ? 1 : 0;
                v = 2 + random() % 4;
                m = p * (1 + random() % 5);
            }
            else if (which == 4)
            {
                p += p % 2;
                m = 2 * (p + random() % 15);
            }
            const ParallelConfig config = MakeConfig(names[which], p, v);
            CheckPipelineSchedule(config, "random", "");
            NS_TEST_ASSERT_MSG_EQ(FindMicrobatchError(config, m), "", "legal");
            PassTimes times;
            times.forward += static_cast<int64_t>(random() % 5);
            times.input += static_cast<int64_t>(random() % 5);
            times.weight += static_cast<int64_t>(random() % 5);
            const PipelineExecutor run(config, m, times);
            const std::string label = config.pipeline_schedule + " p " + std::to_string(p) + " v " +
                                      std::to_string(v) + " m " + std::to_string(m);
            NS_TEST_ASSERT_MSG_EQ(run.GetErrors(), "", label);
            NS_TEST_ASSERT_MSG_EQ(run.GetForwardSends(), m * (p * v - 1), label);
            NS_TEST_ASSERT_MSG_EQ(run.GetBackwardSends(), m * (p * v - 1), label);
        }
    }
};

/** Why the groups of DualPipe's twins can work. */
class TwinsRunTheSamePasses : public TestCase
{
  public:
    TwinsRunTheSamePasses()
        : TestCase(
              "DualPipe: the two ranks that hold a stage run its passes in the same order, each "
              "with its half of the microbatches")
    {
    }

  private:
    static std::string Describe(const ParallelConfig& config, uint32_t rank, uint64_t m)
    {
        const auto schedule = MakePipelineSchedule(config, rank, m);
        const auto placement = MakePipelinePlacement(config);
        std::string text;
        PipelinePass pass;
        while (schedule->Next(pass))
        {
            pass.microbatch %= m / 2;
            pass.chunk = placement->GetStage({rank, pass.chunk});
            text += ToText(pass);
        }
        return text;
    }

    void DoRun() override
    {
        for (const uint32_t p : {2, 4, 6, 8})
        {
            for (uint64_t m = 2 * p; m < 4 * p; m += 2)
            {
                const ParallelConfig config = MakeConfig("dualpipe", p);
                for (uint32_t rank = 0; rank < p / 2; ++rank)
                {
                    NS_TEST_EXPECT_MSG_EQ(Describe(config, rank, m),
                                          Describe(config, p - 1 - rank, m),
                                          "p " << p << " m " << m << " rank " << rank);
                }
            }
        }
    }
};

/** Memory. */
class ActivationsInFlight : public TestCase
{
  public:
    ActivationsInFlight()
        : TestCase("Activations in flight: GPipe m, 1F1B min(p-r, m), interleaved, ZB-H1 like the "
                   "first rank of 1F1B, DualPipe p + 1")
    {
    }

  private:
    void DoRun() override
    {
        using Pair = std::pair<uint32_t, uint64_t>;
        for (const auto& [p, m] : {Pair{2, 4}, Pair{4, 8}, Pair{8, 32}, Pair{8, 4}, Pair{5, 3}})
        {
            const PipelineExecutor gpipe(MakeConfig("gpipe", p), m);
            const PipelineExecutor plain(MakeConfig("1f1b", p), m);
            const PipelineExecutor zeroBubble(MakeConfig("zb_h1", p), m);
            for (uint32_t r = 0; r < p; ++r)
            {
                const uint64_t held = std::min<uint64_t>(p - r, m);
                NS_TEST_EXPECT_MSG_EQ(gpipe.GetMostInFlight(r), m, "GPipe rank " << r);
                NS_TEST_EXPECT_MSG_EQ(plain.GetMostInFlight(r), held, "1F1B rank " << r);
                NS_TEST_EXPECT_MSG_EQ(zeroBubble.GetMostUnread(r), held, "ZB-H1, F to B, " << r);
                NS_TEST_EXPECT_MSG_EQ(zeroBubble.GetMostInFlight(r),
                                      std::min<uint64_t>(p, m),
                                      "ZB-H1, F to W, rank " << r);
            }
            for (const uint32_t v : {2, 3})
            {
                if (m % p != 0)
                {
                    continue;
                }
                // Korthikanti 2022 s.4.2.3: the first rank holds 1 + (p-1)/(pv) of all layers.
                const PipelineExecutor chunks(MakeConfig("1f1b", p, v), m);
                for (uint32_t r = 0; r < p; ++r)
                {
                    NS_TEST_EXPECT_MSG_EQ(
                        chunks.GetMostInFlight(r),
                        std::min<uint64_t>(2 * (p - r - 1) + (v - 1) * p + 1, m * v),
                        "interleaved rank " << r);
                }
                NS_TEST_EXPECT_MSG_EQ(chunks.GetMostInFlight(0), p * v + p - 1, "published");
            }
            if (p % 2 == 0 && m >= 2 * p)
            {
                const PipelineExecutor dual(MakeConfig("dualpipe", p), m);
                for (uint32_t r = 0; r < p; ++r)
                {
                    NS_TEST_EXPECT_MSG_EQ(dual.GetMostInFlight(r), p + 1, "DualPipe rank " << r);
                }
            }
        }
    }
};

/** Time. */
class BubblesAsPublished : public TestCase
{
  public:
    BubblesAsPublished()
        : TestCase("Bubbles without cost of communication are those of the papers, exactly")
    {
    }

  private:
    void DoRun() override
    {
        using Pair = std::pair<uint32_t, uint64_t>;
        for (const auto& [p, m] : {Pair{2, 4}, Pair{4, 8}, Pair{8, 32}})
        {
            const int64_t others = p - 1;
            // Narayanan 2021 s.2.2: (p-1)/m of (F + B + W) m; with v chunks, each 1/v of the
            // time, (p-1)/(m v).
            for (const PassTimes times : {PassTimes{1, 1, 1}, PassTimes{4, 5, 3}})
            {
                const int64_t all = times.forward + times.input + times.weight;
                for (const char* name : {"gpipe", "1f1b"})
                {
                    const PipelineExecutor run(MakeConfig(name, p), m, times);
                    NS_TEST_EXPECT_MSG_EQ(run.GetBubble(), others * all, name << " p " << p);
                }
                for (const uint32_t v : {2, 4})
                {
                    const PipelineExecutor run(MakeConfig("1f1b", p, v), m, times);
                    NS_TEST_EXPECT_MSG_EQ(run.GetBubble(), others * all, "interleaved p " << p);
                }
            }
            // Qi et al. 2024 table 2: (p-1)(F + B - W), as long as W does not outlast B.
            for (const PassTimes times : {PassTimes{1, 1, 1}, PassTimes{3, 4, 2}})
            {
                const PipelineExecutor run(MakeConfig("zb_h1", p), m, times);
                NS_TEST_EXPECT_MSG_EQ(run.GetBubble(),
                                      others * (times.forward + times.input - times.weight),
                                      "zb_h1 p " << p);
            }
            // DeepSeek-V3 table 2: (p/2 - 1)(F&B + B - 3 W), there with B for all of backward.
            const PipelineExecutor run(MakeConfig("dualpipe", p), m);
            NS_TEST_EXPECT_MSG_EQ(run.GetBubble(), (p / 2 - 1) * (3 + 2 - 3), "dualpipe p " << p);
        }
    }
};

/** Sends as other simulators' users count them. */
class SendsOfSmallPipelines : public TestCase
{
  public:
    SendsOfSmallPipelines()
        : TestCase("Sends: 1F1B 4 x 2 microbatches 6 + 6, 4 x 8 24 + 24; interleaved 4 x 2 x 8 "
                   "56 + 56")
    {
    }

  private:
    void DoRun() override
    {
        const auto expect = [this](uint32_t v, uint64_t m, uint64_t sends) {
            const PipelineExecutor run(MakeConfig("1f1b", 4, v), m);
            NS_TEST_EXPECT_MSG_EQ(run.GetErrors(), "", "ends");
            NS_TEST_EXPECT_MSG_EQ(run.GetForwardSends(), sends, "forward");
            NS_TEST_EXPECT_MSG_EQ(run.GetBackwardSends(), sends, "backward");
        };
        expect(1, 2, 6);
        expect(1, 8, 24);
        expect(2, 8, 56);
    }
};

/** Nobody lays out all passes. */
class SchedulesAreLazy : public TestCase
{
  public:
    SchedulesAreLazy()
        : TestCase("Schedules of 2^50 microbatches begin at once")
    {
    }

  private:
    void DoRun() override
    {
        for (const char* name : {"gpipe", "1f1b", "zb_h1", "dualpipe"})
        {
            const auto schedule = MakePipelineSchedule(MakeConfig(name, 8), 2, 1ULL << 50);
            NS_TEST_EXPECT_MSG_EQ(ToText(*schedule, 100000).empty(), false, name);
            NS_TEST_EXPECT_MSG_EQ(schedule->Count(PassKind::FORWARD, 0),
                                  1ULL << (std::string(name) == "dualpipe" ? 49 : 50),
                                  name);
        }
        const auto schedule = MakePipelineSchedule(MakeConfig("1f1b", 8, 4), 2, 1ULL << 50);
        NS_TEST_EXPECT_MSG_EQ(ToText(*schedule, 6), "F0 F1 F2 F3 F4 F5 ", "interleaved");
    }
};

/** Bad input. */
class BadSchedulesAreRefused : public TestCase
{
  public:
    BadSchedulesAreRefused()
        : TestCase("Schedules that cannot be are refused in one line")
    {
    }

  private:
    void Expect(const ParallelConfig& config, const std::string& message)
    {
        NS_TEST_EXPECT_MSG_EQ(
            MessageOf([&config]() { CheckPipelineSchedule(config, "s.json", "parallel"); }),
            message,
            "message");
    }

    void DoRun() override
    {
        Expect(MakeConfig("dualpip", 4),
               "s.json: parallel.pipeline_schedule: no schedule 'dualpip'; did you mean "
               "'dualpipe'? Known: gpipe, 1f1b, zb_h1, dualpipe");
        Expect(MakeConfig("1f1b", 4, 0),
               "s.json: parallel.virtual_pipeline_model_parallel_size: must be at least 1, is 0");
        for (const std::string name : {"gpipe", "zb_h1", "dualpipe"})
        {
            Expect(MakeConfig(name, 4, 2),
                   "s.json: parallel.virtual_pipeline_model_parallel_size: is 2, but "
                   "pipeline_schedule '" +
                       name + "' needs 1; only 1f1b interleaves chunks");
        }
        Expect(MakeConfig("1f1b", 1, 3),
               "s.json: parallel.virtual_pipeline_model_parallel_size: is 3, which needs "
               "pipeline_model_parallel_size of at least 2, not 1");
        for (const uint32_t p : {1, 5})
        {
            Expect(MakeConfig("dualpipe", p),
                   "s.json: parallel.pipeline_schedule: dualpipe needs an even "
                   "pipeline_model_parallel_size, which is " +
                       std::to_string(p));
        }
        const std::string formula =
            " microbatches (m = global_batch_size / (micro_batch_size x data_parallel_size)) ";
        NS_TEST_EXPECT_MSG_EQ(FindMicrobatchError(MakeConfig("1f1b", 4, 2), 6),
                              "6" + formula +
                                  "are not a multiple of pipeline_model_parallel_size 4, as "
                                  "virtual_pipeline_model_parallel_size 2 needs",
                              "message");
        NS_TEST_EXPECT_MSG_EQ(FindMicrobatchError(MakeConfig("dualpipe", 4), 6),
                              "6" + formula +
                                  "are too few for pipeline_schedule dualpipe, which needs at "
                                  "least 8, two per pipeline stage",
                              "message");
        NS_TEST_EXPECT_MSG_EQ(FindMicrobatchError(MakeConfig("dualpipe", 4), 9),
                              "9" + formula +
                                  "are odd; pipeline_schedule dualpipe needs as many from either "
                                  "end",
                              "message");
        NS_TEST_EXPECT_MSG_EQ(FindMicrobatchError(MakeConfig("1f1b", 4), 6), "", "anything goes");
        NS_TEST_EXPECT_MSG_EQ(FindMicrobatchError(MakeConfig("zb_h1", 4), 1), "", "anything goes");
    }
};

/** The suite. */
class WorkloadPipelineTestSuite : public TestSuite
{
  public:
    WorkloadPipelineTestSuite()
        : TestSuite("llm-training-workload-pipeline", Type::UNIT)
    {
        AddTestCase(new SchedulesPassByPass, llm::TestDuration::QUICK);
        AddTestCase(new EveryPassOnceInLegalOrder, llm::TestDuration::QUICK);
        AddTestCase(new TwinsRunTheSamePasses, llm::TestDuration::QUICK);
        AddTestCase(new ActivationsInFlight, llm::TestDuration::QUICK);
        AddTestCase(new BubblesAsPublished, llm::TestDuration::QUICK);
        AddTestCase(new SendsOfSmallPipelines, llm::TestDuration::QUICK);
        AddTestCase(new SchedulesAreLazy, llm::TestDuration::QUICK);
        AddTestCase(new BadSchedulesAreRefused, llm::TestDuration::QUICK);
    }
};

const WorkloadPipelineTestSuite g_workloadPipelineTestSuite; //!< registers the suite

} // namespace

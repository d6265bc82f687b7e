/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

// The collective algorithms as jobs execute them: exact bytes between every pair of ranks.

#include "llm-training-test-job.h"

#include "ns3/llm-collective-selector.h"
#include "ns3/llm-config-error.h"
#include "ns3/llm-training-compat.h"
#include "ns3/llm-training-job.h"
#include "ns3/test.h"

using namespace ns3;
using namespace ns3::llm;

namespace
{

/// @ingroup llm-training-tests
/// Every algorithm through the executor of jobs.
class ExecutedAlgorithmsTest : public TestCase
{
  public:
    ExecutedAlgorithmsTest()
        : TestCase("jobs execute every algorithm to its end, with exactly the predicted bytes")
    {
    }

  private:
    void DoRun() override
    {
        const llmtest::SimulatorScope scope("ns3::DefaultSimulatorImpl");
        const CollectiveSelector selector;
        uint32_t executed = 0;
        for (const std::string& name : selector.GetNames())
        {
            if (name == "nccl")
            {
                continue; // one of the others
            }
            for (int kind = 0; kind <= static_cast<int>(CollectiveKind::ALL_TO_ALL); ++kind)
            {
                for (const uint32_t n : {1U, 2U, 7U, 8U, 13U})
                {
                    for (const uint64_t slice : {0U, 100U})
                    {
                        const CollectiveSpec spec{static_cast<CollectiveKind>(kind),
                                                  n,
                                                  10007,
                                                  slice == 0 ? 1U : 2U,
                                                  slice,
                                                  n / 2};
                        executed += Execute(name, spec) ? 1 : 0;
                    }
                }
            }
        }
        NS_TEST_EXPECT_MSG_EQ(executed,
                              10 * (5 + 6 + 4 + 1 + 3 + 3 + 2 + 2 + 1 + 1 + 2 + 3 + 3 + 3 + 1) +
                                  2 * 3,
                              "");
    }

    /// Run one collective and look at what went between each pair. @return whether that is done
    bool Execute(const std::string& name, const CollectiveSpec& spec)
    {
        const CollectiveSelector selector;
        const CollectiveAlgorithm* algorithm = nullptr;
        try
        {
            algorithm = selector.Choose(spec, name).algorithm;
        }
        catch (const ConfigError&)
        {
            return false;
        }
        const uint32_t n = spec.groupSize;
        auto operation = llmtest::Collective(
            static_cast<OperationKind>(static_cast<int>(OperationKind::ALL_REDUCE) +
                                       static_cast<int>(spec.kind)),
            spec.bytes);
        operation.root = spec.root;
        const std::vector<std::vector<Operation>> programs(n, {operation});
        llmtest::JobRig rig(llmtest::MakeScript(n, programs, {llmtest::WorldGroup(n)}),
                            CreateObject<llmtest::DelayTransport>(),
                            name,
                            spec.channels,
                            spec.sliceBytes);
        Simulator::Run();
        const std::string what = name + " " + ToString(spec.kind) + " of " + std::to_string(n);
        NS_TEST_EXPECT_MSG_EQ(rig.job->IsComplete(), true, what);
        std::map<std::pair<uint32_t, uint32_t>, uint64_t> went;
        for (const PairTraffic& pair : rig.job->GetTraffic().GetPairs())
        {
            went[{pair.from, pair.to}] += pair.bytes;
        }
        for (uint32_t from = 0; from < n; ++from)
        {
            for (uint32_t to = 0; to < n; ++to)
            {
                const uint64_t bytes = went[{from, to}];
                NS_TEST_EXPECT_MSG_EQ(bytes,
                                      algorithm->PredictPairBytes(spec, from, to),
                                      what << ": " << from << " to " << to);
            }
        }
        Simulator::Destroy();
        return true;
    }
};

/// @ingroup llm-training-tests
/// The suite.
class LlmTrainingRdmaAlgorithmsTestSuite : public TestSuite
{
  public:
    LlmTrainingRdmaAlgorithmsTestSuite()
        : TestSuite("llm-training-rdma-algorithms", Type::UNIT)
    {
        AddTestCase(new ExecutedAlgorithmsTest);
    }
};

LlmTrainingRdmaAlgorithmsTestSuite g_llmTrainingRdmaAlgorithmsTestSuite; //!< registers the suite

} // namespace

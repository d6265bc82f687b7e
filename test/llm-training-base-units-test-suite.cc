/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/llm-config-error.h"
#include "ns3/llm-training-compat.h"
#include "ns3/llm-units.h"
#include "ns3/test.h"

#include <functional>
#include <vector>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** Every quantity is read exactly. */
class UnitsAreReadExactly : public TestCase
{
  public:
    UnitsAreReadExactly()
        : TestCase("byte counts, rates and durations are read exactly")
    {
    }

  private:
    void DoRun() override
    {
        struct Bytes
        {
            const char* text;
            uint64_t value;
        };

        const std::vector<Bytes> bytes{{"0", 0},
                                       {"4096", 4096},
                                       {"16MiB", 16777216},
                                       {"16 MiB ", 16777216},
                                       {"1.5GB", 1500000000},
                                       {"1.5 GiB", 1610612736},
                                       {"5 GiB", 5368709120},
                                       {"1e6", 1000000},
                                       {"1E3kB", 1000000},
                                       {"1EB", 1000000000000000000},
                                       {"2.5e-1 KiB", 256},
                                       {"0.1kB", 100},
                                       {"9007199254740993", 9007199254740993},
                                       {"9.007199254740993PB", 9007199254740993},
                                       {"18446744073709551615B", 18446744073709551615ULL},
                                       {"15.99993896484375EiB", 18446673704965373952ULL}};
        for (const auto& row : bytes)
        {
            NS_TEST_EXPECT_MSG_EQ(ParseBytes(row.text), row.value, row.text);
        }
        const std::vector<Bytes> rates{{"400Gbps", 400000000000},
                                       {"400 Gb/s", 400000000000},
                                       {"400Gbit/s", 400000000000},
                                       {"1.6Tbps", 1600000000000},
                                       {"450GB/s", 3600000000000},
                                       {"450GBps", 3600000000000},
                                       {"1Kib/s", 1024},
                                       {"9600bps", 9600},
                                       {"0", 0}};
        for (const auto& row : rates)
        {
            NS_TEST_EXPECT_MSG_EQ(ParseBitRate(row.text), row.value, row.text);
        }

        struct Duration
        {
            const char* text;
            int64_t value;
        };

        const std::vector<Duration> durations{{"0", 0},
                                              {"5us", 5000000},
                                              {"5 \u00b5s", 5000000},
                                              {"0.1ns", 100},
                                              {"1.5 ms", 1500000000},
                                              {"250ps", 250},
                                              {"2min", 120000000000000},
                                              {"1h", 3600000000000000},
                                              {"9223372.036854775807s", INT64_MAX}};
        for (const auto& row : durations)
        {
            NS_TEST_EXPECT_MSG_EQ(ParseDurationPs(row.text), row.value, row.text);
        }
        NS_TEST_EXPECT_MSG_EQ(ParseCount("4e7"), 40000000, "count");
    }
};

/** What is no quantity is refused with a message that says what would be one. */
class UnitErrorsSayWhatIsRight : public TestCase
{
  public:
    UnitErrorsSayWhatIsRight()
        : TestCase("a bad quantity is refused in one line that names place, text and units")
    {
    }

  private:
    /** @param call what must throw. @param expected all of the message. */
    void Expect(const std::function<void()>& call, const std::string& expected)
    {
        std::string message = "nothing thrown";
        try
        {
            call();
        }
        catch (const ConfigError& error)
        {
            message = error.what();
        }
        NS_TEST_EXPECT_MSG_EQ(message, expected, "message");
    }

    void DoRun() override
    {
        const std::string units = "use B, kB, MB, GB, TB (1000) or KiB, MiB, GiB, TiB (1024)";
        Expect([] { ParseBytes("16M", "a.json", "fabric.buffer"); },
               "a.json: fabric.buffer: '16M' is not a byte count: unknown unit 'M'; " + units);
        Expect([] { ParseBytes("0.5B0"); },
               "byte count: '0.5B0' is not a byte count: unknown unit 'B0'; " + units);
        Expect([] { ParseBytes("1.5"); },
               "byte count: '1.5' is not a byte count: not a whole number of bytes");
        Expect([] { ParseBytes("0.3KiB"); },
               "byte count: '0.3KiB' is not a byte count: not a whole number of bytes");
        Expect([] { ParseBytes("-1"); },
               "byte count: '-1' is not a byte count: must not be negative");
        Expect([] { ParseBytes(""); },
               "byte count: '' is not a byte count: must begin with a digit");
        Expect([] { ParseBytes("16EiB"); },
               "byte count: '16EiB' is not a byte count: above the largest value, "
               "18446744073709551615 bytes");
        Expect([] { ParseBytes("1e99"); },
               "byte count: '1e99' is not a byte count: exponent above 40");
        Expect([] { ParseBytes("11111111111111111111111111111111111111111"); },
               "byte count: '11111111111111111111111111111111111111111' is not a byte count: too "
               "many digits");
        Expect([] { ParseBitRate("100"); },
               "rate: '100' is not a rate: no unit; use bps, kbps, Mbps, Gbps, Tbps (bits) or "
               "B/s, kB/s, MB/s, GB/s (bytes)");
        Expect([] { ParseDurationPs("5"); },
               "duration: '5' is not a duration: no unit; use ps, ns, us, ms, s, min or h");
        Expect([] { ParseDurationPs("0.5ps"); },
               "duration: '0.5ps' is not a duration: not a whole number of picoseconds");
        Expect([] { ParseDurationPs("107d"); },
               "duration: '107d' is not a duration: unknown unit 'd'; use ps, ns, us, ms, s, min "
               "or h");
        Expect([] { ParseDurationPs("2563h"); },
               "duration: '2563h' is not a duration: above the largest value, "
               "9223372036854775807 picoseconds");
        Expect([] { ParseCount("40M"); },
               "count: '40M' is not a count: unknown unit 'M'; write digits only");
    }
};

/** What is printed exactly reads back as the same value. */
class UnitsArePrintedReadably : public TestCase
{
  public:
    UnitsArePrintedReadably()
        : TestCase("printed quantities are short and read back as the same value")
    {
    }

  private:
    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(FormatBytes(16777216), "16MiB", "binary");
        NS_TEST_EXPECT_MSG_EQ(FormatBytes(1500000000), "1.5GB", "decimal");
        NS_TEST_EXPECT_MSG_EQ(FormatBytes(1000003), "1.000003MB", "odd");
        NS_TEST_EXPECT_MSG_EQ(FormatBytes(0), "0B", "zero");
        NS_TEST_EXPECT_MSG_EQ(FormatBitRate(400000000000), "400Gbps", "rate");
        NS_TEST_EXPECT_MSG_EQ(FormatBitRate(1600000000000), "1600Gbps", "rate");
        NS_TEST_EXPECT_MSG_EQ(FormatBitRate(51200000000000), "51.2Tbps", "rate");
        NS_TEST_EXPECT_MSG_EQ(FormatDurationPs(1500000000), "1.5ms", "duration");
        NS_TEST_EXPECT_MSG_EQ(FormatDurationPs(-100), "-100ps", "negative");
        NS_TEST_EXPECT_MSG_EQ(FormatDurationPs(INT64_MIN), "-9223372.036854775808s", "lowest");
        NS_TEST_EXPECT_MSG_EQ(FormatBytesRounded(9395240960), "8.75 GiB", "rounded");
        NS_TEST_EXPECT_MSG_EQ(FormatBytesRounded(12), "12 B", "rounded");
        NS_TEST_EXPECT_MSG_EQ(FormatDurationRounded(12345678901), "12.346 ms", "rounded");
        uint64_t value = 1;
        for (int i = 0; i < 2000; ++i)
        {
            value = value * 6364136223846793005ULL + 1442695040888963407ULL;
            const uint64_t sample = value >> (i % 64);
            NS_TEST_ASSERT_MSG_EQ(ParseBytes(FormatBytes(sample)), sample, "bytes");
            NS_TEST_ASSERT_MSG_EQ(ParseBitRate(FormatBitRate(sample)), sample, "rate");
            const auto duration = static_cast<int64_t>(sample >> 1);
            NS_TEST_ASSERT_MSG_EQ(ParseDurationPs(FormatDurationPs(duration)),
                                  duration,
                                  "duration");
        }
    }
};

/** The suite. */
class UnitsTestSuite : public TestSuite
{
  public:
    UnitsTestSuite()
        : TestSuite("llm-training-base-units", Type::UNIT)
    {
        AddTestCase(new UnitsAreReadExactly);
        AddTestCase(new UnitErrorsSayWhatIsRight);
        AddTestCase(new UnitsArePrintedReadably);
    }
};

const UnitsTestSuite g_unitsTestSuite; //!< registers the suite

} // namespace

/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-training-error-of.h"

#include "ns3/llm-config-error.h"
#include "ns3/llm-program-options.h"
#include "ns3/llm-scenario-fields.h"
#include "ns3/llm-scenario-reader.h"
#include "ns3/llm-scenario-unused.h"
#include "ns3/llm-training-compat.h"
#include "ns3/test.h"

#include <fstream>
#include <set>
#include <sstream>

using namespace ns3;
using namespace ns3::llm;

namespace
{

using llmtest::ErrorOf;

/** An empty scenario is the default one, and every field says what it is. */
class EveryFieldHasADefault : public TestCase
{
  public:
    EveryFieldHasADefault()
        : TestCase("every field has a default, a description and a unique path")
    {
    }

  private:
    void DoRun() override
    {
        const Scenario read = ScenarioReader::ParseText("{}", "empty.json");
        const Scenario made;
        std::set<std::string> paths;
        for (const auto& field : GetScenarioFields())
        {
            NS_TEST_EXPECT_MSG_EQ(paths.insert(field.path).second, true, field.path);
            NS_TEST_EXPECT_MSG_EQ(field.doc.empty(), false, field.path);
            NS_TEST_EXPECT_MSG_EQ(FormatScenarioValue(field, read),
                                  FormatScenarioValue(field, made),
                                  field.path);
        }
        NS_TEST_EXPECT_MSG_EQ(paths.count("fabric.host_rate"), 1, "a known field");
    }
};

/** What is printed as a default can be written into a scenario, and means the same. */
class DefaultsReadBack : public TestCase
{
  public:
    DefaultsReadBack()
        : TestCase("every default, as it is printed, is accepted and gives itself again")
    {
    }

  private:
    void DoRun() override
    {
        const Scenario defaults;
        for (const auto& field : GetScenarioFields())
        {
            const std::string value = FormatScenarioValue(field, defaults);
            const std::string override = field.path + "=" + value;
            std::string text = "no error";
            Scenario read;
            text = ErrorOf([&] { read = ScenarioReader::ParseText("{}", "x", {override}); });
            NS_TEST_EXPECT_MSG_EQ(text, "no error", override);
            NS_TEST_EXPECT_MSG_EQ(FormatScenarioValue(field, read), value, field.path);
        }
    }
};

/** Values arrive where they belong. */
class ValuesAreRead : public TestCase
{
  public:
    ValuesAreRead()
        : TestCase("units, lists, maps, comments and inline models are read")
    {
    }

  private:
    void DoRun() override
    {
        const Scenario s = ScenarioReader::ParseText(
            R"({ // a comment
                 "name": "x", "iterations": 3, "seed": 7,
                 "model": {"config": {"model_type": "gpt2", "n_layer": 2}},
                 "parallelism": {"tensor_model_parallel_size": 4, "sequence_parallel": true},
                 "cluster": {"placement": [3, 1], "scale_up_latency": "1.5us",
                             "scale_up_bandwidth": "450GB/s"},
                 "fabric": {"host_rate": "100Gbps", "buffer": "12MiB", "alpha": 1,
                            "uplink_delay": "0.5 us", "path_mtu": 1024},
                 "transport": {"congestion_control_attributes": {"G": 0.5, "Mode": "paper"}},
                 "output": {"pcap": ["host0", "leaf0:1"]}
               })",
            "s.json");
        NS_TEST_EXPECT_MSG_EQ(s.name, "x", "name");
        NS_TEST_EXPECT_MSG_EQ(s.iterations, 3, "iterations");
        NS_TEST_EXPECT_MSG_EQ(s.seed, 7, "seed");
        NS_TEST_EXPECT_MSG_EQ(s.model.config, R"({"model_type":"gpt2","n_layer":2})", "model");
        NS_TEST_EXPECT_MSG_EQ(s.parallelism.tensor_model_parallel_size, 4, "tp");
        NS_TEST_EXPECT_MSG_EQ(s.parallelism.sequence_parallel, true, "sp");
        NS_TEST_EXPECT_MSG_EQ(s.cluster.placement.size(), 2, "placement");
        NS_TEST_EXPECT_MSG_EQ(s.cluster.placement[0], 3, "placement");
        NS_TEST_EXPECT_MSG_EQ(s.cluster.scale_up_latency_ps, 1500000, "latency");
        NS_TEST_EXPECT_MSG_EQ(s.accelerator.scale_up_bits_per_second, 3600000000000, "scale-up");
        NS_TEST_EXPECT_MSG_EQ(s.fabric.host_rate, 100000000000, "rate");
        NS_TEST_EXPECT_MSG_EQ(s.fabric.buffer, 12582912, "buffer");
        NS_TEST_EXPECT_MSG_EQ(s.fabric.alpha, 1.0, "alpha");
        NS_TEST_EXPECT_MSG_EQ(s.fabric.uplink_delay_ps, 500000, "delay");
        NS_TEST_EXPECT_MSG_EQ(s.fabric.path_mtu, 1024, "mtu");
        NS_TEST_EXPECT_MSG_EQ(s.transport.congestion_control_attributes.at("G"), "0.5", "map");
        NS_TEST_EXPECT_MSG_EQ(s.transport.congestion_control_attributes.at("Mode"), "paper", "map");
        NS_TEST_EXPECT_MSG_EQ(s.output.pcap[1], "leaf0:1", "pcap");
    }
};

/** Overrides of the command line. */
class OverridesWin : public TestCase
{
  public:
    OverridesWin()
        : TestCase("--set overrides the file, in order, down to entries of maps")
    {
    }

  private:
    void DoRun() override
    {
        const Scenario s =
            ScenarioReader::ParseText(R"({"iterations": 3, "fabric": {"leaves": 4}})",
                                      "s.json",
                                      {"iterations=5",
                                       "iterations=6",
                                       "fabric.host_rate=25Gbps",
                                       "fabric.pfc=false",
                                       "fabric.lossless_classes=[3,4]",
                                       "parallelism={\"sequence_parallel\": true}",
                                       "name=42",
                                       "output.folder=",
                                       "model.overrides.n_layer=2",
                                       "transport.congestion_control_attributes.RateAi=5Mbps"});
        NS_TEST_EXPECT_MSG_EQ(s.iterations, 6, "the last one wins");
        NS_TEST_EXPECT_MSG_EQ(s.parallelism.sequence_parallel, true, "a whole section");
        NS_TEST_EXPECT_MSG_EQ(s.fabric.leaves, 4, "the rest stays");
        NS_TEST_EXPECT_MSG_EQ(s.fabric.host_rate, 25000000000, "rate");
        NS_TEST_EXPECT_MSG_EQ(s.fabric.pfc, false, "boolean");
        NS_TEST_EXPECT_MSG_EQ(s.fabric.lossless_classes.size(), 2, "list");
        NS_TEST_EXPECT_MSG_EQ(s.name, "42", "text that looks like a number");
        NS_TEST_EXPECT_MSG_EQ(s.output.folder, "", "empty text");
        NS_TEST_EXPECT_MSG_EQ(s.model.overrides.at("n_layer"), "2", "entry of a map");
        NS_TEST_EXPECT_MSG_EQ(s.transport.congestion_control_attributes.at("RateAi"),
                              "5Mbps",
                              "entry of a map");
    }
};

/** Every message of the reader, once. */
class BadScenariosAreRefused : public TestCase
{
  public:
    BadScenariosAreRefused()
        : TestCase("bad input is refused in one line with place, value and what would be right")
    {
    }

  private:
    void Expect(const std::string& text, const std::string& error)
    {
        NS_TEST_EXPECT_MSG_EQ(ErrorOf([&] { ScenarioReader::ParseText(text, "s.json"); }),
                              error,
                              text);
    }

    void ExpectSet(const std::string& override, const std::string& error)
    {
        NS_TEST_EXPECT_MSG_EQ(
            ErrorOf([&] { ScenarioReader::ParseText("{}", "s.json", {override}); }),
            error,
            override);
    }

    void DoRun() override
    {
        Expect("[]", "s.json: must be a JSON object, is [] (array)");
        Expect("{\n\"seed\": 1,\n}",
               "s.json: line 3: no valid JSON: syntax error while parsing object key - unexpected "
               "'}'; expected string literal");
        Expect("",
               "s.json: line 1: no valid JSON: syntax error while parsing value - unexpected end "
               "of input; expected '[', '{', or a literal");
        Expect(R"({"seed": 1, "seed": 2})", "s.json: seed: the key stands here twice");
        Expect(R"({"fabric": {"k": 4, "k": 6}})", "s.json: fabric.k: the key stands here twice");
        Expect(R"({"iterations": 1e999})",
               "s.json: no valid JSON: number overflow parsing '1e999'");
        const std::string deep = std::string(100000, '[') + std::string(100000, ']');
        Expect("{\"model\": {\"config\": {\"a\": " + deep + "}}}",
               "s.json: model.config.a: is nested more than 64 levels deep");
        Expect(R"({"output": {"pcap": ["leaf0:0", "leaf0:0"]}})",
               "s.json: output.pcap[1]: \"leaf0:0\" stands in the list twice");
        Expect(R"({"paralelism": {}})",
               "s.json: paralelism: unknown key; did you mean 'parallelism'?");
        Expect(R"({"fabric": {"host_rat": 1}})",
               "s.json: fabric.host_rat: unknown key; did you mean 'fabric.host_rate'?");
        Expect(R"({"fabric": 3})", "s.json: fabric: must be an object, is 3 (number)");
        Expect(R"({"iterations": "four"})",
               "s.json: iterations: must be a whole number >= 0, is \"four\" (string)");
        Expect(R"({"iterations": 1.5})",
               "s.json: iterations: must be a whole number >= 0, is 1.5 (number)");
        Expect(R"({"iterations": -1})",
               "s.json: iterations: must be a whole number >= 0, is -1 (number)");
        Expect(R"({"iterations": 0})", "s.json: iterations: must be from 1 to 1000000, is 0");
        Expect(R"({"fabric": {"alpha": "big"}})",
               "s.json: fabric.alpha: must be a number, is \"big\" (string)");
        Expect(R"({"fabric": {"loss_rate": 2}})",
               "s.json: fabric.loss_rate: must be from 0 to 1, is 2");
        Expect(R"({"fabric": {"pfc": 1}})",
               "s.json: fabric.pfc: must be true or false, is 1 (number)");
        Expect(R"({"fabric": {"path_mtu": 1500}})",
               "s.json: fabric.path_mtu: must be 256, 512, 1000, 1024, 2048 or 4096, is 1500");
        Expect(R"({"fabric": {"topology": "ring"}})",
               "s.json: fabric.topology: must be single-switch, leaf-spine, fat-tree, clos, "
               "rail-optimized, hpn, dragonfly, torus, graph or hpcc, is "
               "\"ring\"");
        Expect(R"({"fabric": {"host_rate": 400}})",
               "s.json: fabric.host_rate: must be a string with a rate and its unit, as "
               "\"400Gbps\", is 400 (number)");
        Expect(R"({"fabric": {"host_rate": "0bps"}})",
               "s.json: fabric.host_rate: must be from 1bps to 1000Tbps, is \"0bps\"");
        Expect(R"({"fabric": {"host_delay": 5}})",
               "s.json: fabric.host_delay: must be a string with a time and its unit, as "
               "\"500ns\", is 5 (number)");
        Expect(R"({"fabric": {"buffer": true}})",
               "s.json: fabric.buffer: must be a whole number of bytes, or a string as "
               "\"16MiB\", is true (boolean)");
        Expect(R"({"fabric": {"buffer": 0}})",
               "s.json: fabric.buffer: must be from 1B to 1PB, is 0");
        Expect(R"({"fabric": {"lossless_classes": 3}})",
               "s.json: fabric.lossless_classes: must be an array, is 3 (number)");
        Expect(R"({"fabric": {"lossless_classes": [3, 8]}})",
               "s.json: fabric.lossless_classes[1]: must be from 0 to 7, is 8");
        Expect(R"({"output": {"pcap": [1]}})",
               "s.json: output.pcap[0]: must be a string, is 1 (number)");
        Expect(R"({"name": 3})", "s.json: name: must be a string, is 3 (number)");
        Expect(R"({"model": {"config": 3}})",
               "s.json: model.config: must be a name, a file name or an object, is 3 (number)");
        Expect(R"({"model": {"overrides": 3}})",
               "s.json: model.overrides: must be an object, is 3 (number)");
        ExpectSet("iterations", "command line: --set needs PATH=VALUE, got 'iterations'");
        ExpectSet("=3", "command line: --set needs PATH=VALUE, got '=3'");
        ExpectSet("iteration=3",
                  "command line: iteration: unknown key; did you mean 'iterations'?");
        ExpectSet("tensor_model_parallel_size=4",
                  "command line: tensor_model_parallel_size: unknown key; did you mean "
                  "'parallelism.tensor_model_parallel_size'?");
        ExpectSet("iterations=0", "command line: iterations: must be from 1 to 1000000, is 0");
        ExpectSet("fabric=1",
                  "command line: fabric: must be an object, or name one of its fields, is 1 "
                  "(number)");
        ExpectSet("fabric={\"kk\": 1}",
                  "command line: fabric.kk: unknown key; did you mean 'fabric.k'?");
        ExpectSet("model.overrides.n_layer=" + deep,
                  "command line: model.overrides.n_layer: is nested more than 64 levels deep");
        ExpectSet("fabric.alpha=1e999",
                  "command line: fabric.alpha: must be a number, is \"1e999\" (string)");
        NS_TEST_EXPECT_MSG_EQ(ErrorOf([] { ScenarioReader::ReadFile("/"); }),
                              "/: the scenario cannot be read: Is a directory",
                              "folder");
        const std::string empty = CreateTempDirFilename("empty.json");
        std::ofstream(empty).close();
        NS_TEST_EXPECT_MSG_EQ(ErrorOf([&] { ScenarioReader::ReadFile(empty); }),
                              empty + ": line 1: no valid JSON: syntax error while parsing value - "
                                      "unexpected end of input; expected '[', '{', or a literal",
                              "empty file");
        NS_TEST_EXPECT_MSG_EQ(
            ErrorOf([] { ScenarioReader::ReadFile("/nowhere/x.json"); }),
            "/nowhere/x.json: the scenario cannot be read: No such file or directory",
            "missing file");
        const std::string units = ErrorOf(
            [] { ScenarioReader::ParseText(R"({"fabric": {"host_rate": "4parsec"}})", "s.json"); });
        NS_TEST_EXPECT_MSG_EQ(units.substr(0, 33), "s.json: fabric.host_rate: '4parse", units);
    }
};

/** The help fits a terminal and leaves nothing out. */
class HelpNamesEveryField : public TestCase
{
  public:
    HelpNamesEveryField()
        : TestCase("the help names every field within 80 columns")
    {
    }

  private:
    void DoRun() override
    {
        const std::string help = FormatScenarioHelp();
        for (const auto& field : GetScenarioFields())
        {
            NS_TEST_EXPECT_MSG_NE(help.find("\n" + field.path + " = "),
                                  std::string::npos,
                                  field.path);
        }
        std::istringstream lines(help);
        std::string line;
        while (std::getline(lines, line))
        {
            NS_TEST_EXPECT_MSG_LT_OR_EQ(line.size(), 80, line);
        }
    }
};

/** Fields that another field switches off are told. */
class UnusedFieldsAreTold : public TestCase
{
  public:
    UnusedFieldsAreTold()
        : TestCase("fields that another field switches off are told")
    {
    }

  private:
    void DoRun() override
    {
        const auto told = [](const std::vector<std::string>& overrides) {
            return DescribeUnusedFields(ScenarioReader::ParseText("{}", "s.json", overrides));
        };
        NS_TEST_EXPECT_MSG_EQ(told({"fabric.leaves=2", "fabric.ecn=true"}), "", "all used");
        NS_TEST_EXPECT_MSG_EQ(told({"fabric.ecn=false", "transport.kind=tcp"}), "", "none set");
        NS_TEST_EXPECT_MSG_EQ(
            told({"fabric.topology=fat-tree", "fabric.leaves=2", "fabric.spines=2", "fabric.k=4"}),
            "fabric.leaves, fabric.spines (fabric.topology is fat-tree)",
            "another topology");
        NS_TEST_EXPECT_MSG_EQ(told({"transport.kind=tcp",
                                    "transport.ack_interval=2",
                                    "fabric.pfc=false",
                                    "fabric.headroom=1MB"}),
                              "fabric.headroom (fabric.pfc is false); transport.ack_interval "
                              "(transport.kind is tcp)",
                              "two reasons");
        NS_TEST_EXPECT_MSG_EQ(told({"fabric.trimming=true"}),
                              "fabric.trimming (class 3 is lossless)",
                              "trimming cuts lossy classes only");
        NS_TEST_EXPECT_MSG_EQ(told({"fabric.trimming=true", "transport.traffic_class=1"}),
                              "",
                              "a lossy class");
        NS_TEST_EXPECT_MSG_EQ(
            told({"fabric.trimming=true", "fabric.pfc=false", "fabric.trim_class=3"}),
            "fabric.trimming (fabric.trim_class is the class of the data)",
            "headers that find no more room than the data");
        NS_TEST_EXPECT_MSG_EQ(told({"cluster.accelerators_per_server=1", "cluster.scale_up=mesh"}),
                              "cluster.scale_up (cluster.accelerators_per_server is 1)",
                              "nothing to scale up");
    }
};

/** Numbers of a command line are refused with their range. */
class CountsOfOptionsHaveARange : public TestCase
{
  public:
    CountsOfOptionsHaveARange()
        : TestCase("numbers of a command line are refused with their range")
    {
    }

  private:
    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ(ReadOptionCount("2", "--hosts", 2, 9), 2, "least");
        NS_TEST_EXPECT_MSG_EQ(ReadOptionCount("9", "--hosts", 2, 9), 9, "most");
        for (const std::string text : {"1", "10", "4294967298", "-1", "x", ""})
        {
            std::string error = "no error";
            try
            {
                ReadOptionCount(text, "--hosts", 2, 9);
            }
            catch (const ConfigError& e)
            {
                error = e.what();
            }
            NS_TEST_EXPECT_MSG_EQ(error.find("command line: --hosts: "), 0, text + ": " + error);
        }
    }
};

/** The suite. */
class ScenarioTestSuite : public TestSuite
{
  public:
    ScenarioTestSuite()
        : TestSuite("llm-training-scenario", Type::UNIT)
    {
        AddTestCase(new EveryFieldHasADefault, llm::TestDuration::QUICK);
        AddTestCase(new DefaultsReadBack, llm::TestDuration::QUICK);
        AddTestCase(new ValuesAreRead, llm::TestDuration::QUICK);
        AddTestCase(new OverridesWin, llm::TestDuration::QUICK);
        AddTestCase(new BadScenariosAreRefused, llm::TestDuration::QUICK);
        AddTestCase(new HelpNamesEveryField, llm::TestDuration::QUICK);
        AddTestCase(new UnusedFieldsAreTold, llm::TestDuration::QUICK);
        AddTestCase(new CountsOfOptionsHaveARange, llm::TestDuration::QUICK);
    }
};

ScenarioTestSuite g_scenarioTestSuite; //!< registers itself

} // namespace

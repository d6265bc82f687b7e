/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-journey-program.h"

#include "llm-journey.h"
#include "llm-program-options.h"
#include "llm-scenario-reader.h"
#include "llm-shipped-files.h"

#include "ns3/llm-config-error.h"
#include "ns3/llm-units.h"

#include <algorithm>
#include <string>
#include <vector>

namespace ns3
{
namespace llm
{

namespace
{

/**
 * What a journey without a scenario file starts from: GPT-2 small with 32 sequences of 1,024
 * tokens, parameters and gradients of 16 bits, one link for each accelerator and nothing between
 * them but the network, collectives whole.
 */
const char* const DEFAULTS = R"({
  "model": { "config": "gpt2" },
  "training": { "global_batch_size": 32, "seq_length": 1024, "params_dtype": "bf16",
                "grad_reduce_dtype": "bf16", "ddp_bucket_scheme": "none" },
  "parallelism": { "make_vocab_size_divisible_by": 1 },
  "cluster": { "accelerators_per_server": 1 },
  "fabric": { "topology": "single-switch" },
  "collectives": { "slice_bytes": 0 }
})";

/** An option that stands for a field of the scenario. */
struct FieldOption
{
    const char* name;  //!< of the option
    const char* path;  //!< of the field
    const char* help;  //!< line
    std::string value; //!< as given
};

/** @return the options that stand for fields. */
std::vector<FieldOption>
ListFieldOptions()
{
    return {{"model", "model.config", "shipped model, or a config.json", ""},
            {"tp", "parallelism.tensor_model_parallel_size", "ranks that share matrices", ""},
            {"cp", "parallelism.context_parallel_size", "ranks that share sequences", ""},
            {"pp", "parallelism.pipeline_model_parallel_size", "pipeline stages", ""},
            {"dp", "parallelism.data_parallel_size", "replicas of the model", ""},
            {"ep", "parallelism.expert_model_parallel_size", "ranks that share experts", ""},
            {"sequence-length", "training.seq_length", "T: tokens per sequence", ""},
            {"batch-size", "training.global_batch_size", "B: sequences per step", ""},
            {"micro-batch", "training.micro_batch_size", "b: sequences at a time", ""},
            {"accelerator", "accelerator.name", "A100, H100, H200 or B200", ""},
            {"link-rate", "fabric.host_rate", "of each accelerator's link", ""},
            {"mtu", "fabric.path_mtu", "payload of a packet, 256 to 4096", ""}};
}

/** What the command line says. */
struct Arguments
{
    std::string scenario;
    std::vector<FieldOption> fields{ListFieldOptions()};
    std::vector<std::string> overrides;
    std::string text;
    std::string language{"it"};
    std::string tokenizer;
    std::string vocabularySize{"1024"};
    std::string word;
    std::string line;
    std::string batch;
    std::string latency{"5us"};
    std::string format{"text"};
    bool layoutGiven{false};
    bool microBatchGiven{false};
};

Arguments
Parse(int argc, char* argv[])
{
    Arguments arguments;
    ProgramOptions options("llm-training-journey",
                           "Follows one text through a step of training, from words to bits on "
                           "the wire.\n\nWithout options: canto I of the Inferno, GPT-2 small, "
                           "and 8 accelerators in\nthree layouts, DP-8, TP-8 and PP-8.");
    options.AddArgument("scenario", "scenario file: model, layout, link", arguments.scenario);
    options.AddText("text", "text file; empty: canto I", arguments.text);
    options.AddText("language", "of the canto: it or en", arguments.language);
    options.AddText("tokenizer", "vocabulary file; empty: made of the text", arguments.tokenizer);
    options.AddText("vocabulary-size", "ids of one made here", arguments.vocabularySize);
    options.AddText("word", "follow this word: number or spelling", arguments.word);
    options.AddText("line", "follow the line of this number", arguments.line);
    options.AddText("batch", "follow the batch of this number", arguments.batch);
    for (auto& field : arguments.fields)
    {
        options.AddText(field.name, field.help, field.value);
    }
    options.AddText("latency", "alpha: of a message", arguments.latency);
    options.AddList("set", "PATH=VALUE, a field of the scenario", arguments.overrides);
    options.AddText("format", "text, json or rst", arguments.format);
    options.Parse(argc, argv);
    const auto refuseBoth = [&options](const std::string& one, const std::string& other) {
        if (options.IsGiven(one) && options.IsGiven(other))
        {
            throw ConfigError("command line", "--" + one, "goes with no --" + other);
        }
    };
    refuseBoth("language", "text");
    refuseBoth("vocabulary-size", "tokenizer");
    for (const auto& field : arguments.fields)
    {
        arguments.layoutGiven =
            arguments.layoutGiven || (options.IsGiven(field.name) &&
                                      std::string(field.path).compare(0, 12, "parallelism.") == 0);
    }
    arguments.layoutGiven = arguments.layoutGiven || options.IsGiven("scenario") ||
                            std::any_of(arguments.overrides.begin(),
                                        arguments.overrides.end(),
                                        [](const std::string& text) {
                                            return text.compare(0, 11, "parallelism") == 0;
                                        });
    arguments.microBatchGiven =
        options.IsGiven("micro-batch") || options.IsGiven("scenario") ||
        std::any_of(arguments.overrides.begin(),
                    arguments.overrides.end(),
                    [](const std::string& text) {
                        return text.compare(0, 25, "training.micro_batch_size") == 0;
                    });
    return arguments;
}

/** @return the number of a word, line or batch. */
uint64_t
ReadNumber(const std::string& option, const std::string& text)
{
    if (text.empty())
    {
        return 0;
    }
    const uint64_t number = ParseCount(text, "command line", option);
    if (number == 0 || number > 1000000000)
    {
        throw ConfigError("command line", option, "must be from 1 to 1000000000, is " + text);
    }
    return number;
}

/** @return the scenario with the options on top. */
Scenario
ReadScenario(const Arguments& arguments, std::vector<std::string> overrides)
{
    for (const auto& field : arguments.fields)
    {
        if (!field.value.empty())
        {
            overrides.push_back(std::string(field.path) + "=" + field.value);
        }
    }
    overrides.insert(overrides.end(), arguments.overrides.begin(), arguments.overrides.end());
    Scenario scenario =
        arguments.scenario.empty()
            ? ScenarioReader::ParseText(DEFAULTS, "command line", overrides)
            : ScenarioReader::ReadFile(FindScenarioFile(arguments.scenario), overrides);
    if (scenario.cluster.accelerators == 0 && scenario.parallelism.data_parallel_size == 0 &&
        arguments.scenario.empty())
    {
        scenario.parallelism.data_parallel_size = 1;
    }
    // One microbatch, so that S_act is what is sent.
    const uint32_t replicas = std::max(scenario.parallelism.data_parallel_size, 1U);
    if (!arguments.microBatchGiven && scenario.training.global_batch_size % replicas == 0)
    {
        scenario.training.micro_batch_size =
            std::max(scenario.training.global_batch_size / replicas, 1U);
    }
    return scenario;
}

JourneyConfig
MakeConfig(const Arguments& arguments)
{
    JourneyConfig config;
    config.textFile = arguments.text;
    config.language = arguments.language;
    if (config.language != "it" && config.language != "en")
    {
        throw ConfigError("command line",
                          "--language",
                          "the canto is here in it and en, not in '" + config.language + "'");
    }
    config.tokenizerFile = arguments.tokenizer;
    config.vocabularySize = static_cast<uint32_t>(std::min<uint64_t>(
        ParseCount(arguments.vocabularySize, "command line", "--vocabulary-size"),
        UINT32_MAX));
    config.word = arguments.word;
    config.line = ReadNumber("--line", arguments.line);
    config.batch = ReadNumber("--batch", arguments.batch);
    if ((config.word.empty() ? 0 : 1) + (config.line > 0 ? 1 : 0) + (config.batch > 0 ? 1 : 0) > 1)
    {
        throw ConfigError("command line",
                          "",
                          "follow a word, a line or a batch: give one of --word, --line, --batch");
    }
    config.latencyPs = ParseDurationPs(arguments.latency, "command line", "--latency");
    if (arguments.layoutGiven)
    {
        config.layouts.push_back(ReadScenario(arguments, {}));
        return config;
    }
    for (const char* const layout : {"parallelism.data_parallel_size=8",
                                     "parallelism.tensor_model_parallel_size=8",
                                     "parallelism.pipeline_model_parallel_size=8"})
    {
        config.layouts.push_back(ReadScenario(arguments, {layout}));
    }
    return config;
}

} // namespace

int
RunJourneyProgram(int argc, char* argv[], std::ostream& out, std::ostream& err)
{
    try
    {
        const Arguments arguments = Parse(argc, argv);
        const std::string& format = arguments.format;
        if (format != "text" && format != "json" && format != "rst")
        {
            throw ConfigError("command line",
                              "--format",
                              "must be text, json or rst, is '" + format + "'");
        }
        const ReportDocument document = TellJourney(MakeConfig(arguments));
        out << (format == "text"   ? document.FormatText()
                : format == "json" ? document.FormatJson()
                                   : document.FormatRst())
            << std::flush;
        if (!out)
        {
            err << "the journey cannot be written to standard output\n";
            return 1;
        }
        return 0;
    }
    catch (const ConfigError& error)
    {
        err << error.what() << std::endl;
        return 2;
    }
}

} // namespace llm
} // namespace ns3

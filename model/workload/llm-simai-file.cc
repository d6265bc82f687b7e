/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-simai-file.h"

#include "ns3/llm-config-error.h"
#include "ns3/llm-nearest-name.h"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>

namespace ns3
{
namespace llm
{

namespace
{

constexpr uint64_t MOST_RANKS = 16777216;         //!< no cluster is near it
constexpr uint64_t MOST_ROWS = UINT32_MAX;        //!< as many can be numbered
constexpr uint64_t MOST_NS = 9223372036854775ULL; //!< 106 days, what fits in picoseconds
constexpr int64_t PS_PER_NS = 1000;
constexpr std::size_t COLUMNS = 12;

/** A policy and its name. */
struct PolicyName
{
    const char* name;
    SimaiPolicy policy;
};

constexpr std::array<PolicyName, 6> POLICIES{
    {{"DATA", SimaiPolicy::DATA},
     {"MODEL", SimaiPolicy::MODEL},
     {"HYBRID_TRANSFORMER", SimaiPolicy::HYBRID_TRANSFORMER},
     {"HYBRID_TRANSFORMER_FWD_IN_BCKWD", SimaiPolicy::HYBRID_TRANSFORMER_FWD_IN_BCKWD},
     {"HYBRID_CUSTOMIZED", SimaiPolicy::HYBRID_CUSTOMIZED},
     {"MICRO", SimaiPolicy::MICRO}}};

/** Policies that exist and that cannot be run, and why. */
const std::array<std::array<const char*, 2>, 5> REFUSED{
    {{"HYBRID_DLRM", "recommendation models are not language models"},
     {"HYBRID_DLRM_ENHANCED", "recommendation models are not language models"},
     {"HYBRID_DATA_MODEL", "its groups come from a network description of astra-sim's"},
     {"HYBRID_MODEL_DATA", "its groups come from a network description of astra-sim's"},
     {"DISTRIBUTED_INFERENCE", "it trains nothing"}}};

/** A word and where it stands. */
struct Word
{
    std::string text;
    uint64_t line{0};
};

/** Reads one file. */
class Reader
{
  public:
    explicit Reader(SimaiFile& file)
        : m_file(file),
          m_stream(file.fileName, std::ios::binary)
    {
    }

    /** Read everything. */
    void Read();

  private:
    [[noreturn]] void Fail(uint64_t line, const std::string& message) const
    {
        throw ConfigError(m_file.fileName, "line " + std::to_string(line), message);
    }

    /** Go to the next line with words. @return false at the end. */
    bool NextLine();
    /** @return the next word in m_words, which must have one. */
    Word Take();
    uint64_t Number(const Word& word, const std::string& what, uint64_t most) const;
    SimaiPolicy FindPolicy(const Word& word) const;
    void ReadHeader();
    void ReadKey(const Word& key);
    std::vector<uint32_t> ReadIds(const Word& key);
    Word TakeValue(const Word& key);
    void ReadRow();
    SimaiPhase ReadPhase(const SimaiRow& row, const char* column, bool weights);
    void ReadKind(const SimaiRow& row, const Word& word, bool weights, SimaiPhase& phase);
    void CheckPhase(const SimaiRow& row,
                    const SimaiPhase& phase,
                    const char* column,
                    const char* why) const;
    void CheckIds() const;

    std::size_t GetColumns() const
    {
        return m_file.policy == SimaiPolicy::HYBRID_CUSTOMIZED ? COLUMNS + 1 : COLUMNS;
    }

    SimaiFile& m_file;               //!< what is filled in
    std::ifstream m_stream;          //!< the text
    uint64_t m_line{0};              //!< lines read
    std::vector<Word> m_words;       //!< of the present line
    std::size_t m_next{0};           //!< of them
    std::size_t m_column{0};         //!< words of the present row so far
    std::vector<std::string> m_seen; //!< keys so far
};

bool
Reader::NextLine()
{
    m_words.clear();
    m_next = 0;
    std::string text;
    while (m_words.empty() && std::getline(m_stream, text))
    {
        ++m_line;
        std::istringstream words(text);
        for (std::string word; words >> word;)
        {
            m_words.push_back({word, m_line});
        }
    }
    return !m_words.empty();
}

Word
Reader::Take()
{
    if (m_next == m_words.size() && !NextLine())
    {
        Fail(m_line,
             "the file ends within a row: " + std::to_string(m_column) + " of " +
                 std::to_string(GetColumns()) + " columns");
    }
    ++m_column;
    return m_words[m_next++];
}

uint64_t
Reader::Number(const Word& word, const std::string& what, uint64_t most) const
{
    uint64_t number = 0;
    for (const char c : word.text)
    {
        const auto digit = static_cast<uint64_t>(c - '0');
        if (c < '0' || c > '9')
        {
            Fail(word.line, what + " must be a whole number >= 0, is '" + word.text + "'");
        }
        if (number > (UINT64_MAX - digit) / 10)
        {
            Fail(word.line, what + " " + word.text + " does not fit in 64 bits");
        }
        number = number * 10 + digit;
    }
    if (number > most)
    {
        Fail(word.line, what + " is " + word.text + "; at most " + std::to_string(most));
    }
    return number;
}

SimaiPolicy
Reader::FindPolicy(const Word& word) const
{
    std::vector<std::string> known;
    for (const auto& [name, policy] : POLICIES)
    {
        if (word.text == name)
        {
            return policy;
        }
        known.emplace_back(name);
    }
    for (const auto& [name, why] : REFUSED)
    {
        if (word.text == name)
        {
            Fail(word.line, "policy " + word.text + " cannot be run: " + why);
        }
    }
    Fail(word.line,
         "there is no policy '" + word.text + "'; did you mean '" + NearestName(word.text, known) +
             "'?");
}

Word
Reader::TakeValue(const Word& key)
{
    if (m_next == m_words.size())
    {
        Fail(key.line, "'" + key.text + "' needs a number behind it");
    }
    return m_words[m_next++];
}

std::vector<uint32_t>
Reader::ReadIds(const Word& key)
{
    const uint64_t count = Number(TakeValue(key), key.text, MOST_ROWS);
    std::vector<uint32_t> ids;
    while (ids.size() < count)
    {
        if (m_next == m_words.size())
        {
            Fail(key.line,
                 "'" + key.text + "' announces " + std::to_string(count) + " rows and names " +
                     std::to_string(ids.size()));
        }
        ids.push_back(static_cast<uint32_t>(Number(m_words[m_next++], "a row", MOST_ROWS)));
    }
    std::sort(ids.begin(), ids.end());
    return ids;
}

void
Reader::ReadKey(const Word& key)
{
    static const std::vector<std::string> known{"model_parallel_NPU_group:",
                                                "ep:",
                                                "pp:",
                                                "vpp:",
                                                "ga:",
                                                "all_gpus:",
                                                "checkpoints:",
                                                "checkpoint_initiates:",
                                                "pp_comm:",
                                                "pp_comm"};
    const std::string name = key.text == "pp_comm" ? "pp_comm:" : key.text;
    if (std::find(m_seen.begin(), m_seen.end(), name) != m_seen.end())
    {
        Fail(key.line, "'" + key.text + "' stands there twice");
    }
    m_seen.push_back(name);
    const auto count = [&]() {
        const auto number = static_cast<uint32_t>(Number(TakeValue(key), key.text, MOST_RANKS));
        if (number == 0)
        {
            Fail(key.line, "'" + key.text + "' is 0; at least 1 is needed");
        }
        return number;
    };
    if (name == "model_parallel_NPU_group:")
    {
        m_file.tensor = count();
    }
    else if (name == "ep:")
    {
        m_file.expert = count();
    }
    else if (name == "pp:")
    {
        m_file.pipeline = count();
    }
    else if (name == "vpp:")
    {
        m_file.virtualPipeline = count();
    }
    else if (name == "ga:")
    {
        m_file.accumulation = count();
    }
    else if (name == "all_gpus:")
    {
        m_file.ranks = count();
    }
    else if (name == "checkpoints:")
    {
        m_file.checkpoints = ReadIds(key);
    }
    else if (name == "checkpoint_initiates:")
    {
        m_file.initiates = ReadIds(key);
    }
    else if (name == "pp_comm:")
    {
        m_file.pipelineBytes = Number(TakeValue(key), key.text, UINT64_MAX);
    }
    else
    {
        Fail(key.line,
             "unknown key '" + key.text + "'; did you mean '" + NearestName(key.text, known) +
                 "'?");
    }
}

void
Reader::ReadHeader()
{
    if (!m_stream || !NextLine())
    {
        throw ConfigError(
            m_file.fileName,
            "",
            "the SimAI workload cannot be read: " +
                std::string(m_stream.is_open() ? "it is empty or no file" : std::strerror(errno)));
    }
    m_file.policy = FindPolicy(m_words[m_next++]);
    while (m_next < m_words.size())
    {
        ReadKey(m_words[m_next++]);
    }
    const bool transformer = m_file.policy == SimaiPolicy::HYBRID_TRANSFORMER ||
                             m_file.policy == SimaiPolicy::HYBRID_TRANSFORMER_FWD_IN_BCKWD;
    if (transformer && m_file.tensor == 0)
    {
        Fail(m_line, "a transformer's header needs 'model_parallel_NPU_group:'");
    }
}

void
Reader::ReadKind(const SimaiRow& row, const Word& word, bool weights, SimaiPhase& phase)
{
    static const std::array<std::pair<const char*, OperationKind>, 5> kinds{
        {{"ALLREDUCE", OperationKind::ALL_REDUCE},
         {"ALLGATHER", OperationKind::ALL_GATHER},
         {"REDUCESCATTER", OperationKind::REDUCE_SCATTER},
         {"ALLTOALL", OperationKind::ALL_TO_ALL},
         {"BROADCAST", OperationKind::BROADCAST}}};
    if (word.text == "NONE")
    {
        return;
    }
    const auto suffix = word.text.find('_');
    const std::string name = word.text.substr(0, suffix);
    const std::string group = suffix == std::string::npos ? "" : word.text.substr(suffix);
    for (const auto& [known, kind] : kinds)
    {
        if (name == known)
        {
            phase.communicates = true;
            phase.kind = kind;
        }
    }
    if (!phase.communicates || (!group.empty() && group != "_EP" && group != "_DP_EP"))
    {
        Fail(word.line,
             "'" + word.text +
                 "' is no communication; NONE, ALLREDUCE, ALLGATHER, REDUCESCATTER, ALLTOALL and "
                 "BROADCAST are, as they are or with _EP or _DP_EP behind them");
    }
    m_file.broadcasts += phase.kind == OperationKind::BROADCAST ? 1 : 0;
    const bool all = row.policy == SimaiPolicy::DATA || row.policy == SimaiPolicy::MODEL;
    phase.group = group == "_EP"      ? SimaiGroup::EXPERT
                  : group == "_DP_EP" ? SimaiGroup::DATA_EXPERT
                  : all               ? SimaiGroup::ALL
                  : weights           ? SimaiGroup::DATA
                                      : SimaiGroup::TENSOR;
}

SimaiPhase
Reader::ReadPhase(const SimaiRow& row, const char* column, bool weights)
{
    SimaiPhase phase;
    const Word time = Take();
    const std::string what = std::string("the ") + column + " time in ns";
    phase.durationPs = static_cast<int64_t>(Number(time, what, MOST_NS)) * PS_PER_NS;
    ReadKind(row, Take(), weights, phase);
    phase.bytes = Number(Take(), std::string("the ") + column + " size", UINT64_MAX);
    return phase;
}

void
Reader::CheckPhase(const SimaiRow& row,
                   const SimaiPhase& phase,
                   const char* column,
                   const char* why) const
{
    if (phase.communicates && phase.bytes > 0)
    {
        Fail(row.line, "row '" + row.name + "' communicates in its " + column + ", but " + why);
    }
}

void
Reader::ReadRow()
{
    m_column = 0;
    SimaiRow row;
    const Word name = Take();
    row.name = name.text;
    row.line = name.line;
    row.policy = m_file.policy;
    if (m_file.policy == SimaiPolicy::HYBRID_CUSTOMIZED)
    {
        // The row's own policy stands in its last column.
        if (m_words.size() - m_next + 1 != COLUMNS + 1)
        {
            Fail(row.line,
                 "row '" + row.name + "' has " + std::to_string(m_words.size() - m_next + 1) +
                     " columns; under HYBRID_CUSTOMIZED it needs 13 in one line, the last its "
                     "policy");
        }
        row.policy = FindPolicy(m_words.back());
        if (row.policy != SimaiPolicy::DATA && row.policy != SimaiPolicy::MODEL)
        {
            Fail(row.line,
                 "row '" + row.name + "': policy " + m_words.back().text +
                     " needs groups that a HYBRID_CUSTOMIZED file does not give; DATA or MODEL can "
                     "be run");
        }
    }
    const Word dependency = Take();
    if (dependency.text != "-1")
    {
        Number(dependency, "the second column (a row, or -1)", UINT64_MAX);
        ++m_file.dependencies;
    }
    row.forward = ReadPhase(row, "forward", false);
    row.inputGradient = ReadPhase(row, "input gradient", false);
    row.weightGradient = ReadPhase(row, "weight gradient", true);
    row.updatePs =
        static_cast<int64_t>(Number(Take(), "the update time in ns", MOST_NS)) * PS_PER_NS;
    if (m_file.policy == SimaiPolicy::HYBRID_CUSTOMIZED)
    {
        Take();
    }
    if (m_next < m_words.size())
    {
        Fail(m_words[m_next].line,
             "'" + m_words[m_next].text + "' stands behind the " + std::to_string(GetColumns()) +
                 " columns of row '" + row.name + "'");
    }
    if (row.policy == SimaiPolicy::DATA || row.policy == SimaiPolicy::MICRO)
    {
        const char* why = row.policy == SimaiPolicy::DATA
                              ? "data parallelism exchanges weight gradients only"
                              : "MICRO runs the weight gradient's columns only";
        CheckPhase(row, row.forward, "forward", why);
        CheckPhase(row, row.inputGradient, "input gradient", why);
    }
    if (row.policy == SimaiPolicy::MODEL)
    {
        CheckPhase(row,
                   row.weightGradient,
                   "weight gradient",
                   "model parallelism keeps weight gradients to itself");
    }
    m_file.rows.push_back(row);
}

void
Reader::CheckIds() const
{
    for (const auto* ids : {&m_file.checkpoints, &m_file.initiates})
    {
        if (!ids->empty() && ids->back() >= m_file.rows.size())
        {
            Fail(1,
                 "a checkpoint names row " + std::to_string(ids->back()) +
                     "; there are rows 0 to " + std::to_string(m_file.rows.size() - 1));
        }
    }
    if (!m_file.initiates.empty() && m_file.policy != SimaiPolicy::HYBRID_TRANSFORMER_FWD_IN_BCKWD)
    {
        Fail(1,
             std::string("checkpoint_initiates stands beside ") + ToString(m_file.policy) +
                 "; forward runs again under HYBRID_TRANSFORMER_FWD_IN_BCKWD only");
    }
    if (!m_file.initiates.empty() &&
        (m_file.checkpoints.empty() || m_file.checkpoints.front() > m_file.initiates.front()))
    {
        Fail(1,
             "row " + std::to_string(m_file.initiates.front()) +
                 " initiates forward again, but no row at or before it is a checkpoint");
    }
}

void
Reader::Read()
{
    ReadHeader();
    if (!NextLine())
    {
        Fail(m_line, "the file ends where the number of rows should stand");
    }
    const uint64_t countLine = m_line;
    const uint64_t announced = Number(m_words[m_next++], "the number of rows", MOST_ROWS);
    if (m_next < m_words.size())
    {
        Fail(countLine,
             "'" + m_words[m_next].text +
                 "' stands behind the number of rows, which has a line of "
                 "its own");
    }
    while (m_next < m_words.size() || NextLine())
    {
        ReadRow();
    }
    if (m_file.rows.size() != announced)
    {
        Fail(countLine,
             "announces " + std::to_string(announced) + " rows, but the file has " +
                 std::to_string(m_file.rows.size()));
    }
    if (m_file.rows.empty())
    {
        Fail(countLine, "there are no rows");
    }
    CheckIds();
}

} // namespace

const char*
ToString(SimaiPolicy policy)
{
    for (const auto& known : POLICIES)
    {
        if (known.policy == policy)
        {
            return known.name;
        }
    }
    return "unknown";
}

SimaiFile
SimaiFile::Read(const std::string& fileName)
{
    SimaiFile file;
    file.fileName = fileName;
    Reader(file).Read();
    return file;
}

} // namespace llm
} // namespace ns3

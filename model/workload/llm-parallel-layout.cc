/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-parallel-layout.h"

#include "llm-pipeline-schedule.h"

#include "ns3/llm-config-error.h"

#include <algorithm>

namespace ns3
{
namespace llm
{

namespace
{

/** Names of the axes, by ParallelAxis. */
constexpr std::array<const char*, static_cast<std::size_t>(ParallelAxis::COUNT)>
    AXIS_NAMES{"tp", "cp", "dp", "pp", "etp", "ep", "edp"};

/** Names in a rank order; each stands for an axis of the dense grid, of the expert grid or both. */
struct OrderName
{
    const char* name;    //!< as in rank_order
    ParallelAxis dense;  //!< COUNT: none
    ParallelAxis expert; //!< COUNT: none
};

constexpr std::array<OrderName, 5> ORDER_NAMES{
    OrderName{"tp", ParallelAxis::TP, ParallelAxis::ETP},
    OrderName{"cp", ParallelAxis::CP, ParallelAxis::COUNT},
    OrderName{"ep", ParallelAxis::COUNT, ParallelAxis::EP},
    OrderName{"dp", ParallelAxis::DP, ParallelAxis::EDP},
    OrderName{"pp", ParallelAxis::PP, ParallelAxis::PP}};

/** Far above any cluster, and few enough to list them. */
constexpr uint64_t MOST_RANKS = 1ULL << 24;

/** Splits "a-b-c". */
std::vector<std::string>
SplitDashes(const std::string& text)
{
    std::vector<std::string> parts;
    std::size_t begin = 0;
    while (true)
    {
        const std::size_t end = text.find('-', begin);
        parts.push_back(text.substr(begin, end == std::string::npos ? end : end - begin));
        if (end == std::string::npos)
        {
            return parts;
        }
        begin = end + 1;
    }
}

constexpr std::size_t
Index(ParallelAxis axis)
{
    return static_cast<std::size_t>(axis);
}

bool
IsOfExpertGrid(std::size_t axis)
{
    return axis >= Index(ParallelAxis::ETP);
}

} // namespace

void
ParallelLayout::Fail(const std::string& key, const std::string& message) const
{
    throw ConfigError(m_source, m_path.empty() ? key : m_path + "." + key, message);
}

ParallelLayout::ParallelLayout(const ParallelConfig& config,
                               uint32_t worldSize,
                               const std::string& source,
                               const std::string& path)
    : m_config(config),
      m_source(source),
      m_path(path)
{
    CheckSizes();
    CheckPipelineSchedule(m_config, m_source, m_path);
    ResolveDataParallelSize(worldSize);
    ReadOrder();
    MakeGrid(m_dense, {ParallelAxis::TP, ParallelAxis::CP, ParallelAxis::DP, ParallelAxis::PP});
    if (config.expert_model_parallel_size > 1 || config.expert_tensor_parallel_size > 0)
    {
        CheckExpertGrid();
    }
    MakeGrid(m_expert, {ParallelAxis::ETP, ParallelAxis::EP, ParallelAxis::EDP, ParallelAxis::PP});
    CheckParts();
}

void
ParallelLayout::CheckSizes() const
{
    struct Named
    {
        const char* key;
        uint32_t value;
    };

    for (const auto& size :
         {Named{"tensor_model_parallel_size", m_config.tensor_model_parallel_size},
          Named{"pipeline_model_parallel_size", m_config.pipeline_model_parallel_size},
          Named{"context_parallel_size", m_config.context_parallel_size},
          Named{"expert_model_parallel_size", m_config.expert_model_parallel_size},
          Named{"num_distributed_optimizer_instances",
                m_config.num_distributed_optimizer_instances},
          Named{"make_vocab_size_divisible_by", m_config.make_vocab_size_divisible_by}})
    {
        if (size.value == 0)
        {
            Fail(size.key, "must be at least 1, is 0");
        }
    }
}

void
ParallelLayout::ResolveDataParallelSize(uint32_t worldSize)
{
    const uint64_t t = m_config.tensor_model_parallel_size;
    const uint64_t p = m_config.pipeline_model_parallel_size;
    const uint64_t c = m_config.context_parallel_size;
    const std::string product = "tensor_model_parallel_size " + std::to_string(t) +
                                " x pipeline_model_parallel_size " + std::to_string(p) +
                                (c > 1 ? " x context_parallel_size " + std::to_string(c) : "");
    uint64_t d = m_config.data_parallel_size;
    if (t > MOST_RANKS / p || c > MOST_RANKS / (t * p) || d > MOST_RANKS / (t * p * c) ||
        worldSize > MOST_RANKS)
    {
        Fail("data_parallel_size",
             (worldSize > MOST_RANKS ? "the world size " + std::to_string(worldSize)
                                     : product + " x " + std::to_string(d)) +
                 " is above " + std::to_string(MOST_RANKS) + " ranks");
    }
    const uint64_t replica = t * p * c;
    if (worldSize == 0)
    {
        d = d == 0 ? 1 : d;
        worldSize = static_cast<uint32_t>(replica * d);
    }
    else if (d == 0)
    {
        if (worldSize % replica != 0)
        {
            Fail("tensor_model_parallel_size",
                 product + " = " + std::to_string(replica) + " does not divide the world size " +
                     std::to_string(worldSize));
        }
        d = worldSize / replica;
    }
    if (replica * d != worldSize)
    {
        Fail("data_parallel_size",
             product + " x data_parallel_size " + std::to_string(d) + " = " +
                 std::to_string(replica * d) + " is not the world size " +
                 std::to_string(worldSize));
    }
    m_worldSize = worldSize;
    m_config.data_parallel_size = static_cast<uint32_t>(d);

    const uint64_t e = m_config.expert_model_parallel_size;
    uint64_t et = m_config.expert_tensor_parallel_size;
    et = et == 0 ? t : et;
    const uint64_t stage = t * c * d;
    if (stage % e != 0 || stage / e % et != 0)
    {
        Fail("expert_model_parallel_size",
             std::to_string(e) + " x expert_tensor_parallel_size " + std::to_string(et) + " = " +
                 std::to_string(e * et) + " does not divide the " + std::to_string(stage) +
                 " ranks of a pipeline stage");
    }
    m_dense.size.fill(1);
    m_dense.size[Index(ParallelAxis::TP)] = static_cast<uint32_t>(t);
    m_dense.size[Index(ParallelAxis::CP)] = static_cast<uint32_t>(c);
    m_dense.size[Index(ParallelAxis::DP)] = static_cast<uint32_t>(d);
    m_dense.size[Index(ParallelAxis::PP)] = static_cast<uint32_t>(p);
    m_expert.size.fill(1);
    m_expert.size[Index(ParallelAxis::ETP)] = static_cast<uint32_t>(et);
    m_expert.size[Index(ParallelAxis::EP)] = static_cast<uint32_t>(e);
    m_expert.size[Index(ParallelAxis::EDP)] = static_cast<uint32_t>(stage / e / et);
    m_expert.size[Index(ParallelAxis::PP)] = static_cast<uint32_t>(p);
}

void
ParallelLayout::ReadOrder()
{
    const auto fail = [this](const std::string& why) {
        Fail("rank_order",
             "'" + m_config.rank_order + "' " + why +
                 "; it must be a permutation of tp-cp-ep-dp-pp");
    };
    const auto has = [this](const std::string& name) {
        return std::find(m_order.begin(), m_order.end(), name) != m_order.end();
    };
    for (const auto& name : SplitDashes(m_config.rank_order))
    {
        const bool known = std::any_of(ORDER_NAMES.begin(),
                                       ORDER_NAMES.end(),
                                       [&name](const OrderName& any) { return name == any.name; });
        if (!known)
        {
            fail("has the unknown axis '" + name + "'");
        }
        if (has(name))
        {
            fail("has '" + name + "' twice");
        }
        m_order.push_back(name);
    }
    for (const auto& any : ORDER_NAMES)
    {
        if (has(any.name))
        {
            continue;
        }
        const uint32_t dense =
            any.dense == ParallelAxis::COUNT ? 1 : m_dense.size[Index(any.dense)];
        const uint32_t expert =
            any.expert == ParallelAxis::COUNT ? 1 : m_expert.size[Index(any.expert)];
        if (dense > 1 || expert > 1)
        {
            fail(std::string("lacks '") + any.name + "', whose size is " +
                 std::to_string(std::max(dense, expert)));
        }
        m_order.emplace_back(any.name);
    }
}

void
ParallelLayout::MakeGrid(Grid& grid, const std::vector<ParallelAxis>& axes) const
{
    grid.stride.fill(1);
    uint32_t stride = 1;
    for (const auto& name : m_order)
    {
        for (const auto& any : ORDER_NAMES)
        {
            for (const ParallelAxis axis : axes)
            {
                if (name == any.name && (axis == any.dense || axis == any.expert))
                {
                    grid.order[grid.axes++] = Index(axis);
                    grid.stride[Index(axis)] = stride;
                    stride *= grid.size[Index(axis)];
                }
            }
        }
    }
}

void
ParallelLayout::CheckExpertGrid() const
{
    // Stages are at rank / stride % p: equal strides make equal pipeline groups.
    uint64_t dense = 1;
    uint64_t expert = 1;
    for (const auto& name : m_order)
    {
        if (name == "pp")
        {
            break;
        }
        for (const auto& any : ORDER_NAMES)
        {
            if (name == any.name)
            {
                dense *= any.dense == ParallelAxis::COUNT ? 1 : m_dense.size[Index(any.dense)];
                expert *= any.expert == ParallelAxis::COUNT ? 1 : m_expert.size[Index(any.expert)];
            }
        }
    }
    if (dense != expert && m_dense.size[Index(ParallelAxis::PP)] > 1)
    {
        Fail("rank_order",
             "'" + m_config.rank_order + "' puts neighbouring pipeline stages " +
                 std::to_string(dense) + " ranks apart in the dense grid and " +
                 std::to_string(expert) + " apart in the expert grid; with pp last they agree");
    }
}

void
ParallelLayout::CheckParts() const
{
    const uint32_t instances = m_config.num_distributed_optimizer_instances;
    const uint32_t gradients = GetGroupSize("dp-cp");
    if (gradients % instances != 0)
    {
        Fail("num_distributed_optimizer_instances",
             std::to_string(instances) + " does not divide the " + std::to_string(gradients) +
                 " ranks of the data-parallel group (data_parallel_size x context_parallel_size)");
    }
    const uint32_t c = m_config.context_parallel_size;
    const uint32_t part = m_config.hierarchical_context_parallel_size;
    const std::string& type = m_config.cp_comm_type;
    if (type != "p2p" && type != "all_gather" && type != "a2a" && type != "a2a+p2p")
    {
        Fail("cp_comm_type", "unknown type '" + type + "'; known: p2p, all_gather, a2a, a2a+p2p");
    }
    if (type != "a2a+p2p" && part != 0)
    {
        Fail("hierarchical_context_parallel_size",
             "is " + std::to_string(part) + ", but only cp_comm_type a2a+p2p has parts, not " +
                 type);
    }
    if (type == "a2a+p2p" && (part == 0 || c % part != 0))
    {
        Fail("hierarchical_context_parallel_size",
             part == 0 ? "must be given for cp_comm_type a2a+p2p: ranks of the a2a part"
                       : std::to_string(part) + " does not divide context_parallel_size " +
                             std::to_string(c));
    }
}

const ParallelConfig&
ParallelLayout::GetConfig() const
{
    return m_config;
}

uint32_t
ParallelLayout::GetWorldSize() const
{
    return m_worldSize;
}

uint32_t
ParallelLayout::GetSize(ParallelAxis axis) const
{
    const std::size_t index = Index(axis);
    return IsOfExpertGrid(index) ? m_expert.size[index] : m_dense.size[index];
}

uint32_t
ParallelLayout::GetCoordinate(uint32_t rank, ParallelAxis axis) const
{
    const std::size_t index = Index(axis);
    const Grid& grid = IsOfExpertGrid(index) ? m_expert : m_dense;
    return rank / grid.stride[index] % grid.size[index];
}

ParallelCoordinates
ParallelLayout::GetCoordinates(uint32_t rank) const
{
    ParallelCoordinates coordinates{};
    for (std::size_t axis = 0; axis < AXES; ++axis)
    {
        coordinates[axis] = GetCoordinate(rank, static_cast<ParallelAxis>(axis));
    }
    return coordinates;
}

uint32_t
ParallelLayout::GetRank(const ParallelCoordinates& coordinates) const
{
    uint32_t rank = 0;
    for (std::size_t i = 0; i < m_dense.axes; ++i)
    {
        const std::size_t axis = m_dense.order[i];
        rank += coordinates[axis] * m_dense.stride[axis];
    }
    return rank;
}

ParallelLayout::GroupShape
ParallelLayout::ParseKind(const std::string& kind) const
{
    const auto fail = [&kind](const std::string& why) {
        throw ConfigError("ParallelLayout",
                          "",
                          why + " kind of group '" + kind +
                              "'; known: embd, dist-opt, dp-cp-shard, dp-cp-replica, edp-shard, "
                              "edp-replica, cp-a2a, cp-p2p, and axes of one grid joined by "
                              "dashes (tp, cp, dp, pp or etp, ep, edp, pp)");
    };
    GroupShape shape;
    shape.grid = &m_dense;
    if (kind == "embd")
    {
        shape.varies[Index(ParallelAxis::PP)] = true;
        shape.ends = true;
        return shape;
    }
    if (kind == "dist-opt")
    {
        shape.varies[Index(ParallelAxis::CP)] = true;
        shape.varies[Index(ParallelAxis::DP)] = true;
        shape.part = CountMembers(shape) / m_config.num_distributed_optimizer_instances;
        shape.whole = true;
        return shape;
    }
    bool dense = false;
    std::string last;
    std::size_t begin = 0;
    while (begin <= kind.size())
    {
        const std::size_t end = std::min(kind.find('-', begin), kind.size());
        last.assign(kind, begin, end - begin);
        begin = end + 1;
        const auto found = std::find(AXIS_NAMES.begin(), AXIS_NAMES.end(), last);
        if (found != AXIS_NAMES.end())
        {
            const auto axis = static_cast<std::size_t>(found - AXIS_NAMES.begin());
            shape.varies[axis] = true;
            dense |= !IsOfExpertGrid(axis) && axis != Index(ParallelAxis::PP);
            shape.grid = IsOfExpertGrid(axis) ? &m_expert : shape.grid;
        }
        else if (begin <= kind.size())
        {
            fail("unknown");
        }
    }
    if (dense && shape.grid == &m_expert)
    {
        fail("mixed");
    }
    const std::size_t pipeline = Index(ParallelAxis::PP);
    if (m_config.pipeline_schedule == "dualpipe" && !shape.varies[pipeline] &&
        (shape.varies[Index(ParallelAxis::DP)] || shape.varies[Index(ParallelAxis::EDP)]))
    {
        shape.varies[pipeline] = true;
        shape.twins = true;
    }
    if (std::find(AXIS_NAMES.begin(), AXIS_NAMES.end(), last) != AXIS_NAMES.end())
    {
        return shape;
    }
    if (kind == "cp-a2a" || kind == "cp-p2p")
    {
        shape.part = std::max<uint32_t>(m_config.hierarchical_context_parallel_size, 1);
        shape.across = kind == "cp-p2p";
        return shape;
    }
    const uint32_t members = CountMembers(shape);
    const uint32_t instances = m_config.num_distributed_optimizer_instances;
    if ((kind != "dp-cp-shard" && kind != "dp-cp-replica" && kind != "edp-shard" &&
         kind != "edp-replica") ||
        members % instances != 0)
    {
        fail("unknown");
    }
    shape.part = members / instances;
    shape.across = last == "replica";
    return shape;
}

uint32_t
ParallelLayout::Number(uint32_t rank, const GroupShape& shape, bool varying)
{
    uint32_t number = 0;
    uint32_t radix = 1;
    for (std::size_t i = 0; i < shape.grid->axes; ++i)
    {
        const std::size_t axis = shape.grid->order[i];
        const uint32_t size = shape.grid->size[axis];
        const uint32_t coordinate = rank / shape.grid->stride[axis] % size;
        if (shape.twins && axis == Index(ParallelAxis::PP))
        {
            const bool second = coordinate >= size / 2;
            const uint32_t pair = second ? size - 1 - coordinate : coordinate;
            number += (varying ? (second ? 1 : 0) : pair) * radix;
            radix *= varying ? 2 : size / 2;
        }
        else if (shape.varies[axis] == varying)
        {
            number += coordinate * radix;
            radix *= size;
        }
    }
    return number;
}

uint32_t
ParallelLayout::Place(uint32_t group, uint32_t member, const GroupShape& shape)
{
    uint32_t rank = 0;
    for (std::size_t i = 0; i < shape.grid->axes; ++i)
    {
        const std::size_t axis = shape.grid->order[i];
        const uint32_t size = shape.grid->size[axis];
        uint32_t& number = shape.varies[axis] ? member : group;
        uint32_t coordinate = number % size;
        if (shape.twins && axis == Index(ParallelAxis::PP))
        {
            const uint32_t pair = group % (size / 2);
            coordinate = member % 2 == 0 ? pair : size - 1 - pair;
            group /= size / 2;
            member /= 2;
        }
        else
        {
            number /= size;
        }
        rank += coordinate * shape.grid->stride[axis];
    }
    return rank;
}

uint32_t
ParallelLayout::CountMembers(const GroupShape& shape)
{
    uint32_t members = 1;
    for (std::size_t axis = 0; axis < AXES; ++axis)
    {
        const bool twins = shape.twins && axis == Index(ParallelAxis::PP);
        members *= shape.varies[axis] ? (twins ? 2 : shape.grid->size[axis]) : 1;
    }
    return members;
}

uint32_t
ParallelLayout::GetGroupSize(const std::string& kind) const
{
    const GroupShape shape = ParseKind(kind);
    const uint32_t members = CountMembers(shape);
    if (shape.ends)
    {
        return members > 1 ? 2 : 1;
    }
    if (shape.part == 0)
    {
        return members;
    }
    if (shape.whole)
    {
        return m_worldSize / members * shape.part;
    }
    return shape.across ? members / shape.part : shape.part;
}

uint32_t
ParallelLayout::GetGroupCount(const std::string& kind) const
{
    const GroupShape shape = ParseKind(kind);
    return shape.ends ? m_worldSize / CountMembers(shape) : m_worldSize / GetGroupSize(kind);
}

std::vector<uint32_t>
ParallelLayout::GetGroup(const std::string& kind, uint32_t index) const
{
    const GroupShape shape = ParseKind(kind);
    const uint32_t members = CountMembers(shape);
    if (shape.whole)
    {
        const uint32_t others = m_worldSize / members;
        std::vector<uint32_t> all;
        for (uint32_t member = 0; member < others * shape.part; ++member)
        {
            all.push_back(Place(member % others, index * shape.part + member / others, shape));
        }
        return all;
    }
    uint32_t first = 0;
    uint32_t step = shape.ends && members > 1 ? members - 1 : 1;
    if (shape.part > 0 && shape.across)
    {
        first = index % shape.part;
        step = shape.part;
        index /= shape.part;
    }
    else if (shape.part > 0)
    {
        first = index % (members / shape.part) * shape.part;
        index /= members / shape.part;
    }
    const uint32_t size = GetGroupSize(kind);
    std::vector<uint32_t> ranks;
    ranks.reserve(size);
    for (uint32_t member = 0; member < size; ++member)
    {
        ranks.push_back(Place(index, first + member * step, shape));
    }
    return ranks;
}

uint32_t
ParallelLayout::GetGroupIndex(const std::string& kind, uint32_t rank) const
{
    const GroupShape shape = ParseKind(kind);
    const uint32_t index = Number(rank, shape, false);
    if (shape.part == 0)
    {
        return index;
    }
    const uint32_t number = Number(rank, shape, true);
    if (shape.whole)
    {
        return number / shape.part;
    }
    return shape.across ? index * shape.part + number % shape.part
                        : index * (CountMembers(shape) / shape.part) + number / shape.part;
}

uint32_t
ParallelLayout::GetGroupRank(const std::string& kind, uint32_t rank) const
{
    const GroupShape shape = ParseKind(kind);
    const uint32_t number = Number(rank, shape, true);
    if (shape.ends)
    {
        return number == 0 ? 0 : 1;
    }
    if (shape.part == 0)
    {
        return number;
    }
    if (shape.whole)
    {
        return number % shape.part * (m_worldSize / CountMembers(shape)) +
               Number(rank, shape, false);
    }
    return shape.across ? number / shape.part : number % shape.part;
}

void
ParallelLayout::CheckSplit(const char* key,
                           uint64_t parts,
                           const char* what,
                           const char* modelKey,
                           uint64_t number) const
{
    if (number % parts != 0)
    {
        Fail(key,
             std::to_string(parts) + " does not divide the model's " + std::to_string(number) +
                 " " + what + " (" + modelKey + ")");
    }
}

void
ParallelLayout::CheckModel(const ModelConfig& model) const
{
    const uint32_t t = GetSize(ParallelAxis::TP);
    const char* const tensor = "tensor_model_parallel_size";
    CheckSplit(tensor, t, "attention heads", "num_attention_heads", model.num_attention_heads);
    if (!model.HasLatentAttention())
    {
        CheckSplit(tensor, t, "key-value heads", "num_key_value_heads", model.num_key_value_heads);
    }
    else if (t > 1 && !m_config.sequence_parallel)
    {
        Fail("sequence_parallel",
             "must be true for latent attention with tensor_model_parallel_size " +
                 std::to_string(t) + ", whose ranks compress parts of the sequence; is false");
    }
    bool dense = false;
    for (uint64_t layer = 0; layer < model.num_hidden_layers && !dense; ++layer)
    {
        dense = !model.IsMoeLayer(layer);
    }
    if (dense)
    {
        CheckSplit(tensor, t, "MLP columns", "intermediate_size", model.intermediate_size);
    }
    CheckExperts(model);
    CheckContext(model);
}

void
ParallelLayout::CheckExperts(const ModelConfig& model) const
{
    const uint32_t e = GetSize(ParallelAxis::EP);
    if (model.num_experts == 0)
    {
        if (e > 1)
        {
            Fail("expert_model_parallel_size",
                 "is " + std::to_string(e) + ", but the model has no experts (num_experts 0)");
        }
        if (m_config.expert_tensor_parallel_size != 0)
        {
            Fail("expert_tensor_parallel_size",
                 "is " + std::to_string(m_config.expert_tensor_parallel_size) +
                     ", but the model has no experts (num_experts 0)");
        }
        return;
    }
    CheckExpertGrid();
    if (GetSize(ParallelAxis::TP) > 1 && !m_config.sequence_parallel)
    {
        Fail("sequence_parallel",
             "must be true for experts with tensor_model_parallel_size " +
                 std::to_string(GetSize(ParallelAxis::TP)) +
                 ", so that no token is routed twice; is false");
    }
    CheckSplit("expert_model_parallel_size", e, "experts", "num_experts", model.num_experts);
    CheckSplit("expert_tensor_parallel_size",
               GetSize(ParallelAxis::ETP),
               "columns of an expert",
               "moe_intermediate_size",
               model.moe_intermediate_size);
    CheckSplit("tensor_model_parallel_size",
               GetSize(ParallelAxis::TP),
               "columns of shared experts",
               "shared_expert_intermediate_size",
               model.shared_expert_intermediate_size);
    const uint32_t instances = m_config.num_distributed_optimizer_instances;
    if (GetSize(ParallelAxis::EDP) % instances != 0)
    {
        Fail("num_distributed_optimizer_instances",
             std::to_string(instances) + " does not divide the " +
                 std::to_string(GetSize(ParallelAxis::EDP)) + " ranks that hold the same experts");
    }
}

void
ParallelLayout::CheckContext(const ModelConfig& model) const
{
    const uint32_t c = GetSize(ParallelAxis::CP);
    const std::string& type = m_config.cp_comm_type;
    if (type != "a2a" && type != "a2a+p2p")
    {
        return;
    }
    const uint32_t spread = type == "a2a" ? c : m_config.hierarchical_context_parallel_size;
    const uint64_t t = GetSize(ParallelAxis::TP);
    const char* const key =
        type == "a2a" ? "context_parallel_size" : "hierarchical_context_parallel_size";
    CheckSplit(key,
               spread,
               "attention heads of a rank",
               "num_attention_heads / tensor_model_parallel_size",
               model.num_attention_heads / t);
    if (!model.HasLatentAttention())
    {
        CheckSplit(key,
                   spread,
                   "key-value heads of a rank",
                   "num_key_value_heads / tensor_model_parallel_size",
                   model.num_key_value_heads / t);
    }
}

uint64_t
ParallelLayout::GetSequenceDivisor() const
{
    const uint64_t t = m_config.sequence_parallel ? m_config.tensor_model_parallel_size : 1;
    const uint64_t c = m_config.context_parallel_size;
    // Two chunks on each rank, whose sum is cut by t.
    const uint64_t perRank = c == 1 || t % 2 == 0 ? t : 2 * t;
    return c * perRank;
}

std::vector<StageLayers>
ParallelLayout::SplitLayers(const ModelConfig& model) const
{
    CheckModel(model);
    const auto fail = [this](const std::string& key, const std::string& message) {
        Fail(key, message);
    };
    return StageSplit(m_config, model.num_hidden_layers, fail).Split();
}

uint64_t
ParallelLayout::GetPaddedVocabSize(const ModelConfig& model) const
{
    const uint64_t multiple =
        static_cast<uint64_t>(m_config.make_vocab_size_divisible_by) * GetSize(ParallelAxis::TP);
    return (model.vocab_size + multiple - 1) / multiple * multiple;
}

} // namespace llm
} // namespace ns3

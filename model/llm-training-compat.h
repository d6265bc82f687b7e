/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#ifndef LLM_TRAINING_COMPAT_H
#define LLM_TRAINING_COMPAT_H

#include "ns3/attribute-accessor-helper.h"
#include "ns3/enum.h"
#include "ns3/ipv4-routing-protocol.h"
#include "ns3/test.h"

#include <type_traits>

/**
 * @file
 * @ingroup llm-training
 *
 * One place for what differs between ns-3.37 and ns-3.48. It asks for features, not for versions:
 * stock ns-3 defines no version macro unless configured with --enable-build-version.
 */

namespace ns3
{
namespace llm
{

namespace detail
{
// ns-3.41 made EnumValue a class template: EnumValue<E> (new) or EnumValue (old).
template <typename E, template <typename> class V, typename... A>
Ptr<const AttributeAccessor>
EnumAccessor(A... a)
{
    return MakeEnumAccessor<E>(a...);
}

template <typename E, typename V, typename... A>
Ptr<const AttributeAccessor>
EnumAccessor(A... a)
{
    return MakeAccessorHelper<V>(a...);
}

template <typename E, template <typename> class V>
V<E>
EnumVal(E e)
{
    return V<E>(e);
}

template <typename E, typename V>
V
EnumVal(E e)
{
    return V(static_cast<int>(e));
}

// ns-3.42 renamed TestCase::TestDuration to the scoped TestCase::Duration.
template <typename T, typename = void>
struct DurationOf
{
    static constexpr auto QUICK = T::QUICK;
    static constexpr auto EXTENSIVE = T::EXTENSIVE;
    static constexpr auto TAKES_FOREVER = T::TAKES_FOREVER;
};

template <typename T>
struct DurationOf<T, std::void_t<typename T::Duration>>
{
    static constexpr auto QUICK = T::Duration::QUICK;
    static constexpr auto EXTENSIVE = T::Duration::EXTENSIVE;
    static constexpr auto TAKES_FOREVER = T::Duration::TAKES_FOREVER;
};

// ns-3.39 made the callbacks of RouteInput const references.
template <typename F>
struct RouteInputArgs;

template <typename R,
          typename C,
          typename P,
          typename H,
          typename D,
          typename U,
          typename M,
          typename L,
          typename E>
struct RouteInputArgs<R (C::*)(P, H, D, U, M, L, E)>
{
    using Ucb = U;
    using Mcb = M;
    using Lcb = L;
    using Ecb = E;
};
} // namespace detail

/**
 * MakeEnumAccessor for any supported ns-3. E must be an unscoped enum (ns-3 < 3.41 goes
 * through int).
 */
template <typename E, typename... A>
Ptr<const AttributeAccessor>
MakeEnumAccessorCompat(A... a)
{
    return detail::EnumAccessor<E, EnumValue>(a...);
}

/** EnumValue of e for any supported ns-3. */
template <typename E>
auto
MakeEnumValueCompat(E e)
{
    return detail::EnumVal<E, EnumValue>(e);
}

/**
 * The durations of test cases: llm::TestDuration::QUICK, EXTENSIVE, TAKES_FOREVER. Within a test
 * class write the qualified name: the plain one would be TestCase's own, deprecated since 3.42.
 */
using TestDuration = detail::DurationOf<TestCase>;

/// The parameter types of Ipv4RoutingProtocol::RouteInput.
using RouteInput4 = detail::RouteInputArgs<decltype(&Ipv4RoutingProtocol::RouteInput)>;

} // namespace llm
} // namespace ns3

#endif /* LLM_TRAINING_COMPAT_H */

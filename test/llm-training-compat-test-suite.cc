/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/llm-training-compat.h"
#include "ns3/object.h"
#include "ns3/string.h"
#include "ns3/test.h"

#include <type_traits>

using namespace ns3;

namespace
{

/// An object with an enumeration attribute, declared by the portable spelling.
class EnumAttributeObject : public Object
{
  public:
    /// The values of the attribute.
    enum Color
    {
        RED,
        GREEN
    };

    /// @return the type id
    static TypeId GetTypeId()
    {
        static TypeId tid =
            TypeId("ns3::llm::test::EnumAttributeObject")
                .SetParent<Object>()
                .SetGroupName("LlmTraining")
                .AddConstructor<EnumAttributeObject>()
                .AddAttribute("Color",
                              "A color.",
                              llm::MakeEnumValueCompat(GREEN),
                              llm::MakeEnumAccessorCompat<Color>(&EnumAttributeObject::m_color),
                              MakeEnumChecker(RED, "Red", GREEN, "Green"));
        return tid;
    }

    Color m_color; //!< the attribute's value
};

/// @ingroup llm-training-tests
/// An enumeration attribute has its default and is set by string.
class EnumAttributeTestCase : public TestCase
{
  public:
    EnumAttributeTestCase()
        : TestCase("an enumeration attribute is set by string on every ns-3")
    {
    }

  private:
    void DoRun() override
    {
        auto object = CreateObject<EnumAttributeObject>();
        NS_TEST_EXPECT_MSG_EQ(object->m_color, EnumAttributeObject::GREEN, "default");
        object->SetAttribute("Color", StringValue("Red"));
        NS_TEST_EXPECT_MSG_EQ(object->m_color, EnumAttributeObject::RED, "set by string");
    }
};

/// @ingroup llm-training-tests
/// The names of test durations are distinct values of ns-3's own type.
class TestDurationTestCase : public TestCase
{
  public:
    TestDurationTestCase()
        : TestCase("test durations have one spelling on every ns-3")
    {
    }

  private:
    void DoRun() override
    {
        NS_TEST_EXPECT_MSG_EQ((llm::TestDuration::QUICK < llm::TestDuration::EXTENSIVE),
                              true,
                              "quick is shorter than extensive");
        NS_TEST_EXPECT_MSG_EQ((llm::TestDuration::EXTENSIVE < llm::TestDuration::TAKES_FOREVER),
                              true,
                              "extensive is shorter than for ever");
    }
};

/// @ingroup llm-training-tests
/// The suite of the differences between ns-3 releases.
class LlmTrainingCompatTestSuite : public TestSuite
{
  public:
    LlmTrainingCompatTestSuite()
        : TestSuite("llm-training-compat", Type::UNIT)
    {
        AddTestCase(new EnumAttributeTestCase);
        AddTestCase(new TestDurationTestCase, llm::TestDuration::QUICK);
    }
};

LlmTrainingCompatTestSuite g_llmTrainingCompatTestSuite; //!< registers the suite

} // namespace

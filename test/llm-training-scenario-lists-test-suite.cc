/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "ns3/llm-config-error.h"
#include "ns3/llm-scenario-field-section.h"
#include "ns3/llm-scenario-field-text.h"
#include "ns3/llm-scenario-object-reader.h"
#include "ns3/llm-training-compat.h"
#include "ns3/test.h"

#include <functional>
#include <nlohmann/json.hpp>
#include <set>
#include <sstream>

using namespace ns3;
using namespace ns3::llm;

namespace
{

/** What is served with a dish. */
struct Side
{
    std::set<std::string> given;
    std::string name;
    uint32_t pieces{1};
};

/** Element of a list. */
struct Dish
{
    struct Oven
    {
        int64_t time_ps{60000000};
        double heat{0.5};
    };

    std::set<std::string> given;
    std::string name;
    uint64_t bytes{4096};
    Oven oven;
    std::vector<Side> sides;
    std::map<std::string, std::string> notes;
    uint32_t guests{0};
};

/** Object with a list. */
struct Menu
{
    std::set<std::string> given;
    std::string title{"lunch"};
    uint32_t guests{4};
    std::vector<Dish> dishes;
    std::vector<uint32_t> tables;
};

const std::vector<ScenarioField>&
GetSideFields()
{
    static const std::vector<ScenarioField> table = [] {
        std::vector<ScenarioField> fields;
        ScenarioFieldSection<Side> side(fields);
        side.Text("name", &Side::name).Required().Doc("what it is");
        side.Count("pieces", &Side::pieces).Range(1, 10).Doc("how many");
        return fields;
    }();
    return table;
}

const std::vector<ScenarioField>&
GetDishFields()
{
    static const std::vector<ScenarioField> table = [] {
        std::vector<ScenarioField> fields;
        ScenarioFieldSection<Dish> dish(fields);
        dish.Choice("name", &Dish::name).Choices({"soup", "stew"}).Required().Doc("what is cooked");
        dish.Bytes("bytes", &Dish::bytes).Range(1, 1e6).Doc("size of it");
        ScenarioFieldSection oven(fields, "oven", &Dish::oven);
        oven.Duration("time", &Dish::Oven::time_ps).Range(1, 1e15).Doc("in the oven");
        oven.Number("heat", &Dish::Oven::heat).Range(0, 1).Doc("part of the greatest");
        dish.List("sides", &Dish::sides, GetSideFields).Doc("what is served with it");
        dish.Map("notes", &Dish::notes).Doc("anything else");
        dish.Count("guests", &Dish::guests).Range(1, 100).Doc("who eats it");
        fields.back().inherited = true;
        return fields;
    }();
    return table;
}

const std::vector<ScenarioField>&
GetMenuFields()
{
    static const std::vector<ScenarioField> table = [] {
        std::vector<ScenarioField> fields;
        ScenarioFieldSection<Menu> menu(fields);
        menu.Text("title", &Menu::title).Doc("of the menu");
        menu.Count("guests", &Menu::guests).Range(1, 100).Doc("who eats");
        menu.List("dishes", &Menu::dishes, GetDishFields).Doc("what there is to eat");
        menu.CountList("tables", &Menu::tables).Range(0, 9).Doc("where");
        return fields;
    }();
    return table;
}

/** @return a menu of JSON and overrides "path=value". */
Menu
Read(const std::string& text, const std::vector<std::string>& overrides = {})
{
    Menu menu;
    ScenarioObjectReader reader(GetMenuFields(), &menu, menu.given);
    reader.Read(nlohmann::ordered_json::parse(text), "menu.json");
    for (const std::string& override : overrides)
    {
        const auto equals = override.find('=');
        reader.Override(override.substr(0, equals), override.substr(equals + 1), "command line");
    }
    return menu;
}

/** @return what Read says of it, or "no error". */
std::string
ErrorOf(const std::string& text, const std::vector<std::string>& overrides = {})
{
    try
    {
        Read(text, overrides);
    }
    catch (const ConfigError& error)
    {
        return error.what();
    }
    return "no error";
}

/** Elements, their sections and lists within lists. */
class ElementsAreRead : public TestCase
{
  public:
    ElementsAreRead()
        : TestCase("elements of lists are read with their sections, defaults and own lists")
    {
    }

  private:
    void DoRun() override
    {
        const Menu menu = Read(R"({"dishes": [
            {"name": "soup"},
            {"name": "stew", "bytes": "16KiB", "oven": {"time": "5us"},
             "sides": [{"name": "bread", "pieces": 3}, {"name": "salt"}], "notes": {"a": 1}}]})");
        NS_TEST_ASSERT_MSG_EQ(menu.dishes.size(), 2, "elements");
        const Dish& soup = menu.dishes[0];
        NS_TEST_EXPECT_MSG_EQ(soup.name, "soup", "given");
        NS_TEST_EXPECT_MSG_EQ(soup.bytes, 4096, "default");
        NS_TEST_EXPECT_MSG_EQ(soup.given.size(), 1, "what was given is remembered");
        const Dish& stew = menu.dishes[1];
        NS_TEST_EXPECT_MSG_EQ(stew.bytes, 16384, "with a unit");
        NS_TEST_EXPECT_MSG_EQ(stew.oven.time_ps, 5000000, "in a section");
        NS_TEST_EXPECT_MSG_EQ(stew.given.count("oven.time"), 1, "path within the element");
        NS_TEST_ASSERT_MSG_EQ(stew.sides.size(), 2, "list within a list");
        NS_TEST_EXPECT_MSG_EQ(stew.sides[0].pieces, 3, "its field");
        NS_TEST_EXPECT_MSG_EQ(stew.sides[1].pieces, 1, "its default");
        NS_TEST_EXPECT_MSG_EQ(stew.notes.at("a"), "1", "map");
        NS_TEST_EXPECT_MSG_EQ(menu.given.count("dishes"), 1, "the list was given");
        NS_TEST_EXPECT_MSG_EQ(Read(R"({"dishes": []})").dishes.size(), 0, "empty list");
    }
};

/** Errors name the element. */
class ErrorsNameTheElement : public TestCase
{
  public:
    ErrorsNameTheElement()
        : TestCase("errors name the element, what is missing and the nearest name")
    {
    }

  private:
    void Expect(const std::string& json, const std::string& error)
    {
        NS_TEST_EXPECT_MSG_EQ(ErrorOf(json), "menu.json: " + error, json);
    }

    void DoRun() override
    {
        Expect(R"({"dishes": {}})", "dishes: must be an array of objects, is {} (object)");
        Expect(R"({"dishes": [3]})", "dishes[0]: must be an object, is 3 (number)");
        Expect(R"({"dishes": [{"name": "soup"}, {"bytes": 3}]})",
               "dishes[1]: needs 'name': what is cooked");
        Expect(R"({"dishes": [{"name": "cake"}]})",
               "dishes[0].name: must be soup or stew, is \"cake\"");
        Expect(R"({"dishes": [{"name": "soup", "byte": 3}]})",
               "dishes[0].byte: unknown key; did you mean 'dishes[0].bytes'?");
        Expect(R"({"dishes": [{"name": "soup", "oven": {"tim": "3ns"}}]})",
               "dishes[0].oven.tim: unknown key; did you mean 'dishes[0].oven.time'?");
        Expect(R"({"dishes": [{"name": "soup", "time": "3ns"}]})",
               "dishes[0].time: unknown key; did you mean 'dishes[0].oven.time'?");
        Expect(R"({"dishes": [{"name": "soup", "oven": 3}]})",
               "dishes[0].oven: must be an object, is 3 (number)");
        Expect(R"({"dishes": [{"name": "soup", "bytes": 0}]})",
               "dishes[0].bytes: must be from 1B to 1MB, is 0");
        Expect(R"({"dishes": [{"name": "soup", "sides": [{"name": "salt", "pieces": 11}]}]})",
               "dishes[0].sides[0].pieces: must be from 1 to 10, is 11");
        Expect(R"({"dishes": [{"name": "soup", "sides": [{"pieces": 1}]}]})",
               "dishes[0].sides[0]: needs 'name': what it is");
    }
};

/** --set reaches into elements. */
class OverridesReachElements : public TestCase
{
  public:
    OverridesReachElements()
        : TestCase("overrides set fields of elements, whole elements and whole lists")
    {
    }

  private:
    void ExpectError(const std::string& override, const std::string& error)
    {
        const std::string json = R"({"dishes": [{"name": "soup"}, {"name": "stew"}]})";
        NS_TEST_EXPECT_MSG_EQ(ErrorOf(json, {override}), "command line: " + error, override);
    }

    void DoRun() override
    {
        const std::string json =
            R"({"dishes": [{"name": "soup"}, {"name": "stew", "sides": [{"name": "salt"}]}]})";
        const Menu menu = Read(json,
                               {"dishes[0].bytes=7",
                                "dishes[1].oven.heat=0.25",
                                "dishes[1].sides[0].pieces=2",
                                "dishes[1].oven={\"time\": \"9ns\"}",
                                "dishes[0]={\"notes\": {\"x\": \"y\"}}",
                                "dishes[0].notes.z=3"});
        NS_TEST_EXPECT_MSG_EQ(menu.dishes[0].bytes, 7, "field");
        NS_TEST_EXPECT_MSG_EQ(menu.dishes[0].given.count("bytes"), 1, "is given");
        NS_TEST_EXPECT_MSG_EQ(menu.dishes[0].name, "soup", "the rest stays");
        NS_TEST_EXPECT_MSG_EQ(menu.dishes[0].notes.at("z"), "3", "entry of a map");
        NS_TEST_EXPECT_MSG_EQ(menu.dishes[1].oven.heat, 0.25, "in a section");
        NS_TEST_EXPECT_MSG_EQ(menu.dishes[1].oven.time_ps, 9000, "section as an object");
        NS_TEST_EXPECT_MSG_EQ(menu.dishes[1].sides[0].pieces, 2, "in a list of an element");
        NS_TEST_EXPECT_MSG_EQ(Read(json, {"dishes=[{\"name\": \"stew\"}]"}).dishes.size(),
                              1,
                              "whole list");

        ExpectError("dishes[2].bytes=7",
                    "dishes[2].bytes: the scenario has 2 elements in dishes, numbered from 0; set "
                    "'dishes' to a whole list instead");
        ExpectError("dishes[x].bytes=7",
                    "dishes[x].bytes: an element of a list is written as 'dishes[0]'");
        ExpectError("dishes[0].byte=7",
                    "dishes[0].byte: unknown key; did you mean 'dishes[0].bytes'?");
        ExpectError("dishes[0].bytes=much",
                    "dishes[0].bytes: 'much' is not a byte count: must begin with a digit");
        ExpectError("dishes[0]=7", "dishes[0]: must be an object, is 7 (number)");
        ExpectError("dishes[0]bytes=7", "dishes[0]bytes: unknown key; did you mean 'dishes'?");
        ExpectError("tables[0]=7", "tables[0]: 'tables' is set as a whole (list of whole numbers)");
    }
};

/** What is printed. */
class ListsArePrinted : public TestCase
{
  public:
    ListsArePrinted()
        : TestCase("values, help and manual show lists; inherited fields only where they are set")
    {
    }

  private:
    void DoRun() override
    {
        const Menu menu =
            Read(R"({"dishes": [{"name": "soup"}, {"name": "stew", "guests": 7, "bytes": 1}]})");
        const std::string value = FormatFieldValue(GetMenuFields()[2], &menu);
        NS_TEST_EXPECT_MSG_EQ(value,
                              R"([{"name":"soup","bytes":"4KiB","oven":{"time":"60us",)"
                              R"("heat":0.5},"sides":[],"notes":{}},)"
                              R"({"name":"stew","bytes":"1B","oven":{"time":"60us",)"
                              R"("heat":0.5},"sides":[],"notes":{},"guests":7}])",
                              "as JSON");
        const Menu again = Read("{}", {"dishes=" + value});
        NS_TEST_EXPECT_MSG_EQ(FormatFieldValue(GetMenuFields()[2], &again), value, "reads back");

        const Menu defaults;
        const std::string help = FormatFieldsHelp(GetMenuFields(), &defaults);
        for (const char* line : {"\ndishes = []\n    what there is to eat (list of objects)\n",
                                 "\ndishes[].name\n    what is cooked (soup, stew, needed)\n",
                                 "\ndishes[].oven.time = \"60us\"\n    in the oven (time)\n",
                                 "\ndishes[].sides[].pieces = 1\n    how many (whole number)\n"})
        {
            NS_TEST_EXPECT_MSG_NE(help.find(line), std::string::npos, line);
        }
        NS_TEST_EXPECT_MSG_EQ(help.find("dishes[].guests"), std::string::npos, "inherited");

        const std::string manual = FormatFieldsManual(GetMenuFields(), &defaults);
        for (const char* line : {".. list-table:: Top level\n",
                                 ".. list-table:: ``dishes[]``\n",
                                 "   * - ``oven.time``\n     - time\n     - ``\"60us\"``\n",
                                 "   * - ``name``\n     - soup, stew\n     - needed\n",
                                 ".. list-table:: ``dishes[].sides[]``\n"})
        {
            NS_TEST_EXPECT_MSG_NE(manual.find(line), std::string::npos, line);
        }
    }
};

/** The suite. */
class ScenarioListsTestSuite : public TestSuite
{
  public:
    ScenarioListsTestSuite()
        : TestSuite("llm-training-scenario-lists", Type::UNIT)
    {
        AddTestCase(new ElementsAreRead, llm::TestDuration::QUICK);
        AddTestCase(new ErrorsNameTheElement, llm::TestDuration::QUICK);
        AddTestCase(new OverridesReachElements, llm::TestDuration::QUICK);
        AddTestCase(new ListsArePrinted, llm::TestDuration::QUICK);
    }
};

ScenarioListsTestSuite g_scenarioLists; //!< registers

} // namespace

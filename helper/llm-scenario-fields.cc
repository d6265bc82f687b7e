/*
 * Copyright (c) 2026 The llm-training authors
 *
 * SPDX-License-Identifier: GPL-2.0-only
 */

#include "llm-scenario-fields.h"

#include "llm-scenario-field-tables.h"
#include "llm-scenario-field-text.h"

namespace ns3
{
namespace llm
{

namespace
{

std::vector<ScenarioField>
MakeFields()
{
    std::vector<ScenarioField> fields;
    AddGeneralFields(fields);
    AddCompanyFields(fields);
    AddModelFields(fields);
    AddParallelismFields(fields);
    AddTrainingFields(fields);
    AddAcceleratorFields(fields);
    AddClusterFields(fields);
    AddTopologyFields(fields);
    AddSwitchFields(fields);
    AddSwitchFeatureFields(fields);
    AddPathFields(fields);
    AddTransportFields(fields);
    AddPathSelectorFields(fields);
    AddCollectivesFields(fields);
    AddEventFields(fields);
    AddRunFields(fields);
    return fields;
}

} // namespace

const std::vector<ScenarioField>&
GetScenarioFields()
{
    static const std::vector<ScenarioField> fields = MakeFields();
    return fields;
}

std::string
FormatScenarioValue(const ScenarioField& field, const Scenario& scenario)
{
    return FormatFieldValue(field, &scenario);
}

std::string
FormatScenarioHelp()
{
    const Scenario defaults;
    return "Fields of a scenario, with their defaults. --set PATH=VALUE overrides.\n" +
           FormatFieldsHelp(GetScenarioFields(), &defaults);
}

std::string
FormatScenarioManual()
{
    const Scenario defaults;
    return FormatFieldsManual(GetScenarioFields(), &defaults);
}

} // namespace llm
} // namespace ns3

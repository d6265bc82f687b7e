# SPDX-License-Identifier: GPL-2.0-only
#
# The files of the module, for the build inside ns-3 and the build alone.

set(llm_training_root ${CMAKE_CURRENT_LIST_DIR}/..)
get_filename_component(llm_training_root ${llm_training_root} ABSOLUTE)

file(
  GLOB llm_training_sources
  RELATIVE ${llm_training_root}
  CONFIGURE_DEPENDS
  ${llm_training_root}/model/*.cc
  ${llm_training_root}/model/*/*.cc
  ${llm_training_root}/helper/*.cc
)
file(
  GLOB llm_training_headers
  RELATIVE ${llm_training_root}
  CONFIGURE_DEPENDS
  ${llm_training_root}/model/*.h
  ${llm_training_root}/model/*/*.h
  ${llm_training_root}/helper/*.h
)
file(
  GLOB llm_training_test_sources
  RELATIVE ${llm_training_root}
  CONFIGURE_DEPENDS
  ${llm_training_root}/test/*-test-suite.cc
)
file(
  GLOB llm_training_example_sources
  RELATIVE ${llm_training_root}/examples
  CONFIGURE_DEPENDS
  ${llm_training_root}/examples/*.cc
)

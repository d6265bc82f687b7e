# SPDX-License-Identifier: GPL-2.0-only
#
# The build alone, against an installed ns-3 (3.37 or newer).

if(llm_training_missing)
  message(FATAL_ERROR "not found: ${llm_training_missing} "
                      "(Debian: apt install libboost-dev nlohmann-json3-dev)"
  )
endif()

# A file that is not listed would be missed only when something does not link.
find_program(PYTHON3 python3)
mark_as_advanced(PYTHON3)
if(PYTHON3)
  execute_process(
    COMMAND ${PYTHON3} ${llm_training_root}/cmake/list-sources.py --check
    RESULT_VARIABLE lists_differ
    ERROR_VARIABLE lists_error
  )
  if(lists_differ)
    message(FATAL_ERROR "${lists_error}")
  endif()
endif()

option(LLM_TRAINING_EXAMPLES "build the example programs" ON)
option(LLM_TRAINING_LOG "compile NS_LOG in this module" ON)
option(LLM_TRAINING_PCH "precompile the headers of ns-3 that most files need" ON)

if(NOT CMAKE_BUILD_TYPE AND NOT CMAKE_CONFIGURATION_TYPES)
  set(CMAKE_BUILD_TYPE
      Release
      CACHE STRING "" FORCE
  )
endif()
# NS_ASSERT is a macro, so ours are ours to switch, whatever the installed ns-3 was built with.
set(llm_training_assert_default ON)
if(CMAKE_BUILD_TYPE STREQUAL "Release")
  set(llm_training_assert_default OFF)
endif()
option(LLM_TRAINING_ASSERT "compile NS_ASSERT in this module" ${llm_training_assert_default})

include(${CMAKE_CURRENT_LIST_DIR}/CompilerCache.cmake)

# No version is asked: the version file of ns-3 accepts only exactly its own.
find_package(ns3 CONFIG REQUIRED)
message(STATUS "ns-3 ${ns3_VERSION} in ${ns3_DIR}")
if(ns3_VERSION VERSION_LESS 3.37)
  message(FATAL_ERROR "ns-3 3.37 or newer is required, found ${ns3_VERSION}")
endif()

# The C++ standard that ns-3's headers need
if(ns3_VERSION VERSION_GREATER_EQUAL 3.46)
  set(CMAKE_CXX_STANDARD 23)
elseif(ns3_VERSION VERSION_GREATER_EQUAL 3.41)
  set(CMAKE_CXX_STANDARD 20)
else()
  set(CMAKE_CXX_STANDARD 17)
endif()
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

include(${CMAKE_CURRENT_LIST_DIR}/Ns3Targets.cmake)
llm_training_find_ns3_targets(ns3_targets)
llm_training_find_network_modules()

include(${CMAKE_CURRENT_LIST_DIR}/StubHeaders.cmake)
llm_training_stub_headers(${CMAKE_CURRENT_BINARY_DIR}/include)

set(CMAKE_RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
file(RELATIVE_PATH bin_to_lib ${CMAKE_INSTALL_FULL_BINDIR} ${CMAKE_INSTALL_FULL_LIBDIR})
set(CMAKE_INSTALL_RPATH $ORIGIN/${bin_to_lib})
add_compile_options(${llm_training_options})
if(LLM_TRAINING_SANITIZE)
  add_compile_options(
    -fsanitize=address,undefined -fno-sanitize-recover=all -fno-omit-frame-pointer
  )
  add_link_options(-fsanitize=address,undefined)
endif()

# Every target is compiled alike, so that one precompiled header serves them all.
add_compile_options(-fPIC)

add_library(llm-training SHARED ${llm_training_sources} ${llm_training_generated_sources})
target_include_directories(
  llm-training PUBLIC $<BUILD_INTERFACE:${CMAKE_CURRENT_BINARY_DIR}/include>
                      $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>
)
target_compile_features(llm-training PUBLIC cxx_std_${CMAKE_CXX_STANDARD})
target_link_libraries(
  llm-training
  PUBLIC ${ns3_targets}
  PRIVATE ${llm_training_optional_libraries}
)
target_compile_definitions(
  llm-training PUBLIC $<$<BOOL:${LLM_TRAINING_LOG}>:NS3_LOG_ENABLE>
                      $<$<BOOL:${LLM_TRAINING_ASSERT}>:NS3_ASSERT_ENABLE>
)
if(LLM_TRAINING_PCH)
  set_target_properties(llm-training PROPERTIES DEFINE_SYMBOL "")
  target_precompile_headers(
    llm-training
    PRIVATE
    <ns3/log.h>
    <ns3/net-device.h>
    <ns3/node.h>
    <ns3/object.h>
    <ns3/packet.h>
    <ns3/simulator.h>
    <ns3/test.h>
    <ns3/trace-source-accessor.h>
    <ns3/uinteger.h>
    <algorithm>
    <cstdint>
    <map>
    <string>
    <vector>
  )
endif()

include(CTest)
if(BUILD_TESTING)
  # A TestSuite in a shared library would be dropped by the linker: nothing refers to it.
  add_executable(
    llm-training-test-runner test/test-runner-main.cc ${llm_training_test_sources}
  )
  target_link_libraries(
    llm-training-test-runner PRIVATE llm-training ${llm_training_network_modules}
  )
  # What the suites run is in the library; they themselves need not be fast, but soon compiled.
  target_compile_options(llm-training-test-runner PRIVATE $<$<CONFIG:Release>:-O1>)
  if(LLM_TRAINING_PCH)
    target_precompile_headers(llm-training-test-runner REUSE_FROM llm-training)
  endif()
  foreach(f ${llm_training_test_sources})
    file(READ ${f} text)
    string(REGEX MATCHALL "TestSuite[ A-Za-z0-9_]*[({][ \n]*\"llm-training-[a-z0-9-]+\"" found
                 "${text}"
    )
    if(NOT found)
      message(FATAL_ERROR "${f} registers no TestSuite(\"llm-training-...\")")
    endif()
    foreach(match ${found})
      string(REGEX REPLACE ".*\"(llm-training-[a-z0-9-]+)\"" "\\1" suite "${match}")
      add_test(NAME ${suite} COMMAND llm-training-test-runner --suite=${suite} --verbose)
    endforeach()
  endforeach()
  # Vocabularies that the tokenizers are compared with are not in the tree.
  add_test(NAME fetch-vocabularies COMMAND ${llm_training_root}/test/fetch-vocabularies.sh)
  set_tests_properties(fetch-vocabularies PROPERTIES FIXTURES_SETUP vocabularies)
  set_tests_properties(
    llm-training-workload-tokenizer PROPERTIES FIXTURES_REQUIRED vocabularies
  )
endif()
if(LLM_TRAINING_EXAMPLES)
  add_subdirectory(examples)
endif()
include(${CMAKE_CURRENT_LIST_DIR}/Install.cmake)

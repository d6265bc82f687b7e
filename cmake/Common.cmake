# SPDX-License-Identifier: GPL-2.0-only
#
# What the build inside ns-3 and the build alone share: flags of our own targets, third-party
# headers, where the shipped files are found.

if(COMMAND build_lib)
  set(llm_training_werror_default OFF)
else()
  set(llm_training_werror_default ON)
endif()
option(LLM_TRAINING_WERROR "warnings in this module are errors" ${llm_training_werror_default})
option(LLM_TRAINING_SANITIZE "build with AddressSanitizer and UndefinedBehaviorSanitizer" OFF)

# No fused multiply-add: results may not depend on the machine that compiled them.
set(llm_training_options -Wall -Wextra -Wpedantic -ffp-contract=off)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
  # What ns-3 uses too: calls within the library need not go through the symbol table.
  list(APPEND llm_training_options -fno-semantic-interposition)
endif()
if(LLM_TRAINING_WERROR)
  list(APPEND llm_training_options -Werror)
elseif(COMMAND build_lib)
  # ns-3's profiles may say -Werror; a newer compiler's new warning should not stop a user's build.
  list(APPEND llm_training_options -Wno-error)
endif()

# Header-only libraries: Boost and nlohmann_json.
set(llm_training_missing)
find_path(LLM_TRAINING_BOOST_INCLUDE_DIR boost/crc.hpp)
find_path(LLM_TRAINING_JSON_INCLUDE_DIR nlohmann/json.hpp)
mark_as_advanced(LLM_TRAINING_BOOST_INCLUDE_DIR LLM_TRAINING_JSON_INCLUDE_DIR)
if(NOT LLM_TRAINING_BOOST_INCLUDE_DIR)
  list(APPEND llm_training_missing "Boost headers")
endif()
if(NOT LLM_TRAINING_JSON_INCLUDE_DIR)
  list(APPEND llm_training_missing "nlohmann_json")
endif()
if(NOT llm_training_missing)
  include_directories(
    SYSTEM ${LLM_TRAINING_BOOST_INCLUDE_DIR} ${LLM_TRAINING_JSON_INCLUDE_DIR}
  )
endif()

# Libraries that the tokenizers need and the rest does not: llm_training_optional_library(<name>
# <header> <Debian package> <what is missing without it> <source files>...)
set(llm_training_optional_libraries)
function(llm_training_optional_library name header package purpose)
  string(TOUPPER ${name} upper)
  find_path(LLM_TRAINING_${upper}_INCLUDE_DIR ${header})
  find_library(LLM_TRAINING_${upper}_LIBRARY ${name})
  mark_as_advanced(LLM_TRAINING_${upper}_INCLUDE_DIR LLM_TRAINING_${upper}_LIBRARY)
  if(NOT LLM_TRAINING_${upper}_INCLUDE_DIR OR NOT LLM_TRAINING_${upper}_LIBRARY)
    message(STATUS "llm-training: no ${purpose}, lib${name} not found "
                   "(Debian: apt install ${package})"
    )
    return()
  endif()
  list(TRANSFORM ARGN PREPEND ${llm_training_root}/ OUTPUT_VARIABLE files)
  set_property(
    SOURCE ${files}
    APPEND
    PROPERTY COMPILE_DEFINITIONS LLM_TRAINING_${upper}
  )
  # A folder that the compiler searches anyway must not come first: #include_next would miss it.
  if(NOT LLM_TRAINING_${upper}_INCLUDE_DIR IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
    set_property(
      SOURCE ${files}
      APPEND
      PROPERTY INCLUDE_DIRECTORIES ${LLM_TRAINING_${upper}_INCLUDE_DIR}
    )
  endif()
  set(llm_training_optional_libraries
      ${llm_training_optional_libraries} ${LLM_TRAINING_${upper}_LIBRARY}
      PARENT_SCOPE
  )
endfunction()
llm_training_optional_library(
  utf8proc utf8proc.h libutf8proc-dev tokenizers model/workload/llm-pre-tokenizer-characters.cc
)
llm_training_optional_library(
  sentencepiece sentencepiece_processor.h libsentencepiece-dev "SentencePiece models"
  model/workload/llm-tokenizer-sentence-piece.cc
)

# Chakra traces are protobuf. It is protobuf-c, because libsentencepiece exports the symbols of a C++
# protobuf of another version, and a program with both of these crashes. Its compiler writes C that
# is C++ as well.
set(llm_training_generated_sources)
find_path(LLM_TRAINING_PROTOBUF_C_INCLUDE_DIR protobuf-c/protobuf-c.h)
find_library(LLM_TRAINING_PROTOBUF_C_LIBRARY protobuf-c)
find_program(LLM_TRAINING_PROTOC_C protoc-c)
find_program(LLM_TRAINING_PROTOC protoc)
find_program(LLM_TRAINING_PROTOC_GEN_C protoc-gen-c)
find_path(LLM_TRAINING_ZLIB_INCLUDE_DIR zlib.h)
find_library(LLM_TRAINING_ZLIB_LIBRARY z)
mark_as_advanced(
  LLM_TRAINING_PROTOBUF_C_INCLUDE_DIR
  LLM_TRAINING_PROTOBUF_C_LIBRARY
  LLM_TRAINING_PROTOC_C
  LLM_TRAINING_PROTOC
  LLM_TRAINING_PROTOC_GEN_C
  LLM_TRAINING_ZLIB_INCLUDE_DIR
  LLM_TRAINING_ZLIB_LIBRARY
)
# Newer releases have a plugin for protobuf's own compiler instead of a program.
set(llm_training_protoc)
if(LLM_TRAINING_PROTOC_C)
  set(llm_training_protoc ${LLM_TRAINING_PROTOC_C})
elseif(LLM_TRAINING_PROTOC AND LLM_TRAINING_PROTOC_GEN_C)
  set(llm_training_protoc ${LLM_TRAINING_PROTOC}
                          --plugin=protoc-gen-c=${LLM_TRAINING_PROTOC_GEN_C}
  )
endif()
if(LLM_TRAINING_PROTOBUF_C_INCLUDE_DIR
   AND LLM_TRAINING_PROTOBUF_C_LIBRARY
   AND llm_training_protoc
   AND LLM_TRAINING_ZLIB_INCLUDE_DIR
   AND LLM_TRAINING_ZLIB_LIBRARY
)
  list(APPEND llm_training_optional_libraries ${LLM_TRAINING_PROTOBUF_C_LIBRARY}
       ${LLM_TRAINING_ZLIB_LIBRARY}
  )
  set(llm_training_chakra ${llm_training_root}/model/workload/llm-chakra-file.cc)
  set(llm_training_proto ${llm_training_root}/model/workload/llm-chakra-trace.proto)
  set(llm_training_proto_dir ${CMAKE_CURRENT_BINARY_DIR}/protobuf)
  set(llm_training_generated_sources ${llm_training_proto_dir}/llm-chakra-trace.pb-c.c)
  file(MAKE_DIRECTORY ${llm_training_proto_dir})
  add_custom_command(
    OUTPUT ${llm_training_generated_sources} ${llm_training_proto_dir}/llm-chakra-trace.pb-c.h
    COMMAND ${llm_training_protoc} --proto_path=${llm_training_root}/model/workload
            --c_out=${llm_training_proto_dir} ${llm_training_proto}
    DEPENDS ${llm_training_proto}
    VERBATIM
  )
  # What others' compiler writes is not held to our warnings.
  set_source_files_properties(
    ${llm_training_generated_sources} PROPERTIES LANGUAGE CXX COMPILE_OPTIONS -w
                                                 SKIP_PRECOMPILE_HEADERS ON
  )
  set_property(
    SOURCE ${llm_training_chakra}
    APPEND
    PROPERTY COMPILE_OPTIONS -isystem${llm_training_proto_dir}
  )
  set_property(
    SOURCE ${llm_training_chakra}
    APPEND
    PROPERTY COMPILE_DEFINITIONS LLM_TRAINING_PROTOBUF_C
  )
  foreach(folder ${LLM_TRAINING_PROTOBUF_C_INCLUDE_DIR} ${LLM_TRAINING_ZLIB_INCLUDE_DIR})
    if(NOT folder IN_LIST CMAKE_CXX_IMPLICIT_INCLUDE_DIRECTORIES)
      set_property(
        SOURCE ${llm_training_generated_sources} ${llm_training_chakra}
        APPEND
        PROPERTY INCLUDE_DIRECTORIES ${folder}
      )
    endif()
  endforeach()
else()
  message(STATUS "llm-training: no Chakra traces, protobuf-c or zlib not found "
                 "(Debian: apt install libprotobuf-c-dev protobuf-c-compiler zlib1g-dev)"
  )
endif()

# Shipped scenarios, models and texts are found in the source tree, or where they were installed.
# Only the files that ask get the definition: for the others a compiler cache can serve every
# checkout alike.
function(llm_training_define_source_dir folder)
  foreach(f ${ARGN})
    file(STRINGS ${folder}/${f} asks REGEX "LLM_TRAINING_SOURCE_DIR|NS_TEST_SOURCEDIR")
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${folder}/${f})
    if(asks)
      set_property(
        SOURCE ${folder}/${f}
        APPEND
        PROPERTY COMPILE_DEFINITIONS "LLM_TRAINING_SOURCE_DIR=\"${llm_training_root}\""
      )
      if(NOT COMMAND build_lib)
        set_property(
          SOURCE ${folder}/${f}
          APPEND
          PROPERTY COMPILE_DEFINITIONS
                   "NS_TEST_SOURCEDIR=\"${llm_training_root}/test\""
                   "LLM_TRAINING_DATA_DIR=\"${CMAKE_INSTALL_FULL_DATADIR}/llm-training\""
        )
      endif()
    endif()
  endforeach()
endfunction()
llm_training_define_source_dir(
  ${llm_training_root} helper/llm-shipped-files.cc ${llm_training_test_sources}
)

# Modules of ns-3 that one suite and one program use where this ns-3 has them: their libraries in
# llm_training_network_modules, and LLM_TRAINING_CSMA, LLM_TRAINING_WIFI in
# llm_training_network_definitions. They do not become a dependency of the module.
macro(llm_training_find_network_modules)
  set(llm_training_network_modules)
  set(llm_training_network_definitions)
  foreach(module csma wifi)
    set(found)
    if(COMMAND build_lib)
      if(${module} IN_LIST ns3-all-enabled-modules)
        set(found ${lib${module}})
      endif()
    elseif(TARGET ns3::${module})
      set(found ns3::${module})
    elseif(TARGET ns3::lib${module})
      set(found ns3::lib${module})
    endif()
    if(found)
      string(TOUPPER ${module} upper)
      list(APPEND llm_training_network_modules ${found})
      list(APPEND llm_training_network_definitions LLM_TRAINING_${upper})
    else()
      message(STATUS "llm-training: this ns-3 has no ${module}; what runs over it is left out")
    endif()
  endforeach()
  set_property(
    SOURCE ${llm_training_root}/test/llm-training-transport-anywhere-test-suite.cc
    APPEND
    PROPERTY COMPILE_DEFINITIONS ${llm_training_network_definitions}
  )
endmacro()

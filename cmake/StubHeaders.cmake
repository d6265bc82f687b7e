# SPDX-License-Identifier: GPL-2.0-only
#
# llm_training_stub_headers(<folder>): makes <ns3/foo.h> name our headers, as it does inside ns-3,
# by stub headers in <folder>/ns3, and writes the module header. The paths in them are relative, so
# that they read the same in every checkout.

function(llm_training_stub_headers folder)
  set(module_header "#ifndef NS3_MODULE_LLM_TRAINING\n#define NS3_MODULE_LLM_TRAINING\n")
  foreach(header ${llm_training_headers})
    get_filename_component(name ${header} NAME)
    file(RELATIVE_PATH target ${folder}/ns3 ${llm_training_root}/${header})
    file(
      GENERATE
      OUTPUT ${folder}/ns3/${name}
      CONTENT "#include \"${target}\"\n"
    )
    string(APPEND module_header "#include \"ns3/${name}\"\n")
  endforeach()
  string(APPEND module_header "#endif\n")
  file(
    GENERATE
    OUTPUT ${folder}/ns3/llm-training-module.h
    CONTENT "${module_header}"
  )
endfunction()

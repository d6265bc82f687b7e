# SPDX-License-Identifier: GPL-2.0-only
#
# llm_training_find_ns3_targets(<variable>): after find_package(ns3), the imported targets of the
# ns-3 modules that llm-training links, in <variable>.

set(LLM_TRAINING_NS3_MODULES
    core
    network
    internet
    applications
    point-to-point
    traffic-control
)
set(LLM_TRAINING_NS3_OPTIONAL_MODULES mpi)

# A distribution may export directories and libraries of optional -dev packages that are not
# installed (Debian's 3.37: libxml2, python3.11, gsl), and CMake stops on those. Drop them.
function(llm_training_drop_absent_paths target)
  foreach(property INTERFACE_INCLUDE_DIRECTORIES INTERFACE_LINK_LIBRARIES)
    get_target_property(entries ${target} ${property})
    if(entries)
      set(kept)
      foreach(entry ${entries})
        if(NOT (IS_ABSOLUTE "${entry}" AND NOT EXISTS "${entry}"))
          list(APPEND kept "${entry}")
        endif()
      endforeach()
      set_target_properties(${target} PROPERTIES ${property} "${kept}")
    endif()
  endforeach()
endfunction()

function(llm_training_find_ns3_targets result)
  get_property(imported DIRECTORY PROPERTY IMPORTED_TARGETS)
  foreach(target ${imported})
    if(target MATCHES "^ns3::")
      llm_training_drop_absent_paths(${target})
    endif()
  endforeach()
  # Targets are ns3::libcore up to 3.42, ns3::core from 3.43.
  set(targets)
  foreach(module ${LLM_TRAINING_NS3_MODULES} ${LLM_TRAINING_NS3_OPTIONAL_MODULES})
    if(TARGET ns3::${module})
      list(APPEND targets ns3::${module})
    elseif(TARGET ns3::lib${module})
      list(APPEND targets ns3::lib${module})
    elseif(NOT module IN_LIST LLM_TRAINING_NS3_OPTIONAL_MODULES)
      message(FATAL_ERROR "this ns-3 has no module ${module}")
    endif()
  endforeach()
  set(${result}
      ${targets}
      PARENT_SCOPE
  )
endfunction()

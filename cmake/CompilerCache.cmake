# SPDX-License-Identifier: GPL-2.0-only
#
# ccache, when it is there.

option(LLM_TRAINING_CCACHE "use ccache when it is there" ON)
if(LLM_TRAINING_CCACHE AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
  find_program(CCACHE ccache)
  mark_as_advanced(CCACHE)
  if(CCACHE)
    # One checkout may be served with what another one compiled; ccache must be told that
    # precompiled headers are in use.
    set(CMAKE_CXX_COMPILER_LAUNCHER
        ${CMAKE_COMMAND}
        -E
        env
        CCACHE_BASEDIR=${llm_training_root}
        CCACHE_NOHASHDIR=1
        CCACHE_SLOPPINESS=pch_defines,time_macros,include_file_mtime,include_file_ctime
        ${CCACHE}
    )
  endif()
endif()

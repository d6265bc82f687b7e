# SPDX-License-Identifier: GPL-2.0-only
#
# cmake --install: headers under include/ns3, the library, the simulator program, shipped
# scenarios, models and texts, and the CMake package for find_package(llm-training).

include(CMakePackageConfigHelpers)

set(package_dir ${CMAKE_INSTALL_LIBDIR}/cmake/llm-training)

install(
  TARGETS llm-training
  EXPORT llm-training-targets
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
)
install(FILES ${llm_training_headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ns3)
install(
  FILES ${CMAKE_CURRENT_BINARY_DIR}/include/ns3/llm-training-module.h
  DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/ns3
)
foreach(program sim analyze journey collective tokenize)
  if(TARGET llm-training-${program})
    install(TARGETS llm-training-${program} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  endif()
endforeach()
foreach(folder scenarios models text topologies workloads)
  if(EXISTS ${llm_training_root}/examples/${folder})
    install(DIRECTORY examples/${folder} DESTINATION ${CMAKE_INSTALL_DATADIR}/llm-training)
  endif()
endforeach()

install(
  EXPORT llm-training-targets
  NAMESPACE llm-training::
  DESTINATION ${package_dir}
)
configure_package_config_file(
  cmake/llm-training-config.cmake.in llm-training-config.cmake
  INSTALL_DESTINATION ${package_dir}
)
write_basic_package_version_file(
  llm-training-config-version.cmake
  VERSION ${PROJECT_VERSION}
  COMPATIBILITY SameMinorVersion
)
install(
  FILES ${CMAKE_CURRENT_BINARY_DIR}/llm-training-config.cmake
        ${CMAKE_CURRENT_BINARY_DIR}/llm-training-config-version.cmake
        cmake/Ns3Targets.cmake
  DESTINATION ${package_dir}
)

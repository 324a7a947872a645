# The only place that sets compiler and linker flags.
#
#   ahead_host_library(NAME SOURCES...)   code that runs inside the host: core, stats. Static, position independent,
#                                         no exceptions, no RTTI, no libstdc++ at run time
#   ahead_shim(NAME SOURCES... [LINK LIBS...])   the preload library itself
#   ahead_library(NAME SOURCES...)        ordinary C++20 for tools
#   ahead_tool(NAME SOURCES...)           an executable
#   ahead_guest(NAME SOURCES...)          an executable that itself runs under the preload: never sanitized
#   ahead_test(NAME SOURCES... [LINK LIBS...])   a GoogleTest binary, its cases registered with ctest
#   ahead_benchmark(NAME SOURCES...)      a Google Benchmark binary

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
if(NOT CMAKE_BUILD_TYPE)
  set(CMAKE_BUILD_TYPE Release CACHE STRING "" FORCE)
endif()

set(AHEAD_WARNINGS -Wall -Wextra -Wconversion -Wshadow -Werror)
set(AHEAD_HOST_FLAGS -fPIC -fvisibility=hidden -fvisibility-inlines-hidden -fno-exceptions -fno-rtti
    -fno-threadsafe-statics -fno-asynchronous-unwind-tables)

function(_ahead_common name)
  target_compile_options(${name} PRIVATE ${AHEAD_WARNINGS})
  target_include_directories(${name} PUBLIC ${PROJECT_SOURCE_DIR})
  target_compile_definitions(${name} PRIVATE _GNU_SOURCE)
endfunction()

function(_ahead_sanitize name)
  if(AHEAD_SANITIZE)
    target_compile_options(${name} PRIVATE -fsanitize=${AHEAD_SANITIZE} -fno-sanitize-recover=all -fno-omit-frame-pointer)
    target_link_options(${name} PRIVATE -fsanitize=${AHEAD_SANITIZE})
    # Fences between threads that the sanitizer does not see: at worst it reports what is none.
    if(AHEAD_SANITIZE STREQUAL "thread" AND CMAKE_CXX_COMPILER_ID STREQUAL "GNU")
      target_compile_options(${name} PRIVATE -Wno-tsan)
    endif()
  endif()
endfunction()

# Twice the same sources: NAME as it is linked into the shim, NAME-sanitized for tools and tests under a sanitizer,
# because a sanitizer's runtime must not enter the host. Without a sanitizer the second is an alias of the first.
function(ahead_host_library name)
  add_library(${name} STATIC ${ARGN})
  _ahead_common(${name})
  target_compile_options(${name} PRIVATE ${AHEAD_HOST_FLAGS})
  if(AHEAD_SANITIZE)
    add_library(${name}-tools STATIC ${ARGN})
    _ahead_common(${name}-tools)
    target_compile_options(${name}-tools PRIVATE ${AHEAD_HOST_FLAGS})
    _ahead_sanitize(${name}-tools)
  else()
    add_library(${name}-tools ALIAS ${name})
  endif()
endfunction()

function(ahead_shim name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_library(${name} SHARED ${ARG_UNPARSED_ARGUMENTS})
  _ahead_common(${name})
  # Unwind tables: a cancelled thread is unwound through our frames to the clean-up handlers of the host.
  target_compile_options(${name} PRIVATE ${AHEAD_HOST_FLAGS} -ftls-model=initial-exec -U_FORTIFY_SOURCE
    -fasynchronous-unwind-tables)
  target_link_options(${name} PRIVATE -nodefaultlibs -Wl,-z,defs -Wl,-z,now -Wl,--as-needed -Wl,--gc-sections -Wl,-O1
    -Wl,-z,nodlopen)
  # Each process pays for the loading: one mapping for code and constants, no start files (there are no destructors, and
  # the weak symbols they look for cost as much as ours).
  target_link_options(${name} PRIVATE -nostartfiles -Wl,-z,noseparate-code)
  # No libstdc++. -nostdlib++ says it better, but gcc knows it only from version 13.
  target_link_libraries(${name} PRIVATE ${ARG_LINK} c gcc)
endfunction()

function(ahead_library name)
  add_library(${name} STATIC ${ARGN})
  _ahead_common(${name})
  _ahead_sanitize(${name})
endfunction()

function(ahead_tool name)
  add_executable(${name} ${ARGN})
  _ahead_common(${name})
  _ahead_sanitize(${name})
endfunction()

# A sanitizer's runtime refuses to come after a preloaded library.
function(ahead_guest name)
  add_executable(${name} ${ARGN})
  _ahead_common(${name})
endfunction()

function(ahead_test name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  _ahead_common(${name})
  _ahead_sanitize(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} GTest::gmock GTest::gtest_main)
  include(GoogleTest)
  gtest_discover_tests(${name} DISCOVERY_TIMEOUT 60)
endfunction()

function(ahead_benchmark name)
  cmake_parse_arguments(ARG "" "" "LINK" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  _ahead_common(${name})
  target_link_libraries(${name} PRIVATE ${ARG_LINK} benchmark::benchmark)
endfunction()

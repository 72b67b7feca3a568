# Turns configs/hardware/*.json into a C++ table (catalogue_rows.hpp) when CMake runs, so that the command needs no file and
# the layer no JSON.

# Appends one row for each figure among the members of `object`, a JSON text: {"value", "source", "certainty"}.
function(_convoy_figures rows file_text name prefix object)
  string(JSON count LENGTH "${object}")
  math(EXPR last "${count} - 1")
  foreach(i RANGE ${last})
    string(JSON key MEMBER "${object}" ${i})
    string(JSON kind TYPE "${object}" ${key})
    string(JSON member GET "${object}" ${key})
    if(kind STREQUAL "OBJECT" AND key STREQUAL "peak")
      _convoy_figures(${rows} "${file_text}" "${name}" "peak." "${member}")
    elseif(kind STREQUAL "OBJECT")
      string(JSON value GET "${member}" value)
      string(JSON certainty GET "${member}" certainty)
      string(JSON label GET "${member}" source)
      string(JSON source GET "${file_text}" sources ${label})
      if(NOT certainty MATCHES "^(verified|general knowledge)$")
        message(FATAL_ERROR "configs/hardware: ${name}.${key} has the certainty \"${certainty}\"")
      endif()
      string(APPEND ${rows} "    {\"${name}\", \"${prefix}${key}\", \"${value}\", \"${certainty}\", \"${source}\"},\n")
    elseif(NOT key STREQUAL "name")
      string(APPEND ${rows} "    {\"${name}\", \"${key}\", \"${member}\", \"\", \"\"},\n")
    endif()
  endforeach()
  set(${rows} "${${rows}}" PARENT_SCOPE)
endfunction()

function(convoy_embed_catalogue target folder)
  file(GLOB files CONFIGURE_DEPENDS ${folder}/*.json)
  set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
  set(devices "")
  set(links "")
  foreach(file ${files})
    file(READ ${file} text)
    foreach(list devices links)
      string(JSON count ERROR_VARIABLE missing LENGTH "${text}" ${list})
      if(missing)
        continue()
      endif()
      math(EXPR last "${count} - 1")
      foreach(i RANGE ${last})
        string(JSON object GET "${text}" ${list} ${i})
        string(JSON name GET "${object}" name)
        _convoy_figures(${list} "${text}" "${name}" "" "${object}")
      endforeach()
    endforeach()
  endforeach()
  set(out ${CMAKE_CURRENT_BINARY_DIR}/catalogue_rows.cpp)
  file(CONFIGURE OUTPUT ${out} CONTENT [[
// Made from configs/hardware by sim/hardware/catalogue.cmake.
#include "hardware/catalogue_rows.hpp"

namespace convoy {
namespace {

constexpr CatalogueRow device_table[] = {
@devices@};

constexpr CatalogueRow link_table[] = {
@links@};

}  // namespace

std::span<const CatalogueRow> device_rows() {
  return device_table;
}

std::span<const CatalogueRow> link_rows() {
  return link_table;
}

}  // namespace convoy
]] @ONLY)
  target_sources(${target} PRIVATE ${out})
endfunction()

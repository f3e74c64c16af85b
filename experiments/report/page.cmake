# The page's parts, built into the program. Vega comes from Debian's libjs-vega; without it there are all formats but the page.
find_path(POISE_VEGA_DIR vega-view.min.js PATHS /usr/share/javascript/vega NO_DEFAULT_PATH DOC "where libjs-vega is")
set(page ${CMAKE_CURRENT_SOURCE_DIR}/report)
set(built ${CMAKE_CURRENT_BINARY_DIR}/report)
set(vega "")
set(has_vega 0)
if(POISE_VEGA_DIR)
  set(vega ${POISE_VEGA_DIR})
  set(has_vega 1)
else()
  message(STATUS "libjs-vega is not installed: poise report writes no page, but text, CSV, JSON and figures")
endif()
file(GLOB vega_files CONFIGURE_DEPENDS ${vega}/vega-*.min.js)
add_custom_command(OUTPUT ${built}/vega.js ${built}/app.js ${built}/report_hashes.h
  COMMAND ${CMAKE_COMMAND} -DVEGA=${vega} -DPAGE=${page} -DOUT=${built} -P ${page}/bundle.cmake
  DEPENDS ${page}/bundle.cmake ${page}/vega.js ${page}/charts.js ${page}/maps.js ${page}/app.js ${vega_files}
  VERBATIM COMMENT "the report's scripts")
set_source_files_properties(report/report_assets.c PROPERTIES
  OBJECT_DEPENDS "${built}/vega.js;${built}/app.js;${built}/report_hashes.h;${page}/page.html;${page}/style.css"
  COMPILE_DEFINITIONS "REPORT_PAGE=\"${page}\";REPORT_BUILT=\"${built}\";REPORT_HAS_VEGA=${has_vega}"
  INCLUDE_DIRECTORIES ${built})
target_sources(poise_lab PRIVATE report/report.c report/report_document.c report/report_table.c report/report_input.c report/report_runs.c report/report_launches.c report/report_policies.c report/report_maps.c report/report_cycles.c
               report/report_features.c report/report_fit.c report/report_cv.c report/report_tune.c report/report_tune_front.c report/report_tune_parallel.c report/report_tune_sample.c report/report_svg_parallel.c report/report_text_parts.c report/report_text_parallel.c report/report_combinations.c report/report_sweep.c report/report_estimates.c report/report_machines.c report/report_repro.c report/report_hardware.c report/report_provenance.c
               report/report_html.c report/report_assets.c report/watch.c report/terms.c report/report_csv.c report/report_text.c report/report_text_figures.c report/report_svg.c report/report_svg_figures.c report/report_figures.c)
# PDF figures through librsvg, which draws SVG by cairo; without it there are SVG files alone.
pkg_check_modules(RSVG IMPORTED_TARGET librsvg-2.0 cairo-pdf)
if(RSVG_FOUND)
  target_link_libraries(poise_lab PRIVATE PkgConfig::RSVG)
  set_source_files_properties(report/report_figures.c PROPERTIES COMPILE_DEFINITIONS REPORT_HAS_RSVG=1)
else()
  message(STATUS "librsvg (librsvg2-dev) is not installed: figures are written as SVG, not as PDF")
endif()

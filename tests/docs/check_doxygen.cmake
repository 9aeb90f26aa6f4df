# Runs DOXYGEN on DIRECTORY/Doxyfile; fails where it warns about anything, or had nothing to say. The two pages are asked for
# because a namespace or a file without a comment of its own takes all that it holds out of doxygen's sight, silently.
file(REMOVE_RECURSE ${DIRECTORY}/html)
execute_process(COMMAND ${DOXYGEN} ${DIRECTORY}/Doxyfile RESULT_VARIABLE failed ERROR_VARIABLE complaints)
if(failed OR NOT complaints STREQUAL "")
    message(FATAL_ERROR "doxygen (${failed}):\n${complaints}")
endif()
foreach(page IN ITEMS namespacebitstep.html bitstep_8h.html)
    if(NOT EXISTS ${DIRECTORY}/html/${page})
        message(FATAL_ERROR "doxygen wrote no ${page}: is its namespace or file documented?")
    endif()
endforeach()
message(STATUS "${DIRECTORY}/html/index.html")

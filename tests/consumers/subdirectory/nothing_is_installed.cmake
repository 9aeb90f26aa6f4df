# cmake -D BUILD=... -P nothing_is_installed.cmake: fails where an installation of BUILD brings a file.
set(prefix ${BUILD}/nothing)
file(REMOVE_RECURSE ${prefix})
execute_process(COMMAND ${CMAKE_COMMAND} -E env --unset=DESTDIR ${CMAKE_COMMAND} --install ${BUILD} --prefix ${prefix}
    COMMAND_ERROR_IS_FATAL ANY)
file(GLOB_RECURSE found ${prefix}/*)
if(found)
    message(FATAL_ERROR "installed: ${found}")
endif()

# cmake -D BUILD=... -D TREE=... -D CONFIG=... -P move_tree.cmake: installs BUILD, then moves what was installed to TREE.
file(REMOVE_RECURSE ${TREE} ${TREE}.installed)
foreach(component IN ITEMS runtime development) # there are no others
    execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --config ${CONFIG} --component ${component}
        --prefix ${TREE}.installed COMMAND_ERROR_IS_FATAL ANY)
endforeach()
file(RENAME ${TREE}.installed ${TREE})

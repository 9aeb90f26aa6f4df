# cmake -D BUILD=... -D TREE=... -P move_tree.cmake: installs BUILD, then moves what was installed to TREE.
file(REMOVE_RECURSE ${TREE} ${TREE}.installed)
execute_process(COMMAND ${CMAKE_COMMAND} --install ${BUILD} --prefix ${TREE}.installed COMMAND_ERROR_IS_FATAL ANY)
file(RENAME ${TREE}.installed ${TREE})

# Fails unless README holds EXAMPLE as a block of LANGUAGE (cpp, c, python), to the letter.
file(READ "${README}" readme)
file(READ "${EXAMPLE}" example)
string(FIND "${readme}" "```${LANGUAGE}\n${example}```" at)
if(example STREQUAL "" OR at EQUAL -1)
    message(FATAL_ERROR "${README} does not quote ${EXAMPLE} word for word")
endif()

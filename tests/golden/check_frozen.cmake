# Fails where the first 484 lines of FILE, 31444 bytes, are not those that froze numerics version 1: a line made anew together
# with the code would hide a changed bit.
file(READ "${FILE}" lines LIMIT 31444)
string(SHA256 hash "${lines}")
if(NOT hash STREQUAL "68cd469a4986f98ffe33a7f15340d67763d2bc0969b0e924886c9a38dcd51ccc")
    message(FATAL_ERROR "${FILE}: a frozen line has changed (SHA-256 ${hash}). Other bits are another numerics version.")
endif()

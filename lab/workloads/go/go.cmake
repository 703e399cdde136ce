# SPDX-License-Identifier: MIT
# Builds the program and puts it in its place, or says why there is none.
file(REMOVE ${PROGRAM})
set(ENV{CGO_ENABLED} 0)
set(ENV{GOEXPERIMENT} "${EXPERIMENT}")
set(ENV{GOTOOLCHAIN} local)
execute_process(
    COMMAND ${GO} build -trimpath -buildvcs=false -o ${PROGRAM} ${PACKAGE}
    WORKING_DIRECTORY ${SOURCE}
    RESULT_VARIABLE status
    ERROR_VARIABLE errors)
if(NOT status EQUAL 0)
    file(REMOVE ${PROGRAM})
    message(STATUS "Go's ${PACKAGE} is left out; go says:\n${errors}")
endif()

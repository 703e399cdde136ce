# SPDX-License-Identifier: MIT
# Builds the Rust module and puts it in its place, or says why there is none.
file(REMOVE ${MODULE})
execute_process(
    COMMAND ${CARGO} build --release --locked --quiet --target-dir ${BUILD}
    WORKING_DIRECTORY ${SOURCE}
    RESULT_VARIABLE status
    ERROR_VARIABLE errors)
if(status EQUAL 0)
    get_filename_component(directory ${MODULE} DIRECTORY)
    file(MAKE_DIRECTORY ${directory})
    file(COPY_FILE ${BUILD}/release/libpeer_bumpalo.so ${MODULE})
else()
    message(STATUS "The peer bumpalo is left out; cargo says:\n${errors}")
endif()

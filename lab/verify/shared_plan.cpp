// SPDX-License-Identifier: MIT
#include "shared_plan.hpp"

#include "run/temporary_folder.hpp"

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <string>
#include <sys/mman.h>
#include <system_error>
#include <unistd.h>

namespace toft::lab {
namespace {

toft_verify_module module_in_file(const recorded_module &m) {
    toft_verify_module to{};
    const std::size_t bytes =
        std::min<std::size_t>(m.build_id.size() / 2, toft_verify_build_id_most);
    for (std::size_t i = 0; i != bytes; ++i)
        to.build_id[i] =
            static_cast<std::uint8_t>(std::stoul(m.build_id.substr(2 * i, 2), nullptr, 16));
    to.build_id_bytes = static_cast<std::uint32_t>(bytes);
    m.path.copy(to.path, sizeof to.path - 1);
    return to;
}

toft_verify_step step_in_file(const planned_step &s) {
    toft_verify_step to{};
    to.first = s.after.empty() ? 0 : s.after.front();
    to.count = static_cast<std::uint32_t>(s.after.size());
    to.module = s.module;
    to.site = s.site;
    to.address = s.address;
    return to;
}

// Gives the file all of its room at once: where that is found missing at a write to the memory, a
// signal ends whoever writes. Returns the error; 0: it has the room.
int make_room(int file, std::size_t bytes) {
    int error = EINTR;
    while (error == EINTR) error = posix_fallocate(file, 0, static_cast<off_t>(bytes));
    return error;
}

} // namespace

shared_plan::shared_plan(const region_plan &of) {
    path_ = temporary_pattern("toft-verify");
    const int file = mkstemp(path_.data());
    if (file < 0)
        throw std::system_error(errno, std::generic_category(), "can't make a file " + path_);
    bytes_ = sizeof(toft_verify_plan) + of.modules.size() * sizeof(toft_verify_module) +
             of.steps.size() * sizeof(toft_verify_step) +
             of.copies.size() * sizeof(toft_verify_code) + of.sites * sizeof(std::uint64_t);
    void *memory = MAP_FAILED;
    int error = make_room(file, bytes_);
    if (error == 0) {
        memory = mmap(nullptr, bytes_, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
        error = errno;
    }
    close(file);
    if (memory == MAP_FAILED) {
        unlink(path_.c_str());
        throw std::system_error(error, std::generic_category(), "can't fill the file " + path_);
    }
    plan_ = static_cast<toft_verify_plan *>(memory);
    plan_->version = toft_verify_version;
    plan_->module_count = static_cast<std::uint32_t>(of.modules.size());
    plan_->step_count = static_cast<std::uint32_t>(of.steps.size());
    plan_->code_count = static_cast<std::uint32_t>(of.copies.size());
    plan_->site_count = of.sites;
    plan_->region_module = of.region_module;
    plan_->part_count = static_cast<std::uint32_t>(of.region_parts.size());
    std::copy(of.region_parts.begin(), of.region_parts.end(), plan_->region_parts);
    std::transform(of.modules.begin(), of.modules.end(), toft_verify_modules(plan_),
                   module_in_file);
    seen_ = {toft_verify_seen(plan_), of.sites};
    std::transform(of.steps.begin(), of.steps.end(), toft_verify_steps(plan_), step_in_file);
    std::transform(of.copies.begin(), of.copies.end(), toft_verify_copies(plan_),
                   [](const planned_code &c) {
                       return toft_verify_code{c.copy, 0, c.code.begin, c.code.end};
                   });
}

shared_plan::~shared_plan() {
    munmap(plan_, bytes_);
    unlink(path_.c_str());
}

} // namespace toft::lab

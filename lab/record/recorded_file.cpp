// SPDX-License-Identifier: MIT
#include "recorded_file.hpp"

#include <algorithm>
#include <cerrno>
#include <fcntl.h>
#include <fmt/format.h>
#include <map>
#include <stdexcept>
#include <sys/stat.h>
#include <system_error>
#include <tuple>
#include <unistd.h>

namespace toft::lab {
namespace {

std::size_t read_at(const std::string &path, int descriptor, std::uint64_t offset,
                    std::span<std::byte> to) {
    std::size_t done = 0;
    while (done < to.size()) {
        const ssize_t n = pread(descriptor, to.data() + done, to.size() - done,
                                static_cast<off_t>(offset + done));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) throw std::system_error(errno, std::generic_category(), "can't read " + path);
        if (n == 0) break;
        done += static_cast<std::size_t>(n);
    }
    return done;
}

template <class Struct>
bool read_struct(const std::string &path, int descriptor, std::uint64_t offset, Struct &out) {
    return read_at(path, descriptor, offset, std::as_writable_bytes(std::span(&out, 1))) ==
           sizeof out;
}

bool is_header(const toft_block_header &h) {
    return h.mark == toft_block_mark && toft_header_checksum(&h) == h.header_checksum;
}

bool begins_as_recording(const toft_recording_header &h) {
    return std::equal(std::begin(h.magic), std::end(h.magic), TOFT_RECORDING_MAGIC);
}

// All is 0 where it isn't in the file.
toft_process_payload process_in(const std::string &path) {
    struct {
        toft_block_header header;
        toft_process_payload process;
    } first{};
    try {
        recorded_file(path).read(sizeof(toft_recording_header),
                                 std::as_writable_bytes(std::span(&first, 1)));
    } catch (const std::runtime_error &) {
        return {}; // cut off, or of another version
    }
    return first.header.kind == toft_block_process ? first.process : toft_process_payload{};
}

} // namespace

recorded_file::recorded_file(const std::string &path)
    : path_(path),
      descriptor_(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)) { // nor wait for a pipe
    struct stat status{};
    if (descriptor_ < 0 || fstat(descriptor_, &status) != 0)
        throw std::system_error(errno, std::generic_category(), path);
    try {
        if (!S_ISREG(status.st_mode))
            throw std::runtime_error("can't read " + path +
                                     ": it is no regular file, and so no recording");
        size_ = static_cast<std::uint64_t>(status.st_size);
        toft_recording_header header{};
        if (!read_struct(path_, descriptor_, 0, header) || !begins_as_recording(header))
            throw std::runtime_error(path + " is no recording of toft record");
        if (header.version != toft_recording_version)
            throw std::runtime_error(
                fmt::format("{} was made by version {} of the format, and this toft reads version "
                            "{}: record again",
                            path, header.version, int{toft_recording_version}));
    } catch (...) {
        close(descriptor_);
        throw;
    }
}

recorded_file::~recorded_file() { close(descriptor_); }

void recorded_file::damaged(std::uint64_t offset) const {
    throw std::runtime_error(fmt::format("{} is damaged at byte {}", path_, offset));
}

void recorded_file::read(std::uint64_t offset, std::span<std::byte> to) const {
    if (read_at(path_, descriptor_, offset, to) != to.size()) damaged(offset);
}

bool recorded_file::is_whole(const toft_block_header &h, std::uint64_t offset,
                             recorded_bytes &payload) const {
    payload.resize(h.payload_bytes);
    read(offset, payload);
    return toft_recording_checksum(payload.data(), payload.size()) == h.payload_checksum;
}

bool recorded_file::has_block_after(std::uint64_t offset) const {
    constexpr std::size_t room = 1 << 20;
    recorded_bytes bytes(room);
    toft_block_header header{};
    for (++offset; offset + sizeof header <= size_; offset += room - sizeof header + 1) {
        const std::size_t n = read_at(path_, descriptor_, offset, bytes);
        for (std::size_t at = 0; at + sizeof header <= n; ++at) {
            std::memcpy(&header, bytes.data() + at, sizeof header);
            if (is_header(header)) return true;
        }
    }
    return false;
}

std::string recorded_file::for_each_block(const visitor &visit) const {
    recorded_bytes payload;
    for (std::uint64_t offset = sizeof(toft_recording_header); offset < size_;) {
        constexpr auto cut = "its last block is cut off";
        toft_block_header header{};
        if (!read_struct(path_, descriptor_, offset, header)) return cut;
        if (!is_header(header)) {
            if (has_block_after(offset)) damaged(offset);
            return "its last block is damaged";
        }
        const std::uint64_t begin = offset + sizeof header;
        if (header.payload_bytes > size_ - begin) return cut;
        const std::uint64_t end = begin + header.payload_bytes;
        if (!is_whole(header, begin, payload)) {
            if (end == size_) return "its last block is damaged";
            damaged(begin);
        }
        visit(header, begin, payload);
        offset = end;
    }
    return {};
}

void file_end::see(const toft_block_header &header, std::span<const std::byte> payload) {
    kind_ = header.kind;
    toft_failure_payload failure{};
    if (is_failure() && take(payload, failure)) error_ = failure.error;
    toft_end_payload end{};
    if (kind_ == toft_block_end && take_end(payload, end)) reason_ = end.reason;
}

bool file_end::is_exec() const { return kind_ == toft_block_end && reason_ == toft_end_exec; }

std::string file_end::why_missing() const {
    if (kind_ == toft_block_end) return {};
    if (!is_failure()) return "the process was killed, is still running, or its recording failed";
    const std::string why = std::generic_category().message(static_cast<int>(error_));
    const char *of_what = error_ == EFBIG ? " (ulimit -f, or the file system's limit)" : "";
    return "its recording failed: " + why + of_what;
}

bool is_recording(const std::string &path) { return run_of_recording(path).has_value(); }

std::optional<std::uint32_t> run_of_recording(const std::string &path) {
    if (struct stat status{}; stat(path.c_str(), &status) != 0 || !S_ISREG(status.st_mode))
        return {}; // to open a pipe would wait for somebody who writes to it
    const int descriptor = open(path.c_str(), O_RDONLY | O_CLOEXEC);
    if (descriptor < 0) return {};
    toft_recording_header header{};
    const ssize_t n = pread(descriptor, &header, sizeof header, 0);
    close(descriptor);
    if (n != ssize_t{sizeof header} || !begins_as_recording(header)) return {};
    return header.run;
}

std::uint64_t process_of_recording(const std::string &path) { return process_in(path).process_id; }

void refuse_one_run_twice(const std::vector<std::string> &paths) {
    std::map<std::tuple<std::uint64_t, std::uint64_t, std::uint64_t>, std::string> known;
    for (const std::string &path : paths) {
        const toft_process_payload p = process_in(path);
        if (p.process_id == 0) continue; // who reads it says what is wrong
        const auto [other, is_new] =
            known.try_emplace({p.process_id, p.start_ticks, p.start_nanoseconds}, path);
        if (!is_new)
            throw std::invalid_argument(
                fmt::format("{} and {} are recordings of one run, that of process {}, which would "
                            "count twice: leave one of them out",
                            other->second, path, p.process_id));
    }
}

} // namespace toft::lab

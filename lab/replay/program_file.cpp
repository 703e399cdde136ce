// SPDX-License-Identifier: MIT
#include "program_file.hpp"

#include "run/temporary_folder.hpp"

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <fmt/format.h>
#include <stdexcept>
#include <system_error>
#include <unistd.h>

namespace toft::lab {
namespace {

constexpr std::uint64_t magic = 0x796c706572746674; // "tftreply"

struct file_header {
    std::uint64_t magic = 0;
    std::uint64_t places_offset_bytes = 0;
    program_facts facts;
};

[[noreturn]] void fail(const char *what) {
    throw std::system_error(errno, std::generic_category(), what);
}

int make_nameless_file() {
    std::string pattern = temporary_pattern("toft-replay");
    const int file = mkostemp(pattern.data(), O_CLOEXEC);
    if (file < 0) fail("can't make a temporary file");
    unlink(pattern.c_str());
    return file;
}

void write_exactly(int file, const void *data, std::size_t bytes, std::uint64_t offset_bytes) {
    const char *at = static_cast<const char *>(data);
    while (bytes != 0) {
        const ssize_t n = pwrite(file, at, bytes, static_cast<off_t>(offset_bytes));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) fail("can't write a temporary file");
        at += n;
        bytes -= static_cast<std::size_t>(n);
        offset_bytes += static_cast<std::uint64_t>(n);
    }
}

} // namespace

program_writer::program_writer() : file_(make_nameless_file()), end_bytes_(sizeof(file_header)) {}

program_writer::~program_writer() { close(file_); }

std::string program_writer::path() const { return fmt::format("/proc/{}/fd/{}", getpid(), file_); }

void program_writer::write_at_end(const void *data, std::size_t bytes) {
    write_exactly(file_, data, bytes, end_bytes_);
    end_bytes_ += bytes;
}

void program_writer::flush(std::uint32_t thread) {
    std::vector<std::uint64_t> &words = filling_[thread];
    if (words.empty()) return;
    places_[thread].push_back({end_bytes_, words.size()});
    write_at_end(words.data(), words.size() * sizeof(words.front()));
    words.clear();
}

void program_writer::add(std::uint32_t thread, std::span<const std::uint64_t> words) {
    if (thread >= filling_.size()) {
        filling_.resize(std::size_t{thread} + 1);
        places_.resize(filling_.size());
    }
    if (filling_[thread].size() + words.size() > block_words) flush(thread);
    filling_[thread].insert(filling_[thread].end(), words.begin(), words.end());
}

void program_writer::finish(const program_facts &facts) {
    filling_.resize(std::size_t{facts.threads} + 1);
    places_.resize(filling_.size());
    for (std::uint32_t thread = 0; thread != filling_.size(); ++thread) flush(thread);
    const file_header header{magic, end_bytes_, facts};
    for (const std::vector<block_place> &places : places_) {
        const std::uint64_t count = places.size();
        write_at_end(&count, sizeof count);
        write_at_end(places.data(), places.size() * sizeof(block_place));
    }
    write_exactly(file_, &header, sizeof header, 0);
}

program_reader::program_reader(const std::string &path)
    : file_(open(path.c_str(), O_RDONLY | O_CLOEXEC)) {
    if (file_ < 0) fail("can't open the compiled recording");
    file_header header;
    read_exactly(&header, sizeof header, 0);
    if (header.magic != magic) throw std::runtime_error("the compiled recording isn't whole");
    facts_ = header.facts;
    std::uint64_t at = header.places_offset_bytes;
    places_.resize(std::size_t{facts_.threads} + 1);
    for (std::vector<block_place> &places : places_) {
        std::uint64_t count = 0;
        read_exactly(&count, sizeof count, at);
        at += sizeof count;
        places.resize(count);
        read_exactly(places.data(), count * sizeof(block_place), at);
        at += count * sizeof(block_place);
    }
}

program_reader::~program_reader() { close(file_); }

std::size_t program_reader::read(std::uint32_t thread, std::size_t block,
                                 std::uint64_t *buffer) const {
    const block_place &place = places_[thread][block];
    read_exactly(buffer, place.words * sizeof *buffer, place.offset_bytes);
    return place.words;
}

void program_reader::read_exactly(void *data, std::size_t bytes, std::uint64_t offset_bytes) const {
    char *at = static_cast<char *>(data);
    while (bytes != 0) {
        const ssize_t n = pread(file_, at, bytes, static_cast<off_t>(offset_bytes));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) fail("can't read the compiled recording");
        if (n == 0) throw std::runtime_error("the compiled recording is cut short");
        at += n;
        bytes -= static_cast<std::size_t>(n);
        offset_bytes += static_cast<std::uint64_t>(n);
    }
}

} // namespace toft::lab

// SPDX-License-Identifier: MIT
#include "gzip.hpp"

#include <new>
#include <stdexcept>
#include <zlib.h>

namespace toft::lab {
namespace {

// What zlib takes at once; its lengths have 32 bits.
constexpr std::size_t piece = std::size_t{1} << 20;

class deflating {
  public:
    deflating() {
        constexpr int window_bits = 15, with_gzip_header = 16, memory_level = 8;
        if (deflateInit2(&stream_, Z_BEST_SPEED, Z_DEFLATED, window_bits + with_gzip_header,
                         memory_level, Z_DEFAULT_STRATEGY) != Z_OK)
            throw std::bad_alloc();
    }
    ~deflating() { deflateEnd(&stream_); }
    deflating(const deflating &) = delete;
    deflating &operator=(const deflating &) = delete;

    void take(std::string_view some, bool last, std::string &to) {
        // zlib doesn't write to its input.
        stream_.next_in = reinterpret_cast<Bytef *>(const_cast<char *>(some.data()));
        stream_.avail_in = static_cast<uInt>(some.size());
        do {
            char out[1 << 16];
            stream_.next_out = reinterpret_cast<Bytef *>(out);
            stream_.avail_out = sizeof out;
            if (deflate(&stream_, last ? Z_FINISH : Z_NO_FLUSH) == Z_STREAM_ERROR)
                throw std::logic_error("zlib's stream is broken");
            to.append(out, sizeof out - stream_.avail_out);
        } while (stream_.avail_out == 0);
    }

  private:
    z_stream stream_{};
};

} // namespace

std::string gzipped(std::string_view text) {
    std::string result;
    deflating stream;
    for (; text.size() > piece; text.remove_prefix(piece))
        stream.take(text.substr(0, piece), false, result);
    stream.take(text, true, result);
    return result;
}

} // namespace toft::lab

// SPDX-License-Identifier: MIT
#pragma once

#include "cases.hpp"
#include "footprint.hpp"
#include "random.hpp"
#include "stamped.hpp"

#include <array>

// `buffers`: four buffers of 5 to 24 MiB, as images or the frames of a film are; and `blocks`: 300
// of 32 KiB to 1 MiB, as a server's or a database's. A round replaces them again and again,
// whichever they are, by others of other sizes, writes all of each, and reads it when it is freed.
// The last round frees all.
namespace toft::lab {

template <class Door, std::size_t Live, std::size_t LeastKiB, std::size_t MostKiB>
class buffers {
  public:
    explicit buffers(std::uint64_t usual_replaced) : usual_replaced_(usual_replaced) {}

    std::uint64_t objects(unsigned round) const {
        return share_of(usual_replaced_, round_percents[round - 1]);
    }

    void round(unsigned round, footprint &memory) {
        for (std::uint64_t i = objects(round); i != 0; --i) {
            stamped &old = buffers_[random_() % buffers_.size()];
            free(old);
            old = make();
        }
        memory.note_peak();
        if (round == aged_rounds)
            for (stamped &old : buffers_) free(old);
    }

    bool agrees() const { return agrees_; }

  private:
    stamped make() {
        const std::size_t bytes = LeastKiB * 1024 + random_() % ((MostKiB - LeastKiB) * 1024);
        const stamped made = {static_cast<char *>(door_.allocate(bytes)), bytes,
                              static_cast<char>(random_())};
        made.write(0);
        return made;
    }

    void free(stamped &old) {
        if (old.memory == nullptr) return;
        agrees_ &= old.holds();
        door_.free(old.memory, old.bytes);
        old = {};
    }

    Door door_;
    std::uint64_t usual_replaced_;
    xorshift random_{5};
    std::array<stamped, Live> buffers_;
    bool agrees_ = true;
};

} // namespace toft::lab

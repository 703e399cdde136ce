// SPDX-License-Identifier: MIT
#pragma once

#include "cases.hpp"
#include "footprint.hpp"
#include "parcels.hpp"
#include "random.hpp"
#include "workloads/pool/objects.hpp"

#include <array>
#include <thread>
#include <vector>

// `bleeding` and `asymmetric`: one thread fills parcels with objects of 16 to 512 bytes, and others
// empty them. In the first, one thread empties them and never allocates. In the second there are
// three, which answer every object with one of another size, freed by the thread that asked. These
// threads live through all rounds, and wait between them.
namespace toft::lab {

template <class Door, unsigned servants, bool answers>
class between_threads {
  public:
    explicit between_threads(std::uint64_t usual_parcels)
        : usual_parcels_(usual_parcels),
          parcels_(usual_parcels),
          asked_(usual_parcels + servants),
          done_(usual_parcels) {
        xorshift random(3);
        for (std::uint32_t &size : sizes_) size = 16 + random() % 497;
        for (unsigned i = 0; i != servants; ++i)
            team_.emplace_back([this] {
                while (parcel *p = asked_.take()) {
                    serve(*p);
                    done_.put(p);
                }
            });
    }
    ~between_threads() {
        for (unsigned i = 0; i != servants; ++i) asked_.put(nullptr);
    }
    between_threads(const between_threads &) = delete;
    between_threads &operator=(const between_threads &) = delete;

    std::uint64_t objects(unsigned round) const {
        return under_way(round) * turns * parcel_objects * (answers ? 2 : 1);
    }

    // First all parcels are filled, then each that comes back is filled again.
    void round(unsigned round, footprint &memory) {
        const std::uint64_t n = under_way(round);
        for (std::uint64_t i = 0; i != n; ++i) fill(parcels_[i]);
        memory.note_peak();
        for (std::uint64_t i = 0; i != n; ++i) asked_.put(&parcels_[i]);
        for (std::uint64_t i = 0; i != n * (turns - 1); ++i) {
            parcel *p = take_back();
            fill(*p);
            asked_.put(p);
        }
        for (std::uint64_t i = 0; i != n; ++i) take_back();
    }

    bool agrees() const { return agrees_; }

  private:
    static constexpr std::uint64_t turns = 4; // of each parcel in a round, on average

    std::uint64_t under_way(unsigned round) const {
        return share_of(usual_parcels_, round_percents[round - 1]);
    }
    std::uint32_t size_of(const parcel &p, std::size_t i) const {
        return sizes_[(p.number + i) % sizes_.size()];
    }
    std::uint32_t answer_size_of(const parcel &p, std::size_t i) const {
        return sizes_[(p.number + i + 1) % sizes_.size()];
    }

    [[gnu::noinline]] void fill(parcel &p) {
        p.number = ++filled_;
        for (std::size_t i = 0; i != parcel_objects; ++i) {
            p.objects[i] = door_.allocate(size_of(p, i));
            stamp(p.objects[i], p.number);
        }
    }
    [[gnu::noinline]] void serve(parcel &p) {
        Door door;
        for (std::size_t i = 0; i != parcel_objects; ++i) {
            p.agrees &= has_stamp(p.objects[i], p.number);
            door.free(p.objects[i], size_of(p, i));
            if constexpr (answers) {
                p.objects[i] = door.allocate(answer_size_of(p, i));
                stamp(p.objects[i], p.number);
            }
        }
    }
    [[gnu::noinline]] parcel *take_back() {
        parcel *p = done_.take();
        if constexpr (answers)
            for (std::size_t i = 0; i != parcel_objects; ++i) {
                p->agrees &= has_stamp(p->objects[i], p->number);
                door_.free(p->objects[i], answer_size_of(*p, i));
            }
        agrees_ &= p->agrees;
        return p;
    }

    Door door_;
    std::uint64_t usual_parcels_;
    std::array<std::uint32_t, 256> sizes_;
    std::vector<parcel> parcels_;
    parcel_queue asked_, done_;
    std::uint32_t filled_ = 0;
    bool agrees_ = true;
    std::vector<std::jthread> team_; // ends before what it uses
};

} // namespace toft::lab

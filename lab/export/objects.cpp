// SPDX-License-Identifier: MIT
#include "objects.hpp"

#include "record/address_map.hpp"

#include <algorithm>

namespace toft::lab {
namespace {

class pass {
  public:
    pass(const recording &r, const std::vector<std::uint32_t> &nodes,
         const std::vector<object_listener *> &listeners)
        : of_(r),
          nodes_(nodes),
          listeners_(listeners) {
        extent_.duration_ns = r.duration_ns;
    }

    void take(const heap_event &e) {
        ++extent_.events;
        extent_.duration_ns = std::max(extent_.duration_ns, e.time_ns);
        switch (e.call) {
        case heap_call::allocate:
            return make(e);
        case heap_call::resize:
            return resize(e);
        case heap_call::free:
            if (heap_object *found = live_.find(e.address)) end(found, e, nodes_.at(e.stack));
        }
    }

    recorded_extent finish() {
        live_.for_each([&](std::uint64_t, const heap_object &o) {
            tell([&](object_listener &l) { l.left_alive(o); });
        });
        return extent_;
    }

  private:
    template <class Function>
    void tell(Function function) {
        for (object_listener *l : listeners_) function(*l);
    }

    void end(heap_object *found, const heap_event &e, std::uint32_t stack) {
        const heap_object o = *found;
        live_.erase(found);
        tell([&](object_listener &l) { l.ended(o, {e.time_ns, stack, e.thread}); });
    }

    // Nobody saw how the object that was at this address ended.
    void make_room(const heap_event &e) {
        if (heap_object *lost = live_.find(e.address)) end(lost, e, 0);
    }

    void make(const heap_event &e) {
        make_room(e);
        const heap_object &o =
            live_.insert(e.address, {e.bytes, e.bytes, e.time_ns, of_.weight_of(e.bytes),
                                     nodes_.at(e.stack), e.thread, 0, e.alignment});
        tell([&](object_listener &l) { l.made(o); });
    }

    void resize(const heap_event &e) {
        heap_object *found = live_.find(e.old_address);
        if (!found) return make(e);
        const heap_object before = *found;
        live_.erase(found);
        make_room(e);
        heap_object o = before;
        o.bytes = e.bytes;
        o.weight = std::min(o.weight, of_.weight_of(e.bytes));
        ++o.resizes;
        live_.insert(e.address, o);
        tell([&](object_listener &l) { l.resized(o, before); });
    }

    const recording &of_;
    const std::vector<std::uint32_t> &nodes_;
    const std::vector<object_listener *> &listeners_;
    address_map<heap_object> live_;
    recorded_extent extent_;
};

} // namespace

recorded_extent for_each_object(const recording &r, const std::vector<std::uint32_t> &nodes,
                                const std::vector<object_listener *> &listeners) {
    pass events(r, nodes, listeners);
    r.for_each([&](std::span<const heap_event> some) {
        for (const heap_event &e : some) events.take(e);
    });
    return events.finish();
}

} // namespace toft::lab

// SPDX-License-Identifier: MIT
// Lua: a benchmark in one state, or many states that answer a request each. Lua's hook has a
// context and tells the size of what it frees.
#include "documents.hpp"
#include "memories.hpp"

#include <lua.hpp>
#include <stdexcept>
#include <toft/adapt/lua.h>

namespace toft::lab {
namespace {

// Trees, texts, a table that grows and is hashed, and closures. Most of it is garbage soon.
constexpr const char *benchmark = R"(
local trees, depth, words = ...
local sum = 0
local function make(d)
    if d == 0 then return {} end
    return { make(d - 1), make(d - 1) }
end
local function count(t)
    if t[1] then return 1 + count(t[1]) + count(t[2]) end
    return 1
end
for _ = 1, trees do sum = sum + count(make(depth)) end
local parts = {}
for i = 1, words do
    parts[#parts + 1] = "word" .. i
    sum = sum + #parts[i]
end
sum = sum + #table.concat(parts, " ")
local seen = {}
for i = 1, words do
    local key = "key" .. i % 1000
    seen[key] = (seen[key] or 0) + i
end
for _, value in pairs(seen) do sum = sum + value end
local adders = {}
for i = 1, words do adders[i] = function(x) return x + i end end
for i = 1, words do sum = sum + adders[i](1) end
return sum
)";

constexpr const char *request = R"(
local number = ...
local fields, lines = {}, {}
for i = 1, 30 do fields[i] = { name = "field" .. i, value = i * number } end
for _, field in ipairs(fields) do
    lines[#lines + 1] = string.format("<%s>%d</%s>", field.name, field.value, field.name)
end
return #table.concat(lines)
)";

struct benchmark_sizes {
    std::uint64_t trees, depth, words;

    std::uint64_t sum() const {
        std::uint64_t numbers = 0, lengths = 0;
        for (std::uint64_t i = 1; i <= words; ++i) {
            numbers += i;
            lengths += 4 + std::to_string(i).size();
        }
        const std::uint64_t in_trees = trees * ((std::uint64_t{2} << depth) - 1);
        return in_trees + lengths + (lengths + words - 1) + numbers + (numbers + words);
    }
};

std::uint64_t sum_of_request(std::uint64_t number) {
    std::uint64_t sum = 0;
    for (std::uint64_t i = 1; i <= 30; ++i)
        sum += 5 + 2 * (5 + std::to_string(i).size()) + std::to_string(i * number).size();
    return sum;
}

template <class Memory>
void *allocate_for_lua(void *, void *object, std::size_t old_size, std::size_t new_size) {
    if (!object) return new_size == 0 ? nullptr : Memory::allocate(new_size);
    if (new_size != 0) return Memory::resize(object, old_size, new_size);
    Memory::free(object, old_size);
    return nullptr;
}

template <class Memory>
lua_State *make_state() {
    if constexpr (Memory::kind == memory_kind::heap)
        return luaL_newstate();
    else if constexpr (Memory::kind == memory_kind::pool)
        return lua_newstate(toft_lua_alloc, Memory::pool());
    else if constexpr (Memory::kind == memory_kind::reap)
        return lua_newstate(toft_lua_alloc_in_reap, &Memory::reap);
    else
        return lua_newstate(allocate_for_lua<Memory>, nullptr);
}

template <class Memory>
class lua_program final : public program {
  public:
    explicit lua_program(const program_choice &chosen)
        : is_requests_(chosen.case_name == "lua-requests"),
          requests_(percent_of(400, chosen.percent)),
          sizes_{percent_of(6, chosen.percent), 11, percent_of(20'000, chosen.percent)} {}

    std::uint64_t round(const std::function<void()> &note_peak) override {
        if (!is_requests_)
            return run(benchmark, {sizes_.trees, sizes_.depth, sizes_.words}, note_peak);
        std::uint64_t sum = 0;
        for (std::uint64_t number = 1; number <= requests_; ++number)
            sum += run(request, {number}, number == requests_ ? note_peak : [] {});
        return sum;
    }
    std::uint64_t expected_sum() const override {
        if (!is_requests_) return sizes_.sum();
        std::uint64_t sum = 0;
        for (std::uint64_t number = 1; number <= requests_; ++number) sum += sum_of_request(number);
        return sum;
    }
    std::uint64_t operations() const override { return is_requests_ ? requests_ : 1; }

  private:
    static std::uint64_t run(const char *script, std::initializer_list<std::uint64_t> arguments,
                             const std::function<void()> &note_peak) {
        lua_State *state = make_state<Memory>();
        if (!state) throw std::bad_alloc();
        luaL_openlibs(state);
        bool ran = luaL_loadstring(state, script) == LUA_OK;
        for (const std::uint64_t argument : arguments)
            lua_pushinteger(state, static_cast<lua_Integer>(argument));
        ran = ran && lua_pcall(state, static_cast<int>(arguments.size()), 1, 0) == LUA_OK;
        if (!ran) throw std::runtime_error(lua_tostring(state, -1));
        const auto sum = static_cast<std::uint64_t>(lua_tointeger(state, -1));
        note_peak();
        if (!Memory::drops_frees) lua_close(state);
        Memory::end();
        return sum;
    }

    bool is_requests_;
    std::uint64_t requests_;
    benchmark_sizes sizes_;
};

} // namespace
} // namespace toft::lab

TOFT_LAB_PROGRAM(LUA_VERSION_MAJOR "." LUA_VERSION_MINOR "." LUA_VERSION_RELEASE,
                 toft::lab::make_program<toft::lab::lua_program>)

// SPDX-License-Identifier: MIT
#include "making.hpp"

#include "place_text.hpp"

#include <algorithm>
#include <fmt/format.h>
#include <string_view>

namespace toft::lab {
namespace {

constexpr std::uint64_t least_share = 20;

constexpr std::string_view containers[] = {"vector",
                                           "deque",
                                           "list",
                                           "forward_list",
                                           "set",
                                           "multiset",
                                           "map",
                                           "multimap",
                                           "unordered_set",
                                           "unordered_map",
                                           "unordered_multiset",
                                           "unordered_multimap"};

// The standard library's functions that return a string are the string's.
bool makes_string(std::string_view name) {
    return name.starts_with("std::basic_string<") || name == "std::to_string" ||
           name.starts_with("std::operator+<");
}

// "map" for std::map<...>::operator[]; empty: it is no container's.
std::string container_of(const std::string &function) {
    const std::string name = without_inline_namespaces(name_of_template(function));
    if (makes_string(name)) return "string";
    for (const std::string_view c : containers)
        if (name.starts_with(fmt::format("std::{}<", c))) return std::string(c);
    return {};
}

bool has_call(const made_objects &m, std::string_view name) {
    return std::any_of(m.way.begin(), m.way.end(), [&](const source_place &p) {
        return std::string_view(p.function).ends_with(name);
    });
}

bool has_call_of(const made_objects &m, std::string_view beginning) {
    return std::any_of(m.way.begin(), m.way.end(),
                       [&](const source_place &p) { return p.function.starts_with(beginning); });
}

// Null: there is none on the way.
const source_place *call_of_template(const made_objects &m, std::string_view beginning) {
    const auto found = std::ranges::find_if(m.way, [&](const source_place &p) {
        return without_inline_namespaces(name_of_template(p.function)).starts_with(beginning);
    });
    return found == m.way.end() ? nullptr : &*found;
}

// The container that the program's text names is the outermost one.
std::string container_of(const made_objects &m) {
    for (auto p = m.way.rbegin(); p != m.way.rend(); ++p)
        if (std::string name = container_of(p->function); !name.empty()) return name;
    return {};
}

making making_of(const made_objects &m) {
    if (std::string container = container_of(m); !container.empty())
        return {.how = making::by::container,
                .container = container,
                .was = fmt::format("std::{} was", container)};
    const bool shared = call_of_template(m, "std::make_shared<") != nullptr;
    if (shared) return {.how = making::by::shared, .was = "std::make_shared was"};
    if (const source_place *unique = call_of_template(m, "std::make_unique<")) {
        const bool many = unique->function.find("[]") != std::string::npos;
        return {.how = many ? making::by::unique_array : making::by::unique,
                .was = "std::make_unique was"};
    }
    if (has_call(m, "strndup"))
        return {.how = making::by::copied_part, .was = "strndup was; no free"};
    if (has_call(m, "strdup"))
        return {.how = making::by::copied_text, .was = "strdup was; no free"};
    const bool differ = m.smallest != m.largest;
    const bool by_new = is_by_new(m);
    if (has_call_of(m, "operator new[]") || (by_new && differ))
        return {.how = making::by::array, .was = "`new T[n]` was; no delete[]"};
    if (m.zeroed != 0 && !by_new)
        return {.how = making::by::zeroed, .was = "calloc(n, size) was; no free"};
    if (m.alignment > malloc_alignment && !by_new)
        return {.how = making::by::aligned,
                .was = "aligned_alloc was, or posix_memalign; no free",
                .alignment = m.alignment};
    if (by_new) return {.was = "`new T` was; no delete"};
    if (differ)
        return {.how = making::by::bytes,
                .was = "malloc(n) was, aligned as there, or to 1 for characters; no free"};
    return {.how = making::by::one_size, .was = "malloc(sizeof(T)) was; no free"};
}

std::string arguments_of(const making &m) {
    if (m.container == "string") return "char";
    return m.container.ends_with("map") ? "K, T" : "T";
}

// What had one size in what was recorded may be an array, which has another one in the next run: so
// the line that is right for each size stands there too.
void add_any_size(std::vector<making> &all) {
    const auto known = std::ranges::find(all, making::by::one_size, &making::how);
    const bool has_any = std::ranges::find(all, making::by::bytes, &making::how) != all.end();
    if (known == all.end() || has_any) return;
    making any = *known;
    any.how = making::by::bytes;
    any.was = "malloc(n) was, with any other n; no free";
    all.insert(known + 1, std::move(any));
}

} // namespace

bool is_by_new(const made_objects &m) { return has_call_of(m, "operator new"); }

std::vector<making> makings_of(const advice &a, std::span<const made_objects> made) {
    std::vector<making> all;
    std::uint64_t objects = 0;
    for (const made_objects &m : made) {
        making found = making_of(m);
        found.in_scope = m.by.function == a.scope.function;
        const auto known = std::find_if(all.begin(), all.end(), [&](const making &other) {
            return other.how == found.how && other.was == found.was;
        });
        making &in = known == all.end() ? all.emplace_back(found) : *known;
        if (known != all.end()) in.in_scope = in.in_scope && found.in_scope;
        in.objects += m.objects;
        in.alignment = std::max(in.alignment, found.alignment);
        objects += m.objects;
    }
    std::erase_if(all, [&](const making &m) {
        return m.objects * least_share < objects && !(a.cpp && m.how == making::by::container);
    });
    std::stable_sort(all.begin(), all.end(),
                     [](const making &x, const making &y) { return x.objects > y.objects; });
    add_any_size(all);
    return all;
}

std::string code_in_c(const making &m) {
    switch (m.how) {
    case making::by::aligned:
        return fmt::format("void *bytes = toft_arena_alloc(&arena, n, {});", m.alignment);
    case making::by::zeroed:
        return "void *bytes = toft_arena_calloc(&arena, n, size, 16);";
    case making::by::array:
        return "T *array = toft_new_array(&arena, T, n);";
    case making::by::copied_text:
        return "char *text = toft_arena_strdup(&arena, s);";
    case making::by::copied_part:
        return "char *text = toft_arena_strndup(&arena, s, n);";
    case making::by::bytes:
        return "void *bytes = toft_arena_alloc(&arena, n, 16);";
    default:
        return "T *object = toft_new(&arena, T);";
    }
}

std::string code_in_cpp(const making &m) {
    switch (m.how) {
    case making::by::copied_text:
    case making::by::copied_part:
        return "std::string_view text = arena.copy(s);";
    case making::by::array:
    case making::by::zeroed:
        return "std::span<T> array = arena.make_span<T>(n);";
    case making::by::bytes:
        return "void *bytes = arena.allocate(n, 16);";
    case making::by::aligned:
        return fmt::format("void *bytes = arena.allocate(n, {});", m.alignment);
    case making::by::shared:
        return "auto object = std::allocate_shared<T>(toft::allocator<T>(arena));";
    case making::by::unique:
        return "auto object = toft::make_unique<T>(arena);";
    case making::by::unique_array:
        return "auto array = toft::make_unique<T[]>(arena, n);";
    case making::by::container:
        if (m.container == "string") return "toft::string string(arena);";
        return fmt::format("toft::{}<{}> {}(arena);", m.container, arguments_of(m), m.container);
    default:
        return "auto *object = arena.make<T>();";
    }
}

std::string type_by_current(const making &m) {
    if (m.how == making::by::shared) return "toft::current_allocator<T>";
    return fmt::format("toft::{}{}<{}, toft::current>", m.container == "string" ? "basic_" : "",
                       m.container, arguments_of(m));
}

} // namespace toft::lab

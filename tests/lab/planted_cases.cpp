// SPDX-License-Identifier: MIT
#include "planted_cases.hpp"

#include <algorithm>
#include <deque>

using namespace toft::lab;

namespace {

using program = planted_program;
using object = program::object;
using objects = std::vector<object>;

// --- lives that nest ---

void request_loop(program &p) {
    for (int request = 0; request != 50; ++request)
        p.call("serve", 10, [&] {
            objects parts;
            for (unsigned i = 0; i != 100; ++i) parts.push_back(p.make(5, 32 + i % 7 * 16));
            free_all(p, 9, parts);
        });
}

void one_of_300_escapes(program &p) {
    objects kept;
    for (int i = 0; i != 20; ++i)
        p.call("parse", 3, [&] {
            objects nodes;
            for (int n = 0; n != 299; ++n)
                p.call("new_node", 4, [&] { nodes.push_back(p.make(1, 48)); });
            p.call("new_root", 5, [&] { kept.push_back(p.make(1, 64)); });
            free_all(p, 8, nodes);
        });
    free_all(p, 9, kept);
}

void one_of_one_line_escapes(program &p) {
    object kept = 0;
    for (int i = 0; i != 20; ++i)
        p.call("parse", 3, [&] {
            objects nodes;
            for (int n = 0; n != 300; ++n)
                p.call("new_node", 4, [&] { nodes.push_back(p.make(1, 48)); });
            if (i == 7) {
                kept = nodes.back();
                nodes.pop_back();
            }
            free_all(p, 8, nodes);
        });
    p.free(9, kept);
}

void tree_freed_at_end(program &p) {
    objects nodes;
    p.call("parse", 2, [&] {
        for (int i = 0; i != 2000; ++i)
            p.call("new_node", 7, [&] { nodes.push_back(p.make(2, 40)); });
    });
    p.call("free_tree", 3, [&] { free_all(p, 4, nodes); });
}

void list_per_frame(program &p) {
    for (int frame = 0; frame != 60; ++frame)
        p.call("draw_frame", 6, [&] {
            objects list;
            p.call("collect", 2, [&] {
                for (int i = 0; i != 80; ++i) list.push_back(p.make(3, 24));
            });
            p.call("clear", 4, [&] { free_all(p, 1, list); });
        });
}

void compiler_passes(program &p) {
    for (const char *pass : {"fold", "inline_calls", "schedule"})
        p.call(pass, 2, [&] {
            objects facts;
            for (unsigned i = 0; i != 700; ++i) facts.push_back(p.make(4, 16 + i % 5 * 16));
            free_all(p, 6, facts);
        });
}

void nested_scopes(program &p) {
    p.call("load", 2, [&] {
        objects outer;
        for (int i = 0; i != 30; ++i)
            p.call("read_part", 3, [&] {
                for (int n = 0; n != 30; ++n) outer.push_back(p.make(2, 64));
                objects inner;
                for (int n = 0; n != 60; ++n)
                    p.call("tokenise", 4, [&] { inner.push_back(p.make(2, 32)); });
                free_all(p, 7, inner);
            });
        free_all(p, 5, outer);
    });
}

void two_sites_of_one_type(program &p) {
    objects long_lived;
    for (int i = 0; i != 40; ++i) {
        p.call("intern", 3, [&] {
            for (int n = 0; n != 40; ++n)
                p.call("new_string", 2, [&] { long_lived.push_back(p.make(1, 32)); });
        });
        p.call("format", 4, [&] {
            objects temporary;
            for (int n = 0; n != 40; ++n)
                p.call("new_string", 2, [&] { temporary.push_back(p.make(1, 32)); });
            free_all(p, 6, temporary);
        });
    }
    p.call("finish", 5, [&] { free_all(p, 1, long_lived); });
}

void recursion(program &p) {
    objects nodes;
    const auto expression = [&](auto &&self, unsigned depth) -> void {
        nodes.push_back(p.make(3, 40));
        if (depth == 0) return;
        for (int i = 0; i != 2; ++i) p.call("expression", 4, [&] { self(self, depth - 1); });
    };
    for (int i = 0; i != 10; ++i)
        p.call("evaluate", 2, [&] {
            p.call("expression", 3, [&] { expression(expression, 7); });
            free_all(p, 5, nodes);
        });
}

void recursion_with_its_own_scratch(program &p) {
    const auto walk = [&](auto &&self, unsigned depth) -> void {
        objects scratch;
        for (int i = 0; i != 60; ++i) scratch.push_back(p.make(2, 48));
        if (depth != 0) p.call("walk", 4, [&] { self(self, depth - 1); });
        free_all(p, 6, scratch);
    };
    for (int i = 0; i != 10; ++i) p.call("walk", 3, [&] { walk(walk, 5); });
}

void until_exit(program &p) {
    p.call("read_settings", 2, [&] {
        for (int i = 0; i != 600; ++i) p.make(3, 40);
    });
    p.work(2'000'000);
    p.free(9, p.make(8, 10));
}

// --- threads ---

void two_threads(program &p) {
    for (int round = 0; round != 30; ++round) {
        std::vector<objects> parts(2);
        for (std::uint32_t t = 0; t != 2; ++t) {
            p.on_thread(t);
            p.enter("job", 4);
        }
        for (int i = 0; i != 50; ++i)
            for (std::uint32_t t = 0; t != 2; ++t) {
                p.on_thread(t);
                parts[t].push_back(p.make(3, 48));
            }
        for (std::uint32_t t = 0; t != 2; ++t) {
            p.on_thread(t);
            free_all(p, 5, parts[t]);
            p.leave();
        }
    }
}

// Once, two are stopped before their last free: both arenas are there, and hardly an object lives.
void threads_stopped_while_they_free(program &p) {
    for (int round = 0; round != 80; ++round) {
        const std::uint32_t threads = round == 40 ? 2 : 1;
        objects last;
        for (std::uint32_t t = 0; t != threads; ++t) {
            p.on_thread(t);
            p.enter("job", 4);
            objects parts;
            for (int i = 0; i != 100; ++i) parts.push_back(p.make(3, 64));
            last.push_back(parts.back());
            parts.pop_back();
            free_all(p, 5, parts);
        }
        for (std::uint32_t t = 0; t != threads; ++t) {
            p.on_thread(t);
            p.free(5, last[t]);
            p.leave();
        }
    }
}

void freed_by_another_thread(program &p) {
    for (int batch = 0; batch != 2; ++batch) {
        objects messages;
        p.on_thread(0);
        for (int i = 0; i != 750; ++i)
            p.call("send", 3, [&] { messages.push_back(p.make(2, 128)); });
        p.on_thread(1);
        for (const object message : messages) p.call("receive", 3, [&] { p.free(2, message); });
    }
}

void one_goes_to_another_thread(program &p) {
    for (int i = 0; i != 20; ++i) {
        p.on_thread(0);
        p.enter("serve", 3);
        objects parts;
        for (int n = 0; n != 100; ++n) parts.push_back(p.make(2, 48));
        object sent = 0;
        p.call("log_line", 4, [&] { sent = p.make(2, 200); });
        p.on_thread(1);
        p.call("write_log", 3, [&] { p.free(2, sent); });
        p.on_thread(0);
        free_all(p, 6, parts);
        p.leave();
    }
}

// --- what grows ---

void grown_by_realloc(program &p) {
    for (int i = 0; i != 60; ++i)
        p.call("read_line", 3, [&] {
            const object buffer = p.make(2, 16);
            for (std::uint64_t bytes = 32; bytes != 65'536; bytes *= 2) p.resize(4, buffer, bytes);
            p.free(6, buffer);
        });
}

void a_vector_that_grows(program &p) {
    for (int i = 0; i != 100; ++i)
        p.call("collect", 3, [&] {
            object elements = p.make(2, 8);
            for (std::uint64_t bytes = 16; bytes != 32'768; bytes *= 2)
                p.call("grow", 4, [&] {
                    const object larger = p.make(2, bytes);
                    p.free(3, elements);
                    elements = larger;
                });
            p.free(6, elements);
        });
}

// --- small and short ---

void one_small_buffer_a_call(program &p) {
    for (unsigned i = 0; i != 1000; ++i)
        p.call("to_text", 3, [&] { p.free(4, p.make(2, 24 + i % 3 * 8)); });
}

// --- what to leave ---

void cache(program &p) {
    std::deque<object> entries;
    for (unsigned i = 0; i != 3000; ++i)
        p.call("look_up", 3, [&] {
            entries.push_back(p.make(2, 64));
            const std::size_t oldest = i * 7919 % std::min<std::size_t>(entries.size(), 64);
            if (entries.size() <= 64) return;
            std::swap(entries[oldest], entries.front());
            p.free(5, entries.front());
            entries.pop_front();
        });
    p.call("end_cache", 4, [&] {
        for (const object o : entries) p.free(2, o);
    });
}

void queue(program &p) {
    std::deque<object> jobs;
    for (int i = 0; i != 3000; ++i) {
        p.call("push", 3, [&] { jobs.push_back(p.make(2, 96)); });
        if (jobs.size() < 40) continue;
        p.call("pop", 4, [&] { p.free(2, jobs.front()); });
        jobs.pop_front();
    }
    for (const object o : jobs) p.free(9, o);
}

void long_work_between(program &p) {
    for (int i = 0; i != 30; ++i) {
        p.work(1'000'000);
        p.call("step", 3, [&] { p.free(4, p.make(2, 100)); });
    }
}

void already_in_an_arena(program &p) {
    for (int i = 0; i != 20; ++i)
        p.call("serve", 3, [&] {
            p.work(200'000); // a thousand objects, of which the heap knows nothing
            const object chunk = p.make(2, 65'536);
            p.work(200'000);
            p.free(5, chunk);
        });
}

void overlapping_sessions(program &p) {
    std::deque<objects> sessions;
    for (int i = 0; i != 200; ++i) {
        p.call("open", 3, [&] {
            sessions.emplace_back();
            for (int n = 0; n != 10; ++n) sessions.back().push_back(p.make(2, 80));
        });
        if (sessions.size() < 5) continue;
        p.call("close", 4, [&] { free_all(p, 2, sessions.front()); });
        sessions.pop_front();
    }
    for (objects &s : sessions) free_all(p, 8, s);
}

// --- a scope with something in it that would bloat it ---

void one_site_bloats(program &p) {
    for (int i = 0; i != 5; ++i)
        p.call("load", 3, [&] {
            objects nodes;
            for (int n = 0; n != 300; ++n) {
                nodes.push_back(p.make(2, 48));
                for (int k = 0; k != 3; ++k)
                    p.call("convert", 4, [&] { p.call("scratch", 1, [&] {}); });
                if (n % 2) continue;
                object text = 0;
                p.call("read_text", 5, [&] { text = p.make(2, 2000); });
                p.call("drop_text", 6, [&] { p.free(2, text); });
            }
            free_all(p, 9, nodes);
        });
}

void leak(program &p) {
    for (int i = 0; i != 1500; ++i)
        p.call("handle", 3, [&] {
            p.make(2, 56);
            p.call("noise", 4, [&] { p.work(100); });
        });
}

const planted_case cases[] = {
    {"a loop of requests", request_loop, {{"serve", remedy::arena, "serve", 5000}}},
    {"299 objects die together and one escapes",
     one_of_300_escapes,
     {{"new_node", remedy::arena, "parse", 5980, 20}}},
    {"one of 6000 objects of a line escapes",
     one_of_one_line_escapes,
     {{"new_node", remedy::leave, "parse", 6000, 1}}},
    {"a tree that is freed at the end",
     tree_freed_at_end,
     {{"new_node", remedy::arena, "main", 2000}}},
    {"a list in each frame", list_per_frame, {{"collect", remedy::arena, "draw_frame", 4800}}},
    {"passes of a compiler",
     compiler_passes,
     {{"fold", remedy::arena, "fold", 700},
      {"inline_calls", remedy::arena, "inline_calls", 700},
      {"schedule", remedy::arena, "schedule", 700}}},
    {"a scope within a scope",
     nested_scopes,
     {{"read_part", remedy::arena, "load", 900},
      {"tokenise", remedy::arena, "read_part", 1800, 900}}},
    {"two sites of one type",
     two_sites_of_one_type,
     {{"new_string", remedy::arena, "format", 1600}, {"new_string", remedy::arena, "main", 1600}}},
    {"a recursion whose tree dies together",
     recursion,
     {{"expression", remedy::arena, "evaluate", 2550}}},
    {"a recursion with scratch of its own",
     recursion_with_its_own_scratch,
     {{"walk", remedy::arena, "walk", 3600}}},
    {"what lives until the exit", until_exit, {{"read_settings", remedy::arena, "", 600}}},
    {"two threads", two_threads, {{"job", remedy::arena, "job", 3000}}},
    {"threads stopped while they free",
     threads_stopped_while_they_free,
     {{"job", remedy::arena, "job", 8100}}},
    {"freed by another thread", freed_by_another_thread, {{"send", remedy::pool, "", 1500}}},
    {"one object goes to another thread",
     one_goes_to_another_thread,
     {{"serve", remedy::arena, "serve", 2000, 20}}},
    {"grown by realloc", grown_by_realloc, {{"read_line", remedy::reserve, "", 60}}},
    {"a vector that grows",
     a_vector_that_grows,
     {{"grow", remedy::reserve, "", 1100}, {"collect", remedy::reserve, "", 100}}},
    {"a small buffer in each call",
     one_small_buffer_a_call,
     {{"to_text", remedy::inline_buffer, "to_text", 1000}}},
    {"a cache", cache, {{"look_up", remedy::leave, ""}}},
    {"a queue", queue, {{"push", remedy::leave, ""}}},
    {"long work between objects", long_work_between, {}},
    {"everything is already in an arena", already_in_an_arena, {}},
    {"sessions that overlap", overlapping_sessions, {{"open", remedy::leave, ""}}},
    {"one site would bloat the others", one_site_bloats, {{"load", remedy::arena, "load", 1500}}},
    {"a leak", leak, {{"handle", remedy::arena, "", 1500}}},
};

} // namespace

std::span<const planted_case> planted_cases() { return cases; }

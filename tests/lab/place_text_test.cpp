// SPDX-License-Identifier: MIT
#include "advice/gain_text.hpp"
#include "advice/place_text.hpp"
#include "advice/places.hpp"
#include "advice/rust_names.hpp"

#include "planted_program.hpp"

#include <doctest/doctest.h>

using namespace toft::lab;

TEST_CASE("a function's name is told as short as it stays clear") {
    CHECK(short_name("serve") == "serve");
    CHECK(short_name("toft::lab::(anonymous namespace)::print") ==
          "toft::lab::(anonymous namespace)::print");
    CHECK(short_name("parse<int>") == "parse<int>");
    CHECK(short_name("int* parse<int>") == "parse<int>");
    CHECK(short_name("std::map<std::string, std::vector<std::string> >::emplace<int>") ==
          "std::map<...>::emplace<...>");
    CHECK(short_name("row& std::vector<row, std::allocator<row> >::emplace_back<row>") ==
          "std::vector<...>::emplace_back<...>");
    CHECK(short_name("std::unique_ptr<row, std::default_delete<row> > (anonymous "
                     "namespace)::make_all<row, long>") ==
          "(anonymous namespace)::make_all<row, long>");
    CHECK(short_name("std::vector<std::string, std::allocator<std::string> >::operator[]") ==
          "std::vector<...>::operator[]");
    CHECK(short_name("bool std::operator< <char, std::char_traits<char> >") ==
          "std::operator< <char, std::char_traits<char> >");
    CHECK(short_name("operator new") == "operator new");
    CHECK(
        short_name("decltype (::new ((void*)(0)) row((declval<row>)())) std::construct_at<row>") ==
        "std::construct_at<row>");
    CHECK(short_name("a::cooperator<b>") == "a::cooperator<b>");
}

TEST_CASE("a long name of Rust's keeps the type and the trait, without their modules") {
    CHECK(short_name("<alloc::string::String>::from") == "<alloc::string::String>::from");
    CHECK(
        short_name("<alloc::vec::Vec<u8, alloc::alloc::Global> as core::ops::drop::Drop>::drop") ==
        "<Vec<...> as Drop>::drop");
    CHECK(short_name("<core::iter::Map<I, fn(u32) -> u64> as core::iter::Iterator>::next::<u8>") ==
          "<Map<...> as Iterator>::next::<...>");
    CHECK(
        short_name("<std::sync::once_lock::OnceLock<std::fs::File>>::initialize::<<a::B>::f, E>") ==
        "<OnceLock<...>>::initialize::<...>");
    CHECK(short_name("core::ptr::drop_in_place::<alloc::vec::Vec<alloc::string::String>>") ==
          "core::ptr::drop_in_place::<...>");
}

TEST_CASE("Rust's own libraries only pass on what the heap gave them") {
    const auto passes_on = [](const char *function) { return is_wrapper({function, "", 0, true}); };
    for (const char *name :
         {"alloc::alloc::alloc", "<alloc::raw_vec::RawVecInner>::with_capacity_in",
          "<T as alloc::slice::<impl [T]>::to_vec_in::ConvertVec>::to_vec", "__rustc::__rust_alloc",
          "<str as alloc::string::ToString>::to_string", "__rust_alloc", "<[u8]>::to_vec",
          "<u8 as <[_]>::to_vec_in::ConvertVec>::to_vec::<alloc::alloc::Global>", "<str>::to_owned",
          "<[prog::Tree] as alloc::borrow::ToOwned>::to_owned",
          "<alloc::vec::Vec<<prog::Tree as prog::Grown>::Leaf> as core::clone::Clone>::clone",
          "<alloc::vec::Vec<fn(u8) -> u8> as core::clone::Clone>::clone",
          "<hashbrown::raw::RawTable<u32>>::reserve_rehash::<f>",
          "_RNvMNtCslNYArtu3iFV_5alloc5allocNtB2_6Global10alloc_impl"})
        CHECK_MESSAGE(passes_on(name), name);
    for (const char *name :
         {"prog::node", "<prog::Tree as core::clone::Clone>::clone", "allocator_of::prog",
          "<prog::Tree>::grow", "<[u8] as prog::Packed>::pack",
          "<[prog::Tree] as prog::Packed>::pack", "<str as prog::Text>::fold",
          "<alloc::vec::Vec<prog::Tree> as prog::Packed>::pack",
          "<alloc::vec::Vec<<u8 as core::ops::Add>::Output> as prog::Packed>::pack",
          "<alloc::vec::Vec<fn(u8) -> u8> as prog::Packed>::pack",
          "_RNvXCs4fq_4progINtNtCslNYArtu3iFV_5alloc3vec3VechENtB2_6Packed4pack",
          "_RNvC4prog4node"})
        CHECK_FALSE_MESSAGE(passes_on(name), name);
    CHECK_FALSE(is_wrapper({"alloc::pages", "", 0})); // C++
}

TEST_CASE("functions of Rust and C++ may have one name, and each is what it is in its language") {
    planted_program p;
    for (const std::string language : {"c++", "rust"})
        p.call("main of " + language, 1, [&] { p.call(language, 2, [&] { p.make(3, 40); }); });
    const auto symbols = [known = p.symbols().places](const recorded_module &m, std::uint64_t at) {
        source_place found = known(m, at).front();
        found.is_rust = found.function == "rust";
        if (found.is_rust || found.function == "c++") found.function = "alloc::pages";
        return std::vector{found};
    };
    stack_tree tree;
    const std::vector<std::uint32_t> nodes = tree.merge(p.recorded());
    places all(tree, symbols);
    CHECK(all.maker(nodes[p.events().front().stack]).by.function == "alloc::pages");
    CHECK(all.maker(nodes[p.events().back().stack]).by.function == "main of rust");
}

TEST_CASE("a Rust function has the name that its programmers know, as far as it can be read") {
    const bool reads = TOFT_READS_RUST_NAMES;
    const auto name = [](const char *linkage) { return rust_name(linkage); };
    CHECK(name("_ZN1a4Tree4grow17h8b7c4ec735ef0440E") == "a::Tree::grow");
    CHECK(name("_ZN1a4Tree4grow17h8b7c4ec735ef0440E.llvm.1234") == "a::Tree::grow");
    const char *of_newer_kind = "_RNvMNtCslNYArtu3iFV_5alloc5allocNtB2_6Global10alloc_impl";
    CHECK(name(of_newer_kind) == (reads ? "<alloc::alloc::Global>::alloc_impl" : of_newer_kind));
    CHECK(name("_ZN1a4Tree4growEv").empty());
    CHECK(name("_ZN1a4Tree7h0123abE").empty());
    CHECK(name("_Z4growi").empty());
    CHECK(name("grow").empty());
    CHECK(name("_R").empty());
}

TEST_CASE("a function that only passes on what the heap gave it is known in its variants too") {
    for (const char *name : {"malloc",
                             "xmlMalloc",
                             "js_malloc_rt",
                             "js_mallocz_rt",
                             "js_realloc2",
                             "luaM_realloc_",
                             "sqlite3_malloc64",
                             "xcalloc.constprop.0",
                             "ruby_xmalloc2",
                             "g_malloc_n",
                             "js_strdup_rt",
                             "jv_mem_alloc",
                             "zmalloc_usable",
                             "js_free",
                             "js_free_rt",
                             "std::string::append",
                             "gumbo_parser_allocate",
                             "Pool::allocate",
                             "allocate",
                             "wrenReallocate",
                             "re2c::Span* re2c::allocate<re2c::Span>",
                             "defaultAlloc",
                             "safe_alloc.part.0",
                             "malloc_wrapper",
                             "free_wrapper",
                             "gumbo_parser_deallocate"})
        CHECK_MESSAGE(is_wrapper({name, "", 0}), name);
    for (const char *name :
         {"new_node", "make_str.isra.0", "free_str", "malloc_settings", "cmark_strbuf_put",
          "allocate_row", "preallocate", "node_alloc", "make<allocate>", "f_1", "", "_", "64"})
        CHECK_FALSE_MESSAGE(is_wrapper({name, "", 0}), name);
}

TEST_CASE("a garbage collector is known by its name") {
    for (const char *name : {"wrenCollectGarbage", "JS_RunGC", "gc_sweep", "mrb_full_gc",
                             "janet_collect", "janet_sweep", "sweeplist", "luaC_fullgc",
                             "gc_collect_main", "mrb_incremental_gc.part.0", "vm::Heap::collect"})
        CHECK_MESSAGE(is_collector({name, "", 0}), name);
    for (const char *name : {"gcc_main", "collect_arguments", "CGContextCreate", "SweepEvent",
                             "recollect", "imgcopy", "std::gc::collect", ""})
        CHECK_FALSE_MESSAGE(is_collector({name, "", 0}), name);
}

TEST_CASE("a size is told as the page of advice tells it") { // tests/report/advice_corners.mjs
    CHECK(sized(1) == "1 byte");
    CHECK(sized(4096) == "4,096 bytes");
    CHECK(sizes(64, 4096) == "64 to 4,096 bytes");
    CHECK(sized(10'752) == "10 KiB"); // 10.5: the even digit
    CHECK(sized(11'776) == "12 KiB"); // 11.5
    CHECK(sized(312'300) == "305 KiB");
    CHECK(sized(1'310'720) == "1.2 MiB"); // 1.25
    CHECK(sized(1'835'008) == "1.8 MiB"); // 1.75
    CHECK(sized(4'445'000) == "4.2 MiB");
    CHECK(sized(156'027'000) == "148.8 MiB");
}

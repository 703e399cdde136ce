// SPDX-License-Identifier: MIT
#include "command.hpp"

#include <cstdlib>
#include <doctest/doctest.h>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

namespace {

class scratch_folder {
  public:
    scratch_folder() {
        std::string pattern = (std::filesystem::temp_directory_path() / "toft-lab-XXXXXX").string();
        REQUIRE(mkdtemp(pattern.data()));
        path_ = pattern;
    }
    ~scratch_folder() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    scratch_folder(const scratch_folder &) = delete;
    scratch_folder &operator=(const scratch_folder &) = delete;

    std::filesystem::path path_;
};

bool contains(const std::string &text, const std::string &part) {
    return text.find(part) != std::string::npos;
}

} // namespace

std::string scratch(const std::string &name) {
    static const scratch_folder folder;
    return (folder.path_ / name).string();
}

std::string contents_of(const std::string &path) {
    std::ostringstream contents;
    contents << std::ifstream(path).rdbuf();
    return contents.str();
}

run_result run_toft(const std::string &arguments) {
    return run_command("'" TOFT_COMMAND "'", arguments);
}

run_result run_command(const std::string &path, const std::string &arguments) {
    const std::string out = scratch("out");
    const std::string err = scratch("err");
    const std::string command = path + " " + arguments + " >" + out + " 2>" + err;
    const int status = std::system(command.c_str());
    return {WEXITSTATUS(status), contents_of(out), contents_of(err)};
}

TEST_CASE("--version says the version and --help explains") {
    CHECK(run_toft("--version").out == "toft " TOFT_LAB_VERSION "\n");
    CHECK(run_toft("--version").status == 0);
    CHECK(run_toft("bench --help").status == 0);
    CHECK(contains(run_toft("bench --help").out, "--repetitions"));
}

TEST_CASE("whatever is unknown is an error that says what there is") {
    const auto check = [](const std::string &arguments, const std::string &what_there_is) {
        CAPTURE(arguments);
        const run_result r = run_toft(arguments);
        CHECK(r.status == 2);
        CHECK(r.out.empty());
        CAPTURE(r.err);
        CHECK(contains(r.err, what_there_is));
    };
    check("", "bench");
    check("measure", "bench");
    check("bench tre", "tree, arena");
    check("bench --fast", "--quick");
    check("bench --allocators glibc,dlmalloc", "mimalloc");
    check("bench --allocators ''", "needs at least one name");
    check("bench --repetitions 0", "--repetitions");
    check("bench --repetitions many", "--repetitions");
    check("bench tree --size 99", "from 1 to 18");
    check("bench --size 5", "name one suite");
    check("bench --filter nowhere", "--list");
}

TEST_CASE("--list shows suites and allocators, and hides the planted ones") {
    const run_result r = run_toft("bench --list");
    CHECK(r.status == 0);
    for (const char *part : {"tree", "arena", "binary-trees", "unique_ptr", "toft::arena", "glibc"})
        CHECK(contains(r.out, part));
    CHECK_FALSE(contains(r.out, "planted"));
    CHECK_FALSE(contains(r.out, "crashing"));
}

TEST_CASE("subjects that go wrong are named, the others are kept, and the status says so") {
    const std::string json = scratch("planted.json");
    const run_result r =
        run_toft("bench planted --repetitions 2 --timeout 1 --allocators glibc --json " + json);
    CHECK(r.status == 1);
    for (const char *part : {"elided: made 0 of the", "crashed with signal 6",
                             "hung: stopped after 1 s", "2 + 2 isn't 5", "thrown on purpose",
                             "ended without an answer", "absent: planted to be missing"})
        CHECK_MESSAGE(contains(r.out, part), part);
    const auto rows = nlohmann::json::parse(contents_of(json))["suites"][0]["rows"];
    for (const auto &row : rows) {
        const std::string subject = row["subject"];
        CAPTURE(subject);
        const std::string verdict = row["verdict"];
        if (subject == "sound") {
            CHECK(row["samples"].size() == 2);
            CHECK((verdict == "sound" || verdict == "noisy"));
        } else if (subject == "elided" || subject == "too fast") {
            CHECK(verdict == "elided");
        } else {
            CHECK(verdict == "failed");
        }
    }
}

TEST_CASE("without a terminal there is no escape sequence, and progress is plain lines") {
    const run_result r = run_toft("bench tree --size 3 --repetitions 1 --allocators glibc");
    CHECK(r.status == 0);
    CHECK_FALSE(contains(r.out, "\x1b"));
    CHECK_FALSE(contains(r.err, "\x1b"));
    CHECK_FALSE(contains(r.err, "\r"));
    CHECK(contains(r.err, "[1/"));
}

TEST_CASE("a result file that can't be written is told before anything is measured") {
    const run_result r = run_toft("bench tree --size 3 --json " + scratch("no/such/folder.json"));
    CHECK(r.status == 1);
    CHECK(r.out.empty());
    CHECK(contains(r.err, "can't write"));
}

TEST_CASE("a full disk keeps the tables, and the status says so") {
    const run_result r =
        run_toft("bench tree --size 3 --repetitions 1 --allocators glibc --json /dev/full");
    CHECK(r.status == 1);
    CHECK(contains(r.out, "toft::arena"));
    CHECK(contains(r.err, "can't write /dev/full"));
}

TEST_CASE("an interrupt keeps what was measured") {
    const std::string json = scratch("interrupted.json");
    const std::string out = scratch("interrupted.out");
    const std::string command = "'" TOFT_COMMAND
                                "' bench planted --filter sound --allocators glibc "
                                "--repetitions 1000 --json " +
                                json + " >" + out + " 2>&1 & sleep 2; kill -INT $!; wait $!";
    const int status = std::system(command.c_str());
    CHECK(WEXITSTATUS(status) == 130);
    CHECK(contains(contents_of(out), "Interrupted"));
    const auto result = nlohmann::json::parse(contents_of(json));
    CHECK(result["interrupted"] == true);
    const std::size_t samples = result["suites"][0]["rows"][0]["samples"].size();
    CHECK(samples > 0);
    CHECK(samples < 1000);
}

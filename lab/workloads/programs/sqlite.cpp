// SPDX-License-Identifier: MIT
// SQLite: a database in memory, with statements as in its own speedtest1. Its hook has malloc's
// shape and a call for an object's size, has no context, and frees without sizes. Nothing is
// dropped: SQLite itself keeps memory as long as it is initialised.
#include "documents.hpp"
#include "memories.hpp"

#include <climits>
#include <sqlite3.h>
#include <stdexcept>
#include <toft/adapt/sqlite.h>

namespace toft::lab {
namespace {

template <class Memory>
sqlite3_mem_methods hook_of() {
    using shape = sizeless<Memory>;
    if constexpr (Memory::kind == memory_kind::pool) return TOFT_SQLITE_METHODS;
    return {[](int size) { return shape::allocate(static_cast<std::size_t>(size)); },
            [](void *object) { shape::free(object); },
            [](void *object, int size) {
                return shape::resize(object, static_cast<std::size_t>(size));
            },
            [](void *object) { return object ? static_cast<int>(shape::size_of(object)) : 0; },
            toft_sqlite_roundup,
            toft_sqlite_init,
            toft_sqlite_shutdown,
            nullptr};
}

class database {
  public:
    database() {
        if (sqlite3_open(":memory:", &handle_) != SQLITE_OK)
            throw std::runtime_error("SQLite can't open a database");
    }
    ~database() { sqlite3_close(handle_); }
    database(const database &) = delete;
    database &operator=(const database &) = delete;

    void execute(const char *statement) {
        if (sqlite3_exec(handle_, statement, nullptr, nullptr, nullptr) != SQLITE_OK) fail();
    }
    sqlite3_stmt *prepare(const char *text) {
        sqlite3_stmt *statement = nullptr;
        if (sqlite3_prepare_v2(handle_, text, -1, &statement, nullptr) != SQLITE_OK) fail();
        return statement;
    }
    // The sum of all whole numbers in the answer.
    std::uint64_t ask(const char *text, std::int64_t first = 0, std::int64_t second = 0) {
        sqlite3_stmt *statement = prepare(text);
        const int parameters = sqlite3_bind_parameter_count(statement);
        if (parameters > 0) sqlite3_bind_int64(statement, 1, first);
        if (parameters > 1) sqlite3_bind_int64(statement, 2, second);
        std::uint64_t sum = 0;
        while (sqlite3_step(statement) == SQLITE_ROW)
            for (int i = 0; i != sqlite3_column_count(statement); ++i)
                sum += static_cast<std::uint64_t>(sqlite3_column_int64(statement, i));
        sqlite3_finalize(statement);
        return sum;
    }

  private:
    [[noreturn]] void fail() { throw std::runtime_error(sqlite3_errmsg(handle_)); }

    sqlite3 *handle_ = nullptr;
};

// An item of the table, by its number.
struct item {
    std::int64_t id, price, category;
    std::string name;

    explicit item(std::int64_t number)
        : id(number),
          price(number * 7919 % 1000),
          category(number % 100),
          name("item " + std::to_string(number * 104'729 % 1'000'003)) {}
};

constexpr std::int64_t ranges = 60;

template <class Memory>
class sqlite_program final : public program {
  public:
    explicit sqlite_program(const program_choice &chosen)
        : items_(static_cast<std::int64_t>(percent_of(6000, chosen.percent))) {
        const sqlite3_mem_methods hook = hook_of<Memory>();
        if (Memory::kind != memory_kind::heap &&
            sqlite3_config(SQLITE_CONFIG_MALLOC, &hook) != SQLITE_OK)
            throw std::runtime_error("SQLite doesn't take the hook");
        for (std::int64_t i = 0; i != items_; ++i) add_expected(item(i));
    }

    std::uint64_t round(const std::function<void()> &note_peak) override {
        const std::uint64_t sum = use_database(note_peak);
        sqlite3_shutdown();
        Memory::end();
        return sum;
    }
    std::uint64_t expected_sum() const override { return expected_; }
    std::uint64_t operations() const override {
        return static_cast<std::uint64_t>(2 * items_ + ranges);
    }

  private:
    std::uint64_t use_database(const std::function<void()> &note_peak) const {
        database db;
        db.execute("CREATE TABLE items(id INTEGER PRIMARY KEY, price INT, category INT, name TEXT);"
                   "CREATE INDEX by_price ON items(price); BEGIN");
        insert_all(db);
        db.execute("COMMIT");
        std::uint64_t sum = db.ask("SELECT sum(price) FROM items");
        for (std::int64_t i = 0; i != items_; ++i)
            sum += db.ask("SELECT price + category FROM items WHERE id = ?", i);
        for (std::int64_t i = 0; i != ranges; ++i)
            sum += db.ask("SELECT category FROM items WHERE price BETWEEN ? AND ? ORDER BY name",
                          i * 10, i * 10 + 40);
        sum += db.ask("SELECT length(name) FROM items ORDER BY name DESC");
        sum += db.ask("SELECT sum(price) FROM items GROUP BY category");
        db.execute("UPDATE items SET price = price + 1 WHERE category < 10");
        db.execute("DELETE FROM items WHERE category >= 50");
        sum += db.ask("SELECT sum(price) FROM items");
        note_peak();
        return sum;
    }
    void insert_all(database &db) const {
        sqlite3_stmt *insert = db.prepare("INSERT INTO items VALUES(?, ?, ?, ?)");
        for (std::int64_t i = 0; i != items_; ++i) {
            const item made(i);
            sqlite3_bind_int64(insert, 1, made.id);
            sqlite3_bind_int64(insert, 2, made.price);
            sqlite3_bind_int64(insert, 3, made.category);
            sqlite3_bind_text(insert, 4, made.name.c_str(), -1, SQLITE_TRANSIENT);
            sqlite3_step(insert);
            sqlite3_reset(insert);
        }
        sqlite3_finalize(insert);
    }

    // What the statements above find of one item.
    void add_expected(const item &made) {
        const auto add = [&](std::int64_t n) { expected_ += static_cast<std::uint64_t>(n); };
        add(made.price);
        add(made.price + made.category);
        for (std::int64_t i = 0; i != ranges; ++i)
            if (made.price >= i * 10 && made.price <= i * 10 + 40) add(made.category);
        add(static_cast<std::int64_t>(made.name.size()));
        add(made.price);
        if (made.category < 50) add(made.price + (made.category < 10 ? 1 : 0));
    }

    std::int64_t items_;
    std::uint64_t expected_ = 0;
};

} // namespace
} // namespace toft::lab

TOFT_LAB_PROGRAM(sqlite3_libversion(), toft::lab::make_program<toft::lab::sqlite_program>)

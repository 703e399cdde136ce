/* SPDX-License-Identifier: MIT */
/* A database in memory whose memory is the shared pool's. */
#include <sqlite3.h>
#include <stdio.h>

#include <toft/adapt/sqlite.h>

#include "run.h"

static const char statements[] =
    "create table t (a integer primary key, b text);"
    "with recursive n(i) as (select 1 union all select i + 1 from n where i < 20000)"
    "  insert into t select i, 'w' || (i * 7919 % 1009) from n;"
    "create index t_b on t (b);"
    "delete from t where a % 3 = 0;"
    "select count(*) || ' ' || count(distinct b) || ' ' || max(length(b)) from t;";

static int print_row(void *unused, int columns, char **values, char **names) {
    (void)unused, (void)columns, (void)names;
    puts(values[0]);
    return 0;
}

/* What couldn't be opened is closed too. There may be no memory for the words of an error. */
static bool run(void) {
    sqlite3 *database = NULL;
    char *error = NULL;
    bool done = sqlite3_open(":memory:", &database) == SQLITE_OK &&
                sqlite3_exec(database, statements, print_row, NULL, &error) == SQLITE_OK;
    if (!done) puts(error != NULL ? error : sqlite3_errmsg(database));
    sqlite3_free(error);
    return sqlite3_close(database) == SQLITE_OK && done;
}

/* The limit is SQLite's own, since the shared pool has none. */
static void run_limited(void) {
    sqlite3_int64 limit_bytes = 1 << 15;
    do {
        sqlite3_hard_heap_limit64(limit_bytes);
        limit_bytes += limit_bytes / 4;
    } while (!run());
}

int main(int argc, char **argv) {
    static const sqlite3_mem_methods methods = TOFT_SQLITE_METHODS;
    static const char *const ways[] = {"pool", "limited", "malloc", NULL};
    const struct choice choice = choose(argc, argv, ways);
    if (!way_is(choice, "malloc") && sqlite3_config(SQLITE_CONFIG_MALLOC, &methods) != SQLITE_OK)
        return 1;
    if (way_is(choice, "limited")) run_limited();
    for (int i = choice.rounds; i > 0; i--)
        if (!run()) return 1;
    size_t most_bytes = toft_pool_get_stats(toft_pool_shared()).high_water_bytes;
    print_whether("on the pool", most_bytes > 100000);
    sqlite3_shutdown();
    print_live(toft_pool_shared());
}

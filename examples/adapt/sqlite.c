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

static bool run(void) {
    sqlite3 *database;
    char *error = NULL;
    if (sqlite3_open(":memory:", &database) != SQLITE_OK) return false;
    if (sqlite3_exec(database, statements, print_row, NULL, &error) != SQLITE_OK) puts(error);
    printf("on the pool: %s\n",
           toft_pool_get_stats(toft_pool_shared()).live_bytes > 100000 ? "yes" : "no");
    return sqlite3_close(database) == SQLITE_OK;
}

int main(int argc, char **argv) {
    static const sqlite3_mem_methods methods = TOFT_SQLITE_METHODS;
    bool pool = way_is(argc, argv, "pool", true);
    if (pool && sqlite3_config(SQLITE_CONFIG_MALLOC, &methods) != SQLITE_OK) return 1;
    for (int i = rounds_of(argc, argv); i > 0; i--)
        if (!run()) return 1;
    sqlite3_shutdown();
    printf("%zu bytes live\n", toft_pool_get_stats(toft_pool_shared()).live_bytes);
}

/* SPDX-License-Identifier: MIT */
/* Savepoints of a reap. One sets the free lists aside: what is allocated while it stands lies
 * behind its point, and goes by moving the arena's pointer back to it. What lies before the point
 * and is freed meanwhile goes to the lists set aside, and comes back with them. So no slot is lost,
 * and none is handed out while it has an owner. */
#include "reap/order.h"

toft_reap_savepoint *toft_reap_save(toft_reap *reap) {
    toft_reap_savepoint *savepoint = toft_reap_new(reap, toft_reap_savepoint);
    if (savepoint == NULL) return NULL;
    toft_arena_enter(&reap->arena); /* while it stands, frees ask on which side of it they are */
    size_t lists_bytes = sizeof savepoint->free;
    toft_reap_slot **lists = toft_reap_lists(reap);
    memcpy(savepoint->free, lists, lists_bytes);
    memset(lists, 0, lists_bytes);
    savepoint->large = NULL;
    toft_reap_move_large(&savepoint->large, &reap->large);
    savepoint->point = toft_arena_save(&reap->arena);
    toft_reap_set_closed(reap, true);
    savepoint->live = toft_reap_live(reap);
    savepoint->outer = reap->savepoint;
    reap->savepoint = savepoint;
    toft_reap_settle_end(reap);
    TOFT_ASSERT(toft_reap_is_sound(reap));
    return savepoint;
}

/* Looks for it instead of at it, since it may be no more. */
static void check_standing(const toft_reap *reap, const toft_reap_savepoint *savepoint) {
    const toft_reap_savepoint *standing = reap->savepoint;
    while (standing != savepoint && standing != NULL) standing = standing->outer;
    if (standing == NULL)
        toft_misuse(reap, "this savepoint or scope was ended already, or the reap was reset or "
                          "released since, or it is of another reap");
}

void toft_reap_rewind(toft_reap *reap, toft_reap_savepoint *savepoint) {
    toft_arena_enter(&reap->arena);
    check_standing(reap, savepoint);
    toft_arena_run_deferred(&reap->arena, savepoint->point.deferred);
    check_standing(reap, savepoint);
    TOFT_ASSERT(toft_reap_is_sound(reap));
    toft_reap_note_high_water(reap);
    for (toft_reap_savepoint *newer = reap->savepoint;; newer = newer->outer) {
        toft_reap_drop_large(reap);
        toft_reap_move_large(&reap->large, &newer->large);
        if (newer == savepoint) break;
    }
    toft_arena_rewind(&reap->arena, savepoint->point);
    memcpy(toft_reap_lists(reap), savepoint->free, sizeof savepoint->free);
    toft_reap_set_live(reap, savepoint->live);
    reap->savepoint = savepoint->outer;
    toft_reap_settle_end(reap);
    toft_reap_delete(reap, savepoint); /* its own memory is a slot like others */
    TOFT_ASSERT(toft_reap_is_sound(reap));
}

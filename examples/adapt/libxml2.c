/* SPDX-License-Identifier: MIT */
/* A document tree on the shared pool, or in an arena that is current while it is read. */
#include <libxml/catalog.h>
#include <libxml/parser.h>
#include <libxml/tree.h>
#include <stdio.h>

#include <toft/adapt/libxml2.h>

#include "run.h"

static int count_nodes(const xmlNode *node) {
    int count = 0;
    for (; node != NULL; node = node->next) count += 1 + count_nodes(node->children);
    return count;
}

static int read_and_free(const char *text, size_t length) {
    xmlDoc *document = xmlReadMemory(text, (int)length, "list.xml", NULL, 0);
    int nodes = count_nodes(xmlDocGetRootElement(document));
    xmlFreeDoc(document);
    return nodes;
}

/* Frees that are kept work in vain, as in a program that is changed no further. */
static int read_in(toft_arena *arena, bool frees_kept, const char *text, size_t length) {
    toft_current_use block = toft_current_push(toft_strategy_of_arena(arena));
    xmlDoc *document = xmlReadMemory(text, (int)length, "list.xml", NULL, 0);
    int nodes = count_nodes(xmlDocGetRootElement(document));
    if (frees_kept) xmlFreeDoc(document);
    const int quiet = XML_PARSE_NOERROR | XML_PARSE_NOWARNING;
    if (xmlReadFile("a missing file", NULL, quiet) != NULL) nodes = 0;
    xmlResetLastError(); /* the text of an error must not outlive the use */
    toft_current_pop(block);
    toft_arena_reset(arena); /* instead of xmlFreeDoc */
    return nodes;
}

int main(int argc, char **argv) {
    static const char *const ways[] = {"pool", "arena", "kept", "malloc", NULL};
    const struct choice choice = choose(argc, argv, ways);
    bool pool = way_is(choice, "pool"), kept = way_is(choice, "kept");
    bool in_arena = kept || way_is(choice, "arena");
    if (pool && xmlMemSetup(TOFT_LIBXML2_POOL) != 0) return 1;
    if (in_arena && xmlMemSetup(TOFT_LIBXML2_CURRENT) != 0) return 1;
    xmlInitParser();
    xmlCatalogSetDefaults(XML_CATA_ALLOW_NONE); /* a missing file would make one in the arena */

    static char text[200000] = "<list>";
    size_t length = strlen(text);
    for (int i = 0; i < 3000; i++)
        length += (size_t)snprintf(text + length, sizeof text - length,
                                   "<item n='%d'>text %d</item>", i, i);
    length += (size_t)snprintf(text + length, sizeof text - length, "</list>");

    toft_arena arena = TOFT_ARENA_INIT;
    int nodes = 0;
    for (int i = choice.rounds; i > 0; i--)
        nodes = in_arena ? read_in(&arena, kept, text, length) : read_and_free(text, length);
    printf("%d nodes\n", nodes);
    size_t in_arena_bytes = toft_arena_get_stats(&arena).high_water_bytes;
    size_t on_pool_bytes = toft_pool_get_stats(toft_pool_shared()).live_bytes;
    print_whether("on the pool", on_pool_bytes > 0 && in_arena_bytes == 0);
    print_whether("in an arena", in_arena_bytes > (size_t)nodes * 100);
    xmlCleanupParser();
    toft_arena_release(&arena);
    print_live(toft_pool_shared());
}

/* SPDX-License-Identifier: MIT */
/* A document tree whose memory is the shared pool's: libxml2 takes malloc's shape. */
#include <libxml/parser.h>
#include <libxml/tree.h>
#include <stdio.h>
#include <string.h>

#include <toft/malloc.h>

static int count_nodes(const xmlNode *node) {
    int count = 0;
    for (; node != NULL; node = node->next) count += 1 + count_nodes(node->children);
    return count;
}

int main(void) {
    if (xmlMemSetup(toft_free, toft_malloc, toft_realloc, toft_strdup) != 0) return 1;
    static char text[200000] = "<list>";
    for (int i = 0; i < 3000; i++) {
        size_t length = strlen(text);
        snprintf(text + length, sizeof text - length, "<item n='%d'>text %d</item>", i, i);
    }
    strcat(text, "</list>");
    xmlDoc *document = xmlReadMemory(text, (int)strlen(text), "list.xml", NULL, 0);
    printf("%d nodes\n", count_nodes(xmlDocGetRootElement(document)));
    printf("on the pool: %s\n", toft_pool_of(document) == toft_pool_shared() ? "yes" : "no");
    xmlFreeDoc(document);
    xmlCleanupParser();
    printf("%zu bytes live\n", toft_pool_get_stats(toft_pool_shared()).live_bytes);
}

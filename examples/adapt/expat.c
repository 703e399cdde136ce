/* SPDX-License-Identifier: MIT */
/* A parser whose memory is the shared pool's: expat takes malloc's shape. */
#include <expat.h>
#include <stdio.h>
#include <string.h>

#include <toft/malloc.h>

static void start(void *count, const XML_Char *name, const XML_Char **attributes) {
    (void)name, (void)attributes;
    ++*(int *)count;
}

int main(void) {
    const XML_Memory_Handling_Suite memory = {toft_malloc, toft_realloc, toft_free};
    XML_Parser parser = XML_ParserCreate_MM(NULL, &memory, NULL);
    int count = 0;
    XML_SetUserData(parser, &count);
    XML_SetStartElementHandler(parser, start);
    XML_Parse(parser, "<list>", 6, 0);
    for (int i = 0; i < 5000; i++) {
        char item[100];
        snprintf(item, sizeof item, "<item number='%d'>text</item>", i);
        if (XML_Parse(parser, item, (int)strlen(item), 0) != XML_STATUS_OK) return 1;
    }
    XML_Parse(parser, "</list>", 7, 1);
    printf("%d elements\n", count);
    printf("on the pool: %s\n", toft_pool_of(parser) == toft_pool_shared() ? "yes" : "no");
    XML_ParserFree(parser);
    printf("%zu bytes live\n", toft_pool_get_stats(toft_pool_shared()).live_bytes);
}

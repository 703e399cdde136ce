/* SPDX-License-Identifier: MIT */
/* A JSON tree whose memory is the shared pool's: cJSON takes malloc's shape. */
#include <cjson/cJSON.h>
#include <stdio.h>
#include <string.h>

#include <toft/malloc.h>

int main(void) {
    cJSON_Hooks hooks = {toft_malloc, toft_free};
    cJSON_InitHooks(&hooks);
    cJSON *list = cJSON_CreateArray();
    for (int i = 0; i < 2000; i++) {
        cJSON *item = cJSON_CreateObject();
        cJSON_AddNumberToObject(item, "number", i);
        cJSON_AddStringToObject(item, "text", "some text");
        cJSON_AddItemToArray(list, item);
    }
    printf("on the pool: %s\n", toft_pool_of(list) == toft_pool_shared() ? "yes" : "no");
    char *printed = cJSON_PrintUnformatted(list);
    cJSON *again = cJSON_Parse(printed);
    puts(cJSON_Compare(list, again, 1) ? "equal" : "different");
    cJSON_free(printed);
    cJSON_Delete(list);
    cJSON_Delete(again);
    printf("%zu bytes live\n", toft_pool_get_stats(toft_pool_shared()).live_bytes);
}

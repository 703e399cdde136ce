/* SPDX-License-Identifier: MIT */
/* Syntax trees of tree-sitter's on the shared pool, or in an arena that is current while they live.
 *
 * A grammar's tables are generated as a rule. These are written by hand, for a language of nested
 * lists of words, such as "(a (b c) d)". */
#include <stdio.h>

#include <tree_sitter/api.h>
#include <tree_sitter/parser.h>

#include <toft/adapt/tree_sitter.h>

#include "run.h"

/* list: '(' ')' | '(' items ')'    items: item | items item    item: word | list */
enum { end, word, opening, closing, list, items, symbol_count };
enum { state_count = 9 };

#define ACTION(index, action) [index] = {.entry = {.count = 1}}, action
#define REDUCTION(symbol, children) REDUCE(symbol, children, .production_id = 0)
static const TSParseActionEntry actions[] = {
    ACTION(1, RECOVER()),
    ACTION(3, SHIFT(2)),
    ACTION(5, SHIFT(4)),
    ACTION(7, SHIFT(5)),
    ACTION(9, SHIFT(8)),
    ACTION(11, SHIFT(7)),
    ACTION(13, REDUCTION(items, 1)),
    ACTION(15, REDUCTION(items, 2)),
    ACTION(17, REDUCTION(list, 2)),
    ACTION(19, REDUCTION(list, 3)),
    ACTION(21, ACCEPT_INPUT()),
};

/* For tokens the index of an action, and for the others the next state. */
#define ON_ANY(action)                                                                             \
    [end] = (action), [word] = (action), [opening] = (action), [closing] = (action)
static const uint16_t table[state_count][symbol_count] = {
    {ON_ANY(1)},                                                         /* an error */
    {[opening] = 3, [list] = 3},                                         /* the begin */
    {[word] = 5, [opening] = 3, [closing] = 7, [list] = 4, [items] = 6}, /* ( */
    {[end] = 21},                                                        /* the whole list */
    {ON_ANY(13)},                                                        /* ( item */
    {ON_ANY(17)},                                                        /* ( ) */
    {[word] = 9, [opening] = 3, [closing] = 11, [list] = 8},             /* ( items */
    {ON_ANY(19)},                                                        /* ( items ) */
    {ON_ANY(15)},                                                        /* ( items item */
};

static bool is_letter(int32_t character) { return character >= 'a' && character <= 'z'; }

static bool lex(TSLexer *lexer, TSStateId state) {
    (void)state;
    while (lexer->lookahead == ' ') lexer->advance(lexer, true);
    if (lexer->eof(lexer)) {
        lexer->result_symbol = end;
    } else if (is_letter(lexer->lookahead)) {
        lexer->result_symbol = word;
        while (is_letter(lexer->lookahead)) lexer->advance(lexer, false);
    } else if (lexer->lookahead == '(' || lexer->lookahead == ')') {
        lexer->result_symbol = lexer->lookahead == '(' ? opening : closing;
        lexer->advance(lexer, false);
    } else {
        return false;
    }
    lexer->mark_end(lexer);
    return true;
}

static const char *const names[symbol_count] = {"end", "word", "(", ")", "list", "items"};
static const TSSymbolMetadata metadata[symbol_count] = {
    [end] = {.named = true},
    [word] = {.visible = true, .named = true},
    [opening] = {.visible = true},
    [closing] = {.visible = true},
    [list] = {.visible = true, .named = true},
};
static const TSSymbol public_symbols[symbol_count] = {end, word, opening, closing, list, items};
static const TSLexMode modes[state_count];
static const TSStateId primary_states[state_count] = {0, 1, 2, 3, 4, 5, 6, 7, 8};

static const TSLanguage language = {
    .version = 14,
    .symbol_count = symbol_count,
    .token_count = list,
    .state_count = state_count,
    .large_state_count = state_count,
    .production_id_count = 1,
    .parse_table = &table[0][0],
    .parse_actions = actions,
    .symbol_names = names,
    .symbol_metadata = metadata,
    .public_symbol_map = public_symbols,
    .lex_modes = modes,
    .lex_fn = lex,
    .primary_state_ids = primary_states,
};

static uint32_t parse(const char *text, bool delete) {
    TSParser *parser = ts_parser_new();
    ts_parser_set_language(parser, &language);
    TSTree *tree = ts_parser_parse_string(parser, NULL, text, (uint32_t)strlen(text));
    TSNode root = ts_tree_root_node(tree);
    uint32_t lists = ts_node_has_error(root) ? 0 : ts_node_named_child_count(root);
    if (delete) {
        ts_tree_delete(tree);
        ts_parser_delete(parser);
    }
    return lists;
}

/* Until the pool's limit: tree-sitter can't go on without memory, and one line ends the program. */
static void parse_without_end(const char *text) {
    toft_pool *pool = toft_pool_create(&(toft_pool_options){.limit_bytes = 8 << 20});
    toft_current_use block = toft_current_push(toft_strategy_of_pool(pool));
    while (parse(text, false) != 0) {}
    toft_current_pop(block);
    toft_pool_destroy(pool);
}

static uint32_t parse_in(toft_arena *arena, const char *text) {
    toft_current_use block = toft_current_push(toft_strategy_of_arena(arena));
    uint32_t lists = parse(text, false);
    toft_current_pop(block);
    toft_arena_reset(arena);
    return lists;
}

int main(int argc, char **argv) {
    static const char *const ways[] = {"pool", "arena", "limited", "malloc", NULL};
    const struct choice choice = choose(argc, argv, ways);
    bool in_arena = way_is(choice, "arena"), limited = way_is(choice, "limited");
    if (way_is(choice, "pool")) ts_set_allocator(TOFT_TREE_SITTER_POOL);
    if (in_arena || limited) ts_set_allocator(TOFT_TREE_SITTER_CURRENT);

    static char text[30000] = "(";
    size_t length = 1;
    for (int i = 0; i < 500; i++)
        length +=
            (size_t)snprintf(text + length, sizeof text - length, "(some (words (in) a) list)");
    text[length] = ')';

    if (limited) parse_without_end(text);

    toft_arena arena = TOFT_ARENA_INIT;
    uint32_t lists = 0;
    for (int i = choice.rounds; i > 0; i--)
        lists = in_arena ? parse_in(&arena, text) : parse(text, true);
    printf("%u lists\n", (unsigned)lists);
    print_whether("on the pool", toft_pool_get_stats(toft_pool_shared()).high_water_bytes > 0);
    print_whether("in an arena", toft_arena_get_stats(&arena).high_water_bytes > 0);
    toft_arena_release(&arena);
    print_live(toft_pool_shared());
}

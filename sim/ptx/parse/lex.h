/* PTX text -> tokens, with line and column (both from 1). Comments are skipped. */
#ifndef PTX_LEX_H
#define PTX_LEX_H
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

enum token_kind { TOK_END, TOK_NAME, TOK_DOT, TOK_INT, TOK_F32, TOK_F64, TOK_STRING, TOK_PUNCT, TOK_BAD };

struct token {
    enum token_kind kind;
    const char *at; /* spelling; TOK_DOT starts behind the dot */
    size_t size;
    uint32_t line, column;
    uint64_t value; /* TOK_INT: two's complement; TOK_F32, TOK_F64: the bits */
    char punct;
    const char *why; /* TOK_BAD */
    bool joined;     /* no white space in front */
};

struct lexer {
    const char *at, *end, *line_start;
    uint32_t line;
};
void lex_init(struct lexer *lexer, const char *text, size_t size);
struct token lex_next(struct lexer *lexer);
#endif

/* term: what standard output is: a terminal with a width and colours, or a file.
 */
#ifndef CLI_TERM_H
#define CLI_TERM_H

#include <stdbool.h>

/* No limit. */
#define TERM_WIDE 0

struct term {
    bool is_terminal;
    bool is_coloured; /* a terminal, TERM is not dumb and NO_COLOR is not set */
    int width;        /* columns; TERM_WIDE for a file, unless COLUMNS says a number */
    int height;       /* lines; 24 where unknown */
};

/* Looks at standard output and the environment. */
struct term term_look(void);

enum style { STYLE_PLAIN, STYLE_GOOD, STYLE_BAD, STYLE_WARN, STYLE_DIM, STYLE_BOLD };

/* The escape that begins a style, and the one that ends it; "" where there are no colours, or for PLAIN. */
const char *term_style(bool is_coloured, enum style style);
const char *term_plain(bool is_coloured, enum style style);

#endif

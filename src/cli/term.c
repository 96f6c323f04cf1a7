#include "cli/term.h"

#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include "base/str.h"

#define WIDTH_MIN 20
#define WIDTH_MAX 10000
#define WIDTH_DEFAULT 80
#define HEIGHT_DEFAULT 24

static bool is_set(const char *name)
{
    const char *value = getenv(name);

    return value != NULL && value[0] != '\0';
}

struct term term_look(void)
{
    struct term term = {.is_terminal = isatty(STDOUT_FILENO) == 1, .height = HEIGHT_DEFAULT};
    const char *kind = getenv("TERM");
    struct winsize size = {0};
    int64_t columns = 0;

    term.is_coloured =
        term.is_terminal && !is_set("NO_COLOR") && kind != NULL && kind[0] != '\0' && strcmp(kind, "dumb") != 0;
    term.width = term.is_terminal ? WIDTH_DEFAULT : TERM_WIDE;
    if (term.is_terminal && ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col >= WIDTH_MIN) {
        term.width = size.ws_col;
        term.height = size.ws_row > 0 ? size.ws_row : HEIGHT_DEFAULT;
    } else if (str_to_int(str_from(getenv("COLUMNS")), WIDTH_MIN, WIDTH_MAX, &columns, NULL) == ERR_OK) {
        term.width = (int)columns;
    }
    return term;
}

const char *term_style(bool is_coloured, enum style style)
{
    static const char *const escapes[] = {
        [STYLE_PLAIN] = "",        [STYLE_GOOD] = "\033[32m", [STYLE_BAD] = "\033[31m",
        [STYLE_WARN] = "\033[33m", [STYLE_DIM] = "\033[2m",   [STYLE_BOLD] = "\033[1m",
    };

    return is_coloured ? escapes[style] : "";
}

const char *term_plain(bool is_coloured, enum style style)
{
    return is_coloured && style != STYLE_PLAIN ? "\033[0m" : "";
}

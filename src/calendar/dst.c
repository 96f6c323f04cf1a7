#include "calendar/dst.h"

static const char *const gap_words[] = {[DST_GAP_AFTER] = "after", [DST_GAP_SHIFT] = "shift", [DST_GAP_SKIP] = "skip"};
static const char *const fold_words[] = {
    [DST_FOLD_FIRST] = "first", [DST_FOLD_SECOND] = "second", [DST_FOLD_BOTH] = "both"};

const char *dst_gap_text(enum dst_gap gap)
{
    return gap_words[gap];
}

const char *dst_fold_text(enum dst_fold fold)
{
    return fold_words[fold];
}

enum err dst_gap_parse(struct str text, enum dst_gap *ret_gap, struct error *reterr)
{
    for (size_t i = 0; i < sizeof gap_words / sizeof gap_words[0]; i++) {
        if (str_is(text, gap_words[i])) {
            *ret_gap = (enum dst_gap)i;
            return ERR_OK;
        }
    }
    return err_set(reterr, ERR_INVALID, "\"%.*s\" is not a gap policy; there are after, shift and skip",
                   STR_ARGS(text));
}

enum err dst_fold_parse(struct str text, enum dst_fold *ret_fold, struct error *reterr)
{
    for (size_t i = 0; i < sizeof fold_words / sizeof fold_words[0]; i++) {
        if (str_is(text, fold_words[i])) {
            *ret_fold = (enum dst_fold)i;
            return ERR_OK;
        }
    }
    return err_set(reterr, ERR_INVALID, "\"%.*s\" is not a fold policy; there are first, second and both",
                   STR_ARGS(text));
}

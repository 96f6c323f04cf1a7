#include "calendar/dst.h"

static const char *const gap_words[] = {
    [DST_GAP_AFTER] = "after", [DST_GAP_SHIFT] = "shift", [DST_GAP_SKIP] = "skip", NULL};
static const char *const fold_words[] = {
    [DST_FOLD_FIRST] = "first", [DST_FOLD_SECOND] = "second", [DST_FOLD_BOTH] = "both", NULL};

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
    int found = str_index_in(text, gap_words);

    if (found < 0) {
        return err_set(reterr, ERR_INVALID, "\"%.*s\" is not a gap policy; there are after, shift and skip",
                       STR_ARGS(text));
    }
    *ret_gap = (enum dst_gap)found;
    return ERR_OK;
}

enum err dst_fold_parse(struct str text, enum dst_fold *ret_fold, struct error *reterr)
{
    int found = str_index_in(text, fold_words);

    if (found < 0) {
        return err_set(reterr, ERR_INVALID, "\"%.*s\" is not a fold policy; there are first, second and both",
                       STR_ARGS(text));
    }
    *ret_fold = (enum dst_fold)found;
    return ERR_OK;
}

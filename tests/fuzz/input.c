#include "input.h"

#include <assert.h>
#include <string.h>

struct input input_split(const uint8_t *data, size_t size)
{
    const char *bytes = (const char *)data;
    const char *newline = size > 0 ? memrchr(bytes, '\n', size) : NULL;

    if (newline == NULL) {
        return (struct input){.text = {bytes, size}};
    }
    size_t text_len = (size_t)(newline - bytes);
    return (struct input){.text = {bytes, text_len}, .choices = {newline + 1, size - text_len - 1}};
}

uint64_t input_below(struct input *input, uint64_t below)
{
    uint64_t value = 0;

    for (uint64_t reach = 1; reach < below && input->choices.len > 0;) {
        value = value << 8 | (uint8_t)input->choices.ptr[0];
        input->choices = str_skip(input->choices, 1);
        reach = reach > UINT64_MAX >> 8 ? UINT64_MAX : reach << 8;
    }
    return value % below;
}

void input_check_error(struct str text, enum err err, const struct error *error, int position_min)
{
    size_t len = strnlen(error->text, sizeof error->text);

    assert(err != ERR_OK && error->code == err);
    assert(len > 0 && len < sizeof error->text);
    assert(str_utf8_valid((struct str){error->text, len}, NULL));
    for (size_t i = 0; i < len; i++) {
        assert((unsigned char)error->text[i] >= ' ' && error->text[i] != 0x7f);
    }
    assert(error->position >= position_min && (size_t)error->position <= text.len + 1);
}

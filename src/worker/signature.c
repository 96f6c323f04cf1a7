#include "worker/signature.h"

#include <inttypes.h>
#include <openssl/evp.h>
#include <openssl/hmac.h>
#include <stdio.h>
#include <string.h>

#include "base/limits.h"
#include "base/mem.h"

#define SECRET_BYTES_MAX 256
#define SECRET_BYTES_MIN 16
/* Base 64: 4 characters for 3 bytes. */
#define SECRET_TEXT_MAX (SECRET_BYTES_MAX / 3 * 4)
#define SIGNED_BYTES_MAX (PAYLOAD_BYTES_MAX + 1024)

/* Returns the key's length; 0 where the text is no secret. */
static size_t decode(struct str secret, unsigned char key[static SECRET_BYTES_MAX])
{
    struct str text = str_starts_with(secret, STR("whsec_")) ? str_skip(secret, 6) : secret;
    size_t padding = str_ends_with(text, STR("==")) ? 2 : str_ends_with(text, STR("=")) ? 1 : 0;

    if (text.len == 0 || text.len > SECRET_TEXT_MAX || text.len % 4 != 0) {
        return 0;
    }
    int len = EVP_DecodeBlock(key, (const unsigned char *)text.ptr, (int)text.len);

    return len < SECRET_BYTES_MIN + (int)padding ? 0 : (size_t)len - padding;
}

enum err signature_check(struct str secrets, struct error *reterr)
{
    unsigned char key[SECRET_BYTES_MAX];
    struct str secret;
    bool done = false;
    size_t count = 0;

    while (str_split(&secrets, ' ', &done, &secret)) {
        if (secret.len > 0 && decode(secret, key) == 0) {
            return err_set(reterr, ERR_INVALID, "a webhook secret is whsec_ and base 64 of %d to %d bytes",
                           SECRET_BYTES_MIN, SECRET_BYTES_MAX);
        }
        count += secret.len > 0;
    }
    explicit_bzero(key, sizeof key);
    return count > 0 ? ERR_OK : err_set(reterr, ERR_INVALID, "the webhook secret is empty");
}

static void sign(struct str secret, struct str text, struct buf *out)
{
    unsigned char key[SECRET_BYTES_MAX];
    unsigned char digest[EVP_MAX_MD_SIZE];
    unsigned char base64[EVP_MAX_MD_SIZE * 2];
    unsigned digest_len = 0;
    size_t key_len = decode(secret, key);

    if (HMAC(EVP_sha256(), key, (int)key_len, (const unsigned char *)text.ptr, text.len, digest, &digest_len) == NULL) {
        mem_exhausted("libcrypto", 1, 1);
    }
    explicit_bzero(key, sizeof key);
    (void)EVP_EncodeBlock(base64, digest, (int)digest_len);
    buf_append_text(out, out->len > 0 ? " v1," : "v1,");
    buf_append_text(out, (const char *)base64);
}

void signature_write(struct str secrets, struct str id, int64_t timestamp_s, struct str body, struct buf *out)
{
    SCOPE(buf_done) struct buf text;
    struct str secret;
    bool done = false;

    buf_init(&text, SIGNED_BYTES_MAX);
    buf_append_str(&text, id);
    buf_printf(&text, ".%" PRId64 ".", timestamp_s);
    buf_append_str(&text, body);
    while (str_split(&secrets, ' ', &done, &secret)) {
        if (secret.len > 0) {
            sign(secret, buf_str(&text), out);
        }
    }
}

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "worker/signature.h"

/* Made with Python's hmac: key bytes 0 to 23, id msg_1, timestamp 1614265330, body {"test": 2432232314}. */
#define SECRET "whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYX"
#define PROOF "v1,daJC9zjteVUEcGf6sESvuljSVDEsnQ3shawBrSwYgzU="

static void the_proof_is_what_others_compute(void **state)
{
    struct buf out;

    (void)state;
    buf_init(&out, 1024);
    signature_write(STR(SECRET), STR("msg_1"), 1614265330, STR("{\"test\": 2432232314}"), &out);
    assert_string_equal(buf_text(&out), PROOF);
    buf_done(&out);
}

static void each_secret_gives_one(void **state)
{
    struct buf out;

    (void)state;
    buf_init(&out, 1024);
    signature_write(STR(SECRET " " SECRET), STR("msg_1"), 1614265330, STR("{\"test\": 2432232314}"), &out);
    assert_string_equal(buf_text(&out), PROOF " " PROOF);
    buf_done(&out);
}

static void what_is_no_secret_is_refused(void **state)
{
    static const char *const bad[] = {"", " ", "whsec_", "whsec_AAEC", "whsec_!!!!", "secret"};

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        assert_int_equal(signature_check(str_from(bad[i]), NULL), ERR_INVALID);
    }
    assert_int_equal(signature_check(STR(SECRET " x"), NULL), ERR_INVALID);
    assert_int_equal(signature_check(STR(SECRET), NULL), ERR_OK);
    assert_int_equal(signature_check(STR(SECRET " " SECRET), NULL), ERR_OK);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(the_proof_is_what_others_compute),
        cmocka_unit_test(each_secret_gives_one),
        cmocka_unit_test(what_is_no_secret_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}

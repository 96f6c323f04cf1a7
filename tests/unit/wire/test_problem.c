/* Errors as RFC 9457 has them; the examples are those of docs/openapi.yaml. */
#include "wire_test.h"

#include "wire/problem.h"

static const char *problem_of(const struct error *error, int64_t index)
{
    wire_problem(test_open(), error, index);
    return test_close();
}

static void an_error_without_a_field_has_none(void **state)
{
    (void)state;
    struct error error;

    (void)err_set(&error, ERR_NOT_FOUND, "tenant acme has no job morning-report");
    assert_json(problem_of(&error, WIRE_NO_INDEX), "{'type':'about:blank','title':'Not Found','status':404,"
                                                   "'code':'not_found',"
                                                   "'detail':'tenant acme has no job morning-report'}");
}

static void field_position_and_index_are_named(void **state)
{
    (void)state;
    struct error error;

    (void)err_set_at(&error, 4, ERR_INVALID_CRON, "minutes are 0 to 59");
    (void)err_in_field(&error, error.code, "cron");
    assert_json(problem_of(&error, 0), "{'type':'about:blank','title':'Bad Request','status':400,"
                                       "'code':'invalid_cron','detail':'minutes are 0 to 59','field':'cron',"
                                       "'position':4,'index':0}");
    assert_json(problem_of(&error, 17), "{'type':'about:blank','title':'Bad Request','status':400,"
                                        "'code':'invalid_cron','detail':'minutes are 0 to 59','field':'cron',"
                                        "'position':4,'index':17}");
}

static void the_codes_of_the_server_have_their_statuses(void **state)
{
    (void)state;
    const struct {
        enum err code;
        int status;
        const char *word;
        const char *title;
    } rows[] = {
        {ERR_UNAUTHORIZED, 401, "unauthorized", "Unauthorized"},
        {ERR_FORBIDDEN, 403, "forbidden", "Forbidden"},
        {ERR_METHOD, 405, "method_not_allowed", "Method Not Allowed"},
        {ERR_REQUEST_TIMEOUT, 408, "request_timeout", "Request Timeout"},
        {ERR_VERSION, 412, "version_mismatch", "Precondition Failed"},
        {ERR_TOO_LARGE, 413, "too_large", "Content Too Large"},
        {ERR_MEDIA_TYPE, 415, "unsupported_media_type", "Unsupported Media Type"},
        {ERR_UNKNOWN_ZONE, 422, "unknown_timezone", "Unprocessable Content"},
        {ERR_LIMIT, 429, "limit", "Too Many Requests"},
        {ERR_HEADERS_TOO_LARGE, 431, "headers_too_large", "Request Header Fields Too Large"},
        {ERR_INTERNAL, 500, "internal", "Internal Server Error"},
        {ERR_NO_OWNER, 503, "no_owner", "Service Unavailable"},
        {ERR_STORE_DOWN, 503, "store_down", "Service Unavailable"},
        {ERR_OVERLOADED, 503, "overloaded", "Service Unavailable"},
        {ERR_DRAINING, 503, "draining", "Service Unavailable"},
        {ERR_NOT_READY, 503, "not_ready", "Service Unavailable"},
    };

    for (size_t i = 0; i < COUNT_OF(rows); i++) {
        assert_int_equal(err_http_status(rows[i].code), rows[i].status);
        assert_string_equal(err_code(rows[i].code), rows[i].word);
        assert_string_equal(wire_status_title(rows[i].status), rows[i].title);
    }
    assert_string_equal(wire_status_title(418), "Error");
}

static void every_code_has_a_title(void **state)
{
    (void)state;
    static const enum err codes[] = {
#define X(name, status, code, retry) name,
        ERR_TABLE(X)
#undef X
    };

    for (size_t i = 1; i < COUNT_OF(codes); i++) {
        assert_string_not_equal(wire_status_title(err_http_status(codes[i])), "Error");
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(an_error_without_a_field_has_none),
        cmocka_unit_test(field_position_and_index_are_named),
        cmocka_unit_test(the_codes_of_the_server_have_their_statuses),
        cmocka_unit_test(every_code_has_a_title),
    };
    WIRE_MAIN(tests);
}

/* A copy of the store into a new file of the server's machine. It takes as long as it takes, so it has a thread of its
 * own, and there is one at a time. */
#include <pthread.h>
#include <string.h>
#include <sys/stat.h>

#include "api/handlers.h"
#include "api/inside.h"
#include "base/chrono.h"
#include "base/limits.h"

#define NS_PER_MS 1000000

struct backup {
    struct api_request *request;
    const char *path; /* absolute */
};

static void answer(struct api_request *request, const char *path, int64_t took_ms)
{
    struct stat found;
    struct jw jw;

    api_json(request, &jw);
    jw_begin_object(&jw);
    jw_key(&jw, "path");
    jw_text(&jw, path);
    jw_key(&jw, "bytes");
    jw_int(&jw, stat(path, &found) == 0 ? found.st_size : 0);
    jw_key(&jw, "duration_ms");
    jw_int(&jw, took_ms);
    jw_end_object(&jw);
    api_answer_json(request, 200, &jw, NULL);
}

static void *make(void *arg)
{
    struct backup *backup = arg;
    struct api_request *request = backup->request;
    struct api *api = request->api;
    int64_t began_ns = chrono_mono_ns();
    struct error error = {0};
    enum err err = shard_backup(api->config.shard, backup->path, &error);

    atomic_store(&api->is_backing_up, false);
    if (err != ERR_OK) {
        if (error.code == ERR_IO || error.code == ERR_INVALID) {
            error.code = ERR_UNPROCESSABLE;
        }
        api_problem(request, &error);
    } else {
        answer(request, backup->path, (chrono_mono_ns() - began_ns) / NS_PER_MS);
    }
    return NULL;
}

/* With the lock. */
static void join(struct api *api)
{
    if (api->has_backup_thread) {
        (void)pthread_join(api->backup_thread, NULL);
        api->has_backup_thread = false;
    }
}

void api_backup_wait(struct api *api)
{
    (void)pthread_mutex_lock(&api->backup_lock);
    join(api);
    (void)pthread_mutex_unlock(&api->backup_lock);
}

static bool start(struct api *api, struct backup *backup)
{
    (void)pthread_mutex_lock(&api->backup_lock);
    join(api); /* the one before has only its answer to give any more */
    api->has_backup_thread = pthread_create(&api->backup_thread, NULL, make, backup) == 0;
    bool is_started = api->has_backup_thread;

    (void)pthread_mutex_unlock(&api->backup_lock);
    return is_started;
}

static enum err read_path(struct api_request *request, struct jr object, struct str *ret_path, struct error *error)
{
    static const char *const fields[] = {"path", NULL};
    struct stat found;
    enum err err = jr_check_fields(object, fields, error);

    (void)request;
    if (err == ERR_OK) {
        err = jr_str(object, "path", ret_path, error);
    }
    if (err == ERR_OK && (ret_path->len == 0 || ret_path->ptr[0] != '/' || strlen(ret_path->ptr) != ret_path->len)) {
        err = err_in_field(error, err_set(error, ERR_INVALID, "must be an absolute path on the server's machine"),
                           "path");
    }
    if (err == ERR_OK && lstat(ret_path->ptr, &found) == 0) {
        err = err_in_field(error, err_set(error, ERR_CONFLICT, "there is a file of this name already"), "path");
    }
    return err;
}

void api_backup(struct api *api, struct api_request *request)
{
    struct jr object;
    struct str path;
    struct error error;

    if (!api_params_only(request, NULL) || !api_body_json(request, false, &object)) {
        return;
    }
    if (read_path(request, object, &path, &error) != ERR_OK) {
        api_problem(request, &error);
        return;
    }
    if (atomic_exchange(&api->is_backing_up, true)) {
        err_set(&error, ERR_CONFLICT, "another backup is being made; wait for it");
        api_problem(request, &error);
        return;
    }
    struct backup *backup = arena_alloc(request->arena, sizeof *backup);

    *backup = (struct backup){.request = request, .path = arena_strdup_str(request->arena, path)};
    if (!start(api, backup)) {
        atomic_store(&api->is_backing_up, false);
        err_set(&error, ERR_OVERLOADED, "no thread can be started");
        api_problem_failed(request, &error, true);
    }
}

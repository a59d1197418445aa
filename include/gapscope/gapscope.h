/* gapscope: why was the GPU not working? C interface.
 *
 * Link with libgapscope.so, or load it through CUDA_INJECTION64_PATH; both give one copy with one
 * state, so a program that calls these functions may also be injected: whichever starts first
 * records, the other does nothing.
 *
 * Threads: every function may be called from any thread at any time, callbacks of CUDA excepted.
 * Cost: gapscope_step and the range functions take no lock, and after a thread's first call they
 * neither allocate nor make a blocking system call. Without a running session they return at once.
 * Times are nanoseconds, sizes bytes. No function throws or changes the process's signal handlers.
 */
#ifndef GAPSCOPE_GAPSCOPE_H
#define GAPSCOPE_GAPSCOPE_H

#include <stddef.h>
#include <stdint.h>

#define GAPSCOPE_VERSION_STRING "0.1.0"
#define GAPSCOPE_VERSION_MAJOR 0
#define GAPSCOPE_VERSION_MINOR 1
#define GAPSCOPE_VERSION_PATCH 0

#if defined(__GNUC__)
#define GAPSCOPE_API __attribute__((visibility("default")))
#else
#define GAPSCOPE_API
#endif

#ifdef __cplusplus
extern "C" {
#endif

typedef enum gapscope_status {
  GAPSCOPE_OK = 0,
  GAPSCOPE_ALREADY_STARTED = 1, /* by injection or an earlier call; not an error */
  GAPSCOPE_DISABLED = 2,        /* GAPSCOPE_ENABLED=0, or a forked child */
  GAPSCOPE_NOT_RUNNING = 3,     /* no session was started, or it has ended */
  GAPSCOPE_NO_CUPTI = 4,        /* libcupti missing, held by another tool, or not permitted */
  GAPSCOPE_INVALID_ARGUMENT = 5,
  GAPSCOPE_IO_ERROR = 6 /* the report could not be written */
} gapscope_status;

/* Options of gapscope_start. Set size to sizeof(gapscope_options) and the rest to 0 for defaults;
 * fields are only ever added at the end. Environment variables GAPSCOPE_* win over them. */
typedef struct gapscope_options {
  size_t size;
  const char* report_path; /* JSON report at the end; NULL: none. Read during the call only. */
  const char* record_path; /* recording for `gapscope replay`; NULL: none. */
  int quiet;               /* 1: print no page at exit */
} gapscope_options;

/* "0.1.0"; static storage. */
GAPSCOPE_API const char* gapscope_version(void);
/* A short English sentence for a status; static storage, never NULL. */
GAPSCOPE_API const char* gapscope_status_string(gapscope_status status);
/* OK while a session records, else the reason why not. */
GAPSCOPE_API gapscope_status gapscope_state(void);

/* Starts recording. Call it before the first CUDA call for a complete window; later is allowed.
 * With GAPSCOPE_CAPTURE=range it opens a counted range instead when a session already records.
 * options may be NULL. */
GAPSCOPE_API gapscope_status gapscope_start(const gapscope_options* options);
/* Ends the session: waits (about 1 s at most) until what was launched has been recorded, prints
 * the page on stderr and writes the files. Later calls return GAPSCOPE_NOT_RUNNING. Without it the
 * same happens at exit(). With GAPSCOPE_CAPTURE=range it closes the counted range instead. */
GAPSCOPE_API gapscope_status gapscope_stop(void);

/* Marks the boundary between two steps (training iterations, requests): call it once a step, and
 * where several threads take part, from one of them: each call ends a step of the process. */
GAPSCOPE_API gapscope_status gapscope_step(void);

/* Opens and closes a named range of the calling thread; ranges nest. name is copied, at most 512
 * bytes of it are kept. */
GAPSCOPE_API gapscope_status gapscope_range_push(const char* name);
GAPSCOPE_API gapscope_status gapscope_range_pop(void);

/* Writes the report so far as JSON to path (created or replaced by rename), after the session's end
 * the whole one. Blocks the caller until it is written; IO_ERROR also when the report was not made
 * within 5 s. */
GAPSCOPE_API gapscope_status gapscope_report(const char* path);

#ifdef __cplusplus
}
#endif
#endif

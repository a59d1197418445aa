/* How a test drives the fake libcupti: functions that it exports beside CUPTI's own.
 *
 * fake_call simulates one CUDA driver call on the calling thread: it fires the enter and exit
 * callbacks that the client enabled and queues the activity records that the call would leave.
 * Any thread may call anything here at any time, callbacks of the fake excepted. Times are
 * nanoseconds of CLOCK_REALTIME, sizes bytes. Environment variables FAKE_CUPTI_* (options.h) script
 * what has to be decided before a test can call.
 */
#ifndef GAPSCOPE_TESTS_FAKE_CUPTI_CONTROL_H
#define GAPSCOPE_TESTS_FAKE_CUPTI_CONTROL_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum fake_api {
  FAKE_LAUNCH_KERNEL,
  FAKE_LAUNCH_KERNEL_PTSZ,
  FAKE_LAUNCH_KERNEL_EX,
  FAKE_LAUNCH_KERNEL_EX_PTSZ,
  FAKE_LAUNCH_COOPERATIVE,
  FAKE_GRAPH_LAUNCH,
  FAKE_MEMCPY_HTOD,
  FAKE_MEMCPY_DTOH,
  FAKE_MEMCPY_HTOD_ASYNC,
  FAKE_MEMCPY_DTOH_ASYNC,
  FAKE_MEMCPY_DTOD_ASYNC,
  FAKE_MEMCPY_ANY_ASYNC, /* host to host */
  FAKE_MEMCPY_PEER_ASYNC,
  FAKE_MEMSET_D8_ASYNC,
  FAKE_MEMSET_D32,
  FAKE_CTX_SYNCHRONIZE,
  FAKE_STREAM_SYNCHRONIZE,
  FAKE_EVENT_SYNCHRONIZE,
  FAKE_MEM_ALLOC,
  FAKE_MEM_FREE,
  FAKE_MEM_ALLOC_ASYNC,
  FAKE_MEM_FREE_ASYNC,
  FAKE_MODULE_LOAD_DATA,
  FAKE_LIBRARY_LOAD_DATA,
  FAKE_GRAPH_INSTANTIATE,
  FAKE_PROFILER_START,
  FAKE_PROFILER_STOP,
  FAKE_API_COUNT
} fake_api;

/* What becomes of a call's device record. */
typedef enum fake_fate {
  FAKE_RECORDED,  /* delivered as CUPTI would */
  FAKE_LOST,      /* never delivered, never counted: CUPTI lost it silently */
  FAKE_LATE,      /* held back until fake_release_late */
  FAKE_DROPPED,   /* counted by cuptiActivityGetNumDroppedRecords */
  FAKE_ZERO_TIME, /* start and end 0 */
  FAKE_SENTINEL,  /* start and end 2^64 - 1 */
  FAKE_REVERSED,  /* end before start */
  FAKE_NO_RECORD  /* out only: captured, failed, zero bytes, kind not enabled, no client */
} fake_fate;

/* One kernel, copy or set on the device. Zero-initialise; device and stream come from the call. */
typedef struct fake_work {
  const char* name;  /* kernel; static storage, as CUPTI's names are */
  uint64_t delay_ns; /* earliest start after the call's entry (graph node: after the node before) */
  uint64_t duration_ns;
  uint64_t overlap_ns; /* may start this long before its stream's last one ends (PDL) */
  uint64_t bytes;      /* copies and sets */
  uint32_t grid[3];    /* 0 reads as 1 */
  uint32_t block[3];
  uint8_t is_set;  /* graph nodes: a set instead of a kernel */
  uint8_t is_copy; /* graph nodes: a device-to-device copy */
  uint8_t fate;    /* fake_fate, but FAKE_NO_RECORD */
  uint8_t pinned;  /* host side of a copy: pinned instead of pageable */
} fake_work;

/* Where and when a fake_work ran, in the record's own clock. */
typedef struct fake_times {
  uint64_t start_ns;
  uint64_t end_ns;
  uint8_t fate; /* fake_fate */
} fake_times;

typedef struct fake_call_spec {
  fake_api api;
  uint32_t device;
  uint32_t peer_device;   /* FAKE_MEMCPY_PEER_ASYNC */
  uint32_t context;       /* CUPTI context id; 0 reads as device + 1 */
  uint32_t stream;        /* CUPTI stream id; 0 reads as 7, the legacy default stream */
  uint64_t stream_handle; /* CUstream as passed to the call */
  uint64_t host_ns;       /* the call sleeps this long before it returns */
  int32_t result;         /* CUresult; not 0: no record */
  uint8_t captured;       /* recorded into a graph by stream capture */
  fake_work work;         /* the kernel, copy or set */
  const fake_work* nodes; /* FAKE_GRAPH_LAUNCH: its nodes, one after the other */
  uint32_t node_count;
  uint32_t graph;         /* CUPTI graph id */
  fake_times* node_times; /* out, node_count of them; may be NULL */
} fake_call_spec;

typedef struct fake_call_result {
  uint32_t correlation_id;
  uint64_t enter_ns; /* before the enter callback */
  uint64_t exit_ns;  /* after the exit callback */
  fake_times work;   /* graph launches: the whole graph's */
} fake_call_result;

/* What the calling thread has done so far. A program that wants the client's callbacks watched
 * exports fake_watch_thread and counts there; the fake looks for it when it is loaded. */
typedef struct fake_thread_counts {
  uint64_t allocations; /* malloc and its family, mmap */
  uint64_t locks_taken; /* pthread mutexes and read-write locks */
  int64_t locks_held;
} fake_thread_counts;
const fake_thread_counts* fake_watch_thread(void);

/* result may be NULL. */
void fake_call(const fake_call_spec* spec, fake_call_result* result);
/* cuInit has returned: from now on a flush cannot deadlock. */
void fake_cuda_up(void);
/* Queues the records held back so far (FAKE_LATE); returns how many. */
uint32_t fake_release_late(void);
/* A kernel, launched from the device, that no call announces; context and stream as in spec. */
void fake_device_launch(const fake_call_spec* spec, fake_times* times);
/* An OVERHEAD record of the calling thread; kind is a CUpti_ActivityOverheadKind. */
void fake_overhead(uint32_t kind, uint64_t start_ns, uint64_t end_ns);
/* STATE domain, FATAL_ERROR: CUPTI is gone; further CUPTI calls are violations. */
void fake_fatal_error(const char* message);
/* A context is destroyed: CUPTI delivers everything that has completed, on the calling thread. */
void fake_context_destroyed(uint32_t context);
/* Sleeps until the last queued operation of all devices has ended. */
void fake_wait_idle(void);
/* The program's CLOCK_REALTIME was stepped by step_ns just now. */
void fake_clock_stepped(int64_t step_ns);
/* Violations of CUPTI's rules seen so far, and records handed over. */
uint64_t fake_violations(void);
uint64_t fake_delivered(void);

#ifdef __cplusplus
}
#endif
#endif

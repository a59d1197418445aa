#include "host/system_calls.h"

#include <sys/syscall.h>

#include <array>

// A system call that an architecture lacks has no macro there. Turned to text, a macro that exists
// is a number and one that does not is still its own name; so the table is the same source on
// every machine, and what is missing becomes -1.
#define GAPSCOPE_TEXT_OF(x) #x
#define GAPSCOPE_EXPANDED(x) GAPSCOPE_TEXT_OF(x)
#define GAPSCOPE_CALL(name) \
  Entry { number_of(GAPSCOPE_EXPANDED(SYS_##name)), #name }

namespace gapscope {
namespace {

struct Entry {
  long number;
  std::string_view name;
};

constexpr long number_of(std::string_view text) {
  long number = 0;
  for (const char c : text) {
    if (c < '0' || c > '9') return -1;
    number = number * 10 + (c - '0');
  }
  return text.empty() ? -1 : number;
}

constexpr std::array kCalls = {GAPSCOPE_CALL(futex),
                               GAPSCOPE_CALL(epoll_wait),
                               GAPSCOPE_CALL(epoll_pwait),
                               GAPSCOPE_CALL(poll),
                               GAPSCOPE_CALL(ppoll),
                               GAPSCOPE_CALL(select),
                               GAPSCOPE_CALL(pselect6),
                               GAPSCOPE_CALL(read),
                               GAPSCOPE_CALL(write),
                               GAPSCOPE_CALL(readv),
                               GAPSCOPE_CALL(writev),
                               GAPSCOPE_CALL(pread64),
                               GAPSCOPE_CALL(pwrite64),
                               GAPSCOPE_CALL(recvfrom),
                               GAPSCOPE_CALL(recvmsg),
                               GAPSCOPE_CALL(sendto),
                               GAPSCOPE_CALL(sendmsg),
                               GAPSCOPE_CALL(accept),
                               GAPSCOPE_CALL(accept4),
                               GAPSCOPE_CALL(connect),
                               GAPSCOPE_CALL(nanosleep),
                               GAPSCOPE_CALL(wait4),
                               GAPSCOPE_CALL(waitid),
                               GAPSCOPE_CALL(clock_nanosleep),
                               GAPSCOPE_CALL(ioctl),
                               GAPSCOPE_CALL(fsync),
                               GAPSCOPE_CALL(fdatasync),
                               GAPSCOPE_CALL(openat),
                               GAPSCOPE_CALL(open),
                               GAPSCOPE_CALL(close),
                               GAPSCOPE_CALL(mmap),
                               GAPSCOPE_CALL(munmap),
                               GAPSCOPE_CALL(mprotect),
                               GAPSCOPE_CALL(madvise),
                               GAPSCOPE_CALL(mlock),
                               GAPSCOPE_CALL(clone),
                               GAPSCOPE_CALL(clone3),
                               GAPSCOPE_CALL(vfork),
                               GAPSCOPE_CALL(execve),
                               GAPSCOPE_CALL(flock),
                               GAPSCOPE_CALL(fcntl),
                               GAPSCOPE_CALL(semtimedop),
                               GAPSCOPE_CALL(semop),
                               GAPSCOPE_CALL(msgrcv),
                               GAPSCOPE_CALL(mq_timedreceive),
                               GAPSCOPE_CALL(pause),
                               GAPSCOPE_CALL(rt_sigsuspend),
                               GAPSCOPE_CALL(rt_sigtimedwait),
                               GAPSCOPE_CALL(sched_yield),
                               GAPSCOPE_CALL(sendfile),
                               GAPSCOPE_CALL(io_getevents),
                               GAPSCOPE_CALL(membarrier),
                               GAPSCOPE_CALL(getrandom),
                               GAPSCOPE_CALL(io_uring_enter),
                               GAPSCOPE_CALL(copy_file_range),
                               GAPSCOPE_CALL(fadvise64),
                               GAPSCOPE_CALL(readahead),
                               GAPSCOPE_CALL(preadv),
                               GAPSCOPE_CALL(preadv2),
                               GAPSCOPE_CALL(pwritev),
                               GAPSCOPE_CALL(pwritev2),
                               GAPSCOPE_CALL(getdents64),
                               GAPSCOPE_CALL(newfstatat),
                               GAPSCOPE_CALL(statx),
                               GAPSCOPE_CALL(unlinkat),
                               GAPSCOPE_CALL(renameat2),
                               GAPSCOPE_CALL(ftruncate),
                               GAPSCOPE_CALL(fallocate),
                               GAPSCOPE_CALL(msync),
                               GAPSCOPE_CALL(sync_file_range),
                               GAPSCOPE_CALL(splice),
                               GAPSCOPE_CALL(mremap),
                               GAPSCOPE_CALL(brk),
                               GAPSCOPE_CALL(epoll_pwait2),
                               GAPSCOPE_CALL(sendmmsg),
                               GAPSCOPE_CALL(recvmmsg)};

static_assert(number_of("98") == 98 && number_of("SYS_pause") == -1);

constexpr std::string_view kWithDescriptor[] = {
    "read",      "write",     "readv",     "writev",    "pread64",    "pwrite64",       "preadv",
    "pwritev",   "preadv2",   "pwritev2",  "recvfrom",  "recvmsg",    "recvmmsg",       "ioctl",
    "fsync",     "sendto",    "sendmsg",   "sendmmsg",  "accept",     "fdatasync",      "sendfile",
    "fadvise64", "readahead", "ftruncate", "fallocate", "getdents64", "sync_file_range"};

}  // namespace

std::string_view system_call_name(long number) {
  if (number < 0) return {};
  for (const Entry& entry : kCalls) {
    if (entry.number == number) return entry.name;
  }
  return {};
}

bool takes_file_descriptor(std::string_view system_call) {
  for (const std::string_view name : kWithDescriptor) {
    if (name == system_call) return true;
  }
  return false;
}

}  // namespace gapscope

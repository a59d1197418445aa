/* Uses the whole C interface. Where there is no GPU every call says so and the program goes on. */
#include <gapscope/gapscope.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int failures = 0;

static void check(int holds, const char* what) {
  if (!holds) {
    fprintf(stderr, "consumer_c: %s\n", what);
    ++failures;
  }
}

int main(int argc, char** argv) {
  check(strcmp(gapscope_version(), GAPSCOPE_VERSION_STRING) == 0, "header and library differ");
  for (int i = GAPSCOPE_OK; i <= GAPSCOPE_IO_ERROR; ++i) {
    const char* text = gapscope_status_string((gapscope_status)i);
    check(text != NULL && text[0] != '\0', "a status without a text");
  }
  check(gapscope_state() != GAPSCOPE_OK, "records before gapscope_start");
  check(gapscope_step() != GAPSCOPE_OK, "a step before gapscope_start");

  gapscope_options options = {0};
  options.size = sizeof options;
  options.quiet = 1;
  const gapscope_status started = gapscope_start(&options);
  printf("gapscope_start: %s\n", gapscope_status_string(started));
  if (argc > 1) check((int)started == atoi(argv[1]), "gapscope_start gave another status");
  const int running = started == GAPSCOPE_OK;
  check((gapscope_state() == GAPSCOPE_OK) == running, "state does not agree with start");
  check((gapscope_range_push("range") == GAPSCOPE_OK) == running, "push does not agree with start");
  check((gapscope_step() == GAPSCOPE_OK) == running, "step does not agree with start");
  check((gapscope_range_pop() == GAPSCOPE_OK) == running, "pop does not agree with start");
  check((gapscope_stop() == GAPSCOPE_OK) == running, "stop does not agree with start");
  check(gapscope_state() != GAPSCOPE_OK, "records after gapscope_stop");
  check(gapscope_step() != GAPSCOPE_OK, "a step after gapscope_stop");
  return failures == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

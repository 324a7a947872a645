/* Stands in for libahead.so where a test wants to know only whether, and how often, it was loaded. */
#include <stdlib.h>

__attribute__((constructor)) static void note_loading(void) {
  const char* before = getenv("STAND_IN_LOADED");
  setenv("STAND_IN_LOADED", before == NULL ? "1" : "more than once", 1);
}

// Loads and unloads libraries that read, plainly, bound to themselves first, and into name spaces of their own, while
// threads read and children are made. Usage: loader_storm FILE PLUGIN
#include <dlfcn.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <sys/wait.h>

#include "tests/shim/hosts/reading.h"

static const char* path;
static atomic_int stop;
static atomic_int wrong;
static unsigned long whole;

static void* ReadAlong(void* unused) {
  while (!atomic_load(&stop))
    if (SumOfFile(path, 1L << 40) != whole) atomic_fetch_add(&wrong, 1);
  return unused;
}

static unsigned long Use(void* library) {
  unsigned long (*sum)(const char*) = NULL;
  if (library == NULL) return 0;
  *(void**)&sum = dlsym(library, "PluginSum");
  const unsigned long result = sum == NULL ? 1 : sum(path);
  dlclose(library);
  return result;
}

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  path = argv[1];
  whole = SumOfFile(path, 1L << 40);
  pthread_t threads[2];
  for (int i = 0; i < 2; ++i)
    if (pthread_create(&threads[i], NULL, ReadAlong, NULL) != 0) return 4;
  Say("in a new name space %lx\n", Use(dlmopen(LM_ID_NEWLM, argv[2], RTLD_NOW)));
  for (int i = 0; i < 6; ++i) {
    const unsigned long plain = Use(dlopen(argv[2], RTLD_NOW | (i % 2 == 0 ? RTLD_LOCAL : RTLD_GLOBAL)));
    const unsigned long deep = Use(dlopen(argv[2], RTLD_LAZY | RTLD_DEEPBIND));
    void* math = dlopen("libm.so.6", RTLD_NOW);
    if (math != NULL) dlclose(math);
    const pid_t child = fork();
    if (child == 0) _exit(Use(dlopen(argv[2], RTLD_NOW)) == plain ? 7 : 8);
    int status = 0;
    waitpid(child, &status, 0);
    if (i == 0) Say("plain %lx deep %lx\n", plain, deep);
    if (plain != deep || status != 7 << 8)
      Say("turn %d: plain %lx deep %lx child %x\n", i, plain, deep, (unsigned)status);
  }
  Say("in a new name space %lx\n", Use(dlmopen(LM_ID_NEWLM, argv[2], RTLD_NOW)));
  atomic_store(&stop, 1);
  for (int i = 0; i < 2; ++i) pthread_join(threads[i], NULL);
  // The library has to be found by name as before, also what comes after it.
  Say("read is there: %d, next: %d, wrong %d\n", dlsym(RTLD_DEFAULT, "read") != NULL, dlsym(RTLD_NEXT, "read") != NULL,
      atomic_load(&wrong));
  return 0;
}

// Uses one file through FILEs and descriptors in every order, and prints where each stood and what it got.
// Usage: stdio_mixtures FILE
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static char buffer[1 << 17];

static unsigned Hash(const char* bytes, long count) {
  unsigned hash = 2166136261u;
  for (long i = 0; i < count; ++i) hash = (hash ^ (unsigned char)bytes[i]) * 16777619u;
  return hash;
}

static void Show(const char* what, FILE* file, long got) {
  printf("%-20s got %ld hash %08x tell %ld fd at %ld\n", what, got, Hash(buffer, got > 0 ? got : 0), ftell(file),
         (long)lseek(fileno(file), 0, SEEK_CUR));
}

static void Mix(FILE* file) {
  const int fd = fileno(file);
  Show("fread 100", file, (long)fread(buffer, 1, 100, file));
  lseek(fd, 50000, SEEK_SET);
  Show("read after lseek", file, read(fd, buffer, 3000));
  Show("fread the buffer", file, (long)fread(buffer, 1, 3996, file));
  Show("fread on", file, (long)fread(buffer, 1, 5000, file));
  fseek(file, 70000, SEEK_SET);
  Show("fread after fseek", file, (long)fread(buffer, 1, 70000, file));
  Show("fgets", file, fgets(buffer, 4000, file) != NULL ? (long)strlen(buffer) : -1);
  const int c = getc(file);
  ungetc(c, file);
  ungetc('!', file);
  Show("two pushed back", file, (long)fread(buffer, 1, 5000, file));
  Show("lines", file, fgets(buffer, 20, file) != NULL ? (long)strlen(buffer) : -1);
  for (int i = 0; i < 3000; ++i) buffer[i] = (char)getc(file);
  Show("getc 3000 times", file, 3000);
  char* line = NULL;
  size_t room = 0;
  const long length = getline(&line, &room, file);
  printf("getline %ld %08x\n", length, Hash(line, length > 0 ? length : 0));
  free(line);
  fpos_t place;
  fgetpos(file, &place);
  Show("large fread", file, (long)fread(buffer, 1, 100000, file));
  fsetpos(file, &place);
  Show("after fsetpos", file, (long)fread(buffer, 7, 1000, file));
  pread(fd, buffer, 100, 12345);
  Show("after pread", file, (long)fread(buffer, 1, 1000, file));
  rewind(file);
  Show("after rewind", file, (long)fread(buffer, 1, 1000, file));
  fseek(file, -10, SEEK_END);
  Show("at the end", file, (long)fread(buffer, 1, 1000, file));
  printf("eof %d error %d\n", feof(file) != 0, ferror(file) != 0);
}

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  FILE* file = fopen(argv[1], "r");
  Mix(file);
  setvbuf(file, NULL, _IOFBF, 32768);
  file = freopen(argv[1], "r", file);
  Mix(file);
  fclose(file);
  file = fopen(argv[1], "r");
  setvbuf(file, NULL, _IONBF, 0);
  Mix(file);
  fclose(file);
  char* text = NULL;
  size_t size = 0;
  FILE* memory = open_memstream(&text, &size);
  fputs("in memory", memory);
  fclose(memory);
  memory = fmemopen(text, size, "r");
  printf("fmemopen %zu %s\n", fread(buffer, 1, 100, memory), fgets(buffer + 200, 10, memory) == NULL ? "end" : "more");
  fclose(memory);
  free(text);
  FILE* piped = popen("echo from a pipe", "r");
  printf("popen %s", fgets(buffer, 100, piped) != NULL ? buffer : "nothing");
  pclose(piped);
  return 0;
}

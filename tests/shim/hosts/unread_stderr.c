// Runs a command whose standard error is a pipe that nobody reads. Usage: unread_stderr COMMAND [ARGUMENT]...
#include <unistd.h>

int main(int argc, char** argv) {
  int ends[2];
  if (argc < 2 || pipe(ends) != 0 || dup2(ends[1], 2) != 2) return 125;
  close(ends[0]);
  close(ends[1]);
  execvp(argv[1], argv + 1);
  return 127;
}

// Blocks signals, reads, and looks whether they are pending on the process as they should and the mask is unchanged.
// Case A8. Usage: blocked_signals FILE
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <unistd.h>

static char buffer[1 << 16];

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  sigset_t blocked;
  sigset_t now;
  sigemptyset(&blocked);
  sigaddset(&blocked, SIGUSR1);
  sigaddset(&blocked, SIGTERM);
  sigprocmask(SIG_BLOCK, &blocked, NULL);
  for (int round = 0; round < 10; ++round) {
    if (round == 5) kill(getpid(), SIGUSR1);
    if (round == 7) kill(getpid(), SIGTERM);
    const int fd = open(argv[1], O_RDONLY);
    while (read(fd, buffer, sizeof buffer) > 0) {
    }
    close(fd);
  }
  sigpending(&now);
  printf("pending %d %d\n", sigismember(&now, SIGUSR1), sigismember(&now, SIGTERM));
  sigprocmask(SIG_BLOCK, NULL, &now);
  int count = 0;
  for (int signal = 1; signal < 65; ++signal) count += sigismember(&now, signal) == 1;
  printf("blocked %d\n", count);
  return 0;
}

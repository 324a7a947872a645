// A process that counts: the smallest program with a block of its own.
//
// Usage: stats_claimer PATH PAGES [NEXT...]     counts PAGES in the segment at PATH, then becomes NEXT
//        stats_claimer PATH PAGES -             the same, then writes a line and waits for the end of its input
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "stats/segment_map.h"

int main(int argc, char** argv) {
  if (argc < 3) return 2;
  const ahead::SegmentView segment = ahead::MapSegmentFile(argv[1], ahead::MapMode::kOpen);
  if (!segment) return 3;
  ahead::Block* block = ahead::ClaimBlock(segment, getpid());
  if (block == nullptr) return 4;
  block->ledger.Add(ahead::Event::readahead, ahead::Class::state, strtoull(argv[2], nullptr, 10));
  ahead::Bump(block->counters.reads_seen);
  if (argc == 3) return 0;
  if (strcmp(argv[3], "-") == 0) {
    puts("counted");
    fflush(stdout);
    while (getchar() != EOF) {
    }
    return 0;
  }
  execv(argv[3], argv + 3);
  return 5;
}

// What a message says of its descriptors is the host's: kinds of sockets that pass none take it unread.
#include <gtest/gtest.h>

#include <cstdlib>
#include <cstring>

#include "shim/descriptors.h"
#include "shim/handing_on.h"

namespace ahead {
namespace {

// Of one part, which says that it is `length` long, in memory of its own, so that what lies behind it is not readable
// as a rule.
void Send(size_t length) {
  constexpr size_t kBytes = CMSG_SPACE(sizeof(int));
  auto* const header = static_cast<cmsghdr*>(std::calloc(1, kBytes));
  header->cmsg_level = SOL_SOCKET;
  header->cmsg_type = SCM_RIGHTS;
  header->cmsg_len = length;
  msghdr message = {};
  message.msg_control = header;
  message.msg_controllen = kBytes;
  NoteSent(message);
  std::free(header);
}

TEST(SentMessagesTest, AnyLengthOfAPartIsSurvived) {
  for (const size_t length : {size_t{0}, size_t{1}, CMSG_LEN(0) - 1, CMSG_LEN(0), CMSG_LEN(sizeof(int)), size_t{1000},
                              size_t{1} << 40, ~size_t{0}})
    Send(length);
}

TEST(SentMessagesTest, DescriptorOfAWellFormedPartIsNobodysAnyMore) {
  constexpr int kFd = 700;
  slots[kFd] = Slot::Fresh(5).word();
  char room[CMSG_SPACE(sizeof kFd)] = {};
  msghdr message = {};
  message.msg_control = room;
  message.msg_controllen = sizeof room;
  cmsghdr* const part = CMSG_FIRSTHDR(&message);
  part->cmsg_level = SOL_SOCKET;
  part->cmsg_type = SCM_RIGHTS;
  part->cmsg_len = CMSG_LEN(sizeof kFd);
  std::memcpy(CMSG_DATA(part), &kFd, sizeof kFd);
  NoteSent(message);
  EXPECT_EQ(SlotOf(kFd).stamp(), kNobodysStamp);
  slots[kFd] = Slot::kUnmet;
}

}  // namespace
}  // namespace ahead

// The entry points: what the host calls instead of libc. No logic here; each says which path its call takes.
//
// They are declared by hooks.def with libc's symbol as their assembler name, so that they do not clash with the
// declarations of libc's headers, whose exception specifications they must not copy: read, open and the like are
// cancellation points, and the thread is unwound through them.
#include <dirent.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/types.h>
#include <sys/uio.h>

#include "shim/advice.h"
#include "shim/descriptors.h"
#include "shim/engine.h"
#include "shim/folders.h"
#include "shim/handing_on.h"
#include "shim/mappings.h"
#include "shim/reads.h"
#include "shim/real.h"
#include "shim/stdio.h"

namespace ahead::hook {

#define AHEAD_HOOK(name, result, parameters) \
  __attribute__((visibility("default"))) result name parameters __asm__(#name);
#include "shim/hooks.def"
#undef AHEAD_HOOK

namespace {

// The mode is there only when a file may be made.
mode_t TakeMode(int flags, va_list& rest) {
  const bool may_create = (flags & O_CREAT) != 0 || (flags & O_TMPFILE) == O_TMPFILE;
  return may_create ? va_arg(rest, mode_t) : 0;
}

int Opened(int fd) {
  NoteOpened(fd);
  return fd;
}

FILE* Opened(FILE* file) {
  if (file != nullptr) NoteOpened(OwnDescriptorOf(file));
  return file;
}

// A copy is handed on by exec, as a rule, and the numbers of copies are not all looked at then.
int Duplicated(int fd, int copy) {
  if (copy >= 0) WithdrawForGood(fd);
  NoteDuplicated(fd, copy);
  return copy;
}

// Asking where one is moves nothing.
off_t Moved(int fd, off_t distance, int whence, off_t offset) {
  if (offset >= 0 && (distance != 0 || whence != SEEK_CUR)) NoteMoved(fd, offset);
  return offset;
}

template <typename Result>
Result MovedSomewhere(FILE* file, Result result) {
  NoteMoved(DescriptorOf(file), Description::kUnknown);
  return result;
}

// F_DUPFD and F_DUPFD_CLOEXEC are the commands whose result is a descriptor; F_SETFL may set O_DIRECT.
int Controlled(int fd, int command, int result) {
  if (result >= 0 && (command == F_DUPFD || command == F_DUPFD_CLOEXEC)) return Duplicated(fd, result);
  if (result >= 0 && command == F_SETFD) NoteFlags(fd);
  if (result >= 0 && command == F_SETFL) WithdrawForGood(fd), NoteClosing(fd);
  return result;
}

void* Mapped(void* address, size_t length, int protection, int flags, int fd, off_t offset) {
  if (address != MAP_FAILED) NoteMapped(address, length, protection, flags, fd, offset);
  return address;
}

int Advised(int fd, off_t offset, off_t length, int advice, int error) {
  HostAdvice meant;
  if (error != 0 || !IsFileAdvice(advice, meant)) return error;
  IsAboutRange(meant) ? NoteAdvice(fd, meant, offset, length) : NoteStandingAdvice(fd, meant);
  return error;
}

DIR* Folder(DIR* folder) {
  if (folder != nullptr) NoteFolder(dirfd(folder));
  return folder;
}

template <typename Dirent>
Dirent* Listed(DIR* folder, Dirent* entry) {
  if (entry != nullptr && runtime.is_recording()) NoteEntry(dirfd(folder), entry->d_ino);
  return entry;
}

}  // namespace

int open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = TakeMode(flags, rest);
  va_end(rest);
  return Opened(real::open(path, flags, mode));
}
int open64(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = TakeMode(flags, rest);
  va_end(rest);
  return Opened(real::open64(path, flags, mode));
}
int openat(int folder, const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = TakeMode(flags, rest);
  va_end(rest);
  return Opened(real::openat(folder, path, flags, mode));
}
int openat64(int folder, const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = TakeMode(flags, rest);
  va_end(rest);
  return Opened(real::openat64(folder, path, flags, mode));
}
int __open(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = TakeMode(flags, rest);
  va_end(rest);
  return Opened(real::__open(path, flags, mode));
}
int __open64(const char* path, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  const mode_t mode = TakeMode(flags, rest);
  va_end(rest);
  return Opened(real::__open64(path, flags, mode));
}
int creat(const char* path, mode_t mode) { return Opened(real::creat(path, mode)); }
int creat64(const char* path, mode_t mode) { return Opened(real::creat64(path, mode)); }
int __open_2(const char* path, int flags) { return Opened(real::__open_2(path, flags)); }
int __open64_2(const char* path, int flags) { return Opened(real::__open64_2(path, flags)); }
int __openat_2(int folder, const char* path, int flags) { return Opened(real::__openat_2(folder, path, flags)); }
int __openat64_2(int folder, const char* path, int flags) { return Opened(real::__openat64_2(folder, path, flags)); }
int mkstemp(char* pattern) { return Opened(real::mkstemp(pattern)); }
int mkstemp64(char* pattern) { return Opened(real::mkstemp64(pattern)); }
int mkostemp(char* pattern, int flags) { return Opened(real::mkostemp(pattern, flags)); }
int mkostemp64(char* pattern, int flags) { return Opened(real::mkostemp64(pattern, flags)); }
int mkstemps(char* pattern, int suffix) { return Opened(real::mkstemps(pattern, suffix)); }
int mkstemps64(char* pattern, int suffix) { return Opened(real::mkstemps64(pattern, suffix)); }
int mkostemps(char* pattern, int suffix, int flags) { return Opened(real::mkostemps(pattern, suffix, flags)); }
int mkostemps64(char* pattern, int suffix, int flags) { return Opened(real::mkostemps64(pattern, suffix, flags)); }

int close(int fd) {
  NoteClosing(fd);
  return real::close(fd);
}
int __close(int fd) {
  NoteClosing(fd);
  return real::__close(fd);
}
int close_range(unsigned first, unsigned last, int flags) {
  if ((static_cast<unsigned>(flags) & CLOSE_RANGE_CLOEXEC) == 0) NoteClosingRange(first, last);
  return real::close_range(first, last, flags);
}
void closefrom(int first) {
  NoteClosingRange(first < 0 ? 0u : static_cast<unsigned>(first), ~0u);
  real::closefrom(first);
}
int dup(int fd) { return Duplicated(fd, real::dup(fd)); }
int dup2(int fd, int copy) {
  if (fd != copy) NoteClosing(copy);
  return Duplicated(fd, real::dup2(fd, copy));
}
int __dup2(int fd, int copy) {
  if (fd != copy) NoteClosing(copy);
  return Duplicated(fd, real::__dup2(fd, copy));
}
int dup3(int fd, int copy, int flags) {
  if (fd != copy) NoteClosing(copy);
  return Duplicated(fd, real::dup3(fd, copy, flags));
}
int fcntl(int fd, int command, ...) {
  va_list rest;
  va_start(rest, command);
  void* argument = va_arg(rest, void*);
  va_end(rest);
  return Controlled(fd, command, real::fcntl(fd, command, argument));
}
int fcntl64(int fd, int command, ...) {
  va_list rest;
  va_start(rest, command);
  void* argument = va_arg(rest, void*);
  va_end(rest);
  return Controlled(fd, command, real::fcntl64(fd, command, argument));
}
int __fcntl(int fd, int command, ...) {
  va_list rest;
  va_start(rest, command);
  void* argument = va_arg(rest, void*);
  va_end(rest);
  return Controlled(fd, command, real::__fcntl(fd, command, argument));
}

ssize_t read(int fd, void* buffer, size_t count) { return Read<real::read>(fd, buffer, count); }
ssize_t __read(int fd, void* buffer, size_t count) { return Read<real::__read>(fd, buffer, count); }
ssize_t pread(int fd, void* buffer, size_t count, off_t offset) {
  return ReadAt<real::pread>(fd, buffer, count, offset);
}
ssize_t pread64(int fd, void* buffer, size_t count, off_t offset) {
  return ReadAt<real::pread64>(fd, buffer, count, offset);
}
ssize_t __pread64(int fd, void* buffer, size_t count, off_t offset) {
  return ReadAt<real::__pread64>(fd, buffer, count, offset);
}
ssize_t readv(int fd, const iovec* parts, int count) { return Read<real::readv>(fd, parts, count); }
ssize_t preadv(int fd, const iovec* parts, int count, off_t offset) {
  return ReadAt<real::preadv>(fd, parts, count, offset);
}
ssize_t preadv64(int fd, const iovec* parts, int count, off_t offset) {
  return ReadAt<real::preadv64>(fd, parts, count, offset);
}
ssize_t preadv2(int fd, const iovec* parts, int count, off_t offset, int flags) {
  return ReadWithFlags<real::preadv2>(fd, parts, count, offset, flags);
}
ssize_t preadv64v2(int fd, const iovec* parts, int count, off_t offset, int flags) {
  return ReadWithFlags<real::preadv64v2>(fd, parts, count, offset, flags);
}
ssize_t __read_chk(int fd, void* buffer, size_t count, size_t size) {
  return Read<real::__read_chk>(fd, buffer, count, size);
}
ssize_t __pread_chk(int fd, void* buffer, size_t count, off_t offset, size_t size) {
  return ReadAt<real::__pread_chk>(fd, buffer, count, offset, size);
}
ssize_t __pread64_chk(int fd, void* buffer, size_t count, off_t offset, size_t size) {
  return ReadAt<real::__pread64_chk>(fd, buffer, count, offset, size);
}
off_t lseek(int fd, off_t offset, int whence) { return Moved(fd, offset, whence, real::lseek(fd, offset, whence)); }
off_t lseek64(int fd, off_t offset, int whence) { return Moved(fd, offset, whence, real::lseek64(fd, offset, whence)); }
off_t __lseek(int fd, off_t offset, int whence) { return Moved(fd, offset, whence, real::__lseek(fd, offset, whence)); }
ssize_t sendfile(int to, int from, off_t* offset, size_t count) {
  return Transfer<real::sendfile>(from, offset, count, to, from, offset, count);
}
ssize_t sendfile64(int to, int from, off_t* offset, size_t count) {
  return Transfer<real::sendfile64>(from, offset, count, to, from, offset, count);
}
ssize_t splice(int from, off_t* offset, int to, off_t* offset_to, size_t count, unsigned flags) {
  return Transfer<real::splice>(from, offset, count, from, offset, to, offset_to, count, flags);
}
ssize_t copy_file_range(int from, off_t* offset, int to, off_t* offset_to, size_t count, unsigned flags) {
  return Transfer<real::copy_file_range>(from, offset, count, from, offset, to, offset_to, count, flags);
}

FILE* fopen(const char* path, const char* mode) { return Opened(real::fopen(path, mode)); }
FILE* fopen64(const char* path, const char* mode) { return Opened(real::fopen64(path, mode)); }
FILE* fdopen(int fd, const char* mode) { return real::fdopen(fd, mode); }
FILE* freopen(const char* path, const char* mode, FILE* file) {
  NoteClosing(OwnDescriptorOf(file));
  return Opened(real::freopen(path, mode, file));
}
FILE* freopen64(const char* path, const char* mode, FILE* file) {
  NoteClosing(OwnDescriptorOf(file));
  return Opened(real::freopen64(path, mode, file));
}
FILE* tmpfile() { return Opened(real::tmpfile()); }
FILE* tmpfile64() { return Opened(real::tmpfile64()); }
int fclose(FILE* file) {
  NoteClosing(OwnDescriptorOf(file));
  return real::fclose(file);
}
int pclose(FILE* file) {
  NoteClosing(OwnDescriptorOf(file));
  return real::pclose(file);
}
size_t fread(void* items, size_t size, size_t count, FILE* file) {
  return ReadItems<real::fread>(file, size * count, Taking<size_t>{size}, items, size, count, file);
}
size_t fread_unlocked(void* items, size_t size, size_t count, FILE* file) {
  return ReadItems<real::fread_unlocked>(file, size * count, Taking<size_t>{size}, items, size, count, file);
}
size_t __fread_chk(void* items, size_t room, size_t size, size_t count, FILE* file) {
  return ReadItems<real::__fread_chk>(file, size * count, Taking<size_t>{size}, items, room, size, count, file);
}
size_t __fread_unlocked_chk(void* items, size_t room, size_t size, size_t count, FILE* file) {
  return ReadItems<real::__fread_unlocked_chk>(file, size * count, Taking<size_t>{size}, items, room, size, count,
                                               file);
}
char* fgets(char* line, int size, FILE* file) { return ReadLine<real::fgets>(file, Taking<char*>{}, line, size, file); }
char* fgets_unlocked(char* line, int size, FILE* file) {
  return ReadLine<real::fgets_unlocked>(file, Taking<char*>{}, line, size, file);
}
char* __fgets_chk(char* line, size_t room, int size, FILE* file) {
  return ReadLine<real::__fgets_chk>(file, Taking<char*>{}, line, room, size, file);
}
char* __fgets_unlocked_chk(char* line, size_t room, int size, FILE* file) {
  return ReadLine<real::__fgets_unlocked_chk>(file, Taking<char*>{}, line, room, size, file);
}
ssize_t getline(char** line, size_t* room, FILE* file) {
  return ReadLine<real::getline>(file, Taking<ssize_t>{}, line, room, file);
}
ssize_t getdelim(char** line, size_t* room, int end, FILE* file) {
  return ReadLine<real::getdelim>(file, Taking<ssize_t>{}, line, room, end, file);
}
ssize_t __getdelim(char** line, size_t* room, int end, FILE* file) {
  return ReadLine<real::__getdelim>(file, Taking<ssize_t>{}, line, room, end, file);
}
int __uflow(FILE* file) { return ReadLine<real::__uflow>(file, Taking<int>{1}, file); }
int __underflow(FILE* file) { return ReadLine<real::__underflow>(file, Taking<int>{0}, file); }
int fseek(FILE* file, long offset, int whence) { return MovedSomewhere(file, real::fseek(file, offset, whence)); }
int fseeko(FILE* file, off_t offset, int whence) { return MovedSomewhere(file, real::fseeko(file, offset, whence)); }
int fseeko64(FILE* file, off_t offset, int whence) {
  return MovedSomewhere(file, real::fseeko64(file, offset, whence));
}
void rewind(FILE* file) {
  real::rewind(file);
  NoteMoved(DescriptorOf(file), Description::kUnknown);
}
int fsetpos(FILE* file, const fpos_t* place) { return MovedSomewhere(file, real::fsetpos(file, place)); }
int fsetpos64(FILE* file, const fpos_t* place) { return MovedSomewhere(file, real::fsetpos64(file, place)); }

DIR* opendir(const char* path) { return Folder(real::opendir(path)); }
DIR* fdopendir(int fd) { return Folder(real::fdopendir(fd)); }
int closedir(DIR* folder) {
  if (folder != nullptr) NoteClosing(dirfd(folder));
  return real::closedir(folder);
}
dirent* readdir(DIR* folder) { return Listed(folder, real::readdir(folder)); }
dirent64* readdir64(DIR* folder) { return Listed(folder, real::readdir64(folder)); }
int readdir_r(DIR* folder, dirent* entry, dirent** result) {
  const int error = real::readdir_r(folder, entry, result);
  if (error == 0) Listed(folder, *result);
  return error;
}
int readdir64_r(DIR* folder, dirent64* entry, dirent64** result) {
  const int error = real::readdir64_r(folder, entry, result);
  if (error == 0) Listed(folder, *result);
  return error;
}
ssize_t getdents64(int fd, void* entries, size_t size) {
  const ssize_t bytes = real::getdents64(fd, entries, size);
  if (bytes > 0) NoteEntries(fd, entries, static_cast<size_t>(bytes));
  return bytes;
}

int posix_fadvise(int fd, off_t offset, off_t length, int advice) {
  return Advised(fd, offset, length, advice, real::posix_fadvise(fd, offset, length, advice));
}
int posix_fadvise64(int fd, off_t offset, off_t length, int advice) {
  return Advised(fd, offset, length, advice, real::posix_fadvise64(fd, offset, length, advice));
}
ssize_t readahead(int fd, off_t offset, size_t count) {
  const ssize_t result = real::readahead(fd, offset, count);
  if (result == 0 && count != 0) NoteAdvice(fd, HostAdvice::kWillNeed, offset, Clamped(count));
  return result;
}
void* mmap(void* address, size_t length, int protection, int flags, int fd, off_t offset) {
  void* result = real::mmap(address, length, protection, flags, fd, offset);
  return Mapped(result, length, protection, flags, fd, offset);
}
void* mmap64(void* address, size_t length, int protection, int flags, int fd, off_t offset) {
  void* result = real::mmap64(address, length, protection, flags, fd, offset);
  return Mapped(result, length, protection, flags, fd, offset);
}
int munmap(void* address, size_t length) {
  NoteUnmapping(address, length);
  return real::munmap(address, length);
}
int madvise(void* address, size_t length, int advice) {
  const int result = real::madvise(address, length, advice);
  if (result == 0) NoteMemoryAdvice(address, length, advice);
  return result;
}
int posix_madvise(void* address, size_t length, int advice) {
  const int error = real::posix_madvise(address, length, advice);
  // POSIX_MADV_DONTNEED does nothing in glibc; the others have the numbers of madvise.
  if (error == 0 && advice != POSIX_MADV_DONTNEED) NoteMemoryAdvice(address, length, advice);
  return error;
}
void* mremap(void* address, size_t old_length, size_t length, int flags, ...) {
  va_list rest;
  va_start(rest, flags);
  void* wanted = va_arg(rest, void*);
  va_end(rest);
  void* const result = real::mremap(address, old_length, length, flags, wanted);
  if (result != MAP_FAILED) NoteRemapped(address, old_length, result, length);
  return result;
}

int prctl(int option, ...) {
  va_list rest;
  va_start(rest, option);
  unsigned long arguments[4];
  for (unsigned long& argument : arguments) argument = va_arg(rest, unsigned long);
  va_end(rest);
  // A filter of system calls follows, as a rule. Before the call, because after it none of ours may be made.
  if (option == PR_SET_NO_NEW_PRIVS || option == PR_SET_SECCOMP) WithdrawAll(), runtime.GiveUp();
  return real::prctl(option, arguments[0], arguments[1], arguments[2], arguments[3]);
}

}  // namespace ahead::hook

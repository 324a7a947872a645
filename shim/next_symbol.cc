// Source for the table layouts: System V ABI, chapter 5 (dynamic section, symbol table); for DT_GNU_HASH, "ELF: better
// symbol lookup via DT_GNU_HASH" (Vitali, 2017) and glibc's elf/dl-lookup.c, whose rule for unversioned look-ups is
// followed: no hidden version.
#include "shim/next_symbol.h"

#include <elf.h>
#include <link.h>
#include <string.h>

#include <cstddef>
#include <cstdint>

namespace ahead {
namespace {

// Programs with more libraries than this before libc have their originals found by dlsym.
constexpr int kMaxLibraries = 64;
constexpr uint16_t kHiddenVersion = 0x8000;

struct Library {
  uintptr_t base;
  const ElfW(Dyn) * dynamic;
};

// In .data, next to what every process writes to: a page of .bss for it would be one page fault more at each start.
[[gnu::section(".data")]] constinit Library libraries[kMaxLibraries] = {};
constinit int library_count = 0;

// What is needed of one library's dynamic section.
struct Tables {
  const uint32_t* hash = nullptr;
  const ElfW(Sym) * symbols = nullptr;
  const char* strings = nullptr;
  const uint16_t* versions = nullptr;
};

// The loader relocates these addresses where the section is writable.
template <typename T>
void Set(T& to, uintptr_t base, uintptr_t address) {
  to = reinterpret_cast<T>(address < base ? base + address : address);
}

Tables TablesOf(const Library& library) {
  Tables tables;
  for (const auto* entry = library.dynamic; entry->d_tag != DT_NULL; ++entry) {
    if (entry->d_tag == DT_GNU_HASH) Set(tables.hash, library.base, entry->d_un.d_ptr);
    if (entry->d_tag == DT_SYMTAB) Set(tables.symbols, library.base, entry->d_un.d_ptr);
    if (entry->d_tag == DT_STRTAB) Set(tables.strings, library.base, entry->d_un.d_ptr);
    if (entry->d_tag == DT_VERSYM) Set(tables.versions, library.base, entry->d_un.d_ptr);
  }
  return tables;
}

uint32_t Hash(const char* name) {
  uint32_t hash = 5381;
  for (; *name != 0; ++name) hash = hash * 33 + static_cast<uint8_t>(*name);
  return hash;
}

bool IsUsable(const Tables& tables, uint32_t index, const char* name) {
  const ElfW(Sym)& symbol = tables.symbols[index];
  if (symbol.st_shndx == SHN_UNDEF || symbol.st_value == 0) return false;
  if (tables.versions != nullptr && (tables.versions[index] & kHiddenVersion) != 0) return false;
  return strcmp(tables.strings + symbol.st_name, name) == 0;
}

// Returns the symbol's index, 0 when the library does not define it.
uint32_t FindIndex(const Tables& tables, const char* name, uint32_t hash) {
  constexpr uint32_t kWordBits = sizeof(ElfW(Addr)) * 8;
  const uint32_t bucket_count = tables.hash[0];
  const uint32_t first_symbol = tables.hash[1];
  const uint32_t bloom_words = tables.hash[2];
  const uint32_t bloom_shift = tables.hash[3];
  const auto* bloom = reinterpret_cast<const ElfW(Addr)*>(tables.hash + 4);
  const auto* buckets = reinterpret_cast<const uint32_t*>(bloom + bloom_words);
  const uint32_t* chain = buckets + bucket_count;
  if (bucket_count == 0 || bloom_words == 0) return 0;
  const ElfW(Addr) word = bloom[(hash / kWordBits) % bloom_words];
  if ((word >> (hash % kWordBits) & word >> ((hash >> bloom_shift) % kWordBits) & 1) == 0) return 0;
  uint32_t index = buckets[hash % bucket_count];
  if (index < first_symbol) return 0;
  for (;; ++index) {
    const uint32_t entry = chain[index - first_symbol];
    if ((entry | 1) == (hash | 1) && IsUsable(tables, index, name)) return index;
    if ((entry & 1) != 0) return 0;
  }
}

// Collects what follows our own library.
int Collect(dl_phdr_info* info, size_t, void* seen_us) {
  Library library{info->dlpi_addr, nullptr};
  bool is_ours = false;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const ElfW(Phdr)& header = info->dlpi_phdr[i];
    const uintptr_t begin = info->dlpi_addr + header.p_vaddr;
    if (header.p_type == PT_DYNAMIC) library.dynamic = reinterpret_cast<const ElfW(Dyn)*>(begin);
    if (header.p_type == PT_LOAD && reinterpret_cast<uintptr_t>(&library_count) - begin < header.p_memsz)
      is_ours = true;
  }
  bool& after_us = *static_cast<bool*>(seen_us);
  if (after_us && library.dynamic != nullptr) libraries[library_count++] = library;
  after_us = after_us || is_ours;
  return library_count == kMaxLibraries;
}

}  // namespace

void FindLaterLibraries() noexcept {
  bool after_us = false;
  dl_iterate_phdr(&Collect, &after_us);
}

void* FindInLaterLibraries(const char* name) noexcept {
  const uint32_t hash = Hash(name);
  for (int i = 0; i < library_count; ++i) {
    const Tables tables = TablesOf(libraries[i]);
    if (tables.hash == nullptr || tables.symbols == nullptr || tables.strings == nullptr) return nullptr;
    const uint32_t index = FindIndex(tables, name, hash);
    if (index == 0) continue;
    const ElfW(Sym)& symbol = tables.symbols[index];
    if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC) return nullptr;
    return reinterpret_cast<void*>(libraries[i].base + symbol.st_value);
  }
  return nullptr;
}

}  // namespace ahead

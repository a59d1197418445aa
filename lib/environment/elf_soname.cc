#include "environment/elf_soname.h"

#include <elf.h>
#include <link.h>

#include <cstring>
#include <optional>
#include <vector>

namespace gapscope::environment {
namespace {

constexpr std::size_t kMostHeaders = 256;
constexpr std::size_t kMostDynamic = 4096;

using Header = ElfW(Ehdr);
using Segment = ElfW(Phdr);
using Dynamic = ElfW(Dyn);

template <class T>
std::vector<T> read_entries(const FileView& files, std::string_view path, std::size_t offset,
                            std::size_t count) {
  const std::string bytes = files.read(path, count * sizeof(T), offset);
  std::vector<T> entries(bytes.size() / sizeof(T));
  if (!entries.empty()) std::memcpy(entries.data(), bytes.data(), entries.size() * sizeof(T));
  return entries;
}

bool is_native(const Header& header) {
  constexpr unsigned char kClass = sizeof(void*) == 8 ? ELFCLASS64 : ELFCLASS32;
  const std::uint16_t one = 1;
  unsigned char low = 0;
  std::memcpy(&low, &one, 1);
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 && header.e_ident[EI_CLASS] == kClass &&
         header.e_ident[EI_DATA] == (low == 1 ? ELFDATA2LSB : ELFDATA2MSB) &&
         header.e_phentsize == sizeof(Segment);
}

// Where in the file a virtual address lies.
std::optional<std::size_t> offset_of(const std::vector<Segment>& segments, std::uint64_t address) {
  for (const Segment& s : segments) {
    if (s.p_type == PT_LOAD && address >= s.p_vaddr && address - s.p_vaddr < s.p_filesz)
      return s.p_offset + (address - s.p_vaddr);
  }
  return std::nullopt;
}

}  // namespace

std::string elf_soname(const FileView& files, std::string_view path) {
  const auto headers = read_entries<Header>(files, path, 0, 1);
  if (headers.empty() || !is_native(headers[0]) || headers[0].e_phnum > kMostHeaders) return {};
  const auto segments = read_entries<Segment>(files, path, headers[0].e_phoff, headers[0].e_phnum);
  std::optional<std::uint64_t> strings, name;
  for (const Segment& segment : segments) {
    if (segment.p_type != PT_DYNAMIC) continue;
    const std::size_t count = segment.p_filesz / sizeof(Dynamic);
    if (count > kMostDynamic) return {};
    for (const Dynamic& d : read_entries<Dynamic>(files, path, segment.p_offset, count)) {
      if (d.d_tag == DT_NULL) break;
      if (d.d_tag == DT_STRTAB) strings = d.d_un.d_ptr;
      if (d.d_tag == DT_SONAME) name = d.d_un.d_val;
    }
  }
  if (!strings || !name) return {};
  const auto table = offset_of(segments, *strings);
  if (!table) return {};
  const std::string text = files.read(path, 256, *table + *name);
  return text.substr(0, text.find('\0'));
}

}  // namespace gapscope::environment

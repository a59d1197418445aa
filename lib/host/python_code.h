// Names of code objects: "file:function:line", remembered by the code object's address.
//
// The memory of a code object may be freed and used again, so an address alone is no identity: its
// fields are compared, and its names read again, unless that was done within kTrustNs. So a name
// may be wrong for at most that long, and only if another code object took the very place
// meanwhile.
//
// Bounded: kMaxCodes entries, forgotten all at once when they are reached.
//
// Thread-safety: one owner.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "host/own_memory.h"
#include "host/python_process.h"
#include "host/python_stack.h"
#include "host/text_table.h"

namespace gapscope {

class PythonCode {
 public:
  static constexpr std::size_t kMaxCodes = 4096;
  static constexpr std::uint64_t kTrustNs = 20'000'000;

  // All must outlive this.
  PythonCode(const OwnMemory& memory, const PythonProcess& process, TextTable& texts)
      : memory_(memory), process_(process), texts_(texts) {}

  // The text's id, kNoString when the frame's code is none, cannot be read or looks wrong (a file
  // that is neither *.py nor <...>). now_ns: any clock that only goes forward.
  std::uint32_t name(const PythonFrame& frame, std::uint64_t now_ns);
  std::size_t size() const { return codes_.size(); }

 private:
  struct Fields {
    std::uint64_t type = 0, filename = 0, name = 0, linetable = 0;
    std::int32_t first_line = 0;
    bool operator==(const Fields&) const = default;
  };
  struct Code {
    Fields fields;
    std::string where;  // "file:function"
    std::string linetable;
    std::uint64_t checked_ns = 0;
    absl::flat_hash_map<std::int64_t, std::uint32_t> texts;  // by byte offset
  };

  bool read_fields(std::uint64_t code, Fields& fields) const;
  std::optional<std::string> read_where(const Fields& fields) const;
  Code* find(std::uint64_t code, std::uint64_t now_ns);
  std::int64_t byte_offset(const PythonFrame& frame) const;

  const OwnMemory& memory_;
  const PythonProcess& process_;
  TextTable& texts_;
  absl::flat_hash_map<std::uint64_t, Code> codes_;
};

}  // namespace gapscope

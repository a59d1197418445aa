// Reads of the file system that cannot go wrong: bounded, and empty where something is not there.
//
// Everything lies below a root folder, "" in a live process, so that tests bring their own. Any
// thread; a hanging file system hangs the caller.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gapscope::environment {

class FileView {
 public:
  explicit FileView(std::string root = {}) : root_(std::move(root)) {}

  // At most max_bytes of a regular file (of /proc too), from its beginning or from offset.
  std::string read(std::string_view path, std::size_t max_bytes, std::size_t offset = 0) const;
  // Names in a folder, sorted, at most max_names of them, without "." and "..".
  std::vector<std::string> list(std::string_view path, std::size_t max_names) const;
  // Target of a symbolic link as it is written.
  std::string link(std::string_view path) const;
  bool exists(std::string_view path) const;
  // Every symbolic link resolved, without the root; the path itself where that fails.
  std::string real_path(std::string_view path) const;

 private:
  std::string full(std::string_view path) const;
  std::string root_;
};

// "/a/b/c" -> "/a/b" and "c"; a path without a slash has no folder.
std::string_view folder_of(std::string_view path);
std::string_view file_of(std::string_view path);
// Whether path is folder or lies below it.
bool lies_below(std::string_view path, std::string_view folder);

}  // namespace gapscope::environment

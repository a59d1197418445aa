// The commit that a folder's repository has checked out, read from git's files by hand.
#pragma once

#include <string>
#include <string_view>

#include "environment/file_view.h"

namespace gapscope::environment {

struct GitHead {
  std::string revision;  // hexadecimal digits; "" when unknown
  std::string branch;    // "" when detached
};

// Of the repository that folder (an absolute path) lies in: worktrees, submodules and packed
// references too. Whether files were changed is not looked at: that takes reading all of them.
GitHead git_head(const FileView& files, std::string_view folder);

}  // namespace gapscope::environment

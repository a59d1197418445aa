#include "rows.h"

#include <vector>

namespace gapscope::bench {
namespace {

std::vector<AddRows>& subjects() {
  static std::vector<AddRows> list;
  return list;
}

}  // namespace

bool register_rows(AddRows add) {
  subjects().push_back(add);
  return true;
}

void add_all_rows(bool smoke) {
  for (const AddRows add : subjects()) add(smoke);
}

}  // namespace gapscope::bench

#include "sink/json_string.h"

#include <nlohmann/json.hpp>

namespace gapscope::sink {

std::string json_string(std::string_view text) {
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

}  // namespace gapscope::sink

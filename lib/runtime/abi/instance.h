// The one session of this process, shared by injection and the C interface: whichever comes first
// starts it. The only global state of the library.
#pragma once

#include <memory>

#include "gapscope/gapscope.h"
#include "runtime/session.h"

namespace gapscope {

// Made by the backend that is linked in (cupti_backend/).
std::unique_ptr<Backend> make_backend();

// The session, nullptr before the first start. Never destroyed.
Session* instance() noexcept;

// Starts the session if there is none; registers the exit and fork handlers once. Never throws.
// options may be nullptr. When it fails it has said why on stderr, in one line.
gapscope_status start_instance(const gapscope_options* options) noexcept;

}  // namespace gapscope

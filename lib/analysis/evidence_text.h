// A piece of evidence in words.
#pragma once

#include <string>

#include "analysis/cause_slice.h"
#include "analysis/names.h"

namespace gapscope {

// "cudaStreamSynchronize", "dataloader.py:__next__ > Image.py:convert", "generation 2", "futex",
// "tracing the nodes of cudaGraphLaunch"; empty when there is nothing to say. With the thread that
// was waited for: "GIL, held by decode_3", "Image.py:convert, in decode_3"; a guess reads "futex,
// perhaps for decode_3", "..., perhaps in decode_3".
std::string evidence_text(const EvidenceRef& evidence, const NameTable& names);

}  // namespace gapscope

#include "nvtx.h"

#define NVTX_NO_IMPL
#include <nvtx3/nvToolsExt.h>

#include <atomic>
#include <cstdint>
#include <cwchar>
#include <string_view>

#include "gapscope/gapscope.h"
#include "runtime/abi/instance.h"

namespace gapscope::cupti {
namespace {

// How many libraries have been attached to. NVTX gives no user data to its callbacks.
std::atomic<int> g_attached{0};
std::atomic<std::uint64_t> g_next_range{1};

// A domain or registered string lives until the process ends: NVTX may use its handle at any time.
struct Domain {
  std::string name;
};
struct RegisteredString {
  std::string text;
};
constexpr int kMaxHandles = 1 << 16;
std::atomic<int> g_handles{0};

Session* session() {
  Session* s = instance();
  return s != nullptr && s->running() ? s : nullptr;
}

// Wide text, cut and narrowed into a fixed buffer: no allocation.
class Narrow {
 public:
  explicit Narrow(const wchar_t* text) {
    for (; text != nullptr && *text != 0 && size_ < sizeof bytes_; ++text) {
      bytes_[size_++] = *text < 0x80 ? static_cast<char>(*text) : '?';
    }
  }
  std::string_view view() const { return {bytes_, size_}; }

 private:
  char bytes_[kMaxMarkText];
  std::size_t size_ = 0;
};

std::string_view text_of(const char* text) {
  return text == nullptr ? std::string_view{} : std::string_view{text};
}

std::string_view name_of(nvtxDomainHandle_t domain) {
  return domain == nullptr ? std::string_view{} : reinterpret_cast<const Domain*>(domain)->name;
}

void put(MarkKind kind, std::string_view name, std::string_view domain = {}, std::uint64_t id = 0) {
  if (Session* s = session()) s->mark_text(kind, name, domain, id);
}

void put(MarkKind kind, const nvtxEventAttributes_t* event, std::string_view domain = {},
         std::uint64_t id = 0) {
  if (event == nullptr) return put(kind, std::string_view{}, domain, id);
  switch (event->messageType) {
    case NVTX_MESSAGE_TYPE_ASCII:
      return put(kind, text_of(event->message.ascii), domain, id);
    case NVTX_MESSAGE_TYPE_UNICODE:
      return put(kind, Narrow(event->message.unicode).view(), domain, id);
    case NVTX_MESSAGE_TYPE_REGISTERED:
      if (event->message.registered != nullptr) {
        const auto* string = reinterpret_cast<const RegisteredString*>(event->message.registered);
        return put(kind, std::string_view(string->text), domain, id);
      }
      [[fallthrough]];
    default:
      return put(kind, std::string_view{}, domain, id);
  }
}

std::uint64_t next_range() { return g_next_range.fetch_add(1, std::memory_order_relaxed); }

// The level that NVTX promises its caller: how deep the ranges of this thread are nested.
thread_local int t_level = 0;
int deeper() { return t_level++; }
int shallower() { return t_level > 0 ? --t_level : -1; }

void NVTX_API mark_ex(const nvtxEventAttributes_t* e) { put(MarkKind::instant, e); }
void NVTX_API mark_a(const char* m) { put(MarkKind::instant, text_of(m)); }
void NVTX_API mark_w(const wchar_t* m) { put(MarkKind::instant, Narrow(m).view()); }

nvtxRangeId_t NVTX_API range_start_ex(const nvtxEventAttributes_t* e) {
  const std::uint64_t id = next_range();
  put(MarkKind::range_start, e, {}, id);
  return id;
}
nvtxRangeId_t NVTX_API range_start_a(const char* m) {
  const std::uint64_t id = next_range();
  put(MarkKind::range_start, text_of(m), {}, id);
  return id;
}
nvtxRangeId_t NVTX_API range_start_w(const wchar_t* m) {
  const std::uint64_t id = next_range();
  put(MarkKind::range_start, Narrow(m).view(), {}, id);
  return id;
}
void NVTX_API range_end(nvtxRangeId_t id) { put(MarkKind::range_end, std::string_view{}, {}, id); }

int NVTX_API range_push_ex(const nvtxEventAttributes_t* e) {
  put(MarkKind::range_push, e);
  return deeper();
}
int NVTX_API range_push_a(const char* m) {
  put(MarkKind::range_push, text_of(m));
  return deeper();
}
int NVTX_API range_push_w(const wchar_t* m) {
  put(MarkKind::range_push, Narrow(m).view());
  return deeper();
}
int NVTX_API range_pop() {
  put(MarkKind::range_pop, std::string_view{});
  return shallower();
}

void NVTX_API domain_mark_ex(nvtxDomainHandle_t d, const nvtxEventAttributes_t* e) {
  put(MarkKind::instant, e, name_of(d));
}
nvtxRangeId_t NVTX_API domain_range_start_ex(nvtxDomainHandle_t d, const nvtxEventAttributes_t* e) {
  const std::uint64_t id = next_range();
  put(MarkKind::range_start, e, name_of(d), id);
  return id;
}
void NVTX_API domain_range_end(nvtxDomainHandle_t d, nvtxRangeId_t id) {
  put(MarkKind::range_end, std::string_view{}, name_of(d), id);
}
int NVTX_API domain_range_push_ex(nvtxDomainHandle_t d, const nvtxEventAttributes_t* e) {
  put(MarkKind::range_push, e, name_of(d));
  return deeper();
}
int NVTX_API domain_range_pop(nvtxDomainHandle_t d) {
  put(MarkKind::range_pop, std::string_view{}, name_of(d));
  return shallower();
}

// Registration is rare and may allocate. Past the cap handles are null, which NVTX allows: such
// strings show without a name and such domains as the default one.
template <typename T>
T* keep(std::string_view text) {
  if (g_handles.fetch_add(1, std::memory_order_relaxed) >= kMaxHandles) return nullptr;
  try {
    return new T{std::string(text)};
  } catch (...) {
    return nullptr;
  }
}

nvtxStringHandle_t NVTX_API register_string_a(nvtxDomainHandle_t, const char* s) {
  return reinterpret_cast<nvtxStringHandle_t>(keep<RegisteredString>(text_of(s)));
}
nvtxStringHandle_t NVTX_API register_string_w(nvtxDomainHandle_t, const wchar_t* s) {
  return reinterpret_cast<nvtxStringHandle_t>(keep<RegisteredString>(Narrow(s).view()));
}
nvtxDomainHandle_t NVTX_API domain_create_a(const char* n) {
  return reinterpret_cast<nvtxDomainHandle_t>(keep<Domain>(text_of(n)));
}
nvtxDomainHandle_t NVTX_API domain_create_w(const wchar_t* n) {
  return reinterpret_cast<nvtxDomainHandle_t>(keep<Domain>(Narrow(n).view()));
}

template <typename F>
void assign(NvtxFunctionTable table, unsigned size, unsigned id, F* function) {
  if (id < size && table[id] != nullptr) {
    *table[id] = reinterpret_cast<NvtxFunctionPointer>(function);
  }
}

void attach_core(NvtxFunctionTable table, unsigned size) {
  assign(table, size, NVTX_CBID_CORE_MarkEx, &mark_ex);
  assign(table, size, NVTX_CBID_CORE_MarkA, &mark_a);
  assign(table, size, NVTX_CBID_CORE_MarkW, &mark_w);
  assign(table, size, NVTX_CBID_CORE_RangeStartEx, &range_start_ex);
  assign(table, size, NVTX_CBID_CORE_RangeStartA, &range_start_a);
  assign(table, size, NVTX_CBID_CORE_RangeStartW, &range_start_w);
  assign(table, size, NVTX_CBID_CORE_RangeEnd, &range_end);
  assign(table, size, NVTX_CBID_CORE_RangePushEx, &range_push_ex);
  assign(table, size, NVTX_CBID_CORE_RangePushA, &range_push_a);
  assign(table, size, NVTX_CBID_CORE_RangePushW, &range_push_w);
  assign(table, size, NVTX_CBID_CORE_RangePop, &range_pop);
}

void attach_domains(NvtxFunctionTable table, unsigned size) {
  assign(table, size, NVTX_CBID_CORE2_DomainMarkEx, &domain_mark_ex);
  assign(table, size, NVTX_CBID_CORE2_DomainRangeStartEx, &domain_range_start_ex);
  assign(table, size, NVTX_CBID_CORE2_DomainRangeEnd, &domain_range_end);
  assign(table, size, NVTX_CBID_CORE2_DomainRangePushEx, &domain_range_push_ex);
  assign(table, size, NVTX_CBID_CORE2_DomainRangePop, &domain_range_pop);
  assign(table, size, NVTX_CBID_CORE2_DomainRegisterStringA, &register_string_a);
  assign(table, size, NVTX_CBID_CORE2_DomainRegisterStringW, &register_string_w);
  assign(table, size, NVTX_CBID_CORE2_DomainCreateA, &domain_create_a);
  assign(table, size, NVTX_CBID_CORE2_DomainCreateW, &domain_create_w);
}

}  // namespace

std::string nvtx_state() {
  if (g_attached.load(std::memory_order_relaxed) > 0) return "attached";
  return "not attached: set NVTX_INJECTION64_PATH to libgapscope.so too to see ranges";
}

}  // namespace gapscope::cupti

// Called once by each library that has NVTX inside, when NVTX_INJECTION64_PATH names this library.
// Always 1.
extern "C" GAPSCOPE_API int InitializeInjectionNvtx2(NvtxGetExportTableFunc_t get_export_table) {
  using namespace gapscope::cupti;
  if (get_export_table == nullptr) return 1;
  const auto* callbacks =
      static_cast<const NvtxExportTableCallbacks*>(get_export_table(NVTX_ETID_CALLBACKS));
  if (callbacks == nullptr || callbacks->struct_size < sizeof(NvtxExportTableCallbacks)) return 1;
  NvtxFunctionTable table = nullptr;
  unsigned size = 0;
  if (callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE, &table, &size) != 0) {
    attach_core(table, size);
    g_attached.fetch_add(1, std::memory_order_relaxed);
  }
  if (callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size) != 0) {
    attach_domains(table, size);
  }
  return 1;
}

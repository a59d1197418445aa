// parse_kernel_name: names that are not mangled, operators, hostile input, length caps.
#include <algorithm>
#include <random>
#include <string>
#include <vector>

#include "analysis/kernel_name.h"
#include "analysis/kernel_name_demangle.h"
#include "catch.h"

namespace gapscope {
namespace {

std::string short_of(const std::string& symbol) { return parse_kernel_name(symbol).short_name; }

}  // namespace

TEST_CASE("names that are not mangled stay", "[kernel_name]") {
  for (const char* name :
       {"triton_poi_fused_add_0", "ncclDevKernel_AllReduce_Sum_f32_RING_LL", "fusion_12",
        "loop_add_fusion", "gemm_fusion_dot.4", "nvjet_hsh_128x256_64x4_2x1_v_bz_coopA_TNN",
        "sm90_xmma_gemm_bf16bf16_bf16f32_f32_tn_n_tilesize64x128x64_warpgroupsize1x1x1",
        "volta_sgemm_64x64_nn", "_attn_fwd", "wrapped_all-reduce", "k", "_Z", "_Znot_mangled",
        "operator", "kernel$1"}) {
    const KernelName n = parse_kernel_name(name);
    CHECK(n.short_name == name);
    CHECK(n.full_name == name);
  }
}

TEST_CASE("demangled names are cut down to the function", "[kernel_name]") {
  CHECK(short_of("void foo(int, float*)") == "foo");
  CHECK(short_of("foo::bar<int, (Mode)3>::baz<float>(int) [clone .kd]") == "baz");
  CHECK(short_of("unsigned long long a::b(char const*)") == "b");
  CHECK(
      short_of("std::enable_if<!(false), void>::type internal::gemvx::kernel<int, int>(P<int>)") ==
      "gemvx::kernel");
  CHECK(short_of("decltype ((a)+(b)) ns::sum<int>(int, int)") == "sum");
  CHECK(short_of("void (anonymous namespace)::softmax_warp_forward<float, 9>(float*)") ==
        "softmax_warp_forward");
  CHECK(short_of("void ns::(anonymous namespace)::run<int>(int)") == "ns::run");
  CHECK(short_of("void f<((5)>(3)), ((1)<(2))>(int)") == "f");
  CHECK(short_of("void f<&(operator>(A, A))>(int)") == "f<operator>>");
  CHECK(short_of("void ns::f<ns::g<int>(int)::{lambda(float)#1}>(int)") == "f<g>");
  CHECK(short_of("void ns::f[abi:v2]<int>(int)") == "f");
  CHECK(short_of("g(int)::{lambda(int)#2}::operator()(int) const") == "g::lambda");
  CHECK(short_of("Functor::operator()(int) const") == "Functor::operator()");
}

TEST_CASE("operators in names are no brackets", "[kernel_name]") {
  CHECK(short_of("void S::operator< <int>(int)") == "operator<");
  CHECK(short_of("void S::operator<< <int>(int)") == "operator<<");
  CHECK(short_of("void S::operator><int>(int)") == "operator>");
  CHECK(short_of("void S::operator-><int>(int)") == "operator->");
  CHECK(short_of("S::operator float*()") == "operator float*");
  CHECK(short_of("void S::operator()<int>(int)") == "S::operator()");
  CHECK(short_of("void my_operator<int>(int)") == "my_operator");
  CHECK(short_of("void f<A::operator>>, B>::g(int)") == "g");
}

TEST_CASE("lengths are capped, between characters", "[kernel_name]") {
  const KernelName n = parse_kernel_name(std::string(10000, 'a'));
  CHECK(n.short_name == std::string(117, 'a') + "...");
  CHECK(n.full_name == std::string(4093, 'a') + "...");
  CHECK(short_of(std::string(120, 'b')) == std::string(120, 'b'));
  std::string umlauts;
  for (int i = 0; i < 100; ++i) umlauts += "\xc3\xa4";
  const std::string cut = short_of(umlauts);
  CHECK(cut.size() == 119);  // 58 characters of two bytes and the dots
  CHECK(cut.substr(114) == "\xc3\xa4...");
}

TEST_CASE("bytes that no terminal or JSON takes are replaced", "[kernel_name]") {
  CHECK(short_of("") == "(unnamed)");
  CHECK(short_of(std::string("a\0b", 3)) == "a?b");
  CHECK(short_of("a\x1b[31mb\n") == "a?[31mb?");
  CHECK(short_of("\xff\xfe") == "??");
  CHECK(short_of("\xc3\xa4") == "\xc3\xa4");
  CHECK(short_of("\xe2\x82\xac") == "\xe2\x82\xac");
  CHECK(short_of("\xf0\x9f\x98\x80") == "\xf0\x9f\x98\x80");
  CHECK(short_of("\xc0\xaf") == "??");            // overlong
  CHECK(short_of("\xed\xa0\x80") == "???");       // surrogate
  CHECK(short_of("\xf4\x90\x80\x80") == "????");  // above U+10FFFF
  CHECK(short_of("a\xe2\x82") == "a??");          // cut off
}

TEST_CASE("unbalanced and deep text gives a name in bounded time", "[kernel_name]") {
  std::vector<std::string> hostile = {
      "<",     ">",    "(",        ")", "{",           "::",      "a<",        "a::",     "::a",
      "a<b(",  "a(b<", "operator", "&", "void ",       "a<>",     "a<,>",      "a<,,<",   "a b c",
      "(((((", "]][",  "a<(b>",    " ", "a::<b>(c)::", "{lambda", "operator<", "_Z1fIvE", "_ZN"};
  for (const char* piece : {"<", "(", "{", "a<", "a::", "a(", "f<g<", "(anonymous namespace)::",
                            "&(", "operator<", "::", "f(int)::{lambda(", "ReduceOp<", " const"}) {
    std::string deep;
    while (deep.size() < 60000) deep += piece;
    hostile.push_back(deep);
    hostile.push_back("void " + deep + "x");
  }
  for (const std::string& text : hostile) {
    const KernelName n = parse_kernel_name(text);
    CHECK_FALSE(n.short_name.empty());
    CHECK(n.short_name.size() <= kMaxShortName);
    CHECK(n.full_name.size() <= kMaxFullName);
  }
}

TEST_CASE("random text and random symbols do no harm", "[kernel_name]") {
  std::mt19937 random(41);
  const std::vector<std::string> pieces = {"_ZN",
                                           "_Z",
                                           "I",
                                           "E",
                                           "N",
                                           "S_",
                                           "S0_",
                                           "T_",
                                           "Li4E",
                                           "3foo",
                                           "2at",
                                           "UlvE_",
                                           "cl",
                                           "clEv",
                                           "Ev",
                                           "PK",
                                           "f",
                                           "J",
                                           "X",
                                           "L",
                                           "<",
                                           ">",
                                           "(",
                                           ")",
                                           "::",
                                           "operator",
                                           " ",
                                           "{lambda()#1}",
                                           "(anonymous namespace)",
                                           "&",
                                           "*",
                                           ",",
                                           "99",
                                           "\xff",
                                           "const",
                                           "void "};
  for (int round = 0; round < 20000; ++round) {
    std::string text = random() % 2 ? "_ZN2at" : "";
    const int n = static_cast<int>(random() % 24);
    for (int i = 0; i < n; ++i) text += pieces[random() % pieces.size()];
    const KernelName name = parse_kernel_name(text);
    REQUIRE_FALSE(name.short_name.empty());
    REQUIRE(name.short_name.size() <= kMaxShortName);
    for (const char c : name.short_name) REQUIRE(static_cast<unsigned char>(c) >= 0x20);
  }
}

TEST_CASE("a symbol that demangles to terabytes is cut", "[kernel_name]") {
  // boom<A<int, int>, A<first, first>, A<second, second>, ...>: each argument is twice the last
  // one. The shared libstdc++ offers no bound; a smaller one shows there that the output is cut.
  const std::size_t doublings = demangle_is_bounded() ? 34 : 12;
  const std::string digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
  std::string bomb = "_Z4boomI1AIiiE";
  for (std::size_t i = 1; i <= doublings; ++i) {
    const std::string last = std::string("S") + digits[i] + "_";
    bomb += "S0_I" + last + last + "E";
  }
  bomb += "EvT_";
  const KernelName name = parse_kernel_name(bomb);
  CHECK(name.short_name == "boom");
  CHECK(name.full_name.size() <= kMaxFullName);
  CHECK(name.full_name.find("A<A<") != std::string::npos);
}

}  // namespace gapscope

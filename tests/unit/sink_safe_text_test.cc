#include "sink/safe_text.h"

#include <random>
#include <string>

#include "catch.h"
#include "sink/kernel_label.h"

namespace gapscope {
namespace {

using namespace sink;

TEST_CASE("escape sequences, controls and newlines never reach the terminal") {
  CHECK(printable("a\x1b[31mred\x1b]0;title\x07", true) == "a?[31mred?]0;title?");
  CHECK(printable("two\nlines\tand\r\n", true) == "two lines and  ");
  CHECK(printable(std::string("nul\0in", 6), true) == "nul?in");
  CHECK(printable("\x7f", true) == "?");
  CHECK(printable("\u009b31m", true) == "?31m");          // CSI of one character
  CHECK(printable("\u202etxt.exe", true) == "?txt.exe");  // right-to-left override
  CHECK(printable("a\u200bb\ufeff", true) == "a?b?");     // invisible
  CHECK(printable("\u2028", true) == " ");
}

TEST_CASE("bytes that are no UTF-8 become question marks") {
  CHECK(printable("\xff\xfe", true) == "??");
  CHECK(printable("\xc3(", true) == "?(");
  CHECK(printable("\xc0\xaf", true) == "??");            // overlong
  CHECK(printable("\xed\xa0\x80", true) == "???");       // surrogate
  CHECK(printable("\xf4\x90\x80\x80", true) == "????");  // beyond Unicode
  CHECK(printable("cut \xe2\x82", true) == "cut ??");
  CHECK(printable("na\u00efve \u8bad\u7ec3", true) == "na\u00efve \u8bad\u7ec3");
}

TEST_CASE("ASCII where the locale is not UTF-8") {
  CHECK(printable("a \u2192 b\u2026 \u8bad \u03bcs", false) == "a -> b.. ? us");
}

TEST_CASE("columns counts what a terminal shows") {
  CHECK(columns("abc") == 3);
  CHECK(columns("\u8bad\u7ec3") == 4);
  CHECK(columns("e\u0301") == 1);
  CHECK(columns("\u2587\u2588") == 2);
}

TEST_CASE("cutting keeps to the width and marks what is missing") {
  CHECK(cut("short", 5, true) == "short");
  CHECK(cut("longer text", 8, true) == "longer\u2026");
  CHECK(cut("longer text", 8, false) == "longer..");
  CHECK(cut("\u8bad\u7ec3\u8bad", 5, true) == "\u8bad\u7ec3\u2026");
  CHECK(cut("abc", 0, true).empty());
  CHECK(cut_middle("sm90_xmma_fprop_tilesize128x128", 16, true) == "sm90_xmma\u202628x128");
  for (std::size_t width = 0; width < 40; ++width) {
    CHECK(columns(cut("\u8bad mixed \u7ec3 text e\u0301", width, true)) <= width);
    CHECK(columns(cut_middle("at::native::\u7ec3::kernel_with_a_name", width, false)) <= width);
  }
}

TEST_CASE("kernel names lose their namespaces before their letters") {
  CHECK(folded_name("at::native::reduce_kernel", 40, true) == "at::native::reduce_kernel");
  CHECK(folded_name("at::native::reduce_kernel", 22, true) == "native::reduce_kernel");
  CHECK(folded_name("at::native::reduce_kernel", 13, true) == "reduce_kernel");
  CHECK(folded_name("kernel<at::native::Functor>", 12, true) == "kernel<\u2026tor>");
  CHECK(folded_name("a::b::", 2, true).size() <= 4);
}

TEST_CASE("labels of a column of kernels differ where the names do") {
  const std::vector<std::string> names = {
      "sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize32x32x8_stage3_ffma_execute_kernel__5x_cublas",
      "sm80_xmma_gemm_f32f32_f32f32_f32_tn_n_tilesize64x64x8_stage3_ffma_execute_kernel__5x_cublas",
      "at::native::reduce_kernel",
      "sm80_xmma_gemm_f32f32_f32f32_f32_nn_n_tilesize32x32x8_stage3_ffma_execute_kernel__5x_"
      "cublas"};
  const auto labels = kernel_labels(names, 30, true);
  CHECK(labels == std::vector<std::string>{"sm80_xmma_ge\u2026nn_n_tilesize32x\u2026",
                                           "sm80_xmma_ge\u2026tn_n_tilesize64x\u2026",
                                           "at::native::reduce_kernel", labels[0]});
  for (std::size_t width = 8; width < 60; ++width) {
    for (const bool utf8 : {true, false})
      for (const std::string& label : kernel_labels(names, width, utf8))
        CHECK(columns(label) <= width);
  }
  CHECK(kernel_labels({"a_x", "a_y"}, 1, true).size() == 2);
  CHECK(kernel_labels({}, 10, true).empty());
}

TEST_CASE("commands lose the folders of program and script") {
  CHECK(short_command("/opt/venv/bin/python3 /home/a/train.py --data /data/x") ==
        "python3 train.py --data /data/x");
  CHECK(short_command("./build/train --steps 5") == "train --steps 5");
  CHECK(short_command("python a/b.py") == "python a/b.py");
  CHECK(short_command("/bin/") == "/bin/");
  CHECK(short_command("").empty());
}

TEST_CASE("wrapped text keeps numbers with their units") {
  CHECK(wrapped("overlap is 34.4 % of it", 15) ==
        std::vector<std::string>{"overlap is", "34.4 % of it"});
  CHECK(wrapped("it takes 5 us, no more", 13) ==
        std::vector<std::string>{"it takes", "5 us, no more"});
  CHECK(wrapped("", 10) == std::vector<std::string>{""});
  CHECK(wrapped("/a/path/that/is/long", 8) ==
        std::vector<std::string>{"/a/path/", "that/is/", "long"});
  CHECK(wrapped("ab /usr/lib/libcupti.so", 12) ==
        std::vector<std::string>{"ab /usr/lib/", "libcupti.so"});
}

TEST_CASE("random bytes always come out printable, in bounds and without loss of lines") {
  std::mt19937 random(5);
  for (int round = 0; round < 3000; ++round) {
    std::string bytes(random() % 60, ' ');
    for (char& c : bytes) c = static_cast<char>(random());
    const bool utf8 = random() % 2 == 0;
    const std::string safe = printable(bytes, utf8);
    REQUIRE(printable(safe, utf8) == safe);
    for (const char c : safe) {
      const auto byte = static_cast<unsigned char>(c);
      REQUIRE(byte >= 0x20);
      REQUIRE(byte != 0x7f);
      if (!utf8) REQUIRE(byte < 0x80);
    }
    const std::size_t width = 1 + random() % 30;
    for (const std::string& line : wrapped(safe, width)) REQUIRE(columns(line) <= width + 1);
    REQUIRE(columns(cut(safe, width, utf8)) <= width);
    REQUIRE(columns(cut_middle(safe, width, utf8)) <= width);
  }
}

}  // namespace
}  // namespace gapscope

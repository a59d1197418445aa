// The environment record, from a file system that the test lays out.
#include "environment/environment.h"

#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <string>

#include "catch.h"
#include "environment/cuda_libraries.h"
#include "environment/elf_soname.h"
#include "environment/git_head.h"
#include "environment/mapped_files.h"
#include "environment/python_packages.h"

namespace gapscope::environment {
namespace {

namespace fs = std::filesystem;

// A root folder of its own, gone at the end.
class Root {
 public:
  Root() : path_(fs::temp_directory_path() / ("gapscope-environment-" + std::to_string(getpid()))) {
    fs::remove_all(path_);
    fs::create_directories(path_);
  }
  ~Root() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  void write(const std::string& path, const std::string& text) {
    fs::create_directories(fs::path(path_.string() + path).parent_path());
    std::ofstream(path_.string() + path) << text;
  }
  void folder(const std::string& path) { fs::create_directories(path_.string() + path); }
  void link(const std::string& path, const std::string& target) {
    fs::create_directories(fs::path(path_.string() + path).parent_path());
    fs::create_symlink(target, path_.string() + path);
  }
  FileView files() const { return FileView(path_.string()); }

 private:
  fs::path path_;
};

const std::string kRevision = "0123456789abcdef0123456789abcdef01234567";
const std::string kOther = "fedcba9876543210fedcba9876543210fedcba98";

std::string map_line(const std::string& path) {
  return "7f00-7f01 r-xp 00000000 08:01 42                         " + path + "\n";
}

// torch from pip in a conda environment, numpy from conda.
void lay_out_conda(Root& root) {
  const std::string env = "/opt/conda/envs/train";
  const std::string site = env + "/lib/python3.11/site-packages";
  root.write(env + "/conda-meta/python-3.11.5-h955ad1f_0.json", "{}");
  root.write(env + "/conda-meta/numpy-1.26.4-py311h64a7726_0.json", "{}");
  root.write(env + "/conda-meta/pytorch-lightning-2.1.0-pyhd8ed1ab_0.json", "{}");
  root.write(env + "/conda-meta/history", "");
  root.folder(site + "/numpy-1.26.4.dist-info");
  root.write(site + "/opencv-4.9.0.dist-info/INSTALLER", "conda\n");
  root.write(site + "/torch-2.11.0.dist-info/INSTALLER", "pip\n");
  root.folder(site + "/nvidia_cuda_runtime_cu12-12.8.90.dist-info");
  root.folder(site + "/nvidia_cudnn_cu12-9.10.2.21.dist-info");
  root.write(site + "/torch/version.py",
             "from typing import Optional\n__all__ = ['x']\n__version__ = '2.11.0+cu128'\n");
  root.write(site + "/torch/lib/libtorch_cuda.so", "");
  root.link("/proc/self/exe", env + "/bin/python3.11");
  root.write("/proc/self/maps",
             map_line(env + "/bin/python3.11") + map_line(site + "/torch/lib/libtorch_cuda.so") +
                 map_line(site + "/nvidia/cuda_runtime/lib/libcudart.so.12") +
                 map_line(site + "/nvidia/cudnn/lib/libcudnn.so.9") +
                 map_line(site + "/nvidia/cudnn/lib/libcudnn_ops.so.9") +
                 map_line("/usr/lib/libcuda.so.580.95.05") + "7f-80 rw-p 0 [heap]\n");
}

TEST_CASE("mapped files: each once, without devices and the mark of a deleted one") {
  const auto files = mapped_files(map_line("/a/b.so") + map_line("/a/b.so") +
                                  map_line("/c d.so (deleted)") + map_line("/dev/nvidia0") +
                                  map_line("/memfd:x (deleted)") + "7f-80 rw-p 0 [stack]\n");
  CHECK(files == std::vector<std::string>{"/a/b.so", "/c d.so"});
}

TEST_CASE("a library's SONAME is read from its file") {
  const FileView files;
  std::string libc;
  for (const std::string& path : mapped_files(files.read("/proc/self/maps", 1u << 20))) {
    if (path.find("/libc.so") != std::string::npos) libc = path;
  }
  REQUIRE_FALSE(libc.empty());
  CHECK(elf_soname(files, libc) == "libc.so.6");
  CHECK(elf_soname(files, "/proc/self/maps").empty());
  CHECK(elf_soname(files, "/nowhere").empty());
  // Cut and damaged files give nothing and no fault.
  const std::string whole = files.read(libc, 16u << 20);
  Root root;
  for (std::size_t bytes = 0; bytes < 4096; bytes += 61) {
    root.write("/cut.so", whole.substr(0, bytes));
    CHECK(elf_soname(root.files(), "/cut.so").empty());
  }
  for (std::size_t at = 16; at < 1024; at += 3) {
    std::string damaged = whole.substr(0, 1u << 16);
    damaged[at] = static_cast<char>(0xff);
    root.write("/damaged.so", damaged);
    CHECK(elf_soname(root.files(), "/damaged.so").size() < 256);
  }
}

TEST_CASE("git: a loose and a packed branch, a detached head, a worktree, no repository") {
  Root root;
  root.write("/repo/.git/HEAD", "ref: refs/heads/main\n");
  root.write("/repo/.git/refs/heads/main", kRevision + "\n");
  root.folder("/repo/src/deep");
  GitHead head = git_head(root.files(), "/repo/src/deep");
  CHECK(head.revision == kRevision);
  CHECK(head.branch == "main");

  root.write("/packed/.git/HEAD", "ref: refs/heads/a/b\n");
  root.write("/packed/.git/packed-refs", "# pack-refs with: peeled\n" + kOther + " refs/heads/a\n" +
                                             kRevision + " refs/heads/a/b\n");
  head = git_head(root.files(), "/packed");
  CHECK(head.revision == kRevision);
  CHECK(head.branch == "a/b");

  root.write("/detached/.git/HEAD", kOther + "\n");
  head = git_head(root.files(), "/detached");
  CHECK(head.revision == kOther);
  CHECK(head.branch.empty());

  root.write("/tree/.git", "gitdir: /repo/.git/worktrees/tree\n");
  root.write("/repo/.git/worktrees/tree/HEAD", "ref: refs/heads/topic\n");
  root.write("/repo/.git/worktrees/tree/commondir", "../..\n");
  root.write("/repo/.git/refs/heads/topic", kOther + "\n");
  head = git_head(root.files(), "/tree");
  CHECK(head.revision == kOther);
  CHECK(head.branch == "topic");

  CHECK(git_head(root.files(), "/nowhere/at/all").revision.empty());
  root.write("/odd/.git/HEAD", "ref: ../../etc/passwd\n");
  CHECK(git_head(root.files(), "/odd").revision.empty());
}

TEST_CASE("packages are told from the names of folders") {
  Root root;
  root.folder("/site/Foo_Bar-1.0.dist-info");
  root.folder("/site/a.b-2.0.dev1+local.dist-info");
  root.folder("/site/noversion.dist-info");
  root.folder("/site/module");
  const auto pip = pip_packages(root.files(), "/site");
  REQUIRE(pip.size() == 2);
  CHECK(pip[0] == report::Package{"a-b", "2.0.dev1+local", "pip", ""});
  CHECK(pip[1] == report::Package{"foo-bar", "1.0", "pip", ""});
  root.write("/conda/conda-meta/ca-certificates-2024.2.2-hbcca054_0.json", "");
  root.write("/conda/conda-meta/history", "");
  CHECK(conda_packages(root.files(), "/conda") ==
        std::vector<report::Package>{{"ca-certificates", "2024.2.2", "conda", "hbcca054_0"}});
}

TEST_CASE("a conda environment: interpreter, torch, libraries, who installed what") {
  Root root;
  lay_out_conda(root);
  Request request;
  request.variables = {{"CONDA_PREFIX", "/opt/conda/envs/train"}, {"OMP_NUM_THREADS", "4"}};
  const Gathered gathered = gather(root.files(), request);
  const report::Environment& e = gathered.environment;
  CHECK(gathered.warnings.empty());
  CHECK(e.python_path == "/opt/conda/envs/train/bin/python3.11");
  CHECK(e.python_version == "3.11");
  CHECK(e.torch_version == "2.11.0+cu128");
  CHECK(e.conda_name == "train");
  CHECK(e.conda_prefix == "/opt/conda/envs/train");
  CHECK(e.virtualenv_prefix.empty());
  CHECK_FALSE(e.kernel.empty());
  REQUIRE(e.libraries.size() == 3);
  CHECK(e.libraries[0].name == "CUDA driver");
  CHECK(e.libraries[0].version == "580.95.05");
  CHECK(e.libraries[1].name == "CUDA runtime");
  CHECK(e.libraries[1].version == "12.8.90");
  CHECK(e.libraries[2].name == "cuDNN");
  CHECK(e.libraries[2].version == "9.10.2.21");
  std::string packages;
  for (const report::Package& p : e.packages) packages += p.name + " " + p.source + "; ";
  CHECK(packages ==
        "numpy conda; nvidia-cuda-runtime-cu12 pip; nvidia-cudnn-cu12 pip; python conda; "
        "pytorch-lightning conda; torch pip; ");
  CHECK(e.variables.size() == 2);
}

TEST_CASE("a virtual environment tells its interpreter's version") {
  Root root;
  const std::string site = "/home/me/venv/lib/python3.12/site-packages";
  root.write("/home/me/venv/pyvenv.cfg", "home = /usr/bin\nversion = 3.12.3\n");
  root.folder(site + "/numpy-2.0.0.dist-info");
  root.link("/proc/self/exe", "/usr/bin/python3.12");
  root.write("/proc/self/maps", map_line(site + "/numpy/core.so"));
  const report::Environment e = gather(root.files(), Request()).environment;
  CHECK(e.virtualenv_prefix == "/home/me/venv");
  CHECK(e.python_version == "3.12.3");
  CHECK(e.conda_prefix.empty());
  REQUIRE(e.packages.size() == 1);
  CHECK(e.packages[0].name == "numpy");
}

TEST_CASE("Python outside the active conda environment is warned of") {
  Root root;
  root.link("/proc/self/exe", "/usr/bin/python3.11");
  root.write("/proc/self/maps", "");
  Request request;
  request.variables = {{"CONDA_PREFIX", "/opt/conda"}};
  Gathered gathered = gather(root.files(), request);
  REQUIRE(gathered.warnings.size() == 1);
  CHECK(gathered.warnings[0].find("/usr/bin/python3.11") != std::string::npos);
  // A neighbour whose name begins alike is outside too.
  request.variables = {{"CONDA_PREFIX", "/usr/bi"}};
  CHECK(gather(root.files(), request).warnings.size() == 1);
  request.variables = {{"CONDA_PREFIX", "/usr/"}};
  CHECK(gather(root.files(), request).warnings.empty());
}

TEST_CASE("libraries' major versions are those of their SONAMEs") {
  report::Library library;
  library.soname = "libcupti.so.13";
  CHECK(major_version(library) == 13);
  library.soname = "libcupti.so.11.8";
  CHECK(major_version(library) == 11);
  library.soname = "libcupti.so";
  CHECK(major_version(library) == -1);
}

TEST_CASE("an anonymous record names no folder, branch or environment") {
  Root root;
  lay_out_conda(root);
  root.link("/proc/self/cwd", "/home/someone/secret-project");
  root.write("/home/someone/secret-project/.git/HEAD", "ref: refs/heads/secret-branch\n");
  root.write("/home/someone/secret-project/.git/refs/heads/secret-branch", kRevision);
  Request request;
  request.anonymous = true;
  request.variables = {{"CONDA_PREFIX", "/home/someone/conda"}, {"CUDA_VISIBLE_DEVICES", "0"}};
  const Gathered gathered = gather(root.files(), request);
  const report::Environment& e = gathered.environment;
  CHECK(e.git_revision == kRevision);
  CHECK(e.git_branch.empty());
  CHECK(e.python_path == "python3.11");
  CHECK(e.conda_name.empty());
  CHECK(e.conda_prefix.empty());
  for (const report::Library& library : e.libraries)
    CHECK(library.path.find('/') == std::string::npos);
  REQUIRE(e.variables.size() == 1);
  CHECK(e.variables[0].name == "CUDA_VISIBLE_DEVICES");
  REQUIRE(gathered.warnings.size() == 1);
  CHECK(gathered.warnings[0].find('/') == std::string::npos);
}

TEST_CASE("no Python: nothing of it, and the rest is there") {
  Root root;
  root.link("/proc/self/exe", "/usr/bin/train");
  root.write("/proc/self/maps", map_line("/usr/lib/libcudart.so.13.0.96"));
  root.write("/etc/os-release", "NAME=X\nPRETTY_NAME=\"Some Linux 1\"\n");
  root.write("/proc/cpuinfo", "processor\t: 0\nmodel name\t: A CPU\n");
  const report::Environment e = gather(root.files(), Request()).environment;
  CHECK(e.python_version.empty());
  CHECK(e.packages.empty());
  CHECK(e.os == "Some Linux 1");
  CHECK(e.cpu == "A CPU");
  REQUIRE(e.libraries.size() == 1);
  CHECK(e.libraries[0].version == "13.0.96");
}

}  // namespace
}  // namespace gapscope::environment

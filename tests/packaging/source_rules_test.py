#!/usr/bin/env python3
"""Each rule of source_rules.py catches what it is for, and lets the neighbouring case pass."""
import os
import sys
import tempfile
import unittest

sys.dont_write_bytecode = True
import source_rules as rules


def broken(rule, path, *lines):
    return list(rules.RULES[rule](path, lines))


class Rules(unittest.TestCase):
    def test_toolkit_includes(self):
        for header in ("cuda.h", "cupti.h", "nvtx3/nvToolsExt.h", "cuda_runtime_api.h"):
            self.assertTrue(broken("toolkit_includes", "lib/a/b.h", f"#include <{header}>"), header)
            self.assertFalse(broken("toolkit_includes", "cupti_backend/b.h", f"#include <{header}>"))
        self.assertFalse(broken("toolkit_includes", "lib/a/b.h", '#include "record/cuda_calls.h"'))

    def test_environment(self):
        self.assertTrue(broken("environment", "lib/a/b.cc", 'auto* p = std::getenv("HOME");'))
        self.assertTrue(broken("environment", "cupti_backend/b.cc", "extern char** environ;"))
        self.assertFalse(broken("environment", "lib/a/b.cc", "// environ is read by the config"))
        self.assertFalse(broken("environment", "lib/runtime/config_env.cc", "getenv(name)"))

    def test_file_length(self):
        self.assertTrue(broken("file_length", "tests/a.cc", *["x"] * 501))
        self.assertFalse(broken("file_length", "tests/a.cc", *["x"] * 500))

    def test_unfinished(self):
        for word in rules.UNFINISHED:
            self.assertTrue(broken("unfinished", "lib/a.cc", f"// {word.upper()}: later"), word)
            self.assertFalse(broken("unfinished", "bench/a.cc", f"// {word}"))

    def test_machine_paths(self):
        path = "/" + "wo" + "rk"
        self.assertTrue(broken("machine_paths", "README.md", f"in {path}/main"))
        self.assertTrue(broken("machine_paths", "README.md", f"cd {path}"))
        self.assertFalse(broken("machine_paths", "README.md", f"frame{path}/queue, {path}er"))

    def test_conditionals(self):
        self.assertTrue(broken("conditionals", "lib/a.cc", "#ifdef __linux__"))
        self.assertTrue(broken("conditionals", "lib/a.cc", "#  if defined(NDEBUG)"))
        self.assertFalse(broken("conditionals", "cupti_backend/a.cc", "#ifdef __linux__"))
        self.assertFalse(broken("conditionals", "lib/a.cc", "#define A"))

    def test_portable(self):
        self.assertTrue(broken("portable", "lib/a.cc", "#include <immintrin.h>"))
        self.assertTrue(broken("portable", "lib/a.cc", "auto t = __rdtsc();"))
        self.assertTrue(broken("portable", "lib/a.cc", 'asm volatile("pause");'))
        self.assertFalse(broken("portable", "lib/a.cc", "assembled(volatile);"))

    def test_a_tree(self):
        with tempfile.TemporaryDirectory() as root:
            os.makedirs(os.path.join(root, "lib"))
            with open(os.path.join(root, "lib", "a.cc"), "w", encoding="utf-8") as file:
                file.write("#include <cupti.h>\n")
            self.assertEqual(list(rules.breaches(root, rules.RULES)),
                             ["lib/a.cc:1: header of the CUDA toolkit: #include <cupti.h>"])
            self.assertEqual(list(rules.breaches(os.path.join(root, "lib"), rules.RULES)),
                             [f"{root}/lib: no sources below lib/"])


if __name__ == "__main__":
    unittest.main()

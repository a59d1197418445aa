// A synthetic classification task that can be learnt: labels come from a fixed random teacher.
#pragma once

#include <cstdint>
#include <random>
#include <vector>

namespace cpp_train {

class Dataset {
 public:
  Dataset(int samples, int inputs, int classes, std::uint32_t seed);

  // Gathers the next `batch` samples, in a shuffled order that is new in each epoch, into x
  // (batch * inputs values) and labels (batch values).
  void next_batch(int batch, float* x, int* labels);

  int inputs() const { return inputs_; }
  int classes() const { return classes_; }

 private:
  void make_labels(std::uint32_t seed);

  int inputs_;
  int classes_;
  std::vector<float> x_;
  std::vector<int> labels_;
  std::vector<int> order_;
  std::size_t next_ = 0;
  std::mt19937 random_;
};

}  // namespace cpp_train

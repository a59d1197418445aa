#include "dataset.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <numeric>

namespace cpp_train {

Dataset::Dataset(int samples, int inputs, int classes, std::uint32_t seed)
    : inputs_(inputs),
      classes_(classes),
      x_(static_cast<std::size_t>(samples) * inputs),
      labels_(samples),
      order_(samples),
      next_(order_.size()),
      random_(seed) {
  std::normal_distribution<float> normal;
  for (float& v : x_) v = normal(random_);
  std::iota(order_.begin(), order_.end(), 0);
  make_labels(seed + 1);
}

// The teacher: one hidden layer of tanh units; the label is its largest output.
void Dataset::make_labels(std::uint32_t seed) {
  constexpr int kHidden = 32;
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<float> first(static_cast<std::size_t>(kHidden) * inputs_);
  std::vector<float> second(static_cast<std::size_t>(classes_) * kHidden);
  const float scale = 1.0f / std::sqrt(static_cast<float>(inputs_));
  for (float& v : first) v = scale * normal(random);
  for (float& v : second) v = normal(random);
  std::vector<float> hidden(kHidden), out(classes_);
  for (std::size_t s = 0; s < labels_.size(); ++s) {
    const float* x = &x_[s * inputs_];
    for (int h = 0; h < kHidden; ++h) {
      hidden[h] = std::tanh(std::inner_product(x, x + inputs_, &first[h * inputs_], 0.0f));
    }
    for (int c = 0; c < classes_; ++c) {
      out[c] = std::inner_product(hidden.begin(), hidden.end(), &second[c * kHidden], 0.0f);
    }
    labels_[s] = static_cast<int>(std::max_element(out.begin(), out.end()) - out.begin());
  }
}

void Dataset::next_batch(int batch, float* x, int* labels) {
  for (int i = 0; i < batch; ++i) {
    if (next_ == order_.size()) {
      std::shuffle(order_.begin(), order_.end(), random_);
      next_ = 0;
    }
    const std::size_t s = order_[next_++];
    std::memcpy(x + static_cast<std::size_t>(i) * inputs_, &x_[s * inputs_],
                inputs_ * sizeof(float));
    labels[i] = labels_[s];
  }
}

}  // namespace cpp_train

// Copies of every direction and memory kind, and sets, with exact counts and bytes, which it
// prints. With two devices it adds peer copies. Zero-byte copies are mixed in: they do nothing.
#include <string>
#include <vector>

#include "common.h"

namespace {

struct Line {
  std::string direction, source, destination;
  long count = 0;
  long long bytes = 0;
};

class Ledger {
 public:
  void add(const char* direction, const char* source, const char* destination, std::size_t bytes) {
    for (Line& line : lines_) {
      if (line.direction == direction && line.source == source && line.destination == destination) {
        ++line.count;
        line.bytes += static_cast<long long>(bytes);
        return;
      }
    }
    lines_.push_back({direction, source, destination, 1, static_cast<long long>(bytes)});
  }
  void print() const {
    std::printf("{\"copies\": [");
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      const Line& l = lines_[i];
      std::printf(
          "%s{\"direction\": \"%s\", \"source\": \"%s\", \"destination\": \"%s\", "
          "\"count\": %ld, \"bytes\": %lld}",
          i == 0 ? "" : ", ", l.direction.c_str(), l.source.c_str(), l.destination.c_str(), l.count,
          l.bytes);
    }
    std::printf("]}\n");
    std::fflush(stdout);
  }

 private:
  std::vector<Line> lines_;
};

constexpr std::size_t kLargest = 8u << 20;
const std::size_t kSizes[] = {4, 1000, 65536, 65540, 1u << 20, kLargest};

void host_copies(Ledger& ledger, int rounds, cudaStream_t stream) {
  std::vector<char> pageable(kLargest, 1);
  char* pinned = nullptr;
  char* device = nullptr;
  GPU_TEST_CHECK(cudaMallocHost(&pinned, kLargest));
  GPU_TEST_CHECK(cudaMalloc(&device, kLargest));
  for (int i = 0; i < rounds; ++i) {
    for (const std::size_t n : kSizes) {
      GPU_TEST_CHECK(cudaMemcpy(device, pageable.data(), n, cudaMemcpyHostToDevice));
      ledger.add("HtoD", "pageable", "device", n);
      GPU_TEST_CHECK(cudaMemcpy(pageable.data(), device, n, cudaMemcpyDeviceToHost));
      ledger.add("DtoH", "device", "pageable", n);
      GPU_TEST_CHECK(cudaMemcpyAsync(device, pinned, n, cudaMemcpyHostToDevice, stream));
      ledger.add("HtoD", "pinned", "device", n);
      GPU_TEST_CHECK(cudaMemcpyAsync(pinned, device, n, cudaMemcpyDeviceToHost, stream));
      ledger.add("DtoH", "device", "pinned", n);
      GPU_TEST_CHECK(cudaMemcpyAsync(device, pinned, 0, cudaMemcpyHostToDevice, stream));
    }
    GPU_TEST_CHECK(cudaStreamSynchronize(stream));
  }
  GPU_TEST_CHECK(cudaFreeHost(pinned));
  GPU_TEST_CHECK(cudaFree(device));
}

void device_copies(Ledger& ledger, int rounds, cudaStream_t stream) {
  char* from = nullptr;
  char* to = nullptr;
  GPU_TEST_CHECK(cudaMalloc(&from, kLargest));
  GPU_TEST_CHECK(cudaMalloc(&to, kLargest));
  for (int i = 0; i < rounds; ++i) {
    for (const std::size_t n : kSizes) {
      GPU_TEST_CHECK(cudaMemsetAsync(from, i, n, stream));
      ledger.add("set", "", "", n);
      GPU_TEST_CHECK(cudaMemcpyAsync(to, from, n, cudaMemcpyDeviceToDevice, stream));
      ledger.add("DtoD", "device", "device", n);
      GPU_TEST_CHECK(cudaMemcpyAsync(to, from, 0, cudaMemcpyDeviceToDevice, stream));
    }
  }
  // Pitched: 100 rows of 300 bytes; the bytes copied are those of the rows, not of the pitch.
  GPU_TEST_CHECK(cudaMemcpy2DAsync(to, 512, from, 512, 300, 100, cudaMemcpyDeviceToDevice, stream));
  ledger.add("DtoD", "device", "device", 300 * 100);
  GPU_TEST_CHECK(cudaStreamSynchronize(stream));
  GPU_TEST_CHECK(cudaFree(from));
  GPU_TEST_CHECK(cudaFree(to));
}

// Each device sends to the other, on a stream of its own.
void send(Ledger& ledger, int rounds, int from, char* source, int to, char* destination) {
  GPU_TEST_CHECK(cudaSetDevice(from));
  GPU_TEST_CHECK(cudaDeviceEnablePeerAccess(to, 0));
  GPU_TEST_CHECK(cudaMemset(source, 1, kLargest));
  ledger.add("set", "", "", kLargest);
  for (int i = 0; i < rounds; ++i) {
    for (const std::size_t n : kSizes) {
      GPU_TEST_CHECK(cudaMemcpyPeerAsync(destination, to, source, from, n, nullptr));
      ledger.add("PtoP", "device", "device", n);
    }
  }
  GPU_TEST_CHECK(cudaDeviceSynchronize());
}

void peer_copies(Ledger& ledger, int rounds) {
  int devices = 0, possible = 0;
  GPU_TEST_CHECK(cudaGetDeviceCount(&devices));
  if (devices < 2) return;
  GPU_TEST_CHECK(cudaDeviceCanAccessPeer(&possible, 0, 1));
  if (possible == 0) return;  // the copies would go through the host, in parts
  char* memory[2] = {nullptr, nullptr};
  for (int d = 0; d < 2; ++d) {
    GPU_TEST_CHECK(cudaSetDevice(d));
    GPU_TEST_CHECK(cudaMalloc(&memory[d], kLargest));
  }
  send(ledger, rounds, 0, memory[0], 1, memory[1]);
  send(ledger, rounds, 1, memory[1], 0, memory[0]);
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = static_cast<int>(gpu_test::number_option(argc, argv, "--rounds", 20));
  const bool peers = gpu_test::number_option(argc, argv, "--peers", 0) != 0;
  Ledger ledger;
  cudaStream_t stream = nullptr;
  GPU_TEST_CHECK(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking));
  host_copies(ledger, rounds, stream);
  device_copies(ledger, rounds, stream);
  if (peers) peer_copies(ledger, rounds);
  GPU_TEST_CHECK(cudaStreamDestroy(stream));
  ledger.print();
  return 0;
}

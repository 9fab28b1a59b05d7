// SPDX-License-Identifier: BSD-3-Clause
//
// What a program does at least that reads a record's programs, reads its ETDump and writes event files, with the fastest JSON reader there is: simdjson,
// on demand. bench.py builds and runs it; read_json.c does the same reading with lib/json.h.
//
//   limit walk|pick FILE...          CPU seconds of reading the documents, best of several
//   limit all OUT DUMP BYTES FILE... picks from the documents, passes over the dump, writes so many bytes with their CRC-32C; prints nothing
#include <simdjson.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <string>
#include <vector>

extern "C" uint32_t etr_crc32c(uint32_t crc, const void *data, size_t size);

using namespace simdjson;

static uint64_t seen; // of what is read, so that reading it cannot be left out

static void walk(ondemand::value value) {
  switch (value.type()) {
  case ondemand::json_type::array:
    for (auto element : value.get_array()) walk(element.value());
    break;
  case ondemand::json_type::object:
    for (auto field : value.get_object()) {
      seen += std::string_view(field.unescaped_key()).size();
      walk(field.value());
    }
    break;
  case ondemand::json_type::string: seen += std::string_view(value.get_string()).size(); break;
  default: seen += value.raw_json_token().size();
  }
}

static void read_text(ondemand::value value) {
  if (value.type() == ondemand::json_type::string) seen += std::string_view(value.get_string()).size();
}

static void pick_node(ondemand::object node) {
  for (auto field : node) {
    std::string_view key = field.unescaped_key();
    if (key == "name" || key == "target") read_text(field.value());
    if (key == "inputs" || key == "outputs") walk(field.value());
    if (key != "metadata") continue;
    for (auto text : field.value().get_object()) {
      std::string_view which = text.unescaped_key();
      if (which == "stack_trace" || which == "nn_module_stack" || which == "debug_handle" || which == "from_node") read_text(text.value());
    }
  }
}

static void pick_graph(ondemand::object graph) {
  for (auto field : graph) {
    std::string_view key = field.unescaped_key();
    if (key == "nodes")
      for (auto node : field.value().get_array()) pick_node(node.get_object());
    else if (key == "tensor_values")
      for (auto value : field.value().get_object()) {
        seen += std::string_view(value.unescaped_key()).size();
        for (auto part : value.value().get_object()) {
          std::string_view name = part.unescaped_key();
          if (name == "dtype" || name == "sizes") walk(part.value());
        }
      }
  }
}

static void pick(ondemand::object program) {
  for (auto field : program) {
    if (std::string_view(field.unescaped_key()) != "graph_module") continue;
    for (auto part : field.value().get_object()) {
      std::string_view key = part.unescaped_key();
      if (key == "graph") pick_graph(part.value().get_object());
      if (key == "signature") walk(part.value());
    }
  }
}

static double cpu_seconds() {
  timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

static void read(const std::vector<padded_string> &documents, bool all) {
  ondemand::parser parser;
  for (const padded_string &text : documents) {
    ondemand::document document = parser.iterate(text);
    if (all)
      walk(document.get_value());
    else
      pick(document.get_object());
  }
}

static std::string load(const char *path) {
  std::string bytes;
  std::FILE *file = std::fopen(path, "rb");
  char part[65536];
  for (size_t got; file && (got = std::fread(part, 1, sizeof part, file)) > 0;) bytes.append(part, got);
  if (file) std::fclose(file);
  return bytes;
}

static void pass_over(const std::string &bytes) {
  for (size_t at = 0; at + 8 <= bytes.size(); at += 8) {
    uint64_t word;
    std::memcpy(&word, bytes.data() + at, 8);
    seen += word;
  }
}

static void write(const char *path, size_t size) {
  std::FILE *file = std::fopen(path, "wb");
  std::string part(65536, 'x');
  uint32_t crc = 0;
  for (; file && size > 0; size -= std::min(size, part.size())) {
    crc = etr_crc32c(crc, part.data(), std::min(size, part.size()));
    std::fwrite(part.data(), 1, std::min(size, part.size()), file);
  }
  seen += crc;
  if (file) std::fclose(file);
}

int main(int argc, char **argv) {
  bool everything = argc > 1 && std::strcmp(argv[1], "all") == 0;
  std::vector<padded_string> documents;
  for (int i = everything ? 5 : 2; i < argc; i++) documents.push_back(padded_string::load(argv[i]));
  if (everything) {
    read(documents, false);
    pass_over(load(argv[3]));
    write(argv[2], std::strtoull(argv[4], nullptr, 10));
    return seen == 0;
  }
  double best = 1e9;
  for (int i = 0; i < 20; i++) {
    double start = cpu_seconds();
    read(documents, std::strcmp(argv[1], "walk") == 0);
    best = std::min(best, cpu_seconds() - start);
  }
  std::printf("%.9f\n", best);
  return seen == 0;
}

# SPDX-License-Identifier: BSD-3-Clause
# Homebrew's formula. packaging/README.md says which values are put in here for a release.
class EtrecordTb < Formula
  desc "Where an ExecuTorch model spends its time: TensorBoard, Graphviz, tables"
  homepage "https://example.org/etrecord-tb"
  url "https://example.org/etrecord-tb/etrecord-tb-0.1.0.tar.gz"
  sha256 "0000000000000000000000000000000000000000000000000000000000000000"
  license all_of: ["BSD-3-Clause", "MIT"] # the page holds preact and signals

  depends_on "cmake" => :build
  depends_on "pkgconf" => :build
  depends_on "graphviz"
  depends_on "libzip"
  depends_on "protobuf-c"

  uses_from_macos "zlib"

  def install
    system "cmake", "-S", ".", "-B", "build", "-DBUILD_TESTING=OFF", *std_cmake_args
    system "cmake", "--build", "build"
    system "cmake", "--install", "build"
    pkgshare.install "examples/mobilenet_v2"
  end

  test do
    system bin/"etrecord-tb", pkgshare/"mobilenet_v2", "--logdir", testpath/"runs"
    refute_empty testpath.glob("runs/**/events.out.tfevents.*")
    assert_match version.to_s, shell_output("#{bin}/etrecord-tb --version")
  end
end

import ChildProcesses
import Foundation
import MirrorTesting
import NIOCore
import Testing

@testable import MirrorServer

@Suite("A gzip stream made of parts") struct GzipTests {
    /// Decompresses with the `gzip` program. Its error for an incomplete stream is ignored.
    private func decompressed(_ compressed: [UInt8]) throws -> [UInt8] {
        let folder = try TemporaryFolder()
        let from = "\(folder.path)/from.gz", into = "\(folder.path)/into"
        try Data(compressed).write(to: URL(fileURLWithPath: from))
        let process = try ChildProcess(
            "/bin/sh", ["-c", "gzip -dc < \"$1\" > \"$2\" 2>/dev/null", "sh", from, into])
        _ = process.wait()
        return [UInt8](try Data(contentsOf: URL(fileURLWithPath: into)))
    }

    /// Bytes that can't be compressed.
    private func noise(_ count: Int) -> [UInt8] {
        var random = SeededRandom(seed: 7)
        return (0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }
    }

    @Test(arguments: [
        [0], [1], [1, 0, 1], [300_000], [65_536, 65_531, 65_526], [262_144, 1, 262_144, 1_000_000],
    ])
    func aGzipStreamOfPartsDecompressesToTheInput(_ sizes: [Int]) throws {
        for bytes in [noise(sizes.reduce(0, +)), Array(repeating: 0x61, count: sizes.reduce(0, +))] {
            let gzip = try Gzip()
            var compressed: [UInt8] = [], place = 0
            for (number, size) in sizes.enumerated() {
                let part = ByteBuffer(bytes: bytes[place..<(place + size)])
                place += size
                let isLast = number == sizes.count - 1
                compressed += [UInt8](buffer: try gzip.compressed(part, isLast: isLast))
                #expect(try decompressed(compressed) == Array(bytes[..<place]), "\(sizes) up to \(number)")
            }
        }
    }

    @Test(
        arguments: [
            (nil, false), ("", false), ("gzip", true), ("GZIP", true), ("x-gzip", true), ("*", true),
            ("br, zstd", false), ("deflate, gzip, br", true), ("gzip;q=0", false), ("gzip; q=0.0", false),
            ("gzip;q=0.5", true), ("identity", false), ("identity, gzip", true),
            ("gzip;q=0.5, identity", false),
            ("*;q=0", false), ("*;q=0, gzip", true), ("gzip;q=0, *", false), ("gzip;q=no", false),
            (";;,,q=1", false), ("gzipped", false), ("identity;q=0, *", true),
        ] as [(String?, Bool)])
    func gzipIsUsedOnlyIfTheClientPrefersIt(_ field: String?, _ isCompressed: Bool) {
        #expect(ContentCoding.prefersGzip(field) == isCompressed)
    }
}

import CZlib
import Testing

@testable import MirrorHTTP

/// The gzip decoder with streams made by zlib.
@Suite struct GzipDecoderTests {
    private static func compressed(_ bytes: [UInt8], level: Int32 = 6) throws -> [UInt8] {
        let stream = try #require(czlib_deflate_begin(level))
        defer { czlib_deflate_end(stream) }
        var output = [UInt8](repeating: 0, count: 64 << 10), compressed: [UInt8] = []
        bytes.withUnsafeBufferPointer { bytes in
            var input = bytes.baseAddress, length = bytes.count, goesOn: Int32 = 1
            while goesOn == 1 {
                var made = 0
                goesOn = czlib_deflate_add(stream, &input, &length, 1, &output, output.count, &made)
                compressed += output[..<made]
            }
        }
        return compressed
    }

    /// Compressible text of about 200 kB.
    private static let text: [UInt8] = (0..<20_000).flatMap { Array("\($0 % 977) \($0);".utf8) }

    /// - Returns: `nil` if the body is truncated.
    private func decoded(_ bytes: [UInt8], pieces size: Int) throws -> [UInt8]? {
        let decoder = try GzipDecoder()
        var found: [UInt8] = []
        for start in stride(from: 0, to: bytes.count, by: size) {
            try bytes[start..<min(start + size, bytes.count)].withUnsafeBytes { piece in
                var rest = piece
                while let next = try decoder.next(from: &rest) {
                    #expect(next.count <= GzipDecoder.pieceLength)
                    found += next
                }
                #expect(rest.isEmpty && !decoder.mayHaveMore)
            }
        }
        return decoder.isComplete ? found : nil
    }

    @Test(arguments: [1, 2, 7, 1_000, 1 << 20])
    func gzipInputOfAnyPieceSizeDecodesToTheSameBytes(size: Int) throws {
        let compressed =
            try Self.compressed(Self.text) + Self.compressed([])
            + Self.compressed(Array("end".utf8), level: 1)
        #expect(try decoded(compressed, pieces: size) == Self.text + Array("end".utf8))
    }

    @Test func aGzipBodyThatEndsWithinAMemberIsTruncated() throws {
        let compressed = try Self.compressed(Array("a catalogue of a museum, of a museum".utf8))
        for length in 1..<compressed.count {
            #expect(try decoded(Array(compressed[..<length]), pieces: 16) == nil, "\(length)")
            #expect(
                try decoded(compressed + compressed[..<length], pieces: 16) == nil,
                "\(length) behind a member")
        }
        #expect(try decoded([], pieces: 1) == [])
    }

    /// The first ten bytes contain a time and an operating system, which have no checksum.
    @Test func everyChangedBitInGzipDataIsDetected() throws {
        let text = Array("a catalogue of a museum, of a museum".utf8), compressed = try Self.compressed(text)
        for bit in (8 * 10)..<(8 * compressed.count) {
            var changed = compressed
            changed[bit / 8] ^= 1 << (bit % 8)
            let found = try? decoded(changed, pieces: 16)
            // The compressed data ends within a byte, whose last bits are unused.
            #expect(found == nil || found == text, "\(bit)")
        }
    }

    @Test func dataThatIsNotGzipIsRefused() throws {
        let decoder = try GzipDecoder()
        #expect(throws: GzipDecoder.Failure.broken) {
            try Array("no gzip".utf8).withUnsafeBytes { bytes in
                var rest = bytes
                while try decoder.next(from: &rest) != nil {}
            }
        }
    }

    @Test(
        arguments: [
            ([], BodyCoding.none), ([""], .none), (["identity"], .none), (["Identity, "], .none),
            (["gzip"], .gzip), (["GZIP"], .gzip), (["x-gzip"], .gzip), ([" gzip "], .gzip),
            (["identity, gzip"], .gzip), (["identity", "gzip"], .gzip), (["gzip,"], .gzip),
            (["gzip, gzip"], .unknown("gzip, gzip")), (["gzip", "gzip"], .unknown("gzip, gzip")),
            (["gzip, br"], .unknown("gzip, br")), (["br"], .unknown("br")),
            (["gzipped"], .unknown("gzipped")),
            (["aws-chunked"], .unknown("aws-chunked")),
        ] as [([String], BodyCoding)])
    func theContentCodingIsParsedFromItsFields(values: [String], coding: BodyCoding) {
        #expect(BodyCoding(HeaderFields(values.map { ("content-encoding", $0) })) == coding)
    }
}

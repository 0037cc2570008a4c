import CZlib
import Testing

@testable import MirrorHTTP

/// The decoder by itself, on streams that zlib made.
@Suite struct GzipDecoderTests {
    private static func packed(_ bytes: [UInt8], level: Int32 = 6) throws -> [UInt8] {
        let stream = try #require(czlib_deflate_begin(level))
        defer { czlib_deflate_end(stream) }
        var output = [UInt8](repeating: 0, count: 64 << 10), packed: [UInt8] = []
        bytes.withUnsafeBufferPointer { bytes in
            var input = bytes.baseAddress, length = bytes.count, goesOn: Int32 = 1
            while goesOn == 1 {
                var made = 0
                goesOn = czlib_deflate_add(stream, &input, &length, 1, &output, output.count, &made)
                packed += output[..<made]
            }
        }
        return packed
    }

    /// Text with enough order in it to be packed, and some 200 kB long.
    private static let text: [UInt8] = (0..<20_000).flatMap { Array("\($0 % 977) \($0);".utf8) }

    /// - Returns: `nil` if the body was not whole.
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
    func cuttingTheInputChangesNothing(size: Int) throws {
        let packed = try Self.packed(Self.text) + Self.packed([]) + Self.packed(Array("end".utf8), level: 1)
        #expect(try decoded(packed, pieces: size) == Self.text + Array("end".utf8))
    }

    @Test func aBodyThatEndsWithinAMemberIsNotWhole() throws {
        let packed = try Self.packed(Array("a catalogue of a museum, of a museum".utf8))
        for length in 1..<packed.count {
            #expect(try decoded(Array(packed[..<length]), pieces: 16) == nil, "\(length)")
            #expect(try decoded(packed + packed[..<length], pieces: 16) == nil, "\(length) behind a member")
        }
        #expect(try decoded([], pieces: 1) == [])
    }

    /// The first ten bytes have a time and a system in them, which nothing checks.
    @Test func noChangedBitBehindTheHeadChangesTheTextUnnoticed() throws {
        let text = Array("a catalogue of a museum, of a museum".utf8), packed = try Self.packed(text)
        for bit in (8 * 10)..<(8 * packed.count) {
            var changed = packed
            changed[bit / 8] ^= 1 << (bit % 8)
            let found = try? decoded(changed, pieces: 16)
            // The data ends within a byte, whose last bits mean nothing.
            #expect(found == nil || found == text, "\(bit)")
        }
    }

    @Test func whatIsNoGzipIsBroken() throws {
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
    func aCodingIsWhatItsFieldsSay(values: [String], coding: BodyCoding) {
        #expect(BodyCoding(HeaderFields(values.map { ("content-encoding", $0) })) == coding)
    }
}

import ContentHash
import Testing

@Suite struct SHA256DigestTests {
    static let text = "00ff10a0b1c2d3e4f5061728394a5b6c7d8e9fa0b1c2d3e4f5061728394a5b6c"

    @Test func hexGoesBothWays() throws {
        let digest = try #require(SHA256Digest(hex: Self.text))
        #expect(digest.hex == Self.text)
        #expect("\(digest)" == Self.text)
        for count in 0...64 { #expect(digest.hex(digits: count) == Self.text.prefix(count)) }
        #expect(SHA256Digest(hex: Self.text.uppercased()) == digest)
        #expect(digest.bytes.prefix(5) == [0x00, 0xff, 0x10, 0xa0, 0xb1])
        #expect(SHA256Digest(bytes: digest.bytes) == digest)
    }

    @Test(arguments: [
        "", "00", String(text.dropLast()), text + "0", text.dropLast() + "g", text.dropLast() + "é",
        " " + text.dropLast(),
    ])
    func whatIsNotHexIsRefused(_ hex: String) {
        #expect(SHA256Digest(hex: hex) == nil)
    }

    @Test func otherNumbersOfBytesAreRefused() {
        #expect(SHA256Digest(bytes: []) == nil)
        #expect(SHA256Digest(bytes: [UInt8](repeating: 1, count: 31)) == nil)
        #expect(SHA256Digest(bytes: [UInt8](repeating: 1, count: 33)) == nil)
        #expect(SHA256Digest(bytes: [UInt8](repeating: 0, count: 32)) == .zero)
    }

    @Test func digestsSortAsTheirHexDoes() {
        let digests = (0..<200).map { SHA256Hasher.hash(of: "\($0)") }
        #expect(digests.sorted().map(\.hex) == digests.map(\.hex).sorted())
        #expect(Set(digests).count == 200)
    }
}

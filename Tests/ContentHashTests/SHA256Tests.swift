import Testing

@testable import ContentHash

/// Messages and digests from NIST: FIPS 180-4's examples and the files SHA256ShortMsg, SHA256LongMsg, SHA256Monte of the CAVP.
/// Each runs over `SHA256Hasher` (CryptoKit where that exists) and over the portable implementation, in plain Swift and, where
/// the processor has instructions for it, with these.
@Suite struct SHA256Tests {
    static let examples: [(message: String, hex: String)] = [
        ("", "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"),
        ("abc", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"),
        (
            "abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq",
            "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1"
        ),
        (
            "abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopqrsmnopqrstnopqrstu",
            "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1"
        ),
    ]

    @Test(arguments: examples)
    func standardsExamplesHashAsPublished(_ example: (message: String, hex: String)) {
        #expect(SHA256Hasher.hash(of: example.message).hex == example.hex)
        #expect(portable(Array(example.message.utf8))?.hex == example.hex)
    }

    @Test func shortMessagesHashAsPublished() {
        #expect(
            portable([0xd3])?.hex == "28969cdfa74a12c82f3bad960b0b000aca2ac329deea5c2328ebc6f2ba9802c1")
        #expect(
            portable([0x11, 0xaf])?.hex == "5ca7133fa735326081558ac312c620eeca9970d1e70a4b95533d956f072d1f98")
    }

    /// The lengths around a block's end, where padding takes one block or two. Byte i of n is (7i + n) mod 256; the digests were
    /// computed with another implementation.
    static let lengths: [(count: Int, hex: String)] = [
        (1, "4bf5122f344554c53bde2ebb8cd2b7e3d1600ad631c385a5d7cce23c7785459a"),
        (55, "81afe5b788dc2ce138ff83d9b20164db75a94d75d2b2432eea4a0ef605088c72"),
        (56, "2aba54f0ac632420a2b502431408866e40e1d5e430df4cd822642c78ab2eb9c1"),
        (63, "733d3d4ee79ee67145bf73da13588f6f235d37414fc64b14a2f00f1762792f5e"),
        (64, "79322907b3e9d013d7dc2c2f256674dbf733045cde01df3539271c6f5605feb8"),
        (65, "d85c007c6eb440f085afa2b84f6f2bce4658b240e9f62cb1364bf0485a57e720"),
        (119, "6c87eedf096b345de205b702e5223b73b447a3207791ded3ea007ba15ed6736e"),
        (120, "42500cf6a1e3936d6b9e0bcfe296d654b63255e525487d3634d0b15fde591c4d"),
        (128, "489d55fea9a73af36b6dd0be7b4117d8e5683386d39544e8a44c99a87f368707"),
        (4097, "4ef3d8e05f2e1e9b2da79d218f7a74e538198d77bbb81c6c8c4464b4d4db2f4b"),
    ]

    @Test(arguments: lengths)
    func everyPaddingLengthHashesRight(_ length: (count: Int, hex: String)) {
        let message = bytes(length.count)
        #expect(SHA256Hasher.hash(of: message).hex == length.hex)
        #expect(portable(message)?.hex == length.hex)
    }

    static let ways = PortableSHA256.hasInstructions ? [false, true] : [false]

    @Test(arguments: ways) func millionTimesAHashesAsPublished(usesInstructions: Bool) {
        let piece = [UInt8](repeating: 0x61, count: 10_000)
        var hasher = SHA256Hasher()
        var own = PortableSHA256(usesInstructions: usesInstructions)
        for _ in 0..<100 {
            hasher.update(piece)
            piece.withUnsafeBytes { own.update($0) }
        }
        let expected = "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0"
        #expect(hasher.finalize().hex == expected)
        #expect(own.finalize().hex == expected)
    }

    @Test(arguments: ways) func monteCarloChainAgreesWithNIST(usesInstructions: Bool) throws {
        var seed = try #require(
            SHA256Digest(hex: "6d1e72ad03ddeb5de891e572e2396f8da015d899ef0e79503152d6010a3fe691"))
        for expected in [
            "e93c330ae5447738c8aa85d71a6c80f2a58381d05872d26bdd39f1fcd4f2b788",
            "2e78f8c8772ea7c9331d41ed3f9cdf27d8f514a99342ee766ee3b8b0d0b121c0",
            "d6a23dff1b7f2eddc1a212f8a218397523a799b07386a30692fd6fe9d2bf0944",
        ] {
            var last = (seed, seed, seed)
            for _ in 0..<1000 {
                var hasher = PortableSHA256(usesInstructions: usesInstructions)
                for digest in [last.0, last.1, last.2] { digest.withUnsafeBytes { hasher.update($0) } }
                last = (last.1, last.2, hasher.finalize())
            }
            seed = last.2
            #expect(seed.hex == expected)
        }
    }

    @Test(arguments: [1, 3, 63, 64, 65, 200], ways)
    func piecesOfAnySizeGiveTheSameDigest(_ size: Int, usesInstructions: Bool) {
        let message = bytes(1000)
        var hasher = SHA256Hasher()
        var own = PortableSHA256(usesInstructions: usesInstructions)
        message.withUnsafeBytes { all in
            var start = 0
            while start < all.count {
                let piece = UnsafeRawBufferPointer(rebasing: all[start..<min(start + size, all.count)])
                hasher.update(piece)
                own.update(piece)
                own.update(UnsafeRawBufferPointer(start: nil, count: 0))
                start += size
            }
        }
        #expect(hasher.finalize() == SHA256Hasher.hash(of: message))
        #expect(own.finalize() == SHA256Hasher.hash(of: message))
    }

    @Test func finalizingChangesNothingAndCopiesGoTheirOwnWay() {
        var hasher = SHA256Hasher()
        hasher.update(Array("ab".utf8))
        #expect(hasher.finalize() == hasher.finalize())
        var copy = hasher
        copy.update(Array("x".utf8))
        hasher.update(Array("c".utf8))
        #expect(hasher.finalize() == SHA256Hasher.hash(of: "abc"))
        #expect(copy.finalize() == SHA256Hasher.hash(of: "abx"))
    }

    private func bytes(_ count: Int) -> [UInt8] {
        (0..<count).map { UInt8(truncatingIfNeeded: 7 * $0 + count) }
    }

    /// In every way; `nil` if they don't agree.
    private func portable(_ message: [UInt8]) -> SHA256Digest? {
        let digests = Self.ways.map { way in
            var hasher = PortableSHA256(usesInstructions: way)
            message.withUnsafeBytes { hasher.update($0) }
            return hasher.finalize()
        }
        return Set(digests).count == 1 ? digests[0] : nil
    }
}

// ContentHash: SHA-256, for file names and digests.
//
// The one hash that the whole package uses: pictures and documents are stored under the digest of their bytes,
// the digest extension compares tries of digests, and drawn pictures are seeded from one.
// `SHA256Hasher` takes bytes in any number of pieces and gives a `SHA256Digest`, a plain 32-byte value.
// Where CryptoKit exists it does the work. Elsewhere `PortableSHA256` does: FIPS 180-4 written out in Swift, with no package;
// where the processor has instructions for its rounds, they do these (`CContentHash`: Swift has no names for them). The
// portable one is compiled everywhere, so that the tests hold it to the NIST vectors on every platform. The file is one
// because the target is a leaf that everything imports.

import CContentHash

#if canImport(CryptoKit)
    import CryptoKit
#endif

/// The 32 bytes of a SHA-256. Ordered as its bytes are, so sorting digests and sorting their hex agree.
public struct SHA256Digest: Hashable, Comparable, Sendable, CustomStringConvertible {
    /// The bytes as four big-endian words: comparing is four comparisons, copying allocates nothing.
    let word0, word1, word2, word3: UInt64

    /// 32 zero bytes: what an empty node of a digest trie stands for.
    public static let zero = SHA256Digest(word0: 0, word1: 0, word2: 0, word3: 0)

    /// How many bytes a digest has.
    public static let byteCount = 32

    init(word0: UInt64, word1: UInt64, word2: UInt64, word3: UInt64) {
        (self.word0, self.word1, self.word2, self.word3) = (word0, word1, word2, word3)
    }

    /// Takes 32 raw bytes, as from a database's blob; nil for any other number of bytes.
    public init?(bytes: UnsafeRawBufferPointer) {
        guard bytes.count == Self.byteCount else { return nil }
        func word(_ index: Int) -> UInt64 {
            UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: index * 8, as: UInt64.self))
        }
        self.init(word0: word(0), word1: word(1), word2: word(2), word3: word(3))
    }

    /// Takes 32 raw bytes; nil for any other number of bytes.
    public init?(bytes: [UInt8]) {
        guard let digest = bytes.withUnsafeBytes({ SHA256Digest(bytes: $0) }) else { return nil }
        self = digest
    }

    /// Takes 64 hexadecimal digits in either case; nil for anything else.
    public init?(hex: String) {
        var words = (UInt64(0), UInt64(0), UInt64(0), UInt64(0))
        var count = 0
        for digit in hex.utf8 {
            let value: UInt8
            switch digit {
            case 0x30...0x39: value = digit - 0x30
            case 0x61...0x66: value = digit - 0x61 + 10
            case 0x41...0x46: value = digit - 0x41 + 10
            default: return nil
            }
            switch count >> 4 {
            case 0: words.0 = words.0 << 4 | UInt64(value)
            case 1: words.1 = words.1 << 4 | UInt64(value)
            case 2: words.2 = words.2 << 4 | UInt64(value)
            case 3: words.3 = words.3 << 4 | UInt64(value)
            default: return nil
            }
            count += 1
        }
        guard count == 64 else { return nil }
        self.init(word0: words.0, word1: words.1, word2: words.2, word3: words.3)
    }

    /// 64 hexadecimal digits in lower case.
    public var hex: String { hex(digits: 64) }

    /// The first of the 64 hexadecimal digits in lower case: enough to tell contents apart where nobody forges them.
    ///
    /// - Parameter digits: how many, 0 to 64.
    public func hex(digits count: Int) -> String {
        precondition((0...64).contains(count), "a SHA-256 has 64 hexadecimal digits")
        return String(unsafeUninitializedCapacity: count) { digits in
            withUnsafeBytes { bytes in
                for at in 0..<count {
                    let byte = bytes[at >> 1]
                    digits[at] = Self.digit(at & 1 == 0 ? byte >> 4 : byte & 15)
                }
            }
            return count
        }
    }

    public var description: String { hex }

    /// The 32 raw bytes, as an array of its own.
    public var bytes: [UInt8] { withUnsafeBytes { Array($0) } }

    /// Gives the 32 raw bytes to `body` without allocating; the buffer is valid during the call only.
    public func withUnsafeBytes<Result>(
        _ body: (UnsafeRawBufferPointer) throws -> Result
    ) rethrows -> Result {
        let words = (word0.bigEndian, word1.bigEndian, word2.bigEndian, word3.bigEndian)
        return try Swift.withUnsafeBytes(of: words, body)
    }

    public static func < (left: SHA256Digest, right: SHA256Digest) -> Bool {
        (left.word0, left.word1, left.word2, left.word3)
            < (right.word0, right.word1, right.word2, right.word3)
    }

    @inline(__always)
    private static func digit(_ nibble: UInt8) -> UInt8 { nibble < 10 ? 0x30 + nibble : 0x57 + nibble }
}

/// Computes a SHA-256 piece by piece (FIPS 180-4). A value: a copy goes on by itself from where it was copied.
///
/// `@unchecked Sendable` because not every SDK declares CryptoKit's `SHA256` so; it is a value type without shared state.
public struct SHA256Hasher: @unchecked Sendable {
    #if canImport(CryptoKit)
        private var state = SHA256()
    #else
        private var state = PortableSHA256()
    #endif

    /// A hasher that has seen no bytes.
    public init() {}

    /// Takes in further bytes; any number, none included.
    public mutating func update(_ bytes: UnsafeRawBufferPointer) {
        #if canImport(CryptoKit)
            state.update(bufferPointer: bytes)
        #else
            state.update(bytes)
        #endif
    }

    /// Takes in further bytes; any number, none included.
    public mutating func update(_ bytes: [UInt8]) {
        bytes.withUnsafeBytes { update($0) }
    }

    /// The digest of all bytes so far. Changes nothing: more bytes may follow, and asking twice answers alike.
    public func finalize() -> SHA256Digest {
        #if canImport(CryptoKit)
            let digest = state.finalize().withUnsafeBytes { SHA256Digest(bytes: $0) }
            guard let digest else { preconditionFailure("a SHA-256 has 32 bytes") }
            return digest
        #else
            state.finalize()
        #endif
    }

    /// The digest of these bytes.
    public static func hash(of bytes: UnsafeRawBufferPointer) -> SHA256Digest {
        var hasher = SHA256Hasher()
        hasher.update(bytes)
        return hasher.finalize()
    }

    /// The digest of these bytes.
    public static func hash(of bytes: [UInt8]) -> SHA256Digest {
        bytes.withUnsafeBytes { hash(of: $0) }
    }

    /// The digest of the text's UTF-8.
    public static func hash(of text: String) -> SHA256Digest {
        var text = text
        return text.withUTF8 { hash(of: UnsafeRawBufferPointer($0)) }
    }
}

/// SHA-256 after FIPS 180-4 section 6.2: by the processor's instructions, or in plain Swift, the 64 rounds written out so that
/// the message schedule and the working variables stay in registers.
struct PortableSHA256: Sendable {
    // Section 5.3.3: the first 32 bits of the fractional parts of the square roots of the first eight primes.
    private var state = SIMD8<UInt32>(
        0x6a09_e667, 0xbb67_ae85, 0x3c6e_f372, 0xa54f_f53a, 0x510e_527f, 0x9b05_688c, 0x1f83_d9ab, 0x5be0_cd19
    )
    /// The bytes that don't fill a block yet; `length % 64` of them count.
    private var pending = SIMD64<UInt8>()
    private var length: UInt64 = 0
    private let usesInstructions: Bool

    /// Whether the processor has instructions for it (x86-64 with SHA extensions).
    static let hasInstructions = ccontenthash_is_available() != 0

    /// - Parameter usesInstructions: `true` only where there are some.
    init(usesInstructions: Bool = Self.hasInstructions) { self.usesInstructions = usesInstructions }

    mutating func update(_ bytes: UnsafeRawBufferPointer) {
        guard let base = bytes.baseAddress, !bytes.isEmpty else { return }
        var next = base
        var left = bytes.count
        let held = Int(length & 63)
        length &+= UInt64(left)
        if held > 0 {
            let taken = min(64 - held, left)
            withUnsafeMutableBytes(of: &pending) { buffer in
                UnsafeMutableRawBufferPointer(rebasing: buffer[held..<held + taken])
                    .copyMemory(from: UnsafeRawBufferPointer(start: next, count: taken))
            }
            guard held + taken == 64 else { return }
            compressPending()
            next += taken
            left -= taken
        }
        if left >= 64 {
            let blocks = left >> 6
            compress(next, blocks)
            next += blocks << 6
            left &= 63
        }
        if left > 0 {
            withUnsafeMutableBytes(of: &pending) { buffer in
                buffer.copyMemory(from: UnsafeRawBufferPointer(start: next, count: left))
            }
        }
    }

    func finalize() -> SHA256Digest {
        var last = self
        last.pad()
        let state = last.state
        func word(_ index: Int) -> UInt64 { UInt64(state[index]) << 32 | UInt64(state[index + 1]) }
        return SHA256Digest(word0: word(0), word1: word(2), word2: word(4), word3: word(6))
    }

    /// Section 5.1.1: a one bit, zeros, and the length in bits as 64 big-endian bits at the end of a block.
    private mutating func pad() {
        let held = Int(length & 63)
        let bits = length &<< 3
        pending[held] = 0x80
        for index in held + 1..<64 { pending[index] = 0 }
        if held >= 56 {
            compressPending()
            pending = SIMD64()
        }
        for index in 0..<8 { pending[56 + index] = UInt8(truncatingIfNeeded: bits >> UInt64(56 - 8 * index)) }
        compressPending()
    }

    private mutating func compressPending() {
        let block = pending
        withUnsafeBytes(of: block) { buffer in
            guard let bytes = buffer.baseAddress else { preconditionFailure("a block has 64 bytes") }
            compress(bytes, 1)
        }
    }

    /// Section 6.2.2 over `count` blocks of 64 bytes from `bytes`, which need no alignment.
    private mutating func compress(_ bytes: UnsafeRawPointer, _ count: Int) {
        if usesInstructions {
            withUnsafeMutableBytes(of: &state) { words in
                ccontenthash_compress(
                    words.baseAddress?.assumingMemoryBound(to: UInt32.self),
                    bytes.assumingMemoryBound(to: UInt8.self), count)
            }
            return
        }
        var block = bytes
        for _ in 0..<count {
            state = Self.compress(state, block)
            block += 64
        }
    }

    @inline(__always)
    private static func compress(_ state: SIMD8<UInt32>, _ block: UnsafeRawPointer) -> SIMD8<UInt32> {
        @inline(__always) func word(_ index: Int) -> UInt32 {
            UInt32(bigEndian: block.loadUnaligned(fromByteOffset: index &<< 2, as: UInt32.self))
        }
        var w0 = word(0)
        var w1 = word(1)
        var w2 = word(2)
        var w3 = word(3)
        var w4 = word(4)
        var w5 = word(5)
        var w6 = word(6)
        var w7 = word(7)
        var w8 = word(8)
        var w9 = word(9)
        var w10 = word(10)
        var w11 = word(11)
        var w12 = word(12)
        var w13 = word(13)
        var w14 = word(14)
        var w15 = word(15)
        var a = state[0], b = state[1], c = state[2], d = state[3]
        var e = state[4], f = state[5], g = state[6], h = state[7]

        round(a, b, c, &d, e, f, g, &h, 0x428a2f98 &+ w0)
        round(h, a, b, &c, d, e, f, &g, 0x71374491 &+ w1)
        round(g, h, a, &b, c, d, e, &f, 0xb5c0fbcf &+ w2)
        round(f, g, h, &a, b, c, d, &e, 0xe9b5dba5 &+ w3)
        round(e, f, g, &h, a, b, c, &d, 0x3956c25b &+ w4)
        round(d, e, f, &g, h, a, b, &c, 0x59f111f1 &+ w5)
        round(c, d, e, &f, g, h, a, &b, 0x923f82a4 &+ w6)
        round(b, c, d, &e, f, g, h, &a, 0xab1c5ed5 &+ w7)
        round(a, b, c, &d, e, f, g, &h, 0xd807aa98 &+ w8)
        round(h, a, b, &c, d, e, f, &g, 0x12835b01 &+ w9)
        round(g, h, a, &b, c, d, e, &f, 0x243185be &+ w10)
        round(f, g, h, &a, b, c, d, &e, 0x550c7dc3 &+ w11)
        round(e, f, g, &h, a, b, c, &d, 0x72be5d74 &+ w12)
        round(d, e, f, &g, h, a, b, &c, 0x80deb1fe &+ w13)
        round(c, d, e, &f, g, h, a, &b, 0x9bdc06a7 &+ w14)
        round(b, c, d, &e, f, g, h, &a, 0xc19bf174 &+ w15)
        round(a, b, c, &d, e, f, g, &h, 0xe49b69c1 &+ extend(&w0, w1, w9, w14))
        round(h, a, b, &c, d, e, f, &g, 0xefbe4786 &+ extend(&w1, w2, w10, w15))
        round(g, h, a, &b, c, d, e, &f, 0x0fc19dc6 &+ extend(&w2, w3, w11, w0))
        round(f, g, h, &a, b, c, d, &e, 0x240ca1cc &+ extend(&w3, w4, w12, w1))
        round(e, f, g, &h, a, b, c, &d, 0x2de92c6f &+ extend(&w4, w5, w13, w2))
        round(d, e, f, &g, h, a, b, &c, 0x4a7484aa &+ extend(&w5, w6, w14, w3))
        round(c, d, e, &f, g, h, a, &b, 0x5cb0a9dc &+ extend(&w6, w7, w15, w4))
        round(b, c, d, &e, f, g, h, &a, 0x76f988da &+ extend(&w7, w8, w0, w5))
        round(a, b, c, &d, e, f, g, &h, 0x983e5152 &+ extend(&w8, w9, w1, w6))
        round(h, a, b, &c, d, e, f, &g, 0xa831c66d &+ extend(&w9, w10, w2, w7))
        round(g, h, a, &b, c, d, e, &f, 0xb00327c8 &+ extend(&w10, w11, w3, w8))
        round(f, g, h, &a, b, c, d, &e, 0xbf597fc7 &+ extend(&w11, w12, w4, w9))
        round(e, f, g, &h, a, b, c, &d, 0xc6e00bf3 &+ extend(&w12, w13, w5, w10))
        round(d, e, f, &g, h, a, b, &c, 0xd5a79147 &+ extend(&w13, w14, w6, w11))
        round(c, d, e, &f, g, h, a, &b, 0x06ca6351 &+ extend(&w14, w15, w7, w12))
        round(b, c, d, &e, f, g, h, &a, 0x14292967 &+ extend(&w15, w0, w8, w13))
        round(a, b, c, &d, e, f, g, &h, 0x27b70a85 &+ extend(&w0, w1, w9, w14))
        round(h, a, b, &c, d, e, f, &g, 0x2e1b2138 &+ extend(&w1, w2, w10, w15))
        round(g, h, a, &b, c, d, e, &f, 0x4d2c6dfc &+ extend(&w2, w3, w11, w0))
        round(f, g, h, &a, b, c, d, &e, 0x53380d13 &+ extend(&w3, w4, w12, w1))
        round(e, f, g, &h, a, b, c, &d, 0x650a7354 &+ extend(&w4, w5, w13, w2))
        round(d, e, f, &g, h, a, b, &c, 0x766a0abb &+ extend(&w5, w6, w14, w3))
        round(c, d, e, &f, g, h, a, &b, 0x81c2c92e &+ extend(&w6, w7, w15, w4))
        round(b, c, d, &e, f, g, h, &a, 0x92722c85 &+ extend(&w7, w8, w0, w5))
        round(a, b, c, &d, e, f, g, &h, 0xa2bfe8a1 &+ extend(&w8, w9, w1, w6))
        round(h, a, b, &c, d, e, f, &g, 0xa81a664b &+ extend(&w9, w10, w2, w7))
        round(g, h, a, &b, c, d, e, &f, 0xc24b8b70 &+ extend(&w10, w11, w3, w8))
        round(f, g, h, &a, b, c, d, &e, 0xc76c51a3 &+ extend(&w11, w12, w4, w9))
        round(e, f, g, &h, a, b, c, &d, 0xd192e819 &+ extend(&w12, w13, w5, w10))
        round(d, e, f, &g, h, a, b, &c, 0xd6990624 &+ extend(&w13, w14, w6, w11))
        round(c, d, e, &f, g, h, a, &b, 0xf40e3585 &+ extend(&w14, w15, w7, w12))
        round(b, c, d, &e, f, g, h, &a, 0x106aa070 &+ extend(&w15, w0, w8, w13))
        round(a, b, c, &d, e, f, g, &h, 0x19a4c116 &+ extend(&w0, w1, w9, w14))
        round(h, a, b, &c, d, e, f, &g, 0x1e376c08 &+ extend(&w1, w2, w10, w15))
        round(g, h, a, &b, c, d, e, &f, 0x2748774c &+ extend(&w2, w3, w11, w0))
        round(f, g, h, &a, b, c, d, &e, 0x34b0bcb5 &+ extend(&w3, w4, w12, w1))
        round(e, f, g, &h, a, b, c, &d, 0x391c0cb3 &+ extend(&w4, w5, w13, w2))
        round(d, e, f, &g, h, a, b, &c, 0x4ed8aa4a &+ extend(&w5, w6, w14, w3))
        round(c, d, e, &f, g, h, a, &b, 0x5b9cca4f &+ extend(&w6, w7, w15, w4))
        round(b, c, d, &e, f, g, h, &a, 0x682e6ff3 &+ extend(&w7, w8, w0, w5))
        round(a, b, c, &d, e, f, g, &h, 0x748f82ee &+ extend(&w8, w9, w1, w6))
        round(h, a, b, &c, d, e, f, &g, 0x78a5636f &+ extend(&w9, w10, w2, w7))
        round(g, h, a, &b, c, d, e, &f, 0x84c87814 &+ extend(&w10, w11, w3, w8))
        round(f, g, h, &a, b, c, d, &e, 0x8cc70208 &+ extend(&w11, w12, w4, w9))
        round(e, f, g, &h, a, b, c, &d, 0x90befffa &+ extend(&w12, w13, w5, w10))
        round(d, e, f, &g, h, a, b, &c, 0xa4506ceb &+ extend(&w13, w14, w6, w11))
        round(c, d, e, &f, g, h, a, &b, 0xbef9a3f7 &+ extend(&w14, w15, w7, w12))
        round(b, c, d, &e, f, g, h, &a, 0xc67178f2 &+ extend(&w15, w0, w8, w13))

        return state &+ SIMD8(a, b, c, d, e, f, g, h)
    }

    /// One round, with the eight variables renamed instead of moved; `input` is the round's constant plus its word.
    @inline(__always)
    private static func round(
        _ a: UInt32, _ b: UInt32, _ c: UInt32, _ d: inout UInt32,
        _ e: UInt32, _ f: UInt32, _ g: UInt32, _ h: inout UInt32, _ input: UInt32
    ) {
        let sigma1 = (e &>> 6 | e &<< 26) ^ (e &>> 11 | e &<< 21) ^ (e &>> 25 | e &<< 7)
        let choice = g ^ (e & (f ^ g))
        let first = h &+ sigma1 &+ choice &+ input
        let sigma0 = (a &>> 2 | a &<< 30) ^ (a &>> 13 | a &<< 19) ^ (a &>> 22 | a &<< 10)
        let majority = (a & b) | (c & (a | b))
        d = d &+ first
        h = first &+ sigma0 &+ majority
    }

    /// The message schedule's next word, in the place of the one sixteen words back.
    @inline(__always)
    private static func extend(_ w: inout UInt32, _ w1: UInt32, _ w9: UInt32, _ w14: UInt32) -> UInt32 {
        let sigma0 = (w1 &>> 7 | w1 &<< 25) ^ (w1 &>> 18 | w1 &<< 14) ^ (w1 &>> 3)
        let sigma1 = (w14 &>> 17 | w14 &<< 15) ^ (w14 &>> 19 | w14 &<< 13) ^ (w14 &>> 10)
        w = w &+ sigma0 &+ w9 &+ sigma1
        return w
    }
}

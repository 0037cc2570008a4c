/// Which share of the files is read to their end, to compare their digests.
public struct ReadShare: Sendable, Hashable {
    /// From 0 to 1.
    public let share: Double

    public static let none = ReadShare(share: 0)
    public static let all = ReadShare(share: 1)

    private init(share: Double) { self.share = share }

    /// Reads `5%`, `0.1%` or `all`; `nil` for anything else.
    public init?(_ text: String) {
        if text == "all" {
            self = .all
        } else if text.hasSuffix("%"), let percent = Double(text.dropLast()), percent >= 0, percent <= 100 {
            self = ReadShare(share: percent / 100)
        } else {
            return nil
        }
    }

    /// Whether a file is in the sample that a seed stands for: another seed reads others.
    ///
    /// - Parameter hash: the file's digest in hex, whose digits are as good as random.
    func contains(_ hash: String, seed: UInt64) -> Bool {
        guard share < 1 else { return true }
        guard share > 0 else { return false }
        var number = (UInt64(hash.prefix(16), radix: 16) ?? 0) ^ seed
        // The mixing step of SplitMix64: a seed that differs in one bit chooses other files.
        number = (number ^ (number >> 30)) &* 0xBF58_476D_1CE4_E5B9
        number = (number ^ (number >> 27)) &* 0x94D0_49BB_1331_11EB
        number ^= number >> 31
        return Double(number >> 11) < share * Double(UInt64(1) << 53)
    }
}

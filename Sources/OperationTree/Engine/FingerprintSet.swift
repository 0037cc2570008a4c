/// A set of fingerprints at little more than 16 bytes each: open addressing with linear probing, up to 7/8 full,
/// growing by half.
struct FingerprintSet: Sendable {
    private var table: ContiguousArray<Fingerprint> = []
    private(set) var count = 0

    func contains(_ fingerprint: Fingerprint) -> Bool {
        table.isEmpty ? false : table[place(of: fingerprint)] == fingerprint
    }

    /// Returns whether it was absent.
    @discardableResult
    mutating func insert(_ fingerprint: Fingerprint) -> Bool {
        if (count + 1) * 8 > table.count * 7 { grow() }
        let place = place(of: fingerprint)
        if table[place] == fingerprint { return false }
        table[place] = fingerprint
        count += 1
        return true
    }

    /// Where the fingerprint is, or the free place where it would be. The table is never full.
    private func place(of fingerprint: Fingerprint) -> Int {
        var place = Int(fingerprint.low.multipliedFullWidth(by: UInt64(table.count)).high)
        while table[place] != fingerprint && table[place] != .zero {
            place += 1
            if place == table.count { place = 0 }
        }
        return place
    }

    private mutating func grow() {
        let old = table
        table = ContiguousArray(repeating: .zero, count: max(8, old.count + old.count / 2))
        for fingerprint in old where fingerprint != .zero { table[place(of: fingerprint)] = fingerprint }
    }
}

/// The enabled loops: the core loop first, then special loops in the order of enabling.
struct LoopRoster {
    private(set) var entries: [LoopEntry] = []
    private var byID: [LoopID: LoopEntry] = [:]
    /// Ids whose loops are being made, outside of the lock, by the number of the making.
    private var reserved: [LoopID: Int] = [:]
    private var lastNumber = 0

    subscript(id: LoopID) -> LoopEntry? { byID[id] }

    /// Keeps an id for one who makes its loop; nil if it is enabled or kept.
    mutating func reserve(_ id: LoopID) -> Int? {
        guard byID[id] == nil, reserved[id] == nil else { return nil }
        lastNumber += 1
        reserved[id] = lastNumber
        return lastNumber
    }

    /// Whether the id is still kept for that one: it isn't if it was disabled or everything reset meanwhile.
    mutating func redeem(_ id: LoopID, _ number: Int) -> Bool {
        guard reserved[id] == number else { return false }
        reserved[id] = nil
        return true
    }

    mutating func add(_ entry: LoopEntry) {
        byID[entry.id] = entry
        if entry.isCore { entries.insert(entry, at: 0) } else { entries.append(entry) }
    }

    /// Whether there was one, or one was about to be.
    mutating func remove(_ id: LoopID) -> Bool {
        let wasReserved = reserved.removeValue(forKey: id) != nil
        guard let entry = byID.removeValue(forKey: id) else { return wasReserved }
        entries.removeAll { $0 === entry }
        return true
    }

    mutating func removeAll() { (entries, byID, reserved) = ([], [:], [:]) }
}

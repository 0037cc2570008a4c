/// Changes to the cache's file that wait to be written together. Reads look here first.
struct EntryBatch: Sendable {
    /// The changes under one key.
    struct Slot: Sendable {
        /// Whether what the file holds under this key goes first.
        var isCleared = false
        var writes: [Write] = []
    }

    struct Write: Sendable {
        var entry: CacheEntry
        /// Whether the entry is new to the file; else only a row that is there is changed.
        var inserts: Bool
        /// Seconds since 1970: counts as the entry's last use.
        var time: Int
    }

    private(set) var slots: [String: Slot] = [:]
    /// Rows that were read, and when (seconds since 1970).
    private(set) var touched: [Int64: Int] = [:]
    /// Bytes of the entries that wait.
    private(set) var bytes = 0
    /// Changes since the batch began; replaced ones included.
    private(set) var count = 0

    var isEmpty: Bool { slots.isEmpty && touched.isEmpty }

    mutating func store(_ entry: CacheEntry, at time: Int) {
        put(entry, inserts: true, at: time)
    }

    /// Replaces an entry that is there. After ``remove(_:)``, none is.
    mutating func update(_ entry: CacheEntry, at time: Int) {
        put(entry, inserts: false, at: time)
    }

    mutating func remove(_ key: String) {
        if let slot = slots[key] { bytes -= slot.writes.reduce(0) { $0 + $1.entry.cost } }
        slots[key] = Slot(isCleared: true)
        count += 1
    }

    mutating func touch(_ row: Int64, at time: Int) {
        touched[row] = time
    }

    private mutating func put(_ entry: CacheEntry, inserts: Bool, at time: Int) {
        count += 1
        var slot = slots.removeValue(forKey: entry.key) ?? Slot()
        defer { slots[entry.key] = slot }
        if let index = slot.writes.firstIndex(where: { $0.entry.vary == entry.vary }) {
            bytes += entry.cost - slot.writes[index].entry.cost
            let known = slot.writes.remove(at: index)
            // The newest is last.
            slot.writes.append(Write(entry: entry, inserts: inserts || known.inserts, time: time))
        } else if inserts || !slot.isCleared {
            bytes += entry.cost
            slot.writes.append(Write(entry: entry, inserts: inserts, time: time))
        }
    }

    /// What the batch knows about an entry.
    enum Lookup {
        case found(CacheEntry)
        /// Gone; the file's row doesn't count.
        case removed
        case unknown
    }

    func lookup(_ key: String, _ request: HeaderFields) -> Lookup {
        guard let slot = slots[key] else { return .unknown }
        if let write = slot.writes.last(where: { $0.entry.vary.matches(request) }) {
            return .found(write.entry)
        }
        return slot.isCleared ? .removed : .unknown
    }
}

/// Pending changes to the cache's file, which are written together. Reads consult them before the file.
struct EntryBatch: Sendable {
    /// The pending changes of one key.
    struct Slot: Sendable {
        /// Whether the file's rows with this key are deleted before the entries are written.
        var isCleared = false
        /// The entries to store, the newest last, each with the time of storing in seconds since 1970. That time counts
        /// as the entry's last use.
        var entries: [(entry: CacheEntry, time: Int)] = []
    }

    private(set) var slots: [String: Slot] = [:]
    /// The rows that were read, with the time of reading in seconds since 1970.
    private(set) var touched: [Int64: Int] = [:]
    /// The size of the pending entries, in bytes.
    private(set) var bytes = 0

    var isEmpty: Bool { slots.isEmpty && touched.isEmpty }

    mutating func store(_ entry: CacheEntry, at time: Int) {
        change(entry.key) { slot in
            slot.entries.removeAll { $0.entry.vary == entry.vary }
            slot.entries.append((entry, time))
        }
    }

    mutating func remove(_ key: String) {
        change(key) { $0 = Slot(isCleared: true) }
    }

    mutating func touch(_ row: Int64, at time: Int) {
        touched[row] = time
    }

    private mutating func change(_ key: String, _ body: (inout Slot) -> Void) {
        var slot = slots.removeValue(forKey: key) ?? Slot()
        bytes -= slot.entries.reduce(0) { $0 + $1.entry.cost }
        body(&slot)
        bytes += slot.entries.reduce(0) { $0 + $1.entry.cost }
        slots[key] = slot
    }

    /// What the pending changes contain for a key.
    enum Lookup {
        case found(CacheEntry)
        /// Removed; the file's row is out of date.
        case removed
    }

    /// Looks an entry up in the pending changes; `nil` if they don't affect it.
    func lookup(_ key: String, _ request: HeaderFields) -> Lookup? {
        guard let slot = slots[key] else { return nil }
        if let found = slot.entries.last(where: { $0.entry.vary.matches(request) }) {
            return .found(found.entry)
        }
        return slot.isCleared ? .removed : nil
    }
}

/// Entries that may only be stored in memory; the oldest are evicted.
struct MemoryEntries: Sendable {
    var capacity: Int {
        didSet { makeRoom() }
    }
    private(set) var usage = 0
    /// The newest entry is last.
    private var entries: [CacheEntry] = []

    init(capacity: Int) {
        self.capacity = capacity
    }

    func entry(for key: String, _ request: HeaderFields) -> CacheEntry? {
        entries.last { $0.key == key && $0.vary.matches(request) }
    }

    mutating func store(_ entry: CacheEntry) {
        removeAll { $0.key == entry.key && $0.vary == entry.vary }
        guard entry.cost <= capacity else { return }
        entries.append(entry)
        usage += entry.cost
        makeRoom()
    }

    mutating func removeAll(where isUnwanted: (CacheEntry) -> Bool) {
        entries.removeAll(where: isUnwanted)
        usage = entries.reduce(0) { $0 + $1.cost }
    }

    private mutating func makeRoom() {
        while usage > capacity, !entries.isEmpty { usage -= entries.removeFirst().cost }
    }
}

/// Changes to the cache's file that wait to be written together. Reads look here first.
struct EntryBatch: Sendable {
    /// The changes under one key.
    struct Slot: Sendable {
        /// Whether what the file holds under this key goes first.
        var isCleared = false
        /// What is stored, and when (seconds since 1970): that counts as its last use. The newest is last.
        var entries: [(entry: CacheEntry, time: Int)] = []
    }

    private(set) var slots: [String: Slot] = [:]
    /// Rows that were read, and when (seconds since 1970).
    private(set) var touched: [Int64: Int] = [:]
    /// Bytes of the entries that wait.
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

    enum Lookup {
        case found(CacheEntry)
        /// Gone; the file's row doesn't count.
        case removed
    }

    /// What the batch knows about an entry; `nil` for nothing.
    func lookup(_ key: String, _ request: HeaderFields) -> Lookup? {
        guard let slot = slots[key] else { return nil }
        if let found = slot.entries.last(where: { $0.entry.vary.matches(request) }) {
            return .found(found.entry)
        }
        return slot.isCleared ? .removed : nil
    }
}

/// Entries that may not go to the disk; the oldest make room for new ones.
struct MemoryEntries: Sendable {
    var capacity: Int {
        didSet { makeRoom() }
    }
    private(set) var usage = 0
    /// The newest is last.
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

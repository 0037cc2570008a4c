/// Changes to the cache's file that wait to be written together. Reads look here first.
struct EntryBatch: Sendable {
    /// The changes under one key.
    struct Slot: Sendable {
        let key: EntryKey
        /// Whether what the file holds under this key goes first.
        var isCleared = false
        var writes: [Write] = []
    }

    struct Write: Sendable {
        /// Without a body unless it is new to the file.
        var entry: CacheEntry
        /// Whether the entry is new to the file; else only the head of a row that is there is changed.
        var inserts: Bool
        /// Seconds since 1970: counts as the entry's last use.
        var time: Int
    }

    /// In the order in which their keys first came: what was fetched one after the other lies side by side in the file.
    private(set) var slots: [Slot] = []
    private var index: [EntryKey: Int] = [:]
    /// Rows that were read, and when (seconds since 1970).
    private(set) var touched: [Int64: Int] = [:]
    /// Bytes of the entries that wait.
    private(set) var bytes = 0
    /// Changes since the batch began; replaced ones included.
    private(set) var count = 0

    var isEmpty: Bool { slots.isEmpty && touched.isEmpty }

    mutating func store(_ entry: CacheEntry, _ key: EntryKey, at time: Int) {
        put(Write(entry: entry, inserts: true, time: time), key)
    }

    /// Gives an entry that is there a new head. After ``remove(_:)``, none is.
    mutating func update(_ entry: CacheEntry, _ key: EntryKey, at time: Int) {
        put(Write(entry: entry.withoutBody, inserts: false, time: time), key)
    }

    mutating func remove(_ key: EntryKey) {
        count += 1
        let position = position(of: key)
        bytes -= slots[position].writes.reduce(0) { $0 + $1.entry.cost }
        slots[position].writes = []
        slots[position].isCleared = true
    }

    mutating func touch(_ row: Int64, at time: Int) {
        touched[row] = time
    }

    private mutating func position(of key: EntryKey) -> Int {
        let next = slots.count
        let position = index[key, default: next]
        if position == next {
            index[key] = next
            slots.append(Slot(key: key))
        }
        return position
    }

    private mutating func put(_ write: Write, _ key: EntryKey) {
        count += 1
        let position = position(of: key)
        let known = slots[position].writes.firstIndex { $0.entry.vary == write.entry.vary }
        guard let known else {
            guard write.inserts || !slots[position].isCleared else { return }
            bytes += write.entry.cost
            return slots[position].writes.append(write)
        }
        // The newest is last.
        var new = slots[position].writes.remove(at: known)
        bytes -= new.entry.cost
        new.entry = write.inserts ? write.entry : new.entry.with(head: write.entry)
        new.inserts = new.inserts || write.inserts
        new.time = write.time
        bytes += new.entry.cost
        slots[position].writes.append(new)
    }

    /// What the batch knows about an entry.
    enum Lookup {
        case found(CacheEntry)
        /// The head of an entry whose body stands elsewhere.
        case changed(CacheEntry)
        /// Gone; the file's row doesn't count.
        case removed
        case unknown
    }

    func lookup(_ key: EntryKey, _ request: HeaderFields) -> Lookup {
        guard !slots.isEmpty, let position = index[key] else { return .unknown }
        let slot = slots[position]
        if let write = slot.writes.last(where: { $0.entry.vary.matches(request) }) {
            return write.inserts ? .found(write.entry) : .changed(write.entry)
        }
        return slot.isCleared ? .removed : .unknown
    }
}

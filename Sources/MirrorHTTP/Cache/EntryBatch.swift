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
        /// The version whose head is changed, and whose body stays; `nil` for an entry that is new to the file.
        var base: CacheEntry.Version?
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
        let position = change(key)
        if let known = place(of: entry.vary, at: position) {
            bytes -= slots[position].writes.remove(at: known).entry.cost
        }
        // The newest is last.
        append(Write(entry: entry, base: nil, time: time), at: position)
    }

    /// Gives an entry that is there a new head, if it is of the version `base`. After ``remove(_:)``, none is.
    mutating func update(_ entry: CacheEntry, of base: CacheEntry.Version, _ key: EntryKey, at time: Int) {
        let position = change(key)
        guard let known = place(of: entry.vary, at: position) else {
            guard !slots[position].isCleared else { return }
            return append(Write(entry: entry.withoutBody, base: base, time: time), at: position)
        }
        var write = slots[position].writes[known]
        // Another answer came meanwhile: its body is not the one that the new head speaks of.
        guard base == write.entry.version || base == write.base else { return }
        slots[position].writes.remove(at: known)
        bytes -= write.entry.cost
        write.entry = write.entry.with(head: entry)
        write.time = time
        append(write, at: position)
    }

    mutating func remove(_ key: EntryKey) {
        let position = change(key)
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

    /// Counts a change under a key, and says where its slot is.
    private mutating func change(_ key: EntryKey) -> Int {
        count += 1
        return position(of: key)
    }

    private func place(of vary: VaryKey, at position: Int) -> Int? {
        slots[position].writes.firstIndex { $0.entry.vary == vary }
    }

    private mutating func append(_ write: Write, at position: Int) {
        bytes += write.entry.cost
        slots[position].writes.append(write)
    }

    /// What the batch knows about an entry.
    enum Lookup {
        case found(CacheEntry)
        /// The head of an entry whose body stands elsewhere, and the versions to which that body may still belong.
        case changed(CacheEntry, of: [CacheEntry.Version])
        /// Gone; the file's row doesn't count.
        case removed
        case unknown
    }

    func lookup(_ key: EntryKey, _ request: HeaderFields) -> Lookup {
        guard !slots.isEmpty, let position = index[key] else { return .unknown }
        let slot = slots[position]
        if let write = slot.writes.last(where: { $0.entry.vary.matches(request) }) {
            return write.base.map { .changed(write.entry, of: [$0]) } ?? .found(write.entry)
        }
        return slot.isCleared ? .removed : .unknown
    }
}

import Catalogue

/// The ids of a list, read as it comes.
struct ListedIDs {
    /// How many were taken.
    private(set) var count = 0
    /// Whether it can't be read: then nothing more comes of it.
    private(set) var isBroken = false
    private var scanner = ListScanner(elementLimit: 1 << 16)
    private var ids: [String] = []

    /// - Parameter body: the next bytes of a JSON array.
    mutating func feed(_ body: UnsafeRawBufferPointer) {
        guard !isBroken else { return }
        do {
            try scanner.feed(body) { ids.append(try ListEntry($0).id) }
        } catch {
            isBroken = true
        }
    }

    /// Nothing more comes.
    ///
    /// - Returns: whether what came was a whole list.
    mutating func finish() -> Bool {
        guard !isBroken else { return false }
        do {
            try scanner.finish()
        } catch {
            isBroken = true
        }
        return !isBroken
    }

    /// What came since the last time.
    mutating func take() -> [String] {
        defer { ids = [] }
        count += ids.count
        return ids
    }
}

extension EntryStore {
    /// - Parameter withBody: Without, an entry that stands in the file comes without its body.
    func entry(for text: String, _ request: HeaderFields, withBody: Bool) -> CacheEntry? {
        let key = EntryKey(text)
        let (file, known, grain) = state.withLock { state -> (EntryFile?, Known, Int?) in
            guard let file = state.file else { return (nil, .removed, nil) }
            return (file, Self.known(of: key, request, in: state), state.grainOfUse)
        }
        switch known {
        case .found(let entry): return entry
        case .removed: return nil
        case .changed(let head, _) where !withBody: return head
        case .changed(let head, let bases):
            let vary = head.vary
            let found = file.flatMap { read(key, from: $0, withBody: true, grain) { $0 == vary } }
            // Another answer in its place has its own head.
            return found.map { bases.contains($0.version) ? $0.with(head: head) : $0 }
        case .unknown:
            return file.flatMap { read(key, from: $0, withBody: withBody, grain) { $0.matches(request) } }
        }
    }

    private typealias Known = EntryBatch.Lookup

    /// What is known of an entry without a look into the file.
    private static func known(of key: EntryKey, _ request: HeaderFields, in state: borrowing State) -> Known {
        let waiting = state.waiting.lookup(key, request)
        var head: CacheEntry?
        var bases: [CacheEntry.Version] = []
        switch waiting {
        case .found, .removed: return waiting
        case .changed(let changed, let of): (head, bases) = (changed, of)
        case .unknown: break
        }
        switch state.writing?.lookup(key, request) {
        case .found(let entry):
            guard let head, head.vary == entry.vary, bases.contains(entry.version) else {
                return .found(entry)
            }
            return .found(entry.with(head: head))
        case .removed: return .removed
        case .changed(let changed, let of):
            // The file may be before or behind the change that is being written.
            guard let head, head.vary == changed.vary, bases.contains(changed.version) else {
                return .changed(changed, of: of)
            }
            return .changed(head, of: bases + of)
        case .unknown, nil: break
        }
        return waiting
    }

    private func read(
        _ key: EntryKey, from file: EntryFile, withBody: Bool, _ grain: Int?,
        _ isWanted: (VaryKey) -> Bool
    ) -> CacheEntry? {
        do {
            guard let found = try file.find(key, withBody: withBody, isWanted) else { return nil }
            let time = Int(now())
            if let grain, time - found.used >= grain {
                change {
                    $0.waiting.touch(found.id, at: time)
                    return $0.waiting.touched.count >= $0.limits.touches
                }
            }
            return found.entry
        } catch {
            fail(error)
            return nil
        }
    }
}

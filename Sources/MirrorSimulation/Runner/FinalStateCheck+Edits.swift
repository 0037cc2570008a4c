import Catalogue
import GRDB
import MirrorStore
import MirrorSync

extension FinalStateCheck {
    /// Checks that no edit was lost except by a rule.
    ///
    /// Each edit reached the server, was undone by a later one, was refused, or is in the log of conflicts. No edit waits
    /// any more, and nothing was created twice.
    func edits() throws -> [String] {
        var found: [String] = []
        let (waiting, conflicts, refused) = try mirror.access { store in
            (
                try store.pendingAlbums().map(\.id) + store.pendingAlbumDeletions().map(\.id),
                try self.conflicts + store.conflicts(ChangeFilter()), try store.refusedEdits()
            )
        }
        var ledger = ledger
        // An album whose server id was never recorded, because it was deleted too soon, is identified by its first name.
        let known = Set(ledger.ids.keys)
        for case (let album, .named(let name)) in ledger.edits.map({ ($0.album, $0.change) })
        where ledger.ids[album] == nil {
            let made = albumEndpoint.created.filter { $0.name == name }
            if made.count == 1, made[0].id != album { ledger.record(album, serverID: made[0].id) }
        }
        if !waiting.isEmpty { found.append("albums still wait to be pushed: \(waiting)") }
        for (index, edit) in ledger.edits.enumerated() where edit.isToBePushed && !ledger.isSuperseded(index)
        {
            let id = ledger.server(edit.album)
            let ids = [id, edit.album]
            // If the server reported falsely that the album was deleted, the local deletion needs no push.
            let isKept =
                (edit.change == .deleted && (traits.lies || traits.servesStaleAnswers))
                || isAccepted(edit.change, [id] + recreatedIDs(edit.album, in: ledger))
                || (edit.change == .deleted && !known.contains(edit.album) && isChanged(id))
                || isConflict(edit.change, ids, conflicts)
                || isRefused(edit.change, ids, refused)
            if !isKept { found.append("an edit of album \(edit.album) (\(id)) got lost: \(edit.change)") }
        }
        if traits.honoursIdempotencyKeys, !traits.lies, !traits.servesStaleAnswers { found += duplicates() }
        return found
    }

    /// The server's ids of an album. There are several if the answer to its creation was lost, and a false list hid it
    /// afterwards.
    private func recreatedIDs(_ album: String, in ledger: EditLedger) -> [String] {
        guard traits.lies || traits.servesStaleAnswers else { return [] }
        let names = ledger.edits.filter { $0.album == album }.compactMap { edit in
            if case .named(let name) = edit.change { name } else { nil }
        }
        return albumEndpoint.created.filter { names.contains($0.name) }.map(\.id)
    }

    /// Checks that no album was created twice. One that others changed before the mirror found it again may be created
    /// again.
    private func duplicates() -> [String] {
        let names = Dictionary(grouping: albumEndpoint.created, by: \.name)
        return names.filter { $0.value.count > 1 }.keys.sorted().compactMap { name in
            let isUntouched = (names[name] ?? []).allSatisfy { !isChanged($0.id) }
            return isUntouched ? "the album \(name) was made twice" : nil
        }
    }

    /// Whether an album that was created locally was changed on the server since. If the answer to its creation was lost,
    /// the mirror cannot recognise it then.
    private func isChanged(_ id: String) -> Bool {
        guard let name = albumEndpoint.created.first(where: { $0.id == id })?.name else { return false }
        return catalogue.body(.album, id)?.text.contains("\"name\":\"\(name)\"") != true
    }

    private func isAccepted(_ change: EditLedger.Edit.Change, _ ids: [String]) -> Bool {
        // A removed artwork must be in none of the album's copies. A copy that was created again never had it, and
        // neither does one that is deleted.
        if case .artwork(_, false) = change {
            return ids.enumerated().allSatisfy { index, id in
                isAccepted(change, id) || index > 0 && !catalogue.names(.album, id)
            }
        }
        return ids.contains { isAccepted(change, $0) }
    }

    private func isAccepted(_ change: EditLedger.Edit.Change, _ id: String) -> Bool {
        switch change {
        case .named(let name): albumEndpoint.accepted.contains { $0.change == .saved(name: name) }
        case .deleted:
            albumEndpoint.accepted.contains { $0 == .init(album: id, change: .deleted) }
                || !catalogue.names(.album, id)
                || catalogue.removedAlbums.contains(id)
        case .artwork(let artwork, let isPresent):
            albumEndpoint.accepted.contains {
                $0 == .init(album: id, change: .artwork(artwork, isPresent: isPresent))
            }
                || catalogue.lists[PartnerCatalogue.artworks(.album, id)]?.contains(artwork) == isPresent
        }
    }

    private func isConflict(_ change: EditLedger.Edit.Change, _ ids: [String], _ conflicts: [LoggedConflict])
        -> Bool
    {
        conflicts.contains { conflict in
            guard ids.contains(conflict.id) else { return false }
            return switch change {
            case .named(let name): conflict.local?.contains("\"\(name)\"") == true
            case .deleted: conflict.local == nil
            case .artwork: conflict.resolution == .deleted
            }
        }
    }

    private func isRefused(_ change: EditLedger.Edit.Change, _ ids: [String], _ refused: [RefusedEdit])
        -> Bool
    {
        switch change {
        case .named(let name): refused.contains { $0.name == name }
        case .deleted: refused.contains { ids.contains($0.album) }
        case .artwork(let artwork, let isPresent):
            // Artworks cannot be added to an album that the server refused to create.
            refused.contains { ids.contains($0.album) }
                || albumEndpoint.refused.contains(
                    .init(album: ids[0], change: .artwork(artwork, isPresent: isPresent)))
        }
    }
}

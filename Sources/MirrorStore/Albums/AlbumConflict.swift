import Catalogue

/// Decides what happens to an album when the server's version of it arrives.
///
/// The rules are a table, ``rules``: the first rule that applies decides. Only an album's own fields (name, description,
/// privacy) and its deletion can conflict. Added and removed artworks are separate edits. They are merged with the server's list,
/// and are lost only if the server deletes the album.
package struct AlbumConflict: Sendable, Hashable {
    enum SyncState: String, Sendable, Hashable, CaseIterable {
        case inSync = "in_sync"
        case syncNeeded = "sync_needed"
        /// The server refused the edit. It isn't pushed again before the next local edit.
        case syncFailed = "sync_failed"
        case refetchingNeeded = "refetching_needed"
    }

    /// A version of the album from the server. Two versions are the same if their ETags or their bodies are equal.
    struct Version: Sendable, Hashable {
        let etag: String?
        let body: String

        func isSame(as other: Version) -> Bool {
            (etag != nil && ExactText.same(etag, other.etag)) || ExactText.same(body, other.body)
        }
    }

    /// The stored album, with its local edits.
    struct Local: Sendable, Hashable {
        var state = SyncState.inSync
        /// Whether it was deleted locally, which is treated as an edit.
        var isDeleted = false
        /// Whether it has edits of artworks that the server hasn't acknowledged.
        var hasArtworkEdits = false
        /// When its fields were last edited or it was deleted, in the server's time, in milliseconds since 1970.
        var editedAt: Int64?
        /// The server's version on which the edit is based, or with which it was last compared.
        var base: Version?

        var isEdited: Bool { isDeleted || state == .syncNeeded || state == .syncFailed }
    }

    enum Server: Sendable, Hashable {
        case deleted
        /// A version of the album. `updatedAt` is in milliseconds since 1970; `nil` if the server doesn't send it. `hasSameFields`
        /// is whether its name, description and privacy equal those of the stored album.
        case version(Version, updatedAt: Int64?, hasSameFields: Bool)
    }

    enum Resolution: Sendable, Hashable {
        case ignore, create, update, keepLocal, delete
    }

    /// How a conflict was resolved, for the log: the local or the server's version was kept, or the album was deleted.
    package enum Outcome: String, Sendable, Hashable {
        case local, server, deleted
    }

    /// A row of the table of rules.
    struct Rule: Sendable {
        let name: String
        let resolution: Resolution
        /// The outcome to log; `nil` if no edit is lost, so that there is no conflict.
        let conflict: Outcome?
        let applies: @Sendable (AlbumConflict) -> Bool

        init(
            _ name: String, _ resolution: Resolution, _ conflict: Outcome? = nil,
            when applies: @escaping @Sendable (AlbumConflict) -> Bool
        ) {
            self.name = name
            self.resolution = resolution
            self.conflict = conflict
            self.applies = applies
        }
    }

    /// `nil` if the album isn't stored.
    let local: Local?
    let server: Server

    /// The tolerance for clock differences that were not measured, in milliseconds. Within it, the local edit wins.
    static let margin: Int64 = 5_000

    /// The table of rules. The first rule that applies decides.
    static let rules: [Rule] = [
        Rule("deleted on the server, not stored", .ignore) { $0.isDeletedOnServer && $0.local == nil },
        Rule("deleted on the server, deleted locally, too", .delete) {
            $0.isDeletedOnServer && $0.local?.isDeleted == true
        },
        Rule("deleted on the server, edited locally", .delete, .deleted) {
            $0.isDeletedOnServer && ($0.local?.isEdited == true || $0.local?.hasArtworkEdits == true)
        },
        Rule("deleted on the server", .delete) { $0.isDeletedOnServer },
        Rule("not stored", .create) { $0.local == nil },
        Rule("stored, not edited locally", .update) { $0.local?.isEdited == false },
        Rule("edited locally, the same on the server", .update) { $0.hasSameFields },
        Rule("edited locally, unchanged on the server", .keepLocal) { $0.isBasedOnServerVersion },
        Rule("edited on both sides, locally later", .keepLocal, .local) { $0.isLocalEditLater },
        lastRule,
    ]

    private static let lastRule = Rule("edited on both sides, not locally later", .update, .server) { _ in
        true
    }

    var rule: Rule { Self.rules.first { $0.applies(self) } ?? Self.lastRule }

    // MARK: - Cases

    private var isDeletedOnServer: Bool { server == .deleted }

    private var hasSameFields: Bool {
        if case .version(_, _, true) = server { local?.isDeleted == false } else { false }
    }

    private var isBasedOnServerVersion: Bool {
        guard case .version(let version, _, _) = server, let base = local?.base else { return false }
        return base.isSame(as: version)
    }

    /// False if one of the two times is unknown.
    private var isLocalEditLater: Bool {
        guard case .version(_, let updatedAt?, _) = server, let editedAt = local?.editedAt else {
            return false
        }
        return editedAt + Self.margin > updatedAt
    }
}

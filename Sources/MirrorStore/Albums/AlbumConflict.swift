/// What becomes of an album when a version of the server's arrives, by whichever way it came.
///
/// The rules are data, ``rules``: of them the first that applies decides. Only an album's own fields (name, description,
/// privacy, and whether it is there) can conflict. Artworks that were added or taken out are single edits: they merge
/// with the list that the server has, and lose only when the album itself is deleted there.
package struct AlbumConflict: Sendable, Hashable {
    enum SyncState: String, Sendable, Hashable, CaseIterable {
        case inSync = "in_sync"
        case syncNeeded = "sync_needed"
        /// The server refused the edit for good.
        case syncFailed = "sync_failed"
        case refetchingNeeded = "refetching_needed"
    }

    /// One version of the server's. Where it sends no ETags, its body tells one from another.
    struct Version: Sendable, Hashable {
        let etag: String?
        let body: String

        func isSame(as other: Version) -> Bool {
            (etag != nil && ExactText.same(etag, other.etag)) || ExactText.same(body, other.body)
        }
    }

    /// The album as it is here.
    struct Local: Sendable, Hashable {
        var state = SyncState.inSync
        /// Deleted here: an edit like any other.
        var isDeleted = false
        /// Whether artworks were added or taken out that the server hasn't acknowledged.
        var hasArtworkEdits = false
        /// When its fields were last edited, in the server's time, milliseconds since 1970.
        var editedAt: Int64?
        /// The version that the edit was based on, or that it was last weighed against.
        var base: Version?

        var isEdited: Bool { isDeleted || state == .syncNeeded || state == .syncFailed }
    }

    enum Server: Sendable, Hashable {
        case deleted
        /// `updatedAt` in milliseconds since 1970; `nil` where the server doesn't say. `saysTheSame`: its name, description and
        /// privacy are those that the album has here.
        case version(Version, updatedAt: Int64?, saysTheSame: Bool)
    }

    enum Resolution: Sendable, Hashable {
        case ignore, create, update, keepLocal, delete
    }

    /// The word by which a conflict is noted: whose version is left.
    package enum Outcome: String, Sendable, Hashable {
        case local, server, deleted
    }

    /// A row of the table.
    struct Rule: Sendable {
        let name: String
        let resolution: Resolution
        /// `nil` where nobody's work was at stake.
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

    /// `nil` if it isn't here.
    let local: Local?
    let server: Server

    /// By how many milliseconds clocks may differ beyond what was measured, in the favour of what was edited here.
    static let margin: Int64 = 5_000

    /// The table; top wins.
    static let rules: [Rule] = [
        Rule("deleted on the server, not here", .ignore) { $0.isGoneThere && $0.local == nil },
        Rule("deleted on the server, deleted here too", .delete) {
            $0.isGoneThere && $0.local?.isDeleted == true
        },
        Rule("deleted on the server, edited here", .delete, .deleted) {
            $0.isGoneThere && ($0.local?.isEdited == true || $0.local?.hasArtworkEdits == true)
        },
        Rule("deleted on the server", .delete) { $0.isGoneThere },
        Rule("not here", .create) { $0.local == nil },
        Rule("here without an edit", .update) { $0.local?.isEdited == false },
        Rule("edited here, and the server says the same", .update) { $0.saysTheSame },
        Rule("edited here, unchanged on the server", .keepLocal) { $0.isBasedOnIt },
        Rule("edited on both sides, here later", .keepLocal, .local) { $0.isLaterHere },
        otherwise,
    ]

    private static let otherwise = Rule("edited on both sides, not later here", .update, .server) { _ in true
    }

    var rule: Rule { Self.rules.first { $0.applies(self) } ?? Self.otherwise }

    // MARK: - Cases

    private var isGoneThere: Bool { server == .deleted }

    private var saysTheSame: Bool {
        if case .version(_, _, true) = server { local?.isDeleted == false } else { false }
    }

    private var isBasedOnIt: Bool {
        guard case .version(let version, _, _) = server, let base = local?.base else { return false }
        return base.isSame(as: version)
    }

    /// Without both times nothing shows that it is.
    private var isLaterHere: Bool {
        guard case .version(_, let updatedAt?, _) = server, let editedAt = local?.editedAt else {
            return false
        }
        return editedAt + Self.margin > updatedAt
    }
}

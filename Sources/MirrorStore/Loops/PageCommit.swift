import Catalogue

/// A page of a feed of events, ready to be stored together with its cursor.
package struct PageCommit: Sendable {
    package let loop: String
    package let kind: LoopRecord.Kind
    /// The cursor with which the page was asked for; if another is stored by now, the page is dropped.
    package let asked: String?
    /// The newest run when the page was compared with what is stored; if there is a newer one, the page is dropped.
    package let newestRun: Int64?
    /// Up to which event the feed is covered with the page.
    package let cursor: String
    /// In the order in which they are applied.
    package let writes: [Write]
    /// As ``FinishRequest/unsettled``.
    package var unsettled: [String] = []
    /// As ``FinishRequest/notFound``.
    package var notFound: [Kind: [String: String]] = [:]
    package var limit = DeleteGuard.Limit.standard
    /// Whether something of the page could not be taken, so that it is logged in any case.
    package var hasProblems = false

    package init(
        loop: String, kind: LoopRecord.Kind, asked: String?, newestRun: Int64?, cursor: String,
        writes: [Write]
    ) {
        self.loop = loop
        self.kind = kind
        self.asked = asked
        self.newestRun = newestRun
        self.cursor = cursor
        self.writes = writes
    }
}

/// What became of a page.
package enum PageOutcome: Sendable {
    /// It is stored, with its cursor.
    case stored(StoredPage)
    /// Somebody else has brought the mirror further meanwhile: nothing was stored.
    case superseded
}

package struct StoredPage: Sendable {
    /// The run under which the changes are logged; `nil` if nothing changed.
    package var run: Int64?
    package var counts: [Kind: (created: Int, updated: Int, deleted: Int)] = [:]
    /// What was created, updated and deleted, each object once, in the order of its last change.
    package var items: [(kind: String, id: String, action: String)] = []
    /// Writes that could not be stored, each with the reason.
    package var refused: [(write: Write, message: String)] = []
    /// Lists that lack what is here, and wait for a whole sync.
    package var held: [HeldList] = []
}

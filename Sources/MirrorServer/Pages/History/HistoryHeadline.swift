import Catalogue
import MirrorStore

/// The first sentences of the history page: whether the mirror is fresh, and whether anything is missing.
struct HistoryHeadline {
    let notice: PageFrame.Notice

    /// - Parameters:
    ///   - state: its first strip, if there is one, is the headline.
    ///   - lastComplete: the last complete sync or import of the whole mirror.
    init(
        _ state: MirrorState, _ facts: HistoryFacts, lastComplete: CatalogueStore.RunRecord?, now: Timestamp
    ) {
        guard let lastComplete, let end = lastComplete.endedAt else {
            notice =
                state.notices.first.map(Self.withoutLink)
                ?? PageFrame.Notice(strong: "Nothing is here yet.", text: "No sync has begun.")
            return
        }
        let missing = facts.files.map { $0.wanted - $0.here } ?? 0
        let ghosts = facts.ghosts?.count ?? 0
        let noun = lastComplete.command == "import" ? "import" : "sync"
        let source = noun == "import" ? "the catalogue’s files have" : "the server lists"
        let moments = MomentText(now: now)
        var sentences = ["The last complete \(noun) ended on \(moments.at(end))."]
        if let following = facts.following { sentences.append(Self.text(of: following, moments)) }
        if let first = state.notices.first {
            notice = Self.withoutLink(first)
            return
        }
        let isComplete = missing == 0 && ghosts == 0 && facts.files != nil && facts.ghosts != nil
        switch (missing, facts.files) {
        case (0, let files?) where files.wanted > 0:
            sentences.append("Everything that \(source) is here, with every picture and document.")
        case (0, _): sentences.append("Everything that \(source) is here.")
        default:
            sentences.append(
                """
                Everything that \(source) is here, but for \(CountText(missing).digits) \
                \(missing == 1 ? "file" : "files").
                """)
        }
        if ghosts > 0 {
            let one = ghosts == 1
            sentences.append(
                """
                \(CountText(ghosts).capitalized) \(one ? "object is" : "objects are") only referred to: \
                \(noun == "import" ? "the catalogue’s files do" : "the server does") not have \(one ? "it" : "them").
                """)
        }
        notice = PageFrame.Notice(
            severity: missing == 0 ? .good : .plain,
            strong: isComplete
                ? "Fresh and complete." : missing == 0 ? "Fresh." : "Fresh, but not complete.",
            text: sentences.joined(separator: " "))
    }

    /// Why a mirror that follows events is fresh although its last complete sync is older.
    private static func text(of following: HistoryFacts.Following, _ moments: MomentText) -> String {
        let read = "The server’s events were last read on \(moments.at(following.readAt))"
        return following.appliedAt.map { "\(read), and last changed something on \(moments.at($0))." }
            ?? "\(read)."
    }

    private static func withoutLink(_ notice: PageFrame.Notice) -> PageFrame.Notice {
        PageFrame.Notice(severity: notice.severity, strong: notice.strong, text: notice.text)
    }
}

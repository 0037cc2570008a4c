import Catalogue
import MirrorStore

/// How fresh and complete a mirror is, in sentences that are true: the strips above every page.
struct MirrorState {
    /// The strips, the most important first.
    let notices: [PageFrame.Notice]
    /// Whether no run has ever begun.
    let isEmpty: Bool
    /// When the mirror was last known to equal its source; `nil` if never.
    let asOf: Timestamp?

    init(_ store: CatalogueStore, for face: Face, now: Timestamp) throws {
        self.init(try store.mirrorFacts(for: face), isCatalogue: try store.isCatalogue, for: face, now: now)
    }

    /// - Parameter isCatalogue: whether the mirror was imported from files; such a mirror doesn't become old.
    init(_ facts: MirrorFacts, isCatalogue: Bool = false, for face: Face, now: Timestamp) {
        isEmpty = facts.lastRun == nil && facts.lastComplete == nil && !facts.isLoading
        asOf = facts.current(at: now).flatMap(Timestamp.init)
        let words = StateWords(facts: facts, face: face, now: now)
        var notices = [facts.lastComplete == nil ? words.first : words.last].compactMap(\.self)
        if notices.isEmpty, !isCatalogue, let old = words.old { notices.append(old) }
        if let paused = words.paused { notices.append(paused) }
        self.notices = isEmpty ? [] : notices
    }
}

/// The sentences of a mirror's state, each decided by itself.
private struct StateWords {
    let facts: MirrorFacts
    let face: Face
    let now: Timestamp

    private typealias Notice = PageFrame.Notice
    private var moments: MomentText { MomentText(now: now) }
    private var run: CatalogueStore.RunRecord? { facts.lastRun }
    private var noun: String {
        switch run?.command {
        case "import": "import"
        case "events": "run"
        default: "sync"
        }
    }

    private var fetched: String { noun == "import" ? "read" : "fetched" }
    private var retries: String { noun == "import" ? "reads" : "asks for" }

    /// The time of a run's end or, while it continues, of its start.
    private func time(_ run: CatalogueStore.RunRecord) -> String { moments.at(run.endedAt ?? run.startedAt) }

    private var asOf: String {
        facts.current(at: now).map { " You see the catalogue as of \(moments.moment($0))." } ?? ""
    }

    // MARK: - Before the first complete update

    var first: PageFrame.Notice? {
        guard let run else {
            return facts.isLoading ? Notice(strong: "The first sync is not complete.", text: progress) : nil
        }
        if run.outcome == "guarded" { return last }
        if run.endedAt == nil {
            // A run that was killed looks the same until the next one begins.
            return Notice(
                strong: "The first \(noun) is under way, or was stopped.",
                text: progress)
        }
        let reason =
            switch run.outcome {
            case "failed": "The last run failed on \(time(run))\(failure(run))"
            case "killed", "cancelled": "The last run was stopped on \(time(run))."
            case "complete": "A later sync has to fetch the rest."
            default: "The last run ended on \(time(run)), and not everything could be \(fetched)."
            }
        let text = run.details.continuesAt.map(wait) ?? reason
        return Notice(
            severity: run.outcome == "failed" && run.details.continuesAt == nil ? .bad : .plain,
            strong: "The first \(noun) is not complete.", text: "\(progress) \(text)", link: "What happened")
    }

    /// `1,204 of about 5,668 artworks are here.`
    private var progress: String {
        let count = facts.firstCopy?.artworks ?? 0
        let digits = (facts.firstCopy?.isExact == false ? "More than " : "") + CountText(count).digits
        if let listed = facts.firstCopy?.listed, listed > count {
            return
                "\(digits) of about \(CountText(listed).digits) artworks \(count == 1 ? "is" : "are") here."
        }
        switch count {
        case 0: return "No artwork is here yet."
        case 1: return "1 artwork is here so far."
        default: return "\(digits) artworks are here so far."
        }
    }

    // MARK: - After it

    var last: PageFrame.Notice? {
        guard let run else { return nil }
        switch run.outcome {
        case "guarded": return guarded(run)
        case "failed", "partial":
            if let time = run.details.continuesAt {
                return Notice(
                    strong: "The last \(noun) is waiting.", text: wait(time) + asOf, link: "What happened")
            }
            guard run.outcome == "failed" else {
                return Notice(
                    strong: "The last \(noun) was not complete.",
                    text:
                        "It ended on \(time(run)), and not everything could be \(fetched). The next one \(retries) it again.",
                    link: "What happened")
            }
            return Notice(
                strong: "The last \(noun) failed", text: "on \(time(run))\(failure(run))\(asOf)",
                link: "What happened")
        case "killed", "cancelled":
            return Notice(
                strong: "The last \(noun) was stopped", text: "on \(time(run)), before its end.\(asOf)",
                link: "What happened")
        default:
            guard facts.isIncomplete else { return nil }
            return Notice(
                strong: "Something may be missing.",
                text:
                    "A sync was not complete, and no sync of the whole catalogue has completed since.\(asOf)",
                link: "What happened")
        }
    }

    private func guarded(_ run: CatalogueStore.RunRecord) -> PageFrame.Notice {
        let objections = run.details.objections.filter { $0.deletions > 0 }
        let subjects = objections.map {
            "\(CountText($0.deletions).digits) \($0.deletions == 1 ? $0.singular : $0.noun)"
        }
        let isOne = objections.count == 1 && objections[0].deletions == 1
        // The numbers include hidden objects, so visitors don't get them.
        let what =
            !face.seesAll
            ? "Some objects are no longer listed; that is more than a sync removes by itself. They are all still here."
            : subjects.isEmpty
                ? "The server’s lists lack more than a sync removes by itself. All of it is still here."
                : """
                \(subjects.listed) \(isOne ? "is" : "are") no longer listed; that is more than a sync removes by itself. \
                \(isOne ? "It is" : "They are all") still here.
                """
        return Notice(
            severity: .bad, strong: "Waiting for a decision.", text: what,
            link: face.seesAll ? "What to do" : "What happened")
    }

    private func wait(_ time: String) -> String {
        "The source allows no further requests before \(moments.moment(time))."
    }

    /// `: reason.` Only staff see the message, which may contain addresses and paths.
    private func failure(_ run: CatalogueStore.RunRecord) -> String {
        guard face.seesAll, let error = run.details.error, !error.isEmpty else { return "." }
        let text = LongText.cut(error, to: 300).text
        return ": \(text)" + (text.last?.isPunctuation == true ? "" : ".")
    }

    // MARK: - Age and pause

    /// From this age on, in seconds, a mirror without a watch is old.
    private static let week = 7 * 86_400
    /// A mirror is not called old before this age, however short the watch's interval is.
    private static let hour = 3_600

    var old: PageFrame.Notice? {
        let date = MirrorAge.date(now.text) ?? .distantPast
        guard let age = facts.age.seconds(date), let last = facts.current(at: now) else { return nil }
        let limit = facts.interval.map { max(3 * $0, Self.hour) } ?? Self.week
        guard age > min(limit, Self.week) else { return nil }
        return Notice(
            strong: "This copy is \(MomentText.age(age)) old.",
            text: "It was up to date on \(moments.at(last)).",
            link: "History")
    }

    var paused: PageFrame.Notice? {
        facts.pausedAt.map {
            Notice(strong: "Syncs are paused", text: "since \(moments.at($0)), until somebody resumes them.")
        }
    }
}

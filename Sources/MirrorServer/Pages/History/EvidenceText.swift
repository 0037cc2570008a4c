import Catalogue
import MirrorStore

/// Why an object was removed or restored, in words: the evidence that the change log has.
struct EvidenceText {
    /// A sentence; `nil` if the evidence is unknown.
    let sentence: String?

    /// - Parameters:
    ///   - evidence: the text in the log.
    ///   - at: when the change was logged, in the store's format.
    init(_ evidence: String?, kind: Kind, at: String, now: Timestamp) {
        sentence = evidence.flatMap { Self.words(Evidence($0), kind, at, MomentText(now: now)) }
    }

    private static func words(_ evidence: Evidence, _ kind: Kind, _ at: String, _ moments: MomentText)
        -> String?
    {
        switch evidence {
        case .notListed(_, let missing, let absences):
            let start = "The complete list of \(kind.plural), read on \(moments.at(at)), no longer names it"
            let answer = missing == nil ? "" : ", and its own address answered 404"
            let count = absences.flatMap { self.count($0, moments) }.map { ". \($0)" }
            return start + answer + (count ?? "") + "."
        case .answered(let status, _): return "On \(moments.at(at)) its own address answered \(status)."
        case .absent: return "No list names it, and on \(moments.at(at)) its own address had nothing."
        case .deleted: return "The server reported on \(moments.at(at)) that it was deleted."
        case .reportedAsDeleted: return "The server reported that it was deleted."
        case .namedByNoArtwork: return "No artwork names it any more."
        case .unreferenced: return "No list names it, and nothing refers to it any more."
        case .ended(let day, let days):
            guard Timestamp(day) != nil else { return nil }
            return
                "It ended on \(moments.day(day)), and shows are kept for \(CountText(days).words) days after their end."
        case .deletedHere: return "It was deleted in this copy."
        case .deletedHereBeforePush: return "It was deleted in this copy, before the server had it."
        case .deletedByClient: return "A program that uses this copy deleted it."
        case .restored(let run): return run.map { "It was restored from run \($0)." } ?? "It was restored."
        case .restoreUndone: return "Its restoration was undone."
        case .referredTo: return "Something refers to it, though no list names it."
        case .listedNow: return "The server lists it now."
        case .listedAgain: return "The server lists it again."
        case .picturesWithdrawn(let count):
            return "The server no longer offers \(CountText(count).words) of its pictures."
        case .loaded, .other: return nil
        }
    }

    /// `Three complete lists in a row lacked it, the first on 12 November at 10:00`
    private static func count(_ absences: Evidence.Absences, _ moments: MomentText) -> String? {
        guard Timestamp(absences.since) != nil else { return nil }
        let lists = absences.lists == 1 ? "complete list" : "complete lists in a row"
        return
            "\(CountText(absences.lists).capitalized) \(lists) lacked it, the first on \(moments.at(absences.since))"
    }
}

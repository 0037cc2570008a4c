import Catalogue
import Foundation
import MirrorStore
import MirrorSync

/// What is known of a mirror as a whole.
struct MirrorStatus {
    let name: String
    let place: String
    var origin: String?
    /// Whether it was made from a catalogue's files.
    var isCatalogue = false
    /// Whether the last sync or import that came to a result left something out, or none has completed.
    var isIncomplete = false
    /// When the last run that was complete ended.
    var lastGood: String?
    var lastRun: CatalogueStore.RunRecord?
    var counts: [Kind: Int] = [:]
    var files = 0
    var bytes: Int64 = 0
    /// Pictures and documents that are missing because the server doesn't have them.
    var unavailable = UnavailableFiles()
    var ghosts = 0
    /// Objects of which a newer version did not come, or could not be taken.
    var stale = 0
    /// Restored objects that the server has not listed since.
    var kept: [Kind: Int] = [:]
    /// Albums with local edits: those that wait to be pushed, and those that the server refused.
    var pending = (waiting: 0, refused: 0)
    /// What the server refused for good, and why.
    var refusals: [RefusedEdit] = []
    var notes = 0
    /// Since when a person has `mirror watch` paused.
    var pausedAt: String?
    /// What went wrong in the last run, in order; perhaps only the first of it.
    var problems: [LoggedProblem] = []
    var loops: [LoopRecord] = []
    /// What was counted of this mirror since it was made.
    var tally: [String: Int] = [:]

    /// The number of problems that are listed unless all are requested.
    static let fewProblems = 3
}

extension MirrorStatus {
    /// - Parameter withAllProblems: whether all problems of the last run are read, not only the first few.
    init(_ folder: MirrorFolder, withAllProblems: Bool = false) throws {
        self.init(name: folder.name, place: folder.path)
        try folder.withStore(readOnly: true) { store in
            origin = try store.origin
            isCatalogue = try store.isCatalogue
            lastGood = try store.lastRun(outcome: SyncSummary.Outcome.complete.rawValue)
            lastRun = try store.lastUpdate()
            isIncomplete = try store.isIncomplete()
            counts = try store.counts()
            let totals = try store.totals()
            (files, bytes, ghosts, stale) = (totals.files, totals.bytes, totals.ghosts, totals.marked)
            unavailable = try store.unavailableFiles()
            kept = try store.keptCounts()
            pending = try store.pendingEdits()
            refusals = try store.refusedEdits()
            notes = try store.noteCount()
            pausedAt = try store.pausedAt
            loops = try store.loops()
            tally = try store.tally()
            if let lastRun, lastRun.errors > 0 {
                problems = try store.problems(
                    ofRun: lastRun.run, limit: withAllProblems ? nil : Self.fewProblems)
            }
        }
    }

    /// When the mirror was last known to hold what the partner holds: the end of a complete sync, or the last time that the
    /// partner's feed was followed to its end. Following it brings nothing that the last whole sync left out.
    ///
    /// A time that lies ahead was noted by a clock that was wrong: it counts only where there is no other.
    func lastCurrent(_ now: Date) -> String? {
        let isFollowed = !isIncomplete
        let followed = loops.filter { $0.id == LoopRecord.coreID && $0.failures == 0 && isFollowed }
            .compactMap(\.lastAt)
        let times = followed + [lastGood].compactMap(\.self)
        return times.filter { !Self.isAhead($0, of: now) }.max() ?? times.max()
    }

    /// Whether a clock that was ahead noted a time. A minute is let pass.
    static func isAhead(_ timestamp: String?, of now: Date) -> Bool {
        date(timestamp).map { $0.timeIntervalSince(now) > 60 } ?? false
    }

    /// A time as the store writes it.
    static func date(_ timestamp: String?) -> Date? {
        timestamp.flatMap {
            try? Date($0, strategy: Date.ISO8601FormatStyle(includingFractionalSeconds: true))
        }
    }

    /// Seconds since ``lastCurrent(_:)``; `nil` if the mirror never was, or a clock that was wrong noted when.
    func age(_ now: Date) -> Int? {
        let last = lastCurrent(now)
        guard !Self.isAhead(last, of: now) else { return nil }
        return Self.date(last).map { max(0, Int(now.timeIntervalSince($0))) }
    }
}

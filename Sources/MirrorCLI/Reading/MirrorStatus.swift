import Catalogue
import Foundation
import MirrorStore
import MirrorSync

/// The status of one mirror: its contents, origin, age and problems.
struct MirrorStatus {
    let name: String
    let place: String
    var origin: String?
    /// Whether the mirror is an imported catalogue.
    var isCatalogue = false
    /// Whether no sync or import has completed, or the last one that ended was partial.
    var isIncomplete = false
    /// When the last complete run ended.
    var lastGood: String?
    var lastRun: CatalogueStore.RunRecord?
    /// The run that the delete guard stopped, if no later run has decided about its removals.
    var undecidedRun: CatalogueStore.RunRecord?
    var counts: [Kind: Int] = [:]
    var files = 0
    var bytes: Int64 = 0
    /// Pictures, tiles and documents that are missing because the server doesn't have them.
    var unavailable = UnavailableFiles()
    var ghosts = 0
    /// Objects whose newer version could not be fetched or stored yet.
    var stale = 0
    /// Restored objects that the server has not listed since.
    var kept: [Kind: Int] = [:]
    /// Albums with local edits: not pushed yet, and refused by the server.
    var pending = (waiting: 0, refused: 0)
    /// Edits that the server refused permanently, with the reasons.
    var refusals: [RefusedEdit] = []
    var notes = 0
    /// When `mirror pause` was run; `nil` if the mirror is not paused.
    var pausedAt: String?
    /// The problems of the last run, in order; possibly only the first few.
    var problems: [LoggedProblem] = []
    var loops: [LoopRecord] = []
    /// The state of the described source that the mirror is a copy of; `nil` for other mirrors.
    var source: SourceStatus?
    /// Counters since the mirror was created.
    var tally: [String: Int] = [:]

    /// The number of problems that are read unless all are requested.
    static let fewProblems = 3
}

extension MirrorStatus {
    /// Reads the status of a mirror.
    ///
    /// - Parameters:
    ///   - withAllProblems: whether all problems of the last run are read, not only the first few.
    ///   - now: decides which day's requests are shown. Default: the present.
    /// - Throws: ``StoreError`` if the mirror can't be read.
    init(_ folder: MirrorFolder, withAllProblems: Bool = false, now: Date = Date()) throws {
        self.init(name: folder.name, place: folder.path)
        try folder.withStore(readOnly: true) { store in
            origin = try store.origin
            isCatalogue = try store.isCatalogue
            lastGood = try store.lastRun(outcome: SyncSummary.Outcome.complete.rawValue)
            lastRun = try store.lastUpdate()
            undecidedRun = try store.undecidedRun()
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
            source = try SourceStatus(store, in: folder, now: now)
            if let lastRun, lastRun.errors > 0 {
                problems = try store.problems(
                    ofRun: lastRun.run, limit: withAllProblems ? nil : Self.fewProblems)
            }
        }
    }

    /// How old the mirror is.
    var mirrorAge: MirrorAge { MirrorAge(lastGood: lastGood, loops: loops, isIncomplete: isIncomplete) }

    /// When the mirror was last known to equal the partner's catalogue; see ``MirrorAge/lastCurrent(_:)``.
    func lastCurrent(_ now: Date) -> String? { mirrorAge.lastCurrent(now) }

    /// Seconds since ``lastCurrent(_:)``; `nil` if there is no such time, or a wrong clock stored it.
    func age(_ now: Date) -> Int? { mirrorAge.seconds(now) }
}

/// The kinds of runs that are killed.
package enum KillKind: String, Sendable, CaseIterable {
    case firstSync = "first sync"
    case update = "sync of changes"
    case plainFirstSync = "first sync, no extensions"
    case plainUpdate = "sync of changes, no extensions"
    case largeFirstSync = "first sync of a large catalogue, no pictures"
    case restore
    case repair = "verify --repair"
    case firstImport = "first import"
    case importChanges = "import of changes"
    case migration
    case watch

    /// The number of runs of this kind among 200.
    private var share: Int {
        switch self {
        case .firstSync: 40
        case .update: 34
        case .plainFirstSync, .plainUpdate: 20
        case .largeFirstSync, .repair: 16
        case .restore, .migration, .watch: 14
        case .importChanges: 8
        case .firstImport: 4
        }
    }

    /// The kinds of a number of runs, each in proportion to its share.
    package static func spread(over runs: Int) -> [KillKind] {
        let all = allCases.flatMap { Array(repeating: $0, count: $0.share) }
        return (0..<runs).map { all[$0 * all.count / max(1, runs)] }
    }

    /// States in which a run can begin.
    enum Start: String { case nothing, first, second, damaged, old }

    /// The state in which a run of this kind begins.
    var start: Start {
        switch self {
        case .firstSync, .plainFirstSync, .largeFirstSync, .firstImport: .nothing
        case .update, .plainUpdate, .importChanges, .watch: .first
        case .restore: .second
        case .repair: .damaged
        case .migration: .old
        }
    }

    /// Whether it runs in the home that the catalogue is imported into, rather than in a mirror of it.
    var isImport: Bool { self == .firstImport || self == .importChanges }

    var hidesExtensions: Bool { self == .plainFirstSync || self == .plainUpdate }

    /// The catalogues that servers have.
    enum Catalogue: String { case first, later, large }

    /// The catalogue of the server.
    var catalogue: Catalogue {
        switch self {
        case .update, .plainUpdate, .restore, .importChanges, .watch: .later
        case .largeFirstSync: .large
        default: .first
        }
    }

    /// Whether the first objects are loaded from a snapshot.
    var usesSnapshot: Bool { self == .firstSync || self == .largeFirstSync }

    /// Whether the run may be killed at a certain answer, rather than only at a random time.
    var mayBeKilledAtAnswer: Bool {
        switch self {
        case .firstSync, .update, .plainFirstSync, .plainUpdate, .repair: true
        default: false
        }
    }
}

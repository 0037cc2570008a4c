/// What is killed.
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

    /// How many of 200 runs are of this kind.
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

    /// The kinds of so many runs, each in its share.
    package static func spread(over runs: Int) -> [KillKind] {
        let all = allCases.flatMap { Array(repeating: $0, count: $0.share) }
        return (0..<runs).map { all[$0 * all.count / max(1, runs)] }
    }

    /// What a mirror is asked to do.
    enum Start: String { case nothing, first, second, damaged, old }

    /// What is there when it begins.
    var start: Start {
        switch self {
        case .firstSync, .plainFirstSync, .largeFirstSync, .firstImport: .nothing
        case .update, .plainUpdate, .importChanges, .watch: .first
        case .restore: .second
        case .repair: .damaged
        case .migration: .old
        }
    }

    /// Whether it works on the catalogue's own home rather than on a mirror of it.
    var isImport: Bool { self == .firstImport || self == .importChanges }

    var hidesExtensions: Bool { self == .plainFirstSync || self == .plainUpdate }

    /// What a server has.
    enum Catalogue: String { case first, later, large }

    /// What the server has.
    var catalogue: Catalogue {
        switch self {
        case .update, .plainUpdate, .restore, .importChanges, .watch: .later
        case .largeFirstSync: .large
        default: .first
        }
    }

    /// Whether what comes first comes as a snapshot.
    var loads: Bool { self == .firstSync || self == .largeFirstSync }

    /// Whether the moment may be that of an answer, rather than any.
    var asksMuch: Bool {
        switch self {
        case .firstSync, .update, .plainFirstSync, .plainUpdate, .repair: true
        default: false
        }
    }
}

import Catalogue
import MirrorStore

/// Checks a mirror's database and files once.
///
/// With the option `repair`, it removes stray files and marks damaged ones as soon as they are reported, so that memory stays
/// flat. Everything else is repaired afterwards (``Repair``). A damaged file itself stays in its place.
struct Inspection {
    let store: CatalogueStore
    let media: MediaFolder
    let monitor: VerifyMonitor
    let tally: FindingTally
    let options: VerifyOptions
    /// Whether a document without a file is a finding; it is after a repair that fetched files.
    var expectsDocuments = false
    /// The expected bytes of all files, and the number of files that were read to their end.
    private(set) var sizes = (bytes: Int64(0), read: 0)
    /// Pictures and documents with a damaged copy that was reported; they aren't reported as missing too.
    private(set) var damagedUses: [Owner: Set<ExactText>] = [:]

    mutating func run() async throws {
        try checkTables()
        try await announce()
        // This reports the files that were already marked as damaged. `checkFiles` marks others, and reports them itself.
        try checkDamaged()
        try checkDatabase()
        try await checkFiles()
        try checkStrays()
    }

    /// Creates missing tables if this is a repair; without them, nothing else can be checked.
    ///
    /// - Throws: ``StoreError`` with `damaged` if a table is missing and this is no repair.
    private func checkTables() throws {
        let missing = try store.missingTables()
        guard !missing.isEmpty else { return }
        for table in missing { tally.note(Finding(.partMissing(type: "table", name: table))) }
        guard options.repair else {
            throw StoreError(
                .damaged,
                "The database lacks tables, so nothing else could be checked. Create them and fetch their contents with: mirror verify --repair"
            )
        }
        try store.createMissingTables()
    }

    /// Sets the totals of the progress before anything is counted.
    private mutating func announce() async throws {
        let totals = try store.fileTotals()
        sizes.bytes = totals.bytes
        var progress = monitor.progress
        if options.readData != .none {
            try await store.eachChunk { files in
                for file in files where options.reads(file) { progress.bytesTotal += file.size }
            }
        }
        (progress.checksTotal, progress.filesTotal) = (StoreCheck.allCases.count, totals.files)
        progress.listsTotal = options.remote ? store.kinds.listed.count : 0
        monitor.note { [progress] in $0 = progress }
    }

    private func checkDatabase() throws {
        for check in StoreCheck.allCases {
            try Task.checkCancellation()
            do {
                try store.check(check) { defect in
                    if case .lost(let owner, let id) = defect, isDamaged(owner, id) { return }
                    tally.note(Finding(defect))
                }
            } catch let error as StoreError where error.code == .damaged {
                tally.note(Finding(what: .database, message: error.message))
            }
            monitor.note { $0.checks += 1 }
        }
        guard expectsDocuments else { return }
        try store.documentsWithoutFile { owner, id in
            guard !isDamaged(owner, id) else { return }
            tally.note(
                Finding(
                    what: .missing, kind: "document", id: id,
                    message: "The document's file has not been fetched."))
        }
    }

    // MARK: - Files

    private mutating func checkFiles() async throws {
        try await store.eachChunk { files in
            try Task.checkCancellation()
            var lost: [String] = [], damaged: [(file: StoredFile, digest: String?)] = []
            for (file, state) in zip(files, try await states(of: files)) {
                if state.digest != nil { sizes.read += 1 }
                guard let finding = try FileCheck.finding(file, state, user: store.user(ofFile: file.hash))
                else { continue }
                tally.note(finding)
                guard options.repair else { continue }
                // A folder in the place of the file contains no copy of it. If it isn't empty, it stays and is found again.
                if state == .nothing || state == .other && media.isFolder(file.path) {
                    if state == .other { media.remove(file.path) }
                    lost.append(file.hash)
                } else {
                    damaged.append((file, media.state(of: file.path, reading: true).digest))
                }
            }
            if !lost.isEmpty { try store.forgetFiles(lost) }
            if !damaged.isEmpty { try store.markDamaged(damaged) }
        }
    }

    /// Reports the kept copies of damaged files; each check does so until they are replaced or deleted by hand.
    private mutating func checkDamaged() throws {
        let files = FileStore(folder: media.path)
        let setAside = try files.setAsideFiles()
        var known = Set<String>()
        for damaged in try store.damagedFiles() {
            known.insert(damaged.file.hash)
            let (inPlace, aside) = files.copies(of: damaged, among: setAside)
            guard damaged.fate != .goes, let copy = aside.last ?? inPlace else { continue }
            for use in damaged.uses { damagedUses[use.owner, default: []].insert(ExactText(use.id)) }
            tally.note(.damaged(damaged, at: copy))
        }
        for (hash, paths) in setAside.sorted(by: { $0.key < $1.key }) where !known.contains(hash) {
            guard try store.storedFile(hash) == nil else { continue }
            let message =
                "Nothing in the mirror refers to this damaged copy. Delete it if you do not need it."
            for path in paths { tally.note(Finding(what: .damaged, path: path, message: message)) }
        }
    }

    private func isDamaged(_ owner: Owner, _ id: String) -> Bool {
        damagedUses[owner]?.contains(ExactText(id)) == true
    }

    private func states(of files: [StoredFile]) async throws -> [FileState] {
        let media = media, options = options, monitor = monitor
        func state(of file: StoredFile) -> FileState {
            let reads = options.reads(file)
            let state = media.state(of: file.path, reading: reads)
            monitor.note { progress in
                progress.files += 1
                // The total was computed from the stored sizes, so the stored size is counted, not the file's length.
                if reads { progress.bytes += file.size }
            }
            return state
        }
        guard options.readData != .none else { return files.map(state) }
        // Hashing on one core is usually slower than reading from the disk.
        return try await withThrowingTaskGroup(of: (Int, FileState).self) { group in
            for (index, file) in files.enumerated() {
                group.addTask {
                    try Task.checkCancellation()
                    return (index, state(of: file))
                }
            }
            var states = [FileState](repeating: .nothing, count: files.count)
            for try await (index, state) in group { states[index] = state }
            return states
        }
    }

    // MARK: - Strays

    private func checkStrays() throws {
        try remove(strays(in: media.unknownEntries(), known: []))
        for name in try media.names("media") where StrayCheck.isOwn(folder: name) {
            try Task.checkCancellation()
            let known = try store.filePaths(inFolder: name)
            // A file that pictures or documents refer to is needed, even if its own row was lost.
            let needed = tally.has(.reference) ? try store.hashesWithoutFile(name) : []
            let entries = try media.entries(in: "media/\(name)").filter {
                needed.isEmpty || !needed.contains(StrayCheck.hash(of: $0.path))
            }
            try remove(strays(in: entries, known: known))
        }
        try remove(strays(in: media.entries(in: StrayCheck.partialFolder), known: []))
    }

    private func strays(in entries: [MediaEntry], known: Set<String>) -> [String] {
        entries.compactMap { entry in
            guard let finding = StrayCheck.finding(entry, known: known) else { return nil }
            tally.note(finding)
            return entry.path
        }
    }

    /// Removes stray files if this is a repair. Files that can't be removed are found again by the second inspection.
    ///
    /// If rows were lost and have not been fetched again, it is unknown which files are needed, so none is removed.
    private func remove(_ strays: [String]) throws {
        guard options.repair, try !store.isRebuilt, !tally.has(.database) else { return }
        strays.forEach(media.remove)
    }
}

extension CatalogueStore {
    /// Calls `body` with all stored files, in chunks of 500.
    fileprivate func eachChunk(_ body: ([StoredFile]) async throws -> Void) async throws {
        var last = ""
        while true {
            let files = try files(after: last, limit: 500)
            guard let end = files.last else { return }
            last = end.hash
            try await body(files)
        }
    }
}

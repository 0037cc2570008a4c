import Catalogue
import MirrorStore

/// One inspection of a mirror's database and files.
///
/// While repairing, strays are removed and damaged files marked as soon as they are reported, so that none has to be kept
/// in memory; everything else is repaired afterwards (``Repair``). A damaged file itself is left where it is.
struct Inspection {
    let store: CatalogueStore
    let media: MediaFolder
    let monitor: VerifyMonitor
    let tally: FindingTally
    let options: VerifyOptions
    /// Whether a document without a file is a gap: where media were just fetched.
    var wantsDocuments = false
    /// Bytes that there should be, and files that were read to their end.
    private(set) var sizes = (bytes: Int64(0), read: 0)
    /// Pictures and documents of which a damaged copy was reported: these aren't reported as missing, too.
    private(set) var damagedUses: [Owner: Set<ExactText>] = [:]

    mutating func run() async throws {
        try checkTables()
        try await announce()
        // Before those that are found now are marked, and so are reported as what they are.
        try checkDamaged()
        try checkDatabase()
        try await checkFiles()
        try checkStrays()
    }

    /// Nothing else can be looked at where a table is missing.
    private func checkTables() throws {
        let missing = try store.missingTables()
        guard !missing.isEmpty else { return }
        for table in missing { tally.note(Finding(.partMissing(type: "table", name: table))) }
        guard options.repair else {
            throw StoreError(
                .damaged,
                "Without what the database lacks, nothing more can be looked at. Have it made anew, and fetched, with: mirror verify --repair"
            )
        }
        try store.mendTables()
    }

    /// Says how much there is to do before anything is counted against it.
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
        guard wantsDocuments else { return }
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
            for (file, sight) in zip(files, try await look(at: files)) {
                if sight.digest != nil { sizes.read += 1 }
                guard let finding = try FileCheck.finding(file, sight, user: store.user(ofFile: file.hash))
                else { continue }
                tally.note(finding)
                guard options.repair else { continue }
                // A folder holds no copy of the file. One that isn't empty stays, and is found again.
                if sight == .nothing || sight == .other && media.isFolder(file.path) {
                    if sight == .other { media.remove(file.path) }
                    lost.append(file.hash)
                } else {
                    damaged.append((file, media.look(at: file.path, reading: true).digest))
                }
            }
            if !lost.isEmpty { try store.forgetFiles(lost) }
            if !damaged.isEmpty { try store.markDamaged(damaged) }
        }
    }

    /// Reports the copies that are kept of damaged files, each time until they were replaced or a person removed them.
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
            let message = "The mirror does not know whose copy this was. Delete it if you do not need it."
            for path in paths { tally.note(Finding(what: .damaged, path: path, message: message)) }
        }
    }

    private func isDamaged(_ owner: Owner, _ id: String) -> Bool {
        damagedUses[owner]?.contains(ExactText(id)) == true
    }

    private func look(at files: [StoredFile]) async throws -> [FileSight] {
        let media = media, options = options, monitor = monitor
        func look(_ file: StoredFile) -> FileSight {
            let reads = options.reads(file)
            let sight = media.look(at: file.path, reading: reads)
            monitor.note { progress in
                progress.files += 1
                // What is counted is what was announced, whatever the file's length turned out to be.
                if reads { progress.bytes += file.size }
            }
            return sight
        }
        guard options.readData != .none else { return files.map(look) }
        // One core is seldom as fast as a disk.
        return try await withThrowingTaskGroup(of: (Int, FileSight).self) { group in
            for (index, file) in files.enumerated() {
                group.addTask {
                    try Task.checkCancellation()
                    return (index, look(file))
                }
            }
            var sights = [FileSight](repeating: .nothing, count: files.count)
            for try await (index, sight) in group { sights[index] = sight }
            return sights
        }
    }

    // MARK: - Strays

    private func checkStrays() throws {
        try remove(strays(in: media.odd(), known: []))
        for name in try media.names("media") where StrayCheck.isOwn(folder: name) {
            try Task.checkCancellation()
            let known = try store.filePaths(inFolder: name)
            // What is referred to is needed, though its own row was lost.
            let wanted = tally.has(.reference) ? try store.hashesWithoutFile(name) : []
            let entries = try media.entries(in: "media/\(name)").filter {
                wanted.isEmpty || !wanted.contains(StrayCheck.hash(of: $0.path))
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

    /// What can't be removed is found again by the second look. Where rows were lost, and no run has brought them back yet,
    /// nobody knows which files are needed: then all stay.
    private func remove(_ strays: [String]) throws {
        guard options.repair, try !store.isRebuilt, !tally.has(.database) else { return }
        strays.forEach(media.remove)
    }
}

extension CatalogueStore {
    /// All files, 500 at a time.
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

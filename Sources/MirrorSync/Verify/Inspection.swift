import MirrorStore

/// One look at a mirror's database and files.
///
/// While mending, strays are removed and broken files forgotten as soon as they are told, so that none has to be kept in
/// mind; everything else is mended afterwards (``Mending``).
final class Inspection {
    private let store: CatalogueStore
    private let media: MediaFolder
    private let monitor: VerifyMonitor
    private let tally: FindingTally
    private let readData: ReadShare
    private let seed: UInt64
    private let isMending: Bool
    /// Whether a document without a file is a gap: where media were just fetched.
    private let wantsDocuments: Bool
    /// Bytes that there should be, and files that were read to their end.
    private(set) var sizes = (bytes: Int64(0), read: 0)

    private static let chunk = 500
    /// Files are read so many at a time: one core is seldom as fast as a disk.
    private static let readers = 4

    init(
        store: CatalogueStore, media: MediaFolder, monitor: VerifyMonitor, tally: FindingTally,
        readData: ReadShare,
        seed: UInt64, isMending: Bool, wantsDocuments: Bool = false
    ) {
        self.store = store
        self.media = media
        self.monitor = monitor
        self.tally = tally
        self.readData = readData
        self.seed = seed
        self.isMending = isMending
        self.wantsDocuments = wantsDocuments
    }

    func run(isRemote: Bool) async throws {
        try checkTables()
        try announce(isRemote: isRemote)
        try checkDatabase()
        try await checkFiles()
        try checkStrays()
    }

    /// Nothing else can be looked at where a table is missing.
    private func checkTables() throws {
        let missing = try store.missingTables()
        guard !missing.isEmpty else { return }
        for table in missing { tally.note(Finding(.partMissing(type: "table", name: table))) }
        guard isMending else {
            throw StoreError(
                .damaged,
                "Without what the database lacks, nothing more can be looked at. Have it made anew, and fetched, with: mirror verify --repair"
            )
        }
        try store.mendTables()
    }

    /// Says how much there is to do before anything is counted against it.
    private func announce(isRemote: Bool) throws {
        let totals = try store.fileTotals()
        var toRead: Int64 = readData == .all ? totals.bytes : 0
        if readData != .all, readData != .none {
            try eachChunk { files in
                for file in files where readData.contains(file.hash, seed: seed) { toRead += file.size }
            }
        }
        sizes.bytes = totals.bytes
        let bytes = toRead
        monitor.note { progress in
            progress.checksTotal = StoreCheck.allCases.count
            progress.filesTotal = totals.files
            progress.bytesTotal = bytes
            progress.listsTotal = isRemote ? ObjectKind.listed.count : 0
        }
    }

    private func checkDatabase() throws {
        for check in StoreCheck.allCases {
            try Task.checkCancellation()
            do {
                try store.check(check) { tally.note(Finding($0)) }
            } catch let error as StoreError where error.code == .damaged {
                tally.note(Finding(.database, message: error.message))
            }
            monitor.note { $0.checks += 1 }
        }
        guard wantsDocuments else { return }
        try store.documentsWithoutFile { owner, id in
            tally.note(
                Finding(
                    .missing, kind: "document", id: id, message: "The document's file has not been fetched."))
        }
    }

    // MARK: - Files

    private func checkFiles() async throws {
        var last = ""
        while true {
            try Task.checkCancellation()
            let files = try store.files(after: last, limit: Self.chunk)
            guard let end = files.last else { return }
            last = end.hash
            var broken: [String] = []
            for (file, sight) in zip(files, try await look(at: files)) {
                if case .bytes = sight { sizes.read += 1 }
                guard FileCheck.finding(file, sight, user: nil) != nil,
                    let finding = FileCheck.finding(file, sight, user: try store.user(ofFile: file.hash))
                else { continue }
                tally.note(finding)
                broken.append(file.hash)
                // A file is named by its digest: under that name other bytes are of no use.
                if isMending, finding.what != .missing || sight == .other { _ = media.remove(file.path) }
            }
            if isMending, !broken.isEmpty { try store.forgetFiles(broken) }
        }
    }

    private func look(at files: [StoredFile]) async throws -> [FileSight] {
        let folder = media.path, share = readData, seed = seed, monitor = monitor
        func look(_ file: StoredFile) -> FileSight {
            let reads = share.contains(file.hash, seed: seed)
            let sight = FileCheck.look(at: "\(folder)/\(file.path)", reading: reads)
            monitor.note { progress in
                progress.files += 1
                // What is counted is what was announced, whatever the file's length turned out to be.
                if reads { progress.bytes += file.size }
            }
            return sight
        }
        guard share != .none else { return files.map(look) }
        return try await withThrowingTaskGroup(of: [(Int, FileSight)].self) { group in
            for reader in 0..<Self.readers {
                group.addTask {
                    try stride(from: reader, to: files.count, by: Self.readers).map { index in
                        try Task.checkCancellation()
                        return (index, look(files[index]))
                    }
                }
            }
            var sights = [FileSight](repeating: .nothing, count: files.count)
            for try await some in group {
                for (index, sight) in some { sights[index] = sight }
            }
            return sights
        }
    }

    private func eachChunk(_ body: ([StoredFile]) throws -> Void) throws {
        var last = ""
        while true {
            let files = try store.files(after: last, limit: Self.chunk)
            guard let end = files.last else { return }
            last = end.hash
            try body(files)
        }
    }

    // MARK: - Strays

    private func checkStrays() throws {
        try remove(strays(in: media.odd(), known: []))
        for name in try media.folders() where StrayCheck.isOwn(folder: name) {
            try Task.checkCancellation()
            let known = try store.filePaths(inFolder: name)
            try remove(strays(in: media.entries(in: "media/\(name)"), known: known))
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

    /// What can't be removed is found again by the second look.
    private func remove(_ strays: [String]) {
        guard isMending else { return }
        for path in strays { _ = media.remove(path) }
    }
}

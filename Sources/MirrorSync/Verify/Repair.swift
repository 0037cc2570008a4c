import Catalogue
import MirrorStore

/// Repairs the findings that need no server, and returns the sync that repairs the others.
struct Repair {
    let sync: Sync
    let found: [Finding.What: Int]

    /// The findings whose repair needs the server.
    private static let needingServer: Set<Finding.What> = [
        .reference, .list, .object, .missing, .length, .digest, .unreadable, .damaged, .changed, .new, .gone,
    ]

    /// The step that completes the repair.
    enum NextStep {
        case nothing
        /// This sync fetches the missing objects and files.
        case sync(Sync)
        /// There is no server to fetch from; the message says what to do.
        case byHand(String)
    }

    func run(_ store: CatalogueStore) throws -> NextStep {
        let options = try syncOptions(store)
        if has(.reference) || has(.database) { try findFiles(store) }
        _ = try store.repair()
        if let catalogue = try sync.described(store) {
            try store.refetchArtworks(naming: DescribedSource(catalogue: catalogue).gathered)
        }
        if has(.damaged) { try store.requestDamagedFilesAgain() }
        try store.forgetDigests()
        try rewritePictures(store)
        if has(.search) || has(.database) { try store.rebuildSearchIndex() }
        if has(.released) { try store.collectFiles(in: sync.folder.files) }
        guard try found.keys.contains(where: Self.needingServer.contains) || store.hasPicturesOfGhosts()
        else {
            return .nothing
        }
        guard try !store.isCatalogue else {
            return .byHand(
                "\(sync.partner) was imported from a catalogue's files. Restore what is missing with: mirror import DIR"
            )
        }
        var repair = sync
        repair.options = options
        repair.isNewOrigin = false
        return .sync(repair)
    }

    private func has(_ what: Finding.What) -> Bool { found[what, default: 0] > 0 }

    /// The options of the sync that completes the repair.
    ///
    /// It fetches the formats that the mirror has, not the default ones. It also fetches the tiles of pictures with stored tiles,
    /// even if tiles are no longer wanted.
    private func syncOptions(_ store: CatalogueStore) throws -> SyncOptions {
        var options = sync.options
        options.only = []
        // Objects missing from the mirror didn't change on the server, so only the complete lists contain them.
        options.auditEvery = .zero
        options.auditsByDigest = false
        let wanted = try store.wantedFormats().map(CatalogueStore.wantedMedia)
        options.media = try wanted != nil || store.hasMedia()
        options.formats = wanted?.formats
        options.tiles = wanted?.tiles ?? false
        options.repairsTiles = try options.media && !options.tiles && store.hasTiles()
        return options
    }

    /// Searches the disk for files whose rows were lost and to which pictures or documents still refer.
    ///
    /// Intact files get their rows again; the others are marked as damaged.
    private func findFiles(_ store: CatalogueStore) throws {
        let hashes = try store.hashesWithoutFile()
        let media = MediaFolder(path: sync.folder.path, now: sync.now())
        for folder in Set(hashes.map { String($0.prefix(2)) }).sorted() {
            var intact: [StoredFile] = [], damaged: [(file: StoredFile, digest: String?)] = []
            for entry in try media.entries(in: "media/\(folder)") where !entry.isFolder {
                let hash = StrayCheck.hash(of: entry.path)
                guard hashes.contains(hash) else { continue }
                guard case .file(let length, let digest?) = media.state(of: entry.path, reading: true)
                else { continue }
                let file = StoredFile(
                    hash: hash, size: length, path: entry.path, type: FileStore.type(ofPath: entry.path))
                if digest == hash { intact.append(file) } else { damaged.append((file, digest)) }
            }
            try store.noteFiles(intact)
            try store.markDamaged(damaged)
        }
    }

    /// Rewrites wrong picture rows of artworks from the stored JSON, which needs no request.
    private func rewritePictures(_ store: CatalogueStore) throws {
        guard has(.picture) else { return }
        var last = ""
        while true {
            let artworks = try store.artworksWithWrongPictures(after: last, limit: 500)
            guard let end = artworks.last else { return }
            last = end.id
            let bodies = artworks.compactMap { artwork -> Artwork? in
                guard let json = try? JSONValue(parsing: artwork.json).objectValue else { return nil }
                return try? Artwork(json)
            }
            try store.rewriteParts(of: bodies.map { ObjectRecord(.artwork, $0, etag: nil) })
        }
    }
}

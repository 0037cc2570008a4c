import Catalogue
import MirrorStore

/// Repairs what was found, and says which sync fetches the rest.
struct Repair {
    let sync: Sync
    let found: [Finding.What: Int]

    /// What only the server can give again.
    private static let fetched: Set<Finding.What> = [
        .reference, .list, .object, .missing, .length, .digest, .unreadable, .damaged, .changed, .new, .gone,
    ]

    /// What has to follow.
    enum Rest {
        case nothing
        /// What is missing is fetched by it.
        case sync(Sync)
        /// There is no server to fetch from: one sentence that says what to do.
        case byHand(String)
    }

    func run(_ store: CatalogueStore) throws -> Rest {
        let options = try syncOptions(store)
        if has(.reference) || has(.database) { try findFiles(store) }
        _ = try store.mend()
        if has(.damaged) { try store.askAgainForDamaged() }
        try store.forgetDigests()
        try rewritePictures(store)
        if has(.search) || has(.database) { try store.rebuildSearchIndex() }
        if has(.released) { try store.collectFiles(in: sync.folder.files) }
        guard try found.keys.contains(where: Self.fetched.contains) || store.hasPicturesOfGhosts() else {
            return .nothing
        }
        guard try !store.isCatalogue else {
            return .byHand(
                "\(sync.partner) was made from a catalogue's files: what is missing now comes back with mirror import DIR."
            )
        }
        var repair = sync
        repair.options = options
        repair.isNewOrigin = false
        return .sync(repair)
    }

    private func has(_ what: Finding.What) -> Bool { found[what, default: 0] > 0 }

    /// The sync fetches the formats that the mirror has, not those of a sync that names none; and tiles wherever some are stored,
    /// though they are no longer wanted.
    private func syncOptions(_ store: CatalogueStore) throws -> SyncOptions {
        var options = sync.options
        options.only = []
        // What is missing here is no change there: only the whole lists name it.
        options.auditEvery = .zero
        options.auditsByDigest = false
        let wanted = try store.wantedFormats()
        options.media = try wanted != nil || store.hasMedia()
        (options.formats, options.tiles) = wanted.map(CatalogueStore.wantedMedia) ?? (nil, false)
        options.repairsTiles = try options.media && !options.tiles && store.hasTiles()
        return options
    }

    /// Files whose rows were lost, and which pictures or documents still name, are looked for on the disk: what is intact is
    /// noted again, what isn't is marked as damaged.
    private func findFiles(_ store: CatalogueStore) throws {
        let wanted = try store.hashesWithoutFile()
        let media = MediaFolder(path: sync.folder.path, now: sync.now())
        for folder in Set(wanted.map { String($0.prefix(2)) }).sorted() {
            var intact: [StoredFile] = [], damaged: [(file: StoredFile, digest: String?)] = []
            for entry in try media.entries(in: "media/\(folder)") where !entry.isFolder {
                let hash = StrayCheck.hash(of: entry.path)
                guard wanted.contains(hash) else { continue }
                guard case .file(let length, let digest?) = media.look(at: entry.path, reading: true)
                else { continue }
                let file = StoredFile(
                    hash: hash, size: length, path: entry.path, type: FileStore.type(ofPath: entry.path))
                if digest == hash { intact.append(file) } else { damaged.append((file, digest)) }
            }
            try store.noteFiles(intact)
            try store.markDamaged(damaged)
        }
    }

    /// An artwork's JSON is whole, so its pictures are made anew from it, without asking anybody.
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

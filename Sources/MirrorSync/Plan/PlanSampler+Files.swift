import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore

/// The results of sampling the files that a sync will fetch; empty for what was not sampled.
struct FileSamples: Sendable {
    /// Bytes of the JSON of artworks, grouped by page; an artwork that was requested alone is a group of its own.
    var json: [SampledGroup] = []
    /// Pictures to fetch for artworks: for those on sampled pages of the whole list, grouped by page; or, if there are no
    /// pages, for sampled new and sampled changed artworks.
    var listed: [SampledGroup] = [], new: [SampledGroup] = [], changed: [SampledGroup] = []
    /// Pictures and documents to fetch for a changed list, and the bytes of such documents.
    var listPictures: [SampledGroup] = [], documents: [SampledGroup] = [], documentSizes: [SampledGroup] = []
    /// Stored pictures and tiles of sampled artworks whose entry changed, by `image` and ``ImageTile/kind``; compare
    /// ``PlanTally/conditionalFiles``.
    var conditional: [String: Double] = [:]
    /// The number of pictures to fetch for sampled artworks, by format.
    var formats: [String: Double] = [:]
    /// Bytes of pictures by format, grouped by artwork or show.
    var sizes: [String: [SampledGroup]] = [:]
    /// Bytes of tiles of stored pictures.
    var tileSizes: [SampledGroup] = []
    /// Elapsed seconds per picture, with several requests in flight; `nil` if none was measured.
    var pace: Double?

    /// The objects and files to sample.
    struct Targets: Sendable, Hashable {
        /// New artworks.
        var newArtworks = false
        /// Changed artworks and lists for which a sync may fetch pictures or documents.
        var changes = false
        /// Sizes of all pictures. If it is `false`, only the sizes of pictures of changed owners are sampled, since they may
        /// differ from those of the stored pictures.
        var sizes = false
        /// Sizes of tiles of stored pictures.
        var tileSizes = false
        /// Whether the server states the total size of all files, so that no size is sampled.
        var isStated = false

        var any: Bool { newArtworks || changes || sizes || tileSizes }
    }
}

/// Samples how many files a sync will fetch and how large they are, if neither the lists nor the mirror contain that.
///
/// - If most artworks are new or changed, pages of full objects from random places of the list are requested, as many as the
///   limit of 14 requests allows.
/// - Otherwise, or if the server's pages don't contain full objects, some new and some changed artworks are requested.
/// - Then the pictures of up to 50 artworks and shows are requested with HEAD.
/// - If no tiles are stored, some tiles of stored pictures are requested with HEAD too.
extension PlanSampler {
    private typealias Picture = PlanTally.Picture

    /// The number of requests after which a plan over `validators` requests no more pages.
    private static let requestLimit = 14
    /// The requested number of artworks per page. Servers are likely to allow fewer; 500 are no burden for one that doesn't.
    private static let pageSize = 500
    /// The number of documents of one list whose sizes are requested.
    private static let measured = 3
    /// The approximate number of tiles that are measured for one owner.
    private static let tiles = 4
    /// The maximum number of pages that are read of a show's pictures.
    private static let pageLimit = 10

    /// Samples the targets.
    ///
    /// - Throws: ``SyncError``, ``StoreError``, `CancellationError`.
    func files(_ targets: FileSamples.Targets) async throws -> FileSamples {
        let tally = plan.current
        var samples = FileSamples()
        var owners = Reservoir<[Picture]>(capacity: PlanTally.sampleSize, seed: 3)
        func take(_ groups: [[Artwork]]) throws -> [SampledGroup] {
            try groups.map { artworks in
                let bytes = artworks.reduce(0) { $0 + $1.json.canonicalText.utf8.count }
                samples.json.append(SampledGroup(count: Double(artworks.count), sum: Double(bytes)))
                var sum = 0
                for artwork in artworks where environment.options.media {
                    let (more, pictures, conditional) = try picturesToFetch(
                        artwork.images, of: Owner(.artwork, artwork.id), .picture)
                    sum += more
                    for item in conditional {
                        samples.conditional[item.isTile ? ImageTile.kind : "image", default: 0] += 1
                    }
                    for picture in pictures { samples.formats[picture.format, default: 0] += 1 }
                    if !pictures.isEmpty { owners.offer(pictures) }
                }
                return SampledGroup(count: Double(artworks.count), sum: Double(sum))
            }
        }
        let pages = try await pages(tally, targets)
        samples.listed = try take(pages)
        if pages.isEmpty, targets.newArtworks {
            samples.new = try take(await artworks(sample(tally.artworkSample.chosen)))
        }
        if pages.isEmpty, targets.changes {
            // A sample of 50, or of one in twenty if there are more than 1,000 changed artworks.
            let count = max(PlanTally.sampleSize, tally.changedArtworks / 20)
            var random = SplitMix(seed: 9)
            let chosen = sample(Array(tally.changedSample.chosen.shuffled(using: &random).prefix(count)))
            samples.changed = try take(await artworks(Array(chosen)))
            let share = Double(tally.changedArtworks) / Double(max(1, chosen.count))
            samples.conditional = samples.conditional.mapValues { $0 * share }
        }
        if targets.changes {
            for (count, sizes) in try await documents(tally.documentListSample.chosen) {
                samples.documents.append(SampledGroup(count: 1, sum: Double(count)))
                if !sizes.isEmpty { samples.documentSizes.append(Self.group(sizes)) }
            }
            for (more, pictures, _) in try await listPictures(tally.pictureListSample.chosen) {
                samples.listPictures.append(SampledGroup(count: 1, sum: Double(more)))
                if !pictures.isEmpty { owners.offer(pictures) }
            }
        }
        guard environment.options.media, !targets.isStated else { return samples }
        if targets.sizes || !owners.chosen.isEmpty {
            let groups = owners.chosen.isEmpty ? tally.pictureSample.chosen.map { [$0] } : owners.chosen
            samples.sizes = try await measure(sample(groups), &samples.pace)
        }
        if targets.tileSizes, samples.sizes[ImageTile.kind] == nil {
            let groups = tally.tileSample.chosen.map { [$0] }
            samples.tileSizes = try await measure(groups, &samples.pace)[ImageTile.kind] ?? []
        }
        return samples
    }

    private static func group(_ values: [Double]) -> SampledGroup {
        SampledGroup(count: Double(values.count), sum: values.reduce(0, +))
    }

    /// The pictures that a sync will fetch for an owner's new version.
    ///
    /// - Returns: `more` is the number of pictures beyond those to fetch for the stored version; `conditional` are the stored
    ///   pictures whose entry changed.
    private func picturesToFetch(
        _ images: [ImageEntry], of owner: Owner, _ role: ImageRole
    ) throws -> (more: Int, pictures: [Picture], conditional: [ImageStep.Item]) {
        let (new, stored, conditional) = try pictures(images.map(StoredImage.init), of: owner, role)
        let (tiles, plain) = (new.filter(\.isTile), new.filter { !$0.isTile })
        let step = max(1, tiles.count / Self.tiles), chosen = stride(from: 0, to: tiles.count, by: step)
        let weight = Double(tiles.count) / Double(max(1, chosen.underestimatedCount))
        return (
            new.count - stored.count,
            plain.map { ($0.url, $0.format, 1) }
                + chosen.map { (tiles[$0].url, ImageTile.kind, weight) },
            conditional
        )
    }

    // MARK: - Artworks

    private func artworks(_ ids: [String]) async throws -> [[Artwork]] {
        guard environment.described == nil else { return try await describedArtworks(ids) }
        return try await sampleAll(ids) { id in
            try await object(environment.router.object(.artwork, id)).map { [try Artwork($0)] }
        }.compactMap(\.self)
    }

    /// Artworks of sampled pages.
    ///
    /// - Returns: an empty array if few artworks are new or changed, if the server doesn't offer pages of its artworks, or if
    ///   they don't contain full objects.
    private func pages(_ tally: PlanTally, _ targets: FileSamples.Targets) async throws -> [[Artwork]] {
        let listed = environment.report.current.listed[.artwork] ?? 0
        let new = targets.newArtworks ? tally.newArtworks : 0
        let hasMany = targets.changes && tally.changedArtworks > PlanTally.sampleSize
        guard environment.described == nil, (new + (hasMany ? tally.changedArtworks : 0)) * 2 > listed else {
            return []
        }
        do {
            return try await pages(of: listed)
        } catch let error where error is HTTPError || error is PayloadError {
            return []
        }
    }

    /// Artworks of pages at random places of the list. The first page shows how many artworks the server puts on a page.
    private func pages(of listed: Int) async throws -> [[Artwork]] {
        let limit = max(0, Self.requestLimit - environment.session.statistics.sent)
        var size = Self.pageSize, requested = Set<Int>(), pages: [[Artwork]] = []
        var random = SplitMix(seed: UInt64(listed))
        while requested.count < limit {
            let count = max(1, (listed + size - 1) / size)
            guard requested.count < count else { break }
            // The last page may be shorter. The first request therefore avoids it, as it measures the page size.
            let choices = requested.isEmpty ? max(1, listed / size) : count
            var number = 1 + Int(random.next(below: UInt64(choices)))
            while requested.contains(number) { number = number % count + 1 }
            // If the first page is empty or contains abridged objects, the others will too.
            guard let page = try await page(number, size: size), !page.isEmpty || !requested.isEmpty else {
                return []
            }
            if requested.isEmpty, page.count < min(size, listed) { size = max(1, page.count) }
            requested.insert(number)
            if !page.isEmpty { pages.append(page) }
        }
        return pages
    }

    /// The artworks of a page; `nil` if one lacks the field `images`, since an abridged object may have pictures nonetheless.
    private func page(_ number: Int, size: Int) async throws -> [Artwork]? {
        let response = try await body(environment.router.page(number, of: .artwork, size: size))
        let objects = try response.flatMap(objects) ?? []
        guard objects.allSatisfy({ $0["images"] != nil }) else { return nil }
        return try objects.map { try Artwork($0) }
    }

    // MARK: - Lists that changed

    /// The number of documents that each list contains and that are not stored, and the bytes of some of them.
    private func documents(_ owners: [Owner]) async throws -> [(count: Int, sizes: [Double])] {
        try await sampleAll(owners) { owner in
            let stored = try storedDocuments(of: owner)
            let ids = try await offered(or: nil) {
                try await list(.documents, under: owner).requestAgain()?.ids
            }
            let new = (ids ?? []).filter { !stored.contains(ExactText($0)) }
            var sizes: [Double] = []
            for id in new.prefix(Self.measured) {
                if let size = try await documentSize(id, of: owner) { sizes.append(size) }
            }
            return (new.count, sizes)
        }
    }

    /// The bytes of a document's file, from its JSON or from a HEAD request; 0 if it has no file, `nil` if unknown.
    private func documentSize(_ id: String, of owner: Owner) async throws -> Double? {
        guard let json = try await object(environment.router.document(id, of: owner)) else { return nil }
        let document = try Document.read(json, id: id, report: environment.report)
        guard let uri = document.uri else { return 0 }
        if let size = document.size { return Double(size) }
        return try await fileSize(uri, isPicture: false)
    }

    /// The pictures that a sync will fetch for each list of pictures, as in `picturesToFetch`.
    private func listPictures(_ lists: [PlanTally.PictureList]) async throws -> [(
        more: Int, pictures: [Picture], conditional: [ImageStep.Item]
    )] {
        try await sampleAll(lists) { list in
            try await offered(or: (0, [], [])) {
                let show = Owner(.show, list.show)
                var entries: [ImageEntry] = []
                for page in 1...Self.pageLimit {
                    let route = environment.router.list(list.role.list ?? .cover, of: show, .page(page))
                    let found = try await body(route).flatMap(images) ?? []
                    entries += found
                    if found.count < Router.pageSize { break }
                }
                return try picturesToFetch(entries, of: show, list.role)
            }
        }
    }

    // MARK: - Sizes

    /// Requests the sizes of pictures.
    ///
    /// - Parameter pace: is set to the elapsed seconds per picture, if there are any.
    /// - Returns: bytes by format, in the same groups.
    private func measure(
        _ groups: [[Picture]], _ pace: inout Double?
    ) async throws -> [String: [SampledGroup]] {
        let pictures = groups.enumerated().flatMap { group, pictures in pictures.map { (group, $0) } }
        let began = environment.now()
        let sizes = try await sampleAll(pictures) { group, picture in
            (group, picture, try await fileSize(picture.url, isPicture: true))
        }
        if !sizes.isEmpty {
            pace = environment.now().timeIntervalSince(began) / Double(sizes.count)
        }
        var measured: [String: [SampledGroup]] = [:]
        for ofOwner in Dictionary(grouping: sizes, by: \.0).values {
            for (format, sizes) in Dictionary(grouping: ofOwner, by: \.1.format) {
                let group = sizes.reduce(into: SampledGroup(count: 0, sum: 0)) { group, size in
                    let bytes = size.2 ?? PlanDefaults.picture(format).mean
                    group = SampledGroup(
                        count: group.count + size.1.weight, sum: group.sum + size.1.weight * bytes)
                }
                measured[format, default: []].append(group)
            }
        }
        return measured
    }

    /// The bytes of a file, by a HEAD request; 0 if the server doesn't have it, `nil` if the answer lacks its length.
    private func fileSize(_ url: String, isPicture: Bool) async throws -> Double? {
        let session = environment.session
        let operation = FileOperation(url, isPicture: isPicture, base: session.base, method: "HEAD")
        do {
            return try await session.send(operation).headers["Content-Length"].flatMap { Double($0) }
        } catch let error as HTTPError where error.status != nil && error.code != .invalidRedirect {
            return [404, 410].contains(error.status) ? 0 : nil
        }
    }
}

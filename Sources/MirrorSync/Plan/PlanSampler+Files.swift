import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore

/// What samples say of the files that a sync will fetch; empty where nothing was sampled.
struct FileSamples: Sendable {
    /// Bytes of JSON of artworks by the page; an artwork that was requested alone is one.
    var json: [SampledGroup] = []
    /// Pictures that artworks bring: those of the whole list, by the page, where there are pages; else those that are
    /// new, and those that changed.
    var listed: [SampledGroup] = [], new: [SampledGroup] = [], changed: [SampledGroup] = []
    /// Pictures and documents that a changed list brings, and bytes of such documents.
    var shots: [SampledGroup] = [], documents: [SampledGroup] = [], documentSizes: [SampledGroup] = []
    /// Stored pictures and tiles of sampled artworks whose entry changed, as in ``PlanTally/conditionalFiles``; `image` and
    /// ``ImageTile/kind``.
    var conditional: [String: Double] = [:]
    /// Bytes of pictures by format, in groups of those of one artwork.
    var sizes: [String: [SampledGroup]] = [:]
    /// Bytes of tiles of pictures that are stored.
    var tileSizes: [SampledGroup] = []
    /// Seconds that it took for each picture's answer, some under way at once.
    var pace: Double?

    /// What has to be sampled.
    struct Wants: Sendable, Hashable {
        /// New artworks.
        var news = false
        /// What changed and may bring pictures or documents.
        var changes = false
        /// Sizes of pictures: of all; else of none but those that changes bring, whose sizes may be others than those of
        /// the stored pictures.
        var sizes = false
        /// Sizes of tiles of pictures that are stored.
        var tileSizes = false
        /// Whether the server states the size of all, so that no single one is requested.
        var isStated = false

        var any: Bool { news || changes || sizes || tileSizes }
    }
}

/// Artworks, lists and pictures that are requested to learn how large they are, and how many files a sync will fetch, where
/// neither the lists nor the mirror say.
///
/// Where most artworks are new or changed, pages of full objects from all over the list say how large artworks are and how
/// many pictures they bring: as many pages as 14 requests leave. Else, or where the server's pages are no full objects,
/// some of the new and of the changed ones are fetched. Then the pictures that up to 50 artworks and shows bring are
/// requested with HEAD, and some tiles of stored pictures, where no tiles are stored that would tell.
extension PlanSampler {
    private typealias Picture = PlanTally.Picture

    /// Requests that a plan over `validators` may send before it requests single artworks.
    private static let requestLimit = 14
    /// Artworks on a page: more than a server is likely to allow, and not enough to burden it.
    private static let pageSize = 500
    /// Documents of one list whose sizes are requested.
    private static let measured = 3
    /// About as many tiles of an owner's pictures are measured.
    private static let tiles = 4
    /// Pages of a show's pictures that are read.
    private static let pageLimit = 10

    func files(_ wants: FileSamples.Wants) async throws -> FileSamples {
        let tally = plan.current
        var samples = FileSamples()
        var owners = Reservoir<[Picture]>(capacity: PlanTally.sampleSize, seed: 3)
        func take(_ groups: [[Artwork]]) throws -> [SampledGroup] {
            try groups.map { artworks in
                let bytes = artworks.reduce(0) { $0 + $1.json.canonicalText.utf8.count }
                samples.json.append(SampledGroup(count: Double(artworks.count), sum: Double(bytes)))
                var sum = 0
                for artwork in artworks where environment.options.media {
                    let (more, pictures, conditional) = try brought(
                        artwork.images, by: Owner(.artwork, artwork.id), .picture)
                    sum += more
                    for item in conditional {
                        samples.conditional[item.isTile ? ImageTile.kind : "image", default: 0] += 1
                    }
                    if !pictures.isEmpty { owners.offer(pictures) }
                }
                return SampledGroup(count: Double(artworks.count), sum: Double(sum))
            }
        }
        let pages = try await pages(tally, wants)
        samples.listed = try take(pages)
        if pages.isEmpty, wants.news {
            samples.new = try take(await artworks(tally.artworkSample.chosen))
        }
        if pages.isEmpty, wants.changes {
            // Of many changed artworks, one in twenty.
            let count = max(PlanTally.sampleSize, tally.changedArtworks / 20)
            var random = SplitMix(seed: 9)
            let chosen = tally.changedSample.chosen.shuffled(using: &random).prefix(count)
            samples.changed = try take(await artworks(Array(chosen)))
            let share = Double(tally.changedArtworks) / Double(max(1, chosen.count))
            samples.conditional = samples.conditional.mapValues { $0 * share }
        }
        if wants.changes {
            for (count, sizes) in try await documents(tally.documentListSample.chosen) {
                samples.documents.append(SampledGroup(count: 1, sum: Double(count)))
                if !sizes.isEmpty { samples.documentSizes.append(Self.group(sizes)) }
            }
            for (more, pictures, _) in try await shots(tally.pictureListSample.chosen) {
                samples.shots.append(SampledGroup(count: 1, sum: Double(more)))
                if !pictures.isEmpty { owners.offer(pictures) }
            }
        }
        guard environment.options.media, !wants.isStated else { return samples }
        if wants.sizes || !owners.chosen.isEmpty {
            let groups = owners.chosen.isEmpty ? tally.pictureSample.chosen.map { [$0] } : owners.chosen
            samples.sizes = try await measure(groups, &samples.pace)
        }
        if wants.tileSizes, samples.sizes[ImageTile.kind] == nil {
            let groups = tally.tileSample.chosen.map { [$0] }
            samples.tileSizes = try await measure(groups, &samples.pace)[ImageTile.kind] ?? []
        }
        return samples
    }

    private static func group(_ values: [Double]) -> SampledGroup {
        SampledGroup(count: Double(values.count), sum: values.reduce(0, +))
    }

    /// The pictures that a sync will fetch for an owner's new version, and how many more those are than for what is stored.
    private func brought(
        _ images: [ImageEntry], by owner: Owner, _ role: ImageRole
    ) throws -> (more: Int, pictures: [Picture], conditional: [ImageStep.Item]) {
        let (new, stored, conditional) = try pictures(images.map(StoredImage.init), of: owner, role)
        let (tiles, wholes) = (new.filter(\.isTile), new.filter { !$0.isTile })
        let step = max(1, tiles.count / Self.tiles), chosen = stride(from: 0, to: tiles.count, by: step)
        let weight = Double(tiles.count) / Double(max(1, chosen.underestimatedCount))
        return (
            new.count - stored.count,
            wholes.map { ($0.url, $0.format, 1) }
                + chosen.map { (tiles[$0].url, ImageTile.kind, weight) },
            conditional
        )
    }

    // MARK: - Artworks

    private func artworks(_ ids: [String]) async throws -> [[Artwork]] {
        try await looks(at: ids) { id in
            try await object(environment.router.object(.artwork, id)).map { [try Artwork($0)] }
        }.compactMap(\.self)
    }

    /// Empty where pages are not worth it, or contain no full objects: not every server has pages of its own lists.
    private func pages(_ tally: PlanTally, _ wants: FileSamples.Wants) async throws -> [[Artwork]] {
        let listed = environment.report.current.listed[.artwork] ?? 0
        let news = wants.news ? tally.newArtworks : 0
        let hasMany = wants.changes && tally.changedArtworks > PlanTally.sampleSize
        guard (news + (hasMany ? tally.changedArtworks : 0)) * 2 > listed else { return [] }
        do {
            return try await pages(of: listed)
        } catch let error where error is HTTPError || error is PayloadError {
            return []
        }
    }

    /// Artworks of pages at random places of the list. The first tells how many the server puts on a page.
    private func pages(of listed: Int) async throws -> [[Artwork]] {
        let most = max(0, Self.requestLimit - environment.session.statistics.sent)
        var size = Self.pageSize, asked = Set<Int>(), pages: [[Artwork]] = []
        var random = SplitMix(seed: UInt64(listed))
        while asked.count < most {
            let count = max(1, (listed + size - 1) / size)
            guard asked.count < count else { break }
            // The last page may be shorter: it is as good as any.
            var number = 1 + Int(random.next(below: UInt64(asked.isEmpty ? max(1, listed / size) : count)))
            while asked.contains(number) { number = number % count + 1 }
            // A page without artworks, or of abridged ones, says that the others are like it.
            guard let page = try await page(number, size: size), !page.isEmpty || !asked.isEmpty else {
                return []
            }
            if asked.isEmpty, page.count < min(size, listed) { size = max(1, page.count) }
            asked.insert(number)
            if !page.isEmpty { pages.append(page) }
        }
        return pages
    }

    /// `nil` if an artwork on it lacks its pictures: an abridged object doesn't say that there are none.
    private func page(_ number: Int, size: Int) async throws -> [Artwork]? {
        let response = try await body(environment.router.page(number, of: .artwork, size: size))
        let objects = try response.flatMap(objects) ?? []
        guard objects.allSatisfy({ $0["images"] != nil }) else { return nil }
        return try objects.map { try Artwork($0) }
    }

    // MARK: - Lists that changed

    /// How many documents that are not stored each list names, and bytes of some of them.
    private func documents(_ owners: [Owner]) async throws -> [(count: Int, sizes: [Double])] {
        try await looks(at: owners) { owner in
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

    /// Bytes of a document's file, as its JSON or the file's head says; 0 for one without a file.
    private func documentSize(_ id: String, of owner: Owner) async throws -> Double? {
        guard let json = try await object(environment.router.document(id, of: owner)) else { return nil }
        let document = try Document.read(json, id: id, report: environment.report)
        guard let uri = document.uri else { return 0 }
        if let size = document.size { return Double(size) }
        return try await fileSize(uri, isPicture: false)
    }

    /// The pictures that a sync will fetch for each list of pictures, and how many more those are than for what is stored.
    private func shots(_ lists: [PlanTally.PictureList]) async throws -> [(
        more: Int, pictures: [Picture], conditional: [ImageStep.Item]
    )] {
        try await looks(at: lists) { list in
            try await offered(or: (0, [], [])) {
                let show = Owner(.show, list.show)
                var entries: [ImageEntry] = []
                for page in 1...Self.pageLimit {
                    let route = environment.router.list(list.role.list ?? .cover, of: show, .page(page))
                    let found = try await body(route).flatMap(images) ?? []
                    entries += found
                    if found.count < Router.pageSize { break }
                }
                return try brought(entries, by: show, list.role)
            }
        }
    }

    // MARK: - Sizes

    /// Bytes by format, in groups of those that came together; and the seconds that each took, if there were any.
    private func measure(
        _ groups: [[Picture]], _ pace: inout Double?
    ) async throws -> [String: [SampledGroup]] {
        let pictures = groups.enumerated().flatMap { group, pictures in pictures.map { (group, $0) } }
        let began = environment.now()
        let sizes = try await looks(at: pictures) { group, picture in
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

    /// Bytes of a file as its head says; 0 for one that isn't offered, `nil` if the server doesn't say.
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

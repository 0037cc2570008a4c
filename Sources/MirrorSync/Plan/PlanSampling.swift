import Catalogue
import Foundation
import MirrorHTTP
import MirrorStore

/// Looks at some artworks and pictures to learn how large they are, and how many pictures a sync will fetch, where neither
/// the lists nor the mirror contain that.
///
/// Where most artworks are new or changed, pages of full objects from all over the list say how large artworks are and how
/// many pictures they bring: as many pages as 14 requests leave. Else, or where the server's pages are no full objects,
/// some of the new and of the changed ones are fetched. Then the pictures that up to 50 artworks and shows bring are asked
/// for with HEAD.
struct PlanSampling: Sendable {
    let environment: SyncEnvironment
    let plan: PlanRecorder
    let wants: Wants

    /// What has to be looked at.
    struct Wants: Sendable, Hashable {
        /// New artworks.
        var news = false
        /// What changed and may bring pictures or documents.
        var changes = false
        /// Sizes of pictures: of all; else of none but those that changes bring, whose sizes may be others than those of
        /// the pictures that are here.
        var sizes = false
        /// Whether the server states the size of all, so that no single one is asked for.
        var isStated = false

        var any: Bool { news || changes || sizes }
    }

    struct Result: Sendable {
        /// Bytes of JSON of artworks by the page; an artwork that was asked for alone is one.
        var json: [SampledGroup] = []
        /// Pictures that artworks bring: those of the whole list, by the page, where there are pages; else those that are
        /// new, and those that changed.
        var listed: [SampledGroup] = [], new: [SampledGroup] = [], changed: [SampledGroup] = []
        /// Pictures and documents that a changed list brings, and bytes of such documents.
        var shots: [SampledGroup] = [], documents: [SampledGroup] = [], documentSizes: [SampledGroup] = []
        /// Bytes of pictures by format, in groups of those of one artwork.
        var sizes: [String: [SampledGroup]] = [:]
        /// Seconds that it took for each picture's answer, some under way at once.
        var pace: Double?
    }

    typealias Picture = (url: String, format: String)

    /// Requests that a plan over `validators` may send before it looks at single artworks.
    private static let requestLimit = 14

    func result() async throws -> Result {
        let tally = plan.current
        var result = Result()
        var owners = Reservoir<[Picture]>(capacity: PlanRecorder.sampleSize, seed: 3)
        func take(_ groups: [[Artwork]]) throws -> [SampledGroup] {
            try groups.map { artworks in
                let bytes = artworks.reduce(0) { $0 + $1.json.canonicalText.utf8.count }
                result.json.append(SampledGroup(count: Double(artworks.count), sum: Double(bytes)))
                var sum = 0
                for artwork in artworks {
                    let brought = try brought(by: artwork)
                    sum += brought.more
                    if !brought.pictures.isEmpty { owners.offer(brought.pictures) }
                }
                return SampledGroup(count: Double(artworks.count), sum: Double(sum))
            }
        }
        let pages = try await pages(tally)
        if pages.isEmpty {
            if wants.news { result.new = try take(await artworks(tally.artworkSample.chosen)) }
            if wants.changes { result.changed = try take(await artworks(Self.changed(tally))) }
        } else {
            result.listed = try take(pages)
        }
        if wants.changes {
            let lists = PlanChangedLists(environment: environment, plan: plan)
            (result.documents, result.documentSizes) = try await lists.documents(
                tally.documentListSample.chosen)
            for (more, pictures) in try await lists.shots(tally.pictureListSample.chosen) {
                result.shots.append(SampledGroup(count: 1, sum: Double(more)))
                if !pictures.isEmpty { owners.offer(pictures) }
            }
        }
        guard environment.options.media, !wants.isStated, wants.sizes || !owners.chosen.isEmpty else {
            return result
        }
        try await measure(
            owners.chosen.isEmpty ? tally.pictureSample.chosen.map { [$0] } : owners.chosen, &result)
        return result
    }

    /// Those of the changed artworks that are looked at: 50, of many one in twenty.
    private static func changed(_ tally: PlanTally) -> [String] {
        let count = max(PlanRecorder.sampleSize, tally.changedArtworks / 20)
        var random = SplitMix(seed: 9)
        return Array(tally.changedSample.chosen.shuffled(using: &random).prefix(count))
    }

    private func measure(_ groups: [[Picture]], _ result: inout Result) async throws {
        let pictures = groups.enumerated().flatMap { group, pictures in pictures.map { (group, $0) } }
        let began = environment.now()
        let lengths = try await environment.looks(at: pictures) { group, picture in
            (
                Owned(group: group, format: picture.format),
                try await environment.lengthOfFile(picture.url, accept: "image/*")
            )
        }
        if !lengths.isEmpty {
            result.pace = environment.now().timeIntervalSince(began) / Double(lengths.count)
        }
        for (owned, lengths) in Dictionary(grouping: lengths, by: { $0.0 }) {
            let bytes = lengths.map { $0.1 ?? PlanDefaults.picture(owned.format).mean }
            let group = SampledGroup(count: Double(bytes.count), sum: bytes.reduce(0, +))
            result.sizes[owned.format, default: []].append(group)
        }
    }

    /// Pictures of one format that an artwork has.
    private struct Owned: Hashable {
        let group: Int
        let format: String
    }

    // MARK: - Artworks

    private func artworks(_ ids: [String]) async throws -> [[Artwork]] {
        let router = environment.router
        return try await environment.looks(at: ids) { id in
            let fetched = try await environment.send(
                FetchOperation(router.object(.artwork, id), cache: .bypass))
            guard case .body(let response) = fetched else { return nil }
            return try [Self.artwork(response.jsonObject())]
        }.compactMap(\.self)
    }

    /// Empty where pages are not worth it, or contain no full objects: not every server has pages of its own lists.
    private func pages(_ tally: PlanTally) async throws -> [[Artwork]] {
        let listed = environment.report.current.listed[.artwork] ?? 0
        let news = wants.news ? tally.newArtworks : 0
        let changed =
            wants.changes && tally.changedArtworks > PlanRecorder.sampleSize ? tally.changedArtworks : 0
        guard (news + changed) * 2 > listed else { return [] }
        do {
            return try await pages(of: listed)
        } catch is HTTPError {
            return []
        }
    }

    /// Artworks of pages at random places of the list. The first tells how many the server puts on a page.
    private func pages(of listed: Int) async throws -> [[Artwork]] {
        let router = environment.router
        var left = max(0, Self.requestLimit - environment.session.statistics.sent)
        // More than a server is likely to allow, and not enough to burden it.
        var size = 500
        var random = SplitMix(seed: UInt64(listed))
        var asked = Set<Int>()
        var pages: [[Artwork]] = []
        while left > 0 {
            let count = max(1, (listed + size - 1) / size)
            guard asked.count < count else { break }
            // The last page may be shorter: it is as good as any.
            var number = 1 + Int(random.next(below: UInt64(asked.isEmpty ? max(1, listed / size) : count)))
            while asked.contains(number) { number = number % count + 1 }
            // A page without artworks, or of abridged ones, says that the others are like it.
            guard let page = try await page(number, size: size, router), !page.isEmpty || !asked.isEmpty
            else {
                return []
            }
            if asked.isEmpty, page.count < min(size, listed) { size = max(1, page.count) }
            asked.insert(number)
            if !page.isEmpty { pages.append(page) }
            left -= 1
        }
        return pages
    }

    /// `nil` if an artwork on it lacks its pictures: an abridged object doesn't say that there are none.
    private func page(_ number: Int, size: Int, _ router: Router) async throws -> [Artwork]? {
        let route = router.page(number, of: .artwork, size: size)
        let fetched = try await environment.send(FetchOperation(route, cache: .bypass))
        guard case .body(let response) = fetched else { return [] }
        do {
            guard case .array(let values) = try JSONValue(parsing: response.body) else { return [] }
            let objects = values.compactMap(\.objectValue)
            guard objects.allSatisfy({ $0["images"] != nil }) else { return nil }
            return try objects.map(Self.artwork)
        } catch {
            throw HTTPError(.notJSON, "The server's page of artworks can't be read.", cause: error)
        }
    }

    private static func artwork(_ object: JSONObject) throws -> Artwork {
        var warnings: [FieldWarning] = []
        return try Artwork(object, warnings: &warnings)
    }

    /// The pictures that a sync will fetch for an artwork's new version, and how many more those are than for what is here.
    private func brought(by artwork: Artwork) throws -> (more: Int, pictures: [Picture]) {
        guard environment.options.media else { return (0, []) }
        return try environment.pictures(
            in: artwork.images.map(StoredImage.init), of: Owner(.artwork, artwork.id), role: .picture)
    }
}

extension SyncEnvironment {
    /// The pictures that a sync will fetch where an owner has these, and how many more those are than for what is here.
    func pictures(
        in images: [StoredImage], of owner: Owner, role: ImageRole
    ) throws -> (more: Int, pictures: [PlanSampling.Picture]) {
        let step = ImageStep()
        let new = try step.toFetch(Pictures(owner, role, images), self)
        let stored = try Pictures.stored(owner, role, self).flatMap { try step.toFetch($0, self) }
        return (new.count - stored.count, new.map { ($0.url, $0.format) })
    }

    /// Bytes of a file as its head says; 0 for one that isn't offered, `nil` if the server doesn't say.
    func lengthOfFile(_ url: String, accept: String) async throws -> Double? {
        let request = Request(
            method: "HEAD", FileDownload.target(url, base: session.base),
            headers: ["Accept": accept], cache: .bypass, kind: .media, mayLeaveOrigin: true)
        let response = try await session.response(for: request)
        if [404, 410].contains(response.status) { return 0 }
        guard response.head.isSuccess, let length = response.headers["Content-Length"] else { return nil }
        return Double(length)
    }
}

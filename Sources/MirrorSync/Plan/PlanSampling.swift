import Foundation
import MirrorHTTP
import MirrorStore
import PartnerAPI

/// Looks at some artworks and pictures to learn how large they are, where neither the server nor the mirror tells.
///
/// Where most artworks are new, pages of full objects from all over the list say how large artworks are and how many
/// pictures they have: as many pages as 14 requests leave. Else, or where the server has no pages, 50 of the new ones are
/// fetched. Then the wanted pictures of up to 50 artworks are asked for with HEAD.
struct PlanSampling: Sendable {
    let environment: SyncEnvironment
    let plan: PlanRecorder
    /// Whether the sizes of pictures are wanted.
    let sizes: Bool

    struct Result: Sendable {
        /// Bytes of JSON, and wanted pictures, of artworks by the page; an artwork that was asked for alone is one.
        var json: [SampledGroup] = [], pictures: [SampledGroup] = []
        /// Bytes of pictures by format, in groups of those of one artwork.
        var sizes: [String: [SampledGroup]] = [:]
        /// Seconds that it took for each picture's answer, some under way at once.
        var pace: Double?
    }

    private typealias Picture = (url: String, format: String)

    /// Requests that a plan over `validators` may send before it looks at single artworks.
    private static let requestLimit = 14

    func result() async throws -> Result {
        let tally = plan.current
        var result = Result()
        var owners = Reservoir<[Picture]>(capacity: PlanRecorder.sampleSize, seed: 3)
        if tally.newArtworks > 0 {
            for page in try await artworks(tally) {
                let count = Double(page.count), pictures = page.map(wanted)
                let bytes = page.reduce(0) { $0 + $1.json.text.utf8.count }
                result.json.append(SampledGroup(count: count, sum: Double(bytes)))
                let wanted = pictures.reduce(0) { $0 + $1.count }
                result.pictures.append(SampledGroup(count: count, sum: Double(wanted)))
                for pictures in pictures where !pictures.isEmpty { owners.offer(pictures) }
            }
        }
        guard sizes else { return result }
        let groups = owners.chosen.isEmpty ? tally.pictureSample.chosen.map { [$0] } : owners.chosen
        let pictures = groups.enumerated().flatMap { group, pictures in pictures.map { (group, $0) } }
        let began = environment.now()
        let lengths = try await environment.looks(at: pictures) { group, picture in
            (Owned(group: group, format: picture.format), try await length(picture.url))
        }
        if !lengths.isEmpty {
            result.pace = environment.now().timeIntervalSince(began) / Double(lengths.count)
        }
        let byOwner = Dictionary(grouping: lengths) { $0.0 }
        for (owned, lengths) in byOwner {
            let bytes = lengths.map { $0.1 ?? PlanDefaults.picture(owned.format).mean }
            let group = SampledGroup(count: Double(bytes.count), sum: bytes.reduce(0, +))
            result.sizes[owned.format, default: []].append(group)
        }
        return result
    }

    /// Pictures of one format that an artwork has.
    private struct Owned: Hashable {
        let group: Int
        let format: String
    }

    // MARK: - Artworks

    private func artworks(_ tally: PlanTally) async throws -> [[Artwork]] {
        let listed = environment.report.current.listed[.artwork] ?? 0
        if tally.newArtworks * 2 > listed {
            do {
                let pages = try await pages(of: listed, partner: tally.partner)
                if !pages.isEmpty { return pages }
            } catch is HTTPError {
                // Not every server has pages of its own lists.
            }
        }
        let router = Router(partner: environment.partner)
        return try await environment.looks(at: tally.artworkSample.chosen) { id in
            let fetched = try await environment.send(FetchOperation(router.artwork(id), cache: .bypass))
            guard case .body(let response) = fetched else { return nil }
            return try [Self.artwork(response.jsonObject())]
        }.compactMap(\.self)
    }

    /// Artworks of pages at random places of the list. The first tells how many the server puts on a page.
    private func pages(of listed: Int, partner: String?) async throws -> [[Artwork]] {
        let router = Router(partner: try partner ?? environment.store.storedSingle(.partner)?.id ?? "")
        var left = max(0, Self.requestLimit - environment.session.statistics.sent)
        // What no server is likely to allow, or to be troubled by.
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
            let page = try await page(number, size: size, router)
            if asked.isEmpty, page.count < min(size, listed) { size = max(1, page.count) }
            asked.insert(number)
            if !page.isEmpty { pages.append(page) }
            left -= 1
        }
        return pages
    }

    private func page(_ number: Int, size: Int, _ router: Router) async throws -> [Artwork] {
        let route = router.page(number, of: .artworks, size: size)
        let fetched = try await environment.send(FetchOperation(route, cache: .bypass))
        guard case .body(let response) = fetched else { return [] }
        do {
            guard case .array(let values) = try JSONValue(parsing: response.body) else { return [] }
            return try values.compactMap { try $0.objectValue.map(Self.artwork) }
        } catch {
            throw HTTPError(.notJSON, "The server's page of artworks can't be read.", cause: error)
        }
    }

    private static func artwork(_ object: JSONObject) throws -> Artwork {
        var warnings: [FieldWarning] = []
        return try Artwork(object, warnings: &warnings)
    }

    // MARK: - Pictures

    private func wanted(_ artwork: Artwork) -> [Picture] {
        artwork.images.flatMap { image in
            image.chosenFormats(wanted: environment.options.formats).compactMap { format in
                image.fileURL(format: format).map { ($0, format) }
            }
        }
    }

    /// Bytes of a file as its head says; 0 for one that isn't offered, `nil` if the server doesn't say.
    private func length(_ url: String) async throws -> Double? {
        let request = Request(
            method: "HEAD", FileDownload.target(url, base: environment.session.base),
            headers: ["Accept": "image/*"], cache: .bypass, kind: .media, mayLeaveOrigin: true)
        let response = try await environment.session.response(for: request)
        if [404, 410].contains(response.status) { return 0 }
        guard response.head.isSuccess, let length = response.headers["Content-Length"] else { return nil }
        return Double(length)
    }
}

import Catalogue
import MirrorStore

/// How long a run is expected to take: estimated once, when all lists are received, for its progress and its summary.
///
/// Runs of less than ``leastRequests`` requests have no estimate.
public struct RunEstimate: Sendable, Hashable {
    /// The duration of the run, in seconds; `nil` if neither an earlier run nor the rate of a source shows how fast it can be.
    public let seconds: Forecast?
    /// Bytes to receive, of JSON, pictures and documents; `nil` if the sizes of pictures are not known.
    public let bytes: Int?
    /// The number of requests to send.
    public let requests: Int

    static let leastRequests = 50.0
    /// The ratio of the 90th percentile to the median, if the rate of a source decides: requests are repeated, and blocks wait.
    private static let spread = 1.1
    /// Requests for the partner itself and for its metadata.
    static let otherRequests = 5

    /// - Parameters:
    ///   - past: earlier runs of this mirror.
    ///   - pace: how fast a source allows requests. Default: as fast as its server answers.
    init?(
        _ work: Forecast.Work, knowsBytes: Bool, past: [Forecast.Past], jobs: Int, pace: RequestPace? = nil
    ) {
        guard work.requests >= Self.leastRequests else { return nil }
        let isKnown = past.contains {
            $0.work.units >= Forecast.minimumUnits && $0.work.isComparable(to: work)
        }
        let measured = isKnown ? Forecast.of(work, past: past, roundTrips: [], jobs: jobs) : nil
        let least = pace?.seconds(for: work.requests - work.files, files: work.files) ?? 0
        seconds =
            least > measured?.median ?? 0
            ? Forecast(median: least, p90: max(least * Self.spread, measured?.p90 ?? 0)) : measured
        // A size stated by the server may exceed every integer.
        bytes = knowsBytes ? Int(min(work.bytes, 1e18)) : nil
        requests = Int(work.requests)
    }

    var json: JSONValue {
        var object: JSONObject = ["requests": .integer(requests)]
        object["bytes"] = bytes.map(JSONValue.integer)
        object["seconds"] = seconds?.json
        return .object(object)
    }
}

/// The list members of a kind that a run will request.
struct ExpectedMembers: Sendable, Hashable {
    /// Members that are not stored.
    var new = 0
    /// Members that changed, according to the list.
    var changed = 0
    /// Members of which only a request shows whether they changed.
    var undecided = 0
    /// Members that are not requested themselves, but may lack pictures.
    var withoutRequest = 0
    /// The number of pictures that these members lack.
    var pictures = 0

    /// The number of requests for objects.
    var sum: Int { new + changed + undecided }
}

extension Forecast.Work {
    /// The work that remains when the lists are received.
    ///
    /// - Parameters:
    ///   - formats: the wanted formats of pictures. Default: one of each.
    ///   - media: bytes of files to download; `nil` if neither the server nor the mirror shows them.
    ///   - hasValidators: whether lists show which lists under an object changed.
    ///   - hasLists: whether objects have lists under them. Default `true`; a described source has none.
    init(
        _ expected: [Kind: ExpectedMembers], _ history: SizeHistory = SizeHistory(),
        formats: PictureFormats = .largest, media: Double? = nil, hasMedia: Bool = true,
        hasValidators: Bool = false, hasLists: Bool = true
    ) {
        self.init(requests: 0, bytes: 0)
        for (kind, members) in expected {
            let lists = hasLists ? Double(kind.lists.count) : 0
            let withLists = hasValidators ? members.new : members.sum
            requests += Double(members.sum) + Double(withLists) * lists
            let body = (history.json[kind] ?? PlanDefaults.json(kind)).mean
            bytes += Double(members.new + members.changed) * (body + PlanDefaults.head)
            bytes += Double(members.undecided) * PlanDefaults.head
            bytes += Double(withLists) * lists * (PlanDefaults.head + PlanDefaults.list)
        }
        let artworks = expected[.artwork] ?? ExpectedMembers()
        let missing = expected.values.reduce(0) { $0 + $1.pictures }
        guard hasMedia, artworks.sum + missing > 0 else { return }
        let each = history.filesPerArtwork(formats)
        files =
            Double(missing) + Double(artworks.new) * each
            + Double(artworks.changed) * PlanDefaults.changedPictures * each
        requests += files
        bytes += media ?? files * history.pictureSizes(formats).mean
    }
}

extension SizeHistory {
    /// The sizes of pictures in the most frequent format, or the largest one of these.
    var mostFrequentPictures: Sizes? {
        pictures.filter { $0.key != ImageTile.kind }.values.max { ($0.count, $0.mean) < ($1.count, $1.mean) }
    }

    /// The number of an artwork's files of pictures, on average.
    func filesPerArtwork(_ formats: PictureFormats) -> Double {
        let pictures = picturesPerArtwork ?? PlanDefaults.picturesPerArtwork
        guard formats == .standard else { return pictures }
        return pictures * (1 + (secondFiles ?? PlanDefaults.secondFiles))
    }

    /// The sizes of files in the wanted formats; if none is stored, those that are assumed.
    func pictureSizes(_ formats: PictureFormats) -> Sizes {
        switch formats {
        case .named(let names):
            let name = names.last ?? ImageEntry.defaultFormat
            return pictures[name] ?? mostFrequentPictures ?? PlanDefaults.picture(name)
        case .largest:
            let name = ImageEntry.defaultFormat
            return pictures[name] ?? mostFrequentPictures ?? PlanDefaults.picture(name)
        case .standard:
            guard let most = mostFrequentPictures else { return PlanDefaults.standardPicture }
            guard secondFiles ?? 0 > 0, let second = pictures[PictureFormats.firstFormat] else { return most }
            return most.mixed(with: second)
        }
    }

    /// The number of files in the second format of first pictures, for each file in the most frequent format; `nil` if no
    /// picture is stored.
    private var secondFiles: Double? {
        guard let most = mostFrequentPictures, most.count > 0 else { return nil }
        let second = pictures[PictureFormats.firstFormat]
        return second == most ? 0 : Double(second?.count ?? 0) / Double(most.count)
    }
}

extension SizeHistory.Sizes {
    /// The sizes of both samples together.
    fileprivate func mixed(with other: SizeHistory.Sizes) -> SizeHistory.Sizes {
        let all = Double(count + other.count), share = Double(count) / all
        let mean = self.mean * share + other.mean * (1 - share)
        func square(_ sizes: SizeHistory.Sizes) -> Double { sizes.variance + sizes.mean * sizes.mean }
        let squares = square(self) * share + square(other) * (1 - share)
        return SizeHistory.Sizes(
            count: count + other.count, mean: mean, variance: max(0, squares - mean * mean))
    }
}

extension CatalogueStore {
    /// The work and duration of earlier syncs, newest first.
    func pastRuns() throws -> [Forecast.Past] {
        try pastSummaries(command: "sync", limit: 20).compactMap { text in
            guard case .object(let object) = try? JSONValue(parsing: text) else { return nil }
            return Forecast.Past(object)
        }
    }
}

extension SyncEnvironment {
    /// Estimates once how long this run will take, when the last list is received.
    func forecastIfComplete() throws {
        guard report.forecasts else { return }
        let state: SyncReport.State? = report.note { state in
            guard !state.hasForecast,
                walkedKinds.allSatisfy({
                    state.expected[$0] != nil || ($0 == .album && state.notSupported.contains("albums"))
                })
            else { return nil }
            state.hasForecast = true
            return state
        }
        guard let state else { return }
        guard state.expected.values.contains(where: { $0.sum + $0.pictures > 0 }) else { return }
        // If the server states no size, the expected members of each kind are more exact than the totals.
        let totals = Totals(state), media = totals.isStated ? totals.media?.value : nil
        let history = try state.history ?? store.sizeHistory(media: options.media)
        var work = Forecast.Work(
            state.expected, history, formats: options.pictureFormats, media: media, hasMedia: options.media,
            hasValidators: hasValidators,
            hasLists: described == nil)
        // `expected` includes objects that were requested while the last list was received: add only the other requests.
        work.requests += Double(RunEstimate.otherRequests + state.expected.count)
        work.bytes += Double(state.listBytes)
        guard work.requests >= RunEstimate.leastRequests else { return }
        let estimate = try RunEstimate(
            work, knowsBytes: work.files < 1 || media != nil || !history.pictures.isEmpty,
            past: store.pastRuns(), jobs: session.expectedConcurrency,
            pace: catalogue.map { RequestPace($0.description) })
        report.note { $0.forecast = estimate }
    }
}

/// The totals of a run: the number of listed objects, and the size of the files to download.
public struct Totals: Sendable, Hashable {
    /// Members of the partner's own lists, by kind. A kind is added when its list is received.
    public var objects: [String: Int] = [:]
    /// Bytes of pictures and documents still to download, with a margin; `nil` while unknown.
    ///
    /// If the server states the size of all files (`/size`), it is that size less the stored files. Otherwise it is extrapolated
    /// from the number of listed artworks and from the pictures that this mirror has, but includes at least the pictures
    /// known to be missing.
    public var media: Estimate?
    /// Whether the server stated the size.
    public var isStated = false

    /// Totals that are still unknown.
    public init() {}

    init(_ state: SyncReport.State) {
        for (kind, count) in state.listed { objects[kind.name] = count }
        guard let history = state.history else { return }
        if let stated = state.statedSize {
            isStated = true
            media = Estimate(Double(max(0, stated - history.storedMediaSize)), margin: Double(stated) * 0.02)
        } else if let artworks = state.listed[.artwork], let each = history.picturesPerArtwork,
            let size = history.mostFrequentPictures, size.count >= 30
        {
            let all = Estimate.sum(of: Int(Double(artworks) * each), size)
            let remaining = max(0, all.value - Double(history.storedMediaSize))
            // Pictures known to be missing are downloaded in any case, even if they are more than the average predicts.
            let missing = state.expected.values.reduce(0) { $0 + $1.pictures }
            media = Estimate(max(remaining, Double(missing) * size.mean), margin: all.margin)
        }
    }
}

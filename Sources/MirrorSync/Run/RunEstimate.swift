import Catalogue
import MirrorStore

/// What a run expects to take, estimated once when all lists have come: for its progress, and for its summary.
///
/// There is none below ``leastRequests`` requests.
public struct RunEstimate: Sendable, Hashable {
    /// Of the whole run; `nil` where no earlier run says how fast things go.
    public let seconds: Forecast?
    /// Received, of JSON and of pictures and documents together; `nil` where nothing says how large the pictures are.
    public let bytes: Int?
    public let requests: Int

    static let leastRequests = 50.0
    /// Those for the partner itself and what is known of it as a whole.
    static let otherRequests = 5

    /// - Parameter past: of earlier runs of this mirror.
    init?(_ work: Forecast.Work, knowsBytes: Bool, past: [Forecast.Past], jobs: Int) {
        guard work.requests >= Self.leastRequests else { return nil }
        let isKnown = past.contains { $0.work.units >= Forecast.leastUnits && $0.work.tells(of: work) }
        seconds = isKnown ? Forecast.of(work, past: past, roundTrips: [], jobs: jobs) : nil
        // What a server states may be beyond every integer.
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

/// Members of a list that will be asked for.
struct ExpectedMembers: Sendable, Hashable {
    /// Those that are not here.
    var new = 0
    /// Those of which the list says that they changed.
    var changed = 0
    /// Those of which only asking tells.
    var undecided = 0
    /// Those that lack pictures, and how many they lack.
    var lacking = 0, pictures = 0

    /// Requests for objects.
    var sum: Int { new + changed + undecided }
}

extension Forecast.Work {
    /// What is still to be done when the lists have come.
    ///
    /// - Parameters:
    ///   - media: bytes of files to come, where the server or the mirror tells.
    ///   - hasValidators: whether lists say which lists under an object changed.
    init(
        _ expected: [Kind: ExpectedMembers], _ history: SizeHistory = SizeHistory(),
        media: Double? = nil, hasMedia: Bool = true, hasValidators: Bool = false
    ) {
        self.init(requests: 0, bytes: 0)
        for (kind, members) in expected {
            let lists = Double(kind.lists.count)
            let asked = hasValidators ? members.new : members.sum
            requests += Double(members.sum) + Double(asked) * lists
            let body = (history.json[kind] ?? PlanDefaults.json(kind)).mean
            bytes += Double(members.new + members.changed) * (body + PlanDefaults.head)
            bytes += Double(members.undecided) * PlanDefaults.head
            bytes += Double(asked) * lists * (PlanDefaults.head + PlanDefaults.list)
        }
        let artworks = expected[.artwork] ?? ExpectedMembers()
        let lacking = expected.values.reduce(0) { $0 + $1.pictures }
        guard hasMedia, artworks.sum + lacking > 0 else { return }
        let each = history.picturesPerArtwork ?? PlanDefaults.picturesPerArtwork
        files =
            Double(lacking) + Double(artworks.new) * each
            + Double(artworks.changed) * PlanDefaults.changedPictures * each
        requests += files
        bytes += media ?? files * (history.mostPictures ?? PlanDefaults.picture("larger")).mean
    }
}

extension SizeHistory {
    /// Of pictures in the format of which there are most.
    var mostPictures: Sizes? {
        pictures.filter { $0.key != ImageTile.kind }.values.max { $0.count < $1.count }
    }
}

extension CatalogueStore {
    /// What earlier syncs did and took, the newest first.
    func pastRuns() throws -> [Forecast.Past] {
        try pastSummaries(command: "sync", limit: 20).compactMap { text in
            guard case .object(let object) = try? JSONValue(parsing: text) else { return nil }
            return Forecast.Past(object)
        }
    }
}

extension SyncEnvironment {
    /// Notes how long this run will take, once, when the last list has come.
    func forecastIfComplete() throws {
        guard report.forecasts else { return }
        let state: SyncReport.State? = report.note { state in
            guard !state.isForetold,
                walkedKinds.allSatisfy({
                    state.expected[$0] != nil || ($0 == .album && state.notOffered.contains("albums"))
                })
            else { return nil }
            state.isForetold = true
            return state
        }
        guard let state else { return }
        guard state.expected.values.contains(where: { $0.sum + $0.pictures > 0 }) else { return }
        // Without the server's statement, what is expected of each kind says more than what is here.
        let totals = Totals(state), media = totals.isStated ? totals.media?.value : nil
        let history = try state.history ?? store.sizeHistory(media: options.media)
        var work = Forecast.Work(
            state.expected, history, media: media, hasMedia: options.media, hasValidators: hasValidators)
        // Objects may have been asked for already while the last list was on its way: only what isn't one is added.
        work.requests += Double(RunEstimate.otherRequests + state.expected.count)
        work.bytes += Double(state.listBytes)
        guard work.requests >= RunEstimate.leastRequests else { return }
        let estimate = try RunEstimate(
            work, knowsBytes: work.files < 1 || media != nil || !history.pictures.isEmpty,
            past: store.pastRuns(), jobs: options.jobs)
        report.note { $0.forecast = estimate }
    }
}

/// How much there is in all: known from the server's statement or this mirror's own sizes before media start.
public struct Totals: Sendable, Hashable {
    /// Members of the partner's own lists, by kind; a kind comes in when its list has.
    public var objects: [String: Int] = [:]
    /// Bytes of pictures and documents that are still to come, with their margin; `nil` while nothing is known of it.
    ///
    /// What the server states (`/size`) less what is here; else as many artworks as are listed, with as many pictures
    /// each and as large as those that this mirror has, but no less than the pictures that it lacks.
    public var media: Estimate?
    /// Whether the server stated the size.
    public var isStated = false

    public init() {}

    init(_ state: SyncReport.State) {
        for (kind, count) in state.listed { objects[kind.name] = count }
        guard let history = state.history else { return }
        if let stated = state.statedSize {
            isStated = true
            media = Estimate(Double(max(0, stated - history.heldMedia)), margin: Double(stated) * 0.02)
        } else if let artworks = state.listed[.artwork], let each = history.picturesPerArtwork,
            let size = history.mostPictures, size.count >= 30
        {
            let all = Estimate.sum(of: Int(Double(artworks) * each), size)
            let rest = max(0, all.value - Double(history.heldMedia))
            // What is known to lack its bytes comes in any case: more pictures than there were of as many artworks.
            let lacking = state.expected.values.reduce(0) { $0 + $1.pictures }
            media = Estimate(max(rest, Double(lacking) * size.mean), margin: all.margin)
        }
    }
}

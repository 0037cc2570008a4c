import MirrorStore
import PartnerAPI

/// What a run foretells of itself as soon as all lists have come; its summary has it beside what it took.
///
/// Made only where there is something to foretell: from ``leastRequests`` requests on.
public struct RunForecast: Sendable, Hashable {
    /// Of the whole run; `nil` where no earlier run says how fast things go.
    public let seconds: Forecast?
    /// Received, of JSON and of pictures and documents together; `nil` where nothing says how large the pictures are.
    public let bytes: Int?
    public let requests: Int

    public init(seconds: Forecast?, bytes: Int?, requests: Int) {
        self.seconds = seconds
        self.bytes = bytes
        self.requests = requests
    }

    static let leastRequests = 50.0
    /// Those for the partner itself and what is known of it as a whole.
    static let otherRequests = 5

    /// Members of a list that will be asked for.
    struct Expected: Sendable, Hashable {
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

    /// What is known when the lists have come.
    struct Basis: Sendable {
        var expected: [ObjectKind: Expected] = [:]
        var history = SizeHistory()
        /// Bytes of files to come, where the server or the mirror tells.
        var media: Double?
        var hasMedia = true
        /// Whether lists say which lists under an object changed.
        var hasValidators = false
        var sent = 0
        var received = 0

        var work: Forecast.Work {
            var requests = Double(sent), bytes = Double(received)
            for (kind, members) in expected {
                let lists = Double(kind.listNames.count)
                let asked = hasValidators ? members.new : members.sum
                requests += Double(members.sum) + Double(asked) * lists
                let body = (history.json[kind] ?? PlanDefaults.json(kind)).mean
                bytes += Double(members.new + members.changed) * (body + PlanDefaults.head)
                bytes += Double(members.undecided) * PlanDefaults.head
                bytes += Double(asked) * lists * (PlanDefaults.head + PlanDefaults.list)
            }
            let artworks = expected[.artwork] ?? Expected()
            let lacking = expected.values.reduce(0) { $0 + $1.pictures }
            guard hasMedia, artworks.sum + lacking > 0 else {
                return Forecast.Work(requests: requests, bytes: bytes)
            }
            let each = history.picturesPerArtwork ?? PlanDefaults.picturesPerArtwork
            let pictures =
                Double(lacking) + Double(artworks.new) * each
                + Double(artworks.changed) * PlanDefaults.changedPictures * each
            let size = pictureSize ?? PlanDefaults.picture("larger").mean
            return Forecast.Work(
                requests: requests + pictures, bytes: bytes + (media ?? pictures * size), files: pictures)
        }

        private var pictureSize: Double? { history.pictures.values.max { $0.count < $1.count }?.mean }

        /// Whether the bytes of ``work`` are more than an assumption.
        var knowsBytes: Bool { work.files < 1 || media != nil || pictureSize != nil }
    }

    /// - Parameter past: of earlier runs of this mirror.
    init?(_ basis: Basis, past: () throws -> [Forecast.Past], jobs: Int) rethrows {
        let work = basis.work
        guard work.requests >= Self.leastRequests else { return nil }
        let telling = try past().filter { $0.work.units >= Forecast.leastUnits }
        let near = telling.contains { $0.work.tells(of: work) }
        self.init(
            seconds: near ? Forecast.of(work, past: telling, roundTrips: [], jobs: jobs) : nil,
            // What a server states may be beyond every integer.
            bytes: basis.knowsBytes ? Int(min(work.bytes, 1e18)) : nil, requests: Int(work.requests))
    }

    var json: JSONValue {
        var object: JSONObject = ["requests": .integer(requests)]
        object["bytes"] = bytes.map(JSONValue.integer)
        object["seconds"] = seconds.map {
            .object(["median": .decimal($0.median), "p90": .decimal($0.p90)])
        }
        return .object(object)
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
    /// Kinds of which partners keep a list.
    static let listedKinds: [ObjectKind] = [.location, .artist, .artwork, .show, .album]

    /// Notes how long this run will take, once, when the last list has come.
    func foretell(hasValidators: Bool) throws {
        guard plan == nil else { return }
        let state: SyncReport.State? = report.note { state in
            guard !state.isForetold,
                Self.listedKinds.allSatisfy({
                    state.expected[$0] != nil || ($0 == .album && state.notOffered.contains("albums"))
                })
            else { return nil }
            state.isForetold = true
            return state
        }
        guard let state else { return }
        var basis = RunForecast.Basis(expected: state.expected)
        guard state.expected.values.contains(where: { $0.sum + $0.pictures > 0 }) else { return }
        basis.hasMedia = options.media
        basis.media = Totals(state).media?.value
        basis.hasValidators = hasValidators
        // Objects may have been asked for already while the last list was on its way: only what isn't one is added.
        basis.sent = RunForecast.otherRequests + state.expected.count
        basis.received = state.listBytes
        // Without pictures, how many requests there will be doesn't depend on what things were like so far.
        guard basis.hasMedia || basis.work.requests >= RunForecast.leastRequests else { return }
        basis.history = try state.history ?? store.sizeHistory(media: options.media)
        let forecast = try RunForecast(basis, past: store.pastRuns, jobs: options.jobs)
        report.note { $0.forecast = forecast }
    }
}

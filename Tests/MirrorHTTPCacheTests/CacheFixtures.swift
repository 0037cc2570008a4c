import Foundation
import Synchronization
import Testing

@testable import MirrorHTTP

/// The time of the tables' responses: Tue, 14 Nov 2023 22:13:20 GMT.
let epoch: Double = 1_700_000_000

func date(_ offset: Double) -> String { HTTPDate.format(epoch + offset) }

func response(
    _ status: Int = 200, _ headers: HeaderFields = [:], body: String = "body", at time: Double = epoch
) -> CacheResponse {
    CacheResponse(
        status: status, headers: headers, body: [UInt8](body.utf8), requestTime: time, responseTime: time)
}

func request(_ method: String = "GET", _ headers: HeaderFields = [:]) -> CacheRequest {
    CacheRequest(method: method, url: "https://example.org/api/v1/artwork/a", headers: headers)
}

func entry(
    _ headers: HeaderFields = [:], status: Int = 200, key: String = "/artwork/a", body: String = "body",
    at time: Double = epoch, vary: VaryKey = .none
) -> CacheEntry {
    CacheEntry(
        key: key, status: status, headers: headers, body: [UInt8](body.utf8), requestTime: time,
        responseTime: time, vary: vary)
}

/// The entry that is stored for the first exchange of a test case.
func stored(_ response: CacheResponse, for request: CacheRequest = request()) -> CacheEntry? {
    let outcome = CachePolicy.afterResponse(
        response, to: request, entry: nil, isConditional: false, key: "/artwork/a")
    if case .store(let entry) = outcome { return entry }
    return nil
}

/// Whether a stored response may answer the same request some seconds later.
func isReused(
    _ response: CacheResponse, after seconds: Double, first: CacheRequest = request(),
    then second: CacheRequest = request()
) -> Bool {
    let entry = stored(response, for: first)
    if case .fresh = CachePolicy.decide(second, entry: entry, now: epoch + seconds) { return true }
    return false
}

final class ManualClock: Sendable {
    private let time = Mutex(epoch)
    var now: Double {
        get { time.withLock { $0 } }
        set { time.withLock { $0 = newValue } }
    }
}

/// A temporary folder with a cache, deleted at the end of the test.
final class CacheFolder: Sendable {
    let file: URL
    let clock = ManualClock()
    let problems = Problems()

    final class Problems: Sendable {
        private let list = Mutex<[CacheProblem]>([])
        var codes: [CacheProblem.Code] { list.withLock { $0.map(\.code) } }
        func add(_ problem: CacheProblem) { list.withLock { $0.append(problem) } }
    }

    init() {
        file = FileManager.default.temporaryDirectory
            .appendingPathComponent("cache-tests-\(UUID().uuidString)").appendingPathComponent("cache.sqlite")
    }

    deinit {
        try? FileManager.default.removeItem(at: file.deletingLastPathComponent())
    }

    func open(
        base: String = "https://example.org/api/v1", memoryCapacity: Int = 4 << 20,
        diskCapacity: Int = 512 << 20
    ) -> CanonicalURLCache {
        let clock = clock
        let problems = problems
        return CanonicalURLCache(
            file: file, origin: base, memoryCapacity: memoryCapacity, diskCapacity: diskCapacity,
            now: { clock.now }, problem: { problems.add($0) })
    }
}

/// SplitMix64: the same sequence for the same seed.
struct SeededGenerator: RandomNumberGenerator {
    private var state: UInt64
    init(seed: UInt64) { state = seed }
    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var z = state
        z = (z ^ (z >> 30)) &* 0xbf58_476d_1ce4_e5b9
        z = (z ^ (z >> 27)) &* 0x94d0_49bb_1331_11eb
        return z ^ (z >> 31)
    }
}

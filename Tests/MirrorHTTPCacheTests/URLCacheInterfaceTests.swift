import Foundation
import Testing

@testable import MirrorHTTP

#if canImport(FoundationNetworking)
    import FoundationNetworking
#endif

/// `CanonicalURLCache` used as a `URLCache`.
struct URLCacheInterfaceTests {
    private let folder = CacheFolder()

    private func request(_ path: String = "/artwork/a", _ headers: [String: String] = [:]) -> URLRequest {
        var request = URLRequest(url: URL(string: "https://example.org/api/v1" + path)!)
        for (name, value) in headers { request.setValue(value, forHTTPHeaderField: name) }
        return request
    }

    private func cached(
        _ body: String = "body", _ headers: [String: String] = [:], status: Int = 200,
        policy: URLCache.StoragePolicy = .allowed
    ) -> CachedURLResponse {
        let response = HTTPURLResponse(
            url: request().url!, statusCode: status, httpVersion: "HTTP/1.1", headerFields: headers)!
        return CachedURLResponse(
            response: response, data: Data(body.utf8), userInfo: nil, storagePolicy: policy)
    }

    private func body(_ cache: URLCache, _ request: URLRequest) -> String? {
        cache.cachedResponse(for: request).map { String(decoding: $0.data, as: UTF8.self) }
    }

    @Test func aURLCacheReturnsTheStoredResponse() throws {
        do {
            let cache: URLCache = folder.open()
            cache.storeCachedResponse(
                cached("body", ["Content-Type": "application/json", "ETag": "\"a\""], status: 203),
                for: request())
        }
        let cache: URLCache = folder.open()
        let found = try #require(cache.cachedResponse(for: request()))
        let response = try #require(found.response as? HTTPURLResponse)
        #expect(found.data == Data("body".utf8))
        #expect(response.statusCode == 203)
        #expect(response.url == request().url)
        #expect(response.value(forHTTPHeaderField: "etag") == "\"a\"")
        #expect(response.mimeType == "application/json")
        #expect(cache.cachedResponse(for: request("/artwork/b")) == nil)
        #expect(cache.cachedResponse(for: request("/artwork/a?x=1")) == nil)
    }

    @Test func equivalentURLsShareACachedResponseAndQueriesDiffer() {
        let cache = folder.open()
        cache.storeCachedResponse(cached("list"), for: request("/artworks?size=all&ids=1"))
        #expect(body(cache, request("/artworks?ids=1&size=all#top")) == "list")
        #expect(body(cache, request("/artworks")) == nil)
    }

    @Test func theRequestsHeaderFieldsSelectTheCacheEntryOfAURL() {
        let cache = folder.open()
        for language in ["en", "de"] {
            cache.storeCachedResponse(
                cached(language, ["Vary": "Accept-Language"]),
                for: request("/a", ["Accept-Language": language]))
        }
        #expect(body(cache, request("/a", ["Accept-Language": "en"])) == "en")
        #expect(body(cache, request("/a", ["Accept-Language": "de"])) == "de")
        #expect(body(cache, request("/a")) == nil)
        cache.storeCachedResponse(cached("any", ["Vary": "*"]), for: request("/b"))
        #expect(body(cache, request("/b")) == nil)
    }

    @Test func onlyResponsesToGetAreCached() {
        let cache = folder.open()
        var post = request()
        post.httpMethod = "POST"
        cache.storeCachedResponse(cached(), for: post)
        #expect(cache.cachedResponse(for: post) == nil)
        #expect(cache.cachedResponse(for: request()) == nil)
    }

    @Test func oneOrAllCachedResponsesAreRemoved() {
        let cache = folder.open()
        for path in ["/a", "/b", "/c"] { cache.storeCachedResponse(cached(path), for: request(path)) }
        cache.flush()
        cache.removeCachedResponse(for: request("/a"))
        #expect(["/a", "/b", "/c"].map { body(cache, request($0)) } == [nil, "/b", "/c"])
        cache.removeAllCachedResponses()
        #expect(["/a", "/b", "/c"].map { body(cache, request($0)) } == [nil, nil, nil])
        cache.storeCachedResponse(cached("new"), for: request("/a"))
        #expect(body(cache, request("/a")) == "new")
    }

    @Test func responsesReceivedSinceADateAreRemoved() {
        let cache = folder.open()
        for (index, path) in ["/a", "/b", "/c", "/d"].enumerated() {
            folder.clock.now = epoch + Double(index * 10)
            let policy: URLCache.StoragePolicy = path == "/d" ? .allowedInMemoryOnly : .allowed
            cache.storeCachedResponse(cached(path, policy: policy), for: request(path))
        }
        func remaining() -> [String] { ["/a", "/b", "/c", "/d"].filter { body(cache, request($0)) != nil } }
        cache.removeCachedResponses(since: .distantFuture)
        #expect(remaining() == ["/a", "/b", "/c", "/d"])
        cache.removeCachedResponses(since: Date(timeIntervalSince1970: epoch + 10))
        #expect(remaining() == ["/a"])
        cache.removeCachedResponses(since: .distantPast)
        #expect(remaining() == [])
    }

    @Test func storagePoliciesAreObeyed() {
        do {
            let cache = folder.open(memoryCapacity: 10_000)
            cache.storeCachedResponse(cached("no", policy: .notAllowed), for: request("/no"))
            cache.storeCachedResponse(cached("memory", policy: .allowedInMemoryOnly), for: request("/memory"))
            cache.storeCachedResponse(cached("disk"), for: request("/disk"))
            #expect(["/no", "/memory", "/disk"].map { body(cache, request($0)) } == [nil, "memory", "disk"])
            // A URL is either in memory or in the file.
            cache.storeCachedResponse(cached("moved"), for: request("/memory"))
            #expect(body(cache, request("/memory")) == "moved")
            cache.storeCachedResponse(cached("back", policy: .allowedInMemoryOnly), for: request("/memory"))
            #expect(body(cache, request("/memory")) == "back")
            for index in 0..<100 {
                cache.storeCachedResponse(
                    cached(String(repeating: "x", count: 1000), policy: .allowedInMemoryOnly),
                    for: request("/m\(index)"))
            }
            cache.flush()
            #expect(cache.currentMemoryUsage <= 10_000)
            #expect(body(cache, request("/memory")) == nil && body(cache, request("/m99")) != nil)
        }
        let cache = folder.open()
        #expect(
            ["/no", "/memory", "/disk", "/m99"].map { body(cache, request($0)) } == [nil, nil, "disk", nil])
    }

    @Test func theCapacitiesAndTheUsageOfACacheAreReported() {
        let cache = folder.open(memoryCapacity: 1 << 20, diskCapacity: 8 << 20)
        #expect(cache.memoryCapacity == 1 << 20 && cache.diskCapacity == 8 << 20)
        let empty = cache.currentDiskUsage
        let large = cached(String(repeating: "x", count: 100_000))
        for index in 0..<20 { cache.storeCachedResponse(large, for: request("/\(index)")) }
        cache.flush()
        #expect(cache.currentMemoryUsage == 0)
        #expect(cache.currentDiskUsage >= empty + 2_000_000 && cache.currentDiskUsage < 8 << 20)
        cache.diskCapacity = 1_000_000
        #expect(cache.diskCapacity == 1_000_000 && cache.currentDiskUsage <= 1_000_000)
        cache.memoryCapacity = 0
        cache.storeCachedResponse(cached("small"), for: request("/small"))
        cache.flush()
        #expect(cache.memoryCapacity == 0 && cache.currentMemoryUsage == 0)
        #expect(body(cache, request("/small")) == "small")
    }

    @Test func dataTasksUseTheCacheLikeTheirRequests() {
        let cache = folder.open()
        let session = URLSession(configuration: .ephemeral)
        defer { session.invalidateAndCancel() }
        // The task is never resumed, so nothing is sent.
        let task = session.dataTask(with: request())
        cache.storeCachedResponse(cached("task"), for: task)
        #expect(body(cache, request()) == "task")
        nonisolated(unsafe) var found: String?
        cache.getCachedResponse(for: task) { found = $0.map { String(decoding: $0.data, as: UTF8.self) } }
        #expect(found == "task")
        cache.removeCachedResponse(for: task)
        cache.getCachedResponse(for: task) { found = $0.map { String(decoding: $0.data, as: UTF8.self) } }
        #expect(found == nil)
    }

    @Test func aURLCacheWorksFromConcurrentTasks() async {
        let cache = folder.open(memoryCapacity: 16 << 10)
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<8 {
                group.addTask {
                    for index in 0..<60 {
                        let path = "/\(index % 20)"
                        cache.storeCachedResponse(cached("x\(task)"), for: request(path))
                        _ = cache.cachedResponse(for: request(path))
                        if index % 10 == 0 { cache.removeCachedResponse(for: request(path)) }
                        if index == 30 { cache.removeCachedResponses(since: .distantFuture) }
                        _ = cache.currentDiskUsage + cache.currentMemoryUsage
                    }
                }
            }
        }
        cache.storeCachedResponse(cached("last"), for: request("/1"))
        #expect(body(cache, request("/1")) == "last")
        #expect(folder.problems.codes.isEmpty)
    }
}

import Catalogue
import Foundation
import MirrorStore
import MirrorTesting
import Synchronization
import Testing

@testable import MirrorSync

@Suite("Groups of writes") struct ApplierTests {
    /// The time, and the number of transactions.
    private final class State: Sendable {
        let time = Mutex(Date(timeIntervalSince1970: 1_795_000_000))
        let commits = Mutex(0)
    }

    private let state = State()
    private let folder: TemporaryFolder
    private let store: CatalogueStore
    private let applier: Applier

    init() throws {
        let state = state
        folder = try TemporaryFolder()
        store = try CatalogueStore.open(at: folder.path + "/mirror.sqlite")
        applier = Applier(
            store: store, run: 1, report: SyncReport(), now: { state.time.withLock { $0 } },
            check: { state.commits.withLock { $0 += 1 } })
    }

    private var commits: Int { state.commits.withLock { $0 } }
    private func pass(_ seconds: Double) { state.time.withLock { $0 += seconds } }

    private func submit(_ number: Int, bytes: Int = 10) async throws {
        let text = String(repeating: "x", count: bytes)
        try await applier.submit(
            .object(
                ObjectRecord(
                    kind: .artwork, id: "\(number)", values: Kind.artwork.columns.map { _ in .null },
                    json: #"{"id":"\#(number)","text":"\#(text)"}"#, etag: nil)))
    }

    /// The limits keep memory bounded for objects of any size.
    @Test(arguments: [(600, 10, 10), (1_011, 10, 10), (1_012, 10, 11), (20, 1 << 20, 7), (3, 5 << 20, 3)])
    func `a transaction has at most twice the objects of the one before, 500, or 4 MiB`(
        count: Int, bytes: Int, commits: Int
    ) async throws {
        for number in 0..<count { try await submit(number, bytes: bytes) }
        try await applier.flush()
        #expect(self.commits == commits)
        try store.close()
    }

    @Test func `half of what was submitted is stored at any instant`() async throws {
        for number in 0..<200 {
            try await submit(number)
            let stored = try store.counts()[.artwork] ?? 0
            #expect(stored >= (number + 1) / 2, "after \(number + 1)")
        }
        try store.close()
    }

    /// Otherwise a killed run could store an object whose version vouches for members that are missing.
    @Test func `an object and its members are stored in one transaction`() async throws {
        let list = ListName(url: "/show/1#artworks", owner: Owner(.show, "1"), name: "artworks")
        for number in 1...3 {
            try await applier.submit(
                together: [
                    .object(
                        ObjectRecord(
                            kind: .show, id: "1", values: Kind.show.columns.map { _ in .null },
                            json: #"{"id":"1","name":"\#(number)"}"#, etag: nil)),
                    .members(list: ListAnswer(list: list, etag: nil, date: nil), ids: ["a", "b"]),
                ])
            pass(1)
            #expect(commits == number)
        }
        try store.close()
    }

    @Test func `objects that arrive slowly are stored at once`() async throws {
        for number in 0..<20 {
            // What is no object waits for its object.
            try await applier.submit(.tried(kind: .artwork, id: "\(number)"))
            #expect(commits == number)
            try await submit(number)
            #expect(commits == number + 1)
            pass(0.25)
        }
        try store.close()
    }

    @Test func `a write waits for at most a quarter of a second`() async throws {
        try await submit(0)
        try await submit(1)
        #expect(commits == 1, "the second group has two objects")
        pass(0.24)
        try await applier.flushIfDue()
        #expect(commits == 1)
        pass(0.02)
        try await applier.flushIfDue()
        #expect(commits == 2)
        try store.close()
    }
}

import Catalogue
import Foundation
import MirrorStore
import MirrorTesting
import Synchronization
import Testing

@testable import MirrorSync

@Suite("Groups of writes") struct ApplierTests {
    /// The number of transactions that store `count` artworks with `bytes` of text each.
    private func transactions(_ count: Int, bytes: Int) async throws -> Int {
        let folder = try TemporaryFolder()
        let store = try CatalogueStore.open(at: folder.path + "/mirror.sqlite")
        defer { try? store.close() }
        let commits = Mutex(0)
        let applier = Applier(
            store: store, run: 1, report: SyncReport(), now: { Date(timeIntervalSince1970: 1_795_000_000) },
            check: { commits.withLock { $0 += 1 } })
        let text = String(repeating: "x", count: bytes)
        for number in 0..<count {
            try await applier.submit(
                .object(
                    ObjectRecord(
                        kind: .artwork, id: "\(number)",
                        values: Kind.artwork.columns.map { _ in .null },
                        json: #"{"id":"\#(number)","text":"\#(text)"}"#, etag: nil)))
        }
        try await applier.flush()
        return commits.withLock { $0 }
    }

    /// The limits keep memory bounded for objects of any size.
    @Test(arguments: [(600, 10, 2), (20, 1 << 20, 5), (3, 5 << 20, 3)])
    func aTransactionHasAtMostFiveHundredObjectsOrFourMebibytes(count: Int, bytes: Int, commits: Int)
        async throws
    {
        #expect(try await transactions(count, bytes: bytes) == commits)
    }
}

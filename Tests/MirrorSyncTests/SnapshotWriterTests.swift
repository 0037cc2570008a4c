import Catalogue
import GRDB
import MirrorTesting
import Testing

@testable import MirrorStore
@testable import MirrorSync

@Suite("Writing the parts of a snapshot", .fewAtATime) struct SnapshotWriterTests {
    private let fixture: StepFixture
    private let writer: SnapshotWriter

    init() throws {
        fixture = try StepFixture()
        writer = SnapshotWriter(environment: fixture.environment, position: LoadPosition()) { _, _ in }
    }

    /// A part with one artwork.
    private func part(_ number: Int, length: Int = 10) -> SnapshotPart {
        var part = SnapshotPart()
        let id = "w\(number)"
        let json = #"{"id":"\#(id)","title":"\#(String(repeating: "x", count: length))"}"#
        part.writes = [
            .object(
                ObjectRecord(
                    kind: .artwork, id: id, values: Kind.artwork.columns.map { _ in .null }, json: json,
                    etag: nil))
        ]
        (part.lines, part.url) = (1, "/artwork/\(id)")
        return part
    }

    private func write(_ sql: String) throws { try fixture.store.bulkLoad.read { try $0.execute(sql: sql) } }

    private func pages() throws -> Int {
        try fixture.store.bulkLoad.read { try Int.fetchOne($0, sql: "PRAGMA page_count") } ?? 0
    }

    @Test func afterAFullDiskNoLaterPartOfASnapshotIsWritten() throws {
        try writer.write(part(1))
        try writer.commit()
        try writer.write(part(2))
        let pages = try pages()
        try write("PRAGMA max_page_count = \(pages + 4)")
        let failure = #expect(throws: StoreError.self) { try writer.write(part(3, length: 200_000)) }
        #expect(failure?.code == .diskFull)
        try write("PRAGMA max_page_count = \(pages + 10_000)")
        #expect(throws: StoreError.self) { try writer.write(part(4)) }
        #expect(throws: StoreError.self) { try writer.commit() }
        writer.abandon()
        #expect(writer.position.url == "/artwork/w1")
        #expect(try fixture.store.loadPosition()?.url == "/artwork/w1")
        #expect(try fixture.store.heldCount(.artwork) == 1)
    }

    @Test func afterARollbackNoLaterPartOfASnapshotIsWritten() throws {
        try writer.write(part(1))
        try write("ROLLBACK")
        #expect(throws: StoreError.self) { try writer.write(part(2)) }
        #expect(throws: StoreError.self) { try writer.commit() }
        writer.abandon()
        #expect(writer.position.url.isEmpty)
        #expect(try fixture.store.loadPosition() == nil)
        #expect(try fixture.store.heldCount(.artwork) == 0)
    }

    @Test func aRolledBackPartOfASnapshotIsNotReportedAsCommitted() throws {
        try writer.write(part(1))
        try write("ROLLBACK")
        #expect(throws: StoreError.self) { try writer.commit() }
        #expect(writer.position.url.isEmpty)
    }

    @Test func afterAbandonedPartsASnapshotContinuesAtTheCommittedPosition() throws {
        try writer.write(part(1))
        try writer.commit()
        try writer.commit()
        try writer.write(part(2))
        try writer.write(part(3))
        writer.abandon()
        #expect(writer.position.lines == 1)
        try writer.write(part(2))
        try writer.commit()
        #expect(writer.position.lines == 2 && writer.position.objects == ["artwork": 2])
        #expect(try fixture.store.loadPosition() == writer.position)
    }
}

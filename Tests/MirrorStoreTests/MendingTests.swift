import GRDB
import Testing

@testable import MirrorStore

@Suite("Mending a store") struct MendingTests {
    /// The sync that fetches what is broken comes after the mending, and may be stopped: then the next one has to know.
    @Test func mendingForgetsThatListsAreWholeButNotWhichFormatsAreWanted() throws {
        let test = try TestStore()
        try test.store.write { db in
            try db.execute(
                sql: """
                    INSERT INTO list (url, owner_kind, owner_id, name, etag, complete, clean_etag, clean_formats)
                    VALUES ('/l', 'partner', 'p', 'artworks', '"e"', 1, '"e"', 'square')
                    """)
        }
        #expect(try test.store.mend().isEmpty)
        #expect(try test.store.wantedFormats() == "square")
        #expect(try test.store.listState("/l")?.cleanETag == nil)
    }
}

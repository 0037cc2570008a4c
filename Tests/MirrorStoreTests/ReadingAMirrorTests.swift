import Catalogue
import Foundation
import GRDB
import MirrorStore
import Testing

// The examples of the article. They use only public declarations.

/// Prints a page of a show: its artworks, with the paths of their pictures.
func printPage(ofShow id: String, in mirror: MirrorFolder) throws {
    let store = try mirror.store()
    defer { try? store.close() }
    guard let show = try store.fetch(Show.self, id: id) else { return }
    print(show.name ?? id)
    for artwork in try store.artworks(of: Owner(.show, id), limit: 50) {
        let artists = try store.fetchAll(Artist.self, of: Owner(.artwork, artwork.id))
        let picture = try store.pictures(of: Owner(.artwork, artwork.id)).first?.largest
        let path = picture.map(mirror.files.absolutePath) ?? "no picture"
        print(artwork.title ?? artwork.id, artists.compactMap(\.name), path)
    }
}

/// The number of artworks in each category.
func categories(in store: CatalogueStore) throws -> [String: Int] {
    try store.reader.read { db in
        let sql = "SELECT category, count(*) FROM artwork WHERE ghost = 0 AND category IS NOT NULL GROUP BY 1"
        return try Dictionary(uniqueKeysWithValues: Row.fetchAll(db, sql: sql).map { ($0[0], $0[1]) })
    }
}

/// Calls `changed` with the ids of changed artworks, or `reload` if the log doesn't have the changes.
func followArtworks(
    in store: CatalogueStore, from commits: ChangeSequence, changed: ([String]) -> Void, reload: () -> Void
) async throws {
    for try await commit in commits {
        // Makes GRDB's observations of `store.reader` fetch their values again.
        try store.notifyObservations()
        let artworks = commit.changes.filter { $0.kind == .artwork }.map(\.id)
        if commit.isGap { reload() } else if !artworks.isEmpty { changed(artworks) }
    }
}

@Suite("The article “Reading a mirror”") struct ReadingAMirrorTests {
    @Test func everyExampleOfTheArticleOnReadingIsInThisFile() throws {
        let tests = URL(filePath: #filePath)
        let package = tests.deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let article = try String(
            contentsOf: package.appending(path: "Sources/MirrorStore/MirrorStore.docc/ReadingAMirror.md"),
            encoding: .utf8)
        let source = try String(contentsOf: tests, encoding: .utf8)
        let examples = article.matches(of: #/```swift\n((?s).*?)```/#).map { String($0.output.1) }
        #expect(examples.count == 3)
        for example in examples {
            // The imports of all examples are at the top of this file.
            let code = example.replacing(#/^(import .*\n)+\n/#, with: "")
            #expect(source.contains("\n\(code)"), "\(example)")
        }
    }

    @Test func theExamplesOfTheArticleOnReadingReadAMirror() async throws {
        let test = try TestStore()
        let run = try test.beginRun()
        let shown = try Artwork(text: #"{"id":"a","title":"Wave","category":"Print","artist":{"id":"x"}}"#)
        try test.put(.make(.show, "s"), ObjectRecord(.artwork, shown, etag: nil), run: run)
        try printPage(ofShow: "s", in: test.folder)
        let store = try test.folder.store()
        #expect(try categories(in: store) == ["Print": 1])

        let writer = test.store
        var changed: [[String]] = [], reloads = 0
        let commits = try store.changes { _ in
            guard try store.fetch(Artwork.self, id: "b") == nil else { throw CancellationError() }
            _ = try writer.apply([.object(.make(.artwork, "b")), .object(.make(.artist, "y"))], run: run)
        }
        try await followArtworks(in: store, from: commits, changed: { changed.append($0) }) { reloads += 1 }
        #expect(changed == [["b"]] && reloads == 0)
        try store.close()
    }
}

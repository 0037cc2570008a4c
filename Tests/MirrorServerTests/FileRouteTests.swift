import Catalogue
import Foundation
import MirrorDemo
import MirrorStore
import Testing

@testable import MirrorServer

@Suite("Files")
struct FileRouteTests {
    let test: TestServer
    private let path = "/artwork/w/image/i/larger.jpg"

    init() throws {
        test = try TestServer()
        try test.store.artwork("w", images: ["i"])
        try test.store.put(.show, "s")
        try test.store.put(document: "d", of: Owner(.show, "s"))
    }

    private func store(_ bytes: [UInt8], type: String? = "image/jpeg") throws -> StoredFile {
        let file = try test.files.store(bytes, type: type)
        let record = FileRecord(
            .image("i", format: "larger", role: .picture, of: Owner(.artwork, "w")), entry: "entry",
            file: file, etag: nil, lastModified: nil)
        _ = try test.store.apply([.file(record)], run: nil)
        return file
    }

    @Test func aStoredFileIsSentWithItsHashAsETag() async throws {
        let file = try store([1, 2, 3])
        let answer = try await test.get(path)
        #expect(answer.status == 200 && answer.body == [1, 2, 3] && answer.etag == "\"\(file.hash)\"")
        #expect(answer.headers[.contentType] == "image/jpeg" && answer.headers[.contentLength] == "3")
        #expect(answer.headers[.acceptRanges] == "bytes")
        let again = try await test.get(path, [.ifNoneMatch: "\"\(file.hash)\""])
        #expect(again.status == 304 && again.body.isEmpty)
    }

    @Test func aLongFileIsStreamedInPieces() async throws {
        let bytes = (0..<Int(OpenFile.pieceSize) * 2 + 7).map { UInt8(truncatingIfNeeded: $0 &* 31) }
        let file = try store(bytes)
        #expect(try await test.get(path).body == bytes)
        let rest = try await test.get(path, [.range: "bytes=1000-", .ifRange: "\"\(file.hash)\""])
        #expect(rest.status == 206 && rest.body == Array(bytes[1000...]))
        #expect(rest.headers[.contentRange] == "bytes 1000-\(bytes.count - 1)/\(bytes.count)")
        #expect(rest.headers[.contentLength] == String(bytes.count - 1000))
    }

    @Test func ifRangeWithAnotherVersionGetsTheCompleteFile() async throws {
        _ = try store([1, 2, 3])
        let answer = try await test.get(path, [.range: "bytes=1-", .ifRange: "\"other\""])
        #expect(answer.status == 200 && answer.body == [1, 2, 3])
        let none = try await test.get(path, [.range: "bytes=3-"])
        #expect(none.status == 416 && none.headers[.contentRange] == "bytes */3")
        #expect(none.text == #"{"error":"range_not_satisfiable"}"#)
    }

    @Test func aDeletedFileIsNotFound() async throws {
        let file = try store([1, 2, 3])
        try FileManager.default.removeItem(atPath: test.files.absolutePath(file))
        #expect(try await test.get(path).status == 404)
    }

    @Test(arguments: [[], [1, 2], [1, 2, 3, 4]] as [[UInt8]])
    func aFileOfAnotherSizeThanStoredIsNotServed(_ bytes: [UInt8]) async throws {
        let file = try store([1, 2, 3]), place = test.files.absolutePath(file)
        try FileManager.default.removeItem(atPath: place)
        #expect(FileManager.default.createFile(atPath: place, contents: Data(bytes)))
        #expect(try await test.get(path).status == 404)
        #expect(try await test.get(path, [.ifNoneMatch: "\"\(file.hash)\""]).status == 404)
        let page = try await test.page("/picture/\(file.hash)")
        #expect(page.status == 404 && page.etag == nil && page.text.contains("This file is missing here"))
    }

    @Test func filesThatMayContainScriptsAreSentAsAttachments() async throws {
        for (stored, sent, isShown) in [
            ("image/png", "image/png", true), ("Image/JPEG; q=1", "image/jpeg", true),
            ("text/html", "text/html", false), ("image/svg+xml", "application/octet-stream", false),
            ("a\r\nb: c", "application/octet-stream", false),
        ] {
            #expect(ServedType(stored) == ServedType(stored), "\(stored)")
            #expect(ServedType(stored).name == sent && ServedType(stored).isShown == isShown, "\(stored)")
        }
        _ = try store(Array("<script>".utf8), type: "text/html")
        let answer = try await test.get(path)
        #expect(answer.headers[.contentDisposition] == "attachment")
        #expect(answer.headers[.xContentTypeOptions] == "nosniff")
    }

    @Test func aCatalogueDrawsAPictureThatHasNoFile() async throws {
        let answer = try await test.get("/artwork/w/image/i/square.jpg")
        #expect(answer.status == 200 && answer.headers[.contentType] == "image/jpeg")
        #expect(answer.body == Picture.jpeg(id: "i", format: "square", aspectRatio: 1.5))
        let etag = try #require(answer.etag)
        #expect(try await test.get("/artwork/w/image/i/square.jpg", [.ifNoneMatch: etag]).status == 304)
        #expect(try await test.get("/artwork/w/image/i/medium.jpg", [.ifNoneMatch: etag]).status == 200)
        let part = try await test.get("/artwork/w/image/i/square.jpg", [.range: "bytes=-2"])
        #expect(part.status == 206 && part.body == [0xFF, 0xD9])
        #expect(try await test.get("/artwork/w/image/i/other.jpg").status == 404)
        #expect(try await test.get("/artwork/w/image/j/square.jpg").status == 404)
    }

    @Test func aMirrorNeverDrawsAPictureThatHasNoFile() async throws {
        let mirror = try TestServer(catalogue: false)
        try mirror.store.artwork("w", images: ["i"])
        #expect(try await mirror.get("/artwork/w/image/i/square.jpg").status == 404)
    }

    @Test func aCatalogueDrawsTilesAndAMirrorServesOnlyStoredTiles() async throws {
        let mirror = try TestServer(catalogue: false), base = "/artwork/v/image/t/tiles"
        for test in [test, mirror] { try test.store.tiledArtwork("v", image: "t") }
        let answer = try await test.get("\(base)/9/1_0.jpg")
        #expect(answer.status == 200 && answer.headers[.contentType] == "image/jpeg")
        #expect(
            answer.body
                == Picture.tile(id: "t", aspectRatio: 1.5, longSide: 300, area: (255, 0, 45, 200)))
        let etag = try #require(answer.etag)
        #expect(try await test.get("\(base)/9/1_0.jpg", [.ifNoneMatch: etag]).status == 304)
        for absent in ["9/2_0.jpg", "10/0_0.jpg", "9/1_0.png", "9/01_0.jpg", "9/1.jpg"] {
            #expect(try await test.get("\(base)/\(absent)").status == 404, "\(absent)")
        }
        #expect(try await mirror.get("\(base)/9/1_0.jpg").status == 404)
        let file = try mirror.files.store([1, 2, 3], type: "image/jpeg")
        let record = FileRecord(
            .image("t", format: "tile/9/1_0", role: .picture, of: Owner(.artwork, "v")), entry: "entry",
            file: file, etag: nil, lastModified: nil)
        _ = try mirror.store.apply([.file(record)], run: nil)
        #expect(try await mirror.get("\(base)/9/1_0.jpg").body == [1, 2, 3])
    }

    /// A mirror of this one would keep it as a tile of the picture as it is now.
    @Test func aTileOfAnEarlierPictureIsNotServed() async throws {
        let mirror = try TestServer(catalogue: false), address = "/artwork/v/image/t/tiles/9/1_0.jpg"
        try mirror.store.tiledArtwork("v", image: "t")
        let file = try mirror.files.store([1, 2, 3], type: "image/jpeg")
        func note(entry: String, _ file: StoredFile?) throws {
            let use = FileUse.image("t", format: "tile/9/1_0", role: .picture, of: Owner(.artwork, "v"))
            let record = FileRecord(use, entry: entry, file: file, etag: nil, lastModified: nil)
            _ = try mirror.store.apply([.file(record)], run: nil)
        }
        try note(entry: "earlier", file)
        #expect(try await mirror.get(address).status == 404)
        // The server has none of the picture as it is now: the earlier one is kept, and not served.
        try note(entry: "entry", nil)
        #expect(try await mirror.get(address).status == 404)
        try note(entry: "entry", file)
        #expect(try await mirror.get(address).body == [1, 2, 3])
    }

    @Test func theFilesOfAShowsPicturesAreServed() async throws {
        try test.store.put(images: ["i"], ofShow: "s", role: .installation)
        #expect(
            try await test.get("/" + FileReference.picture(show: "s", image: "i", format: "square")).status
                == 200)
    }

    @Test func theFileOfADocumentIsServed() async throws {
        let reference = FileReference.document(
            partner: "p1", owner: Owner(.show, "s"), id: "d", filename: "a b.pdf")
        #expect(try await test.get("/" + reference).status == 404)
        let file = try test.files.store(Array("%PDF".utf8), type: "application/pdf")
        let record = FileRecord(
            .document("d", of: Owner(.show, "s")), entry: "e", file: file, etag: nil, lastModified: nil)
        _ = try test.store.apply([.file(record)], run: nil)
        let answer = try await test.get("/" + reference)
        #expect(answer.text == "%PDF" && answer.headers[.contentType] == "application/pdf")
        #expect(answer.headers[.contentDisposition] == nil)
    }
}

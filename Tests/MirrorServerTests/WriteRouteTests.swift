import Catalogue
import Hummingbird
import MirrorStore
import Testing

@testable import MirrorServer

@Suite("Writes")
struct WriteRouteTests {
    let test: TestServer
    private let albums = "/api/v1/partner/p1/album"

    init() throws {
        test = try TestServer()
        try test.store.put(.artwork, "w/1")
        try test.store.put(.album, "m", #"{"id":"m","kind":"department","name":"Prints"}"#)
    }

    @Test func aCreatedAlbumIsServed() async throws {
        let body = #"{"name":"New","private":true,"description":"D","id":"mine","other":1}"#
        let made = try await test.ask(.post, albums, body: body)
        #expect(made.status == 201)
        let album = try #require(try made.json().objectValue)
        let id = try #require(album["id"]?.stringValue)
        #expect(id.utf8.count == 24 && id != "mine")
        #expect(album.keys == ["description", "id", "name", "private", "updated_at"])
        let served = try await test.get("/partner/p1/album/\(id)")
        #expect(served.text == made.text && served.etag == made.etag)
        #expect(try await test.get("/partner/p1/albums?ids=1&size=all").text.contains(id))
        #expect(try await test.get("/partner/p1/album/\(id)/artworks?ids=1&size=all").text == "[]")
    }

    @Test func theSameIdempotencyKeyCreatesNoSecondAlbum() async throws {
        let key = try #require(HTTPFields.Element.Name("Idempotency-Key"))
        let first = try await test.ask(.post, albums, [key: "k"], body: #"{"name":"A"}"#)
        let second = try await test.ask(.post, albums, [key: "k"], body: #"{"name":"A"}"#)
        #expect(first.status == 201 && second.status == 201 && first.text == second.text)
        let third = try await test.ask(.post, albums, [key: "l"], body: #"{"name":"A"}"#)
        #expect(third.text != first.text)
        let id = try #require(try first.json().objectValue?["id"]?.stringValue)
        #expect(try await test.ask(.delete, "\(albums)/\(id)").status == 204)
        #expect(try await test.ask(.post, albums, [key: "k"], body: #"{"name":"A"}"#).status == 410)
    }

    @Test func anAlbumIsChangedAndKeepsItsOtherFields() async throws {
        let before = try await test.get("/partner/p1/album/m")
        let changed = try await test.ask(
            .put, "\(albums)/m", body: #"{"name":"Drawings","description":null}"#)
        #expect(changed.status == 200)
        let album = try #require(try changed.json().objectValue)
        #expect(album["name"] == "Drawings" && album["kind"] == "department" && album["updated_at"] != nil)
        #expect(changed.etag != before.etag)
        #expect(try await test.get("/partner/p1/album/m").text == changed.text)
        let same = try await test.ask(.put, "\(albums)/m", body: #"{"name":"Drawings"}"#)
        #expect(same.status == 200 && same.etag == changed.etag)
        let late = try await test.ask(
            .put, "\(albums)/m", [.ifMatch: try #require(before.etag)], body: #"{"name":"Late"}"#)
        #expect(late.status == 412 && late.text == #"{"error":"precondition_failed"}"#)
        let tooLate = try await test.ask(.delete, "\(albums)/m", [.ifMatch: try #require(before.etag)])
        #expect(tooLate.status == 412)
        #expect(
            try await test.ask(.delete, "\(albums)/m", [.ifMatch: try #require(changed.etag)]).status == 204)
    }

    @Test func artworksAreAppendedToAndRemovedFromAnAlbum() async throws {
        try test.store.put(.artwork, "w2")
        func members() async throws -> String {
            try await test.get("/partner/p1/album/m/artworks?ids=1&size=all").text
        }
        #expect(try await test.ask(.post, "\(albums)/m/artwork/w2").status == 201)
        #expect(try await test.ask(.post, "\(albums)/m/artwork/w%2F1").status == 201)
        #expect(try await test.ask(.post, "\(albums)/m/artwork/w2").status == 201)
        #expect(try await members() == #"["w2","w/1"]"#)
        #expect(try await test.ask(.delete, "\(albums)/m/artwork/w2").status == 204)
        #expect(try await members() == #"["w/1"]"#)
        #expect(try await test.ask(.post, "\(albums)/m/artwork/none").status == 404)
        #expect(try await test.ask(.post, "\(albums)/none/artwork/w2").status == 404)
    }

    @Test func deletingAnAlbumTwiceGets404() async throws {
        #expect(try await test.ask(.delete, "\(albums)/m").status == 204)
        #expect(try await test.get("/partner/p1/album/m").status == 404)
        #expect(try await test.ask(.delete, "\(albums)/m").status == 404)
        #expect(try await test.ask(.put, "\(albums)/m", body: #"{"name":"N"}"#).status == 404)
    }

    @Test(arguments: [
        ("", "invalid_json"), ("[]", "invalid_json"), ("{", "invalid_json"), ("{}", "invalid_album"),
        (#"{"name":" "}"#, "invalid_album"), (#"{"name":1}"#, "invalid_album"),
        (#"{"name":"a","private":"yes"}"#, "invalid_album"),
        (#"{"name":"a","description":[]}"#, "invalid_album"),
    ])
    func invalidAlbumsAreRejected(_ body: String, _ error: String) async throws {
        let answer = try await test.ask(.post, albums, body: body)
        #expect(answer.status == 400 && answer.text == #"{"error":"\#(error)"}"#)
    }

    @Test func albumsOfAMirrorAreReadOnly() async throws {
        let mirror = try TestServer(catalogue: false)
        try mirror.store.put(.album, "m")
        for (method, path, body) in [
            (HTTPRequest.Method.post, "", #"{"name":"A"}"#), (.put, "/m", #"{"name":"A"}"#),
            (.delete, "/m", ""),
            (.post, "/m/artwork/w", ""), (.delete, "/m/artwork/w", ""),
        ] {
            let answer = try await mirror.ask(method, albums + path, body: body)
            #expect(answer.status == 403 && answer.text == #"{"error":"read_only"}"#, "\(method) \(path)")
        }
        #expect(try await mirror.get("/partner/p1/album/m").text == #"{"id":"m"}"#)
    }

    @Test(arguments: [true, false])
    func partnerFlagsAreStoredAndNeverServed(_ isCatalogue: Bool) async throws {
        let test = try TestServer(catalogue: isCatalogue)
        let before = try await test.get("/partner/p1/all")
        let path = "/api/v1/partner/p1/partner_flags"
        let answer = try await test.ask(.put, path, body: "key=last_folio_access&value=2026-01-01T00:00:00Z")
        #expect(answer.status == 200 && answer.text == "{}")
        let after = try await test.get("/partner/p1/all")
        #expect(after.text == before.text && after.etag == before.etag)
        for body in [
            "", "key=a", "value=a", "key=&value=a", "key=A%20B&value=a", "%zz", "key=a;drop&value=b",
        ] {
            #expect(
                try await test.ask(.put, path, body: body).text == #"{"error":"invalid_form"}"#, "\(body)")
        }
    }

    @Test func aRequestBodyBeyondTheLimitIsRejected() async throws {
        let body = #"{"name":""# + String(repeating: "a", count: RequestContent.limit) + #""}"#
        let answer = try await test.ask(.post, albums, body: body)
        #expect(answer.status == 413 && answer.text == #"{"error":"body_too_large"}"#)
        let announced = try await test.ask(.post, albums, [.contentLength: "99999999"], body: "{}")
        #expect(announced.status == 413)
    }

    @Test func errorAnswersNeverRepeatTheRequest() async throws {
        let answer = try await test.ask(.post, "\(albums)<script>", body: "<script>")
        #expect(!answer.text.contains("script"))
        #expect(try await !test.get("/artwork/<script>").text.contains("script"))
    }
}

import Catalogue
import Foundation
import MirrorHTTP
import MirrorSync
import Synchronization
import Testing

@testable import MirrorSimulation

/// What all imitations have in common.
@Suite struct ImitatedMuseumTests {
    typealias Fixture = ImitationFixture

    /// The path that lists all ids, and where they stand.
    static let lists: [(ImitatedMuseum.Name, String)] = [
        (.met, "/objects"), (.artic, "/artworks?limit=100"), (.cleveland, "/artworks/"),
        (.smk, "/art/search/?keys=*&rows=100"), (.lighthouse, "/works?count=50"),
    ]

    /// The ids in a list, as texts.
    static func ids(_ name: ImitatedMuseum.Name, _ list: JSONValue) -> Set<String> {
        let (elements, field): (JSONValue?, String?) =
            switch name {
            case .met: (list["objectIDs"], nil)
            case .artic, .cleveland: (list["data"], "id")
            case .smk: (list["items"], "object_number")
            case .lighthouse: (list["works"], "ref")
            }
        return Set(
            elements?.arrayValue?.compactMap { element in (field.map { element[$0] } ?? element)?.idText }
                ?? [])
    }

    @Test(arguments: lists) func everyArtworkIsListedUnderItsIdInTheMuseum(
        _ name: ImitatedMuseum.Name, _ path: String
    ) throws {
        let fixture = try Fixture(name)
        let expected = try Fixture.catalogue().ids(of: .artwork).map(fixture.museum.id(ofArtwork:))
        #expect(try Self.ids(name, fixture.json(path)) == Set(expected) && Set(expected).count == 5)
    }

    @Test(arguments: lists) func addedAndRemovedArtworksArriveAtOnce(
        _ name: ImitatedMuseum.Name, _ path: String
    ) throws {
        let fixture = try Fixture(name)
        let before = try Self.ids(name, fixture.json(path))
        fixture.museum.apply([
            .remove(.artwork, id: "1"), .put(.artwork, ["id": "77", "title": "New", "artist_ids": []]),
        ])
        let after = try Self.ids(name, fixture.json(path))
        #expect(before.subtracting(after) == [fixture.museum.id(ofArtwork: "1")])
        #expect(after.subtracting(before) == [fixture.museum.id(ofArtwork: "77")])
    }

    /// On one host of this machine, all addresses in answers are below that host, and pictures are found there.
    @Test(arguments: lists) func oneHostStandsForAllHostsOfTheMuseum(
        _ name: ImitatedMuseum.Name, _ path: String
    ) throws {
        let museum = try Fixture(name).museum, origin = "http://127.0.0.1:8000"
        func answer(_ target: String) -> ImitationAnswer {
            museum.answer(host: "127.0.0.1:8000", target: target, origin: origin)
        }
        let root = name.base.split(separator: "/").dropFirst(2).map { "/\($0)" }.joined()
        #expect(answer(path).status == 200 && answer(root + path).status == 200)
        #expect(answer(path).bytes == answer(root + path).bytes)
        let object = [.met: "/objects/1"][name] ?? path
        let text = String(decoding: answer(object).bytes, as: UTF8.self)
        #expect(
            text.contains("\(origin)/\(name.pictureHost)/") && !text.contains("https://\(name.pictureHost)/"))
        // The museum's TIFF has an address, but no file here.
        let address = try #require(
            text.split(separator: "\"").first {
                $0.hasPrefix("\(origin)/\(name.pictureHost)/") && !$0.hasSuffix(".tif")
            })
        var picture = address.dropFirst(origin.count)
        if name == .artic {
            let image = try #require(
                text.firstMatch(of: /"image_id":"([^"]+)"/)?.output.1)
            picture += "/\(image)"
        }
        if [.artic, .smk].contains(name), !picture.hasSuffix(".jpg") {
            picture += "/full/843,/0/default.jpg"
        }
        #expect(answer(String(picture).replacing(" ", with: "%20")).status == 200)
        #expect(answer("/\(name.pictureHost)/nothing.jpg").status == 404)
    }

    @Test(arguments: ImitatedMuseum.Name.allCases) func anythingElseIsRefused(_ name: ImitatedMuseum.Name)
        throws
    {
        let fixture = try Fixture(name)
        #expect(fixture.request("/").status == 404 && fixture.request("/a/b/c/d").status == 404)
        #expect(fixture.request("/%ff").status == 400)
        #expect(fixture.fetch("https://other.example/objects").status == 404)
        #expect(fixture.fetch("https://\(name.pictureHost)/", method: "PUT").status != 200)
    }

    @Test func aChangedArtistChangesTheArtworksThatNameIt() throws {
        let fixture = try Fixture(.met)
        fixture.museum.apply([.put(.artist, ["id": "p3", "name": "Bo Carver the Elder"])])
        #expect(try fixture.json("/objects?metadataDate=2026-02-01")["objectIDs"] == [5])
        #expect(try fixture.json("/objects/5")["constituents"]?[0]?["name"] == "Bo Carver the Elder")
        fixture.museum.apply([.put(.location, ["id": "room-1", "name": "Room 2"])])
        #expect(try fixture.json("/objects?metadataDate=2026-02-01")["objectIDs"] == [1, 5])
    }

    @Test func becomingAnotherCatalogueChangesOnlyWhatDiffers() throws {
        let fixture = try Fixture(.met)
        fixture.museum.become(try Fixture.catalogue())
        #expect(try fixture.json("/objects?metadataDate=2026-02-01")["total"] == 0)
        let other = Fixture.artworks.replacing("A Made-up Chair", with: "Another Chair")
            .split(separator: "\n").dropLast().joined(separator: "\n")
        fixture.museum.become(try Fixture.catalogue(artworks: other))
        #expect(try fixture.json("/objects?metadataDate=2026-02-01")["objectIDs"] == [1])
        #expect(fixture.request("/objects/5").status == 404)
    }

    @Test func oneArtworkInThreeIsNotInThePublicDomainUnlessItSaysSo() throws {
        let catalogue = try Fixture.catalogue(artworks: Fixture.artworks(300))
        let free = (1...300).filter { ArtworkRecord("\($0)", in: catalogue)?.isPublicDomain == true }
        #expect((170...230).contains(free.count))
    }

    @Test func aWithdrawnLicenceTakesThePicturesAway() throws {
        let fixture = try Fixture(.met)
        let url = try #require(fixture.json("/objects/1")["primaryImage"]?.stringValue)
        #expect(fixture.fetch(url).status == 200)
        var artwork = try #require(fixture.museum.catalogue.object(.artwork, "1"))
        artwork["public_domain"] = false
        fixture.museum.apply([.put(.artwork, artwork)])
        #expect(try fixture.json("/objects/1")["primaryImage"] == "" && fixture.fetch(url).status == 404)
    }

    @Test func theSeedAloneDecidesWhatAFaultChooses() throws {
        func missing(_ seed: UInt64) throws -> [Int] {
            let fixture = try Fixture(
                .met, artworks: Fixture.artworks(60), faults: [.missingObjects], seed: seed)
            return (1...60).filter { fixture.request("/objects/\($0)").status == 404 }
        }
        let first = try missing(1)
        #expect(try first == missing(1) && first != missing(2) && !first.isEmpty)
    }

    @Test(arguments: [
        ("200,", 200), ("!843,843", 843), ("!2048,", 2_048), (",600", 600), ("max", nil), ("full", nil),
    ]) func sizesOfPicturesAreUnderstood(_ size: String, _ pixels: Int?) {
        #expect(IIIFSize(["full", size, "0", "default.jpg"])?.pixels == pixels)
        #expect(IIIFSize(["full", size, "0", "default.jpg"]) != nil)
    }

    @Test(arguments: ["", ",", "0,", "-1,", "a,1", "1,2,3", "!", "pct:50"])
    func otherSizesOfPicturesAreRefused(_ size: String) {
        #expect(IIIFSize(["full", size, "0", "default.jpg"]) == nil)
        #expect(IIIFSize(["square", "200,", "0", "default.jpg"]) == nil)
        #expect(IIIFSize(["full", "200,", "90", "default.jpg"]) == nil)
    }

    @Test func theArticleNamesEveryMuseumWithItsFaults() throws {
        let path = URL(filePath: #filePath).deletingLastPathComponent().appending(
            path: "../../Sources/mirror-bench/mirror-bench.docc/Imitations.md")
        let lines = try String(contentsOf: path, encoding: .utf8).split(separator: "\n")
        for name in ImitatedMuseum.Name.allCases {
            let row = try #require(lines.first { $0.hasPrefix("| `\(name.rawValue)` |") })
            let faults = row.split(separator: "|").last?.split(separator: "`")
                .compactMap { ImitationFault(rawValue: String($0)) }
            #expect(Set(faults ?? []) == Set(name.faults), "\(name.rawValue)")
        }
        for fault in ImitationFault.allCases {
            #expect(lines.contains { $0.hasPrefix("| `\(fault.rawValue)` |") }, "\(fault.rawValue)")
        }
    }

    @Test func numbersAreKeptAndOtherIdsGetStableOnes() {
        #expect(MuseumNumber.of("436535") == 436_535)
        let others = ["007", "-1", "0", "1000000000", "a", "b", "99999999999999999999"].map(MuseumNumber.of)
        #expect(Set(others).count == 7 && others.allSatisfy { (1_000_000_000..<(1 << 51)).contains($0) })
        #expect(MuseumNumber.of("0004c321-a24e-4e3c-8d83-968b7adab357") == 518_236_124_910_998)
    }

    @Test func aCatalogueWithABrokenLineIsRefused() {
        #expect(throws: SyncError.self) { try Fixture.catalogue(artworks: "[1]") }
        #expect(throws: SyncError.self) { try Fixture.catalogue(artworks: "{") }
    }

    // MARK: - As a transport

    final class Sink: BodySink {
        private let content = Mutex<[UInt8]>([])
        var bytes: [UInt8] { content.withLock { $0 } }
        func begin(_ response: TransportResponse) throws {}
        func receive(_ bytes: UnsafeRawBufferPointer) throws { content.withLock { $0 += bytes } }
    }

    @Test func requestsReachTheMuseumThroughATransport() async throws {
        let museum = try Fixture(.artic).museum, sink = Sink()
        let response = try await museum.send(
            TransportRequest(url: "https://api.artic.edu/api/v1/artworks/1"), into: sink)
        #expect(response.status == 200 && response.headers["ETag"] != nil)
        #expect(try JSONValue(parsing: sink.bytes)["data"]?["id"] == 1)
        let current = try await museum.send(
            TransportRequest(
                url: "https://api.artic.edu/api/v1/artworks/1",
                headers: ["If-None-Match": response.headers["ETag"] ?? ""]), into: Sink())
        #expect(current.status == 304)
        await #expect(throws: TransportError.self) {
            _ = try await museum.send(TransportRequest(url: "https://www.example.org/"), into: Sink())
        }
    }

    /// In a process, a picture is drawn only if a test reads ``ImitationAnswer/bytes``.
    @Test func aTransportSendsAPictureWithoutDrawingIt() async throws {
        let fixture = try Fixture(.met)
        var bodies: Set<[UInt8]> = []
        for artwork in ["1", "5"] {
            let url = try #require(fixture.json("/objects/\(artwork)")["primaryImage"]?.stringValue)
            let sink = Sink()
            let response = try await fixture.museum.send(TransportRequest(url: url), into: sink)
            #expect(response.status == 200 && response.receivedBytes == sink.bytes.count)
            #expect(sink.bytes.starts(with: [0xFF, 0xD8, 0xFF]) && sink.bytes.count < 1_000)
            #expect(sink.bytes == fixture.fetch(url).bytesWithoutDrawing)
            bodies.insert(sink.bytes)
        }
        #expect(bodies.count == 2)
    }

    @Test func aDroppedConnectionIsATransportError() async throws {
        let museum = try Fixture(.smk, artworks: Fixture.artworks(300)).museum, sink = Sink()
        await #expect(throws: TransportError.self) {
            _ = try await museum.send(
                TransportRequest(url: "https://api.smk.dk/api/v1/art/search/?keys=*&rows=300"), into: sink)
        }
        #expect(!sink.bytes.isEmpty)
    }
}

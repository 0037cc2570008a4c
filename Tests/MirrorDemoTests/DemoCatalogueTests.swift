import Foundation
import Testing

@testable import MirrorDemo

@Suite struct DemoCatalogueTests {
    private typealias Record = [String: Any]

    @Test func theDemoCatalogueHasTheEightFilesOfACatalogue() {
        #expect(
            Set(DemoCatalogue.files.keys) == [
                "partner.json", "artists.jsonl", "artworks.jsonl", "shows.jsonl", "albums.jsonl",
                "locations.jsonl",
                "documents.jsonl", "user.json",
            ])
        for (name, text) in DemoCatalogue.files { #expect(text.hasSuffix("}\n"), "\(name)") }
    }

    /// The mirror doesn't report to the server when an admin last used it.
    @Test func theUserOfTheDemoCatalogueIsNotAnAdmin() throws {
        let user = try #require(try records("user.json").first)
        #expect(Set(user.keys) == ["id", "name", "type", "email"])
        #expect(user["type"] as? String == "User")
    }

    @Test func thePartnersCountsEqualTheNumberOfObjects() throws {
        let partner = try #require(try records("partner.json").first)
        #expect(partner["id"] as? String == DemoCatalogue.partnerID)
        let counts = try #require(partner["counts"] as? [String: Int])
        for kind in ["artists", "artworks", "shows", "albums", "locations"] {
            #expect(try records("\(kind).jsonl").count == counts[kind], "\(kind)")
        }
        #expect(counts == ["artists": 24, "artworks": 41, "shows": 2, "albums": 4, "locations": 6])
        #expect(try records("documents.jsonl").count == 7)
    }

    @Test(arguments: ["artists", "artworks", "shows", "albums", "locations", "documents"])
    func idsOfTheDemoCatalogueAreUniqueAndLinesSortedById(_ kind: String) throws {
        let ids = try records("\(kind).jsonl").compactMap { $0["id"] as? String }
        #expect(try ids.count == records("\(kind).jsonl").count)
        #expect(Set(ids).count == ids.count)
        #expect(ids == ids.sorted { $0.unicodeScalars.lexicographicallyPrecedes($1.unicodeScalars) })
    }

    @Test func everyReferenceInTheDemoCatalogueResolves() throws {
        let artists = try ids("artists"), artworks = try ids("artworks")
        let shows = try ids("shows"), locations = try ids("locations")
        for artwork in try records("artworks.jsonl") {
            let makers = try #require(artwork["artist_ids"] as? [String])
            #expect(!makers.isEmpty && artists.isSuperset(of: makers), "\(artwork["id"] ?? "")")
            if let location = artwork["location_id"] as? String { #expect(locations.contains(location)) }
        }
        for show in try records("shows.jsonl") {
            #expect(artworks.isSuperset(of: try #require(show["artwork_ids"] as? [String])))
            #expect(artists.isSuperset(of: try #require(show["artist_ids"] as? [String])))
            #expect(locations.contains(try #require(show["location_id"] as? String)))
        }
        for album in try records("albums.jsonl") {
            let members = try #require(album["artwork_ids"] as? [String])
            #expect(!members.isEmpty && artworks.isSuperset(of: members))
            #expect(members == members.sorted() && Set(members).count == members.count)
        }
        for document in try records("documents.jsonl") {
            let show = document["show_id"] as? String, artist = document["artist_id"] as? String
            #expect((show == nil) != (artist == nil))
            #expect(show.map(shows.contains) ?? artist.map(artists.contains) ?? false)
        }
    }

    @Test func showsOfTheDemoCatalogueListTheArtistsOfTheirArtworks() throws {
        let works = Dictionary(
            uniqueKeysWithValues: try records("artworks.jsonl").map {
                ($0["id"] as? String ?? "", $0["artist_ids"] as? [String] ?? [])
            })
        for show in try records("shows.jsonl") {
            let members = try #require(show["artwork_ids"] as? [String])
            #expect(Set(members.flatMap { works[$0] ?? [] }).sorted() == show["artist_ids"] as? [String])
        }
    }

    @Test func everyDemoPictureHasAUniqueIdAndACorrectAspectRatio() throws {
        var pictures: [Record] = []
        for owner in try records("artworks.jsonl") + records("shows.jsonl") {
            let own = try #require(owner["images"] as? [Record])
            #expect((1...4).contains(own.count))
            pictures += own
            if let cover = owner["cover"] as? Record { pictures.append(cover) }
        }
        #expect(Set(pictures.compactMap { $0["id"] as? String }).count == pictures.count)
        for picture in pictures {
            let width = try #require(picture["width"] as? Double),
                height = try #require(picture["height"] as? Double)
            let ratio = try #require(picture["aspect_ratio"] as? Double)
            #expect(abs(ratio - width / height) < 0.0001, "\(picture["id"] ?? "")")
            #expect((picture["url"] as? String)?.hasPrefix("https://example.org/") == true)
        }
        for artwork in try records("artworks.jsonl") {
            let primary = (artwork["images"] as? [Record] ?? []).filter { $0["is_primary"] as? Bool == true }
            #expect(primary.count == 1, "\(artwork["id"] ?? "")")
        }
    }

    @Test func demoShowsHaveInstallationShotsACoverAndDocuments() throws {
        let documents = try records("documents.jsonl")
        for show in try records("shows.jsonl") {
            #expect((3...4).contains((show["images"] as? [Record])?.count ?? 0))
            #expect(show["cover"] is Record)
            #expect(documents.filter { $0["show_id"] as? String == show["id"] as? String }.count == 2)
        }
        for document in documents {
            #expect((document["filename"] as? String)?.hasSuffix(".txt") == true)
            #expect((document["text"] as? String ?? "").count > 100)
        }
    }

    @Test func demoPrintsHaveEditionSetsAndYearsAreInOrder() throws {
        var editions: [String] = []
        for artwork in try records("artworks.jsonl") {
            let sets = artwork["edition_sets"] as? [Record] ?? []
            #expect(sets.isEmpty == (artwork["category"] as? String != "Print"), "\(artwork["id"] ?? "")")
            editions += sets.compactMap { $0["id"] as? String }
            let start = try #require(artwork["date_start"] as? Int),
                end = try #require(artwork["date_end"] as? Int)
            #expect(start <= end && end <= 1926)
        }
        #expect(editions.count >= 10 && Set(editions).count == editions.count)
    }

    private func ids(_ kind: String) throws -> Set<String> {
        Set(try records("\(kind).jsonl").compactMap { $0["id"] as? String })
    }

    private func records(_ file: String) throws -> [Record] {
        let text = try #require(DemoCatalogue.files[file])
        return try text.split(separator: "\n").map { line in
            try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? Record)
        }
    }
}

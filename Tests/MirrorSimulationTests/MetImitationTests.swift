import Catalogue
import Testing

@testable import MirrorSimulation

/// The comments quote the description of the museum's API that the imitation is written from.
@Suite struct MetImitationTests {
    typealias Fixture = ImitationFixture

    // "`GET /objects` answers the whole list at once, no paging."
    @Test func objectsListsAllIdsAtOnceAsNumbersInTheirOrder() throws {
        let answer = try Fixture(.met).json("/objects")
        let numbers = answer["objectIDs"]?.arrayValue?.compactMap { $0.numberValue?.intValue } ?? []
        #expect(answer["total"] == 5 && numbers == numbers.sorted())
        #expect(Set(numbers) == Set(try Fixture.catalogue().ids(of: .artwork).map(MuseumNumber.of)))
    }

    // "`?metadataDate=YYYY-MM-DD` keeps objects updated on or after that day."
    @Test func metadataDateKeepsWhatChangedOnOrAfterThatDay() throws {
        let fixture = try Fixture(.met)
        // "`objectIDs` is `null`, not `[]`, when `total` is 0."
        #expect(try fixture.json("/objects?metadataDate=2026-02-01") == ["total": 0, "objectIDs": .null])
        var artwork = try #require(fixture.museum.catalogue.object(.artwork, "2"))
        artwork["title"] = "A Better Study"
        fixture.museum.apply([.put(.artwork, artwork)])
        #expect(try fixture.json("/objects?metadataDate=2026-02-01") == ["total": 1, "objectIDs": [2]])
        #expect(try fixture.json("/objects?metadataDate=2026-02-02")["total"] == 0)
        #expect(fixture.request("/objects?metadataDate=yesterday").status == 400)
    }

    // "`?departmentIds=1|3`. `GET /departments` → `{"departments":[{"departmentId":1,"displayName":"…"}]}`."
    @Test func departmentsSelectTheirObjects() throws {
        let fixture = try Fixture(.met)
        let departments = try fixture.json("/departments")["departments"]?.arrayValue ?? []
        #expect(
            departments.compactMap { $0["displayName"]?.stringValue }.sorted() == ["Fine Arts", "Furniture"])
        let ids = Dictionary(
            uniqueKeysWithValues: departments.map {
                ($0["displayName"]?.stringValue ?? "", $0["departmentId"]?.numberValue?.intValue ?? 0)
            })
        let fine = try #require(ids["Fine Arts"]), furniture = try #require(ids["Furniture"])
        #expect(try fixture.json("/objects?departmentIds=\(furniture)")["objectIDs"] == [1])
        #expect(try fixture.json("/objects?departmentIds=\(fine)%7C\(furniture)")["total"] == 3)
    }

    // The example of an object, with its names and types.
    @Test func anObjectHasTheNamesAndTypesOfTheMuseum() throws {
        let object = try Fixture(.met).json("/objects/1")
        let expected: [String: JSONValue] = [
            "objectID": 1, "isHighlight": false, "accessionNumber": "1900.1", "isPublicDomain": true,
            "title": "A Made-up Chair", "culture": "Dutch", "department": "Furniture", "objectName": "Chair",
            "classification": "Chairs", "objectDate": "ca. 1890", "objectBeginDate": 1885,
            "objectEndDate": 1895, "medium": "Oak", "dimensions": "90 × 40 cm", "creditLine": "Gift, 1900",
            "tags": .null, "GalleryNumber": "Room 1", "artistDisplayName": "Ada Maker",
            "artistDisplayBio": "Dutch, 1850–1910", "artistAlphaSort": "Maker, Ada",
            "artistNationality": "Dutch", "artistBeginDate": "1850", "artistEndDate": "1910",
            "artistGender": "Female", "artistRole": "Artist",
        ]
        for (name, value) in expected { #expect(object[name] == value, "\(name)") }
        #expect(
            object["constituents"]?[0] == [
                "constituentID": Fixture.number("p1"), "role": "Artist", "name": "Ada Maker",
                "constituentULAN_URL": "", "constituentWikidata_URL": "", "gender": "Female",
            ])
        #expect(object["constituents"]?[1]?["role"] == "Maker")
        #expect(
            object["measurements"]?[0]?["elementMeasurements"] == ["Height": 90, "Width": 40])
        // "metadataDate":"2026-01-02T04:00:00.123Z"
        #expect(object["metadataDate"]?.stringValue?.utf8.count == 24)
        #expect(
            object.keys == (try Fixture(.met).json("/objects/\(MuseumNumber.of("b"))")).keys,
            "All objects have the same members.")
    }

    // "missing is `""`; `constituents`, `tags`, `measurements` may be `null`"
    @Test func whatIsMissingIsAnEmptyTextOrNull() throws {
        let number = MuseumNumber.of("0004c321-a24e-4e3c-8d83-968b7adab357")
        let object = try Fixture(.met).json("/objects/\(number)")
        for name in ["title", "objectDate", "medium", "artistDisplayName", "creditLine", "primaryImage"] {
            #expect(object[name] == "", "\(name)")
        }
        #expect(object["constituents"] == .null && object["measurements"] == .null)
    }

    // "`primaryImage` (`/original/`), `primaryImageSmall` (`/web-large/`), `additionalImages[]`. … Empty string when absent or
    // not public domain. URLs may hold spaces."
    @Test func picturesOfWorksInThePublicDomainAreServed() throws {
        let fixture = try Fixture(.met)
        let object = try fixture.json("/objects/1")
        let urls = [object["primaryImage"], object["primaryImageSmall"], object["additionalImages"]?[0]]
            .compactMap { $0?.stringValue }
        #expect(urls.count == 3 && Set(urls).count == 3)
        #expect(urls[0].hasPrefix("https://images.metmuseum.org/CRDImages/xx/original/"))
        #expect(urls[1].contains("/web-large/"))
        for url in urls {
            let answer = fixture.fetch(url)
            #expect(answer.status == 200 && answer.headers["Content-Type"] == "image/jpeg")
        }
        let protected = try fixture.json("/objects/2")
        #expect(protected["isPublicDomain"] == false && protected["primaryImage"] == "")
        #expect(protected["additionalImages"] == [])
        let large = try Fixture(.met, artworks: Fixture.artworks(30))
        let all = try (1...30).compactMap { try large.json("/objects/\($0)")["primaryImage"]?.stringValue }
        let spaced = try #require(all.first { $0.contains(" ") })
        #expect(large.fetch(spaced).status == 200)
        #expect(all.contains("") && all.contains { !$0.isEmpty && !$0.contains(" ") })
        #expect(large.fetch("https://images.metmuseum.org/CRDImages/xx/original/DP1-1.jpg").status == 404)
    }

    // "Deletion: none. The id leaves the list; the object answers 404 or `{"message":"Not a valid object"}`."
    @Test func aRemovedObjectLeavesTheListAndAnswers404() throws {
        let fixture = try Fixture(.met)
        fixture.museum.apply([.remove(.artwork, id: "5")])
        #expect(try fixture.json("/objects")["total"] == 4)
        #expect(fixture.request("/objects/5").status == 404)
        #expect(try fixture.json("/objects/5") == ["message": "Not a valid object"])
    }

    // "v1 `/search` retired 2026‑10‑01 with 410"; "No exhibitions."; nothing is said about validators.
    @Test func theSearchHasEndedAndThereAreNoValidators() throws {
        let fixture = try Fixture(.met)
        #expect(fixture.request("/search?q=chair").status == 410)
        #expect(fixture.request("/exhibitions").status == 404)
        #expect(fixture.request("/objects", method: "DELETE").status == 405)
        #expect(Set(fixture.request("/objects/1").headers.keys) == ["Content-Type"])
    }

    // "a WAF (Imperva/Incapsula) answers 403 text/html, `Connection: close`, `X-Iinfo`, `Set-Cookie: visid_incap_…`, no
    // `Retry-After`, after 30–75 requests, for 1–3 minutes, at 2.5/s as at 30/s"
    @Test func theFirewallBlocksAfterFortyRequestsForTwoMinutes() throws {
        let fixture = try Fixture(.met, faults: [.blocksAfter40])
        for _ in 1...40 {
            #expect(fixture.request("/objects/1").status == 200)
            fixture.clock.advance(by: 0.4)
        }
        for _ in 1...3 {
            let answer = fixture.request("/objects/1")
            #expect(answer.status == 403 && answer.headers["Retry-After"] == nil)
            #expect(answer.headers["Content-Type"]?.hasPrefix("text/html") == true)
            #expect(answer.headers["Connection"] == "close" && answer.headers["X-Iinfo"] != nil)
            #expect(answer.headers["Set-Cookie"]?.hasPrefix("visid_incap_") == true)
            fixture.clock.advance(by: 39)
        }
        fixture.clock.advance(by: 3)
        #expect(fixture.request("/objects/1").status == 200)
    }

    // "It also answers 200 with an HTML iframe `_Incapsula_Resource`."
    @Test func everyTenthAnswerIsHTMLWithStatus200() throws {
        let fixture = try Fixture(.met, faults: [.htmlWith200])
        let answers = (1...20).map { _ in fixture.request("/objects") }
        #expect(answers.allSatisfy { $0.status == 200 })
        let pages = answers.filter { $0.headers["Content-Type"]?.hasPrefix("text/html") == true }
        #expect(pages.count == 2)
        #expect(
            pages.allSatisfy { String(decoding: $0.bytes, as: UTF8.self).contains("_Incapsula_Resource") })
    }

    // "Listed ids do 404 (loans, restricted)"
    @Test func someListedIdsAnswer404() throws {
        let fixture = try Fixture(.met, artworks: Fixture.artworks(50), faults: [.missingObjects])
        #expect(try fixture.json("/objects")["total"] == 50)
        let missing = (1...50).filter { fixture.request("/objects/\($0)").status == 404 }
        #expect((1...15).contains(missing.count))
        #expect(missing == (1...50).filter { fixture.request("/objects/\($0)").status == 404 })
        fixture.museum.faults = []
        #expect((1...50).allSatisfy { fixture.request("/objects/\($0)").status == 200 })
    }

    // "and ids "cycle in and out" (#46)."
    @Test func someIdsAreGoneEveryOtherDay() throws {
        let fixture = try Fixture(.met, artworks: Fixture.artworks(50), faults: [.absentEveryOtherDay])
        fixture.clock.advance(by: 86_400)
        let whole = try fixture.json("/objects")["objectIDs"]?.arrayValue ?? []
        #expect(whole.count == 50)
        fixture.clock.advance(by: 86_400)
        let rest = try fixture.json("/objects")["objectIDs"]?.arrayValue ?? []
        #expect((35..<50).contains(rest.count))
        let away = try #require(whole.first { !rest.contains($0) }?.numberValue?.lexeme)
        #expect(fixture.request("/objects/\(away)").status == 404)
        fixture.clock.advance(by: 86_400)
        #expect(try fixture.json("/objects")["total"] == 50)
        #expect(fixture.request("/objects/\(away)").status == 200)
    }
}

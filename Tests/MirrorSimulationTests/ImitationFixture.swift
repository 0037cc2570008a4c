import Catalogue
import MirrorSync
import Synchronization
import Testing

@testable import MirrorSimulation

/// An imitated museum with a small catalogue, and what tests ask of it.
struct ImitationFixture {
    let museum: ImitatedMuseum
    /// Seconds since 1970.
    let clock: TestClock

    final class TestClock: Sendable {
        private let time: Mutex<Double>
        init(_ time: Double) { self.time = Mutex(time) }
        var now: Double { time.withLock { $0 } }
        func advance(by seconds: Double) { time.withLock { $0 += seconds } }
    }

    /// 2026-02-01T00:00:00Z, a day with an odd number since 1970.
    static let start = 1_769_904_000.0

    init(
        _ name: ImitatedMuseum.Name, artworks: String = Self.artworks, faults: Set<ImitationFault> = [],
        seed: UInt64 = 1
    ) throws {
        let clock = TestClock(Self.start)
        museum = ImitatedMuseum(
            name, try Self.catalogue(artworks: artworks), faults: faults, seed: seed, now: { clock.now })
        self.clock = clock
    }

    static func catalogue(artworks: String = Self.artworks) throws -> ImitatedCatalogue {
        try ImitatedCatalogue(
            .embedded([
                "artworks.jsonl": artworks, "artists.jsonl": artists, "shows.jsonl": shows,
                "locations.jsonl": locations,
            ]))
    }

    // MARK: - Requests

    /// Requests a path below the museum's base, on its own host.
    func request(
        _ path: String, method: String = "GET", headers: [String: String] = [:], body: String = ""
    ) -> ImitationAnswer {
        fetch(museum.name.base + path, method: method, headers: headers, body: body)
    }

    func fetch(
        _ url: String, method: String = "GET", headers: [String: String] = [:], body: String = ""
    ) -> ImitationAnswer {
        let address = url.dropFirst("https://".count), host = address.prefix { $0 != "/" }
        return museum.answer(
            method: method, host: String(host),
            target: String(address.dropFirst(host.count)).replacing(" ", with: "%20"), headers: headers,
            body: Array(body.utf8))
    }

    func json(_ path: String, method: String = "GET", body: String = "") throws -> JSONValue {
        let answer = request(path, method: method, body: body)
        #expect(answer.headers["Content-Type"] == "application/json")
        return try JSONValue(parsing: answer.bytes)
    }

    /// The museum's number of an object.
    static func number(_ id: String) -> JSONValue { .number(JSONNumber(MuseumNumber.of(id))) }

    // MARK: - Catalogue

    /// Five artworks with the peculiarities of real ones. `1` and `b` are in the public domain, `2` is not.
    static let artworks = """
        {"id":"1","slug":"one","title":"A Made-up Chair","artist_ids":["p1","p2"],"artist_roles":["Artist","Maker"],"date_text":"ca. 1890","date_start":1885,"date_end":1895,"medium":"Oak","category":"Chairs","object_name":"Chair","department":"Furniture","culture":"Dutch","accession_number":"1900.1","credit_line":"Gift, 1900","provenance":"The maker & her <heirs>","dimensions_text":"90 × 40 cm","width":400,"height":900,"units":"mm","location_id":"room-1","on_view":true,"public_domain":true,"images":[{"id":"i1","url":"https://museum.example/i1.jpg","width":3000,"height":2000,"is_primary":true},{"id":"i2","url":"https://museum.example/i2.jpg"}],"file_changed_at":"2015-01-01T00:00:00Z"}
        {"id":"2","slug":"two","title":"Study","artist_ids":["p1"],"artist_roles":[null],"date_text":"1930-1950","date_start":"1930-01-01","date_end":"1950-01-01","medium":"Film","category":"Negative","department":"Fine Arts","accession_number":"2001.35","width":5,"height":4,"units":"in","location_id":"not-on-view","public_domain":false,"images":[{"id":"24803","url":"http://museum.example/CollectionImage.aspx?irn=24803&size=ZoomLarge"}]}
        {"id":"0004c321-a24e-4e3c-8d83-968b7adab357","slug":"b","artist_ids":[],"public_domain":true,"images":[]}
        {"id":"b","slug":"bowl","title":"茶碗 \\"bowl\\"","artist_ids":["ghost","p2"],"department":"Fine Arts","accession_number":"2001.36","public_domain":true,"images":[{"id":"b1","url":"https://museum.example/b1.jpg"}]}
        {"id":"5","slug":"five","title":"Chair & Table","artist_ids":["p3"],"public_domain":true,"images":[{"id":"f1","url":"https://museum.example/f1.jpg"}]}
        """

    private static let artists = """
        {"id":"p1","slug":"ada-maker","name":"Ada Maker","sort_name":"Maker, Ada","birth_year":1850,"death_year":1910,"nationality":"Dutch","gender":"Female","blurb":"A maker.","same_as":{"ulan":"500000001"}}
        {"id":"p2","slug":"workshop","name":"The Workshop"}
        {"id":"p3","slug":"bo","name":"Bo Carver","sort_name":"Carver, Bo","birth_year":1900}
        """

    private static let shows = """
        {"id":"s1","slug":"chairs","name":"Chairs","start_date":"2020-01-01","end_date":"2020-02-01","citation":"Chairs. Rotterdam, 2020.","location_id":"room-1","artwork_ids":["1","5"],"artist_ids":["p1","p3"]}
        {"id":"s2","slug":"old","name":"Old Works","start_date":"1996","end_date":"1996","artwork_ids":["1"],"artist_ids":["p1"]}
        """

    private static let locations = """
        {"id":"room-1","slug":"room-1","name":"Room 1","room":"1"}
        {"id":"not-on-view","slug":"not-on-view","name":"Not on View"}
        """

    /// Artworks with ids from 1 on, which belong to the departments in turn.
    static func artworks(_ count: Int, in departments: [String]) -> String {
        (1...count).map { number in
            let department = departments[number % departments.count]
            return #"{"id":"\#(number)","title":"Work \#(number)","department":"\#(department)"}"#
        }.joined(separator: "\n")
    }

    /// Artworks with one picture each, with ids from 1 on.
    static func artworks(_ count: Int) -> String {
        (1...count).map { number in
            #"{"id":"\#(number)","title":"Work \#(number)","artist_ids":["p1"],"images":[{"id":"i\#(number)"}]}"#
        }.joined(separator: "\n")
    }
}

extension JSONValue {
    /// A member of an object, or an element of an array.
    subscript(key: String) -> JSONValue? { objectValue?[key] }
    subscript(index: Int) -> JSONValue? {
        arrayValue.flatMap { $0.indices.contains(index) ? $0[index] : nil }
    }

    /// The keys of an object, sorted.
    var keys: [String] { objectValue?.keys ?? [] }
}

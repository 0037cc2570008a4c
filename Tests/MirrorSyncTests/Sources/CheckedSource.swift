import Catalogue
import CatalogueSources
import Foundation
import MirrorHTTP
import MirrorSimulation
import MirrorTesting

@testable import MirrorSync

/// A description that is checked without a network: on an imitated museum, or on scripted answers.
struct CheckedSource {
    var description: SourceDescription
    let file: String
    let transport: any Transport
    var environment: [String: String] = [:]
    let clock = VirtualClock(.jumping)

    /// 2026-02-01T00:00:00Z
    static let now = Date(timeIntervalSince1970: 1_769_904_000)

    /// A built-in description, on the imitation of its museum with a rich catalogue.
    init(builtIn name: ImitatedMuseum.Name, faults: Set<ImitationFault> = []) throws {
        description = try SourceFolder(nil).description(named: name.rawValue)
        file = "\(name.rawValue).yaml"
        transport = ImitatedMuseum(
            name, try Self.catalogue(), faults: faults, now: { Self.now.timeIntervalSince1970 })
    }

    init(yaml: String, _ transport: any Transport) throws {
        file = "test.yaml"
        description = try SourceDescription(yaml: yaml, file: file)
        self.transport = transport
    }

    func check(_ kind: Kind? = nil, id: String? = nil) async throws -> SourceCheck.Report {
        let rules = try description.hostRules(environment: environment, longestWait: .seconds(20))
        let session = try InterceptableSession(
            base: description.base, transport: transport, interceptors: .standard(),
            configuration: SessionConfiguration(clock: clock.sessionClock, longestWait: .seconds(20))
        ).obeying(rules)
        return try await SourceCheck(
            SourceReader(description, file: file), session: session, kind: kind, id: id, now: Self.now
        ).run()
    }

    // MARK: - Catalogue

    /// Two artworks in the public domain; all that the imitations can fill is filled.
    static func catalogue() throws -> ImitatedCatalogue {
        try ImitatedCatalogue(
            .embedded([
                "artworks.jsonl": artworks,
                "artists.jsonl":
                    #"{"id":"7","name":"Ada Maker","sort_name":"Maker, Ada","birth_year":1850,"death_year":1910,"nationality":"Dutch","gender":"Female","blurb":"A maker.","same_as":{"ulan":"500000001"}}"#,
                "shows.jsonl":
                    #"{"id":"8","name":"Chairs","status":"Closed","start_date":"2020-01-01","end_date":"2020-02-01","location_id":"9","artwork_ids":["1","5"],"artist_ids":["7"]}"#,
                "locations.jsonl": #"{"id":"9","name":"Room 1","room":"1","floor":"2"}"#,
            ]))
    }

    private static let artworks = """
        {"id":"1","title":"A Made-up Chair","artist_ids":["7"],"artist_roles":["Artist"],"date_text":"ca. 1890","date_start":1885,"date_end":1895,"medium":"Oak","category":"Chairs","object_name":"Chair","department":"Furniture","culture":"Dutch","accession_number":"1900.1","credit_line":"Gift, 1900","provenance":"The maker","exhibition_history":"Chairs, 1900","width":400,"height":900,"depth":100,"diameter":50,"units":"mm","location_id":"9","on_view":true,"public_domain":true,"images":[{"id":"i1","width":3000,"height":2000},{"id":"i2"}]}
        {"id":"5","title":"A Bowl","artist_ids":["7"],"artist_roles":["Maker"],"public_domain":true,"images":[{"id":"f1"}]}
        """
}

extension SourceCheck.KindReport {
    func column(_ query: String, _ name: String) -> ColumnReport? {
        columns.first { $0.query == query && $0.column == name }
    }

    /// The columns that are empty in every row: `row.medium`.
    var empty: Set<String> { Set(columns.filter(\.isEmpty).map { "\($0.query).\($0.column)" }) }
}

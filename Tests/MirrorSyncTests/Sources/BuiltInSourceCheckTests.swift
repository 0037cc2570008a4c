import Catalogue
import CatalogueSources
import MirrorSimulation
import Testing

@testable import MirrorSync

/// Checks of the built-in descriptions on the imitations of their museums.
@Suite struct BuiltInSourceCheckTests {
    /// The columns that the imitations leave empty, by museum and kind.
    private static let unfilled: [String: Set<String>] = [
        "met artwork": ["row.image_rights"],
        "artic artwork": ["row.literature", "row.provenance", "row.image_rights"],
        "artic show": ["row.description", "row.location"],
        "artic location": ["row.geo_point_lat", "row.geo_point_lng"],
        "cleveland artwork": ["artists.biography", "images.caption"], "smk artwork": ["row.credit_line"],
    ]

    private static let museums: [ImitatedMuseum.Name] = [.met, .artic, .cleveland, .smk]

    @Test(arguments: Self.museums)
    func everyColumnThatTheMuseumFillsHasAnOriginAndAValue(museum: ImitatedMuseum.Name) async throws {
        let report = try await CheckedSource(builtIn: museum).check()
        #expect(report.failures == [])
        #expect(report.kinds.first?.kind == .artwork)
        #expect(report.kinds.count == report.description.kinds.count)
        for kind in report.kinds {
            #expect(kind.empty == Self.unfilled["\(museum.rawValue) \(kind.kind.name)"] ?? [], "\(kind.kind)")
            #expect(kind.object != nil, "\(kind.kind)")
            // The unit is a constant.
            for column in kind.columns where column.filled > 0 && column.column != "metric" {
                #expect(!column.origins.isEmpty, "\(kind.kind) \(column.query).\(column.column)")
            }
            #expect(kind.columns.compactMap(\.nearestField) == [], "\(kind.kind)")
        }
    }

    @Test(
        arguments: [
            (.met, "row", "inventory_id", "$.accessionNumber"), (.met, "rows", "id", "$.objectIDs[]"),
            (.artic, "row", "medium", "$.data[].medium_display"),
            (.cleveland, "row", "medium", "$.data[].technique"),
            (.smk, "row", "department", "$.items[].collection[]"),
        ] as [(ImitatedMuseum.Name, String, String, String)])
    func aColumnNamesThePathThatItWasReadFrom(
        museum: ImitatedMuseum.Name, query: String, column: String, path: String
    ) async throws {
        let report = try await CheckedSource(builtIn: museum).check(.artwork)
        #expect(report.kinds.first?.column(query, column)?.origins == [path])
    }

    @Test(
        arguments: [
            (.met, "collectionapi.metmuseum.org", "images.metmuseum.org"),
            (.artic, "api.artic.edu", "www.artic.edu"),
            (.cleveland, "openaccess-api.clevelandart.org", "openaccess-cdn.clevelandart.org"),
            (.smk, "api.smk.dk", "iip.smk.dk"),
        ] as [(ImitatedMuseum.Name, String, String)])
    func theHostsOfTheCatalogueAndOfItsPicturesAreReported(
        museum: ImitatedMuseum.Name, catalogue: String, pictures: String
    ) async throws {
        let report = try await CheckedSource(builtIn: museum).check()
        let object = try #require(report.kinds.first?.object)
        #expect(!object.pictures.isEmpty)
        #expect(
            report.hosts == [
                SourceCheck.AskedHost(name: catalogue, use: .catalogue),
                SourceCheck.AskedHost(name: pictures, use: .listed(pictures: object.pictures.count)),
            ])
    }

    @Test func aWholeListIsProvedCompleteAndItsFirstObjectRequested() async throws {
        let report = try await CheckedSource(builtIn: .met).check()
        let kind = try #require(report.kinds.first), page = try #require(kind.page)
        // "`?metadataDate=YYYY-MM-DD` keeps objects updated on or after that day": a day and the overlap of two before.
        #expect(
            kind.requests.map(\.url)
                == ["/objects", "/objects/1", "/objects?metadataDate=2026-01-29"].map {
                    report.description.base + $0
                })
        #expect(kind.requests.map(\.status) == [200, 200, 200])
        #expect(page.verdict == .complete)
        #expect([page.rows, page.total] == [2, 2])
        #expect(kind.object?.isFromList == false)
        #expect(kind.object?.object.json["title"] == "A Made-up Chair")
        #expect(kind.object?.object.artists.first?["name"] == "Ada Maker")
        #expect(kind.unread.contains("$.objectURL"))
    }

    @Test(arguments: Self.museums)
    func whatLaterSyncsRequestFitsToTheFullList(museum: ImitatedMuseum.Name) async throws {
        let report = try await CheckedSource(builtIn: museum).check()
        for kind in report.kinds {
            let keys = kind.trials.map(\.key)
            switch museum {
            case .met: #expect(keys == ["list.since"])
            case .artic: #expect(keys == ["list.thin", "object.batch"], "\(kind.kind)")
            default: #expect(keys == ["list.thin"])
            }
            for trial in kind.trials where trial.key != "list.since" {
                #expect(trial.rows == kind.page?.rows, "\(kind.kind) \(trial.key)")
                let finding =
                    trial.key == "list.thin"
                    ? "Its versions are those of the full list."
                    : "All objects that were requested in one answer were read."
                #expect(trial.findings == [finding], "\(kind.kind)")
            }
        }
        #expect(!report.conclusions.contains { $0.contains("object.batch") || $0.contains("list.") })
    }

    @Test func anIdChoosesTheObjectAndIsRequestedByItsOwnAddress() async throws {
        let report = try await CheckedSource(builtIn: .artic).check(id: "5")
        #expect(report.kinds.map(\.kind) == [.artwork])
        let kind = try #require(report.kinds.first)
        #expect(kind.object?.object.id == "5")
        #expect(kind.object?.isFromList == false)
        #expect(kind.requests.last?.url.contains("/artworks/5?") == true)
        #expect(kind.column("row", "title")?.origins == ["$.data.title"])
        #expect(kind.column("rows", "id")?.origins == ["$.data[].id"])
        #expect(kind.columns.filter { $0.query == "row" && $0.column == "title" }.count == 1)
    }

    @Test func theMembersOfAShowAreReported() async throws {
        let report = try await CheckedSource(builtIn: .artic).check(.show)
        let show = try #require(report.kinds.first?.object?.object)
        #expect(show.members == ["1", "5"])
        #expect(show.location?["id"] == "9")
    }

    @Test func anObjectThatDoesNotExistIsReportedWithItsId() async throws {
        let report = try await CheckedSource(builtIn: .met).check(id: "77")
        #expect(report.failures.count == 1)
        #expect(report.failures.first?.contains("there is no artwork \"77\"") == true)
        #expect(report.kinds.first?.page != nil)
        let empty = try await CheckedSource(builtIn: .smk).check(id: "KMS0")
        #expect(empty.failures.first?.contains("there is no artwork \"KMS0\"") == true)
    }
}

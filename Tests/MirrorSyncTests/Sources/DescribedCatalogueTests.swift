import Catalogue
import CatalogueSources
import Foundation
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

@Suite("Loading a described catalogue") struct DescribedCatalogueTests {
    private let museum: ScriptedMuseum
    private let folder: MirrorFolder

    init() throws {
        museum = try ScriptedMuseum(
            SmallDescription {
                $0.top = """
                    rate: { requests: 2/s }
                    select:
                      department: { get: "/works?department={value}&page={page}&size={size}" }
                      year: { get: "/works?year={value}&page={page}&size={size}" }
                    """
            })
        folder = try museum.mirror.mirror
    }

    private func load(
        remembered: RememberedSource? = nil, base: String? = nil,
        _ change: (inout SourceOptions) -> Void = { _ in }
    ) throws -> DescribedCatalogue? {
        var options = SourceOptions()
        change(&options)
        return try DescribedCatalogue.load(options, remembered: remembered, base: base, in: folder)
    }

    private func tiny(
        remembered: RememberedSource? = nil, base: String? = nil,
        _ change: (inout SourceOptions) -> Void = { _ in }
    ) throws -> DescribedCatalogue {
        try #require(
            try load(remembered: remembered, base: base) {
                $0.name = "tiny"
                change(&$0)
            })
    }

    private func error(_ change: (inout SourceOptions) -> Void) throws -> SyncError {
        try #require(throws: SyncError.self) { try load(change) }
    }

    // MARK: - Names

    @Test func `without a name the server has the Partner API`() throws {
        #expect(try load() == nil)
    }

    @Test func `a name is that of a file beside the mirrors or of a built-in description`() throws {
        let tiny = try tiny()
        #expect(
            tiny.name == "tiny" && tiny.partnerID == "tiny" && tiny.description.base == ScriptedMuseum.base)
        #expect(tiny.selection.isEmpty && tiny.remembered == nil && !tiny.isFasterThanAllowed)
        #expect(!tiny.hasNewSelection && !tiny.hasFormerSelection && !tiny.isNewlyDescribed)
        #expect(try load { $0.name = "met" }?.partnerID == "met")
    }

    @Test func `a path is remembered as an absolute one`() throws {
        let path = museum.mirror.source, folder = path.dropLast("/tiny.yaml".count)
        let catalogue = try load { $0.name = "\(folder)/../sources/./tiny.yaml" }
        #expect(catalogue?.name == path)
        #expect(catalogue?.partnerID == "tiny")
    }

    @Test func `a name that ends like a file is a file of the current folder`() throws {
        let error = try error { $0.name = "no-such-description.yaml" }
        #expect(error.code == .source)
        #expect(error.message.contains("no-such-description.yaml"))
    }

    @Test func `an unknown name is an error that names the nearest one`() throws {
        let error = try error { $0.name = "tyny" }
        #expect(error.code == .source)
        #expect(error.message.contains("tiny"))
    }

    @Test func `a description with an error says where it is`() throws {
        let description = SmallDescription { $0.row = "SELECT title FROM nothing" }
        try museum.describe(description)
        let error = try error { $0.name = "tiny" }
        let line = try #require(description.line(of: "row"))
        #expect(error.code == .source)
        #expect(error.message.contains("tiny.yaml:\(line):"), "\(error.message)")
    }

    @Test func `the remembered source is loaded without options`() throws {
        let remembered = RememberedSource(
            name: "tiny", base: "https://proxy.test/v1", selection: [.init("department", "a")],
            descriptionHash: "other")
        let catalogue = try #require(try load(remembered: remembered))
        #expect(catalogue.name == "tiny" && catalogue.description.base == "https://proxy.test/v1")
        #expect(catalogue.selection.map(\.option) == [SourceOptions.Selection("department", "a")])
        #expect(catalogue.isNewlyDescribed && !catalogue.hasNewSelection)
    }

    // MARK: - Base

    @Test func `the base is the given one, else the remembered one, else the description's`() throws {
        let remembered = RememberedSource(name: "tiny", base: "https://old.test/v1", descriptionHash: "")
        #expect(try tiny(base: "HTTPS://New.test/v2//").description.base == "https://new.test/v2")
        #expect(
            try tiny(remembered: remembered, base: "https://new.test/v2").description.base
                == "https://new.test/v2")
        #expect(try tiny(remembered: remembered).description.base == "https://old.test/v1")
        #expect(try tiny().description.base == ScriptedMuseum.base)
    }

    /// Whether the mirror was synced from the description's base, or from another one, which `--from` gave.
    @Test(arguments: [true, false])
    func `a base that changed in the description is used unless another one was given`(isDescribed: Bool)
        throws
    {
        let base = isDescribed ? ScriptedMuseum.base : "https://proxy.test/v1"
        let remembered = try tiny(base: isDescribed ? nil : base).toRemember(base: base)
        #expect(remembered.base == base && remembered.describedBase == ScriptedMuseum.base)
        try museum.describe(SmallDescription { $0.base = "https://moved.test/v2" })
        let moved = try tiny(remembered: remembered)
        #expect(moved.description.base == (isDescribed ? "https://moved.test/v2" : base))
        #expect(moved.describedBase == "https://moved.test/v2")
        #expect(moved.toRemember(base: moved.description.base).describedBase == "https://moved.test/v2")
    }

    @Test func `the base of another source isn't used`() throws {
        let remembered = RememberedSource(name: "met", base: "https://old.test/v1", descriptionHash: "")
        #expect(try tiny(remembered: remembered).description.base == ScriptedMuseum.base)
    }

    @Test(arguments: [
        "museum", "ftp://museum.test", "https://a:secret@museum.test", "https://museum.test/?q=1",
        "https://museum.test/#v1", "https://museum.test/{id}",
    ])
    func `a base that is no web address is an error that doesn't repeat secrets`(base: String) throws {
        let error = try #require(throws: SyncError.self) { try tiny(base: base) }
        #expect(error.message.contains("address"))
        #expect(!error.message.contains("secret"))
    }

    // MARK: - Selections

    @Test func `an unknown selection is an error that names the known ones`() throws {
        let error = try error {
            $0.name = "tiny"
            $0.selection = [.init("departement", "a")]
        }
        #expect(error.code == .source)
        #expect(error.message.contains("\"departement\""))
        #expect(error.message.contains("department, year"))
    }

    @Test func `a selection of a source without selections is an error that says so`() throws {
        try museum.describe(SmallDescription())
        let error = try error {
            $0.name = "tiny"
            $0.selection = [.init("department", "a")]
        }
        #expect(error.message.contains("--select"))
    }

    @Test func `a selection replaces the remembered one, and an empty one is the whole catalogue`() throws {
        let hash = try tiny().hash
        let remembered = RememberedSource(
            name: "tiny", base: ScriptedMuseum.base, selection: [.init("department", "a")],
            descriptionHash: hash)
        let same = try tiny(remembered: remembered)
        #expect(!same.hasNewSelection && !same.hasFormerSelection && !same.isNewlyDescribed)
        let other = try tiny(remembered: remembered) { $0.selection = [.init("year", "1900")] }
        #expect(other.hasNewSelection && other.hasFormerSelection)
        #expect(other.selection.map(\.option) == [SourceOptions.Selection("year", "1900")])
        let whole = try tiny(remembered: remembered) { $0.selection = [] }
        #expect(whole.hasNewSelection && whole.selection.isEmpty)
    }

    @Test func `a former selection is known until nothing of it is left`() throws {
        let remembered = RememberedSource(
            name: "tiny", base: ScriptedMuseum.base, selection: [.init("department", "a")],
            descriptionHash: "", hasFormerSelection: true)
        let catalogue = try tiny(remembered: remembered)
        #expect(!catalogue.hasNewSelection && catalogue.hasFormerSelection)
    }

    // MARK: - Rate

    @Test(arguments: [
        (SourceOptions.Rate(3, per: .seconds(1)), true), (.init(2, per: .seconds(1)), false),
        (.init(1, per: .seconds(1)), false), (.init(121, per: .seconds(60)), true),
        (.init(120, per: .seconds(60)), false),
    ])
    func `a rate that is higher than the description's is noticed`(rate: SourceOptions.Rate, isFaster: Bool)
        throws
    {
        let catalogue = try tiny { $0.rate = rate }
        #expect(catalogue.isFasterThanAllowed == isFaster)
        #expect(catalogue.description.rate.requests == rate.requests)
        #expect(catalogue.description.rate.interval == rate.interval)
    }

    @Test func `no rate is higher than none`() throws {
        try museum.describe(SmallDescription())
        #expect(try !tiny { $0.rate = .init(1_000, per: .seconds(1)) }.isFasterThanAllowed)
    }

    // MARK: - Equal reading

    @Test func `another base or rate reads the same, and another query doesn't`() throws {
        let hash = try tiny().hash
        #expect(try tiny(base: "https://new.test") { $0.rate = .init(9, per: .seconds(1)) }.hash == hash)
        try museum.describe(SmallDescription { $0.top = "website: https://museum.test" })
        #expect(try tiny().hash == hash)
        for change: (inout SmallDescription) -> Void in [
            { $0.row = "SELECT :body ->> 'title' AS title" }, { $0.rows = SmallDescription.ids },
            { $0.object = SmallDescription.artists }, { $0.object = "volatile: [medium]" },
            { $0.top = "language: en" },
            {
                $0.object =
                    "batch: { get: \"/works?ids={ids}\", size: 2, rows: \"SELECT 1 AS id, :body AS object\" }"
            },
        ] {
            try museum.describe(SmallDescription(change))
            #expect(try tiny().hash != hash)
        }
    }
}

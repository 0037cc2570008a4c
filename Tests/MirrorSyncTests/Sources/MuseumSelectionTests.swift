import Catalogue
import MirrorSimulation
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

/// `mirror sync NAME --select department=…` with the built-in descriptions.
@Suite("Selecting a part of a museum", .limitedConcurrency) struct MuseumSelectionTests {
    typealias Museum = ImitatedMuseum.Name

    private static let museums = MuseumMirror.museums.filter(\.selectsDepartments)

    /// A museum with the works 1, 2 and 8 in one department, and the others in another.
    private func museum(_ name: Museum) throws -> MuseumMirror {
        var catalogue = MuseumCatalogue.small
        for place in catalogue.works.indices where ["1", "2", "8"].contains(catalogue.works[place].id) {
            catalogue.works[place].department = "Arms & Armour"
        }
        return try MuseumMirror(name, catalogue)
    }

    /// - Parameter department: its name; `nil` for the remembered selection.
    private func sync(_ museum: MuseumMirror, _ department: String?) async throws -> SyncSummary {
        let value = department.flatMap { museum.name.selection(ofDepartment: $0) }
        return try await museum.sync { $0.source.selection = value.map { [.init("department", $0)] } }
    }

    @Test(arguments: museums)
    func `a department is copied with its artists, and unchanged by a second sync`(name: Museum) async throws
    {
        let museum = try museum(name)
        let first = try await sync(museum, "Arms & Armour")
        #expect(first.outcome == .complete, "\(first.problems) \(first.failure ?? "")")
        let contents = try museum.contents(), expected = museum.expected()
        #expect(contents.works == expected.works.filter { ["1", "2", "8"].contains($0.key) })
        // Artists are gathered from the artworks, at museums that list them, too.
        #expect(contents.artists == ["11": "Ada Maker", "12": "The Workshop"])
        #expect(contents.rooms.count == 1 && contents.shows == [:])
        _ = museum.requests()
        museum.mirror.pass(days: 1)
        let second = try await sync(museum, nil)
        #expect(second.outcome == .complete && !second.hasChanges, "\(second.problems)")
        #expect(try museum.mirror.log(second.run) == [])
        #expect(museum.requests().pictures == [])
    }

    @Test(arguments: museums)
    func `a changed work of a department arrives, and one of another doesn't`(name: Museum) async throws {
        var museum = try museum(name)
        #expect(try await sync(museum, "Arms & Armour").outcome == .complete)
        museum.mirror.pass(days: 1)
        for id in ["1", "4"] {
            var work = try museum.work(id)
            work.title = "Changed"
            museum.put(work)
        }
        museum.mirror.pass(hours: 1)
        let summary = try await sync(museum, nil)
        #expect(summary.outcome == .complete, "\(summary.problems)")
        #expect(try museum.mirror.log(summary.run) == ["update artwork 1"])
    }

    @Test(arguments: museums)
    func `an unknown department stores nothing, and the sync says which selection is empty`(
        name: Museum
    ) async throws {
        let museum = try museum(name)
        let summary = try await sync(museum, "Submarines")
        #expect(summary.outcome == .partial)
        let value = museum.name.selection(ofDepartment: "Submarines") ?? ""
        #expect(summary.problems.contains { $0.message.contains("department=\(value)") })
        #expect(try museum.contents().works.isEmpty)
    }

    @Test(arguments: museums)
    func `the whole catalogue follows a department`(name: Museum) async throws {
        let museum = try museum(name)
        #expect(try await sync(museum, "Arms & Armour").outcome == .complete)
        museum.mirror.pass(days: 1)
        let summary = try await museum.sync { $0.source.selection = [] }
        #expect(summary.outcome == .complete, "\(summary.problems)")
        #expect(try museum.contents() == museum.expected())
    }
}

import Catalogue
import Foundation
import MirrorSimulation
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

/// "A first copy of days resumes at any instant without requesting anything twice" (issue 46).
@Suite("Syncs of museums that are interrupted", .limitedConcurrency) struct MuseumResumeTests {
    struct Case: Sendable, CustomTestStringConvertible {
        let museum: ImitatedMuseum.Name
        /// The number of requests that are answered.
        let count: Int
        var testDescription: String { "\(museum) after \(count) requests" }
    }

    static let cases = MuseumMirror.museums.flatMap { name in
        [0, 1, 3, 8].map { Case(museum: name, count: $0) }
    }

    @Test(arguments: cases)
    func `a cancelled first sync continues, and asks for no object or picture twice`(_ this: Case)
        async throws
    {
        let museum = try MuseumMirror(this.museum)
        let mirror = museum.mirror
        let first = try await mirror.network.stopping(after: this.count) { try await mirror.sync() }
        let answered = mirror.network.take().filter { $0.status == 200 }.map(\.url)
        #expect(answered.count <= this.count)
        if first.outcome != .complete { #expect(first.outcome == .cancelled) }
        if this.count == 0 {
            // Nothing is remembered of a server that hasn't answered.
            #expect(try mirror.mirror.rememberedSource() == nil)
        }
        mirror.pass(hours: 1)
        let second = try await museum.sync()
        #expect(second.outcome == .complete, "\(second.problems) \(second.failure ?? "")")
        #expect(try museum.contents() == museum.expected())
        let again = mirror.network.take().map(\.url)
        // Lists are read again: only a complete list proves anything.
        let lists = Set(museum.listPaths.map { museum.name.base + $0 })
        let twice = Set(answered).intersection(again).filter { url in
            !lists.contains(String(url.prefix { $0 != "?" }))
        }
        #expect(twice == [])
        // The next sync finds nothing to do.
        let third = try await museum.sync()
        #expect(third.outcome == .complete && !third.hasChanges)
    }

    @Test(arguments: MuseumMirror.museums)
    func `a cancelled later sync deletes nothing and the next one converges`(name: ImitatedMuseum.Name)
        async throws
    {
        // The numbers of requests after which the sync may be cancelled: two with one list, more with several requests.
        let requests = [.met: 5, .artic: 6][name] ?? 3
        for count in 0..<requests {
            var museum = try await MuseumMirror.synced(name)
            try museum.changeAndAddWork()
            let mirror = museum.mirror
            _ = try await mirror.network.stopping(after: count) { try await mirror.sync() }
            #expect(try mirror.deletions() == [:])
            mirror.pass(hours: 1)
            #expect(try await museum.sync().outcome == .complete)
            #expect(try museum.contents() == museum.expected(), "after \(count) requests")
            #expect(try mirror.deletions() == [:])
        }
    }
}

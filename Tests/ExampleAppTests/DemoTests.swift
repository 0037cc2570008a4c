import Catalogue
import Foundation
import MirrorServer
import MirrorStore
import MirrorSync
import MirrorTesting
import Testing

@testable import ExampleApp

@Suite("Example app with the built-in catalogue", .timeLimit(.minutes(5))) struct DemoTests {
    @Test func allPartsOfTheKioskWorkWithTheDemoServer() async throws {
        let home = try TemporaryHome()
        defer { withExtendedLifetime(home) {} }
        let (notices, continuation) = AsyncStream.makeStream(of: Kiosk.Notice.self)
        let kiosk = Kiosk(
            try home.mirror("demo"), desk: URL(filePath: home.path).appending(path: "desk"),
            notify: { continuation.yield($0) })
        let server = DemoServer(draw: { image, _, _ in KioskFixture.jpeg(640, 480, image) })
        try await server.whileRunning { address in
            let first = try await kiosk.sync(from: address)
            #expect(first.outcome == .complete, "\(first.problems)")
            let works = try #require(first.objects["artwork"]?.created)

            let showcase = try Showcase(kiosk)
            let shown = try showcase.cards(of: Owner(.album, "highlights"))
            #expect(shown.count == 10)
            #expect(shown.allSatisfy { $0.size == JPEGSize(width: 640, height: 480) })
            let liked = try #require(shown.first)
            #expect(try showcase.like(liked.id))

            #expect(try await kiosk.sync().outcome == .complete)
            #expect(try showcase.hasSentAllLikes)
            let album = try #require(try showcase.favourites)
            #expect(try showcase.cards(of: Owner(.album, album.id)).map(\.id) == [liked.id])
            #expect(
                try kiosk.report.lines == [
                    "1 complete: \(works) new, 0 deleted, \(works) works",
                    "2 complete: 0 new, 0 deleted, \(works) works",
                ])

            let hash = try #require(kiosk.sizes.hashes.first)
            try kiosk.sizes.remove(hash)
            let event = LoanBook.Event(artwork: liked.id, borrower: "Tate")
            try JSONEncoder().encode(event).write(to: kiosk.loans.desk)
            let watch = try kiosk.watch()
            let watching = Task { try await watch.run() }
            var expected: Set = [Kiosk.Notice.loans, .sizes(added: 1, removed: 0)]
            for await notice in notices {
                expected.remove(notice)
                if expected.isEmpty { break }
            }
            watching.cancel()
            try await watching.value
            #expect(try showcase.cards(of: Owner(.album, album.id)).first?.borrower == "Tate")
            #expect(try kiosk.sizes.hashes.contains(hash))
            try showcase.close()
        }
    }
}

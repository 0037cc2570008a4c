import Catalogue
import CatalogueSources
import Foundation
import MirrorSimulation
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

/// "When `per_day` is used up, `sync` ends with exit code 3 and says when it continues" (SOURCES.md D).
@Suite("A museum that allows two requests a day", .limitedConcurrency) struct MuseumBudgetTests {
    /// A mirror of the SMK, whose works are all in one list. Its pictures are on a host of their own.
    private func mirror() throws -> DescribedMirror {
        let home = try TemporaryHome(), clock = DescribedMirror.clock()
        let rate = "rate: { requests: 1/s }"
        let text = try SourceFolder(nil).text(named: "smk")
        try #require(text.contains(rate))
        let path = "\(home.path)/smk.yaml"
        try text.replacing(rate, with: "rate: { requests: 1/s, per_day: 2 }")
            .write(toFile: path, atomically: true, encoding: .utf8)
        let museum = ImitatedMuseum(
            .smk, try MuseumCatalogue.small.files(), now: { clock.now.timeIntervalSince1970 })
        return try DescribedMirror(path, home: home, clock: clock, museum)
    }

    @Test func `a sync ends at the first picture that is one too many, and the next day continues`()
        async throws
    {
        let mirror = try mirror()
        for day in 1...2 {
            let summary = try await mirror.sync()
            #expect(summary.outcome == .partial, "day \(day)")
            #expect(summary.failure?.contains("used up") == true, "\(summary.failure ?? "")")
            #expect(summary.problems.count <= 1, "\(summary.problems)")
            #expect(summary.objects["image"]?.created == 2, "day \(day)")
            #expect(try mirror.ids(.artwork).count == MuseumCatalogue.small.works.count)
            mirror.pass(days: 1)
        }
    }

    @Test func `a dry run says how many days it takes, and doesn't use up the day`() async throws {
        let mirror = try mirror()
        let plan = try #require(await mirror.plan().plan)
        #expect(plan.days > 1 && !plan.isExact)
        #expect(plan.forecast.median >= Double(plan.days - 1) * 86_400)
        #expect(try await mirror.sync().objects["image"]?.created == 2)
        // The next sync sends the second request of the day for its list.
        #expect(try await mirror.sync().outcome == .partial)
        let used = try await mirror.plan()
        #expect(used.outcome == .failed && (used.cause as? SyncError)?.code == .paused)
    }
}

import Catalogue
import MirrorStore
import Testing

@testable import MirrorCLI
@testable import MirrorSync

@Suite("The output of a dry run") struct PlanTextTests {
    private static func summary(_ change: (inout SyncPlan) -> Void = { _ in }) -> SyncSummary {
        var summary = SyncSummary(partner: "museum", outcome: .complete)
        summary.requests.sent = 9
        summary.objects["artwork"] = .init(
            listed: 1_250, created: 40, updated: 10, unchanged: 1_200, deleted: 3)
        var plan = SyncPlan()
        plan.hasChanges = true
        plan.requests = Estimate(1_300)
        plan.json = Estimate(2_500_000)
        plan.media = Estimate(40_000_000, margin: 5_000_000)
        plan.files["image"] = Estimate(48, margin: 6)
        plan.forecast = Forecast(median: 20, p90: 45)
        plan.disk = SyncPlan.Disk(free: 1_000_000_000, needed: 60_000_000)
        change(&plan)
        summary.plan = plan
        return summary
    }

    @Test func `a plan that takes days because of a source's limit says how many`() {
        let lines = PlanText.lines(Self.summary { $0.days = 7 }, place: "/m")
        #expect(
            lines.contains(
                "The source allows a limited number of requests a day, so it takes about 7 days: a sync stops when they are used up, and the next one continues"
            ))
        #expect(!lines.contains { $0.contains("90 % probability at most") })
        #expect(Self.summary { $0.days = 7 }.plan?.object["days"] == 7)
    }

    @Test func thePlanOfADryRunIsATableWithSentences() {
        #expect(
            PlanText.lines(Self.summary(), place: "/m") == [
                "museum, if synced now: 40 new, 10 changed, 3 gone and 48 ± 6 pictures to fetch.",
                "",
                "            listed  new  changed  gone   left",
                "  artworks   1,250   40       10     3  1,200",
                "",
                "1,300 requests, 2.5 MB of JSON, 40.0 MB ± 5.0 MB of pictures and documents",
                "A sync would take about 20 s, and with 90 % probability at most 45 s",
                "60.0 MB of disk space is needed in /m, 1.0 GB is free",
                "Numbers with ± are estimates: the true number is in the range with 90 % probability.",
                "The dry run sent 9 requests and wrote nothing.",
            ])
    }

    @Test func estimatesInAPlanAreShownWithTheirMargins() {
        let lines = PlanText.lines(
            Self.summary { plan in
                plan.isExact = false
                plan.updated["artwork"] = Estimate(10, margin: 7, sampled: 50)
            }, place: "/m"
        )
        #expect(lines[4 - 1].contains("10 ± 7"))
        #expect(
            lines.contains(
                "Numbers with ± are estimates: the true number is in the range with 90 % probability."))
    }

    @Test func aPlanWarnsOfAFullDiskAndOfTheDeleteGuard() {
        let lines = PlanText.lines(
            Self.summary { plan in
                plan.disk = SyncPlan.Disk(free: 1_000_000, needed: 60_000_000)
                plan.guarded = [.init(kind: .artwork, stored: 100, listed: 70, deletions: 30)]
            }, place: "/m"
        )
        #expect(lines.contains { $0.hasSuffix("but only 1.0 MB is free: free disk space before a sync") })
        #expect(
            lines.contains(
                "The delete guard would stop the removal of 30 of 100 artworks. If this removal is right, sync with --max-delete 30."
            ))
    }

    @Test func aPlanWithOnlyGuardedDeletionsDoesNotMentionEdits() {
        var summary = Self.summary {
            $0.files = [:]
            $0.guarded = [.init(kind: .artwork, stored: 100, listed: 70, deletions: 30)]
        }
        summary.objects = [:]
        let first = PlanText.lines(summary, place: "/m")[0]
        #expect(
            first == "museum, if synced now: the delete guard would stop all removals.")
    }

    @Test func aDryRunEndsWithTheCodeForChangesOnlyIfRequested() {
        func status(_ summary: SyncSummary, isAsked: Bool = true) -> MirrorCLI.ExitStatus {
            RunReport.status(ofPlan: summary, hasExitCode: isAsked)
        }
        let changed = Self.summary(), same = Self.summary { $0.hasChanges = false }
        var partial = changed
        partial.outcome = .partial
        #expect(status(changed) == .changes && status(changed, isAsked: false) == .complete)
        #expect(status(same) == .complete)
        #expect(status(partial) == .partial)
        #expect(status(SyncSummary(partner: "museum", outcome: .failed)) == .failed)
    }
}

import Catalogue
import MirrorStore
import Testing

@testable import MirrorCLI
@testable import MirrorSync

@Suite("The output of verify") struct VerifyOutputTests {
    private func summary(_ outcome: VerifySummary.Outcome) -> VerifySummary {
        var summary = VerifySummary(partner: "cmoa")
        summary.outcome = outcome
        (summary.checks, summary.files, summary.bytes, summary.seconds) = (8, 1_200, 34_500_000, 1.23)
        return summary
    }

    @Test(
        arguments: [
            (.complete, 0), (.repaired, 0), (.findings, 1), (.failed, 1), (.cancelled, 130),
        ] as [(VerifySummary.Outcome, Int32)])
    func everyOutcomeOfVerifyHasItsExitCode(outcome: VerifySummary.Outcome, code: Int32) {
        #expect(VerifyReport.status(summary(outcome)).rawValue == code)
    }

    @Test func theReportOnAnIntactMirrorHasThreeLines() {
        #expect(
            VerifyText.lines(summary(.complete), place: "/data/cmoa") == [
                "cmoa is intact.", "8 checks of the database, 1,200 files (34.5 MB), 1.2 s",
                "The files are in /data/cmoa",
            ])
    }

    @Test func verifyCountsUnavailableFilesWithoutAFinding() {
        var summary = summary(.complete)
        summary.unavailable = UnavailableFiles(images: 30, documents: 2)
        #expect(
            VerifyText.lines(summary, place: "/data/cmoa") == [
                "cmoa is intact.", "8 checks of the database, 1,200 files (34.5 MB), 1.2 s",
                "30 pictures and 2 documents are missing because the server did not have them when last requested; a sync with media requests them again after a day.",
                "The files are in /data/cmoa",
            ])
        #expect(VerifyReport.status(summary) == .complete)
    }

    @Test func `verify counts listed objects that the server does not have without a finding`() {
        var summary = summary(.complete)
        summary.absent = [.artwork: 16]
        let lines = VerifyText.lines(summary, place: "/data/met")
        #expect(lines.contains { $0.hasPrefix("16 artworks in the server's list are missing") })
        #expect(VerifyReport.status(summary) == .complete)
    }

    @Test func theReportOnARepairShowsRemainingFindings() {
        var summary = summary(.findings)
        summary.isRepair = true
        summary.found = [.length: 3, .stray: 12]
        summary.remaining = [.missing: 1]
        #expect(
            VerifyText.lines(summary, place: "/d").prefix(7) == [
                "cmoa is not intact: not everything could be repaired.", "", "           found  left",
                "  missing      ·     1", "  length       3     ·", "  stray       12     ·", "",
            ])
        #expect(VerifyReport.sentence(summary) == "1 finding could not be repaired.")
        summary.remaining = [.damaged: 2]
        #expect(
            VerifyReport.sentence(summary)
                == "2 findings could not be repaired. Damaged files are kept until the server has intact copies. Delete the files in media/damaged that you don't need."
        )
        #expect(VerifyReport.status(summary) == .failed)
    }

    @Test func aMirrorThatOnlyDiffersFromItsServerIsReportedAsIntact() {
        var summary = summary(.findings)
        summary.found = [.changed: 1, .gone: 1]
        #expect(
            VerifyText.lines(summary, place: "/d")[0]
                == "cmoa is intact, but differs from its server: 2 findings.")
        #expect(VerifyReport.sentence(summary)?.hasSuffix("mirror verify cmoa --remote --repair") == true)
    }

    @Test func verifyReportsAnInterruptedRunWithoutAFinding() {
        var summary = summary(.complete)
        summary.isInterrupted = true
        #expect(
            VerifyText.lines(summary, place: "/d").prefix(2) == [
                "cmoa is intact.",
                "Its last run was stopped, so objects may be missing. Complete it with: mirror sync cmoa",
            ])
        #expect(summary.json["interrupted"] == true)
        summary.isCatalogue = true
        #expect(VerifyText.lines(summary, place: "/d")[1].hasSuffix("mirror import DIR"))
    }

    @Test func aFindingIsPrintedAsALineOrAJSONObject() {
        let finding = Finding(
            what: .length, kind: "image", id: "i\u{1B}", path: "media/a", message: "Too short.")
        #expect(VerifyReport.line(.found(finding)) == "length  image i�, media/a: Too short.")
        #expect(VerifyReport.line(.remains(finding))?.hasPrefix("not repaired: length") == true)
        #expect(
            VerifyReport.object(.remains(Finding(what: .stray, path: "media/b", message: "M"))) == [
                "type": "finding", "what": "stray", "path": "media/b", "message": "M", "remains": true,
            ])
    }

    @Test func verifyReportsHowItComparedWithTheServer() {
        func line(_ comparison: VerifySummary.Comparison, found: [Finding.What: Int] = [:]) -> String {
            var summary = summary(found.isEmpty ? .complete : .findings)
            (summary.comparison, summary.found) = (comparison, found)
            return VerifyText.lines(summary, place: "/d").dropLast().last ?? ""
        }
        var digest = VerifySummary.Comparison()
        (digest.isExact, digest.isByDigest, digest.objects, digest.requests) = (true, true, 10_133, 1)
        #expect(line(digest) == "Equal to the server: 10,133 URLs, one request")
        digest.requests = 7
        #expect(
            line(digest, found: [.changed: 1])
                == "Compared with the server by its digest: 10,133 URLs, 7 requests")
        digest.changedMeanwhile = true
        #expect(line(digest).contains("changed during the comparison"))
        var lists = VerifySummary.Comparison()
        (lists.objects, lists.requests, lists.reasonForLists) = (4, 8, "The server has no digest")
        #expect(
            line(lists)
                == "The server has no digest, so its lists were compared: 4 objects on the server compared by id only, 8 requests"
        )
    }

    @Test func aFindingShowsTheURLThatDiffers() {
        let finding = Finding(what: .changed, kind: "artwork", id: "w", url: "/artwork/w", message: "Other.")
        #expect(VerifyReport.line(.found(finding)) == "changed  artwork w, /artwork/w: Other.")
        #expect(VerifyReport.object(.found(finding))["url"] == "/artwork/w")
    }

    @Test func theProgressOfVerifyHasItsTotalsFromTheStart() {
        var progress = VerifyMonitor.Progress()
        (progress.checks, progress.checksTotal, progress.files, progress.filesTotal) = (8, 8, 320, 900)
        (progress.bytes, progress.bytesTotal, progress.findings) = (0, 2_000_000, 1)
        let view = VerifyProgress(progress, elapsed: 3)
        #expect(
            view.block(width: 60, hasColour: false) == [
                "database  ━━━━━━━━━━━━━━━━━━━━━━━━━━━━         8 / 8  100 %",
                "files     ━━━━━━━━━───────────────────     320 / 900   35 %",
                "read      ────────────────────────────  0 B / 2.0 MB    0 %", "1 finding, 0:03",
            ])
        #expect(view.block(width: 30, hasColour: false).allSatisfy { $0.columns < 30 })
        #expect(view.line == "database 8 of 8, files 320 of 900, read 0 B of 2.0 MB; 1 finding, 0:03")
    }
}

import Catalogue
import CatalogueSources
import MirrorHTTP
import MirrorServer
import MirrorStore
import Testing

@testable import MirrorCLI
@testable import MirrorSync

@Suite struct ExitCodeTests {
    @Test(
        arguments: [
            (SyncSummary.Outcome.complete, 0), (.failed, 1), (.partial, 3), (.guarded, 4), (.cancelled, 130),
        ] as [(SyncSummary.Outcome, Int32)])
    func everyOutcomeHasItsExitCode(outcome: SyncSummary.Outcome, code: Int32) {
        #expect(ExitStatus(SyncSummary(partner: "x", outcome: outcome)).rawValue == code)
    }

    private static let errors: [(any Error, Int32)] = [
        (StoreError(.locked, ""), 6), (StoreError(.newerVersion, ""), 1), (StoreError(.diskFull, ""), 1),
        (StoreError(.noSuchMirror, ""), 1), (StoreError(.invalidName, ""), 64),
        (SyncError(.notAuthorised, ""), 5), (SyncError(.unknownPartner, ""), 1),
        (SyncError(.unreachable, ""), 1), (SyncError(.serverFailure, ""), 1), (SyncError(.secret, ""), 1),
        (SyncError(.storage, "", cause: StoreError(.locked, "")), 6),
        (HTTPError(.notAuthorised, ""), 5), (HTTPError(.badCertificate, ""), 1), (CancellationError(), 130),
        (ServerError(.accessOpen, ""), 64), (ServerError(.cannotListen, ""), 1),
        (CommandError(.notFound, ""), 1), (SourceDescriptionError("", file: "x.yaml"), 64),
    ]

    @Test(arguments: Self.errors.indices)
    func everyErrorHasItsExitCode(index: Int) {
        let (error, code) = Self.errors[index]
        #expect(ExitStatus(error: error).rawValue == code)
        var summary = SyncSummary(partner: "x", outcome: .failed)
        summary.cause = error
        #expect(ExitStatus(summary).rawValue == code)
    }

    @Test func theMessageOfTheDeleteGuardSaysHowToAllowTheDeletions() {
        var summary = SyncSummary(partner: "x", outcome: .guarded)
        summary.guarded = [DeleteGuard.Intent(kind: .artwork, stored: 1_150, listed: 650, deletions: 500)]
        // Three artists would be deleted, too. The recommended number has to include them.
        summary.guardedDeletions = 503
        #expect(
            ErrorMessage.guarded(summary)
                == "500 of 1,150 artworks would be removed, which is more than the delete guard allows, so nothing was removed. If this removal is right, run again with --max-delete 503."
        )
    }

    @Test func theDeleteGuardRecommendsANumberForAnEmptyListAndNoShare() throws {
        var summary = SyncSummary(partner: "x", outcome: .guarded)
        let intent = DeleteGuard.Intent(kind: .artwork, stored: 1_150, listed: 0, deletions: 1_150)
        summary.guarded = [intent]
        let sentence = ErrorMessage.guarded(summary)
        #expect(
            sentence
                == "1,150 of 1,150 artworks would be removed, because the list of artworks is empty, so nothing was removed. If this removal is right, run again with --max-delete 1150; a share, even 100%, never allows an empty list."
        )
        // The recommended number allows the deletions; a share doesn't.
        let limit = try #require(sentence.firstMatch(of: #/--max-delete (\d+)/#)?.output.1)
        #expect(DeleteGuard(try #require(.init(String(limit)))).objections(to: [intent]).isEmpty)
        #expect(!DeleteGuard(.percent(100)).objections(to: [intent]).isEmpty)
    }

    @Test func theMessageOfTheDeleteGuardListsDeletionsFromListsUnderObjects() {
        var summary = SyncSummary(partner: "x", outcome: .guarded)
        summary.guarded = [
            DeleteGuard.Intent(kind: .show, members: .artworks, stored: 1_500, listed: 0, deletions: 1_500),
            DeleteGuard.Intent(
                kind: .show, members: .installationShots, stored: 40, listed: 10, deletions: 30),
            DeleteGuard.Intent(kind: .document, stored: 20, listed: 5, deletions: 15),
        ]
        summary.guardedDeletions = 1_545
        #expect(
            ErrorMessage.guarded(summary)
                == "1,500 of 1,500 artworks in shows, 30 of 40 installation shots and 15 of 20 documents would be removed, which is more than the delete guard allows, so nothing was removed. If this removal is right, run again with --max-delete 1545."
        )
        // Deletions that the server reports are made before the guard is checked.
        summary.objects["artist"] = SyncSummary.Count(deleted: 2)
        #expect(ErrorMessage.guarded(summary).contains("so none of these was removed."))
        #expect(SummaryText.headline(summary) == "x: the delete guard stopped the removal; 2 gone.")
    }

    @Test func anErrorMessageIsOneLineWithoutControlCharacters() {
        let sentence = ErrorMessage.of(StoreError(.notOurs, "a\nb\u{1B}[2J"))
        #expect(sentence == "a b�[2J")
    }
}

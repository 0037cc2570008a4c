import Catalogue
import MirrorStore
import Testing

@testable import MirrorSync

@Suite("Deletions that a server reports, and the delete guard")
struct PulledDeletionsTests {
    private func intent(_ kind: Kind, _ deletions: Int, of held: Int) -> DeleteGuard.Intent {
        DeleteGuard.Intent(kind: kind, held: held, listed: held - deletions, deletions: deletions)
    }

    @Test(arguments: [
        (DeleteGuard.Limit.standard, 10, 10, false),
        (.standard, 11, 11, true),
        (.standard, 11, 55, false),
        (.standard, 11, 54, true),
        (.percent(100), 12, 12, true),
        (.percent(100), 12, 13, false),
        (.total(0), 10, 100, false),
        (.total(0), 11, 100, true),
        (.total(11), 11, 11, false),
    ])
    func moreThanTenDeletionsThatTheGuardStopsMustBeConfirmedByTheList(
        limit: DeleteGuard.Limit, deletions: Int, held: Int, isListed: Bool
    ) {
        let kinds = PulledDeletions(intents: [intent(.artwork, deletions, of: held)]).kindsToList(
            DeleteGuard(limit))
        #expect(kinds == (isListed ? [.artwork] : []))
    }

    @Test func ifTheGuardStopsOneKindEveryKindWithDeletionsIsListed() {
        let deletions = PulledDeletions(intents: [
            intent(.artist, 0, of: 5), intent(.artwork, 30, of: 40), intent(.show, 1, of: 40),
        ])
        #expect(deletions.kindsToList(DeleteGuard()) == [.artwork, .show])
    }
}

import Catalogue
import Testing

@testable import MirrorStore

@Suite("The delete guard")
struct DeleteGuardTests {
    @Test(arguments: [
        (100, 80, 20, false), (100, 79, 21, true), (10, 5, 5, false), (12, 1, 11, true), (3, 0, 3, true),
        (3, 0, 0, false),
    ])
    func aPercentageLimitsDeletionsBeyondTen(held: Int, listed: Int, deletions: Int, stops: Bool) {
        let intent = DeleteGuard.Intent(kind: .artwork, held: held, listed: listed, deletions: deletions)
        #expect(DeleteGuard(.standard).objections(to: [intent]).isEmpty != stops)
    }

    /// Lists under objects may be empty.
    @Test func onlyAnEmptyListOfAKindStopsASweepAtAnyPercentage() {
        func isStopped(_ kind: Kind, _ members: DeleteGuard.Members?) -> Bool {
            let intent = DeleteGuard.Intent(kind: kind, members: members, held: 40, listed: 0, deletions: 40)
            return !DeleteGuard(.percent(100)).objections(to: [intent]).isEmpty
        }
        #expect(isStopped(.show, nil))
        #expect(!isStopped(.show, .artworks) && !isStopped(.show, .installationShots))
        #expect(!isStopped(.document, nil))
    }

    @Test func aPlainNumberLimitsTheDeletionsOfAllKinds() {
        let intents = [Kind.artwork, .artist].map {
            DeleteGuard.Intent(kind: $0, held: 100, listed: 95, deletions: 5)
        }
        #expect(DeleteGuard(.total(10)).objections(to: intents).isEmpty)
        #expect(DeleteGuard(.total(9)).objections(to: intents).count == 2)
    }

    @Test(arguments: [
        ("20%", true), ("0", true), ("150", true), ("101%", false), ("-1", false), ("x", false), ("", false),
    ])
    func onlyValidDeleteLimitsAreParsed(text: String, isValid: Bool) {
        #expect((DeleteGuard.Limit(text) != nil) == isValid)
    }
}

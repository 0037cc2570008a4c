import Catalogue
import CatalogueSources
import Testing

@Suite struct AbsenceCountTests {
    /// What syncs learned, each with its hour, and whether the object may be removed after the last.
    @Test(
        arguments: [
            ([(0, .absent), (24, .absent), (48, .absent)], true),
            ([(0, .absent), (24, .absent), (47, .absent)], false),
            ([(0, .absent), (48, .absent)], false),
            ([(0, .absent), (1, .absent), (2, .absent), (3, .absent)], false),
            ([(0, .absent), (1, .absent), (2, .absent), (48, .absent)], true),
            ([(0, .absent), (24, .exists), (48, .absent), (49, .absent)], false),
            ([(0, .absent), (24, .exists), (48, .absent), (72, .absent), (96, .absent)], true),
            ([(0, .absent), (24, .unknown), (48, .absent)], false),
            ([(0, .absent), (24, .unknown), (48, .absent), (72, .absent)], true),
            ([(0, .absent), (24, .absent), (72, .unknown)], false),
            // The clock was set back.
            ([(100, .absent), (0, .absent), (24, .absent)], false),
            ([(100, .absent), (0, .absent), (24, .absent), (48, .absent)], true),
        ] as [([(Int, AbsenceCount.Evidence)], Bool)])
    func anObjectIsRemovedAfterThreeListsOverTwoDays(
        syncs: [(hour: Int, evidence: AbsenceCount.Evidence)], mayRemove: Bool
    ) {
        var rule = DeletionDescription()
        rule.rule = .absence
        var count: AbsenceCount?
        for sync in syncs {
            count = .after(count, sync.evidence, at: Timestamp(seconds: 1_700_000_000 + sync.hour * 3600))
        }
        #expect((count?.mayRemove(by: rule) ?? false) == mayRemove)
        for other in [DeletionDescription.Rule.never, .signal] {
            rule.rule = other
            #expect(count?.mayRemove(by: rule) != true)
        }
    }

    @Test func theRuleOfTheDescriptionDecides() {
        var rule = DeletionDescription()
        (rule.rule, rule.lists, rule.apart) = (.absence, 2, .milliseconds(1_500))
        var count = AbsenceCount.after(nil, .absent, at: Timestamp(seconds: 10, nanoseconds: 900_000_000))
        count = .after(count, .absent, at: Timestamp(seconds: 12, nanoseconds: 300_000_000))
        #expect(count?.lists == 2 && count?.mayRemove(by: rule) == false)
        count = .after(count, .absent, at: Timestamp(seconds: 12, nanoseconds: 400_000_000))
        #expect(count?.mayRemove(by: rule) == true)
    }
}

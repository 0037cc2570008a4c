import Testing

@testable import MirrorHTTP

@Suite("Progress of a download in parts") struct MediaProgressTests {
    @Test func aRangedDownloadContinuesWhileEachAttemptBringsNewBytes() {
        var progress = MediaProgress(length: 0)
        for part in 1...1_000 {
            let isFurther = progress.advances(to: part * 65_536)
            #expect(isFurther)
        }
        #expect(!progress.hasStalled)
    }

    @Test func aRangedDownloadEndsAfterTooManySmallParts() {
        var progress = MediaProgress(length: 0)
        let further = (1...65).map { progress.advances(to: $0) }
        #expect(further == Array(repeating: true, count: 64) + [false])
        #expect(progress.hasStalled)
    }

    @Test func aRangedDownloadEndsWhenAnAttemptBringsNoNewBytes() {
        var progress = MediaProgress(length: 10)
        let further = [10, 5, 11].map { progress.advances(to: $0) }
        #expect(further == [false, false, true])
    }
}

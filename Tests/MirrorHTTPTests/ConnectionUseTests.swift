import MirrorHTTP
import Testing

@Suite struct ConnectionUseTests {
    /// Whether one of the responses shows that several connections are in use; times in milliseconds.
    private func showsSeveral(_ responses: [(connection: Int, began: Int)], since: Int = 0) -> Bool {
        var use = ConnectionUse()
        use.startOver(at: .milliseconds(since))
        return responses.contains { use.answered(on: $0.connection, began: .milliseconds($0.began)) }
    }

    @Test func oneConnectionIsNotSeveral() {
        #expect(!showsSeveral((0..<1_000).map { (1, $0) }))
    }

    @Test func aConnectionThatIsUsedAgainAfterTheNextOneShowsSeveral() {
        #expect(!showsSeveral([(1, 0), (1, 500), (2, 1_000), (2, 1_500), (1, 1_500)]))
        #expect(showsSeveral([(1, 0), (1, 500), (2, 1_000), (2, 2_100), (1, 2_100)]))
        // The responses on the new connection arrive later, because it has to be made.
        #expect(showsSeveral([(1, 0), (1, 500), (1, 2_100), (2, 2_200), (2, 1_000)]))
    }

    @Test func connectionsThatTheServerClosesOneAfterTheOtherAreNotSeveral() {
        // The requests that were in flight on the first connection end after the second one was made.
        #expect(
            !showsSeveral([
                (1, 0), (1, 500), (2, 1_000), (1, 600), (1, 990), (2, 3_000), (3, 4_000), (2, 3_500),
                (3, 9_000),
            ]))
        #expect(!showsSeveral((0..<50_000).map { ($0 / 1_000, $0) }))
        // Requests that the first connection didn't accept any more are repeated on many others.
        #expect(!showsSeveral((0..<1_000).map { (1, $0) } + (0..<80).map { ($0 + 2, 900 + $0) }))
    }

    @Test func requestsFromBeforeTheStartAreIgnored() {
        #expect(!showsSeveral([(1, 0), (1, 500), (2, 1_000), (1, 2_100), (2, 2_200)], since: 2_150))
    }
}

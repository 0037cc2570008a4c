import MirrorHTTP
import Testing

@Suite struct ConnectionUseTests {
    /// Whether one of the responses shows that several connections are in use; times in milliseconds.
    private func showsSeveral(
        _ responses: [(connection: Int, began: Int)], since: Int = 0, time: Int = 40
    ) -> Bool {
        var use = ConnectionUse()
        use.startOver(at: .milliseconds(since))
        return responses.contains {
            use.answered(
                on: $0.connection, began: .milliseconds($0.began), now: .milliseconds($0.began + time))
        }
    }

    @Test func oneConnectionIsNotSeveral() {
        #expect(!showsSeveral((0..<1_000).map { (1, $0) }))
    }

    /// Requests every 50 ms.
    private func requests(_ connection: Int, _ times: ClosedRange<Int>) -> [(connection: Int, began: Int)] {
        stride(from: times.lowerBound, through: times.upperBound, by: 50).map { (connection, $0) }
    }

    @Test func aConnectionThatIsUsedTogetherWithAnotherForASecondShowsSeveral() {
        #expect(!showsSeveral(requests(1, 0...1_500) + requests(2, 1_000...2_000)))
        #expect(showsSeveral(requests(1, 0...2_200) + requests(2, 1_000...2_200)))
        // The responses on the new connection arrive later, because it has to be made.
        #expect(showsSeveral(requests(1, 0...3_000) + requests(2, 1_000...3_000)))
    }

    @Test func connectionsThatTheServerClosesOneAfterTheOtherAreNotSeveral() {
        #expect(!showsSeveral((0..<50_000).map { ($0 / 1_000, $0) }))
        // Requests that the first connection didn't accept any more are repeated on many others, each of which is used later.
        var responses = requests(1, 0...990)
        for connection in 2...17 { responses.append((connection, 980)) }
        for connection in 2...17 {
            let start = 500 * connection
            responses += requests(connection, start...(start + 500))
        }
        #expect(!showsSeveral(responses))
    }

    @Test func slowResponsesInBurstsAreNotTakenForPauses() {
        let bursts = stride(from: 0, to: 3_000, by: 300).flatMap { [(1, $0), (2, $0)] }
        #expect(showsSeveral(bursts, time: 300))
    }

    @Test func aSlowRepeatedRequestDoesNotShowSeveral() {
        // It was sent on the first connection, and is answered on another, which is used again later.
        #expect(!showsSeveral([(2, 6_000), (2, 900)] + requests(1, 1_000...5_000)))
    }

    @Test func requestsFromBeforeTheStartAreIgnored() {
        #expect(!showsSeveral(requests(1, 0...2_200) + requests(2, 1_000...2_200), since: 1_500))
    }
}

import Testing

@testable import MirrorServer

@Suite("The requests of a connection that are under way") struct RequestsUnderWayTests {
    @Test func answersAreToTheOldestFirst() {
        var requests = RequestsUnderWay()
        let kinds = [false, true, true, false, true]
        for isHeadOnly in kinds { requests.begin(isHeadOnly: isHeadOnly) }
        var answered: [Bool] = []
        while !requests.isEmpty {
            answered.append(requests.isNextHeadOnly)
            let ended = requests.end()
            #expect(ended)
        }
        #expect(answered == kinds)
    }

    @Test func anAnswerToNoRequestCountsForNone() {
        var requests = RequestsUnderWay()
        let early = requests.end()
        requests.begin(isHeadOnly: true)
        #expect(!early && !requests.isEmpty && requests.isNextHeadOnly)
        let first = requests.end(), second = requests.end()
        #expect(first && !second && requests.isEmpty && !requests.isNextHeadOnly)
    }
}

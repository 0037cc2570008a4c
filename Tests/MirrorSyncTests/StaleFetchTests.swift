import MirrorHTTP
import Testing

@testable import MirrorSync

@Suite("Whether an answer is older than what was announced") struct StaleFetchTests {
    private func body(_ etag: String?, age: Int) -> Fetched {
        var headers: HeaderFields = [:]
        headers["ETag"] = etag
        return .body(Response(head: ResponseHead(status: 200, headers: headers, age: age), body: []))
    }

    @Test(
        arguments: [
            ("\"a\"", "\"b\"", 60, true), ("\"a\"", "\"a\"", 60, false),
            // An answer directly from the server is newer than its announcement.
            ("\"a\"", "\"b\"", 0, false),
            ("W/\"a\"", "\"a\"", 60, false), ("\"a-gzip\"", "\"a\"", 60, false),
            ("W/\"a-br\"", "\"a\"", 60, false),
            ("W/\"a\"", "\"b\"", 60, true),
        ] as [(String, String, Int, Bool)])
    func staleAnswersAreRecognisedByTheirETagAndAge(own: String, announced: String, age: Int, isStale: Bool) {
        #expect(body(own, age: age).isStale(announced: announced) == isStale)
    }

    @Test func answersAreNotStaleIfAnETagIsMissing() {
        #expect(!body(nil, age: 60).isStale(announced: "\"a\""))
        #expect(!body("\"a\"", age: 60).isStale(announced: nil))
    }

    /// A revalidated answer may have any `Age`; only its age on arrival counts.
    @Test func clockDifferencesDoNotMakeAConfirmedAnswerStale() {
        func confirmed(onArrival age: Int) -> Fetched {
            let head = ResponseHead(
                status: 200, headers: ["ETag": "\"a\"", "Age": "3600"], source: .revalidated,
                ageOnArrival: age)
            return .body(Response(head: head, body: []))
        }
        #expect(!confirmed(onArrival: 0).isStale(announced: "\"b\""))
        #expect(confirmed(onArrival: 60).isStale(announced: "\"b\""))
    }

    @Test func aConfirmationCanBeStaleToo() {
        let head = ResponseHead(status: 304, age: 60)
        let confirmed = Fetched.current(.notModified, head)
        #expect(confirmed.isStale(announced: "\"b\"", known: "\"a\""))
        #expect(!confirmed.isStale(announced: "\"a\"", known: "\"a\""))
        #expect(!confirmed.isStale(announced: "\"b\""))
    }
}

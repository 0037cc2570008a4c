import MirrorHTTP
import MirrorTesting
import Testing

/// Answers that are web pages, where JSON is expected.
@Suite struct MarkupTests {
    static let answers: [(body: String, type: String?, isMarkup: Bool)] = [
        ("<!DOCTYPE html><title>Not found</title>", "text/html; charset=utf-8", true),
        (" \r\n<html>", "application/json", true), ("\u{FEFF}<html>", nil, true),
        ("<Error><Code>NoSuchKey</Code></Error>", "application/xml", true),
        ("Access denied", "Text/HTML", true), ("", "text/html", true), ("", "application/xhtml+xml", true),
        (#"{"message": "not found"}"#, "application/json", false),
        (#"{"message": "not found"}"#, "text/html", false), ("[]", "text/html", false),
        ("not found", "text/plain", false), ("", nil, false), ("", "image/jpeg", false),
    ]

    private func answer(_ body: String, _ type: String?, status: Int) -> ScriptedAnswer {
        var headers: HeaderFields = [:]
        headers["Content-Type"] = type
        return .response(status, headers: headers, body: Array(body.utf8))
    }

    @Test(arguments: answers)
    func theErrorOfAnAnswerSaysWhetherItIsMarkup(body: String, type: String?, isMarkup: Bool) async throws {
        for status in [404, 410, 403] {
            let test = try TestSession()
            test.transport.expect("GET", "/a", answer(body, type, status: status))
            let error = try await httpError {
                _ = try await test.session.fetch(Request(.relative("/a")), known: nil)
            }
            #expect(error?.status == status && error?.isMarkup == isMarkup)
        }
    }

    @Test func theErrorOfADownloadSaysWhetherTheAnswerIsMarkup() async throws {
        let folder = try TemporaryFolder(), test = try TestSession()
        test.transport.expect("GET", "/a", answer("<html>", "text/html", status: 404))
        let error = try await httpError {
            _ = try await test.session.download(TestFile("/a"), to: folder.file("a"))
        }
        #expect(error?.code == .notFound && error?.isMarkup == true)
    }

    @Test func anErrorWithoutAnAnswerSaysNothingAboutMarkup() async throws {
        let test = try TestSession()
        test.transport.expect("GET", "/a", .failure(.badCertificate))
        let error = try await httpError {
            _ = try await test.session.fetch(Request(.relative("/a")), known: nil)
        }
        #expect(error?.code == .badCertificate && error?.isMarkup == nil)
    }

    @Test(arguments: [("<html>", true), ("{", false), ("", false)])
    func anAnswerThatIsNotJSONIsToldFromAWebPage(body: String, isMarkup: Bool) async throws {
        struct Numbers: JSONOperation {
            typealias Output = [Int]
            var endpoint: Request.Target { .relative("/a") }
        }
        let test = try TestSession()
        test.transport.expect("GET", "/a", .text(body))
        let error = try await httpError { _ = try await test.session.send(Numbers()) }
        #expect(error?.code == .notJSON && error?.isMarkup == isMarkup)
        #expect(error?.message.contains("web page") == isMarkup)
    }
}

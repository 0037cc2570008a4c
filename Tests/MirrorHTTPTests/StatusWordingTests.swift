import MirrorHTTP
import MirrorTesting
import Testing

@Suite struct StatusWordingTests {
    @Test(arguments: [
        (
            401, HTTPError.Code.notAuthorised,
            "origin.test/api/v1/partner/p/artworks wants a login. Run mirror login, or give another token."
        ),
        (
            404, .notFound,
            "origin.test/api/v1/partner/p/artworks isn't there (404). Check the address and the partner's name."
        ),
        (
            410, .notFound,
            "origin.test/api/v1/partner/p/artworks is gone for good (410). Ask the partner whether the catalogue has another address now."
        ),
        (
            418, .unexpectedStatus,
            "origin.test refuses to serve this program (418). Ask the partner to let it in before you try again."
        ),
    ])
    func whatNoOtherTryWouldMendSaysWhatWould(status: Int, code: HTTPError.Code, message: String) async throws
    {
        let test = try TestSession()
        test.transport.expect("GET", "/partner/p/artworks?ids=1&size=all", .response(status))
        let error = try await httpError {
            _ = try await test.session.fetch(
                Request(.relative("/partner/p/artworks?ids=1&size=all")), known: nil)
        }
        #expect(error?.code == code && error?.status == status)
        #expect(error?.message == message)
    }
}

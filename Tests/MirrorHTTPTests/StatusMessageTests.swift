import MirrorHTTP
import MirrorTesting
import Testing

@Suite struct StatusMessageTests {
    @Test(arguments: [
        (
            401, HTTPError.Code.notAuthorised,
            "origin.test/api/v1/partner/p/artworks requires a login (401). Run mirror login, or give another token."
        ),
        (
            404, .notFound,
            "origin.test/api/v1/partner/p/artworks was not found (404). Check the address and the partner's name."
        ),
        (
            410, .notFound,
            "origin.test/api/v1/partner/p/artworks was permanently removed (410). Ask the partner whether the catalogue has a new address."
        ),
        (
            418, .unexpectedStatus,
            "origin.test refuses requests of this program (418). Ask the partner to allow them before you try again."
        ),
    ])
    func messagesAboutPermanentFailuresNameARemedy(status: Int, code: HTTPError.Code, message: String)
        async throws
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

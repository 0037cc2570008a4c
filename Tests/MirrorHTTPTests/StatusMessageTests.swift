import MirrorHTTP
import MirrorTesting
import Testing

@Suite struct StatusMessageTests {
    @Test(arguments: [
        (
            401, HTTPError.Code.notAuthorised,
            "origin.test/api/v1/partner/p/artworks requires a login or a key (401). Run mirror login, give another token, or check the key of the source."
        ),
        (
            403, .forbidden,
            "origin.test/api/v1/partner/p/artworks was refused (403). Use a login or a key that has access, or try again later."
        ),
        (
            404, .notFound,
            "origin.test/api/v1/partner/p/artworks was not found (404). Check the address and the name."
        ),
        (
            410, .notFound,
            "origin.test/api/v1/partner/p/artworks was permanently removed (410). Ask the server's owner whether there is a new address."
        ),
        (
            418, .unexpectedStatus,
            "origin.test refuses requests of this program (418). Ask the server's owner to allow them before you try again."
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

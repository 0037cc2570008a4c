import Catalogue
import Hummingbird

/// The cookie login, `POST /_session` beside a base. It is offered whether or not anybody may log in, so that what the
/// server asks for can't be told from it.
struct SessionRoutes {
    let access: AccessControl

    func answer(_ request: Request) async throws -> Response {
        guard request.method == .post else { throw Refusal.methodNotAllowed([.post]) }
        let form = try await RequestContent.form(of: request)
        guard let name = form["name"], let password = form["password"] else { throw Refusal.invalid("form") }
        guard let session = access.logIn(name: name, password: password) else { throw Refusal.unauthorised }
        var response = Reply.unkept(.ok, "{\"ok\":true}")
        response.headers[.setCookie] =
            "\(LoginSessions.cookieName)=\(session); Path=/; HttpOnly; SameSite=Strict"
        return response
    }
}

import Hummingbird

/// Decides who may ask: anybody, or those who show the token or have logged in.
final class AccessControl: Sendable {
    private let token: String?
    private let users: [ServedUser]
    let sessions: LoginSessions

    init(token: String?, users: [ServedUser], sessions: LoginSessions = LoginSessions()) {
        self.token = token
        self.users = users
        self.sessions = sessions
    }

    private static let tokenName = HTTPFields.Element.Name("X-Access-Token")

    func admits(_ headers: HTTPFields) -> Bool {
        if token == nil, users.isEmpty { return true }
        if let token, let name = Self.tokenName, let given = headers[name], ConstantTime.equal(given, token) {
            return true
        }
        guard !users.isEmpty, let cookies = headers[.cookie] else { return false }
        return sessions.holds(cookie: cookies)
    }

    /// Begins a session for a name and password; `nil` if they aren't anybody's.
    func logIn(name: String, password: String) -> String? {
        // Every user is compared, so that time doesn't tell which names exist.
        let known = users.reduce(false) { known, user in
            let isUser = ConstantTime.equal(user.name, name),
                isPassword = ConstantTime.equal(user.password, password)
            return known || (isUser && isPassword)
        }
        return known ? sessions.begin() : nil
    }
}

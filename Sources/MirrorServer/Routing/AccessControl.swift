import Catalogue
import Crypto
import Foundation
import Hummingbird
import Synchronization

/// Decides which requests are permitted: all, or only those with the access token or a login session.
struct AccessControl: Sendable {
    let token: String?
    let users: [ServedUser]
    var sessions = LoginSessions()
    var attempts = LoginLimit()

    private static let tokenName = HTTPFields.Element.Name("X-Access-Token")

    func admits(_ headers: HTTPFields) -> Bool {
        if token == nil, users.isEmpty { return true }
        if let token, let name = Self.tokenName, let given = headers[name], isEqual(given, token) {
            return true
        }
        guard !users.isEmpty, let cookies = headers[.cookie] else { return false }
        return sessions.holds(cookie: cookies)
    }

    /// Begins a session; `nil` if no user has this name and password.
    ///
    /// - Throws: ``Refusal`` 429 after too many wrong passwords for the name.
    func logIn(name: String, password: String) throws -> String? {
        if let seconds = attempts.begin(name) { throw Refusal.tooManyAttempts(retryAfter: seconds) }
        // All users are compared, so that the duration doesn't reveal which names exist.
        let known = users.reduce(false) { known, user in
            let isUser = isEqual(user.name, name),
                isPassword = isEqual(user.password, password)
            return known || (isUser && isPassword)
        }
        guard known else { return nil }
        attempts.succeed(name)
        return sessions.begin()
    }
}

/// Compares secrets. The duration reveals neither their length nor the position of a difference.
private func isEqual(_ left: String, _ right: String) -> Bool {
    // Digests have equal lengths, and `==` compares them in constant time.
    SHA256.hash(data: Array(left.utf8)) == SHA256.hash(data: Array(right.utf8))
}

/// The login sessions. Only digests of the cookies are stored, and only in memory.
///
/// A session ends if it isn't used for its lifetime, and when the server stops.
final class LoginSessions: Sendable {
    private static let cookieName = "AuthSession"

    /// The header that sets the cookie of a session.
    ///
    /// - Parameter isSecure: whether it is only sent over https.
    static func cookie(_ session: String, isSecure: Bool) -> String {
        "\(cookieName)=\(session); Path=/; HttpOnly; SameSite=Strict\(isSecure ? "; Secure" : "")"
    }

    private let lifetime: Duration
    private let limit: Int
    private let now: @Sendable () -> ContinuousClock.Instant
    private let ends = Mutex<[SHA256Digest: ContinuousClock.Instant]>([:])

    /// - Parameters:
    ///   - lifetime: the time after the last use at which a session ends. Default: 10 minutes.
    ///   - limit: the maximum number of sessions. At the limit, the session that would end first is removed.
    init(
        lifetime: Duration = .seconds(600), limit: Int = 10_000,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.lifetime = lifetime
        self.limit = limit
        self.now = now
    }

    /// Begins a session and returns the value of its cookie, of which only the digest is stored.
    func begin() -> String {
        let value = (0..<32).map { _ in UInt8.random(in: .min ... .max) }.hexadecimal
        let now = now()
        ends.withLock { ends in
            if ends.count >= limit { ends = ends.filter { $0.value > now } }
            if ends.count >= limit, let first = ends.min(by: { $0.value < $1.value }) {
                ends[first.key] = nil
            }
            ends[SHA256.hash(data: Array(value.utf8))] = now.advanced(by: lifetime)
        }
        return value
    }

    /// Whether a `Cookie` header contains a valid session, whose lifetime then begins again.
    func holds(cookie header: String) -> Bool {
        let now = now()
        return header.split(separator: ";").contains { pair in
            let parts = pair.split(separator: "=", maxSplits: 1)
            guard parts.count == 2, parts[0].drop(while: { $0 == " " }) == Self.cookieName else {
                return false
            }
            let digest = SHA256.hash(data: Array(parts[1].utf8))
            return ends.withLock { ends in
                guard let end = ends[digest], end > now else { return false }
                ends[digest] = now.advanced(by: lifetime)
                return true
            }
        }
    }
}

/// A user who may log in with a cookie session.
public struct ServedUser: Sendable {
    /// The name to log in with.
    public let name: String
    let password: String

    /// Creates a user.
    public init(name: String, password: String) {
        self.name = name
        self.password = password
    }

    /// Reads a file of users, with a line `name:password` for each. Empty lines and lines that begin with `#` are ignored.
    ///
    /// - Throws: ``ServerError/Code/invalidAccess`` if the file can't be read, has no user, or contains an invalid line. The
    ///   error contains no content of the file.
    public static func read(file path: String) throws -> [ServedUser] {
        guard let data = FileManager.default.contents(atPath: path),
            let text = String(validating: data, as: UTF8.self)
        else {
            throw ServerError(
                .invalidAccess,
                "\(path) can't be read. Create a text file with a line name:password for each user.")
        }
        return try parse(text, path: path)
    }

    static func parse(_ text: String, path: String) throws -> [ServedUser] {
        var users: [ServedUser] = []
        let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        for (index, line) in lines.enumerated() {
            if line.isEmpty || line.hasPrefix("#") { continue }
            let parts = line.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2, !parts[0].isEmpty, !parts[1].isEmpty else {
                throw ServerError(
                    .invalidAccess, "Line \(index + 1) of \(path) is not name:password. Correct it.")
            }
            users.append(ServedUser(name: String(parts[0]), password: String(parts[1])))
        }
        guard !users.isEmpty else {
            throw ServerError(
                .invalidAccess, "\(path) contains no user. Add a line name:password for each user.")
        }
        return users
    }
}

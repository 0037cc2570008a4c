import Catalogue
import Crypto
import Foundation
import Hummingbird
import Synchronization

/// Decides which requests are admitted: all, or those with the token or of a user who has logged in.
struct AccessControl: Sendable {
    let token: String?
    let users: [ServedUser]
    var sessions = LoginSessions()

    private static let tokenName = HTTPFields.Element.Name("X-Access-Token")

    func admits(_ headers: HTTPFields) -> Bool {
        if token == nil, users.isEmpty { return true }
        if let token, let name = Self.tokenName, let given = headers[name], isEqual(given, token) {
            return true
        }
        guard !users.isEmpty, let cookies = headers[.cookie] else { return false }
        return sessions.holds(cookie: cookies)
    }

    /// Begins a session for a name and password; `nil` if they aren't anybody's.
    func logIn(name: String, password: String) -> String? {
        // Every user is compared, so that time doesn't tell which names exist.
        let known = users.reduce(false) { known, user in
            let isUser = isEqual(user.name, name),
                isPassword = isEqual(user.password, password)
            return known || (isUser && isPassword)
        }
        return known ? sessions.begin() : nil
    }
}

/// Compares secrets in a time that doesn't tell how much of them agrees, or how long they are.
private func isEqual(_ left: String, _ right: String) -> Bool {
    // Digests have one length, and `==` compares them in constant time.
    SHA256.hash(data: Array(left.utf8)) == SHA256.hash(data: Array(right.utf8))
}

/// Who is logged in: cookies that were given out, kept in memory by their digests.
///
/// A session ends when it wasn't used for its lifetime, and when the server stops.
final class LoginSessions: Sendable {
    static let cookieName = "AuthSession"

    private let lifetime: Duration
    private let limit: Int
    private let now: @Sendable () -> ContinuousClock.Instant
    private let ends = Mutex<[SHA256Digest: ContinuousClock.Instant]>([:])

    /// - Parameters:
    ///   - lifetime: 10 minutes by default.
    ///   - limit: how many there may be at once; the one that would end first makes room.
    init(
        lifetime: Duration = .seconds(600), limit: Int = 10_000,
        now: @escaping @Sendable () -> ContinuousClock.Instant = { .now }
    ) {
        self.lifetime = lifetime
        self.limit = limit
        self.now = now
    }

    /// Begins a session; the value of its cookie is in nobody's hands but the client's.
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

    /// Whether a `Cookie` header has a session that goes on; using it lengthens it.
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
    public let name: String
    let password: String

    public init(name: String, password: String) {
        self.name = name
        self.password = password
    }

    /// Reads a file of users: a line `name:password` each; empty lines, and those that begin with `#`, are left out.
    ///
    /// - Throws: ``ServerError/Code/invalidAccess`` if the file can't be read, has no user, or a line is neither. No
    ///   content of the file is in the error.
    public static func read(file path: String) throws -> [ServedUser] {
        guard let data = FileManager.default.contents(atPath: path),
            let text = String(validating: data, as: UTF8.self)
        else {
            throw ServerError(
                .invalidAccess, "\(path) can't be read. Give a file with a line name:password for each user.")
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
            throw ServerError(.invalidAccess, "\(path) names no user. Give it a line name:password for each.")
        }
        return users
    }
}

/// Adds the access token to what goes to the session's own origin, and to nothing else.
public struct AccessTokenInterceptor: Interceptor, CustomStringConvertible, CustomReflectable {
    private let token: String

    /// - Throws: ``HTTPError`` with code `invalidRequest` if the token can't stand in a header field.
    public init(token: String) throws {
        guard !token.isEmpty, token.utf8.allSatisfy({ (0x21...0x7E).contains($0) }) else {
            throw HTTPError(
                .invalidRequest,
                "The access token is empty or has white space or odd characters in it. Check the file it comes from."
            )
        }
        self.token = token
    }

    public func willSend(_ attempt: inout Attempt) async throws {
        guard attempt.isToOrigin else { return }
        attempt.request.headers["X-Access-Token"] = token
    }

    public var description: String { "AccessTokenInterceptor" }
    /// A dump must not show the token.
    public var customMirror: Mirror { Mirror(self, children: [:]) }
}

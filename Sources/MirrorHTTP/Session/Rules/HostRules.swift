/// The rules that a described catalogue sets for the requests to its server.
///
/// ``InterceptableSession/obeying(_:)`` returns a session that obeys them.
package struct HostRules: Sendable {
    /// How many requests each host may be sent.
    package let limits: RequestBudget.Limits
    /// The answers that mean that a host blocks requests, in the order in which they are tried.
    package let blocks: [HostBlockRule]
    /// The key that the server requires; `nil` if it requires none.
    package let key: AccessKey?
    /// Header fields for requests to the session's own origin. They replace fields of the same name.
    package let headers: HeaderFields
    /// An address for the server's owner to write to, which `User-Agent` contains as a comment.
    package let contact: String?
    /// The names of the hosts besides the base's that may be requested, in lower case, at the scheme's port. Requests and redirects to
    /// other hosts are refused.
    package let hosts: Set<String>
    /// The maximum time of all waits of one request, if the session's own maximum is shorter.
    package let longestWait: Duration
    /// Returns a host's count of the day that was stored last; see ``BudgetInterceptor``.
    let restore: @Sendable (Origin) throws -> RequestBudget.DayCount?
    /// Stores a host's count of the day durably; see ``BudgetInterceptor``.
    let store: @Sendable (Origin, RequestBudget.DayCount) throws -> Void

    /// The number of blocks in a row after which requests fail.
    static let blockLimit = 5

    /// Creates rules. Default: none, and no host besides the base's.
    ///
    /// - Parameters:
    ///   - limits: How many requests each host may be sent.
    ///   - blocks: In the order in which they are tried.
    ///   - key: The key that the server requires.
    ///   - headers: Header fields for requests to the session's own origin.
    ///   - contact: An address for `User-Agent`, without parentheses and backslashes.
    ///   - hosts: The names of further hosts, in lower case.
    ///   - longestWait: `nil`, the default: 5 minutes and the time of 5 of the longest blocks. A request waits for at most 4 blocks
    ///     of its own, because it fails after the fifth, and may have waited for one of another request before. The 5 minutes are
    ///     for `Retry-After` and retries. The rate doesn't matter, because the wait for a slot isn't counted.
    ///   - restore: Returns a host's count of the day that was stored last. Default: there is none.
    ///   - store: Stores a host's count of the day durably. Default: does nothing.
    /// - Throws: ``HTTPError`` with code `invalidRequest` if a header field or the contact isn't valid in HTTP.
    package init(
        limits: RequestBudget.Limits = RequestBudget.Limits(), blocks: [HostBlockRule] = [],
        key: AccessKey? = nil, headers: [(name: String, value: String)] = [], contact: String? = nil,
        hosts: Set<String> = [], longestWait: Duration? = nil,
        restore: @escaping @Sendable (Origin) throws -> RequestBudget.DayCount? = { _ in nil },
        store: @escaping @Sendable (Origin, RequestBudget.DayCount) throws -> Void = { _, _ in }
    ) throws(HTTPError) {
        self.limits = limits
        self.blocks = blocks
        self.key = key
        self.headers = HeaderFields(headers.map { ($0.name, $0.value) })
        self.contact = contact
        self.hosts = hosts
        self.longestWait = longestWait ?? Self.longestWait(blocks)
        self.restore = restore
        self.store = store
        if let line = self.headers.lines.first(where: { !$0.isValid }) {
            let what = URLCharacters.isToken(line.name) ? "The header field \(line.name)" : "A header field"
            throw HTTPError(
                .invalidRequest, "\(what) can't be sent, because it isn't valid in HTTP. Correct it.")
        }
        guard contact.map(Self.isComment) ?? true else {
            throw HTTPError(
                .invalidRequest,
                "The contact can't be sent, because it is empty, or contains parentheses, backslashes, line breaks or characters that aren't ASCII. Give an e-mail address or a web address."
            )
        }
    }

    private static func longestWait(_ blocks: [HostBlockRule]) -> Duration {
        let waits = blocks.map { rule in
            if case .wait(let time) = rule.meaning { time } else { Duration.zero }
        }
        return .seconds(300) + (waits.max() ?? .zero) * blockLimit
    }

    /// Whether a text can be a comment of `User-Agent` (RFC 9110, section 5.6.5).
    private static func isComment(_ text: String) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { (0x20...0x7E).contains($0) && !"()\\".utf8.contains($0) }
    }

    /// The number of requests in flight: the smaller one of the limits' and the session's.
    func concurrency(_ own: Concurrency) -> Concurrency {
        guard let width = limits.width else { return own }
        return if case .fixed(let number) = own { .fixed(min(number, width)) } else { .fixed(width) }
    }

    /// The interceptors of a session with those that these rules need.
    ///
    /// - Budget and blocks follow the throttle, and pacing directly after it. Without a throttle, one is added before pacing and
    ///   retries.
    /// - The header fields and the key are added last, so that no other interceptor sees them.
    package func added(to interceptors: [any Interceptor]) -> [any Interceptor] {
        var list = interceptors
        let index =
            list.firstIndex { $0 is ThrottleInterceptor }
            ?? list.firstIndex { $0 is PacingInterceptor || $0 is RetryInterceptor } ?? list.endIndex
        let throttle: ThrottleInterceptor
        if index < list.endIndex, let known = list[index] as? ThrottleInterceptor {
            throttle = known
        } else {
            // Throttling and retries share one budget of repetitions.
            let budget = list.lazy.compactMap { ($0 as? RetryInterceptor)?.budget }.first
            throttle = ThrottleInterceptor(budget: budget ?? RetryBudget())
            list.insert(throttle, at: index)
        }
        var place = index + 1
        while place < list.endIndex, list[place] is PacingInterceptor { place += 1 }
        if limits.spacing > .zero || limits.perDay != nil {
            list.insert(
                BudgetInterceptor(limits: limits, behind: throttle, restore: restore, store: store), at: place
            )
            place += 1
        }
        if !blocks.isEmpty {
            list.insert(
                BlockInterceptor(rules: blocks, throttle: throttle, limit: Self.blockLimit), at: place)
        }
        if key != nil || !headers.lines.isEmpty {
            list.append(OriginFieldsInterceptor(headers: headers, key: key))
        }
        return list
    }
}

/// Adds header fields and a key to requests to the session's own origin, and to no other requests. It must be the last interceptor.
struct OriginFieldsInterceptor: Interceptor {
    /// They replace fields of the same name.
    let headers: HeaderFields
    /// `nil` for none.
    let key: AccessKey?

    /// Adds the header fields and the key.
    func willSend(_ attempt: inout Attempt) async throws {
        guard attempt.isToOrigin else { return }
        for line in headers.lines { attempt.request.headers[line.name] = line.value }
        key?.add(to: &attempt.request)
    }
}

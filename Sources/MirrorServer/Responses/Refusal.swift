import Hummingbird

/// An error answer: a status and a code for programs. It never contains text of the request.
struct Refusal: Error, Hashable {
    let status: HTTPResponse.Status
    let code: String
    /// The allowed methods, for 405.
    var allow: String?
    /// The number of seconds after which the client may try again, for 429 and 503.
    var retryAfter: Int?
    /// The size of the file in bytes, for 416.
    var size: Int64?
    /// A human-readable sentence, without text of the request.
    var message: String?

    static let notFound = Refusal(status: .notFound, code: "not_found")
    static let badRequest = Refusal(status: .badRequest, code: "bad_request")
    static let unauthorised = Refusal(status: .unauthorized, code: "unauthorized")
    static let readOnly = Refusal(status: .forbidden, code: "read_only")
    static let sinceTooOld = Refusal(status: .badRequest, code: "since_too_old")
    static let unknownEvent = Refusal(status: .gone, code: "unknown_event")
    static let gone = Refusal(status: .gone, code: "gone")
    static let preconditionFailed = Refusal(status: .preconditionFailed, code: "precondition_failed")
    static let bodyTooLarge = Refusal(status: .contentTooLarge, code: "body_too_large")
    static let targetTooLong = Refusal(status: .uriTooLong, code: "uri_too_long")
    static let unavailable = Refusal(status: .serviceUnavailable, code: "unavailable")
    static let overloaded = Refusal(status: .serviceUnavailable, code: "overloaded", retryAfter: 1)
    /// The request was meant for another host.
    static let misdirected = Refusal(
        status: .misdirectedRequest, code: "misdirected_request",
        message: "This server has another name. Use its address, or start it with --public-url.")
    /// A page of another site sent a request that changes something.
    static let foreignOrigin = Refusal(
        status: .forbidden, code: "foreign_origin",
        message:
            "A page of another site sent this request. Use this server's own pages, or start it with --public-url."
    )
    static let failed = Refusal(status: .internalServerError, code: "internal_error")

    /// 400 for an invalid part of the request.
    ///
    /// - Parameters:
    ///   - name: the part's name; the code is `invalid_{name}`.
    ///   - message: must not contain text of the request.
    static func invalid(_ name: String, _ message: String? = nil) -> Refusal {
        Refusal(status: .badRequest, code: "invalid_\(name)", message: message)
    }

    static func methodNotAllowed(_ methods: [HTTPRequest.Method]) -> Refusal {
        Refusal(
            status: .methodNotAllowed, code: "method_not_allowed",
            allow: methods.map(\.rawValue).joined(separator: ", "))
    }

    /// 429 after too many wrong passwords.
    static func tooManyAttempts(retryAfter seconds: Int) -> Refusal {
        Refusal(
            status: .tooManyRequests, code: "too_many_attempts", retryAfter: seconds,
            message: "Too many wrong passwords were sent for this name. Try again in a minute.")
    }

    static func unsatisfiable(size: Int64) -> Refusal {
        Refusal(status: .rangeNotSatisfiable, code: "range_not_satisfiable", size: size)
    }

    var response: Response {
        var headers: HTTPFields = [.contentType: "application/json", .cacheControl: "no-store"]
        if let allow { headers[.allow] = allow }
        if let retryAfter { headers[.retryAfter] = String(retryAfter) }
        if let size { headers[.contentRange] = "bytes */\(size)" }
        let explained = message.map { ",\"message\":\"\($0)\"" } ?? ""
        let body = ByteBuffer(string: "{\"error\":\"\(code)\"\(explained)}")
        return Response(status: status, headers: headers, body: .init(byteBuffer: body))
    }
}

import Hummingbird

extension MessagePage {
    /// The page for an error of a request beside the API: what happened, and what to do.
    init(_ refusal: Refusal) {
        let (title, text) = Self.words(for: refusal)
        self.init(
            refusal.status, code: refusal.code, title: title,
            [Paragraph(text), Paragraph("Or go to", link: ("the first page", "/"))])
    }

    private static func words(for refusal: Refusal) -> (title: String, text: String) {
        switch refusal.status {
        case .badRequest:
            ("This address can’t be read", "A part of it is not valid. Check how it is spelled.")
        case .notFound: ("Nothing has this address", "No page has this address. Check how it is spelled.")
        case .methodNotAllowed:
            (
                "This address can’t be used like this",
                "It only answers requests with the method \(refusal.allow ?? "GET")."
            )
        case .contentTooLarge: ("The form is too long", "Send it with less text.")
        case .uriTooLong:
            ("This address is too long", "Use a shorter one, such as a search with fewer words.")
        case .rangeNotSatisfiable:
            ("The file has no such part", "It is shorter than the range that was requested.")
        case .misdirectedRequest:
            (
                "This server has another name",
                "The request names another host. Use the server’s address, or start it with --public-url."
            )
        case .forbidden where refusal == .foreignOrigin:
            (
                "Another site sent this request",
                "Use this server’s own pages. If they lead here, start the server with --public-url and their address."
            )
        case .tooManyRequests:
            (
                "Too many wrong passwords",
                "This name can’t log in for a minute. Then try again, with the right password."
            )
        case .serviceUnavailable where refusal.retryAfter != nil:
            ("The server is busy", "It answers many requests at the moment. Reload the page in a second.")
        case .serviceUnavailable:
            (
                "This mirror can’t be read now",
                "Try again later. If it stays like this, the messages of the server say why."
            )
        case _ where refusal.status.code < 500:
            ("This request can’t be answered", "The server doesn’t accept it. Check what was sent.")
        default: ("This page could not be made", "The server failed. Its messages say why.")
        }
    }
}

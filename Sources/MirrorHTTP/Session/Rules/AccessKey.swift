import Catalogue

/// The key that a server requires with each request. It is sent to the session's own origin only.
///
/// Each attempt gets it last, so addresses, the cache's keys, logs and messages don't contain it. A server may repeat it in its
/// answers, for example in the address of the next page. There it is overwritten before the cache and the caller get the answer
/// (``hide(in:)``), and it is removed from addresses (``removed(from:isOwn:)``).
package struct AccessKey: Sendable, CustomStringConvertible, CustomReflectable {
    /// Where the key is sent.
    package enum Place: Sendable, Hashable {
        /// In a query item with this name.
        case query(String)
        /// In a header field with this name.
        case header(String)
    }

    /// Where the key is sent.
    package let place: Place
    private let value: String
    /// Finds the key in answers, in all forms in which they may repeat it.
    private let echo: EchoedKey

    /// The number of bytes from which on a key is hidden in answers. A shorter one may be a word of their contents.
    package static let hiddenLength = 8

    /// Creates a key.
    ///
    /// - Throws: ``HTTPError`` with code `invalidRequest` if the key or the name isn't valid in a request.
    package init(_ place: Place, value: String) throws(HTTPError) {
        guard Self.canSend(value) else {
            throw HTTPError(
                .invalidRequest,
                "The key for the server is empty, begins or ends with a space, or contains line breaks or characters that aren't ASCII. Check the environment variable that contains it."
            )
        }
        let name =
            switch place {
            case .query(let name), .header(let name): name
            }
        guard URLCharacters.isToken(name) else {
            throw HTTPError(
                .invalidRequest,
                "The key for the server can't be sent, because its name isn't valid in HTTP. Correct the name."
            )
        }
        self.place = place
        self.value = value
        echo = EchoedKey(value)
    }

    /// Whether a key can be sent: it isn't empty, is in ASCII, and has no spaces around it and no line breaks.
    package static func canSend(_ value: String) -> Bool {
        !value.isEmpty && value.trimmed == value && value.utf8.allSatisfy { (0x20...0x7E).contains($0) }
    }

    /// Adds the key to a request.
    func add(to request: inout TransportRequest) {
        switch place {
        case .query(let name):
            let isFirst = !request.url.utf8.contains(UInt8(ascii: "?"))
            let isComplete = request.url.hasSuffix("?") || request.url.hasSuffix("&")
            request.url += isFirst ? "?" : isComplete ? "" : "&"
            request.url += FormBody.encode([NameValue(name, value)])
        case .header(let name):
            request.headers[name] = value
        }
    }

    /// The address without the query items that contain the key.
    ///
    /// - Parameter isOwn: Whether the address is at the session's origin. There, an item with the key's name is removed with any
    ///   value, because ``add(to:)`` adds the right one.
    func removed(from address: WebAddress, isOwn: Bool) -> WebAddress {
        let target = address.target
        guard let mark = target.firstIndex(of: "?") else { return address }
        let items = target[mark...].dropFirst().split(separator: "&", omittingEmptySubsequences: false)
        let kept = items.filter { !isKey($0, isOwn: isOwn) }
        guard kept.count < items.count else { return address }
        let query = kept.isEmpty ? "" : "?" + kept.joined(separator: "&")
        return WebAddress(origin: address.origin, target: target[..<mark] + query)
    }

    private func isKey(_ item: Substring, isOwn: Bool) -> Bool {
        let name = item.prefix { $0 != "=" }
        let isSame = echo.isWhole(item.dropFirst(name.count + 1))
        if case .query(let own) = place, PercentEncoding.decode(name) == own { return isOwn || isSame }
        return isHidden && isSame
    }

    /// The text with `…` in place of the key.
    func hidden(in text: String) -> String {
        let bytes = Array(text.utf8), ranges = echo.ranges(in: bytes)
        guard !ranges.isEmpty else { return text }
        var hidden = "", start = 0
        for range in ranges {
            hidden += String(decoding: bytes[start..<range.lowerBound], as: UTF8.self) + "…"
            start = range.upperBound
        }
        return hidden + String(decoding: bytes[start...], as: UTF8.self)
    }

    /// Overwrites the key in a response with the letter x. The length stays the same, and so JSON stays JSON.
    ///
    /// A key of fewer than ``hiddenLength`` bytes stays. A body that is streamed to a file or reader isn't changed.
    func hide(in response: inout Response) {
        guard isHidden else { return }
        overwrite(&response.body)
        let lines = response.headers.lines
        guard lines.contains(where: { !echo.ranges(in: Array($0.value.utf8)).isEmpty }) else { return }
        response.head.headers = HeaderFields(
            lines.map { line in
                var bytes = Array(line.value.utf8)
                overwrite(&bytes)
                return (line.name, String(decoding: bytes, as: UTF8.self))
            })
    }

    private func overwrite(_ bytes: inout [UInt8]) {
        for index in echo.ranges(in: bytes).joined() { bytes[index] = UInt8(ascii: "x") }
    }

    private var isHidden: Bool { value.utf8.count >= Self.hiddenLength }

    /// The name of the type, without the key.
    package var description: String { "AccessKey" }
    /// Empty, so that a dump doesn't show the key.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}

import Catalogue

/// A line of a record: a label, and texts, links and times beside it.
struct Fact {
    /// A piece of the value.
    struct Part {
        let text: String
        var href: String?
        /// Whether the link leads to another site.
        var isOutside = false
        var datetime: String?

        var shown: Shown {
            [
                "text": .string(text), "href": .text(href), "isOutside": .flag(isOutside),
                "datetime": .text(datetime),
            ]
        }
    }

    let label: String
    /// A value that is shown as code, such as an id; `nil` for none.
    var code: String?
    var parts: [Part] = []

    init(_ label: String, code: String) { (self.label, self.code) = (label, code) }
    init(_ label: String, _ parts: [Part]) { (self.label, self.parts) = (label, parts) }
    init(_ label: String, _ text: String) { self.init(label, [Part(text: text)]) }

    /// A partner's address: a link if it is one of the web, otherwise only its text.
    init(_ label: String, address: String) {
        self.init(
            label, [Part(text: Self.shortened(address), href: WebAddress.href(address), isOutside: true)])
    }

    /// An address without its scheme.
    static func shortened(_ address: String) -> String {
        for scheme in ["https://", "http://"] where address.hasPrefix(scheme) {
            return String(address.dropFirst(scheme.count))
        }
        return address
    }

    var shown: Shown {
        [
            "label": .string(label), "code": .text(code),
            "parts": .many(parts.map(\.shown)),
        ]
    }

    /// The facts of fields that no other part of a page shows, in their own order.
    ///
    /// - Parameters:
    ///   - shownElsewhere: names of fields.
    ///   - jsonHref: the JSON, to which cut values have a link. Default: none has them.
    static func others(of body: JSONObject, except shownElsewhere: Set<String>, jsonHref: String? = nil)
        -> [Fact]
    {
        let facts = all(of: body, except: shownElsewhere, jsonHref)
        var left = mostText
        let shown = facts.prefix { fact in
            left -= fact.length
            return left >= 0
        }
        let others = facts.count - shown.count
        guard others > 0 else { return facts }
        let more = jsonHref.map { Part(text: "\(CountText(others).digits) more, in the JSON", href: $0) }
        return shown + [Fact("Other fields", [more ?? Part(text: "\(CountText(others).digits) more")])]
    }

    /// The bytes that the facts of other fields may take, so that a page stays below 60 kB.
    private static let mostText = 16_000

    /// The bytes that the fact takes in a page, about.
    private var length: Int {
        50 + PageText.escaped(label).utf8.count
            + parts.reduce(0) { $0 + PageText.escaped($1.text).utf8.count + ($1.href?.utf8.count ?? 0) }
    }

    private static func all(
        of body: JSONObject, except shownElsewhere: Set<String>, _ jsonHref: String?
    ) -> [Fact] {
        body.members.compactMap { member in
            guard !shownElsewhere.contains(member.key) else { return nil }
            let whole = text(member.value), isString = member.value.stringValue != nil
            let (plain, isPart) = isString ? LongText.plain(whole) : (whole, false)
            guard !plain.isEmpty else { return nil }
            let label = label(member.key)
            if case .string(let address) = member.value, WebAddress.href(address) != nil {
                return Fact(label, address: LongText.cut(address, to: 300).text)
            }
            let (shown, isCut) = LongText.cut(plain)
            let part = Part(text: shown)
            guard isCut || isPart || isLong(member.value), let jsonHref else { return Fact(label, [part]) }
            return Fact(label, [part, Part(text: " "), Part(text: wholeOf(member.value), href: jsonHref)])
        }
    }

    /// Whether ``text(_:)`` leaves out entries of a list somewhere in a value.
    private static func isLong(_ value: JSONValue) -> Bool {
        switch value {
        case .array(let elements): elements.count > mostEntries || elements.contains(where: isLong)
        case .object(let object):
            object.members.count > mostEntries || object.members.contains { isLong($0.value) }
        default: false
        }
    }

    /// The text of the link to the whole of a value that is cut.
    private static func wholeOf(_ value: JSONValue) -> String {
        let count = value.arrayValue?.count ?? 0
        return count > 1 ? "All \(CountText(count).digits), in the JSON" : "The whole text, in the JSON"
    }

    /// The entries of a list that are shown.
    private static let mostEntries = 100

    /// `image_rights` as `Image rights`.
    static func label(_ field: String) -> String {
        let words = LongText.cut(field, to: 80).text.replacing("_", with: " ")
        return words.prefix(1).uppercased() + words.dropFirst()
    }

    /// A value in one line; empty for `null` and for empty values.
    static func text(_ value: JSONValue) -> String {
        switch value {
        case .null: ""
        case .bool(let flag): flag ? "Yes" : "No"
        case .number(let number): number.lexeme
        case .string(let text): text
        case .array(let elements):
            entries(elements.prefix(mostEntries).map(text), of: elements.count)
        case .object(let object):
            entries(
                object.members.prefix(mostEntries).map { member in
                    let text = text(member.value)
                    return text.isEmpty ? "" : "\(member.key.replacing("_", with: " ")) \(text)"
                }, of: object.members.count)
        }
    }

    /// The first entries of a list in one line, and how many more there are.
    private static func entries(_ shown: [String], of count: Int) -> String {
        let more = count > shown.count ? ["and \(CountText(count - shown.count).digits) more"] : []
        return (shown.filter { !$0.isEmpty } + more).joined(separator: ", ")
    }
}

/// Addresses of other sites that become links.
enum WebAddress {
    /// The address, if it is one of http or https with a host, and without spaces and control characters; otherwise `nil`.
    static func href(_ address: String) -> String? {
        let lower = address.prefix(8).lowercased()
        guard address.utf8.count <= 2_000,
            let scheme = ["https://", "http://"].first(where: { lower.hasPrefix($0) }),
            address.utf8.count > scheme.utf8.count,
            address.utf8.allSatisfy({ $0 > 0x20 && $0 != 0x7F && $0 != UInt8(ascii: "\\") })
        else { return nil }
        return address
    }
}

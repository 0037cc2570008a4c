import Catalogue

/// Why an object was removed or restored, in words: the evidence that the change log has.
///
/// The log has it as text. A text that no version of this program writes has no words.
struct EvidenceText {
    /// A sentence; `nil` if the evidence is unknown.
    let sentence: String?

    /// - Parameters:
    ///   - evidence: the text in the log.
    ///   - at: when the change was logged, in the store's format.
    init(_ evidence: String?, kind: Kind, at: String, now: Timestamp) {
        sentence = evidence.flatMap { Self.words($0, kind, MomentText(now: now), at) }
    }

    private static let fixed = [
        "the server reports it as deleted": "The server reported that it was deleted.",
        "not listed, and nothing refers to it any more":
            "No list names it, and nothing refers to it any more.",
        "deleted here": "It was deleted in this copy.",
        "deleted here before it was pushed": "It was deleted in this copy, before the server had it.",
        "deleted by a client": "A program that uses this copy deleted it.",
        "restore undone": "Its restoration was undone.",
        "restored": "It was restored.",
        "referred to, though not listed": "Something refers to it, though no list names it.",
        "listed by the server now": "The server lists it now.",
        "listed by the server again": "The server lists it again.",
    ]

    private static func words(_ evidence: String, _ kind: Kind, _ moments: MomentText, _ at: String)
        -> String?
    {
        if let sentence = fixed[evidence] { return sentence }
        func after(_ start: String) -> Substring? {
            evidence.utf8.starts(with: start.utf8) ? evidence.dropFirst(start.count) : nil
        }
        if after("not in ") != nil { return list(evidence, kind, moments, at) }
        if after("deleted, says ") != nil {
            return "The server reported on \(moments.at(at)) that it was deleted."
        }
        if after("absent in the answer of ") != nil {
            return "No list names it, and on \(moments.at(at)) its own address had nothing."
        }
        if let run = after("restored from run "), let number = Int(run) {
            return "It was restored from run \(number)."
        }
        if let rest = after("ended "), let middle = rest.firstRange(of: "; shows are kept for ") {
            let days = rest[middle.upperBound...].prefix { $0.isASCII && $0.isNumber }
            let end = String(rest[..<middle.lowerBound])
            guard let days = Int(days), Timestamp(end) != nil else { return nil }
            return
                "It ended on \(moments.day(end)), and shows are kept for \(CountText(days).words) days after their end."
        }
        if let status = status(evidence) {
            return "On \(moments.at(at)) its own address answered \(status)."
        }
        return nil
    }

    /// `not in URL; 404 from URL; missing from 3 complete lists since TIME`
    private static func list(_ evidence: String, _ kind: Kind, _ moments: MomentText, _ at: String) -> String
    {
        let parts = evidence.split(separator: "; ").dropFirst()
        var sentence = "The complete list of \(kind.plural), read on \(moments.at(at)), no longer names it"
        if let status = parts.lazy.compactMap({ Self.status($0) }).first {
            sentence += ", and its own address answered \(status)"
        }
        if let missing = parts.last(where: { $0.hasPrefix("missing from ") }) {
            let words = missing.split(separator: " ")
            if let count = words.dropFirst(2).first.flatMap({ Int($0) }),
                let since = words.last.map(String.init),
                Timestamp(since) != nil
            {
                let lists = count == 1 ? "complete list" : "complete lists in a row"
                sentence +=
                    ". \(CountText(count).capitalized) \(lists) lacked it, the first on \(moments.at(since))"
            }
        }
        return sentence + "."
    }

    /// The status of `404 from URL`.
    private static func status(_ text: some StringProtocol) -> String? {
        let digits = text.prefix(3)
        guard digits.count == 3, digits.allSatisfy({ $0.isASCII && $0.isNumber }),
            text.dropFirst(3).hasPrefix(" from ")
        else { return nil }
        return String(digits)
    }
}

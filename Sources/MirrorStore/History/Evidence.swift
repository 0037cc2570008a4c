import Catalogue

/// Why a change was made, for the change log.
///
/// The log has it as a short text (``text``), which `mirror changes` prints. The texts never change, so that the log of an older
/// version reads the same.
package enum Evidence: Sendable, Hashable {
    /// A complete list no longer contains the object.
    ///
    /// - by: the list's URL.
    /// - missing: the URL that answered 404 for the object itself; `nil` if none was asked.
    /// - absences: how often it was absent before, if the source has a rule for that.
    case notListed(by: String, missing: String? = nil, absences: Absences? = nil)
    /// The object's own URL answered with a status, such as 404 or 410.
    case answered(status: Int, url: String)
    /// The answer to a request of several objects, at this URL, lacks the object.
    case absent(in: String)
    /// A list of changes, at this URL, says that the object was deleted.
    case deleted(accordingTo: String)
    /// The server reports the object among those that it deleted.
    case reportedAsDeleted
    /// No artwork names the object any more. It is gathered from artworks.
    case namedByNoArtwork
    /// The object was stored only because something referred to it.
    case unreferenced
    /// A show ended on a day, and shows are kept for a number of days after their end.
    case ended(on: String, keptDays: Int)
    case deletedHere, deletedHereBeforePush, deletedByClient
    /// Restored from what a run deleted; `nil` for deletions outside a run.
    case restored(fromRun: Int64?)
    case restoreUndone
    /// The object is stored because something refers to it, though no list contains it.
    case referredTo
    /// The server lists an object that was only referred to.
    case listedNow
    /// The server lists an object that was restored.
    case listedAgain
    /// The source no longer offers a number of the object's stored pictures.
    case picturesWithdrawn(Int)
    /// One entry stands for everything that a snapshot contained.
    case loaded
    /// Anything else: the URL of a list whose members changed, or what no version writes.
    case other(String)

    /// How often an object was absent from complete lists before it was removed.
    package struct Absences: Sendable, Hashable {
        package let lists: Int
        /// When the first of these lists was read, in the store's format.
        package let since: String

        package init(lists: Int, since: String) { (self.lists, self.since) = (lists, since) }
    }

    private static let fixed: [(evidence: Evidence, text: String)] = [
        (.reportedAsDeleted, "the server reports it as deleted"),
        (.namedByNoArtwork, "no artwork names it any more"),
        (.unreferenced, "not listed, and nothing refers to it any more"), (.deletedHere, "deleted here"),
        (.deletedHereBeforePush, "deleted here before it was pushed"),
        (.deletedByClient, "deleted by a client"), (.restored(fromRun: nil), "restored"),
        (.restoreUndone, "restore undone"), (.referredTo, "referred to, though not listed"),
        (.listedNow, "listed by the server now"), (.listedAgain, "listed by the server again"),
        (.loaded, "loaded as one snapshot"),
    ]

    /// What the log has.
    package var text: String {
        switch self {
        case .notListed(let list, let missing, let absences):
            "not in \(list)" + (missing.map { "; 404 from \($0)" } ?? "")
                + (absences.map { "; missing from \($0.lists) complete lists since \($0.since)" } ?? "")
        case .answered(let status, let url): "\(status) from \(url)"
        case .absent(let url): "absent in the answer of \(url)"
        case .deleted(let url): "deleted, says \(url)"
        case .ended(let day, let days): "ended \(day); shows are kept for \(days) days after their end"
        case .restored(let run?): "restored from run \(run)"
        case .picturesWithdrawn(let count): "the source no longer offers \(count) of its stored pictures"
        case .other(let text): text
        default: Self.fixed.first { $0.evidence == self }?.text ?? ""
        }
    }
}

// MARK: - Reading

extension Evidence {
    /// Reads what the log has.
    package init(_ text: String) {
        let fixed = Self.fixed.first { UTF8Order.equal($0.text, text) }?.evidence
        let found = fixed ?? Self.read(text)
        // What isn't spelled as this version spells it is another text.
        self = found.flatMap { UTF8Order.equal($0.text, text) ? $0 : nil } ?? .other(text)
    }

    private static func read(_ text: String) -> Evidence? {
        if let rest = text.after("not in ") { return notListed(rest) }
        if let url = text.after("absent in the answer of ") { return .absent(in: url) }
        if let url = text.after("deleted, says ") { return .deleted(accordingTo: url) }
        if let run = text.after("restored from run ").flatMap({ Int64($0) }) {
            return .restored(fromRun: run)
        }
        if let rest = text.after("ended ") {
            return rest.between("; shows are kept for ", " days after their end").flatMap { day, days in
                Int(days).map { .ended(on: day, keptDays: $0) }
            }
        }
        if let rest = text.after("the source no longer offers ") {
            return rest.between(" of its stored pictures", "").flatMap { Int($0.0) }.map(
                Evidence.picturesWithdrawn)
        }
        return answer(text).map { .answered(status: $0.status, url: $0.url) }
    }

    /// `URL; 404 from URL; missing from 3 complete lists since TIME`
    private static func notListed(_ text: String) -> Evidence {
        let parts = text.split(separator: "; ", omittingEmptySubsequences: false).map(String.init)
        let counts = parts.last?.after("missing from ")?.between(" complete lists since ", "")
        return .notListed(
            by: parts[0], missing: parts.dropFirst().lazy.compactMap { answer($0)?.url }.first,
            absences: counts.flatMap { lists, since in Int(lists).map { Absences(lists: $0, since: since) } })
    }

    /// `404 from URL`
    private static func answer(_ text: String) -> (status: Int, url: String)? {
        guard let (digits, url) = text.between(" from ", ""), digits.utf8.count == 3, let status = Int(digits)
        else { return nil }
        return (status, url)
    }
}

extension String {
    /// What follows a beginning; `nil` if the text doesn't begin with it.
    fileprivate func after(_ start: String) -> String? {
        utf8.starts(with: start.utf8)
            ? String(decoding: utf8.dropFirst(start.utf8.count), as: UTF8.self) : nil
    }

    /// What precedes the first `middle`, and what is between it and the text's `end`.
    fileprivate func between(_ middle: String, _ end: String) -> (String, String)? {
        guard let found = firstRange(of: middle), hasSuffix(end) else { return nil }
        let rest = self[found.upperBound...]
        return rest.count < end.count
            ? nil : (String(self[..<found.lowerBound]), String(rest.dropLast(end.count)))
    }
}

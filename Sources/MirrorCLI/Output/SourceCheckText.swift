import Catalogue
import CatalogueSources
import MirrorSync

/// The text of a check of a source, to be read from top to bottom.
enum SourceCheckText {
    static func lines(_ report: SourceCheck.Report) -> [String] {
        head(report) + report.kinds.flatMap { [""] + lines($0) } + [""] + hosts(report.hosts) + [
            "", "Result",
        ]
            + report.conclusions.flatMap(item)
    }

    private static func head(_ report: SourceCheck.Report) -> [String] {
        let description = report.description
        let facts: [(String, String?)] = [
            ("base", description.base), ("licence", description.licence),
            ("rate", SourceListText.rate(description.rate)), ("first copy", report.firstCopy?.description),
        ]
        return ["\(description.id.printable): \(description.title.printable)"]
            + facts.compactMap { name, text in
                text.flatMap { $0.isEmpty ? nil : "  \(name.padded(to: 10))  \($0.printable)" }
            }
    }

    private static func lines(_ kind: SourceCheck.KindReport) -> [String] {
        var lines = [kind.kind.plural] + kind.requests.map(line)
        lines += kind.failures.flatMap(item)
        if let page = kind.page { lines += [""] + text(page) }
        for trial in kind.trials {
            let rows = trial.rows.map { Wording.count($0, "row") } ?? "could not be read; see above"
            lines += ["", "  \(trial.key): \(rows)."]
            lines += sentences(trial.findings)
        }
        lines += SourceColumnText.lines(kind)
        if let object = kind.object { lines += [""] + SourceObjectText.lines(object, kind.kind) }
        return lines
    }

    private static func line(_ request: SourceCheck.SentRequest) -> String {
        let answer =
            request.status.map { "\($0), \(Wording.bytes(Int64(request.bytes)))" } ?? "no answer"
        return "  GET \(request.url.printable.truncated(to: 200))  (\(answer))"
    }

    private static func text(_ page: SourceCheck.PageReport) -> [String] {
        var parts = ["\(Wording.count(page.rows, "row"))"]
        parts.append(page.hasObjects ? "with their objects" : "without objects")
        parts.append(page.hasVersions ? "with versions" : "without versions")
        if page.skipped > 0 { parts.append("\(Wording.count(page.skipped)) more that lack what is required") }
        if let total = page.total { parts.append("total \(Wording.count(total))") }
        if let pages = page.pages { parts.append("pages \(Wording.count(pages))") }
        return ["  List: \(parts.joined(separator: ", "))."]
            + sentences(page.proof)
    }

    private static func sentences(_ texts: [String]) -> [String] {
        texts.flatMap { $0.printable.wrapped(to: width).map { "    \($0)" } }
    }

    private static func hosts(_ hosts: [SourceCheck.AskedHost]) -> [String] {
        let names = hosts.map { $0.name.printable }, width = names.map(\.columns).max() ?? 0
        return ["Hosts"]
            + zip(hosts, names).map { host, name in "  \(name.padded(to: width))  \(use(host.use))" }
    }

    private static func use(_ use: SourceCheck.AskedHost.Use) -> String {
        switch use {
        case .catalogue: "lists and objects"
        case .listed(0): "listed"
        case .listed(let pictures): "listed; \(Wording.count(pictures, "picture")) of these objects"
        case .refused(let pictures): "not listed: \(Wording.count(pictures, "picture")) not fetched"
        }
    }

    /// A sentence of a list, wrapped.
    private static func item(_ text: String) -> [String] {
        text.printable.wrapped(to: width).enumerated().map { "  \($0 == 0 ? "-" : " ") \($1)" }
    }

    /// The width of sentences, in columns.
    private static let width = 96
}

/// The object that a check read.
enum SourceObjectText {
    static func lines(_ report: SourceCheck.ObjectReport, _ kind: Kind) -> [String] {
        let object = report.object
        var lines = [
            "  The \(kind.name) \(object.id.printable), from \(report.isFromList ? "the list" : "its own address"), as it is stored:"
        ]
        lines += JSONText.lines(.object(object.json)).map { "    \($0)" }
        if !object.artists.isEmpty { lines.append("  Artists: \(names(object.artists))") }
        if let location = object.location { lines.append("  Location: \(names([location]))") }
        if let members = object.members {
            lines.append("  Artworks: \(some(members.map(\.printable)))")
        }
        for picture in report.pictures {
            lines.append("  Picture \(picture.id.printable.truncated(to: 60))")
            lines += picture.formats.map { "    \($0.name.printable.padded(to: 6))  \($0.url.printable)" }
        }
        return lines
    }

    private static func names(_ objects: [JSONObject]) -> String {
        some(
            objects.map { object in
                let id = (object["id"]?.stringValue ?? "").printable
                return object["name"]?.stringValue.map { "\($0.printable) (\(id))" } ?? id
            })
    }

    private static func some(_ texts: [String]) -> String {
        let shown = texts.prefix(5).map { $0.truncated(to: 80) }.joined(separator: ", ")
        return texts.isEmpty
            ? "none" : shown + (texts.count > 5 ? " and \(Wording.count(texts.count - 5)) more" : "")
    }
}

/// JSON for a person to read: a line for each member, the plain ones of inner objects together.
enum JSONText {
    /// Longer strings are cut.
    private static let longest = 160

    static func lines(_ value: JSONValue) -> [String] { lines(value, "", suffix: "") }

    private static func lines(_ value: JSONValue, _ start: String, suffix: String) -> [String] {
        switch value {
        case .object(let object) where !object.isEmpty && !isShort(value):
            let last = object.count - 1
            return ["\(start){"]
                + object.members.enumerated().flatMap { index, member in
                    lines(
                        member.value, "\(string(member.key)): ", suffix: index == last ? "" : ","
                    ).map { "  \($0)" }
                } + ["}\(suffix)"]
        case .array(let elements) where !elements.isEmpty && !isShort(value):
            return ["\(start)["]
                + elements.enumerated().flatMap { index, element in
                    lines(element, "", suffix: index == elements.count - 1 ? "" : ",").map { "  \($0)" }
                } + ["]\(suffix)"]
        case .string(let text):
            let shown = text.count > longest ? "\(text.prefix(longest))…" : text
            return ["\(start)\(string(shown))\(suffix)"]
        default: return ["\(start)\(value.canonicalText.printableJSON)\(suffix)"]
        }
    }

    private static func string(_ text: String) -> String {
        JSONValue.string(text).canonicalText.printableJSON
    }

    /// Whether a value fits in a line.
    private static func isShort(_ value: JSONValue) -> Bool { value.canonicalText.columns <= 72 }
}

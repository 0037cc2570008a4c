import Catalogue
import Foundation
import MirrorStore
import MirrorSync

/// The text and JSON of the part of `mirror status` about a described source.
extension SourceStatus {
    /// The lines, each with its label.
    func facts(mirror: String) -> [(String, String)] {
        var facts = [("source", name)]
        if !source.selection.isEmpty {
            facts.append(
                (
                    "selection",
                    source.selection.map { "\($0.name)=\($0.value)".printable }.joined(separator: ", ")
                ))
        }
        if let licence { facts.append(("licence", "\(licence.printable) (of the records)")) }
        if let problem { facts.append(("problem", problem.printable)) }
        for host in requests {
            let limit = pace?.perDay.map { " of \(Wording.count($0))" } ?? ""
            facts.append(
                ("requests", "\(Wording.count(host.count))\(limit) today (UTC) to \(host.host.printable)"))
        }
        facts += copies.map { ("copy", Self.line($0)) }
        if let end {
            // A sync with --rate may be faster or slower, which the mirror doesn't remember.
            let limit = pace.flatMap(Wording.limit).map { ", at the description's rate: \($0)" } ?? ""
            facts.append(("", "all objects by about \(Wording.time(end))\(limit)"))
        }
        for (kind, count) in sorted(absent) {
            let its = count == 1 ? "its" : "their"
            facts.append(
                (
                    "absent",
                    "\(Wording.count(count, kind)) (in the source's list, but \(its) own URL was absent; requested again after a day)"
                ))
        }
        for (kind, count) in sorted(missing) {
            facts.append(
                (
                    "missing",
                    "\(Wording.count(count, kind)) (not in the source's last list; mirror list \(kind.name) --missing --partner \(mirror))"
                ))
        }
        return facts
    }

    private var name: String {
        let title = title.map { ": \($0)" } ?? ""
        return "\(source.name)\(title)".printable
    }

    private static func line(_ copy: CopyProgress) -> String {
        guard copy.isListComplete else {
            return "the list of \(copy.kind.plural) is being read: \(Wording.count(copy.listed)) so far"
        }
        let share = copy.listed > 0 ? copy.stored * 100 / copy.listed : 100
        return
            "\(Wording.count(copy.stored)) of \(Wording.count(copy.listed, copy.kind)) stored (\(share) %)"
    }

    private func sorted(_ counts: [Kind: Int]) -> [(Kind, Int)] {
        Kinds.standard.all.compactMap { kind in counts[kind].map { (kind, $0) } }
    }

    var json: JSONObject {
        JSONObject(known: [
            "name": .string(source.name), "title": title.map(JSONValue.string),
            "licence": licence.map(JSONValue.string), "error": problem.map(JSONValue.string),
            "select": .object(JSONObject(source.selection.map { ($0.name, .string($0.value)) })),
            "per_day": pace?.perDay.map(JSONValue.integer),
            "requests_today": .object(JSONObject(requests.map { ($0.host, .integer($0.count)) })),
            "copy": .object(
                JSONObject(
                    copies.map { copy in
                        (
                            copy.kind.name,
                            .object([
                                "listed": .integer(copy.listed), "stored": .integer(copy.stored),
                                "list_complete": .bool(copy.isListComplete),
                            ])
                        )
                    })),
            "done_at": end.map { .string(CatalogueStore.text(of: $0)) },
            "absent": .object(JSONObject(sorted(absent).map { ($0.0.name, .integer($0.1)) })),
            "missing": .object(JSONObject(sorted(missing).map { ($0.0.name, .integer($0.1)) })),
        ])
    }
}

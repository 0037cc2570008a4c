import Catalogue
import CatalogueSources
import MirrorSync

/// The lines that `mirror source check --json` prints.
enum SourceCheckJSON {
    static func print(_ report: SourceCheck.Report, _ results: Results) {
        guard results.isJSON else { return }
        for object in objects(report) { results.output.json(object) }
    }

    /// All lines, the summary last.
    static func objects(_ report: SourceCheck.Report) -> [JSONObject] {
        var objects = report.kinds.flatMap(Self.objects) + report.hosts.map(\.json)
        objects += report.conclusions.map { ["type": "conclusion", "message": .string($0)] }
        var summary: JSONObject = [
            "type": "summary", "outcome": report.failures.isEmpty ? "complete" : "failed",
            "source": .string(report.description.id), "kinds": .integer(report.kinds.count),
            "requests": .integer(report.kinds.reduce(0) { $0 + $1.requests.count }),
            "problems": .integer(report.failures.count),
        ]
        if let error = report.failures.first { summary["error"] = .string(error) }
        return objects + [summary]
    }

    private static func objects(_ report: SourceCheck.KindReport) -> [JSONObject] {
        let kind = JSONValue.string(report.kind.name)
        var objects = report.requests.map { request in
            JSONObject(known: [
                "type": "request", "kind": kind, "url": .string(request.url),
                "status": request.status.map(JSONValue.integer), "bytes": .integer(request.bytes),
            ])
        }
        objects += report.failures.map {
            ["type": "problem", "what": "source", "kind": kind, "message": .string($0)]
        }
        if let page = report.page { objects.append(json(page, kind)) }
        objects += report.trials.map { trial in
            JSONObject(known: [
                "type": "trial", "kind": kind, "key": .string(trial.key),
                "rows": trial.rows.map(JSONValue.integer), "findings": texts(trial.findings),
            ])
        }
        objects += report.columns.map { json($0, kind) }
        objects.append([
            "type": "reading", "kind": kind, "unread": texts(report.unread), "cut": .bool(report.isCut),
            "conditions": .object(
                JSONObject(report.conditions.sorted { $0.key < $1.key }.map { ($0.key, texts($0.value)) })),
        ])
        if let object = report.object { objects.append(json(object, kind)) }
        return objects
    }

    private static func json(_ page: SourceCheck.PageReport, _ kind: JSONValue) -> JSONObject {
        var complete: JSONValue?
        if let verdict = page.verdict { complete = .bool(verdict == .complete) }
        return JSONObject(known: [
            "type": "list", "kind": kind, "rows": .integer(page.rows), "skipped": .integer(page.skipped),
            "total": page.total.map(JSONValue.integer), "pages": page.pages.map(JSONValue.integer),
            "versions": .bool(page.hasVersions), "objects": .bool(page.hasObjects), "complete": complete,
            "proof": texts(page.proof),
        ])
    }

    private static func json(_ column: ColumnReport, _ kind: JSONValue) -> JSONObject {
        JSONObject(known: [
            "type": "column", "kind": kind, "query": .string(column.query), "column": .string(column.column),
            "origins": texts(column.origins), "rows": .integer(column.rows),
            "filled": .integer(column.filled), "example": column.example?.text.map(JSONValue.string),
            "unknown": .bool(column.isUnknown), "nearest": column.nearestField.map(JSONValue.string),
        ])
    }

    private static func json(_ report: SourceCheck.ObjectReport, _ kind: JSONValue) -> JSONObject {
        let object = report.object
        return JSONObject(known: [
            "type": "object", "kind": kind, "id": .string(object.id), "object": .object(object.json),
            "from_list": .bool(report.isFromList),
            "artists": .array(object.artists.map(JSONValue.object)),
            "location": object.location.map(JSONValue.object), "members": object.members.map(texts),
            "unusable": .integer(object.refusedPictures.unusable),
        ])
    }

    private static func texts(_ texts: [String]) -> JSONValue { .array(texts.map(JSONValue.string)) }
}

extension SourceCheck.AskedHost {
    var json: JSONObject {
        let (word, pictures): (String, Int?) =
            switch use {
            case .catalogue: ("catalogue", nil)
            case .listed(let count): ("listed", count)
            case .refused(let count): ("refused", count)
            }
        return JSONObject(known: [
            "type": "host", "name": .string(name), "use": .string(word),
            "pictures": pictures.map(JSONValue.integer),
        ])
    }
}

import Catalogue
import CatalogueSources

/// A source in a list: its name, and what its description says, or what is wrong with it.
struct SourceEntry: Sendable {
    let name: String
    /// The file's path; `nil` for a built-in description.
    let path: String?
    let description: SourceDescription?
    /// About how long a first copy takes; `nil` if the description doesn't say how many works there are.
    let firstCopy: FirstCopy?
    /// What is wrong with the description; `nil` if nothing is.
    let error: SourceDescriptionError?

    /// Compiles the description's queries, too, so that their errors are found.
    init(_ entry: SourceFolder.Entry) {
        (name, path) = (entry.name, entry.path)
        do throws(SourceDescriptionError) {
            let description = try entry.description.get()
            let reader = try SourceReader(description, file: path ?? "\(name).yaml")
            (self.description, firstCopy, error) = (description, reader.firstCopy, nil)
        } catch {
            (description, firstCopy, self.error) = (nil, nil, error)
        }
    }

    var json: JSONObject {
        let rate = description?.rate
        return JSONObject(known: [
            "type": "source", "name": .string(name), "built_in": .bool(path == nil),
            "path": path.map(JSONValue.string), "title": (description?.title).map(JSONValue.string),
            "works": (description?.works).map(JSONValue.integer),
            "licence": (description?.licence).map(JSONValue.string),
            "requests_per_second": (rate?.perSecond).flatMap(JSONNumber.init).map(JSONValue.number),
            "requests_per_day": (rate?.perDay).map(JSONValue.integer),
            "first_copy_requests": (firstCopy?.requests).map(JSONValue.integer),
            "first_copy_seconds": (firstCopy?.duration).map { .integer(Int($0.components.seconds)) },
            "error": error.map { .string($0.description) },
        ])
    }
}

/// The list of sources, as text.
enum SourceListText {
    static func lines(_ entries: [SourceEntry]) -> [String] {
        var table = TextTable(
            header: ["name", "title", "works", "licence", "rate", "a first copy"],
            textColumns: [0, 1, 3, 4, 5])
        for entry in entries {
            guard let description = entry.description else { continue }
            table.rows.append([
                entry.name.printable, description.title.printable.truncated(to: 40),
                description.works.map { Wording.count($0) } ?? "",
                description.licence?.printable.truncated(to: 20) ?? "", rate(description.rate),
                entry.firstCopy?.description ?? "",
            ])
        }
        let errors = entries.compactMap { entry in
            entry.error.map { "\(entry.name.printable) can't be used: \($0.description.printable)" }
        }
        return Array(table.lines.dropFirst()) + (errors.isEmpty || table.rows.isEmpty ? [] : [""]) + errors
    }

    /// `1/s`, `60/min, 2,000 a day`; empty without a limit.
    static func rate(_ rate: RequestRate) -> String {
        let units = [1: "s", 60: "min", 3_600: "h", 86_400: "d"]
        let unit = units[Int(rate.interval.components.seconds)] ?? "s"
        let steady = rate.requests.map { number in
            "\(number == number.rounded() ? Wording.count(Int(number)) : "\(number)")/\(unit)"
        }
        let daily = rate.perDay.map { "\(Wording.count($0)) a day" }
        return [steady, daily].compactMap(\.self).joined(separator: ", ")
    }
}

extension RequestRate {
    /// The number of requests in a second; `nil` without a limit.
    var perSecond: Double? {
        requests.map { $0 / Double(max(1, interval.components.seconds)) }
    }
}

import ArgumentParser
import Catalogue
import MirrorSync

/// The format of the results.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print one JSON object per line; the last one is always the summary.")
    var json = false

    /// Runs a command that prints results, and flushes its output. With `--json`, a failure is printed as a summary too.
    ///
    /// - Parameter partner: the mirror of a sync; the summary of a failure then has all fields of a sync's summary.
    func printing(partner: String? = nil, _ body: (Results) async throws -> Void) async throws {
        let results = Results(output: .standard(), isJSON: json)
        do {
            try await body(results)
        } catch {
            if json, !(error is ExitCode) { results.output.json(Self.failure(error, partner: partner)) }
            try results.output.finish()
            throw error
        }
        try results.output.finish()
    }

    /// The summary of a command that failed before it had one.
    static func failure(_ error: any Error, partner: String? = nil) -> JSONObject {
        let message = ErrorMessage.of(error)
        if let partner {
            var summary = SyncSummary(partner: partner, failure: error)
            summary.failure = message
            return summary.json
        }
        let outcome = error is CancellationError ? "cancelled" : "failed"
        return ["type": "summary", "outcome": .string(outcome), "error": .string(message)]
    }
}

/// Prints results as JSON or as text.
struct Results: Sendable {
    let output: LineOutput
    let isJSON: Bool

    /// Prints one result: an object with `--json`, else lines.
    func add(_ json: @autoclosure () throws -> JSONObject, lines: @autoclosure () throws -> [String]) rethrows
    {
        if isJSON { output.json(try json()) } else { try self.lines(lines()) }
    }

    /// Prints one result: an object with `--json`, else a line.
    func add(_ json: @autoclosure () throws -> JSONObject, _ line: @autoclosure () throws -> String) rethrows
    {
        try add(json(), lines: [line()])
    }

    /// Prints a line, except with `--json`.
    func line(_ text: String) { lines([text]) }

    /// Prints lines, except with `--json`.
    func lines(_ lines: [String]) {
        guard !isJSON else { return }
        for line in lines { output.line(line) }
    }

    /// Prints the summary with `--json`, as the last object.
    func summary(_ counts: (String, Int)..., outcome: String = "complete") {
        guard isJSON else { return }
        var object: JSONObject = ["type": "summary", "outcome": .string(outcome)]
        for (name, count) in counts { object[name] = .integer(count) }
        output.json(object)
    }
}

extension LineOutput {
    /// Adds an object as a line.
    func json(_ object: JSONObject) { line(object.canonicalText.printableJSON) }
}

import ArgumentParser
import Catalogue
import MirrorSync

/// In which form results are printed.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print one JSON object a line; the last one is always the summary.")
    var json = false

    /// Runs a command that prints results: its output is written out, and with `--json` a failure is a summary too.
    ///
    /// - Parameter partner: the mirror that a run is of: then the summary has all that a run's summary has.
    func printing(partner: String? = nil, _ body: (LineOutput) async throws -> Void) async throws {
        let output = LineOutput.standard()
        do {
            try await body(output)
        } catch let code as ExitCode {
            try output.finish()
            throw code
        } catch {
            if json { output.json(OutputOptions.failure(error, partner: partner)) }
            try output.finish()
            throw error
        }
        try output.finish()
    }

    /// The summary of what ended before it had one.
    static func failure(_ error: any Error, partner: String? = nil) -> JSONObject {
        if let partner {
            var summary = SyncSummary(partner: partner, failure: error)
            summary.failure = Sentence.of(error)
            return summary.json
        }
        return [
            "type": "summary", "outcome": .string(error is CancellationError ? "cancelled" : "failed"),
            "error": .string(Sentence.of(error)),
        ]
    }
}

extension LineOutput {
    /// Adds an object as a line.
    func json(_ object: JSONObject) { line(object.canonicalText.printableJSON) }

    /// The last line of a command that read something.
    func summary(_ counts: (String, Int)..., outcome: String = "complete") {
        var object: JSONObject = ["type": "summary", "outcome": .string(outcome)]
        for (name, count) in counts { object[name] = .integer(count) }
        json(object)
    }
}

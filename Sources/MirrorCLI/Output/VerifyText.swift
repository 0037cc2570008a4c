import MirrorSync

/// The text of a summary of a verification.
enum VerifyText {
    static func lines(_ summary: VerifySummary, place: String) -> [String] {
        var lines = [headline(summary)]
        if summary.isInterrupted, summary.sync?.outcome != .complete {
            let command = summary.isCatalogue ? "import DIR" : "sync \(summary.partner.printable)"
            lines.append(
                "Its last run was stopped, so objects may be missing. Complete it with: mirror \(command)"
            )
        }
        if summary.findings > 0 {
            var table = TextTable(header: ["", "found"] + (summary.isRepair ? ["left"] : []))
            for what in Finding.What.allCases {
                guard let found = summary.found[what] ?? summary.remaining[what].map({ _ in 0 }) else {
                    continue
                }
                let left = summary.isRepair ? [TextTable.number(summary.remaining[what] ?? 0)] : []
                table.rows.append([what.rawValue, TextTable.number(found)] + left)
            }
            lines += table.lines + [""]
        }
        lines.append(extent(summary))
        if let comparison = summary.comparison {
            let isEqual = !summary.found.keys.contains(where: \.isRemote) && !comparison.changedMeanwhile
            lines.append(Self.comparison(comparison, isEqual: isEqual))
        }
        lines += [
            UnavailableText.sentence(summary.unavailable), UnavailableText.sentence(summary.absent),
        ].compactMap(\.self)
        return lines + ["The files are in \(place.printable)"]
    }

    private static func headline(_ summary: VerifySummary) -> String {
        let name = summary.partner.printable
        return switch summary.outcome {
        case .complete: "\(name) is intact."
        case .repaired: "\(name) is intact again: \(Wording.count(summary.findings, "finding")) repaired."
        case .findings where summary.isRepair: "\(name) is not intact: not everything could be repaired."
        case .findings where summary.found.keys.allSatisfy(\.isRemote):
            "\(name) is intact, but differs from its server: \(Wording.count(summary.findings, "finding"))."
        case .findings: "\(name) is not intact: \(Wording.count(summary.findings, "finding"))."
        case .failed: "\(name) could not be verified completely."
        case .cancelled: "\(name) was not verified completely."
        }
    }

    private static func extent(_ summary: VerifySummary) -> String {
        let read = "\(Wording.count(summary.filesRead)) of them read (\(Wording.bytes(summary.bytesRead)))"
        let parts = [
            "\(Wording.count(summary.checks, "check")) of the database",
            "\(Wording.count(summary.files, "file")) (\(Wording.bytes(summary.bytes)))",
        ]
        return (parts + (summary.filesRead > 0 ? [read] : []) + [Wording.duration(summary.seconds)])
            .joined(separator: ", ")
    }

    private static func comparison(_ comparison: VerifySummary.Comparison, isEqual: Bool) -> String {
        let requests = Wording.count(comparison.requests, "request")
        guard comparison.isByDigest else {
            let how = comparison.isExact ? "by version" : "by id only"
            let objects = Wording.count(comparison.objects, "object")
            let reason =
                comparison.reasonForLists.map { "\($0.printable), so its lists were compared: " } ?? ""
            return "\(reason)\(objects) on the server compared \(how), \(requests)"
        }
        let change =
            comparison.changedMeanwhile
            ? ". The server's catalogue changed during the comparison, so the differences may be new changes. Run the command again."
            : ""
        return (isEqual ? "Equal to the server" : "Compared with the server by its digest")
            + ": \(Wording.count(comparison.objects, "URL")), \(comparison.requests == 1 ? "one request" : requests)\(change)"
    }
}

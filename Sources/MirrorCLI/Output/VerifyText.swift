import MirrorSync

/// What a person reads when a verification has ended.
enum VerifyText {
    static func lines(_ summary: VerifySummary, place: String) -> [String] {
        var lines = [headline(summary)]
        if summary.isInterrupted, summary.sync?.outcome != .complete {
            let command = summary.isCatalogue ? "import DIR" : "sync \(summary.partner.printable)"
            lines.append(
                "Its last run was stopped before its end. What that was to bring comes with: mirror \(command)"
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
            let isEqual = !summary.found.keys.contains(where: \.isRemote) && !comparison.hasMoved
            lines.append(Self.comparison(comparison, isEqual: isEqual))
        }
        lines += [UnavailableText.sentence(summary.unavailable)].compactMap(\.self)
        return lines + ["The files are in \(place.printable)"]
    }

    private static func headline(_ summary: VerifySummary) -> String {
        let name = summary.partner.printable
        return switch summary.outcome {
        case .complete: "\(name) is whole."
        case .repaired: "\(name) is whole again: \(Wording.count(summary.findings, "thing")) mended."
        case .findings where summary.isRepair: "\(name) is not whole, and not all of it could be mended."
        case .findings where summary.found.keys.allSatisfy(\.isRemote):
            "\(name) is whole, and differs from its server in \(Wording.count(summary.findings, "thing"))."
        case .findings: "\(name) is not whole: \(Wording.count(summary.findings, "thing")) found."
        case .failed: "\(name) could not be verified to the end."
        case .cancelled: "\(name) was not verified to the end."
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
            let how = comparison.isExact ? "version by version" : "by their ids alone"
            let objects = Wording.count(comparison.objects, "object")
            let reason = comparison.whyLists.map { "\($0.printable), so its lists were compared: " } ?? ""
            return "\(reason)\(objects) of the server compared \(how), \(requests)"
        }
        let moved =
            comparison.hasMoved
            ? ". The server's catalogue changed meanwhile: what differs may be just that. Ask once more." : ""
        return (isEqual ? "Equal to the server" : "Compared with the server by its digest")
            + ": \(Wording.count(comparison.objects, "URL")), \(comparison.requests == 1 ? "one request" : requests)\(moved)"
    }
}

import Catalogue
import MirrorStore
import MirrorSync

/// Targets for lists and snapshots. The first two bytes of a snapshot's input choose where it is cut into chunks.
extension FuzzTarget {
    static let lists = [
        FuzzTarget(
            "list",
            seeds: [
                "[\"a\",\"b\",7]",
                "[{\"id\":\"a\",\"etag\":\"\\\"e\\\"\",\"lists\":{\"artworks\":\"x\"}}]",
                " [ {\"id\":\"a\",\"object\":{\"id\":\"a\"}} , {\"id\":\"b\",\"deleted_at\":\"2026-01-01T00:00:00Z\"} ] ",
                "[]", "[[1,\"]\"],{\"a\":\"}\\\"\"},true,-1.5e3]",
            ],
            words: jsonWords + ["]", "[", "\"deleted_at\":", "\"object\":", "\"etag\":", "\"lists\":"],
            input: { [[0x5B] + $0 + [0x5D]] }, check: checkList),
        FuzzTarget(
            "snapshot",
            seeds: [
                "\u{3}\u{9}{\"event_id\":\"a-1-b\",\"count\":1,\"bytes\":10}\n{\"url\":\"/artwork/a\",\"etag\":\"\\\"e\\\"\",\"body\":{\"id\":\"a\"}}\n{\"end\":true,\"count\":1}\n",
                "\u{3}\u{9}{\"url\":\"/partner/p/show/s/artworks?ids=1&size=all\",\"etag\":\"W/\\\"x\\\"\",\"body\":[\"a\",\"b\"]}\n\n",
                "\u{1}\u{1}{\"body\":{\"id\":\"a\"},\"etag\":null,\"url\":\"\\u002fme\"}\n",
            ],
            words: jsonWords + [
                "\n", "{\"url\":\"", "\",\"etag\":\"", "\",\"body\":", "\"end\":true", "\"count\":-1",
                "\\\\\"", "\t",
            ],
            input: {
                [
                    [0x40, 0x11] + Array("{\"url\":\"/artwork/a\",\"etag\":\"e\",\"body\":".utf8) + $0 + [
                        0x7D, 0x0A,
                    ]
                ]
            },
            check: checkSnapshot),
        FuzzTarget(
            "members",
            seeds: [
                "[\"a\",\"b\",\"c\"]\n[\"b\",\"a\",\"d\"]", "[]\n[\"a\",\"a\"]",
                "[\"a\",\"b\",\"a\"]\n[\"a\",\"b\",\"b\"]",
                "[{\"id\":\"a\",\"n\":1}]\n[{\"id\":\"a\",\"n\":2}]", "{\"a\":1,\"b\":2}\n{\"b\":3,\"c\":4}",
            ],
            words: [
                "\"a\",", "\"b\",", "[", "]", "\" \",", "\"\",", "\\", "\"é\",", "\n", "{\"id\":\"a\"},",
            ],
            check: checkMembers),
    ]

    /// The chunks of the input that follow its first two bytes, which give their lengths.
    private static func pieces(_ input: [UInt8]) -> (whole: [UInt8], pieces: [[UInt8]])? {
        guard input.count > 2 else { return nil }
        let whole = Array(input.dropFirst(2)), lengths = input.prefix(2).map { 1 + Int($0) }
        var pieces: [[UInt8]] = [], start = 0
        while start < whole.count {
            let end = min(whole.count, start + lengths[pieces.count % 2])
            pieces.append(Array(whole[start..<end]))
            start = end
        }
        return (whole, pieces)
    }

    private struct ListRead {
        var elements: [JSONValue] = []
        var error: JSONError?

        init(_ input: [UInt8]) throws(FuzzFinding) {
            do {
                try JSONValue.readList(input) { elements.append($0) }
            } catch let error as JSONError {
                self.error = error
            } catch {
                throw FuzzFinding("A list is refused with a JSONError.")
            }
        }
    }

    private static func checkList(_ input: [UInt8]) throws(FuzzFinding) {
        let read = try ListRead(input)
        switch Result(catching: { () throws(JSONError) in try JSONValue(parsing: input) }) {
        case .success(.array(let elements)):
            try FuzzFinding.unless(
                read.error == nil && read.elements == elements, "A list is read like an array.")
        case .success:
            try FuzzFinding.unless(
                read.error?.code == .notAnArray, "A value that is not an array is refused as a list.")
        // Each element of a list may be as deep as a value by itself.
        case .failure(let error) where error.code == .tooDeep: break
        case .failure:
            try FuzzFinding.unless(read.error != nil, "Invalid JSON is refused as a list.")
        }
        for element in read.elements {
            guard let entry = try? ListEntry(element) else { continue }
            try FuzzFinding.unless(!entry.id.isBlank, "A list entry has an id.")
        }
    }

    private static func snapshotLines(_ pieces: [[UInt8]]) throws(FuzzFinding) -> (
        lines: [[UInt8]], isTruncated: Bool
    ) {
        var reader = SnapshotLines(), lines: [[UInt8]] = []
        do {
            for piece in pieces { try reader.feed(piece) { lines.append(Array($0)) } }
        } catch {
            throw FuzzFinding("Short lines are accepted.")
        }
        return (lines, reader.endsIncomplete)
    }

    private static func checkSnapshot(_ input: [UInt8]) throws(FuzzFinding) {
        guard let (whole, pieces) = pieces(input) else { return }
        let (lines, isTruncated) = try snapshotLines(pieces)
        let expected = whole.split(separator: 0x0A, omittingEmptySubsequences: false).map(Array.init)
        try FuzzFinding.unless(
            lines == expected.dropLast() && isTruncated == !(expected.last ?? []).isEmpty,
            "The cuts between chunks change no line of a snapshot.")
        for line in expected { try checkSnapshotLine(line) }
    }

    /// Checks that the body that is cut out of a line agrees with the line's JSON.
    private static func checkSnapshotLine(_ line: [UInt8]) throws(FuzzFinding) {
        let object = object(line)
        guard let read = line.withUnsafeBytes({ try? SnapshotLine($0) }) else {
            let isEntry = object?["url"]?.stringValue != nil && object?["body"] != nil
            return try FuzzFinding.unless(!isEntry, "A line with a URL and a body is an entry.")
        }
        guard case .entry(let url, let etag, let body) = read else {
            return try FuzzFinding.unless(object != nil, "A line that can be read is JSON.")
        }
        let value = try? JSONValue(parsing: body)
        guard let object else {
            // The body is parsed later, and refused then.
            return try FuzzFinding.unless(value == nil, "A line that is invalid JSON has no valid body.")
        }
        // With members after the body, the text that was cut out is not JSON: the tree then requests the object instead.
        guard let value else { return }
        try FuzzFinding.unless(value == object["body"], "The body of an entry is that of its line.")
        try FuzzFinding.unless(
            object["url"] == .string(url)
                && object["etag"]?.stringValue.map { .string($0) } == etag.map { JSONValue.string($0) },
            "The URL and ETag of an entry are those of its line.")
    }

    private static func checkMembers(_ input: [UInt8]) throws(FuzzFinding) {
        let parts = input.split(separator: 0x0A, maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return }
        let texts = parts.map { String(decoding: $0, as: UTF8.self) }
        let values = texts.map { try? JSONValue(parsing: $0) }
        guard (try? MemberChanges(old: texts[0], new: texts[1])) != nil else {
            return try FuzzFinding.unless(values.contains(nil), "Lists that are JSON can be compared.")
        }
        guard let old = values[0]?.objectValue, let new = values[1]?.objectValue else { return }
        var object = old
        for change in FieldChanges.between(old, new) {
            try FuzzFinding.unless(
                object[change.name] == change.old, "The old value of a changed field is correct.")
            object[change.name] = change.new
        }
        try FuzzFinding.unless(object == new, "The changed fields turn the old object into the new one.")
    }
}

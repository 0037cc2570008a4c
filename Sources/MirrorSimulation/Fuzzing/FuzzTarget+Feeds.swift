import Catalogue
import MirrorStore
import MirrorSync

/// Targets for the answers of the API's extensions, and for catalogue files.
extension FuzzTarget {
    private static let hash = String(repeating: "0123456789abcdef", count: 4)
    private static let hashes = Array(repeating: "\"\(hash)\"", count: 16).joined(separator: ",")

    static let feeds = [
        FuzzTarget(
            "events",
            seeds: [
                #"{"event_id":"a-1-b","refresh":0,"more":0,"events":[{"id":"x","kind":"artwork","action":1,"etag":"e","object":{"id":"x"}},"#
                    + #"{"id":"x","kind":"artwork","action":3,"object":{"title":"T"}},{"id":"x","kind":"artwork","action":0}]}"#,
                #"{"event_id":7,"refresh":"255","more":true,"events":null}"#,
                #"{"event_id":"z","events":[{"id":"y","kind":"show","action":"2","lists":{"artworks":"a","b":1}},{"id":"y","kind":"show","action":1}]}"#,
            ],
            words: jsonWords + [
                "\"action\":0", "\"action\":1", "\"action\":2", "\"action\":3", "\"action\":9",
                "\"kind\":\"show\"",
                "\"refresh\":", "\"object\":{}", "\"more\":1",
            ],
            input: {
                [
                    Array(
                        "{\"event_id\":\"e\",\"events\":[{\"id\":\"x\",\"kind\":\"artwork\",\"action\":1,\"object\":"
                            .utf8) + $0 + Array("}]}".utf8)
                ]
            },
            check: checkEvents),
        FuzzTarget(
            "digest",
            seeds: [
                "{\"prefix\":\"a\",\"hash\":\"\(hash)\",\"children\":[\(hashes)]}",
                "{\"prefix\":\"\",\"hash\":\"\(hash)\",\"leaves\":[{\"url\":\"/me\",\"etag\":\"e\"}]}",
            ],
            words: jsonWords + [
                "\"\(hash)\"", "\"\(hash)\",", "\"children\":", "\"leaves\":", "A", "F", "g",
            ],
            check: checkDigest),
        FuzzTarget(
            "event id", seeds: ["abc123-17-kf3", "a-0-0", "0-9223372036854775807-3w5e11264sgsf"],
            words: ["-", "0", "+", "Z", "9223372036854775808"], check: checkEventID),
        FuzzTarget(
            "catalogue file",
            seeds: [
                "\u{FEFF}{\"id\":\"a\"}\n\n{\"id\":7}\r\n  \n{\"id\":\"c\",\"x\":[1]}",
                "{\"id\":\"a\\u0000\"}\n", "{}\n",
            ],
            words: jsonWords + ["\n", "\r\n", "\n\n", " "], input: { [$0 + [0x0A] + $0] }, check: checkFile),
    ]

    private static func checkEvents(_ input: [UInt8]) throws(FuzzFinding) {
        guard let object = object(input), let page = try? EventsAnswer(object) else { return }
        try FuzzFinding.unless(
            (try? EventsAnswer(again(object))) == page, "A page that is written and read again is the same.")
        let folded = EventFold.fold(page.events)
        try FuzzFinding.unless(EventFold.fold(folded) == folded, "Folding twice changes nothing.")
        let subjects = { (events: [PartnerEvent]) in
            Set(events.map { [Array($0.kind.utf8), Array($0.id.utf8)] })
        }
        try FuzzFinding.unless(
            subjects(folded).count == folded.count && subjects(folded) == subjects(page.events),
            "Folding leaves one event for each object.")
        for event in folded
        where page.events.last(where: { $0.kind == event.kind && $0.id == event.id })?.action == .delete {
            try FuzzFinding.unless(
                event.action == .delete, "An object whose last event is a deletion stays deleted.")
        }
    }

    private static func checkDigest(_ input: [UInt8]) throws(FuzzFinding) {
        if let prefix = DigestPrefix(String(decoding: input, as: UTF8.self)) {
            try FuzzFinding.unless(
                DigestPrefix(prefix.text) == prefix, "A prefix that is written and read again is the same.")
        }
        guard let object = object(input), let node = try? DigestAnswer(object) else { return }
        try FuzzFinding.unless(
            (try? DigestAnswer(again(node.json))) == node,
            "A node that is written and read again is the same.")
        try FuzzFinding.unless(DigestPrefix(node.prefix)?.text == node.prefix, "A node has a valid prefix.")
        if case .children(let hashes) = node.content {
            try FuzzFinding.unless(hashes.count == 16, "A node has 16 children.")
        }
    }

    private static func checkEventID(_ input: [UInt8]) throws(FuzzFinding) {
        let text = String(decoding: input, as: UTF8.self)
        guard let id = EventID(text) else { return }
        try FuzzFinding.unless(
            id.text.utf8.elementsEqual(text.utf8) && EventID(id.text) == id && id.seq >= 0,
            "The id of an event has only one spelling.")
    }

    private static func checkFile(_ input: [UInt8]) throws(FuzzFinding) {
        let text = String(decoding: input, as: UTF8.self)
        var numbers: [Int] = [], objects: [JSONObject] = []
        let unusable = try? CatalogueFiles.embedded(["a.jsonl": text]).lines(of: "a.jsonl") { object, line in
            numbers.append(line)
            objects.append(object)
        }
        try FuzzFinding.unless(
            zip(numbers, numbers.dropFirst()).allSatisfy { $0 < $1 }, "Lines are read in order.")
        guard unusable?.isEmpty == true else { return }
        var bytes = text.utf8[...]
        if bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes = bytes.dropFirst(3) }
        let lines = bytes.split(separator: 0x0A).filter { $0.contains { $0 > 0x20 } }
        try FuzzFinding.unless(
            lines.map { Self.object(Array($0)) } == objects, "Each line is an object of the catalogue.")
    }
}

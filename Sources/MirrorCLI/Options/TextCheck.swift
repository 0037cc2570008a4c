import ArgumentParser
import Catalogue
import MirrorStore
import MirrorSync

/// What a person may write as the name of a partner or an album, a description, or a note.
enum TextCheck {
    static let longestNote = 65_536

    static func partner(_ name: String) throws {
        if let fault = MirrorHome.fault(inReservedName: name) { throw ValidationError(fault) }
        guard MirrorHome.isValid(name) else {
            throw ValidationError(
                "A partner's name has 1 to 128 letters, digits, dots, underscores or hyphens, and begins with a letter or digit."
            )
        }
    }

    /// What `--from` may say.
    static func server(_ address: String, of partner: String) throws {
        do {
            _ = try ServerAddress.base(from: address, of: partner)
        } catch {
            throw ValidationError(error.message)
        }
    }

    static func name(_ text: String) throws {
        guard text.contains(where: { !$0.isWhitespace }) else {
            throw ValidationError("A name has at least one letter.")
        }
        try check(text, "A name", most: AlbumChange.longestName, isLine: true)
    }

    static func description(_ text: String) throws {
        try check(text, "A description", most: AlbumChange.longestDescription, isLine: false)
    }

    static func note(_ text: String) throws {
        guard text.contains(where: { !$0.isWhitespace }) else { throw ValidationError("A note has a text.") }
        try check(text, "A note", most: longestNote, isLine: false)
    }

    /// - Parameter most: UTF-8 bytes.
    private static func check(_ text: String, _ what: String, most: Int, isLine: Bool) throws {
        guard text.utf8.count <= most else {
            throw ValidationError(
                "\(what) has at most \(Wording.count(most)) bytes; this one has \(Wording.count(text.utf8.count))."
            )
        }
        let isPlain = text.unicodeScalars.allSatisfy { scalar in
            switch scalar.value {
            case 0x0A, 0x09: !isLine
            case ..<0x20, 0x7F..<0xA0, 0x2028, 0x2029: false
            default: true
            }
        }
        guard isPlain else {
            throw ValidationError("\(what) has no control characters\(isLine ? ", and is one line" : "").")
        }
    }
}

import ArgumentParser
import Catalogue
import MirrorStore
import MirrorSync

/// Validates names of partners and albums, descriptions and notes.
enum TextCheck {
    /// In UTF-8 bytes.
    static let longestNote = 65_536

    static func partner(_ name: String) throws {
        if let fault = MirrorHome.fault(inReservedName: name) { throw ValidationError(fault) }
        guard MirrorHome.isValid(name) else {
            throw ValidationError(
                "The partner's name is not valid. A name has 1 to 128 letters, digits, dots, underscores or hyphens, and begins with a letter or digit."
            )
        }
    }

    /// Checks the value of `--from`.
    static func server(_ address: String, of partner: String) throws {
        do {
            _ = try ServerAddress.base(from: address, of: partner)
        } catch {
            throw ValidationError(error.message)
        }
    }

    static func name(_ text: String) throws {
        guard text.contains(where: { !$0.isWhitespace }) else {
            throw ValidationError("The name is blank. Give at least one visible character.")
        }
        try check(text, "name", most: AlbumChange.maximumNameLength, isLine: true)
    }

    static func description(_ text: String) throws {
        try check(text, "description", most: AlbumChange.maximumDescriptionLength, isLine: false)
    }

    static func note(_ text: String) throws {
        guard text.contains(where: { !$0.isWhitespace }) else {
            throw ValidationError("The note is blank. Give its text.")
        }
        try check(text, "note", most: longestNote, isLine: false)
    }

    /// - Parameters:
    ///   - most: the limit in UTF-8 bytes.
    ///   - isLine: whether line breaks and tabs are rejected.
    private static func check(_ text: String, _ noun: String, most: Int, isLine: Bool) throws {
        guard text.utf8.count <= most else {
            throw ValidationError(
                "The \(noun) has \(Wording.count(text.utf8.count)) bytes. It may have at most \(Wording.count(most)): shorten it."
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
            throw ValidationError(
                "The \(noun) contains control characters\(isLine ? " or line breaks" : ""). Remove them.")
        }
    }
}

import Catalogue
import Crypto

/// Slugs, and ids of artists and locations for which the server has only a name.
enum SourceSlug {
    /// A slug of `[a-z0-9-]` that no other id of the kind has.
    ///
    /// The last part, after the last hyphen, stands for the id alone: the id itself, or a digest if the id has other characters
    /// than `[a-z0-9]`.
    static func slug(title: String?, id: String) -> String {
        let isPlain = id.utf8.allSatisfy { (48...57).contains($0) || (97...122).contains($0) }
        let parts = isPlain ? [words(title ?? ""), id] : [words(title ?? ""), words(id), digest(id)]
        return parts.filter { !$0.isEmpty }.joined(separator: "-")
    }

    /// Makes an id from the name of an artist or location that has none. Equal names give equal ids.
    ///
    /// It contains a hyphen, so that it isn't equal to an id of digits.
    static func id(forName name: String) -> String {
        let words = words(name)
        return "\(words.isEmpty ? "name" : words)-\(digest(name))"
    }

    /// 10 hexadecimal digits.
    private static func digest(_ text: String) -> String {
        SHA256.hash(data: Array(text.utf8)).prefix(5).map { byte in
            let digits = String(byte, radix: 16)
            return byte < 16 ? "0\(digits)" : digits
        }.joined()
    }

    /// The longest text of words in a slug, in bytes.
    private static let lengthLimit = 60

    /// The text in lower case, as `[a-z0-9]` words with hyphens; empty if it has no such character.
    private static func words(_ text: String) -> String {
        var bytes: [UInt8] = [], isAfterWord = false
        for scalar in text.lowercased().unicodeScalars {
            // Combining marks: "é" may be "e" and an accent.
            if (0x300...0x36F).contains(scalar.value) || scalar == "'" || scalar == "’" { continue }
            let isPlain = scalar.isASCII && (("a"..."z").contains(scalar) || ("0"..."9").contains(scalar))
            let letters = scalar.isASCII ? "" : folded[scalar] ?? ""
            guard isPlain || !letters.isEmpty else {
                isAfterWord = !bytes.isEmpty
                continue
            }
            if bytes.count + max(1, letters.utf8.count) >= lengthLimit { break }
            if isAfterWord { bytes.append(UInt8(ascii: "-")) }
            isAfterWord = false
            if isPlain { bytes.append(UInt8(scalar.value)) } else { bytes += letters.utf8 }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    /// Letters of Latin alphabets without their marks.
    private static let folded: [UnicodeScalar: String] = {
        var folded: [UnicodeScalar: String] = [:]
        for line in [
            "a àáâãäåāăą", "ae æ", "c çćĉċč", "d ďđð", "e èéêëēĕėęě", "g ĝğġģ", "h ĥħ", "i ìíîïĩīĭįı", "j ĵ",
            "k ķ", "l ĺļľŀł", "n ñńņňŋ", "o òóôõöøōŏő", "oe œ", "r ŕŗř", "s śŝşšș", "ss ß", "t ţťŧț", "th þ",
            "u ùúûüũūŭůűų", "w ŵ", "y ýÿŷ", "z źżž",
        ] {
            let parts = line.split(separator: " ")
            for scalar in parts[1].unicodeScalars { folded[scalar] = String(parts[0]) }
        }
        return folded
    }()
}

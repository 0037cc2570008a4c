import MirrorStore

/// A JSON array of strings in which nothing is escaped, as the log and the store write lists of ids, read where it stands.
///
/// No string is made of a member before it is told: a list of fifteen thousand, of which ten changed, costs no more than
/// looking at its bytes.
struct PlainIDs {
    /// Bytes of a member, without the quotation marks. Valid as long as the text that they are part of.
    struct ID {
        let bytes: UnsafeBufferPointer<UInt8>

        var text: String { String(decoding: bytes, as: UTF8.self) }
    }

    let ids: [ID]

    /// - Returns: `nil` for anything else, be it JSON or not; for ids that begin with a blank or outside of ASCII, too,
    ///   since some that look like nothing are none.
    init?(_ json: UnsafeBufferPointer<UInt8>) {
        guard json.count >= 2, json.first == UInt8(ascii: "["), json.last == UInt8(ascii: "]") else {
            return nil
        }
        let quote = UInt8(ascii: "\""), end = json.count - 1
        var ids: [ID] = []
        // Ids have about as many characters as this or more.
        ids.reserveCapacity(json.count / 24)
        var place = 1
        while place < end {
            if !ids.isEmpty {
                guard json[place] == UInt8(ascii: ",") else { return nil }
                place += 1
            }
            guard json[place] == quote else { return nil }
            let first = place + 1
            guard json[first] > 0x20, json[first] < 0x7F, json[first] != quote else { return nil }
            place = first
            while json[place] != quote {
                // Before the closing bracket there is another byte yet.
                guard json[place] >= 0x20, json[place] != UInt8(ascii: "\\"), place < end else { return nil }
                place += 1
            }
            ids.append(ID(bytes: UnsafeBufferPointer(rebasing: json[first..<place])))
            place += 1
        }
        self.ids = ids
    }
}

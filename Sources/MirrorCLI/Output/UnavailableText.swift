import MirrorStore

/// What a person reads of pictures and documents that are missing because the server doesn't have them.
enum UnavailableText {
    /// `nil` if there are none.
    static func sentence(_ files: UnavailableFiles) -> String? {
        guard !files.isEmpty else { return nil }
        let isOne = files.images + files.documents == 1
        return
            "\(words(files)) \(isOne ? "is" : "are") missing because the server did not have \(isOne ? "it" : "them") when last requested; a sync with media requests \(isOne ? "it" : "them") again after a day."
    }

    /// `30 pictures and 2 documents`.
    static func words(_ files: UnavailableFiles) -> String {
        let words = [(files.images, "picture"), (files.documents, "document")].filter { $0.0 > 0 }
        return Wording.list(words.map { Wording.count($0.0, $0.1) })
    }
}

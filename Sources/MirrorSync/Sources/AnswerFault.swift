import Catalogue

/// Sentences about answers that are no content, for people who write a description.
enum AnswerFault {
    /// - Parameters:
    ///   - what: What was requested.
    ///   - key: The key of the description that contains the request.
    static func sentence(status: Int, _ what: String, key: String) -> String {
        let start = "The server answered the request of \(what) with status \(status)."
        switch status {
        case 401, 403:
            return
                "\(start) It refuses this program, or requires a key. If the museum gives keys, describe its own with \"key\"; otherwise try again later."
        case 404, 410:
            return "\(start) Compare \"base\" and \"\(key)\" with the documentation of the API."
        case 400, 405, 406, 414, 422:
            return
                "\(start) The server doesn't accept the request. Compare \"\(key)\" with the documentation of the API."
        case 429: return "\(start) There were too many requests. Try again later, with a smaller \"rate\"."
        case 500...: return "\(start) The server failed. Try again later."
        default: return "\(start) Compare \"\(key)\" with the documentation of the API."
        }
    }

    static func absent(_ kind: Kind, _ id: String) -> String {
        "The server says that there is no \(kind.name) \(quoted(id)). If there is, compare \"absent\" and \"get\" of the object with the answer; otherwise choose another with --id."
    }

    /// The id in quotation marks, at most 60 characters of it.
    static func quoted(_ id: String) -> String { "\"\(id.count > 60 ? id.prefix(60) + "…" : id[...])\"" }
}

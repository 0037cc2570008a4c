extension ExitStatus {
    /// What each code means, in the words of the manual page and the README.
    static var meanings: [(code: Int32, meaning: String)] {
        (0...255).compactMap { code in
            ExitStatus(rawValue: code).map { _ in (code, words[code] ?? "") }
        }
    }

    private static let words: [Int32: String] = [
        0: "complete",
        1: "failed: the message says why and what to do; or `verify` found something wrong",
        2: "a dry run with `--exit-code` found changes to make",
        3: "partial: an object, a list or a file failed, the rest was done",
        4: "stopped by the delete guard",
        5: "not authorised",
        6: "another run is working on this mirror",
        64: "wrong usage",
        130: "interrupted; what was done stays",
    ]
}

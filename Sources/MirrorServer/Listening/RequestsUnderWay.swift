/// The requests of a connection that are not answered to their end yet, in their order.
struct RequestsUnderWay {
    private var came = 0
    private var answered = 0
    /// Those for a head alone, by their number; hardly ever any.
    private var headsOnly: [Int] = []

    var isEmpty: Bool { came == answered }

    /// Whether the next answer is one to `HEAD`, which ends with its head (RFC 9110, section 9.3.2).
    var isNextHeadOnly: Bool { headsOnly.first == answered }

    mutating func begin(isHeadOnly: Bool = false) {
        if isHeadOnly { headsOnly.append(came) }
        came += 1
    }

    /// The next one is answered to its end.
    ///
    /// - Returns: `false` if there is none: what isn't HTTP is answered, too, and was no request.
    mutating func end() -> Bool {
        guard !isEmpty else { return false }
        if isNextHeadOnly { headsOnly.removeFirst() }
        answered += 1
        return true
    }
}

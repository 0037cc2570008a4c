/// A place where bytes come in that a server, a file or a client of ours wrote: a parser, with what must hold of it.
///
/// Whatever comes, a door neither traps nor hangs. Most promise more: what is read and written again reads the same; a
/// quick way and the careful way agree; a cut between two chunks changes nothing.
package struct FuzzDoor: Sendable {
    package let name: String
    /// Small inputs of the kind that is expected here, from which others are made.
    package let seeds: [[UInt8]]
    /// Words of its language, put into inputs now and then.
    package let words: [[UInt8]]
    /// Makes an input of a line of a catalogue; `nil` where catalogues have nothing for it.
    package let input: (@Sendable (_ line: [UInt8]) -> [[UInt8]])?
    /// Takes an input.
    ///
    /// - Throws: ``FuzzFinding`` where a promise is broken. What an input is refused with is no finding.
    package let enter: @Sendable (_ input: [UInt8]) throws(FuzzFinding) -> Void

    package init(
        _ name: String, seeds: [String], words: [String] = [],
        input: (@Sendable ([UInt8]) -> [[UInt8]])? = nil,
        enter: @escaping @Sendable ([UInt8]) throws(FuzzFinding) -> Void
    ) {
        self.name = name
        self.seeds = seeds.map { Array($0.utf8) }
        self.words = words.map { Array($0.utf8) }
        self.input = input
        self.enter = enter
    }

    /// All of them.
    package static let all: [FuzzDoor] = json + payloads + lists + feeds + urls + headers + times
}

/// A promise that didn't hold.
package struct FuzzFinding: Error, Sendable, Hashable {
    /// What should have been.
    package let sentence: String

    package init(_ sentence: String) { self.sentence = sentence }

    /// - Throws: a finding, unless the promise is kept.
    static func unless(_ isKept: Bool, _ sentence: @autoclosure () -> String) throws(FuzzFinding) {
        if !isKept { throw FuzzFinding(sentence()) }
    }
}

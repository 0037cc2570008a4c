/// A parser of untrusted bytes (from a server, a file or a client), with the properties that must hold of it.
///
/// No input may trap or hang a target. Most targets check more:
/// - what is read and written again reads the same;
/// - a fast path and the careful path agree;
/// - a cut between two chunks changes nothing.
package struct FuzzTarget: Sendable {
    package let name: String
    /// Small valid inputs, from which others are made.
    package let seeds: [[UInt8]]
    /// Tokens of the input's language, which are sometimes inserted into inputs.
    package let words: [[UInt8]]
    /// Makes inputs from a line of a catalogue; `nil` if the target has no use for catalogues.
    package let input: (@Sendable (_ line: [UInt8]) -> [[UInt8]])?
    /// Parses an input and checks the properties.
    ///
    /// - Throws: ``FuzzFinding`` if a property does not hold. An error of the parser is no finding.
    package let check: @Sendable (_ input: [UInt8]) throws(FuzzFinding) -> Void

    package init(
        _ name: String, seeds: [String], words: [String] = [],
        input: (@Sendable ([UInt8]) -> [[UInt8]])? = nil,
        check: @escaping @Sendable ([UInt8]) throws(FuzzFinding) -> Void
    ) {
        self.name = name
        self.seeds = seeds.map { Array($0.utf8) }
        self.words = words.map { Array($0.utf8) }
        self.input = input
        self.check = check
    }

    /// All targets.
    package static let all: [FuzzTarget] = json + payloads + lists + feeds + urls + headers + times
}

/// A property that did not hold.
package struct FuzzFinding: Error, Sendable, Hashable {
    /// The property, as a sentence.
    package let sentence: String

    package init(_ sentence: String) { self.sentence = sentence }

    /// - Throws: a finding, if `isKept` is `false`.
    static func unless(_ isKept: Bool, _ sentence: @autoclosure () -> String) throws(FuzzFinding) {
        if !isKept { throw FuzzFinding(sentence()) }
    }
}

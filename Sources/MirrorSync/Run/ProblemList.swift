/// Problems that are reported one by one, up to ``limit``; those beyond are only counted.
struct ProblemList: Sendable {
    static let limit = 1_000

    private(set) var problems: [Problem] = []
    private(set) var further = 0

    init(_ problems: some Sequence<Problem> = []) { for problem in problems { add(problem) } }

    mutating func add(_ problem: Problem) {
        if problems.count < Self.limit { problems.append(problem) } else { further += 1 }
    }

    /// A line for the log that stands for the problems beyond the limit; none if there are none.
    static func remarks(on further: Int) -> [Problem] {
        guard further > 0 else { return [] }
        let message = "\(further) more problems were not noted one by one."
        return [Problem(what: "run", kind: nil, id: nil, message: message)]
    }
}

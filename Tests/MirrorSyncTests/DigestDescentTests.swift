import Catalogue
import MirrorTesting
import Testing

@testable import MirrorStore
@testable import MirrorSync

@Suite("Comparing digests") struct DigestDescentTests {
    /// A digest in memory.
    private struct Digest {
        private let sorted: [(key: [UInt8], leaf: DigestLeaf)]

        init(_ etags: [String: String]) {
            sorted = etags.map { DigestLeaf(url: $0, etag: $1) }.map { ($0.key, $0) }
                .sorted { $0.0.lexicographicallyPrecedes($1.0) }
        }

        func leaves(_ prefix: DigestPrefix) -> [DigestLeaf] {
            sorted.filter { prefix.leads(to: $0.key) }.map(\.leaf)
        }

        func node(_ prefix: DigestPrefix) -> DigestNode {
            let leaves = leaves(prefix)
            let content: DigestNode.Content =
                leaves.count > DigestTrie.leafLimit
                ? .children((0..<16).map { DigestTrie.summary(of: leaves, under: prefix.child($0)) })
                : .leaves(leaves)
            return DigestNode(
                prefix: prefix, summary: DigestTrie.summary(of: leaves, under: prefix), content: content)
        }

        func answer(_ prefix: DigestPrefix) -> DigestAnswer {
            let node = node(prefix)
            let content: DigestAnswer.Content =
                switch node.content {
                case .children(let children): .children(children.map(\.hash.hexadecimal))
                case .leaves(let leaves): .leaves(leaves.map { .init(url: $0.url, etag: $0.etag) })
                }
            return DigestAnswer(prefix: prefix.text, hash: node.summary.hash.hexadecimal, content: content)
        }
    }

    /// Compares two digests completely, with at most `limit` requests.
    private func descend(_ mine: Digest, _ theirs: Digest, limit: Int = 1_000) throws -> (
        descent: DigestDescent, requests: Int
    ) {
        var descent = DigestDescent(), requests = 0
        while !descent.questions.isEmpty, requests < limit {
            for question in descent.next(16) {
                requests += 1
                try descent.take(
                    theirs.answer(question.prefix), to: question, mine: mine.node(question.prefix),
                    leaves: mine.leaves)
            }
        }
        return (descent, requests)
    }

    private static func etags(_ count: Int) -> [String: String] {
        Dictionary(uniqueKeysWithValues: (0..<count).map { ("/artwork/\($0)", "\"\($0)\"") })
    }

    @Test(arguments: [0, 1, 16, 17, 500]) func equalDigestsAreComparedInOneRequest(count: Int) throws {
        let digest = Digest(Self.etags(count))
        let (descent, requests) = try descend(digest, digest)
        #expect(requests == 1 && descent.differences.isEmpty && !descent.hasMoved)
    }

    @Test(arguments: [(400, 1), (2_000, 1), (2_000, 10)])
    func aDigestDescentTakesAsManyRequestsAsTheTrieIsDeep(count: Int, differing: Int) throws {
        let mine = Self.etags(count)
        var theirs = mine
        var expected = Set<DigestDescent.Difference>()
        for number in 0..<differing {
            let url = "/artwork/\(number * (count / differing))"
            switch number % 3 {
            case 0: theirs[url] = "\"other\""
            case 1: theirs[url] = nil
            default:
                theirs[url] = nil
                theirs[url + "x"] = "\"new\""
                expected.insert(.init(url: url + "x", mine: nil, theirs: "\"new\""))
            }
            expected.insert(.init(url: url, mine: mine[url], theirs: theirs[url]))
        }
        let (descent, requests) = try descend(Digest(mine), Digest(theirs))
        #expect(Set(descent.differences) == expected && descent.differences.count == expected.count)
        // The root, and for each URL the nodes down to one with at most 16 leaves.
        let depth = count <= 16 * 16 * 4 ? 2 : 3
        #expect(requests <= 1 + expected.count * depth)
    }

    @Test(arguments: [(0, 300), (300, 0), (10, 300), (300, 10)])
    func aDigestDescentFindsAllObjectsThatOneSideLacks(mine: Int, theirs: Int) throws {
        let (descent, _) = try descend(Digest(Self.etags(mine)), Digest(Self.etags(theirs)))
        #expect(descent.differences.count == abs(mine - theirs))
        #expect(descent.differences.allSatisfy { mine > theirs ? $0.theirs == nil : $0.mine == nil })
    }

    @Test func aDigestDescentDetectsAChangeDuringIt() throws {
        let mine = Digest(Self.etags(300))
        var first = Self.etags(300), second = Self.etags(300)
        (first["/artwork/1"], second["/artwork/1"]) = ("\"x\"", "\"y\"")
        var descent = DigestDescent()
        let root = try #require(descent.next(1).first)
        try descent.take(
            Digest(first).answer(.root), to: root, mine: mine.node(.root), leaves: mine.leaves)
        let child = try #require(descent.next(1).first)
        try descent.take(
            Digest(second).answer(child.prefix), to: child, mine: mine.node(child.prefix), leaves: mine.leaves
        )
        #expect(descent.hasMoved)
    }

    @Test func aDigestAnswerBelowTheLastDigitOfAKeyIsRefused() throws {
        let mine = Digest(["/artwork/1": "\"1\""])
        let key = DigestLeaf(url: "/artwork/1", etag: "\"1\"").key.hexadecimal
        let prefix = try #require(DigestPrefix(key))
        let zero = DigestTrie.zero.hexadecimal
        let children = [mine.answer(prefix).hash] + Array(repeating: zero, count: 15)
        let hash = DigestTrie.hash(
            of: children.compactMap([UInt8].init(hexadecimal:)).map { DigestTrie.Summary(hash: $0, count: 0) }
        )
        let answer = DigestAnswer(prefix: key, hash: hash.hexadecimal, content: .children(children))
        var descent = DigestDescent()
        #expect(throws: SyncError.self) {
            try descent.take(
                answer, to: .init(prefix: prefix, expected: nil), mine: mine.node(prefix), leaves: mine.leaves
            )
        }
    }

    @Test func aDigestAnswerThatContradictsItselfIsRefused() throws {
        let mine = Digest(Self.etags(300)), few = Digest(Self.etags(3))
        let right = mine.answer(.root), leaves = few.answer(.root)
        guard case .children(var hashes) = right.content, case .leaves(let listed) = leaves.content else {
            return #expect(Bool(false))
        }
        hashes.swapAt(0, 1)
        let broken = [
            DigestAnswer(prefix: "", hash: right.hash, content: .children(hashes)),
            DigestAnswer(prefix: "0", hash: right.hash, content: right.content),
            DigestAnswer(prefix: "", hash: right.hash, content: .leaves(listed)),
            DigestAnswer(prefix: "", hash: leaves.hash, content: .leaves(listed + listed.prefix(1))),
        ]
        for answer in broken {
            #expect(throws: SyncError.self) {
                var descent = DigestDescent()
                let root = try #require(descent.next(1).first)
                try descent.take(answer, to: root, mine: mine.node(.root), leaves: mine.leaves)
            }
        }
    }
}

@Suite("Differences of digests") struct DigestDifferenceTests {
    private let router = Router(partner: "p")

    private func difference(_ url: String, mine: String?, theirs: String?) -> DigestDescent.Difference {
        .init(url: url, mine: mine, theirs: theirs)
    }

    @Test func aDigestDifferenceNamesItsObject() {
        let all = DigestDifference.all(
            [
                difference("/artwork/w", mine: "1", theirs: "2"),
                difference("/artist/a", mine: nil, theirs: "1"),
                difference("/partner/p/album/b/artworks?ids=1&size=all", mine: "1", theirs: "2"),
                difference("/partner/p/show/s/document/d", mine: "1", theirs: nil),
                difference("/nonsense", mine: nil, theirs: "1"),
            ], router: router)
        #expect(
            all.map(\.owner) == [
                Owner(.artwork, "w"), Owner(.artist, "a"), Owner(.album, "b"), Owner(.show, "s"), nil,
            ])
        #expect(all.map { $0.finding(isHere: false).what } == [.changed, .new, .changed, .gone, .new])
        #expect(all[2].finding(isHere: false).message == "The server has another list of its artworks.")
        #expect(all[3].finding(isHere: false).kind == "document" && all[3].finding(isHere: false).id == "d")
        #expect(all.map { $0.finding(isHere: false).url } == all.map(\.difference.url))
    }

    @Test func aPrunedShowIsADigestDifferenceOnlyInANewerVersion() {
        func left(_ etag: String) -> Int {
            DigestDifference.all(
                [
                    difference("/partner/p/show/s", mine: nil, theirs: etag),
                    difference("/partner/p/show/s/artworks?ids=1&size=all", mine: nil, theirs: "1"),
                    difference("/partner/p/show/t", mine: nil, theirs: "1"),
                ], router: router, pruned: [ExactText("s"): "\"old\""]
            ).count
        }
        #expect(left("\"old\"") == 1 && left("\"new\"") == 3)
    }

    @Test func aDigestAuditRequestsListsOnlyForUnexplainedDifferences() {
        func verdict(_ urls: [String]) -> DigestAudit.Verdict {
            DigestAudit.verdict(
                on: DigestDifference.all(
                    urls.map { difference($0, mine: "1", theirs: "2") }, router: router))
        }
        #expect(verdict([]) == .equal && verdict(["/me", "/partner/p/all"]) == .equal)
        #expect(verdict(["/me", "/else"]) == .doubt)
        #expect(
            verdict(["/artwork/w", "/partner_show/s/images?default=0", "/partner/p/show/s"])
                == .differs([.artwork: [ExactText("w")], .show: [ExactText("s")]]))
        var changes = PulledChanges(kind: .artwork, since: "", date: nil)
        changes.members = [("a", "1", nil)]
        changes.gone = ["b"]
        func explains(_ ids: String...) -> Bool {
            DigestAudit.explains(changes, Set(ids.map(ExactText.init)))
        }
        #expect(explains() && explains("a") && explains("a", "b") && !explains("a", "c"))
    }
}

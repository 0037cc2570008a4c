import Catalogue
import CatalogueSources
import Testing

/// Crawls of random lists that change while they are read.
@Suite struct ListCrawlPropertyTests {
    /// In this test no object that was read is removed unnoticed: with a total, objects are never removed and added between
    /// the same two requests; without one, only objects that were not read yet are removed, or, from an unsorted list, objects
    /// of the first page.
    @Test(arguments: ListShape.all)
    func aCompleteListContainsEveryObjectThatExistedDuringTheCrawl(shape: ListShape) throws {
        var wrong: [UInt64] = [], completeAlthoughChanged = 0, incomplete = 0
        for seed in 0..<200 as Range<UInt64> {
            var random = SplitMix(state: seed &* 0x5DEE_CE66)
            let description = try shape.description(size: Int.random(in: 1...5, using: &random))
            var list = ChangingList(description, rows: Int.random(in: 0...24, using: &random), seed: seed)
            list.beginCrawl()
            let rate = [0.02, 0.1, 0.5][Int.random(in: 0..<3, using: &random)]
            let faults =
                shape.hasTotal ? ChangingList.Fault.allCases : [.failure, .rowWithoutID, .lastAnswerAgain]
            let faultRate = seed % 3 == 0 ? 0.1 : 0
            var crawl = try ListCrawl(description, for: .all(thin: false)), changes = 0
            while let request = crawl.next {
                let fault =
                    Double.random(in: 0..<1, using: &random) < faultRate
                    ? faults.randomElement(using: &random) : nil
                if let page = list.answer(request.url, fault) {
                    crawl.receive(page)
                } else {
                    crawl.fail("The page failed.")
                }
                guard Double.random(in: 0..<1, using: &random) < rate else { continue }
                let kinds: [ChangingList.Change] =
                    shape.hasTotal && Bool.random(using: &random) ? [.shrink, .move] : [.grow, .move]
                for _ in 0..<Int.random(in: 1...3, using: &random) {
                    let (sent, first) = (list.sent, list.sentFirst)
                    let isSorted = shape.isNewestFirst
                    var kind = kinds.randomElement(using: &random) ?? .move
                    if !shape.hasTotal, Int.random(in: 0..<4, using: &random) == 0 { kind = .shrink }
                    list.change(kind) { id in
                        shape.hasTotal || !sent.contains(id) || !isSorted && first.contains(id)
                    }
                    changes += 1
                }
            }
            if crawl.verdict == .complete {
                if !list.stayed.isSubset(of: Set(crawl.proof.ids.map(\.text))) { wrong.append(seed) }
                completeAlthoughChanged += changes > 0 ? 1 : 0
            } else {
                incomplete += 1
            }
        }
        #expect(wrong == [], "seeds")
        #expect(completeAlthoughChanged > 0 && incomplete > 0)
    }

    @Test(arguments: ListShape.all + [ListShape(form: .whole), ListShape(form: .whole, hasTotal: true)])
    func aListAtRestIsAlwaysComplete(shape: ListShape) throws {
        for size in 1...5 {
            for count in 0...16 {
                let description = try shape.description(size: size)
                var list = ChangingList(description, rows: count, seed: UInt64(count))
                var crawl = try ListCrawl(description, for: .all(thin: false)), requests = 0
                while let request = crawl.next {
                    let page = list.answer(request.url)
                    crawl.receive(try #require(page))
                    requests += 1
                }
                let pages = shape.form == .whole ? 1 : max(1, (count + size - 1) / size)
                // An empty page at the end, and page one again.
                let others =
                    shape.form == .whole ? 0 : (shape.hasTotal ? 0 : 2) + (shape.isNewestFirst ? 1 : 0)
                let isRight =
                    crawl.verdict == .complete && Set(crawl.proof.ids.map(\.text)) == list.ids
                    && requests <= pages + others
                #expect(
                    isRight,
                    "\(count) rows in pages of \(size): \(crawl.verdict as Any), \(requests) requests")
            }
        }
    }

    /// However the list changes, an object whose own URL answers is never removed. One that no longer exists is removed in the end.
    @Test(arguments: ListShape.all)
    func syncsOfAChangingListNeverRemoveWhatExists(shape: ListShape) throws {
        var rule = DeletionDescription()
        rule.rule = .absence
        var wrong: [UInt64] = [], different: [UInt64] = [], removed = 0
        for seed in 0..<12 as Range<UInt64> {
            var random = SplitMix(state: seed &+ 99)
            let description = try shape.description(size: 4)
            var list = ChangingList(description, rows: 18, seed: seed)
            var stored: Set<String> = [], counts: [String: AbsenceCount] = [:]
            for sync in 0..<24 {
                let isAtRest = sync >= 16
                let rate = isAtRest ? 0 : [0.05, 0.3][Int.random(in: 0..<2, using: &random)]
                list.beginCrawl()
                var crawl = try ListCrawl(description, for: .all(thin: false))
                while let request = crawl.next {
                    let page = list.answer(request.url)
                    crawl.receive(try #require(page))
                    while Double.random(in: 0..<1, using: &random) < rate {
                        list.change(ChangingList.Change.allCases.randomElement(using: &random) ?? .move)
                        if Int.random(in: 0..<4, using: &random) == 0 { list.restore() }
                    }
                }
                stored.formUnion(Set(crawl.proof.ids.map(\.text)))
                let existing = list.ids
                for id in stored {
                    let evidence: AbsenceCount.Evidence =
                        if Set(crawl.proof.ids.map(\.text)).contains(id) {
                            .exists
                        } else if crawl.verdict != .complete {
                            .unknown
                        } else {
                            existing.contains(id) ? .exists : .absent
                        }
                    let time = Timestamp(seconds: 1_700_000_000 + sync * 43_200)
                    counts[id] = .after(counts[id], evidence, at: time)
                    guard counts[id]?.mayRemove(by: rule) == true else { continue }
                    if existing.contains(id) { wrong.append(seed) }
                    stored.remove(id)
                    counts[id] = nil
                    removed += 1
                }
            }
            if stored != list.ids { different.append(seed) }
        }
        #expect(wrong == [] && different == [], "seeds")
        #expect(removed > 0)
    }
}

import Catalogue
import Foundation
import GRDB
import MirrorStore
import MirrorTesting
import Testing

@testable import MirrorSync

@Suite("The pull loop's tables", .fewAtATime)
struct PullTableTests {
    @Test func everyResultHasATransitionAndEndStatesHaveNone() {
        for state in PullState.allCases {
            for result in PullResult.allCases {
                #expect((PullTable.next(after: state, result) != nil) == state.results.contains(result))
            }
        }
        #expect(PullTable.transitions.count == PullState.allCases.reduce(0) { $0 + $1.results.count })
    }

    @Test func everyStateIsReachableAndLeadsToAnEndState() {
        func reached(from start: Set<PullState>, _ steps: [(PullState, PullState)]) -> Set<PullState> {
            var found = start
            while true {
                let more = Set(steps.filter { found.contains($0.0) }.map(\.1)).subtracting(found)
                if more.isEmpty { return found }
                found.formUnion(more)
            }
        }
        let forward = PullTable.transitions.map { ($0.from, $0.to) }
        #expect(reached(from: [PullTable.first], forward) == Set(PullState.allCases))
        let ends = Set(PullState.allCases.filter(\.isEnd))
        #expect(reached(from: ends, forward.map { ($0.1, $0.0) }) == Set(PullState.allCases))
    }

    @Test func thePullStartsAgainWhenTheServerIsHealthyAgain() {
        #expect(PullTable.next(after: .askingStatus, .healthy) == .pulling)
        #expect(PullTable.next(after: .askingStatus, .healthyAtFirst) == .discovering)
        #expect(PullTable.next(after: .slowDelay, .tooLong) == .pulling, "as a run that doesn't wait")
        #expect(PullTable.next(after: .askingStatus, .inTrouble) == .slowDelay)
        #expect(PullTable.next(after: .askingStatus, .unclear) == .fastDelay)
    }

    @Test func thePullDiagramHasEveryStateAndEveryTransition() {
        for state in PullState.allCases { #expect(PullDiagram.dot.contains("\"\(state.rawValue)\" [label")) }
        for step in PullTable.transitions {
            let edge =
                "\"\(step.from.rawValue)\" -> \"\(step.to.rawValue)\" [label=\"\(step.result.rawValue)\"]"
            #expect(PullDiagram.dot.contains(edge))
        }
        for stage in PersistingOrder.stages { #expect(PullDiagram.text.contains(". \(stage.name)\n")) }
    }

    /// Compared with the foreign keys of the database itself, so that none can be missing.
    @Test func everyForeignKeyRefersToATableThatIsPersistedBeforeIt() throws {
        let folder = try TemporaryFolder()
        let store = try CatalogueStore.open(at: folder.path + "/mirror.sqlite")
        defer { try? store.close() }
        let ours = Set(PersistingOrder.stages.flatMap(\.tables))
        var keys: Set<String> = []
        var targets: [String: String] = [:]
        try store.read { db in
            for table in ours {
                for row in try Row.fetchAll(
                    db, sql: "SELECT \"from\", \"table\" FROM pragma_foreign_key_list(?)", arguments: [table])
                {
                    let key = "\(table).\(row[0] as String)"
                    keys.insert(key)
                    targets[key] = row[1]
                }
            }
        }
        #expect(keys == Set(PersistingOrder.stages.flatMap(\.references)))
        for (position, stage) in PersistingOrder.stages.enumerated() {
            for key in stage.references {
                let target = targets[key]
                let first = PersistingOrder.stages.firstIndex { $0.tables.contains(target ?? "") }
                #expect(first.map { $0 <= position } == true, "\(key) refers to \(target ?? "nothing")")
            }
        }
        #expect(PersistingOrder.stages.compactMap(\.kind).filter(\.isListed) == Kinds.standard.listed)
    }
}

import ArgumentParser
import MirrorStore
import MirrorSync

/// A run as a person names it: its number, `latest`, `latest-1` (the one before it), or `good`, the last complete one.
struct RunArgument: ExpressibleByArgument, Equatable {
    enum Name: Equatable {
        case number(Int64)
        /// So many runs before the last one.
        case latest(Int)
        case good
    }

    let name: Name

    init(_ name: Name) { self.name = name }

    init?(argument: String) {
        let word = argument.lowercased()
        if let number = Int64(word), number >= 0, word.first != "+" {
            name = .number(number)
        } else if word == "good" {
            name = .good
        } else if word == "latest" {
            name = .latest(0)
        } else if word.hasPrefix("latest-"), let back = Int(word.dropFirst(7)), back > 0, back < 1_000_000 {
            name = .latest(back)
        } else {
            return nil
        }
    }

    /// As a person writes it.
    var defaultValueDescription: String {
        switch name {
        case .number(let number): "\(number)"
        case .latest(0): "latest"
        case .latest(let back): "latest-\(back)"
        case .good: "good"
        }
    }

    /// - Throws: ``StoreError/Code/unknownRun``.
    func number(in store: CatalogueStore) throws -> Int64 {
        switch name {
        case .number(0): return 0
        case .number(let number):
            try store.checkRun(number)
            return number
        case .latest(let back):
            let runs = try store.runs(limit: back + 1)
            guard runs.count > back else {
                throw StoreError(
                    .unknownRun, "There are only \(runs.count) runs in the history. See mirror log --runs.")
            }
            return runs[back].run
        case .good:
            guard let good = try store.lastComplete() else {
                throw StoreError(.unknownRun, "No run in the history was complete. See mirror log --runs.")
            }
            return good.run
        }
    }
}

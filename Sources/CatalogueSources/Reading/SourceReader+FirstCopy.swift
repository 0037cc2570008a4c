import Catalogue

extension SourceReader {
    /// Whether the list of a kind contains the objects, so that none has to be requested; `false` without such a list.
    package func listContainsObjects(of kind: Kind) -> Bool {
        guard let list = description[kind]?.list else { return false }
        return (try? sandbox.columns(of: list.rows).contains("object")) ?? false
    }

    /// About how long a first copy takes; `nil` if the description doesn't say how many works there are.
    package var firstCopy: FirstCopy? {
        FirstCopy(description, listHasObjects: listContainsObjects(of: .artwork))
    }
}

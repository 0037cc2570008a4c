import Catalogue

extension SourceReader {
    /// About how long a first copy takes; `nil` if the description doesn't say how many works there are.
    package var firstCopy: FirstCopy? {
        FirstCopy(description, listHasObjects: listHasObjects(of: .artwork))
    }
}

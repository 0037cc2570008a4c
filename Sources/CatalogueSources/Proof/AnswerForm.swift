import Catalogue

/// The outer form of an answer: whether it is an array, and which keys have arrays or objects as values.
///
/// A page without entries ends a list only if it has the form of the first page. Some servers send an error with status 200, which
/// has no entries either.
package struct AnswerForm: Codable, Sendable, Hashable {
    package var isArray: Bool
    /// The keys whose values are arrays or objects.
    package var containers: Set<String>

    package init(_ answer: JSONValue) {
        switch answer {
        case .array: (isArray, containers) = (true, [])
        case .object(let object):
            isArray = false
            containers = Set(
                object.members.compactMap { member in
                    switch member.value {
                    case .array, .object: member.key
                    default: nil
                    }
                })
        default: (isArray, containers) = (false, [])
        }
    }

    /// Whether everything is there that the first page has.
    func isLike(_ first: AnswerForm) -> Bool {
        isArray == first.isArray && first.containers.isSubset(of: containers)
    }
}

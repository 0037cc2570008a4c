import Catalogue
import CatalogueSources
import Foundation
import MirrorStore

/// How far a run has read a list, as it is stored with each page, so that a later run continues instead of beginning again.
struct UnfinishedCrawl: Codable, Sendable {
    /// What was read: the request, and how it was read. Only an equal reading may be continued.
    var key: String
    /// When the reading began, in seconds since 1970.
    var beganAt: Double
    var progress: ListCrawl.Progress

    /// The time after which a list is read from its beginning again.
    static let longest: TimeInterval = 86_400

    /// The form in which it is stored; `nil` if there is none, so that the next run begins the list again.
    var text: String? { try? String(decoding: JSONEncoder().encode(self), as: UTF8.self) }

    /// The earlier reading that may be continued; `nil` if there is none.
    ///
    /// - Parameters:
    ///   - text: what was stored.
    ///   - key: what is to be read now.
    init?(_ text: String, key: String, now: Date) {
        guard let stored = try? JSONDecoder().decode(UnfinishedCrawl.self, from: Data(text.utf8)),
            stored.key == key, (0..<Self.longest).contains(now.timeIntervalSince1970 - stored.beganAt)
        else { return nil }
        self = stored
    }

    init(key: String, beganAt: Double, progress: ListCrawl.Progress) {
        (self.key, self.beganAt, self.progress) = (key, beganAt, progress)
    }

    /// The key of a list; `nil` if its reading can't be continued, because it consists of several parts or of one answer.
    static func key(_ list: ListDescription, _ catalogue: DescribedCatalogue, of kind: Kind) -> String? {
        let parts = kind == .artwork ? catalogue.selection : []
        guard list.form != .whole, parts.count < 2 else { return nil }
        let selection = parts.map { "\($0.selection.get.text) \($0.option.value)" }
        return ([catalogue.hash, catalogue.description.base, list.get.text] + selection)
            .joined(separator: " ")
    }
}

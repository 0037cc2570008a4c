import Catalogue
import CatalogueSources
import Foundation
import MirrorHTTP

/// Tries a description on its server: one page and one object of each kind, and what each column was read from. Where the
/// description has a list of ids and versions, requests of several objects, or of changes, it sends one of each, too.
///
/// It is for people who write a description. It writes nothing, and uses no cache. What can't be read is part of the report, so
/// that the rest is still reported.
package struct SourceCheck: Sendable {
    private let reader: SourceReader
    private let session: InterceptableSession
    private let kind: Kind?
    private let id: String?
    private let now: Date

    /// - Parameters:
    ///   - session: Obeys the description's rules (``CatalogueSources/SourceDescription/hostRules(environment:longestWait:)``), and
    ///     has no cache.
    ///   - kind: The only kind to check; `nil`, the default, for all that are described, or with an id for artworks.
    ///   - id: The object to request; `nil`, the default, for the first in the list. With it, the requests of later syncs
    ///     are left out.
    ///   - now: The time of the check: the changes of the day before are requested. Default: the present.
    package init(
        _ reader: SourceReader, session: InterceptableSession, kind: Kind? = nil, id: String? = nil,
        now: Date = Date()
    ) {
        (self.reader, self.session, self.kind, self.id) = (reader, session, kind, id)
        self.now = now
    }

    /// Sends the requests, and reports what came of them.
    ///
    /// - Throws: `CancellationError`.
    package func run() async throws -> Report {
        let description = reader.description
        var report = Report(description: description, firstCopy: reader.firstCopy)
        for described in kinds {
            report.kinds.append(
                try await KindCheck(described, reader: reader, session: session, id: id, now: now).run())
        }
        report.hosts = Self.hosts(description, report.kinds)
        report.conclusions = Self.conclusions(report)
        return report
    }

    /// The described kinds to check, artworks first.
    private var kinds: [KindDescription] {
        let all = reader.description.kinds
        let described = all.filter { $0.kind == .artwork } + all.filter { $0.kind != .artwork }
        if let kind { return described.filter { $0.kind == kind } }
        return id == nil ? described : Array(described.prefix(1))
    }

    /// The hosts that a sync would ask.
    static func hosts(_ description: SourceDescription, _ kinds: [KindReport]) -> [AskedHost] {
        func origin(_ url: String) -> Origin? { WebAddress(url)?.origin }
        let base = origin(description.base)
        var pictures: [String: Int] = [:], refused: [String: Int] = [:]
        for object in kinds.compactMap(\.object) {
            for picture in object.pictures {
                for host in Set(picture.formats.compactMap { origin($0.url)?.display }) {
                    pictures[host, default: 0] += 1
                }
            }
            refused.merge(object.object.refusedPictures.hosts, uniquingKeysWith: +)
        }
        let own = base?.display ?? description.base
        return [AskedHost(name: own, use: .catalogue)]
            + description.hosts.filter { $0 != own }.map {
                AskedHost(name: $0, use: .listed(pictures: pictures[$0] ?? 0))
            }
            + refused.sorted { $0.key < $1.key }.map {
                AskedHost(name: $0.key, use: .refused(pictures: $0.value))
            }
    }
}

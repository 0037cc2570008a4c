import Catalogue
import MirrorHTTP
import MirrorStore

/// Samples of a described source, whose artworks name the artists and locations that are gathered from them.
extension PlanSampler {
    /// The record of a sampled object. For an artwork of a described source, the changes of those that it names are recorded.
    func record(
        _ object: any Payload, _ kind: Kind, _ version: String?, _ related: RelatedObjects?
    ) throws -> ObjectRecord {
        for case .object(let record) in try environment.writes(of: object, kind, version: version, related) {
            if environment.described != nil, kind == .artwork {
                try environment.predictNames(of: record)
                plan.note { $0.described.sampled += 1 }
            }
            return record
        }
        return ObjectRecord(kind, object, etag: version, partner: environment.partnerID)
    }

    /// The elements of a sample that are requested: all of them, or fewer if the source's rate allows only few requests.
    func sample<Element>(_ chosen: [Element], seed: UInt64 = 12) -> [Element] {
        let limit = environment.sampleLimit
        guard chosen.count > limit else { return chosen }
        var random = SplitMix(seed: seed)
        return Array(chosen.shuffled(using: &random).prefix(limit))
    }

    /// Sampled artworks, each as a group of its own.
    func describedArtworks(_ ids: [String]) async throws -> [[Artwork]] {
        try await sampleAll(ids) { id -> [Artwork]? in
            guard
                let operation = environment.source.operation(
                    id, of: .artwork, known: nil, cache: .bypass, isReload: environment.options.full),
                case .object(let found, let head) = try await environment.send(operation),
                let json = found.json
            else { return nil }
            let artwork = try Artwork.read(json, id: id, report: environment.report)
            let version = environment.source.version(listed: nil, head.etag, found.version)
            _ = try record(artwork, .artwork, version, found.related)
            return [artwork]
        }.compactMap(\.self)
    }
}

import Catalogue

/// What the counts of a dry run come to: known changes, and estimates from samples.
extension PlanTally {
    /// The number of updates of a kind: the known ones, and an estimate from the samples for the others.
    func updated(_ kind: Kind) -> Estimate {
        var updated = Estimate(Double(changes[kind]?.updated ?? 0))
        // Sampled objects that had changed are included in the known ones, so they are subtracted.
        if let objects = undecided[kind] {
            updated += Estimate(-Double(objects.changed))
            updated += .share(changed: objects.changed, of: objects.sampled, in: objects.total)
        }
        if let owners = undecidedOwners[kind], Self.countsLists(kind) {
            updated += Estimate(-Double(owners.changed))
            updated += .share(changed: owners.changed, of: owners.sampled, in: owners.sample.seen)
        }
        return updated
    }

    /// The number of changed lists of documents: the known ones, and an estimate from the samples for the others.
    var documentLists: Estimate { lists(unknownDocumentLists) { $0.otherDocuments } }
    /// The number of changed lists of pictures: the known ones, and an estimate from the samples for the others.
    var pictureLists: Estimate { lists(unknownPictureLists) { $0.otherPictures } }

    private func lists(_ known: Int, _ others: (UndecidedOwners) -> Int) -> Estimate {
        undecidedOwners.values.reduce(Estimate(Double(known))) { sum, owners in
            // Sampled lists that had changed are included in the known ones, so they are subtracted below.
            guard owners.sampled > 0 else { return sum }
            let found = others(owners)
            // A show has two lists of pictures: more may have changed than shows were sampled.
            let share = Estimate.share(
                changed: min(found, owners.sampled), of: owners.sampled, in: owners.sample.seen)
            let factor = found > owners.sampled ? Double(found) / Double(owners.sampled) : 1
            return sum + share * factor + Estimate(-Double(found))
        }
    }

    /// The number of pictures to fetch for undecided artworks that were not sampled, estimated from those that were.
    var picturesOfUndecided: Estimate {
        guard let undecided = undecided[.artwork], undecided.sampled > 0 else { return .zero }
        let changed = picturesOfSampled.values.map { SampledGroup(count: 1, sum: Double($0)) }
        let same = max(0, undecided.sampled - changed.count)
        let groups = changed + Array(repeating: SampledGroup(count: 1, sum: 0), count: same)
        let known = picturesOfSampled.values.reduce(0, +)
        return Estimate.count(of: Estimate(Double(undecided.total)), groups: groups)
            + Estimate(-Double(known))
    }

    /// The kinds whose number of updates is estimated from samples.
    var sampledKinds: Set<Kind> {
        Set(undecided.keys).union(undecidedOwners.keys.filter(Self.countsLists))
    }

    /// The number of objects that each sampled one represents, by kind.
    ///
    /// It is 0 for locations unless all were sampled: an artwork that one location no longer lists may be listed by another.
    var listShare: @Sendable (Kind) -> Double {
        let owners = undecidedOwners.mapValues { (all: $0.sample.seen, sampled: $0.sampled) }
        return { kind in
            guard let owners = owners[kind], owners.sampled > 0 else { return 1 }
            if kind == .location { return owners.sampled == owners.all ? 1 : 0 }
            return Double(owners.all) / Double(owners.sampled)
        }
    }

    /// The number of undecided documents if no sample of them was requested.
    var openDocuments: Int { undecided[.document] == nil ? undecidedDocuments.seen : 0 }

    /// Whether a sync may fetch any picture or document.
    var hasFiles: Bool {
        !pictures.isEmpty || documents + unknownDocumentLists + unknownPictureLists + newArtworks > 0
    }

    var hasChanges: Bool {
        changes.values.contains { $0.created + $0.updated > 0 }
            || !pictures.isEmpty || !conditionalFiles.isEmpty
            || documents + unknownDocumentLists + unknownPictureLists > 0
            || lostDocuments + pushes > 0
            || undecided.values.contains { $0.changed > 0 } || changedLocations > 0
    }
}

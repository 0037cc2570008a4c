import Catalogue

extension FacetCounter {
    /// The periods in which some artworks changed, but not all.
    mutating func periods() throws -> OfferedFacet? {
        guard search == nil else { return nil }
        let rest = query.without(.changed), chosen = query.filters[.changed]
        let restFilter = try WordFilter(rest, today: today, in: db)
        var values: [FacetValue] = []
        for days in Facet.periods {
            var query = rest
            query.filters[.changed] = "\(days)"
            let filter = try WordFilter(query, today: today, in: db)
            let isChosen = chosen == "\(days)"
            guard !filter.isImpossible || isChosen else { continue }
            // Counted only if it is cheap: a list of 100 days has 100 words.
            let count =
                try filter.storedCount
                ?? (filter.isFew ? total(of: query, filter) : nil)
            // All are counted only to compare them.
            let isSome = try count.map { try $0 != 0 && $0 != total(of: rest, restFilter) } ?? true
            guard isChosen || isSome else { continue }
            values.append(
                FacetValue(value: "\(days)", label: nil, count: count, isChosen: isChosen, rank: values.count)
            )
        }
        return values.isEmpty ? nil : OfferedFacet(facet: .changed, values: values, hasMore: false)
    }
}

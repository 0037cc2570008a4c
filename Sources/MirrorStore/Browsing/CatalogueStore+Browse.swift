import Catalogue
import GRDB

/// What a search on the pages finds.
package struct SearchResult: Sendable, Hashable {
    /// The words that were searched for. Their ``SearchWords/marks(in:)`` are marked.
    package let words: SearchWords
    /// Artists with all the words, those with the words in their name first.
    package let artists: [NameItem]
    /// Artworks with all the words and filters, in order. If there are more than 5,000, in no particular order.
    package let artworks: [ArtworkItem]
    /// The number of artworks found, if it is at most 5,000.
    package let total: Int?
    /// The place of the first of ``artworks`` among those found, from 0.
    package let first: Int
    /// The facets by which the artworks can be filtered further, with the number of artworks found if these are at most 500.
    package let facets: [OfferedFacet]
    /// Shows, albums and locations with all the words in their name.
    package let others: [NameItem]
    /// The words that nothing contains, if nothing was found.
    package let unknown: [String]
    /// Some words that find artworks alone, if several words and no filters found nothing.
    package let alone: [WordCount]

    /// A word and the number of artworks that it finds; `nil` if there are too many to count.
    package struct WordCount: Sendable, Hashable {
        package let word: String
        package let total: Int?
    }

    /// Whether ``artworks`` are in order. Otherwise there are too many to compare.
    package var isOrdered: Bool { total != nil }

    /// Whether nothing was found.
    package var isEmpty: Bool { artists.isEmpty && artworks.isEmpty && others.isEmpty }
}

extension CatalogueStore {
    /// The greatest number of artworks that can be looked through, page by page.
    package static let mostResults = 200
    /// The greatest number of artists, and of shows, albums and locations of each kind.
    private static let mostNames = 20

    /// Finds objects by words. All words must occur; each may be the beginning of a longer one.
    ///
    /// Artists, shows, albums and locations are found only if the query has no filters.
    ///
    /// - Parameters:
    ///   - query: the face and the filters of artworks. Its order is not used.
    ///   - sort: the order of the artworks. Default: the best match first.
    ///   - start: the place of the first artwork, from 0. Where nothing is, and without an order, it is 0. Default: 0.
    ///   - limit: the greatest number of artworks. Default: ``mostResults``.
    ///   - isThorough: whether more of many artworks are read to find their values. Default: `false`.
    package func search(
        _ words: SearchWords, _ query: ArtworkQuery, by sort: ArtworkSort? = nil, from start: Int = 0,
        limit: Int = mostResults, isThorough: Bool = false
    ) throws -> SearchResult {
        let today = today
        guard !words.words.isEmpty else {
            return SearchResult(
                words: words, artists: [], artworks: [], total: 0, first: 0, facets: [], others: [],
                unknown: [],
                alone: [])
        }
        return try snapshot { reader in
            let search = PageSearch(words: words, face: query.face, reader: reader)
            let filter = try WordFilter(query, today: today, in: reader.db)
            let hits = try search.hits(filter)
            let most = Self.mostResults
            let first = hits.total.map { start < min($0, most) ? start : 0 } ?? 0
            let ids = try search.ids(hits, filter, by: sort, limit: min(first + limit, most))
            let artworks = try reader.items(Array(ids.dropFirst(first)), for: query.face)
            let names = try query.filters.isEmpty ? search.names(Self.namedKinds, limit: Self.mostNames) : []
            var counter = FacetCounter(
                query: query, today: today, reader: reader, search: search, hits: [filter.match: hits],
                sampleSize: isThorough ? FacetSample.largeSize : FacetSample.usualSize)
            let isEmpty = artworks.isEmpty && names.isEmpty
            let unknown = isEmpty ? try search.unknown() : []
            return SearchResult(
                words: words, artists: names.filter { $0.kind == .artist }, artworks: artworks,
                total: hits.total, first: first,
                facets: artworks.isEmpty && query.filters.isEmpty ? [] : try counter.facets(),
                others: names.filter { $0.kind != .artist },
                unknown: unknown,
                alone: isEmpty && query.filters.isEmpty ? try search.alone(besides: unknown, filter) : [])
        }
    }

    /// The ids of the artworks that ``search(_:_:by:limit:)`` finds, in its order, at most ``mostResults``; and their number,
    /// if it is at most 5,000.
    package func artworks(
        with words: SearchWords, _ query: ArtworkQuery, by sort: ArtworkSort? = nil
    ) throws -> (ids: [String], total: Int?) {
        let today = today
        guard !words.words.isEmpty else { return ([], 0) }
        return try snapshot { reader in
            let search = PageSearch(words: words, face: query.face, reader: reader)
            let filter = try WordFilter(query, today: today, in: reader.db)
            let hits = try search.hits(filter)
            return (try search.ids(hits, filter, by: sort, limit: Self.mostResults), hits.total)
        }
    }
}

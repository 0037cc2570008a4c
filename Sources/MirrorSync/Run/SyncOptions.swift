import Catalogue
import MirrorHTTP
import MirrorStore

/// The options of a sync: what is fetched, how much may be deleted, how it waits.
public struct SyncOptions: Sendable {
    /// Requests every list and object unconditionally and bypasses all caches. An object is stored even if its ETag is the
    /// stored one. Stored files are not downloaded again. Default `false`.
    public var full = false
    /// Downloads the files of pictures and documents. Default `true`.
    public var media = true
    /// The kinds whose lists are walked; empty, the default, for the whole tree.
    ///
    /// Only these kinds are swept and get new since dates. The event cursor doesn't change, and neither a snapshot nor the
    /// digest is used. Such a run is not a sync of the whole mirror (``SyncSummary/only``).
    public var only: Set<Kind> = []
    /// The picture formats to download, such as `["square", "larger"]`; `nil`, the default, for those of the mirror's last sync,
    /// and for a new mirror ``Catalogue/PictureFormats/standard``.
    public var formats: PictureFormats?
    /// Downloads the deep-zoom tiles of pictures too, if the server has them. Default `false`.
    public var tiles = false
    /// Requests missing tiles of pictures whose tiles are stored, although ``tiles`` is `false`; set by a repair.
    var repairsTiles = false
    /// Requests pictures again even if their entry did not change. Default `false`.
    public var revalidateMedia = false
    /// How much a sweep may delete.
    public var maxDelete = DeleteGuard.Limit.standard
    /// Whether ``maxDelete`` was chosen for this run. Only then are artworks removed that just an earlier selection of a
    /// described source listed. Default `false`.
    public var maxDeleteIsChosen = false
    /// The maximum number of members of a list; a longer list is refused. Default 5 million.
    public var maxObjects = 5_000_000
    /// How long a mirror is synced by changes alone before the full lists are compared again. Default 7 days.
    public var auditEvery: Duration = .seconds(7 * 86_400)
    /// Whether an audit compares the server's digest, if it has one, instead of the full lists. Default `true`.
    public var auditsByDigest = true
    /// Shows that ended longer ago than this are removed; `nil`, the default, keeps all shows.
    public var keepShows: Duration?
    /// How long a run waits at most while the server fails, including the session's own waits. Default 1 hour.
    public var maxWait: Duration = .seconds(3_600)
    /// The absolute path of a file of certificate authorities (PEM) for the server, which is remembered; `nil`, the default,
    /// for the remembered one. `makeSession` must pass it to its transport.
    public var caFile: String?
    /// Doesn't wait while the server fails: the run ends with the failures. Default `false`.
    public var failFast = false
    /// The described catalogue to sync; by default the remembered one, if any.
    public var source = SourceOptions()
    /// The number of concurrent requests to a host, at most half of them for pictures; `nil`, the default, for as many as the
    /// host answers without slowing down (``Concurrency/adaptive``).
    public var jobs: Int?
    /// Uses one worker, depth first, in declared order; for tests. Default `false`.
    public var synchronous = false

    /// Whether the changes of a described source suffice while its list was read less than a day ago; set by the polls of a
    /// watch.
    var usesRecentLists = false

    /// If a first snapshot has more lines than this, some indexes are created only after it is loaded.
    package var maximumLinesWithIndexes = 20_000

    /// The default options.
    public init() {}

    /// The concurrency of the run's session.
    package var concurrency: Concurrency { jobs.map(Concurrency.fixed) ?? .adaptive }
    /// The number of concurrent requests to a host that a run's session reaches at most.
    package var mostRequests: Int { jobs ?? ConcurrencyLimit.maximum }
    /// More than ``mostRequests``, because other items are read and stored while requests wait for their answers. The session
    /// limits what is sent to the server.
    var requestLane: Int { jobs.map { $0 * 4 } ?? 2 * ConcurrencyLimit.maximum }
    /// Half of the requests, because downloads of pictures and documents take most of their time on the network.
    var mediaLane: Int { max(1, mostRequests / 2) }
    /// The number of concurrent requests of a dry run's samples.
    var sampleWidth: Int { max(1, (jobs ?? ConcurrencyLimit.start) / 2) }

    /// - Throws: ``SyncError`` if ``only`` has a kind that partners don't list.
    func checkKinds(among kinds: Kinds) throws {
        guard !only.isSubset(of: kinds.listed) else { return }
        let names = kinds.listed.map(\.name).joined(separator: ", ")
        throw SyncError(
            .catalogue, "A sync can be limited only to kinds that have a list: \(names).")
    }

    /// The options with the formats that a mirror remembers, unless others were chosen.
    func remembering(_ store: CatalogueStore) throws -> SyncOptions {
        var options = self
        options.formats = try formats ?? store.rememberedFormats()
        return options
    }

    /// The formats of a run's pictures.
    var pictureFormats: PictureFormats { formats ?? .standard }
    /// The value of ``FinishRequest/formats`` and `list.clean_formats`: which media were wanted.
    var mediaKey: String? {
        media ? CatalogueStore.mediaKey(formats: pictureFormats, tiles: tiles) : nil
    }
    /// Whether the tree has the node of tiles.
    var walksTiles: Bool { tiles || repairsTiles }
    /// Whether the wanted media are those whose total size a server states.
    ///
    /// It may not contain the second format of first pictures, which is small.
    var wantsStatedMedia: Bool { !pictureFormats.isNamed && !tiles }
}

import Catalogue
import CatalogueSources
import MirrorHTTP

/// A described server as a source of the catalogue: makes the requests for single objects, and reads their answers.
///
/// Its lists are not requested by ``list(of:)``: reading one may take many pages and a second reading (``SourceCrawl``).
struct DescribedSource: CatalogueSource {
    let catalogue: DescribedCatalogue

    private var description: SourceDescription { catalogue.description }

    /// The description of a kind; `nil` if the kind is gathered from artworks or absent.
    ///
    /// With a selection, only artworks are requested: other lists would contain objects that belong to no selected artwork.
    func description(of kind: Kind) -> KindDescription? {
        guard kind == .artwork || catalogue.selection.isEmpty else { return nil }
        return description[kind]
    }

    /// The kinds that are gathered from the artworks that name their objects.
    var gathered: Set<Kind> {
        guard description(of: .artwork) != nil else { return [] }
        return Set([Kind.artist, .location].filter { description(of: $0) == nil })
    }

    /// Whether artworks say at which location they are: locations have no lists of artworks of their own.
    var placesArtworks: Bool {
        description(of: .artwork) != nil && description(of: .location)?.object.members == nil
    }

    /// The identity of a kind's list: the path of its request; `nil` for a kind without a list.
    func listURL(of kind: Kind) -> String? {
        description(of: kind)?.list.map { String($0.get.text.prefix { $0 != "?" }) }
    }

    func list(of kind: Kind) -> ListRequest? { nil }

    func readList(_ body: [UInt8], _ take: (ListElement) throws -> Void) throws -> ListAnswerInfo {
        throw SyncError(.badAnswer, "The lists of a described source are read page by page.")
    }

    func object(_ id: String, of kind: Kind) -> Route? {
        description(of: kind).map { Route(url: $0.object.get.filled([.id: id])) }
    }

    func readObject(_ body: [UInt8], id: String, of kind: Kind) throws -> SourceObject {
        do {
            return SourceObject(try catalogue.reader.object(body, id: id, status: 200, of: kind), catalogue)
        } catch let error as SourceReadingError {
            throw HTTPError(error.code == .notJSON ? .notJSON : .badResponse, error.message)
        }
    }

    /// The request for several objects; `nil` if they have to be requested one by one.
    func batch(_ ids: [String], of kind: Kind) -> Route? {
        description(of: kind)?.object.batch.map { batch in
            Route(url: batch.get.filled([.ids: URLTemplate.joined(ids), .size: String(batch.size)]))
        }
    }

    /// Versions are texts of lists, ETags, or hashes of what was read.
    var versionsAreETags: Bool { false }

    /// Whether the description says how changed objects are found, so that the others are current.
    func knowsChanges(of kind: Kind) -> Bool {
        catalogue.selection.isEmpty && description(of: kind)?.list?.since != nil
    }

    func deletion(of kind: Kind) -> DeletionRule {
        switch description(of: kind)?.gone.rule {
        case .absence: .absence
        case .signal: .signal
        case .never, nil: .never
        }
    }

    /// Whether an error says that an object doesn't exist. A web page with the same status doesn't: firewalls answer with them.
    func isAbsence(_ error: HTTPError, of kind: Kind) -> Bool {
        guard let status = error.status, let object = description(of: kind)?.object else { return false }
        return object.absent.statuses.contains(status) && error.isMarkup != true
    }
}

extension SourceObject {
    /// What a described server says about an object; without JSON if it doesn't exist.
    init(_ answer: SourceAnswer, _ catalogue: DescribedCatalogue) {
        guard let object = answer.object else {
            self.init(nil)
            return
        }
        var related = RelatedObjects(
            artists: object.artists, location: object.location, members: object.members)
        related.refusedPictures = object.refusedPictures.hosts
        related.unusablePictures = object.refusedPictures.unusable
        self.init(object.json, version: object.hash, related: related)
    }
}

extension SyncOptions {
    /// - Throws: ``SyncError`` if ``only`` has a kind of which the source has no list.
    func checkKinds(of source: DescribedSource) throws {
        let missing = only.filter { source.description(of: $0)?.list == nil }.map(\.plural).sorted()
        guard !missing.isEmpty else { return }
        throw SyncError(
            .source,
            "The source \(source.catalogue.partnerID) has no list of \(missing.joined(separator: ", ")). What it has of them comes with the artworks: --only artwork."
        )
    }
}

extension CatalogueSource {
    /// Whether an error says that an object doesn't exist.
    func means(absence error: HTTPError, of kind: Kind) -> Bool {
        (self as? DescribedSource)?.isAbsence(error, of: kind) ?? (error.code == .notFound)
    }
}

extension SyncEnvironment {
    /// The source, if it is a described one.
    var described: DescribedSource? { source as? DescribedSource }
}

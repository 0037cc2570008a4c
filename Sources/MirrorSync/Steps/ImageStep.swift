import Catalogue
import MirrorHTTP
import MirrorStore
import OperationTree

/// Pictures of an artwork or show whose files are wanted.
public struct Pictures: Sendable {
    /// The artwork or show.
    public let owner: Owner
    let role: ImageRole
    let images: [StoredImage]

    init(_ owner: Owner, _ role: ImageRole, _ images: [StoredImage]) {
        (self.owner, self.role, self.images) = (owner, role, images)
    }

    /// Those that are stored; none if files aren't fetched.
    static func stored(_ owner: Owner, _ role: ImageRole, _ environment: SyncEnvironment) throws -> [Pictures]
    {
        guard environment.options.media else { return [] }
        let images = try environment.store.storedImages(of: owner, role: role)
        return images.isEmpty ? [] : [Pictures(owner, role, images)]
    }
}

/// The bytes of pictures: one file for each wanted format.
///
/// A picture whose entry in its owner's JSON did not change isn't requested again, unless that is asked for. One that the
/// server doesn't have is requested again after a day.
struct ImageStep: SyncStep {
    struct Item: Sendable {
        let owner: Owner
        let role: ImageRole
        let image: StoredImage
        let format: String
        let url: String
        let known: CatalogueStore.KnownFile?
    }

    func identity(of item: Item) -> String {
        "\(item.owner.kind.name)/\(item.owner.id)/\(item.role.rawValue)/\(item.image.id)/\(item.format)"
    }

    func listIdentity(of input: Pictures) -> String {
        "\(input.owner.kind.name)/\(input.owner.id)/\(input.role.rawValue)"
    }

    func expand(_ input: Pictures, in context: SyncContext) async throws -> Expansion<Item> {
        let (items, wanted) = try items(of: input, context.environment)
        context.environment.report.note { state in
            state.images.wanted += wanted
            state.images.unchanged += wanted - items.count
        }
        return Expansion(items)
    }

    /// The pictures that will be fetched, or requested on the condition that they changed; and how many are wanted.
    private func items(of input: Pictures, _ environment: SyncEnvironment) throws -> (
        items: [Item], wanted: Int
    ) {
        let stored = try environment.store.imageFiles(of: input.owner, role: input.role)
        var items: [Item] = []
        var seen = Set<String>(), wanted = 0
        for image in input.images where seen.insert(image.id).inserted {
            for format in image.address.chosenFormats(wanted: environment.options.formats) {
                guard let url = image.address.fileURL(format: format) else { continue }
                wanted += 1
                let known = stored[image.id]?[format]
                if let known, isStored(known, image, environment) { continue }
                items.append(
                    Item(
                        owner: input.owner, role: input.role, image: image, format: format, url: url,
                        known: known))
            }
        }
        return (items, wanted)
    }

    /// Those of which a sync will fetch the bytes.
    func toFetch(_ pictures: Pictures, _ environment: SyncEnvironment) throws -> [Item] {
        try items(of: pictures, environment).items.filter {
            download($0, environment).held?.etag == nil && $0.known?.isUnavailable != true
        }
    }

    func perform(_ item: Item, in context: SyncContext) async throws -> [StoredPicture] {
        let report = context.environment.report
        guard
            let result = try await download(item, context.environment).store(
                for: item.image.entry, isRetry: context.isRetry)
        else { return [] }
        report.note { state in
            switch result {
            case .file: state.images.fetched += 1
            case .current: state.images.unchanged += 1
            case .unavailable: state.images.missing += 1
            }
        }
        guard case .file(let file, _, _) = result else { return [] }
        return [StoredPicture(item, file, in: context.environment.files)]
    }

    private func download(_ item: Item, _ environment: SyncEnvironment) -> FileDownload {
        FileDownload(
            environment: environment, url: item.url, known: item.known,
            use: .image(item.image.id, format: item.format, role: item.role, of: item.owner), size: nil)
    }

    /// Whether the wanted bytes need not be requested: they are stored, or the server said within a day that it hasn't them.
    private func isStored(
        _ known: CatalogueStore.KnownFile, _ image: StoredImage, _ environment: SyncEnvironment
    ) -> Bool {
        guard known.suffices(for: image.entry, environment.options) else { return false }
        guard environment.options.full, let file = known.file else { return true }
        return environment.files.has(file)
    }

    func operations(performing item: Item, in context: SyncContext) -> [String] { [item.url] }
}

/// The stored pictures of an artwork or show, whose files may have to be fetched.
struct StoredPicturesStep: SyncStep {
    func identity(of item: Pictures) -> String { item.role.rawValue }
    func listIdentity(of input: Owner) -> String { "\(input.kind.name)/\(input.id)" }

    func expand(_ input: Owner, in context: SyncContext) async throws -> Expansion<Pictures> {
        Expansion(try input.kind.imageRoles.flatMap { try Pictures.stored(input, $0, context.environment) })
    }

    func perform(_ item: Pictures, in context: SyncContext) async throws -> [Pictures] { [item] }
}

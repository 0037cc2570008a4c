import Catalogue
import MirrorHTTP
import MirrorStore
import OperationTree

/// Pictures of an artwork or show whose files are wanted.
public struct Pictures: Sendable {
    /// The artwork or show.
    public let owner: Owner
    let role: ImageRole
    private(set) var images: [StoredImage]
    /// The id of the owner's first picture in this role.
    private let first: String?

    init(_ owner: Owner, _ role: ImageRole, _ images: [StoredImage]) {
        (self.owner, self.role, self.images) = (owner, role, images)
        first = images.firstID
    }

    /// The formats in which a picture's files are wanted. A withdrawn picture gets no second format.
    func formats(of image: StoredImage, _ wanted: PictureFormats) -> [String] {
        wanted.chosen(among: image.address.versions, isFirst: image.id == first && !image.isWithdrawn)
    }

    /// The stored pictures of an owner; none if files aren't fetched.
    static func stored(_ owner: Owner, _ role: ImageRole, _ environment: SyncEnvironment) throws -> [Pictures]
    {
        guard environment.options.media else { return [] }
        var pictures = Pictures(owner, role, try environment.store.storedImages(of: owner, role: role))
        // A described source no longer offers these. Their stored files stay, and are not requested again.
        if environment.described != nil { pictures.images.removeAll(where: \.isWithdrawn) }
        return pictures.images.isEmpty ? [] : [pictures]
    }
}

/// Downloads pictures: one file for each wanted format.
///
/// It outputs the pictures whose files it stored and, with the option `tiles`, those that have tiles to fetch.
///
/// A picture whose entry in its owner's JSON did not change isn't requested again, unless the options say so. A picture that
/// the server doesn't have is requested again after a day.
struct ImageStep: SyncStep {
    struct Item: Sendable {
        let owner: Owner
        let role: ImageRole
        let image: StoredImage
        let format: String
        let url: String
        let known: CatalogueStore.KnownFile?
        /// Whether the file is current, so that the item only outputs the picture for its tiles.
        var isCurrent = false
        /// Whether the picture has tiles to fetch.
        var hasTiles = false
    }

    func identity(of item: Item) -> String {
        "\(item.owner.kind.name)/\(item.owner.id)/\(item.role.rawValue)/\(item.image.id)/\(item.format)"
    }

    func listIdentity(of input: Pictures) -> String {
        "\(input.owner.kind.name)/\(input.owner.id)/\(input.role.rawValue)"
    }

    func expand(_ input: Pictures, in context: SyncContext) async throws -> Expansion<Item> {
        var (items, wanted) = try items(of: input, context.environment)
        let unchanged = wanted - items.count
        let tiles = try mark(&items, input, context.environment)
        context.environment.report.note { [wanted] state in
            state.images.wanted += wanted
            state.images.unchanged += unchanged
            state.tiles.wanted += tiles
            state.tiles.unchanged += tiles
        }
        return Expansion(items)
    }

    /// The files that will be fetched or revalidated, and the number of all wanted files.
    private func items(of input: Pictures, _ environment: SyncEnvironment) throws -> (
        items: [Item], wanted: Int
    ) {
        let stored = try environment.store.imageFiles(of: input.owner, role: input.role)
        var items: [Item] = []
        var seen = Set<String>(), wanted = 0
        for image in input.images where seen.insert(image.id).inserted {
            for format in input.formats(of: image, environment.options.pictureFormats) {
                guard let url = image.address.fileURL(format: format) else { continue }
                wanted += 1
                let item = Item(
                    owner: input.owner, role: input.role, image: image, format: format, url: url,
                    known: stored[image.id]?[format])
                if !item.suffices(environment) { items.append(item) }
            }
        }
        return (items, wanted)
    }

    /// The files that a sync will request, with wanted tiles: files that are not stored, and stored ones that it revalidates.
    func requested(
        _ pictures: Pictures, _ environment: SyncEnvironment
    ) throws -> (new: [Item], conditional: [Item]) {
        let tiles = try tiled(pictures, environment).flatMap {
            try ImageTileStep.items(of: $0, environment).items
        }
        let items = try items(of: pictures, environment).items + tiles
        func matching(_ state: FileDownload.State) -> [Item] {
            items.filter { $0.download(environment).state == state }
        }
        return (matching(.absent), matching(.stored))
    }

    /// The pictures whose tiles are wanted. Pictures with unusable tile data are reported and left out.
    private func tiled(_ input: Pictures, _ environment: SyncEnvironment) throws -> [TiledPicture] {
        let options = environment.options
        guard options.walksTiles else { return [] }
        let stored =
            options.tiles
            ? nil : try environment.store.picturesWithTiles(of: input.owner, role: input.role)
        var seen = Set<String>(), pictures: [TiledPicture] = []
        for image in input.images where stored?.contains(image.id) ?? true && seen.insert(image.id).inserted {
            let picture = TiledPicture(owner: input.owner, role: input.role, image: image)
            if image.hasUnusableTiles {
                ImageTileStep.reportUntiled(
                    picture,
                    "The server's data on this picture's tiles can't be used: no tiles are fetched for it.",
                    environment)
            } else if image.tiles != nil {
                pictures.append(picture)
            }
        }
        return pictures
    }

    /// Marks one item of each picture that has tiles to fetch. A picture whose own files are current gets an item just for that.
    ///
    /// - Returns: the number of tiles of the other pictures, which are all current.
    private func mark(
        _ items: inout [Item], _ input: Pictures, _ environment: SyncEnvironment
    ) throws -> Int {
        var current = 0
        for picture in try tiled(input, environment) {
            let (lacking, wanted) = try ImageTileStep.items(of: picture, environment)
            guard !lacking.isEmpty else {
                current += wanted
                continue
            }
            if let index = items.firstIndex(where: { $0.image.id == picture.image.id }) {
                items[index].hasTiles = true
            } else {
                items.append(
                    Item(
                        owner: picture.owner, role: picture.role, image: picture.image, format: "tiles",
                        url: picture.image.tiles?.base ?? "", known: nil, isCurrent: true, hasTiles: true))
            }
        }
        return current
    }

    func perform(_ item: Item, in context: SyncContext) async throws -> [StoredPicture] {
        var file: StoredFile?
        if !item.isCurrent, case .file(let new, _, _) = try await item.fetch(in: context) { file = new }
        return file == nil && !item.hasTiles
            ? [] : [StoredPicture(item, file, in: context.environment.files)]
    }

    func operations(performing item: Item, in context: SyncContext) -> [any RequestOperation] {
        item.isCurrent ? [] : [item.operation(context.environment)]
    }
}

extension ImageStep.Item {
    /// Downloads a picture's file, or a tile, and counts the result; returns `nil` if nothing had to be done.
    func fetch(in context: SyncContext) async throws -> FileDownload.Result? {
        let environment = context.environment
        let stored = try await environment.itemsInFlight.performing {
            try await download(environment).store(for: image.entry, isRetry: context.isRetry)
        }
        guard let result = stored else { return nil }
        let counts: WritableKeyPath<SyncReport.State, SyncReport.FileCounts> = isTile ? \.tiles : \.images
        environment.report.note { state in
            switch result {
            case .file: state[keyPath: counts].fetched += 1
            case .current: state[keyPath: counts].unchanged += 1
            case .unavailable: state[keyPath: counts].missing += 1
            }
        }
        return result
    }

    func download(_ environment: SyncEnvironment) -> FileDownload {
        FileDownload(
            environment: environment, url: url, known: known,
            use: .image(image.id, format: format, role: role, of: owner), size: nil)
    }

    func operation(_ environment: SyncEnvironment) -> FileOperation {
        FileOperation(url, isPicture: true, base: environment.session.base)
    }

    var isTile: Bool { ImageTile(format: format) != nil }

    /// Whether no request is needed: the file is stored, or the server answered within the last day that it doesn't have it.
    func suffices(_ environment: SyncEnvironment) -> Bool {
        guard let known, known.suffices(for: image.entry, environment.options) else { return false }
        guard environment.options.full, let file = known.file else { return true }
        return environment.files.has(file)
    }
}

/// Outputs the stored pictures of an artwork or show, whose files may have to be fetched.
struct StoredPicturesStep: SyncStep {
    func identity(of item: Pictures) -> String { item.role.rawValue }
    func listIdentity(of input: Owner) -> String { "\(input.kind.name)/\(input.id)" }

    func expand(_ input: Owner, in context: SyncContext) async throws -> Expansion<Pictures> {
        Expansion(try input.kind.imageRoles.flatMap { try Pictures.stored(input, $0, context.environment) })
    }

    func perform(_ item: Pictures, in context: SyncContext) async throws -> [Pictures] { [item] }
}

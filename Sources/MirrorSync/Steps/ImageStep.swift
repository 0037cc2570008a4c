import Catalogue
import MirrorHTTP
import MirrorStore
import OperationTree

/// The bytes of pictures: one file for each wanted format.
///
/// A picture whose entry in its owner's JSON did not change isn't asked for again, unless that is asked for. One that the
/// server doesn't have is asked for again after a day.
package struct ImageStep: Step {
    package typealias Output = Never

    package struct Item: Sendable {
        let source: PictureSource
        let image: StoredImage
        let format: String
        let url: String
        let known: CatalogueStore.KnownFile?
    }

    package init() {}

    package func identity(of item: Item) -> String {
        let owner = item.source.owner
        return
            "\(owner.kind.name)/\(owner.id)/\(item.source.role.rawValue)/\(item.image.id)/\(item.format)"
    }

    package func listIdentity(of input: PictureSource) -> String {
        "\(input.owner.kind.name)/\(input.owner.id)/\(input.role.rawValue)"
    }

    package func expand(_ input: PictureSource, in context: StepContext) async throws -> Expansion<Item> {
        let (items, wanted) = try items(of: input)
        let unchanged = wanted - items.count
        input.environment.report.note { state in
            state.images.wanted += wanted
            state.images.unchanged += unchanged
        }
        return Expansion(items)
    }

    /// The pictures that will be fetched, or asked for on the condition that they changed; and how many are wanted.
    private func items(of input: PictureSource) throws -> (items: [Item], wanted: Int) {
        let options = input.environment.options
        let stored = try input.environment.store.imageFiles(of: input.owner, role: input.role)
        var items: [Item] = []
        var seen = Set<String>(), wanted = 0
        for image in input.pictures where seen.insert(image.id).inserted {
            guard let entry = image.imageEntry() else { continue }
            for format in entry.chosenFormats(wanted: options.formats) {
                guard let url = entry.fileURL(format: format) else { continue }
                wanted += 1
                let known = stored[image.id]?[format]
                if let known, isHere(known, image, input.environment) { continue }
                items.append(Item(source: input, image: image, format: format, url: url, known: known))
            }
        }
        return (items, wanted)
    }

    /// Those of a source's pictures of which a sync will fetch the bytes.
    func toFetch(_ source: PictureSource) throws -> [Item] {
        try items(of: source).items.filter { held($0)?.etag == nil && $0.known?.isUnavailable != true }
    }

    package func perform(_ item: Item, in context: StepContext) async throws -> [Never] {
        let environment = item.source.environment
        let download = FileDownload(
            environment: environment, url: item.url, held: held(item),
            use: .image(item.image.id, format: item.format, role: item.source.role, of: item.source.owner),
            isPicture: true, size: nil)
        if let plan = environment.plan {
            guard download.isFirst else { return [] }
            if item.known?.isUnavailable == true {
                plan.willAskAgainForFile()
            } else if download.held?.etag == nil {
                plan.willFetchPicture(
                    item.image.id, of: item.source.owner, format: item.format, url: item.url)
            } else {
                plan.willSend(1, confirmations: 1)
            }
            return []
        }
        environment.report.begins("image", item.image.id)
        let result = try await download.fetch(isRetry: context.isRetry)
        environment.report.note { state in
            switch result {
            case .file: state.images.fetched += 1
            case .current: state.images.unchanged += 1
            case .unavailable: state.images.missing += 1
            }
        }
        var file: StoredFile?, isCurrent = false
        var etag = item.known?.etag, modified = item.known?.lastModified
        switch result {
        case .file(let stored, let newETag, let newModified):
            (file, etag, modified) = (stored, newETag, newModified)
        case .current: isCurrent = true
        case .unavailable: break
        }
        try await environment.applier.submit(
            .file(
                FileRecord(
                    .image(item.image.id, format: item.format, role: item.source.role, of: item.source.owner),
                    entry: item.image.entry, file: file, etag: etag, lastModified: modified,
                    isCurrent: isCurrent)))
        return []
    }

    /// Whether the wanted bytes need not be asked for: they are here, or the server said within a day that it hasn't them.
    private func isHere(
        _ known: CatalogueStore.KnownFile, _ image: StoredImage, _ environment: SyncEnvironment
    ) -> Bool {
        guard known.suffices(for: image.entry, environment.options) else { return false }
        guard environment.options.full, let file = known.file else { return true }
        return environment.files.has(file)
    }

    /// What is stored of a picture whose bytes are really here.
    private func held(_ item: Item) -> CatalogueStore.KnownFile? {
        guard let known = item.known, let file = known.file, item.source.environment.files.has(file) else {
            return nil
        }
        return known
    }

    package func operations(performing item: Item) -> [String] { [item.url] }
}

import Catalogue
import MirrorStore

/// The pictures of one owner in one role, whose bytes are looked at next.
package struct PictureSource: Sendable {
    package let environment: SyncEnvironment
    package let owner: Owner
    package let role: ImageRole
    package let pictures: [StoredImage]

    package init(environment: SyncEnvironment, owner: Owner, role: ImageRole, pictures: [StoredImage]) {
        self.environment = environment
        self.owner = owner
        self.role = role
        self.pictures = pictures
    }

    /// What the store has of an owner that did not change.
    static func stored(_ environment: SyncEnvironment, _ owner: Owner, _ role: ImageRole) throws
        -> [PictureSource]
    {
        guard environment.options.media else { return [] }
        let pictures = try environment.store.storedImages(of: owner, role: role)
        guard !pictures.isEmpty else { return [] }
        return [PictureSource(environment: environment, owner: owner, role: role, pictures: pictures)]
    }
}

/// A document whose bytes are looked at next.
package struct DocumentSource: Sendable {
    package let environment: SyncEnvironment
    package let owner: Owner
    package let id: String
    package let uri: String
    /// Digest of the document's JSON.
    package let entry: String
    /// In bytes, as the document's JSON says.
    package let size: Int?
}

extension StoredImage {
    /// A picture as it will be stored.
    init(_ image: ImageEntry) {
        let versions = image.imageVersions.map { JSONValue.array($0.map(JSONValue.string)).canonicalText }
        self.init(
            id: image.id, imageURL: image.imageURL, versions: versions,
            entry: EntryDigest.of(image.json.canonicalText))
    }

    /// The entry as the API's type, of which only what its address is made from is filled.
    func imageEntry() -> ImageEntry? {
        var object: JSONObject = ["id": .string(id)]
        object["image_url"] = imageURL.map(JSONValue.string)
        object["image_versions"] = versions.flatMap { try? JSONValue(parsing: $0) }
        var warnings: [FieldWarning] = []
        return try? ImageEntry(object, warnings: &warnings)
    }
}

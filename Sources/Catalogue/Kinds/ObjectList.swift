/// A list that an object has. Its raw value is the name under which the list's ETag travels and is stored.
public enum ObjectList: String, Sendable, Hashable, CaseIterable {
    case artworks, documents
    case installationShots = "images?default=0"
    case cover = "images?default=1"

    /// What the list holds, in words.
    package var title: String {
        switch self {
        case .artworks, .documents: rawValue
        case .installationShots: "installation shots"
        case .cover: "cover pictures"
        }
    }

    /// What pictures it holds; `nil` for a list of other things.
    package var imageRole: ImageRole? {
        switch self {
        case .artworks, .documents: nil
        case .installationShots: .installation
        case .cover: .cover
        }
    }
}

/// What a picture is for.
public enum ImageRole: String, Sendable, Hashable {
    /// A picture of an artwork.
    case picture
    /// A view of a show.
    case installation
    /// The picture that stands for a show.
    case cover

    /// The list that holds such pictures; those of an artwork stand in its own JSON.
    package var list: ObjectList? { ObjectList.allCases.first { $0.imageRole == self } }
}

/// An object, by its kind and id: what a list, a document, or a picture belongs to.
public struct Owner: Sendable, Hashable {
    public let kind: Kind
    public let id: String

    public init(_ kind: Kind, _ id: String) {
        self.kind = kind
        self.id = id
    }
}

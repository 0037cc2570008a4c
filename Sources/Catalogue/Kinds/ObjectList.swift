/// A list under an object, such as the artworks of a show.
///
/// The raw value is the list's name in the field `lists`, which carries the lists' ETags, and in the database.
public enum ObjectList: String, Sendable, Hashable, CaseIterable {
    case artworks, documents
    case installationShots = "images?default=0"
    case cover = "images?default=1"

    /// The plural name of the list's members, for messages.
    package var title: String {
        switch self {
        case .artworks, .documents: rawValue
        case .installationShots: "installation shots"
        case .cover: "cover pictures"
        }
    }

    /// The role of the pictures in the list; `nil` if it doesn't contain pictures.
    package var imageRole: ImageRole? {
        switch self {
        case .artworks, .documents: nil
        case .installationShots: .installation
        case .cover: .cover
        }
    }
}

/// The purpose of a picture.
public enum ImageRole: String, Sendable, Hashable {
    /// A picture of an artwork.
    case picture
    /// A view of a show.
    case installation
    /// The cover picture of a show.
    case cover

    /// The list that contains such pictures; `nil` for pictures of an artwork, which are part of its own JSON.
    package var list: ObjectList? { ObjectList.allCases.first { $0.imageRole == self } }
}

/// The object that a list, document or picture belongs to, by kind and id.
public struct Owner: Sendable, Hashable {
    /// The object's kind.
    public let kind: Kind
    /// The object's id.
    public let id: String

    /// Creates a reference to an object.
    public init(_ kind: Kind, _ id: String) {
        self.kind = kind
        self.id = id
    }
}

import Catalogue
import MirrorStore

/// The pictures of an artwork: the one that is shown large, and all of them to choose from.
struct WorkPictures {
    /// A stored picture.
    struct Shot {
        let href: String
        let largest: String
        let size: PixelSize?

        /// The picture on the page; `nil` if its size is unknown, because it is no picture.
        func shown(in place: PictureBox.Place) -> Shown? {
            size.flatMap { PictureBox(pixelWidth: $0.width, pixelHeight: $0.height, in: place) }.map {
                ["src": .string(href), "width": .number($0.width), "height": .number($0.height)]
            }
        }
    }

    /// One of the artwork's pictures, which may have no file here.
    struct Entry {
        let image: ImageEntry
        let shot: Shot?
        /// Whether the server doesn't have the file, or it was stored and is lost.
        let isMissing: Bool
        /// Whether the stored file is no picture.
        let isUnreadable: Bool
        /// The number from 1 by which it is chosen: `?picture=2`.
        let number: Int

        /// Whether there is a picture to show.
        var isShown: Bool { shot != nil && !isUnreadable }
    }

    /// The first pictures.
    let entries: [Entry]
    /// The number of all.
    private let count: Int
    /// The index of the picture that is shown large; `nil` if there are none.
    private let current: Int?
    private let alt: String
    /// The path of the page, whose query chooses a picture.
    private let ownHref: String
    /// The query of the list from which the page was reached; `nil` for none.
    private let within: String?
    private let face: Face

    /// At most this number of pictures is offered to choose from.
    private static let maximumPictures = 60

    var main: Shot? { current.flatMap { entries[$0].isShown ? entries[$0].shot : nil } }

    /// The width of the picture that lists show divided by its height; `nil` if it is unknown.
    var ratio: Double? {
        let entry = entries.first(where: \.isShown) ?? entries.first
        let size = entry?.isShown == true ? entry?.shot?.size : nil
        return size.map { Double($0.width) / Double($0.height) } ?? entry?.image.ratio
    }

    init(of owner: Owner, _ context: PageContext, title: String?, by names: String?) throws {
        let pictures = try context.store.pictures(of: owner).filter { $0.role == .picture }
        let entries = try Self.entries(pictures.prefix(Self.maximumPictures), of: owner, context)
        self.entries = entries
        count = pictures.count
        face = context.face
        let chosen = context.target["picture"].flatMap(Int.init).flatMap { $0 > 0 ? $0 - 1 : nil }
        let isDefault = { (entry: Entry) in entry.image.json["is_default"] == .bool(true) }
        let usual =
            entries.firstIndex { isDefault($0) && $0.isShown } ?? entries.firstIndex(where: \.isShown)
            ?? 0
        current = entries.isEmpty ? nil : chosen.flatMap { entries.indices.contains($0) ? $0 : nil } ?? usual
        alt = [title ?? "Untitled", names.map { "by \($0)" }].compactMap(\.self)
            .map { LongText.cut($0, to: 300).text }.joined(separator: ", ")
        ownHref = String(PageTarget.pathOnly(context.target.raw))
        within = context.target["in"]
    }

    /// Looks for the files of pictures. Each costs a query and a look at the file, so the caller limits their number.
    static func entries(_ pictures: some Sequence<Picture>, of owner: Owner, _ context: PageContext) throws
        -> [Entry]
    {
        let shots = try pictures.map { (picture: $0, shot: try shot($0, context)) }
        let isComplete = shots.allSatisfy { $0.shot != nil }
        let unavailable = try isComplete ? [] : context.store.unavailablePictures(of: owner)
        return shots.enumerated().map { index, found in
            let (picture, shot) = found
            let isUnreadable = shot.map { $0.size == nil } ?? hasOtherFile(picture, context)
            let isMissing =
                shot == nil && !isUnreadable
                && (unavailable.contains(picture.image.id) || picture.files.keys.contains { $0 != "square" })
            return Entry(
                image: picture.image, shot: shot, isMissing: isMissing, isUnreadable: isUnreadable,
                number: index + 1)
        }
    }

    /// The stored files that may be shown, by format: `square` is cropped.
    private static func files(of picture: Picture) -> [String: StoredFile] {
        picture.files.filter { $0.key != "square" && ServedType.isPicture($0.value.type) }
    }

    /// Whether a file is stored that is no picture by its type.
    private static func hasOtherFile(_ picture: Picture, _ context: PageContext) -> Bool {
        picture.files.contains { format, file in
            format != "square" && !ServedType.isPicture(file.type) && context.mirror.files.has(file)
        }
    }

    /// The file in the best format for a page; `nil` if none is stored.
    static func best(_ picture: Picture) -> StoredFile? {
        let files = files(of: picture)
        let known = ["larger", "normalized", "medium"].first { files[$0] != nil }
        return (known ?? files.keys.min()).flatMap { files[$0] }
    }

    /// The picture as it is shown; `nil` if it has no file here.
    static func shot(_ picture: Picture, _ context: PageContext) throws -> Shot? {
        guard let file = best(picture), context.mirror.files.has(file) else { return nil }
        let files = files(of: picture)
        let largest = ["normalized", "larger"].lazy.compactMap { files[$0] }.first ?? file
        return Shot(
            href: context.href(file), largest: context.href(largest), size: try context.size(of: file))
    }

    var shown: Shown {
        var shown: Shown = [:]
        guard let current else {
            shown["absence"] = .part(["text": "No picture", "shape": false])
            return shown
        }
        let entry = entries[current]
        if let shot = entry.shot, let size = shot.size,
            let box = PictureBox(pixelWidth: size.width, pixelHeight: size.height, in: .work)
        {
            shown["picture"] = .part([
                "src": .string(shot.href), "largest": .string(shot.largest), "width": .number(box.width),
                "height": .number(box.height), "ratioClass": .string(box.ratioClass),
                "alt": .string(
                    "\(entry.image.caption.map { LongText.cut($0).text } ?? alt). Opens the largest picture."),
                "caption": .text(entries.count > 1 ? nil : entry.image.caption.map { LongText.cut($0).text }),
            ])
        } else {
            shown["absence"] = .part([
                "text": .string(Self.absence(entry)), "shape": .text(Caption.shape(entry.image.ratio)),
            ])
        }
        if entries.count > 1 {
            shown["pictures"] = .part([
                "items": .many(entries.enumerated().map(item))
            ])
        }
        return shown
    }

    private func item(_ index: Int, _ entry: Entry) -> Shown {
        let query =
            (within.map { [NameValue("in", $0)] } ?? []) + [NameValue("picture", String(entry.number))]
        return [
            "href": .string("\(ownHref)?" + PageQuery.encode(query)), "isCurrent": .flag(index == current),
            "picture": .part(entry.shot?.shown(in: .grid)),
            "caption": .string(
                entry.image.caption.map { LongText.cut($0, to: 60).text } ?? "Picture \(entry.number)"),
        ]
    }

    static let unreadable = "The file is no picture"

    /// Why a picture isn't here.
    static func absence(_ entry: Entry) -> String {
        if entry.image.imageVersions?.isEmpty == true { return "The server is still processing this picture" }
        if entry.isUnreadable { return unreadable }
        if entry.isMissing || entry.shot != nil { return "The file is missing here" }
        return "Picture not here yet"
    }

    /// The number of all pictures, of which ``json`` has the first.
    var total: JSONValue { .number(JSONNumber(count)) }

    var json: JSONValue {
        .array(
            entries.map { entry in
                var json = JSONObject([("image", .object(face.visible(entry.image.json, of: .artwork)))])
                json["href"] = entry.shot.map { .string($0.href) }
                json["width"] = entry.shot?.size.map { .number(JSONNumber($0.width)) }
                json["height"] = entry.shot?.size.map { .number(JSONNumber($0.height)) }
                return .object(json)
            })
    }
}

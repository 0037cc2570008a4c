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
        /// Whether there should be a file here, and there is none.
        let isLost: Bool
        /// The number from 1 by which it is chosen: `?picture=2`.
        let number: Int
    }

    let entries: [Entry]
    /// The index of the picture that is shown large; `nil` if there are none.
    private let current: Int?
    private let alt: String
    private let ownHref: String

    var main: Shot? { current.flatMap { entries[$0].shot } }

    init(of owner: Owner, _ context: PageContext, title: String?, by names: String?) throws {
        let pictures = try context.store.pictures(of: owner).filter { $0.role == .picture }
        let entries = try pictures.enumerated().map { index, picture in
            let shot = try Self.shot(picture, context)
            let isLost = shot == nil && picture.files.keys.contains { $0 != "square" }
            return Entry(image: picture.image, shot: shot, isLost: isLost, number: index + 1)
        }
        self.entries = entries
        let chosen = context.target["picture"].flatMap(Int.init).map { $0 - 1 }
        let isDefault = { (entry: Entry) in entry.image.json["is_default"] == .bool(true) }
        let usual =
            entries.firstIndex { isDefault($0) && $0.shot != nil } ?? entries.firstIndex { $0.shot != nil }
            ?? 0
        current = entries.isEmpty ? nil : chosen.flatMap { entries.indices.contains($0) ? $0 : nil } ?? usual
        alt = [title ?? "Untitled", names.map { "by \($0)" }].compactMap(\.self)
            .map { LongText.cut($0, to: 300).text }.joined(separator: ", ")
        ownHref =
            context.frame.base + PageTarget.pathOnly(context.target.raw).dropFirst(context.frame.base.count)
    }

    /// The formats that may be shown, from the best for a page: `square` is cropped.
    static func shot(_ picture: Picture, _ context: PageContext) throws -> Shot? {
        let files = picture.files.filter { $0.key != "square" && ServedType.isPicture($0.value.type) }
        let known = ["larger", "normalized", "medium"].first { files[$0] != nil }
        guard let format = known ?? files.keys.min(), let file = files[format],
            context.mirror.files.has(file)
        else { return nil }
        let largest = ["normalized", "larger"].lazy.compactMap { files[$0] }.first ?? file
        return Shot(
            href: context.href(file), largest: context.href(largest), size: try context.size(of: file))
    }

    var shown: Shown {
        var shown: Shown = [:]
        guard let current else {
            shown["absence"] = .part(["text": "No picture"])
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
            shown["absence"] = .part(["text": .string(Self.absence(entry))])
        }
        if entries.count > 1 {
            shown["pictures"] = .part([
                "items": .many(entries.prefix(Self.maximumPictures).enumerated().map(item))
            ])
        }
        return shown
    }

    /// At most this number of pictures is offered to choose from.
    private static let maximumPictures = 60

    private func item(_ index: Int, _ entry: Entry) -> Shown {
        [
            "href": .string("\(ownHref)?picture=\(entry.number)"), "isCurrent": .flag(index == current),
            "picture": .part(entry.shot?.shown(in: .grid)),
            "caption": .string(
                entry.image.caption.map { LongText.cut($0, to: 60).text } ?? "Picture \(entry.number)"),
        ]
    }

    /// Why a picture isn't here.
    static func absence(_ entry: Entry) -> String {
        if entry.image.imageVersions?.isEmpty == true { return "The server is still processing this picture" }
        if entry.isLost || entry.shot != nil { return "The file is missing here" }
        return "Picture not here yet"
    }

    var json: JSONValue {
        .array(
            entries.map { entry in
                var json = JSONObject([("image", .object(entry.image.json))])
                json["href"] = entry.shot.map { .string($0.href) }
                json["width"] = entry.shot?.size.map { .number(JSONNumber($0.width)) }
                json["height"] = entry.shot?.size.map { .number(JSONNumber($0.height)) }
                return .object(json)
            })
    }
}

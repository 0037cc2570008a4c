import Catalogue
import Hummingbird
import MirrorDemo
import MirrorStore

/// The bytes of pictures and documents: the stored file, or, for a catalogue that has only addresses, a picture drawn
/// from the image's id.
extension ReadRoutes {
    func picture(of owner: Owner, image: String, format: String) throws -> Response {
        guard let facts = try store.picture(of: owner, image: image, format: format) else {
            throw Refusal.notFound
        }
        if let file = facts.file { return try stored(file) }
        guard Picture.Format(rawValue: format) != nil, try store.isCatalogue else {
            throw Refusal.notFound
        }
        // Made from what the picture is made from, so that a client that has it is answered without drawing it.
        let shape = facts.aspectRatio.map { "\($0)" } ?? ""
        let etag = EntityTag.strong(of: "picture 2\n\(format)\n\(shape)\n\(image)")
        return try reply.bytes(etag: etag, type: .jpeg) {
            server.draw(image, format, facts.aspectRatio)
        }
    }

    func documentFile(of owner: Owner, id: String) throws -> Response {
        guard let file = try store.documentFile(of: owner, id: id)?.file else { throw Refusal.notFound }
        return try stored(file)
    }

    private func stored(_ file: StoredFile) throws -> Response {
        guard let open = try OpenFile(path: mirror.files.absolutePath(file)) else { throw Refusal.notFound }
        return try reply.file(open, etag: "\"\(file.hash)\"", type: ServedType(file.type))
    }
}

import Catalogue
import Hummingbird
import MirrorDemo
import MirrorStore
import Synchronization

/// The bytes of pictures and documents: the stored file, or, for a catalogue that has only addresses, a picture drawn
/// from the image's id.
extension ReadRoutes {
    func picture(of owner: Owner, image: String, format: String) throws -> Response {
        guard let facts = try store.picture(of: owner, image: image, format: format) else {
            throw Refusal.notFound
        }
        if let file = facts.file { return try stored(file) }
        guard Picture.Format(rawValue: format) != nil, try mirror.isCatalogue() else {
            throw Refusal.notFound
        }
        // Made from what the picture is made from, so that a client that has it is answered without drawing it.
        let shape = facts.aspectRatio.map { "\($0)" } ?? ""
        let etag = EntityTag.strong(of: "picture 2\n\(format)\n\(shape)\n\(image)")
        return try reply.bytes(etag: etag, type: .jpeg) {
            server.pictures.picture(of: .init(image: image, format: format, aspectRatio: facts.aspectRatio))
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

/// Draws pictures, and keeps those that were requested last: drawing takes long compared with sending.
///
/// Whenever pictures of half the limit were added, those that nobody requested since the half before are dropped. A picture
/// that is requested while it is being drawn is drawn twice.
package final class PictureShelf: Sendable {
    /// What a picture is drawn from; see ``Picture/jpeg(id:format:aspectRatio:)``.
    package struct Subject: Hashable, Sendable {
        package let image: String
        package let format: String
        package let aspectRatio: Double?
    }

    package typealias Draw = @Sendable (Subject) -> [UInt8]

    private struct State {
        var recent: [Subject: [UInt8]] = [:]
        var recentBytes = 0
        var earlier: [Subject: [UInt8]] = [:]

        mutating func keep(_ picture: [UInt8], of subject: Subject, half: Int) {
            guard recent.updateValue(picture, forKey: subject) == nil else { return }
            recentBytes += picture.count
            guard recentBytes > half else { return }
            (earlier, recent, recentBytes) = (recent, [:], 0)
        }
    }

    private let limit: Int
    private let draw: Draw
    private let state = Mutex(State())

    /// - Parameters:
    ///   - limit: about how many bytes of pictures are kept; 16 MiB by default.
    ///   - draw: takes long, and may be called several times at once; ``Picture`` by default.
    init(limit: Int = 16 << 20, draw: @escaping Draw = painted) {
        self.limit = limit
        self.draw = draw
    }

    func picture(of subject: Subject) -> [UInt8] {
        let kept = state.withLock { $0.recent[subject] ?? $0.earlier[subject] }
        let picture = kept ?? draw(subject)
        state.withLock { $0.keep(picture, of: subject, half: limit / 2) }
        return picture
    }

    package static let painted: Draw = {
        Picture.jpeg(id: $0.image, format: $0.format, aspectRatio: $0.aspectRatio)
    }
}

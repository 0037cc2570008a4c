import MirrorDemo
import Synchronization

/// Has pictures drawn, and keeps those that were asked for last: drawing takes long beside sending.
///
/// Pictures go by halves of the limit, those that nobody asked for since the half before. Whoever asks for one that is
/// just being drawn has it drawn too.
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
    ///   - limit: about how many bytes of pictures are kept; 16 MiB unless told otherwise.
    ///   - draw: takes long, and may be called several times at once; ``Picture`` unless told otherwise.
    init(limit: Int = 16 << 20, draw: @escaping Draw = painted) {
        self.limit = limit
        self.draw = draw
    }

    func picture(of subject: Subject) -> [UInt8] {
        if let kept = kept(subject) { return kept }
        let picture = draw(subject)
        state.withLock { $0.keep(picture, of: subject, half: limit / 2) }
        return picture
    }

    private func kept(_ subject: Subject) -> [UInt8]? {
        state.withLock { state in
            if let picture = state.recent[subject] { return picture }
            guard let picture = state.earlier[subject] else { return nil }
            state.keep(picture, of: subject, half: limit / 2)
            return picture
        }
    }

    package static let painted: Draw = {
        Picture.jpeg(id: $0.image, format: $0.format, aspectRatio: $0.aspectRatio)
    }
}

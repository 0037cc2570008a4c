import Synchronization
import Testing

@testable import MirrorServer

@Suite("Pictures that are drawn") struct PictureShelfTests {
    /// Draws a byte for each character of the image's id, and counts.
    private final class Painter: Sendable {
        let drawn = Mutex<[String]>([])

        func shelf(limit: Int) -> PictureShelf {
            PictureShelf(limit: limit) { subject in
                self.drawn.withLock { $0.append(subject.image) }
                return Array(subject.image.utf8)
            }
        }
    }

    private let painter = Painter()

    @Test func areDrawnOnceHoweverOftenTheyAreAskedFor() {
        let shelf = painter.shelf(limit: 100)
        for _ in 0..<3 {
            for (format, ratio) in [("square", nil), ("medium", nil), ("medium", 1.5 as Double?)] {
                let subject = PictureShelf.Subject(image: "image", format: format, aspectRatio: ratio)
                #expect(shelf.picture(of: subject) == Array("image".utf8))
            }
        }
        #expect(painter.drawn.withLock { $0.count } == 3)
    }

    @Test func thoseNobodyAskedForGoFirst() {
        let shelf = painter.shelf(limit: 8)
        func ask(_ images: String) {
            for image in images {
                _ = shelf.picture(
                    of: .init(image: String(image), format: "square", aspectRatio: nil))
            }
        }
        ask("abcde")
        #expect(painter.drawn.withLock { $0 } == ["a", "b", "c", "d", "e"])
        // Asked for again, it outlives those that were drawn with it.
        ask("afghi")
        #expect(painter.drawn.withLock { $0 } == ["a", "b", "c", "d", "e", "f", "g", "h", "i"])
        ask("ab")
        #expect(painter.drawn.withLock { $0.suffix(2) } == ["i", "b"])
    }

    @Test func oneLargerThanTheLimitIsDrawnAllTheSame() {
        let shelf = painter.shelf(limit: 4)
        for image in ["enormous", "a", "enormous"] {
            let subject = PictureShelf.Subject(image: image, format: "square", aspectRatio: nil)
            #expect(shelf.picture(of: subject) == Array(image.utf8))
        }
    }
}

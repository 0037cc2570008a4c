import Catalogue
import MirrorStore
import Testing

@testable import MirrorSync

@Suite struct FileQueueTests {
    @Test func aFileQueueHoldsEachObjectOnceOldestFirst() {
        let queue = FileQueue(isWanted: true)
        queue.add([Owner(.artwork, "a"), Owner(.show, "b"), Owner(.artwork, "a"), Owner(.location, "c")])
        #expect(queue.count == 2)
        #expect(queue.take(1) == [Owner(.artwork, "a")])
        queue.add([Owner(.artwork, "a")])
        #expect(queue.take(5) == [Owner(.show, "b"), Owner(.artwork, "a")])
        #expect(queue.count == 0 && !queue.takeOverflow())
    }

    @Test func aFileQueueReturnsFailedObjectsAfterFiveMinutes() {
        let queue = FileQueue(isWanted: true)
        queue.postpone([Owner(.artwork, "a"), Owner(.show, "b")], at: .seconds(100))
        #expect(queue.count == 0 && !queue.bringBack(at: .seconds(399)))
        #expect(queue.bringBack(at: .seconds(400)) && queue.count == 2)
        #expect(!queue.bringBack(at: .seconds(9_000)))
    }

    @Test func aFileQueueIsEmptyIfNoFilesAreWanted() {
        let queue = FileQueue(isWanted: false)
        queue.add([Owner(.artwork, "a")])
        #expect(queue.count == 0 && queue.take(5).isEmpty)
    }

    @Test func aFullFileQueueLeavesFurtherObjectsToTheNextSync() {
        let queue = FileQueue(isWanted: true)
        queue.add((0...FileQueue.most).map { Owner(.artwork, "\($0)") })
        #expect(queue.count == FileQueue.most)
        #expect(queue.takeOverflow() && !queue.takeOverflow())
    }
}

import Testing

@testable import MirrorServer

@Suite("The head of a request that a client owes") struct HeadWatchTests {
    /// What happens on a connection, a letter each: the head of a request comes (`h`), and its end (`e`); what came in one
    /// go was read (`r`); the client says that nothing more comes (`x`); it is looked after the head while an answer is
    /// under way (`b`), and while none is (`c`).
    @Test(arguments: [
        // Nothing came, or some of a head.
        ("ccc", false), ("cccc", true), ("rccc", false), ("rcccc", true),
        // It came in time, and with the request's end nothing is owed.
        ("hercccccc", false), ("ccchercccc", false), ("hecccc", false),
        // Another one was begun.
        ("herrccc", false), ("herrcccc", true), ("cccherrccc", false), ("cccherrcccc", true),
        ("herrccrcc", true), ("herrcchercccc", false),
        // A body that doesn't come is no head.
        ("hrrrcccc", false), ("hrrercccc", false),
        // While earlier requests are answered the client may take its time.
        ("herrbbbbb", false), ("herrbbbbbccc", false), ("herrbbbbbcccc", true), ("herrccbcc", false),
        // Who has said that nothing more comes owes nothing.
        ("herrxcccc", false), ("rxcccc", false),
    ])
    func itIsOverdueWhenItWasFoundMissingOnceTooOften(_ story: String, _ isOverdue: Bool) {
        var watch = HeadWatch(), last = false
        for event in story {
            switch event {
            case "h": watch.headCame()
            case "e": watch.requestEnded()
            case "r": watch.readCompleted()
            case "x": watch.inputEnded()
            case "b": last = watch.isOverdue(isBusy: true)
            default: last = watch.isOverdue(isBusy: false)
            }
        }
        #expect(last == isOverdue, "\(story)")
    }
}

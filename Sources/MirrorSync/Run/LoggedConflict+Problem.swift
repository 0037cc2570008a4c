import Catalogue
import MirrorStore

extension LoggedConflict {
    /// The conflict as a run reports it.
    var problem: Problem {
        Problem(
            what: resolution == .deleted ? "lost edit" : "conflict", kind: kind, id: id, message: sentence)
    }
}

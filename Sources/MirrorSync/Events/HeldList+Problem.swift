import MirrorStore

extension HeldList {
    /// What a person has to know of it; `nil` where what it lacks went with something else.
    var problem: Problem? {
        guard losses > 0 else { return nil }
        let noun = ["artworks", "documents"].contains(name) ? name : "pictures"
        let lacks = losses == 1 ? "1 that is stored" : "\(losses) that are stored"
        return Problem(
            what: "guard", kind: owner.kind.name, id: owner.id,
            message:
                "Its list of \(noun) does not name \(lacks), so nothing was removed. The next whole sync decides."
        )
    }
}

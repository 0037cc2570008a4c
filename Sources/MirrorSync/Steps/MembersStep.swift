import Catalogue
import MirrorStore
import OperationTree

/// Which artworks a show, album or location has, in order. They are joined to their owner when the run ends.
package struct MembersStep: Step {
    package typealias Output = Never

    let kind: Kind

    package init(of kind: Kind) { self.kind = kind }

    package func identity(of item: Never) -> String {}
    package func listIdentity(of input: ObjectScope) -> String { list(input).list.url }

    package func expand(_ input: ObjectScope, in context: StepContext) async throws -> Expansion<Never> {
        guard case .ids(let ids, let answer) = try await list(input).ask(mayBeMissing: kind == .album) else {
            return .empty
        }
        try await input.environment.applier.submit(.members(list: answer, ids: ids))
        return Expansion([], complete: { answer.isComplete })
    }

    package func perform(_ item: Never, in context: StepContext) async throws -> [Never] {}

    package func operations(expanding input: ObjectScope) -> [FetchOperation] {
        [list(input).operation(known: nil)]
    }

    func list(_ scope: ObjectScope) -> SubList {
        let router = scope.partner.router, owner = scope.owner
        return SubList(scope: scope, name: "artworks") { form in
            router.list(.artworks, of: owner, form)
        }
    }
}

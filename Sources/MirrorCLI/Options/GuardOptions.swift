import ArgumentParser
import MirrorStore

/// How much a run may remove before the delete guard stops it.
struct GuardOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "How much may be removed: a share of each kind such as 20%, or a number in all. Default: 20%.",
            valueName: "limit"),
        transform: GuardOptions.limit)
    var maxDelete: DeleteGuard.Limit = .standard

    static func limit(_ text: String) throws -> DeleteGuard.Limit {
        guard let limit = DeleteGuard.Limit(text) else {
            throw ValidationError("Give a share such as 20%, or a number such as 150.")
        }
        return limit
    }
}

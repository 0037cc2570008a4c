import ArgumentParser

/// How a sync shows how far it is.
enum ProgressMode: String, ExpressibleByArgument, CaseIterable {
    case auto, tree, plain, none

    /// What is drawn on this screen: in place only on a terminal.
    func style(isTerminal: Bool, isQuiet: Bool) -> Style {
        if isQuiet { return .none }
        switch self {
        case .auto: return isTerminal ? .block : .lines
        case .tree: return isTerminal ? .tree : .lines
        case .plain: return .lines
        case .none: return .none
        }
    }

    enum Style: Sendable, Equatable {
        case block, tree, lines, none
    }
}

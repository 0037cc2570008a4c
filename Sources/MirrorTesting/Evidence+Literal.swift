import MirrorStore

/// In tests, any text is evidence.
extension Evidence: ExpressibleByStringLiteral {
    package init(stringLiteral text: String) { self.init(text) }
}

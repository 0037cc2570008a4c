import Hummingbird

/// The form to log in with a name and a password.
struct LoginPage: RenderedPage {
    static let template = "login"

    /// The path to which a successful login leads.
    let to: String
    /// Whether the last attempt was refused.
    let isRefused: Bool

    var title: String { "Log in" }
    var status: HTTPResponse.Status { isRefused ? .forbidden : .ok }
    var shown: Shown { ["to": .string(to), "isRefused": .flag(isRefused)] }
}

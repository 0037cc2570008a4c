import Catalogue
import Hummingbird
import MirrorStore

/// Answers `/status`, beside a base: whether every mirror that is offered can be read.
///
/// It asks for no token and says nothing of any mirror, not even which there are: it is the same beside every base.
struct StatusRoute {
    let mirrors: MirrorDirectory
    let load: RequestLoad
    let onProblem: @Sendable (any Error) -> Void

    func answer(_ method: HTTPRequest.Method) throws -> Response {
        let methods: [HTTPRequest.Method] = [.get, .head]
        guard methods.contains(method) else { throw Refusal.methodNotAllowed(methods) }
        if load.isFull { return Reply.unkept(.serviceUnavailable, "{\"status\":\"overloaded\"}") }
        return isReadable()
            ? Reply.unkept(.ok, "{\"status\":\"ok\"}")
            : Reply.unkept(.internalServerError, "{\"status\":\"failing\"}")
    }

    private func isReadable() -> Bool {
        do {
            // One that went meanwhile is no trouble.
            for name in try mirrors.names() {
                _ = try mirrors.mirror(named: name)?.store.servedSingle(.partner)
            }
            return true
        } catch {
            onProblem(error)
            return false
        }
    }
}

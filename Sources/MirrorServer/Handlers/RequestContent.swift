import Catalogue
import Hummingbird

/// A body that ended before its end, or that isn't HTTP.
struct BrokenBody: Error {
    let cause: any Error
}

/// The body of a request, read within its limit.
enum RequestContent {
    /// 1 MiB.
    static let limit = 1 << 20

    /// - Throws: ``Refusal`` 413, ``BrokenBody``.
    static func bytes(of request: Request) async throws -> [UInt8] {
        if let announced = request.headers[.contentLength].flatMap({ Int($0) }), announced > limit {
            throw Refusal.bodyTooLarge
        }
        var bytes: [UInt8] = []
        do {
            for try await buffer in request.body {
                guard bytes.count + buffer.readableBytes <= limit else { throw Refusal.bodyTooLarge }
                bytes.append(contentsOf: buffer.readableBytesView)
            }
        } catch let refusal as Refusal {
            throw refusal
        } catch {
            throw BrokenBody(cause: error)
        }
        return bytes
    }

    static func form(of request: Request) async throws -> [NameValue] {
        guard let items = FormBody.parse(try await bytes(of: request)) else { throw Refusal.invalid("form") }
        return items
    }

    static func object(of request: Request) async throws -> JSONObject {
        let bytes = try await bytes(of: request)
        do {
            guard let object = try JSONValue(parsing: bytes).objectValue else {
                throw Refusal.invalid("json")
            }
            return object
        } catch is JSONError {
            throw Refusal.invalid("json")
        }
    }
}

extension [NameValue] {
    /// The last value of a name.
    subscript(name: String) -> String? { last { UTF8Order.equal($0.name, name) }?.value }
}

import ArgumentParser
import Foundation
import MirrorSimulation
import MirrorSync

/// Serves the imitation of a museum's API over HTTP, on this machine only.
struct ImitateCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "imitate", abstract: "Serve a catalogue in the form of a museum's API.",
        discussion: """
            The server holds a catalogue in the JSON Lines form, gives it the museum's fields, and answers as the museum's \
            server does, as far as that is published. It also answers for the museum's pictures, which are drawn; all \
            addresses in its answers are its own. SIGHUP makes it read the catalogue again, so that a sync finds changes. \
            Ctrl-C stops it.
            """)

    private static let names = ImitatedMuseum.Name.allCases.map(\.rawValue).joined(separator: ", ")

    @Argument(
        help: ArgumentHelp("The museum: \(names). The last one is made up.", valueName: "museum"),
        transform: museum)
    var name: ImitatedMuseum.Name

    @Option(help: ArgumentHelp("The folder of the catalogue.", valueName: "dir")) var catalogue: String

    @Option(help: ArgumentHelp("The port. Default: a free one, which is printed.", valueName: "n"))
    var port = 0

    @Option(
        help: ArgumentHelp(
            "What goes wrong, by its name. May be repeated. An unknown name prints those of this museum.",
            valueName: "name"))
    var fault: [String] = []

    @Option(help: ArgumentHelp("The seed of what the faults choose. Default: 1.", valueName: "n"))
    var seed: UInt64 = 1

    @Option(
        help: ArgumentHelp(
            "A file for one line a request: milliseconds since 1970, method, target, status, bytes of the body.",
            valueName: "file"))
    var log: String?

    func validate() throws {
        guard (0...65_535).contains(port) else { throw ValidationError("--port must be 0 to 65535.") }
        _ = try faults
    }

    func run() async throws {
        let museum = ImitatedMuseum(
            name, try readCatalogue(), faults: try faults, seed: seed,
            now: { Date().timeIntervalSince1970 })
        let hangUps = HangUpSignal {
            do {
                museum.become(try readCatalogue())
                print("\(name.rawValue): read again, \(museum.catalogue.count(of: .artwork)) artworks")
            } catch {
                print("\(name.rawValue): not read again, the former catalogue stays. \(error)")
            }
            fflush(nil)
        }
        defer { hangUps.end() }
        let server = ImitationServer(museum: museum, log: try log.map(RequestLog.init))
        try await server.run(port: port) { port in
            print(
                "\(name.rawValue): \(museum.catalogue.count(of: .artwork)) artworks at http://127.0.0.1:\(port)"
            )
            fflush(nil)
        }
    }

    private func readCatalogue() throws -> ImitatedCatalogue {
        let files = CatalogueFiles.folder(catalogue)
        // A catalogue has a partner. Without this check, a folder that doesn't exist would be an empty catalogue.
        _ = try files.partner()
        return try ImitatedCatalogue(files)
    }

    private var faults: Set<ImitationFault> {
        get throws {
            Set(
                try fault.map { text in
                    guard let fault = name.faults.first(where: { $0.rawValue == text }) else {
                        let known = name.faults.map(\.rawValue).joined(separator: ", ")
                        throw ValidationError(
                            "\(name.rawValue) has no fault “\(text)”. Its faults are: \(known).")
                    }
                    return fault
                })
        }
    }

    @Sendable private static func museum(_ text: String) throws -> ImitatedMuseum.Name {
        guard let name = ImitatedMuseum.Name(rawValue: text) else {
            throw ValidationError("There is no imitation “\(text)”. Choose one of: \(names).")
        }
        return name
    }
}

/// Calls a function at every SIGHUP, which otherwise ends a program.
private struct HangUpSignal {
    private let source: any DispatchSourceSignal

    init(_ handler: @escaping @Sendable () -> Void) {
        signal(SIGHUP, SIG_IGN)
        source = DispatchSource.makeSignalSource(signal: SIGHUP, queue: .global())
        source.setEventHandler(handler: handler)
        source.resume()
    }

    func end() { source.cancel() }
}

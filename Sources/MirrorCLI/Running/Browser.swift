import ChildProcesses
import Foundation

/// Opens an address in the user's browser.
struct Browser {
    /// The programs to try, each with its arguments before the address.
    let programs: [[String]]

    /// - Parameter environment: `BROWSER` names programs, divided by colons, which are tried first.
    init(environment: [String: String]) {
        let chosen = (environment["BROWSER"] ?? "").split(separator: ":").map { name in
            name.split(separator: " ").map(String.init)
        }.filter { !$0.isEmpty }
        #if os(macOS)
            programs = chosen + [["open"]]
        #else
            programs = chosen + [["xdg-open"]]
        #endif
    }

    /// Starts the first program that can be started and doesn't fail at once.
    ///
    /// - Returns: whether one was started.
    func open(_ address: String) -> Bool {
        for program in programs {
            let arguments = program.dropFirst().filter { $0 != "%s" } + [address]
            let child = try? ChildProcess(
                program[0], arguments, input: .nothing, output: .nothing, errors: .nothing, group: .own)
            guard let child else { continue }
            // A program that hands the address to a running browser ends at once; one that is the browser goes on.
            let deadline = Date().addingTimeInterval(2)
            while child.endingIfEnded == nil, Date() < deadline { Thread.sleep(forTimeInterval: 0.05) }
            if child.endingIfEnded.map({ $0.status == 0 && !$0.wasSignalled }) ?? true { return true }
        }
        return false
    }
}

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
    /// It waits up to two seconds for a failure. Cancelling the task ends the wait.
    ///
    /// - Returns: whether one was started.
    func open(_ address: String) async -> Bool {
        for program in programs {
            let arguments = program.dropFirst().filter { $0 != "%s" } + [address]
            let child = try? ChildProcess(
                program[0], arguments, input: .nothing, output: .nothing, errors: .nothing, group: .own)
            guard let child else { continue }
            if await !hasFailed(child) { return true }
        }
        return false
    }

    /// Whether a program fails at once. One that hands the address to a running browser ends at once; one that is the browser
    /// goes on.
    private func hasFailed(_ child: ChildProcess) async -> Bool {
        for _ in 0..<40 {
            if let ending = child.endingIfEnded { return ending.status != 0 || ending.wasSignalled }
            // A blocked thread would delay the server, which runs in this process.
            guard (try? await Task.sleep(for: .milliseconds(50))) != nil else { return false }
        }
        return false
    }
}

/// Simulates a terminal's screen, with the few control sequences that the program sends.
struct TerminalScreen {
    let columns: Int, rows: Int
    private var cells: [[Character]] = [[]]
    private var row = 0, column = 0
    private var pending: [UInt8] = []
    /// The lines that scrolled off the top.
    private(set) var scrolledAway: [String] = []
    /// The number of times that the cursor was moved up to draw something in place.
    private(set) var redraws = 0

    init(columns: Int, rows: Int) {
        self.columns = columns
        self.rows = rows
    }

    /// The lines, without trailing spaces.
    var lines: [String] {
        cells.map { line in
            var line = line[...]
            while line.last == " " { line.removeLast() }
            return String(line)
        }
    }

    mutating func feed(_ bytes: some Sequence<UInt8>) {
        pending += bytes
        while let next = Self.token(pending) {
            pending.removeFirst(next.length)
            perform(next.token)
        }
    }

    private enum Token {
        case character(Character)
        case control(UInt8)
        /// `ESC [ number letter`
        case sequence(number: Int?, letter: UInt8)
    }

    /// The first complete token; `nil` if its last bytes are missing.
    private static func token(_ bytes: [UInt8]) -> (token: Token, length: Int)? {
        guard let first = bytes.first else { return nil }
        if first == 0x1B {
            guard let end = bytes.dropFirst(2).firstIndex(where: { (0x40...0x7E).contains($0) }) else {
                return nil
            }
            let number = Int(String(decoding: bytes[2..<end], as: UTF8.self))
            return (.sequence(number: number, letter: bytes[end]), end + 1)
        }
        if first < 0x20 { return (.control(first), 1) }
        let length = first < 0x80 ? 1 : first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4
        guard bytes.count >= length else { return nil }
        return (.character(Character(String(decoding: bytes[..<length], as: UTF8.self))), length)
    }

    private mutating func perform(_ token: Token) {
        switch token {
        case .character(let character):
            if column == columns { newLine(); column = 0 }
            while cells[row].count <= column { cells[row].append(" ") }
            cells[row][column] = character
            column += 1
        case .control(0x0D): column = 0
        case .control(0x0A): newLine()
        case .control: break
        case .sequence(let number, UInt8(ascii: "F")):
            redraws += 1
            (row, column) = (max(0, row - (number ?? 1)), 0)
        case .sequence(_, UInt8(ascii: "J")):
            cells[row].removeSubrange(min(column, cells[row].count)...)
            cells.removeSubrange((row + 1)...)
        case .sequence: break
        }
    }

    private mutating func newLine() {
        row += 1
        if row == cells.count { cells.append([]) }
        if cells.count > rows {
            scrolledAway.append(lines[0])
            cells.removeFirst()
            row -= 1
        }
    }
}

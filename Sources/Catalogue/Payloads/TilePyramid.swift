/// The deep-zoom tiles of a picture: its levels, and where the file of each tile is.
///
/// Level 0 shows the whole picture in one pixel. Each level has twice as many pixels along both sides as the one before, and
/// the last is the picture in its tiled size. A level is cut into squares of ``size`` pixels, from the upper left corner.
package struct TilePyramid: Sendable, Hashable {
    /// Pictures with more tiles have none fetched.
    package static let mostTiles = 50_000
    /// Longest side of a picture, and of a tile, in pixels: what says more is no pyramid.
    private static let (longestSide, longestTile) = (4_000_000, 65_536)

    /// The address that all tiles stand under, absolute or relative to the base.
    package let base: String
    /// Of the last level, in pixels.
    package let width: Int
    package let height: Int
    /// Pixels along a tile's side, without overlap.
    package let size: Int
    /// Pixels by which a tile extends over each neighbour; default 0.
    package let overlap: Int
    /// The extension of the files' names; default `jpg`.
    package let format: String

    /// - Returns: `nil` if the fields don't say where the tiles are or how many there are.
    package init?(base: String?, width: Int?, height: Int?, size: Int?, overlap: Int?, format: String?) {
        guard let base, !base.isBlank, let width, let height, let size,
            (1...Self.longestSide).contains(width), (1...Self.longestSide).contains(height),
            (1...Self.longestTile).contains(size)
        else { return nil }
        (self.base, self.width, self.height, self.size) = (base, width, height, size)
        self.overlap = min(max(0, overlap ?? 0), size)
        self.format = format.flatMap { $0.isBlank ? nil : $0 } ?? "jpg"
    }

    /// Whether fields tell of tiles and yet don't say where they are or how many there are.
    package static func isUnusable(base: String?, width: Int?, height: Int?, size: Int?) -> Bool {
        base?.isBlank == false && (width ?? height ?? size) != nil
            && TilePyramid(base: base, width: width, height: height, size: size, overlap: nil, format: nil)
                == nil
    }

    /// The number of the last level.
    package var lastLevel: Int {
        var level = 0
        while 1 << level < max(width, height) { level += 1 }
        return level
    }

    /// How many tiles all levels have.
    package var count: Int {
        (0...lastLevel).reduce(0) { sum, level in
            let (columns, rows) = grid(of: level)
            return sum + columns * rows
        }
    }

    /// All tiles, level by level, row by row.
    package var tiles: [ImageTile] {
        (0...lastLevel).flatMap { level in
            let (columns, rows) = grid(of: level)
            return (0..<rows).flatMap { row in
                (0..<columns).map { ImageTile(level: level, column: $0, row: row) }
            }
        }
    }

    package func contains(_ tile: ImageTile) -> Bool {
        guard (0...lastLevel).contains(tile.level) else { return false }
        let (columns, rows) = grid(of: tile.level)
        return (0..<columns).contains(tile.column) && (0..<rows).contains(tile.row)
    }

    /// Where a tile's bytes are: `{base}/{level}/{column}_{row}.{format}`. A query of the base stays; a fragment, which is never
    /// sent, goes.
    package func url(of tile: ImageTile) -> String {
        let address = base.prefix { $0 != "#" }
        var path = address.prefix { $0 != "?" }
        let query = address[path.endIndex...]
        while path.hasSuffix("/") { path.removeLast() }
        let name = "\(tile.column)_\(tile.row).\(PercentEncoding.encode(format))"
        return "\(path)/\(tile.level)/\(name)\(query)"
    }

    /// Width and height of a level, in pixels.
    package func pixels(of level: Int) -> (width: Int, height: Int) {
        let scale = 1 << (lastLevel - level)
        return ((width + scale - 1) / scale, (height + scale - 1) / scale)
    }

    /// The part of its level that a tile shows, overlap included, in pixels.
    package func area(of tile: ImageTile) -> (x: Int, y: Int, width: Int, height: Int) {
        let level = pixels(of: tile.level)
        func span(_ index: Int, _ length: Int) -> (start: Int, length: Int) {
            let start = max(0, index * size - overlap)
            return (start, min(length, (index + 1) * size + overlap) - start)
        }
        let across = span(tile.column, level.width), down = span(tile.row, level.height)
        return (across.start, down.start, across.length, down.length)
    }

    private func grid(of level: Int) -> (columns: Int, rows: Int) {
        let (width, height) = pixels(of: level)
        return ((width + size - 1) / size, (height + size - 1) / size)
    }
}

/// One tile: its level, and its place in it, from 0.
package struct ImageTile: Sendable, Hashable {
    package let level: Int
    package let column: Int
    package let row: Int

    package init(level: Int, column: Int, row: Int) {
        (self.level, self.column, self.row) = (level, column, row)
    }

    /// The name of the format under which the mirror stores a tile's file, beside those of the picture: `tile/12/3_4`.
    package var format: String { "\(Self.prefix)\(level)/\(column)_\(row)" }

    /// What tiles are counted under, and the sizes of all of them.
    package static let kind = "tile"
    private static let prefix = "tile/"

    /// - Returns: `nil` if that is the format of a whole picture.
    package init?(format: String) {
        guard format.hasPrefix(Self.prefix) else { return nil }
        let parts = format.dropFirst(Self.prefix.count).split(
            separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        self.init(level: String(parts[0]), place: String(parts[1]))
    }

    /// Reads `12` and `3_4`, as addresses of tiles have them: digits, without leading zeros.
    package init?(level: String, place: String) {
        let parts = place.split(separator: "_", omittingEmptySubsequences: false)
        guard parts.count == 2, let level = Self.number(level[...]), let column = Self.number(parts[0]),
            let row = Self.number(parts[1])
        else { return nil }
        self.init(level: level, column: column, row: row)
    }

    private static func number(_ digits: Substring) -> Int? {
        guard let number = Int(digits), number >= 0, "\(number)" == digits else { return nil }
        return number
    }

    /// The name under which sizes of a format's files are counted: all tiles under one.
    package static func sizeGroup(of format: String) -> String {
        format.hasPrefix(prefix) ? kind : format
    }
}

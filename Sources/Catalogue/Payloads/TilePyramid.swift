/// The deep-zoom tiles of a picture: its levels, their tiles, and the URL of each tile's file.
///
/// Level 0 shows the picture in one pixel. Each level has twice the width and height of the level before, and the last level is
/// the picture in its tiled size. A level is divided into squares of ``size`` pixels, starting in the upper left corner.
package struct TilePyramid: Sendable, Hashable {
    /// The largest number of tiles; of a picture with more, no tiles are fetched.
    package static let maximumTileCount = 50_000
    /// The longest accepted side of a picture, and of a tile, in pixels.
    private static let (longestSide, longestTile) = (4_000_000, 65_536)

    /// The URL under which all tiles are, absolute or relative to the server's base URL.
    package let base: String
    /// The width of the last level, in pixels.
    package let width: Int
    /// The height of the last level, in pixels.
    package let height: Int
    /// The side of a tile without its overlap, in pixels.
    package let size: Int
    /// The number of pixels by which a tile extends over each neighbour; default 0.
    package let overlap: Int
    /// The extension of the files' names; default `jpg`.
    package let format: String

    /// Creates a pyramid from the fields of an image.
    ///
    /// - Returns: `nil` if base, width, height or size is missing or outside its limits.
    package init?(base: String?, width: Int?, height: Int?, size: Int?, overlap: Int?, format: String?) {
        guard let base, !base.isBlank, let width, let height, let size,
            (1...Self.longestSide).contains(width), (1...Self.longestSide).contains(height),
            (1...Self.longestTile).contains(size)
        else { return nil }
        (self.base, self.width, self.height, self.size) = (base, width, height, size)
        self.overlap = min(max(0, overlap ?? 0), size)
        self.format = format.flatMap { $0.isBlank ? nil : $0 } ?? "jpg"
    }

    /// Whether an image has fields for tiles from which no pyramid can be created.
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

    /// The number of tiles of all levels.
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

    /// Whether the pyramid has a tile at that level, column and row.
    package func contains(_ tile: ImageTile) -> Bool {
        guard (0...lastLevel).contains(tile.level) else { return false }
        let (columns, rows) = grid(of: tile.level)
        return (0..<columns).contains(tile.column) && (0..<rows).contains(tile.row)
    }

    /// The URL of a tile's file: `{base}/{level}/{column}_{row}.{format}`.
    ///
    /// A query of the base is kept. Its fragment is removed, because fragments are never sent.
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

/// One tile, identified by its level, column and row, all counted from 0.
package struct ImageTile: Sendable, Hashable {
    package let level: Int
    package let column: Int
    package let row: Int

    /// Creates the tile at a level, column and row.
    package init(level: Int, column: Int, row: Int) {
        (self.level, self.column, self.row) = (level, column, row)
    }

    /// The name of the format under which the mirror stores a tile's file, beside those of the picture: `tile/12/3_4`.
    package var format: String { "\(Self.prefix)\(level)/\(column)_\(row)" }

    /// The name under which the files and bytes of all tiles are counted together.
    package static let kind = "tile"
    private static let prefix = "tile/"

    /// Reads a format's name, such as `tile/12/3_4`.
    ///
    /// - Returns: `nil` if it isn't the format of a tile.
    package init?(format: String) {
        guard format.hasPrefix(Self.prefix) else { return nil }
        let parts = format.dropFirst(Self.prefix.count).split(
            separator: "/", omittingEmptySubsequences: false)
        guard parts.count == 2 else { return nil }
        self.init(level: String(parts[0]), place: String(parts[1]))
    }

    /// Reads level and place as they are in a tile's URL, such as `12` and `3_4`: digits without leading zeros.
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

    /// The name under which the sizes of a format's files are counted: ``kind`` for all tiles, else the format.
    package static func sizeGroup(of format: String) -> String {
        format.hasPrefix(prefix) ? kind : format
    }
}

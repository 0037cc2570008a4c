extension Landscape {
    /// Paints column by column, so that everything that depends on x alone is computed once. Inner loops use `while` and
    /// pointers, because ranges and arrays are slow in a debug build.
    func paint(_ canvas: borrowing Canvas) {
        let rows = canvas.paddedHeight
        let sky = skyColours(canvas)
        var crests = [Float](repeating: 0, count: ridges.count)
        // The last element is the lower edge.
        var tops = [Float](repeating: Float(rows), count: ridges.count + 1)
        let firstBeforeLake = lake.flatMap { lake in ridges.firstIndex { $0.base > lake } }
        var x = 0
        while x < canvas.stride {
            let unitX = canvas.originX + (Float(x) + 0.5) / canvas.scale
            for (index, ridge) in ridges.enumerated() {
                crests[index] = (crest(of: ridge, at: unitX) - canvas.originY) * canvas.scale
                tops[index] = crests[index] - treetops(ridge, unitX) * canvas.scale
            }
            let column = canvas.pixels + 3 * x
            paintSky(canvas, column, unitX, sky, until: Self.row(tops.min() ?? 0, rows) + 1)
            for cloud in clouds { paint(cloud, canvas, column, unitX) }
            for (index, ridge) in ridges.enumerated() {
                if let lake, index == firstBeforeLake { paintLake(from: lake, canvas, column, unitX) }
                paint(
                    ridge, canvas, column, from: tops[index], crest: crests[index],
                    until: tops[(index + 1)...].min() ?? 0)
            }
            paintTexture(canvas, column, unitX)
            x += 1
        }
    }

    /// The height of a ridge's crest, in units from the upper edge.
    private func crest(of ridge: Ridge, at x: Float) -> Float {
        let place = x * ridge.frequency
        let large = ridge.noise.value(place, 0), middle = ridge.noise.value(place * 2.3, 1)
        let small = ridge.noise.value(place * 5.9, 2), tiny = ridge.noise.value(place * 14, 3)
        let round = large * 0.72 + middle * 0.25 + small * 0.03
        let pointed = 0.75 - abs(large) * 1.1 - abs(middle) * 0.5 - abs(small) * 0.2 - abs(tiny) * 0.06
        return ridge.base - ridge.amplitude * (round + (pointed - round) * ridge.sharpness)
    }

    /// The height of the trees at `x` above the crest: pointed firs of different heights, in groups.
    private func treetops(_ ridge: Ridge, _ x: Float) -> Float {
        guard ridge.trees > 0 else { return 0 }
        let spacing = ridge.trees * 0.28
        let place = x / spacing
        let cell = Int64(place.rounded(.down))
        var top: Float = 0
        var neighbour = cell - 1
        while neighbour <= cell + 1 {
            let size = ridge.noise.height(neighbour, 7)
            let group = ridge.noise.value(Float(neighbour) * 0.11, 8)
            let height = ridge.trees * (0.55 + 0.45 * size) * max(0, min(1, 0.5 + group * 1.6))
            let centre = Float(neighbour) + 0.5 + 0.3 * ridge.noise.height(neighbour, 9)
            top = max(top, height - abs(place - centre) * spacing * 3.2)
            neighbour += 1
        }
        return top
    }

    private func skyColours(_ canvas: borrowing Canvas) -> [Colour] {
        (0..<canvas.paddedHeight).map { row in
            let y = (canvas.originY + (Float(row) + 0.5) / canvas.scale) / horizon
            let part = max(0, min(1, y))
            return palette.zenith.mixed(palette.horizon, part * (0.5 + 0.5 * part))
        }
    }

    /// The sky with the glow of the sun or the moon.
    private func paintSky(
        _ canvas: borrowing Canvas, _ column: UnsafeMutablePointer<Float>, _ x: Float, _ sky: [Colour],
        until end: Int
    ) {
        let across = (x - discX) * (x - discX)
        let square = discRadius * discRadius, softness = 1 / (2 * discRadius) * canvas.scale
        let disc = palette.disc
        let reach = unit * unit * 0.06
        var y = canvas.originY + 0.5 / canvas.scale
        let step = 1 / canvas.scale
        var pixel = column
        sky.withUnsafeBufferPointer { sky in
            var row = 0
            while row < end {
                let distance = across + (y - discY) * (y - discY)
                let glow = reach / (reach + distance)
                var light = 0.5 * glow * glow
                let edge = (square - distance) * softness + 0.5
                if edge > 0 { light += (1 - light) * (edge < 1 ? edge : 1) }
                let back = sky[row]
                pixel[0] = back.red + (disc.red - back.red) * light
                pixel[1] = back.green + (disc.green - back.green) * light
                pixel[2] = back.blue + (disc.blue - back.blue) * light
                pixel += 3 * canvas.stride
                y += step
                row += 1
            }
        }
    }

    private func paint(
        _ cloud: Cloud, _ canvas: borrowing Canvas, _ column: UnsafeMutablePointer<Float>, _ x: Float
    ) {
        let place = x * cloud.frequency
        let size = cloud.noise.value(place, 0) + 0.15 + 0.35 * cloud.noise.value(place * 3.1, 1)
        guard size > 0 else { return }
        let half = cloud.thickness * min(1, size * 1.6) * canvas.scale
        let centre =
            (cloud.y - cloud.thickness * 0.5 * cloud.noise.value(place * 2, 2) - canvas.originY)
            * canvas.scale
        let light = palette.horizon.mixed(palette.disc, 0.5)
        var row = Self.row(centre - half, canvas.paddedHeight)
        let end = Self.row(centre + half, canvas.paddedHeight)
        let opacity = 0.75 * min(1, size * 2)
        while row < end {
            let offset = (Float(row) + 0.5 - centre) / half
            let cover = (1 - offset * offset) * opacity
            if cover > 0 { Self.blend(column + 3 * canvas.stride * row, light, cover) }
            row += 1
        }
    }

    /// Paints a ridge, darkest at its crest, down to the next ridge.
    private func paint(
        _ ridge: Ridge, _ canvas: borrowing Canvas, _ column: UnsafeMutablePointer<Float>, from top: Float,
        crest height: Float, until next: Float
    ) {
        var row = Self.row(top, canvas.paddedHeight)
        let end = min(Self.row(next, canvas.paddedHeight) + 1, canvas.paddedHeight)
        guard row < end else { return }
        var pixel = column + 3 * canvas.stride * row
        let (crest, haze) = (ridge.crest, ridge.haze)
        // The pixel at the crest is blended with the background.
        Self.blend(pixel, crest, max(0, min(1, Float(row + 1) - top)))
        let step = 1 / (ridge.depth * canvas.scale)
        var left = max(0, 1 - (Float(row) + 0.5 - height) * step)
        while row + 1 < end {
            row += 1
            pixel += 3 * canvas.stride
            left -= step
            if left < 0 { left = 0 }
            let part = left < 1 ? 1 - left * left : 0
            pixel[0] = crest.red + (haze.red - crest.red) * part
            pixel[1] = crest.green + (haze.green - crest.green) * part
            pixel[2] = crest.blue + (haze.blue - crest.blue) * part
        }
    }

    /// Paints the water, which reflects the picture above it.
    private func paintLake(
        from shore: Float, _ canvas: borrowing Canvas, _ column: UnsafeMutablePointer<Float>, _ x: Float
    ) {
        let line = (shore - canvas.originY) * canvas.scale
        var row = Self.row(line, canvas.paddedHeight)
        let tint = palette.zenith.mixed(palette.horizon, 0.4)
        let fineness = 34 / unit / canvas.scale
        while row < canvas.paddedHeight {
            let below = Float(row) + 0.5 - line
            let wave = ripples.value(x * 7 / unit, below * fineness)
            let mirrored = Self.row(line - below * (1.05 + 0.12 * wave), canvas.paddedHeight)
            let source = column + 3 * canvas.stride * min(mirrored, max(0, row - 1))
            let pixel = column + 3 * canvas.stride * row
            let light = 0.25 + 0.08 * wave
            pixel[0] = source[0] + (tint.red - source[0]) * light
            pixel[1] = source[1] + (tint.green - source[1]) * light
            pixel[2] = source[2] + (tint.blue - source[2]) * light
            row += 1
        }
    }

    /// Varies the lightness a little, like paint on paper.
    private func paintTexture(_ canvas: borrowing Canvas, _ column: UnsafeMutablePointer<Float>, _ x: Float) {
        let spacing = max(1, Int(canvas.scale * unit / 160))
        var pixel = column
        var row = 0, light = unevenness(x, canvas.originY)
        while row < canvas.paddedHeight {
            let next = unevenness(x, canvas.originY + Float(row + spacing) / canvas.scale)
            let step = (next - light) / Float(spacing)
            let end = min(canvas.paddedHeight, row + spacing)
            while row < end {
                pixel[0] *= light
                pixel[1] *= light
                pixel[2] *= light
                light += step
                pixel += 3 * canvas.stride
                row += 1
            }
            light = next
        }
    }

    private func unevenness(_ x: Float, _ y: Float) -> Float {
        // Rotated, so that the grid of the noise is not visible.
        let (right, down) = ((x * 55 + y * 34) / unit, (y * 80 - x * 50) / unit)
        return 0.985 + 0.02 * texture.value(right * 0.1, down * 0.1) + 0.02 * texture.value(right, down)
    }

    /// Blends a colour into a pixel. `cover` is from 0 to 1.
    @inline(__always)
    private static func blend(_ pixel: UnsafeMutablePointer<Float>, _ colour: Colour, _ cover: Float) {
        pixel[0] += (colour.red - pixel[0]) * cover
        pixel[1] += (colour.green - pixel[1]) * cover
        pixel[2] += (colour.blue - pixel[2]) * cover
    }

    /// The row at a height in pixels, from 0 to `count` - 1.
    @inline(__always)
    private static func row(_ height: Float, _ count: Int) -> Int {
        height <= 0 ? 0 : height >= Float(count - 1) ? count - 1 : Int(height)
    }
}

/// What a picture shows: at every point a colour, and which way a painter would draw the brush there.
///
/// Coordinates run from 0 to `extent.width` and `extent.height`, the longer of which is 1.
protocol Scene {
    func tone(_ x: Float, _ y: Float) -> Tone
}

/// What a scene has at a point.
struct Tone {
    var colour: Colour
    /// Which way the brush goes; need not be of length 1.
    var directionX: Float = 1
    var directionY: Float = 0
}

/// A picture's proportions: its longer side is 1.
struct Extent {
    let width: Float
    let height: Float

    /// Width over height.
    init(aspectRatio: Float) {
        width = min(1, aspectRatio)
        height = min(1, 1 / aspectRatio)
    }

    var short: Float { min(width, height) }
}

/// A ball, fruit, head or vase: an ellipse that light from the upper left makes round.
struct RoundForm {
    var x: Float
    var y: Float
    var radiusX: Float
    var radiusY: Float
    var colour: Colour
    var shadow: Colour
    var gloss: Float = 0.5

    func contains(_ x: Float, _ y: Float) -> Bool {
        let right = (x - self.x) / radiusX, down = (y - self.y) / radiusY
        return right * right + down * down < 1
    }

    func tone(_ x: Float, _ y: Float) -> Tone {
        let right = (x - self.x) / radiusX, down = (y - self.y) / radiusY
        let toward = max(0, 1 - right * right - down * down).squareRoot()
        let light = -0.55 * right - 0.55 * down + 0.63 * toward
        var colour = shadow.mixed(self.colour, 0.25 + light * 0.95)
        let shine = max(0, light - 0.9) * 10
        colour = colour.mixed(Colour(1, 0.98, 0.92), shine * gloss)
        // Along the form's contour.
        return Tone(colour: colour, directionX: -down, directionY: right * radiusY / radiusX + 0.01)
    }
}

/// One stroke of paint or ink, in units of the picture's long side.
struct Stroke {
    var x: Float
    var y: Float
    /// A unit vector.
    var directionX: Float
    var directionY: Float
    var halfLength: Float
    var halfWidth: Float
    var colour: Colour
    /// 0 (nothing) to 1 (covers).
    var opacity: Float
}

/// What the hairs of a brush leave: per hair how far it reaches and how much lighter or darker its trace is.
struct Brush: ~Copyable {
    static let bristles = 16
    let reach: UnsafeMutablePointer<Float>
    let shade: UnsafeMutablePointer<Float>

    /// `relief` is how far hairs differ in lightness. Light falls from above: one side of a stroke catches it.
    init(relief: Float, _ seed: inout PictureSeed) {
        reach = .allocate(capacity: Self.bristles)
        shade = .allocate(capacity: Self.bristles)
        for index in 0..<Self.bristles {
            (reach + index).initialize(to: seed.between(0.5, 2))
            let side = 0.5 - Float(index) / Float(Self.bristles - 1)
            let light = relief * (side * 0.9 + seed.between(-0.6, 0.6))
            (shade + index).initialize(to: light)
        }
    }

    deinit {
        reach.deallocate()
        shade.deallocate()
    }
}

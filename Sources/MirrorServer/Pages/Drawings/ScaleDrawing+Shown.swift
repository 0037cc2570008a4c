extension ScaleDrawing {
    /// What the template of a label shows.
    var shown: Shown {
        [
            "viewBox": .string(viewBox), "width": .string(width), "height": .string(height),
            "label": .string(label),
            "person": .one([
                "body": .string(person.body), "headX": .string(person.headX), "headY": .string(person.headY),
            ]),
            "workX": .string(work.x), "workY": .string(work.y), "workWidth": .string(work.width),
            "workHeight": .string(work.height), "floor": .string(floor),
        ]
    }
}

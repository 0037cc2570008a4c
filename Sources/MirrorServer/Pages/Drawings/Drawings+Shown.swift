extension ScaleDrawing {
    /// What the template of a label shows.
    var shown: Shown {
        [
            "viewBox": .string(viewBox), "width": .string(width), "height": .string(height),
            "label": .string(label),
            "person": .one(person.shown),
            "workX": .string(work.x), "workY": .string(work.y), "workWidth": .string(work.width),
            "workHeight": .string(work.height), "floor": .string(floor),
        ]
    }
}

extension DrawnBox {
    var shown: Shown {
        ["x": .string(x), "y": .string(y), "width": .string(width), "height": .string(height)]
    }
}

extension DrawnPerson {
    var shown: Shown {
        ["body": .string(body), "headX": .string(headX), "headY": .string(headY)]
    }
}

extension Wall {
    /// What the template of a wall shows.
    var shown: Shown {
        [
            "viewBox": .string(viewBox), "width": .string(width), "height": .string(height),
            "label": .string(label),
            "caption": .string(caption), "ground": .one(ground.shown), "person": .one(person.shown),
            "works": .many(
                items.map { item in
                    [
                        "href": .string(item.href), "label": .string(item.label),
                        "picture": .text(item.picture),
                        "box": .one(item.image.shown), "hit": .one(item.hit.shown),
                        "edge": .one(item.edge.shown),
                    ]
                }),
        ]
    }
}

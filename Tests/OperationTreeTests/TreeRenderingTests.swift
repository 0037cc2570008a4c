import OperationTree
import Testing

struct TreeRenderingTests {
    private var tree: Tree<String, Void> {
        let step = ScriptedStep(items: [])
        let pictures = Node("image", step, lane: .media) { Node("tile", step, lane: .media) }
        return Tree("Sync", step) {
            Node("user", step)
            Node("artwork", step) { pictures }
            Node("show", step) {
                Node("cover", step) { pictures }
                Node("say \"hi\" \\ there", step, lane: Lane("slow"))
            }
        }
    }

    @Test func aDotGraphIsStableAndEscaped() {
        #expect(
            DotGraph(tree).text == #"""
                digraph "Sync" {
                    rankdir=LR;
                    node [shape=box];
                    "Sync" [label="Sync\nrequests"];
                    "user" [label="user\nrequests"];
                    "artwork" [label="artwork\nrequests"];
                    "image" [label="image\nmedia", peripheries=2];
                    "tile" [label="tile\nmedia"];
                    "show" [label="show\nrequests"];
                    "cover" [label="cover\nrequests"];
                    "say \"hi\" \\ there" [label="say \"hi\" \\ there\nslow"];
                    "Sync" -> "user";
                    "Sync" -> "artwork";
                    "Sync" -> "show";
                    "artwork" -> "image";
                    "image" -> "tile";
                    "show" -> "cover";
                    "show" -> "say \"hi\" \\ there";
                    "cover" -> "image";
                }

                """#)
        #expect(DotGraph(tree).text == DotGraph(tree).text)
    }

    @Test func aTextTreeMarksSharedNodesAndDrawsTheirChildrenOnce() {
        let text = TextTree(tree) { $0.name == "image" ? "one file" : $0.name == "user" ? "/me" : nil }.text
        #expect(
            text == #"""
                Sync
                ├─ user       /me
                ├─ artwork
                │  └─ image*  one file
                │     └─ tile
                └─ show
                   ├─ cover
                   │  └─ image*
                   └─ say "hi" \ there

                """#)
    }

    @Test func aJSONTreeIsEscaped() {
        let step = ScriptedStep(items: [])
        let small = Tree("a\u{1}\n", step) { Node("b\"\\", step, lane: .media) }
        #expect(
            JSONTree(small).text == #"""
                {
                  "name": "a\u0001\n",
                  "nodes": [
                    {"name": "a\u0001\n", "lane": "requests", "shared": false, "children": ["b\"\\"]},
                    {"name": "b\"\\", "lane": "media", "shared": false, "children": []}
                  ]
                }

                """#)
    }

    @Test func nodesAndEdgesOfATreeAreInDeclaredOrder() {
        #expect(
            tree.nodes.map(\.name)
                == ["Sync", "user", "artwork", "image", "tile", "show", "cover", "say \"hi\" \\ there"])
        #expect(tree.node(named: "image")?.parents == ["artwork", "cover"])
        #expect(tree.node(named: "image")?.isShared == true)
        #expect(tree.node(named: "image")?.lane == .media)
        #expect(tree.node(named: "Sync")?.parents == [])
        #expect(tree.node(named: "nobody") == nil)
        #expect(tree.edges.count == 8)
    }

    @Test func aStepIsFoundByItsNodesNameAndReturnsItsOperations() {
        let step = tree.step("artwork", as: ScriptedStep.self)
        let context = StepContext(node: "artwork")
        #expect(step?.operations(performing: "7", in: context) == ["GET 7"])
        #expect(step?.operations(expanding: "7", in: context) == [])
        #expect(tree.step("nobody", as: ScriptedStep.self) == nil)
    }

    @Test func edgesCanBeDeclaredWithConditionsAndLoops() {
        func tree(_ isBig: Bool) -> Tree<String, Void> {
            let step = ScriptedStep(items: [])
            return Tree("r", step) {
                if isBig { Node("big", step) } else { Node("small", step) }
                for index in 0..<2 { Node("n\(index)", step) }
                if isBig { Node("more", step) }
            }
        }
        #expect(tree(true).nodes.map(\.name) == ["r", "big", "n0", "n1", "more"])
        #expect(tree(false).nodes.map(\.name) == ["r", "small", "n0", "n1"])
    }

    @Test func twoNodesWithTheSameNameStopTheProgram() async {
        await #expect(processExitsWith: .failure) {
            let step = ScriptedStep(items: [])
            _ = Tree("r", step) {
                Node("a", step)
                Node("a", step)
            }
        }
    }

    @Test func aNodeDeclaredTwiceUnderOneParentStopsTheProgram() async {
        await #expect(processExitsWith: .failure) {
            let step = ScriptedStep(items: [])
            let leaf = Node("a", step)
            _ = Tree("r", step) {
                leaf
                leaf
            }
        }
    }
}

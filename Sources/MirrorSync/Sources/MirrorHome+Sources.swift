import CatalogueSources
import Foundation
import MirrorStore

extension MirrorHome {
    /// The built-in sources, and those in the folder `sources`.
    package var sources: SourceFolder {
        SourceFolder(URL(fileURLWithPath: path).appendingPathComponent("sources"))
    }
}

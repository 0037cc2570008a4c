import MirrorStore

extension MirrorOptions {
    /// Opens the mirror for an edit, beside whatever run works on it, and closes it afterwards.
    func writing<Result>(_ body: (CatalogueStore, MirrorFolder) throws -> Result) throws -> Result {
        let folder = try MirrorChoice(home: home.mirrorHome).folder(partner)
        let store = try folder.open()
        do {
            let result = try body(store, folder)
            try store.close(folding: false)
            return result
        } catch {
            try? store.close(folding: false)
            throw error
        }
    }
}

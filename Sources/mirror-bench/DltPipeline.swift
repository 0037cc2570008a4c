/// A pipeline of dlt that copies a catalogue's objects into SQLite by its source `rest_api`: lists, then object by object.
struct DltPipeline {
    let base: String
    let partner: String
    let folder: String

    /// Texts are JSON, which Python reads as its own.
    var script: String {
        """
        import json, os
        folder, base, partner = json.loads(\(Self.literal([folder, base, partner])))
        os.environ["RUNTIME__DLTHUB_TELEMETRY"] = "false"
        import dlt
        from dlt.sources.rest_api import rest_api_source
        lists = {"artworks": "artwork/", "artists": "artist/", "shows": f"partner/{partner}/show/",
                 "albums": f"partner/{partner}/album/", "locations": f"partner/{partner}/location/"}
        resources = []
        for name, path in lists.items():
            resources.append({"name": "list_" + name, "selected": False, "endpoint": {
                "path": f"partner/{partner}/{name}", "paginator": "single_page", "data_selector": "$",
                "params": {"ids": "1", "size": "all", "validators": "1"}}})
            resources.append({"name": name, "primary_key": "id", "write_disposition": "merge", "parallelized": True,
                "endpoint": {"path": path + "{resources.list_" + name + ".id}", "paginator": "single_page",
                    "data_selector": "$"}})
        pipeline = dlt.pipeline("mirror_compare", pipelines_dir=folder + "/state", dataset_name="catalogue",
            destination=dlt.destinations.sqlalchemy(f"sqlite:///{folder}/dlt.sqlite"))
        pipeline.run(rest_api_source({"client": {"base_url": base}, "resources": resources})).raise_on_failed_jobs()
        """
    }

    /// A Python string with a JSON list of strings in it, all beyond letters and digits escaped.
    private static func literal(_ texts: [String]) -> String {
        let list = texts.map { text in
            "\"" + text.utf16.map { "\\\\u" + String(UInt32($0) + 0x1_0000, radix: 16).suffix(4) }.joined()
                + "\""
        }
        return "'[" + list.joined(separator: ",") + "]'"
    }
}

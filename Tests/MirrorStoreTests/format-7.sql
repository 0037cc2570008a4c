CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY);
CREATE TABLE "partner" (
  id TEXT PRIMARY KEY NOT NULL,
  "slug" TEXT,
  "name" TEXT,
  "website" TEXT,
  "email" TEXT,
  "type" TEXT,
  "artworks_count" INTEGER,
  "artists_count" INTEGER,
  "partner_show_documents_count" INTEGER,
  "artist_documents_count" INTEGER,
  "region" TEXT,
  "contract_type" TEXT,
  "relative_size" REAL,
  "founding_partner" INTEGER,
  "default_profile_id" TEXT,
  "default_profile_public" INTEGER,
  "subscription_plans_names" TEXT,
  "admin_id" TEXT,
  "admin_name" TEXT,
  "admin_email" TEXT,
  json TEXT,
  etag TEXT,
  served TEXT,
  served_etag TEXT,
  ghost INTEGER NOT NULL DEFAULT 0,
  refetch INTEGER NOT NULL DEFAULT 0,
  kept INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE "user" (
  id TEXT PRIMARY KEY NOT NULL,
  "name" TEXT,
  "type" TEXT,
  "email" TEXT,
  json TEXT,
  etag TEXT,
  served TEXT,
  served_etag TEXT,
  ghost INTEGER NOT NULL DEFAULT 0,
  refetch INTEGER NOT NULL DEFAULT 0,
  kept INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE "location" (
  id TEXT PRIMARY KEY NOT NULL,
  "slug" TEXT,
  "name" TEXT,
  "address" TEXT,
  "address_2" TEXT,
  "city" TEXT,
  "state" TEXT,
  "postal_code" TEXT,
  "country" TEXT,
  "phone" TEXT,
  "geo_point_lat" REAL,
  "geo_point_lng" REAL,
  json TEXT,
  etag TEXT,
  served TEXT,
  served_etag TEXT,
  ghost INTEGER NOT NULL DEFAULT 0,
  refetch INTEGER NOT NULL DEFAULT 0,
  kept INTEGER NOT NULL DEFAULT 0
, linked INTEGER NOT NULL DEFAULT 0);
CREATE TABLE "artist" (
  id TEXT PRIMARY KEY NOT NULL,
  "slug" TEXT,
  "name" TEXT,
  "sortable_id" TEXT,
  "display_name" TEXT,
  "first" TEXT,
  "middle" TEXT,
  "last" TEXT,
  "years" TEXT,
  "birthday" TEXT,
  "deathday" TEXT,
  "nationality" TEXT,
  "hometown" TEXT,
  "awards" TEXT,
  "biography" TEXT,
  "blurb" TEXT,
  "statement" TEXT,
  "image_url" TEXT,
  "updated_at" TEXT,
  json TEXT,
  etag TEXT,
  served TEXT,
  served_etag TEXT,
  ghost INTEGER NOT NULL DEFAULT 0,
  refetch INTEGER NOT NULL DEFAULT 0,
  kept INTEGER NOT NULL DEFAULT 0
, linked INTEGER NOT NULL DEFAULT 0);
CREATE TABLE "artwork" (
  id TEXT PRIMARY KEY NOT NULL,
  "slug" TEXT,
  "title" TEXT,
  "display" TEXT,
  "category" TEXT,
  "medium" TEXT,
  "date" TEXT,
  "published" INTEGER,
  "availability" TEXT,
  "price" TEXT,
  "internal_display_price" TEXT,
  "price_hidden" INTEGER,
  "metric" TEXT,
  "width" REAL,
  "height" REAL,
  "depth" REAL,
  "diameter" REAL,
  "dimensions_in" TEXT,
  "dimensions_cm" TEXT,
  "series" TEXT,
  "signature" TEXT,
  "provenance" TEXT,
  "literature" TEXT,
  "exhibition_history" TEXT,
  "additional_information" TEXT,
  "image_rights" TEXT,
  "inventory_id" TEXT,
  "confidential_notes" TEXT,
  "updated_at" TEXT,
  json TEXT,
  etag TEXT,
  served TEXT,
  served_etag TEXT,
  ghost INTEGER NOT NULL DEFAULT 0,
  refetch INTEGER NOT NULL DEFAULT 0,
  kept INTEGER NOT NULL DEFAULT 0
, linked INTEGER NOT NULL DEFAULT 0);
CREATE TABLE "album" (
  id TEXT PRIMARY KEY NOT NULL,
  "slug" TEXT,
  "name" TEXT,
  "description" TEXT,
  "private" INTEGER,
  "updated_at" TEXT,
  json TEXT,
  etag TEXT,
  served TEXT,
  served_etag TEXT,
  ghost INTEGER NOT NULL DEFAULT 0,
  refetch INTEGER NOT NULL DEFAULT 0,
  kept INTEGER NOT NULL DEFAULT 0,
  sync_state TEXT NOT NULL DEFAULT 'in_sync',
  sync_failure TEXT,
  acknowledged INTEGER NOT NULL DEFAULT 1,
  deleted INTEGER NOT NULL DEFAULT 0,
  edited_at TEXT,
  base_etag TEXT,
  idempotency_key TEXT,
  edit INTEGER NOT NULL DEFAULT 0
, linked INTEGER NOT NULL DEFAULT 0, base TEXT, sent TEXT, local_id TEXT);
CREATE TABLE "show" (
  id TEXT PRIMARY KEY NOT NULL,
  "slug" TEXT,
  "name" TEXT,
  "status" TEXT,
  "start_at" TEXT,
  "end_at" TEXT,
  "description" TEXT,
  "updated_at" TEXT,
  location_id TEXT REFERENCES location(id),
  json TEXT,
  etag TEXT,
  served TEXT,
  served_etag TEXT,
  ghost INTEGER NOT NULL DEFAULT 0,
  refetch INTEGER NOT NULL DEFAULT 0,
  kept INTEGER NOT NULL DEFAULT 0
, linked INTEGER NOT NULL DEFAULT 0);
CREATE TABLE edition_set (
  artwork_id TEXT NOT NULL REFERENCES artwork(id) ON DELETE CASCADE ON UPDATE CASCADE,
  position INTEGER NOT NULL, id TEXT, edition_size TEXT, editions TEXT, available_editions TEXT,
  artist_proofs TEXT, prototypes TEXT, availability TEXT, dimensions_in TEXT, dimensions_cm TEXT,
  duration TEXT, prices TEXT, price_hidden INTEGER, json TEXT NOT NULL, PRIMARY KEY (artwork_id, position)
) WITHOUT ROWID;
CREATE TABLE image (
  pk INTEGER PRIMARY KEY, id TEXT NOT NULL,
  artwork_id TEXT REFERENCES artwork(id) ON DELETE CASCADE ON UPDATE CASCADE,
  show_id TEXT REFERENCES show(id) ON DELETE CASCADE ON UPDATE CASCADE,
  role TEXT NOT NULL CHECK (role IN ('picture', 'installation', 'cover')),
  position INTEGER NOT NULL, image_url TEXT, image_versions TEXT, is_default INTEGER, caption TEXT, aspect_ratio REAL, original_width INTEGER, original_height INTEGER, max_tiled_width INTEGER, max_tiled_height INTEGER, tile_size INTEGER, tile_base_url TEXT, tile_format TEXT, tile_overlap INTEGER,
  entry TEXT NOT NULL, json TEXT NOT NULL, served TEXT,
  CHECK ((artwork_id IS NULL) <> (show_id IS NULL))
);
CREATE TABLE file (
  hash TEXT PRIMARY KEY NOT NULL, size INTEGER NOT NULL, path TEXT NOT NULL, type TEXT, released_at TEXT
);
CREATE TABLE image_file (
  image INTEGER NOT NULL REFERENCES image(pk) ON DELETE CASCADE, format TEXT NOT NULL,
  hash TEXT REFERENCES file(hash), entry TEXT NOT NULL, etag TEXT, last_modified TEXT, fetched_at TEXT,
  PRIMARY KEY (image, format)
) WITHOUT ROWID;
CREATE TABLE document (
  pk INTEGER PRIMARY KEY, id TEXT NOT NULL,
  show_id TEXT REFERENCES show(id) ON DELETE CASCADE ON UPDATE CASCADE,
  artist_id TEXT REFERENCES artist(id) ON DELETE CASCADE ON UPDATE CASCADE,
  title TEXT, filename TEXT, size INTEGER, uri TEXT, json TEXT, etag TEXT, served TEXT, served_etag TEXT, ghost INTEGER NOT NULL DEFAULT 0, refetch INTEGER NOT NULL DEFAULT 0, kept INTEGER NOT NULL DEFAULT 0,
  file TEXT REFERENCES file(hash), file_entry TEXT, file_etag TEXT, file_last_modified TEXT,
  CHECK ((artist_id IS NULL) <> (show_id IS NULL))
);
CREATE TABLE artwork_artist (
  artwork_id TEXT NOT NULL REFERENCES "artwork"(id) ON DELETE CASCADE ON UPDATE CASCADE,
  position INTEGER NOT NULL,
  artist_id TEXT NOT NULL REFERENCES "artist"(id) ON UPDATE CASCADE,
   PRIMARY KEY (artwork_id, position)
) WITHOUT ROWID;
CREATE TABLE show_artwork (
  show_id TEXT NOT NULL REFERENCES "show"(id) ON DELETE CASCADE ON UPDATE CASCADE,
  position INTEGER NOT NULL,
  artwork_id TEXT NOT NULL REFERENCES "artwork"(id) ON UPDATE CASCADE,
   PRIMARY KEY (show_id, position)
) WITHOUT ROWID;
CREATE TABLE show_artist (
  show_id TEXT NOT NULL REFERENCES "show"(id) ON DELETE CASCADE ON UPDATE CASCADE,
  position INTEGER NOT NULL,
  artist_id TEXT NOT NULL REFERENCES "artist"(id) ON UPDATE CASCADE,
   PRIMARY KEY (show_id, position)
) WITHOUT ROWID;
CREATE TABLE album_artwork (
  album_id TEXT NOT NULL REFERENCES "album"(id) ON DELETE CASCADE ON UPDATE CASCADE,
  position INTEGER NOT NULL,
  artwork_id TEXT NOT NULL REFERENCES "artwork"(id) ON UPDATE CASCADE,
  pending TEXT CHECK (pending IN ('add', 'remove')), failure TEXT, listed INTEGER NOT NULL DEFAULT 1, sent INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (album_id, position)
) WITHOUT ROWID;
CREATE TABLE location_artwork (
  location_id TEXT NOT NULL REFERENCES "location"(id) ON DELETE CASCADE ON UPDATE CASCADE,
  position INTEGER NOT NULL,
  artwork_id TEXT NOT NULL REFERENCES "artwork"(id) ON UPDATE CASCADE,
   PRIMARY KEY (location_id, position)
) WITHOUT ROWID;
CREATE TABLE partner_flag (key TEXT PRIMARY KEY NOT NULL, value TEXT, set_at TEXT);
CREATE TABLE list (
  number INTEGER PRIMARY KEY, url TEXT NOT NULL UNIQUE, owner_kind TEXT NOT NULL, owner_id TEXT NOT NULL,
  name TEXT NOT NULL, etag TEXT, date REAL, complete INTEGER NOT NULL DEFAULT 0,
  members INTEGER NOT NULL DEFAULT 0, run INTEGER, version INTEGER NOT NULL DEFAULT 0,
  pending INTEGER NOT NULL DEFAULT 0, clean_etag TEXT, clean_formats TEXT
);
CREATE TABLE list_member (
  list INTEGER NOT NULL REFERENCES list(number) ON DELETE CASCADE, version INTEGER NOT NULL,
  position INTEGER NOT NULL, id TEXT NOT NULL, etag TEXT, lists TEXT,
  PRIMARY KEY (list, version, position)
) WITHOUT ROWID;
CREATE TABLE change (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, run INTEGER, at TEXT NOT NULL, kind TEXT NOT NULL,
  id TEXT NOT NULL, owner TEXT, action TEXT NOT NULL CHECK (action IN ('create', 'update', 'delete')),
  list TEXT, before TEXT, evidence TEXT
, files TEXT);
CREATE TABLE sync_log (
  run INTEGER PRIMARY KEY AUTOINCREMENT, command TEXT NOT NULL, started_at TEXT NOT NULL, ended_at TEXT,
  outcome TEXT, summary TEXT, first_change INTEGER NOT NULL DEFAULT 1
);
CREATE TABLE sync_error (
  run INTEGER NOT NULL REFERENCES sync_log(run) ON DELETE CASCADE, at TEXT NOT NULL, what TEXT NOT NULL,
  kind TEXT, id TEXT, message TEXT NOT NULL
);
CREATE TABLE loop (
  id TEXT PRIMARY KEY NOT NULL, kind TEXT NOT NULL, cursor TEXT, state TEXT NOT NULL DEFAULT 'enabled',
  failures INTEGER NOT NULL DEFAULT 0, last_at TEXT, message TEXT
, next_at TEXT, health TEXT);
CREATE TABLE since (kind TEXT PRIMARY KEY NOT NULL, since TEXT, audited_at TEXT, formats TEXT);
CREATE TABLE served_request (
  key TEXT PRIMARY KEY NOT NULL, object_id TEXT NOT NULL, made_at REAL NOT NULL
) WITHOUT ROWID;
CREATE TABLE meta (key TEXT PRIMARY KEY NOT NULL, value TEXT);
CREATE UNIQUE INDEX image_of_artwork ON image(artwork_id, role, id) WHERE artwork_id IS NOT NULL;
CREATE UNIQUE INDEX image_of_show ON image(show_id, role, id) WHERE show_id IS NOT NULL;
CREATE INDEX image_file_of_hash ON image_file(hash);
CREATE UNIQUE INDEX document_of_show ON document(show_id, id) WHERE show_id IS NOT NULL;
CREATE UNIQUE INDEX document_of_artist ON document(artist_id, id) WHERE artist_id IS NOT NULL;
CREATE INDEX document_of_file ON document(file) WHERE file IS NOT NULL;
CREATE INDEX artwork_of_artist ON artwork_artist(artist_id);
CREATE INDEX show_of_artwork ON show_artwork(artwork_id);
CREATE INDEX show_of_artist ON show_artist(artist_id);
CREATE INDEX album_of_artwork ON album_artwork(artwork_id);
CREATE INDEX location_of_artwork ON location_artwork(artwork_id);
CREATE INDEX show_at_location ON show(location_id);
CREATE INDEX list_of_owner ON list(owner_kind, owner_id);
CREATE INDEX list_pending ON list(pending) WHERE pending = 1;
CREATE INDEX change_of_object ON change(kind, id);
CREATE INDEX artwork_slug ON artwork(slug);
CREATE INDEX artist_slug ON artist(slug);
CREATE INDEX show_slug ON show(slug);
CREATE INDEX album_slug ON album(slug);
CREATE INDEX location_slug ON location(slug);
CREATE INDEX artwork_title ON artwork(title);
CREATE INDEX artist_name ON artist(name);
CREATE INDEX artwork_ghost ON artwork(id) WHERE ghost = 1;
CREATE INDEX artist_ghost ON artist(id) WHERE ghost = 1;
CREATE INDEX show_ghost ON show(id) WHERE ghost = 1;
CREATE INDEX location_ghost ON location(id) WHERE ghost = 1;
CREATE TABLE search_entry (
  number INTEGER PRIMARY KEY, kind TEXT NOT NULL, id TEXT NOT NULL, UNIQUE (kind, id)
);
CREATE VIRTUAL TABLE search USING fts5(
  title, artist, text, tokenize = "unicode61 remove_diacritics 2"
);
CREATE INDEX sync_error_of_run ON sync_error(run);
CREATE INDEX location_kept ON "location"(id) WHERE kept = 1;
CREATE INDEX artist_kept ON "artist"(id) WHERE kept = 1;
CREATE INDEX artwork_kept ON "artwork"(id) WHERE kept = 1;
CREATE INDEX album_kept ON "album"(id) WHERE kept = 1;
CREATE INDEX show_kept ON "show"(id) WHERE kept = 1;
CREATE INDEX document_kept ON "document"(id) WHERE kept = 1;
CREATE INDEX location_linked ON "location"(id) WHERE linked = 1;
CREATE INDEX location_refetch ON "location"(id) WHERE refetch = 1;
CREATE INDEX artist_linked ON "artist"(id) WHERE linked = 1;
CREATE INDEX artist_refetch ON "artist"(id) WHERE refetch = 1;
CREATE INDEX artwork_linked ON "artwork"(id) WHERE linked = 1;
CREATE INDEX artwork_refetch ON "artwork"(id) WHERE refetch = 1;
CREATE INDEX album_linked ON "album"(id) WHERE linked = 1;
CREATE INDEX album_refetch ON "album"(id) WHERE refetch = 1;
CREATE INDEX show_linked ON "show"(id) WHERE linked = 1;
CREATE INDEX show_refetch ON "show"(id) WHERE refetch = 1;
CREATE TABLE rival (
  kind TEXT NOT NULL, id TEXT NOT NULL, slug TEXT NOT NULL, settled TEXT, PRIMARY KEY (kind, id)
) WITHOUT ROWID;
CREATE INDEX rival_of_slug ON rival(kind, slug);
CREATE TABLE ghost_try (
  kind TEXT NOT NULL, id TEXT NOT NULL, tried_at TEXT NOT NULL, PRIMARY KEY (kind, id)
) WITHOUT ROWID;
CREATE TABLE pruned (
  kind TEXT NOT NULL, id TEXT NOT NULL, etag TEXT, ended_at TEXT NOT NULL, PRIMARY KEY (kind, id)
) WITHOUT ROWID;
CREATE TABLE note (
  number INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, id TEXT NOT NULL, text TEXT NOT NULL,
  made_at TEXT NOT NULL, edited_at TEXT
);
CREATE INDEX note_of_object ON note(kind, id);
CREATE TABLE conflict (
  seq INTEGER PRIMARY KEY AUTOINCREMENT, run INTEGER, at TEXT NOT NULL, kind TEXT NOT NULL,
  id TEXT NOT NULL, resolution TEXT NOT NULL CHECK (resolution IN ('local', 'server', 'deleted')),
  local TEXT, server TEXT, server_etag TEXT
);
CREATE INDEX conflict_of_object ON conflict(kind, id);
CREATE TABLE tally (name TEXT PRIMARY KEY NOT NULL, value INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE digest (side INTEGER PRIMARY KEY, position INTEGER NOT NULL);
CREATE TABLE digest_leaf (
  side INTEGER NOT NULL, key INTEGER NOT NULL, url TEXT NOT NULL, etag TEXT NOT NULL, owner TEXT,
  PRIMARY KEY (side, key, url)
) WITHOUT ROWID;
CREATE INDEX digest_leaf_of_owner ON digest_leaf(side, owner) WHERE owner IS NOT NULL;
CREATE TABLE digest_node (
  side INTEGER NOT NULL, prefix TEXT NOT NULL, children BLOB NOT NULL, PRIMARY KEY (side, prefix)
) WITHOUT ROWID;
CREATE TABLE digest_mark (number INTEGER PRIMARY KEY AUTOINCREMENT, kind TEXT NOT NULL, id TEXT NOT NULL);
INSERT INTO grdb_migrations (identifier) VALUES ('1'), ('2'), ('3'), ('4'), ('5'), ('6'), ('7');
INSERT INTO meta (key, value) VALUES ('log_id', '0123456789abcdef');
PRAGMA application_id = 1296650834;
PRAGMA user_version = 7;

import Foundation
import GRDBSQLite
import Synchronization

/// A VFS of SQLite that puts ``CrashDisk``s between SQLite and the system's files.
///
/// It is SQLite's default VFS with other methods for writing. SQLite has one list of VFSs in each process, and so there
/// is one `CrashVFS`. Files outside the folders of all disks are not affected.
enum CrashVFS {
    private static let disks = Mutex<[String: CrashDisk]>([:])

    static func add(_ disk: CrashDisk) {
        _ = installed
        disks.withLock { $0[disk.folder] = disk }
    }

    static func remove(_ disk: CrashDisk) { disks.withLock { $0[disk.folder] = nil } }

    /// The disk of a file, by the folder that the file is in.
    fileprivate static func disk(of path: String) -> CrashDisk? {
        guard let end = path.lastIndex(of: "/") else { return nil }
        return disks.withLock { $0[String(path[..<end])] }
    }

    /// SQLite's default VFS before this one was installed. Set once, before the first read.
    nonisolated(unsafe) fileprivate static var original: UnsafeMutablePointer<sqlite3_vfs> = {
        guard let vfs = sqlite3_vfs_find(nil) else { preconditionFailure("SQLite has no default VFS.") }
        return vfs
    }()

    /// The offset of the ``DiskFile`` in an open file's memory, after the bytes that the default VFS uses.
    fileprivate static let recordOffset = (Int(original.pointee.szOsFile) + 15) / 16 * 16

    private static let installed: Bool = {
        let vfs = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        vfs.initialize(to: original.pointee)
        vfs.pointee.pNext = nil
        vfs.pointee.zName = UnsafePointer(strdup("mirror-crash"))
        vfs.pointee.szOsFile = Int32(recordOffset + MemoryLayout<UnsafeRawPointer>.size)
        vfs.pointee.xOpen = open
        vfs.pointee.xDelete = delete
        return sqlite3_vfs_register(vfs, 1) == SQLITE_OK
    }()

    /// The method tables of the default VFS, each with a copy in which the writing methods are replaced. They are stored
    /// as addresses, as pointers are not `Sendable`. A copy is never changed or freed.
    private static let methods = Mutex<[UInt: UInt]>([:])

    fileprivate static func wrapped(_ own: UnsafePointer<sqlite3_io_methods>)
        -> UnsafePointer<sqlite3_io_methods>?
    {
        let address = methods.withLock { methods in
            if let known = methods[UInt(bitPattern: own)] { return known }
            let copy = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
            copy.initialize(to: own.pointee)
            copy.pointee.xClose = close
            copy.pointee.xWrite = write
            copy.pointee.xTruncate = truncate
            copy.pointee.xSync = sync
            methods[UInt(bitPattern: own)] = UInt(bitPattern: copy)
            return UInt(bitPattern: copy)
        }
        return UnsafePointer(bitPattern: address)
    }
}

/// A file that SQLite has open on a crash disk.
private final class DiskFile {
    let disk: CrashDisk
    let path: String
    /// The methods of the default VFS.
    let own: sqlite3_io_methods

    init(_ disk: CrashDisk, _ path: String, _ own: sqlite3_io_methods) {
        self.disk = disk
        self.path = path
        self.own = own
    }

    static func of(_ file: UnsafeMutablePointer<sqlite3_file>) -> DiskFile {
        Unmanaged<DiskFile>.fromOpaque(slot(file).pointee).takeUnretainedValue()
    }

    static func slot(_ file: UnsafeMutablePointer<sqlite3_file>) -> UnsafeMutablePointer<UnsafeRawPointer> {
        (UnsafeMutableRawPointer(file) + CrashVFS.recordOffset).assumingMemoryBound(to: UnsafeRawPointer.self)
    }

    func size(_ file: UnsafeMutablePointer<sqlite3_file>) -> Int {
        var size: sqlite3_int64 = 0
        _ = own.xFileSize(file, &size)
        return Int(size)
    }

    /// Whether bytes that are written to a write-ahead log are the frame header that commits a transaction.
    ///
    /// SQLite writes a frame in two parts: a header of 24 bytes, and the page. The header of a commit contains the size
    /// of the database in pages; in all others that field is 0.
    func endsTransaction(_ bytes: [UInt8]) -> Bool { bytes.count == 24 && bytes[4..<8] != [0, 0, 0, 0] }

    /// The current content of a range, as far as the file is long enough.
    func content(_ file: UnsafeMutablePointer<sqlite3_file>, _ range: Range<Int>, size: Int) -> [UInt8] {
        let count = min(range.upperBound, size) - range.lowerBound
        guard count > 0 else { return [] }
        return [UInt8](unsafeUninitializedCapacity: count) { buffer, used in
            _ = own.xRead(file, buffer.baseAddress, Int32(count), sqlite3_int64(range.lowerBound))
            used = count
        }
    }
}

private func open(
    _: UnsafeMutablePointer<sqlite3_vfs>?, _ name: UnsafePointer<CChar>?,
    _ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32, _ out: UnsafeMutablePointer<Int32>?
) -> Int32 {
    let own = CrashVFS.original
    guard let file else { return SQLITE_MISUSE }
    guard let name, let disk = CrashVFS.disk(of: String(cString: name)) else {
        return own.pointee.xOpen(own, name, file, flags, out)
    }
    guard !disk.hasCrashed else {
        file.pointee.pMethods = nil
        return SQLITE_CANTOPEN
    }
    let result = own.pointee.xOpen(own, name, file, flags, out)
    guard result == SQLITE_OK, let methods = file.pointee.pMethods else { return result }
    let opened = DiskFile(disk, String(cString: name), methods.pointee)
    disk.opened(opened.path)
    DiskFile.slot(file).initialize(to: UnsafeRawPointer(Unmanaged.passRetained(opened).toOpaque()))
    file.pointee.pMethods = CrashVFS.wrapped(methods)
    return result
}

private func delete(
    _: UnsafeMutablePointer<sqlite3_vfs>?, _ name: UnsafePointer<CChar>?, _ syncs: Int32
) -> Int32 {
    let own = CrashVFS.original
    if let name, let disk = CrashVFS.disk(of: String(cString: name)) {
        guard disk.permission() else { return SQLITE_IOERR | (10 << 8) }
        disk.synced(String(cString: name))
    }
    return own.pointee.xDelete(own, name, syncs)
}

private func close(_ file: UnsafeMutablePointer<sqlite3_file>?) -> Int32 {
    guard let file else { return SQLITE_MISUSE }
    let opened = Unmanaged<DiskFile>.fromOpaque(DiskFile.slot(file).pointee).takeRetainedValue()
    defer { opened.disk.closed(opened.path) }
    return opened.own.xClose(file)
}

private func write(
    _ file: UnsafeMutablePointer<sqlite3_file>?, _ bytes: UnsafeRawPointer?, _ count: Int32,
    _ offset: sqlite3_int64
) -> Int32 {
    guard let file, let bytes else { return SQLITE_MISUSE }
    let opened = DiskFile.of(file)
    var done = Int(count)
    let permission = opened.disk.permission(toWrite: done)
    switch permission {
    case .all: break
    case .part(let part) where part > 0: done = part
    case .part, .none: return SQLITE_IOERR | (3 << 8)
    }
    let size = opened.size(file), start = Int(offset)
    let before = opened.content(file, start..<(start + done), size: size)
    let result = opened.own.xWrite(file, bytes, Int32(done), offset)
    guard result == SQLITE_OK else { return result }
    let after = [UInt8](UnsafeRawBufferPointer(start: bytes, count: done))
    let isCommit = done == count && opened.path.hasSuffix("-wal") && opened.endsTransaction(after)
    opened.disk.wrote(
        opened.path, WriteJournal.Entry(offset: start, before: before, after: after, size: size),
        isCommit: isCommit)
    guard case .all = permission else { return SQLITE_IOERR | (3 << 8) }
    return SQLITE_OK
}

private func truncate(_ file: UnsafeMutablePointer<sqlite3_file>?, _ end: sqlite3_int64) -> Int32 {
    guard let file else { return SQLITE_MISUSE }
    let opened = DiskFile.of(file)
    guard opened.disk.permission() else { return SQLITE_IOERR | (6 << 8) }
    let size = opened.size(file)
    let before = opened.content(file, Int(end)..<max(Int(end), size), size: size)
    let result = opened.own.xTruncate(file, end)
    guard result == SQLITE_OK else { return result }
    opened.disk.wrote(
        opened.path, WriteJournal.Entry(offset: Int(end), before: before, after: nil, size: size),
        isCommit: false)
    return result
}

private func sync(_ file: UnsafeMutablePointer<sqlite3_file>?, _ flags: Int32) -> Int32 {
    guard let file else { return SQLITE_MISUSE }
    let opened = DiskFile.of(file)
    guard opened.disk.permission() else { return SQLITE_IOERR | (4 << 8) }
    // The folders of simulations are in memory. The sync is only recorded, which takes no time.
    opened.disk.synced(opened.path)
    return SQLITE_OK
}

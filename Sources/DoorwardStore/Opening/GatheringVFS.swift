internal import GRDBSQLite
import Glibc
import Synchronization

/// A layer between SQLite and the files (https://www.sqlite.org/vfs.html) that combines the writes of a commit into a few system
/// calls.
///
/// SQLite makes two system calls for each page that it appends to the write-ahead log. This layer copies adjacent writes into
/// one buffer and passes them to the layer below together. Calls for other files are passed on unchanged.
///
/// A commit is complete in the log when the write of its last page returns. The frame header of a page indicates whether the
/// page is the last (https://www.sqlite.org/fileformat2.html#wal_file_format). Buffered pages are also written before the log
/// is read, flushed, measured or truncated. So a flush covers all pages, and another connection finds all pages of a commit
/// that is visible to it. A failed write is reported to its commit, and is never repeated.
struct GatheringVFS {
    /// The name under which the layer is registered, for `sqlite3_vfs_find`.
    static let name = "doorward"

    /// The maximum size of one write. SQLite's layer for Unix ignores the higher bits of the length (os_unix.c,
    /// `seekAndWriteFd`).
    static let capacity = 0x1FFFF

    private static let isInstalled = Mutex(false)

    /// Makes this layer the process's default, so that GRDB opens every connection with it. Repeated calls have no effect. If
    /// SQLite rejects the layer, connections work without it.
    static func install() {
        isInstalled.withLock { isInstalled in
            guard !isInstalled, let base = sqlite3_vfs_find(nil) else { return }
            isInstalled = register(over: base, as: name, isDefault: true) == SQLITE_OK
        }
    }

    /// Registers a layer over another one, for the rest of the process's life.
    ///
    /// - Returns: SQLite's result code.
    static func register(over base: UnsafeMutablePointer<sqlite3_vfs>, as name: String, isDefault: Bool) -> Int32 {
        // Never freed: SQLite refers to registered layers until the process ends.
        let layer = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        layer.initialize(to: base.pointee)
        layer.pointee.zName = UnsafePointer(strdup(name))
        layer.pointee.pNext = nil
        layer.pointee.pAppData = UnsafeMutableRawPointer(base)
        layer.pointee.szOsFile = Int32(GatheredFile.offsetOfBase) + base.pointee.szOsFile
        layer.pointee.xOpen = { layer, name, file, flags, outFlags in
            guard let base = layer?.pointee.pAppData?.assumingMemoryBound(to: sqlite3_vfs.self), let file else {
                return SQLITE_MISUSE
            }
            guard flags & SQLITE_OPEN_WAL != 0 else { return base.pointee.xOpen(base, name, file, flags, outFlags) }
            return GatheredFile(file).open(by: base, name, flags, outFlags)
        }
        return sqlite3_vfs_register(layer, isDefault ? 1 : 0)
    }
}

/// A write-ahead log whose writes are buffered. The memory that SQLite allocates for an open file contains, in this order, SQLite's
/// `sqlite3_file`, the buffered writes (`Pending`), and the file of the layer below.
private struct GatheredFile {
    /// Buffered writes, without a gap between them.
    private struct Pending {
        /// Allocated with the first write: most connections only read.
        var bytes: UnsafeMutableRawPointer?
        var count = 0
        /// The offset of the buffered writes in the file.
        var offset: sqlite3_int64 = 0
        /// Whether the frame header written last belongs to the last page of a commit.
        var isLastPage = false
    }

    private static let offsetOfPending = aligned(MemoryLayout<sqlite3_file>.size)
    static let offsetOfBase = aligned(offsetOfPending + MemoryLayout<Pending>.size)

    private static func aligned(_ size: Int) -> Int { (size + 15) & ~15 }

    /// The size of a frame's header; the page follows it.
    private static let frameHeaderBytes = 24

    private let file: UnsafeMutablePointer<sqlite3_file>

    init(_ file: UnsafeMutablePointer<sqlite3_file>) { self.file = file }

    private var pending: UnsafeMutablePointer<Pending> {
        UnsafeMutableRawPointer(file).advanced(by: Self.offsetOfPending).assumingMemoryBound(to: Pending.self)
    }

    private var base: UnsafeMutablePointer<sqlite3_file> {
        UnsafeMutableRawPointer(file).advanced(by: Self.offsetOfBase).assumingMemoryBound(to: sqlite3_file.self)
    }

    private var methods: sqlite3_io_methods? { base.pointee.pMethods?.pointee }

    func open(
        by vfs: UnsafeMutablePointer<sqlite3_vfs>, _ name: sqlite3_filename?, _ flags: Int32,
        _ outFlags: UnsafeMutablePointer<Int32>?
    ) -> Int32 {
        (UnsafeMutableRawPointer(file) + Self.offsetOfPending).initializeMemory(as: Pending.self, to: Pending())
        file.pointee.pMethods = nil
        let result = vfs.pointee.xOpen(vfs, name, base, flags, outFlags)
        // SQLite calls `xClose` whenever the methods are set, also after a failure.
        if base.pointee.pMethods != nil { file.pointee.pMethods = Self.methods }
        return result
    }

    private func write(_ bytes: UnsafeRawPointer, _ count: Int, at offset: sqlite3_int64) -> Int32 {
        let end = pending.pointee.offset + sqlite3_int64(pending.pointee.count)
        if offset != end || pending.pointee.count + count > GatheringVFS.capacity {
            let result = flush()
            guard result == SQLITE_OK else { return result }
            pending.pointee.offset = offset
        }
        guard count <= GatheringVFS.capacity, let buffer = pending.pointee.bytes ?? malloc(GatheringVFS.capacity) else {
            return passOn(bytes, count, at: offset)
        }
        pending.pointee.bytes = buffer
        buffer.advanced(by: pending.pointee.count).copyMemory(from: bytes, byteCount: count)
        pending.pointee.count += count
        if count == Self.frameHeaderBytes {
            // Bytes 4 to 7 of the header are the number of pages in the database after the commit, or zero if more pages of the
            // commit follow.
            pending.pointee.isLastPage = (4..<8).contains { bytes.load(fromByteOffset: $0, as: UInt8.self) != 0 }
            return SQLITE_OK
        }
        return pending.pointee.isLastPage ? flush() : SQLITE_OK
    }

    private func passOn(_ bytes: UnsafeRawPointer, _ count: Int, at offset: sqlite3_int64) -> Int32 {
        methods.map { $0.xWrite(base, bytes, Int32(count), offset) } ?? SQLITE_IOERR
    }

    /// Writes the buffer. If the write fails, the buffer is discarded, because the commit has failed.
    private func flush() -> Int32 {
        let (count, offset) = (pending.pointee.count, pending.pointee.offset)
        (pending.pointee.count, pending.pointee.offset) = (0, offset + sqlite3_int64(count))
        guard count > 0, let bytes = pending.pointee.bytes else { return SQLITE_OK }
        return passOn(bytes, count, at: offset)
    }

    /// Writes the buffer, then calls the layer below.
    private func flushed(_ call: (UnsafeMutablePointer<sqlite3_file>, sqlite3_io_methods) -> Int32) -> Int32 {
        let result = flush()
        guard result == SQLITE_OK else { return result }
        return passed(call)
    }

    private func passed(_ call: (UnsafeMutablePointer<sqlite3_file>, sqlite3_io_methods) -> Int32) -> Int32 {
        methods.map { call(base, $0) } ?? SQLITE_IOERR
    }

    /// Closes the file. Buffered pages of an incomplete commit are discarded, as a rollback would discard them.
    private func close() -> Int32 {
        free(pending.pointee.bytes)
        pending.pointee = Pending()
        return passed { $1.xClose($0) }
    }

    /// The functions that SQLite calls. Version 1: the functions of later versions are never called for a write-ahead log.
    ///
    /// `nonisolated(unsafe)`: the value is written once, before the pointer is used, and is never freed.
    private nonisolated(unsafe) static let methods: UnsafePointer<sqlite3_io_methods> = {  // Written once, see above.
        var methods = sqlite3_io_methods()
        methods.iVersion = 1
        methods.xClose = { $0.map { GatheredFile($0).close() } ?? SQLITE_MISUSE }
        methods.xRead = { file, bytes, count, offset in
            file.map { GatheredFile($0).flushed { $1.xRead($0, bytes, count, offset) } } ?? SQLITE_MISUSE
        }
        methods.xWrite = { file, bytes, count, offset in
            guard let file, let bytes else { return SQLITE_MISUSE }
            return GatheredFile(file).write(bytes, Int(count), at: offset)
        }
        methods.xTruncate = { file, size in
            file.map { GatheredFile($0).flushed { $1.xTruncate($0, size) } } ?? SQLITE_MISUSE
        }
        methods.xSync = { file, flags in file.map { GatheredFile($0).flushed { $1.xSync($0, flags) } } ?? SQLITE_MISUSE }
        methods.xFileSize = { file, size in file.map { GatheredFile($0).flushed { $1.xFileSize($0, size) } } ?? SQLITE_MISUSE }
        methods.xLock = { file, lock in file.map { GatheredFile($0).passed { $1.xLock($0, lock) } } ?? SQLITE_MISUSE }
        methods.xUnlock = { file, lock in file.map { GatheredFile($0).passed { $1.xUnlock($0, lock) } } ?? SQLITE_MISUSE }
        methods.xCheckReservedLock = { file, result in
            file.map { GatheredFile($0).passed { $1.xCheckReservedLock($0, result) } } ?? SQLITE_MISUSE
        }
        methods.xFileControl = { file, code, argument in
            file.map { GatheredFile($0).flushed { $1.xFileControl($0, code, argument) } } ?? SQLITE_MISUSE
        }
        methods.xSectorSize = { file in file.map { GatheredFile($0).passed { $1.xSectorSize($0) } } ?? 0 }
        methods.xDeviceCharacteristics = { file in file.map { GatheredFile($0).passed { $1.xDeviceCharacteristics($0) } } ?? 0 }
        let pointer = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        pointer.initialize(to: methods)
        return UnsafePointer(pointer)
    }()
}

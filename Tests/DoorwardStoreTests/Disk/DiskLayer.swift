import GRDBSQLite
import Glibc
import Synchronization

@testable import DoorwardStore

/// A layer between the store's own layer and the files. It passes the writes and flushes of watched databases to their recorders.
/// Other files are passed on unchanged.
enum DiskLayer {
    /// A file of a watched database that SQLite has open.
    private struct OpenFile {
        let recorder: DiskRecorder
        let file: DiskRecorder.File
        /// SQLite's own functions for the file.
        let original: UnsafePointer<sqlite3_io_methods>
    }

    private struct State: @unchecked Sendable {  // The pointers are to tables that live as long as the process.
        /// The recorders by the path of their database.
        var recorders: [String: DiskRecorder] = [:]
        /// By the address of SQLite's file.
        var files: [UnsafeMutablePointer<sqlite3_file>: OpenFile] = [:]
        /// The changed functions, by SQLite's own ones.
        var changed: [UnsafePointer<sqlite3_io_methods>: UnsafePointer<sqlite3_io_methods>] = [:]
    }

    private static let state = Mutex(State())

    static func watch(_ path: String, by recorder: DiskRecorder?) { state.withLock { $0.recorders[path] = recorder } }

    /// Puts this layer below that of the store, once in the process.
    static let isInstalled: Bool = {
        GatheringVFS.install()
        guard let gathering = sqlite3_vfs_find(GatheringVFS.name),
            let base = gathering.pointee.pAppData?.assumingMemoryBound(to: sqlite3_vfs.self)
        else { return false }
        let layer = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
        layer.initialize(to: base.pointee)
        layer.pointee.pAppData = UnsafeMutableRawPointer(base)
        layer.pointee.xOpen = { layer, name, file, flags, outFlags in
            guard let base = layer?.pointee.pAppData?.assumingMemoryBound(to: sqlite3_vfs.self), let file else {
                return SQLITE_MISUSE
            }
            let result = base.pointee.xOpen(base, name, file, flags, outFlags)
            if result == SQLITE_OK, let name { DiskLayer.opened(file, String(cString: name)) }
            return result
        }
        gathering.pointee.pAppData = UnsafeMutableRawPointer(layer)
        return true
    }()

    private static func opened(_ file: UnsafeMutablePointer<sqlite3_file>, _ path: String) {
        state.withLock { state in
            for (suffix, kind) in [("", DiskRecorder.File.database), ("-wal", .log)] {
                guard path.hasSuffix(suffix), let recorder = state.recorders[String(path.dropLast(suffix.count))],
                    let original = file.pointee.pMethods
                else { continue }
                state.files[file] = OpenFile(recorder: recorder, file: kind, original: original)
                let methods = state.changed[original] ?? changed(original)
                state.changed[original] = methods
                file.pointee.pMethods = methods
            }
        }
    }

    private static func find(_ file: UnsafeMutablePointer<sqlite3_file>?) -> OpenFile? {
        file.flatMap { file in state.withLock { $0.files[file] } }
    }

    private static func closed(_ file: UnsafeMutablePointer<sqlite3_file>?) -> OpenFile? {
        file.flatMap { file in state.withLock { $0.files.removeValue(forKey: file) } }
    }

    private static func changed(_ original: UnsafePointer<sqlite3_io_methods>) -> UnsafePointer<sqlite3_io_methods> {
        var methods = original.pointee
        methods.xWrite = { file, bytes, count, offset in
            guard let open = DiskLayer.find(file), let bytes else { return SQLITE_MISUSE }
            let content = Array(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
            switch open.recorder.fault(in: .write(open.file, at: Int(offset), content)) {
            case .none: return open.original.pointee.xWrite(file, bytes, count, offset)
            case .error(let code): return code
            case .torn(let code):
                _ = open.original.pointee.xWrite(file, bytes, count / 2, offset)
                return code
            case .swallowed: return SQLITE_OK
            }
        }
        methods.xSync = { file, flags in
            guard let open = DiskLayer.find(file) else { return SQLITE_MISUSE }
            switch open.recorder.fault(in: .flush(open.file)) {
            case .none: return open.original.pointee.xSync(file, flags)
            case .error(let code), .torn(let code): return code
            case .swallowed: return SQLITE_OK
            }
        }
        methods.xTruncate = { file, size in
            guard let open = DiskLayer.find(file) else { return SQLITE_MISUSE }
            open.recorder.note(.truncate(open.file, to: Int(size)))
            return open.original.pointee.xTruncate(file, size)
        }
        methods.xClose = { file in DiskLayer.closed(file)?.original.pointee.xClose(file) ?? SQLITE_MISUSE }
        let pointer = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        pointer.initialize(to: methods)
        return UnsafePointer(pointer)
    }
}

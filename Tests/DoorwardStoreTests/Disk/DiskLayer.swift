import GRDBSQLite
import Glibc
import Synchronization

@testable import DoorwardStore

/// A layer between the store's own layer and the files. It passes the writes and flushes of watched databases to their recorders.
/// Other files are passed on unchanged.
enum DiskLayer {
    /// A table of the functions that SQLite calls for a file. `@unchecked Sendable`: tables are never changed or freed.
    private struct Functions: Hashable, @unchecked Sendable {
        let table: UnsafePointer<sqlite3_io_methods>
    }

    /// A file of a watched database that SQLite has open.
    private struct OpenFile: Sendable {
        let recorder: DiskRecorder
        let file: DiskRecorder.File
        /// SQLite's own functions for the file.
        let original: Functions
    }

    private struct State {
        /// The recorders by the path of their database.
        var recorders: [String: DiskRecorder] = [:]
        /// By the address of SQLite's file.
        var files: [Int: OpenFile] = [:]
        /// The changed functions, by SQLite's own ones.
        var changed: [Functions: Functions] = [:]
    }

    private static let state = Mutex(State())

    static func watch(_ path: String, by recorder: DiskRecorder?) { state.withLock { $0.recorders[path] = recorder } }

    /// Puts this layer between SQLite and its Unix layer, once in the process.
    static let isInstalled: Bool = {
        guard let base = sqlite3_vfs_find(nil) else { return false }
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
        // SQLite keeps the name for ever.
        layer.pointee.zName = UnsafePointer(strdup("doorward-disk-layer"))
        return sqlite3_vfs_register(layer, 1) == SQLITE_OK
    }()

    private static func opened(_ file: UnsafeMutablePointer<sqlite3_file>, _ path: String) {
        let (address, functions) = (Int(bitPattern: file), file.pointee.pMethods.map { Functions(table: $0) })
        let methods = state.withLock { state -> Functions? in
            for (suffix, kind) in [("", DiskRecorder.File.database), ("-wal", .log)] {
                guard path.hasSuffix(suffix), let recorder = state.recorders[String(path.dropLast(suffix.count))],
                    let original = functions
                else { continue }
                state.files[address] = OpenFile(recorder: recorder, file: kind, original: original)
                let methods = state.changed[original] ?? changed(original)
                state.changed[original] = methods
                return methods
            }
            return nil
        }
        if let methods { file.pointee.pMethods = methods.table }
    }

    private static func find(_ file: UnsafeMutablePointer<sqlite3_file>?) -> OpenFile? {
        let address = Int(bitPattern: file)
        return state.withLock { $0.files[address] }
    }

    private static func closed(_ file: UnsafeMutablePointer<sqlite3_file>?) -> OpenFile? {
        let address = Int(bitPattern: file)
        return state.withLock { $0.files.removeValue(forKey: address) }
    }

    private static func changed(_ original: Functions) -> Functions {
        var methods = original.table.pointee
        methods.xWrite = { file, bytes, count, offset in
            guard let open = DiskLayer.find(file), let bytes else { return SQLITE_MISUSE }
            let content = Array(UnsafeRawBufferPointer(start: bytes, count: Int(count)))
            switch open.recorder.fault(in: .write(open.file, at: Int(offset), content)) {
            case .none: return open.original.table.pointee.xWrite(file, bytes, count, offset)
            case .error(let code): return code
            case .torn(let code):
                _ = open.original.table.pointee.xWrite(file, bytes, count / 2, offset)
                return code
            case .swallowed: return SQLITE_OK
            }
        }
        methods.xSync = { file, flags in
            guard let open = DiskLayer.find(file) else { return SQLITE_MISUSE }
            switch open.recorder.fault(in: .flush(open.file)) {
            case .none: return open.original.table.pointee.xSync(file, flags)
            case .error(let code), .torn(let code): return code
            case .swallowed: return SQLITE_OK
            }
        }
        methods.xTruncate = { file, size in
            guard let open = DiskLayer.find(file) else { return SQLITE_MISUSE }
            open.recorder.note(.truncate(open.file, to: Int(size)))
            return open.original.table.pointee.xTruncate(file, size)
        }
        methods.xClose = { file in DiskLayer.closed(file)?.original.table.pointee.xClose(file) ?? SQLITE_MISUSE }
        let pointer = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
        pointer.initialize(to: methods)
        return Functions(table: UnsafePointer(pointer))
    }
}

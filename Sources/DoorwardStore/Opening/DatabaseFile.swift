import Glibc

/// The database file in its folder.
///
/// A process that closes any descriptor of a file gives up all of its POSIX locks on it, SQLite's among them
/// (fcntl(2)). So nothing here opens a file that may be in use (`InodeLock` does, and says how): what exists is named, looked at
/// and changed by its path.
struct DatabaseFile {
    /// The file's one name: two paths to one file meet at one lock.
    let path: String

    /// Finds the file's name, whether or not it is there yet.
    init(at path: String) throws(StoreOpenError) {
        if let resolved = Self.resolve(path) {
            self.path = resolved
            return
        }
        guard errno == ENOENT, !Self.isLink(path) else {
            throw .failed(path: path, reason: systemError("its path cannot be resolved"))
        }
        let (folder, name) = Self.split(path)
        guard !name.isEmpty, let resolved = Self.resolve(folder) else {
            throw .failed(path: path, reason: systemError("its folder cannot be resolved"))
        }
        self.path = resolved == "/" ? "/\(name)" : "\(resolved)/\(name)"
    }

    /// Makes the file if it is not there. Called under the file's lock.
    ///
    /// - Returns: the names, the file's and its companions', that others could read or write until now. Only their
    ///   owner can from here on.
    func prepare() throws(StoreOpenError) -> [String] {
        // Only a descriptor of a file that did not exist is ever closed.
        let descriptor = open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, mode_t(0o600))
        if descriptor >= 0 {
            Glibc.close(descriptor)
        } else if errno != EEXIST {
            throw .failed(path: path, reason: systemError("the file cannot be made"))
        }
        guard access(path, R_OK | W_OK) == 0 else {
            throw .failed(path: path, reason: systemError("the file cannot be opened for writing"))
        }
        var tightened: [String] = []
        for name in ["", "-wal", "-shm"].map({ path + $0 }) where Self.isOpenToOthers(name) {
            guard chmod(name, mode_t(0o600)) == 0 else {
                throw .failed(path: path, reason: systemError("others may read \(name), and its mode cannot be changed to 0600"))
            }
            tightened.append(name)
        }
        return tightened
    }

    /// How many names the file has; `nil` where it cannot be found out.
    var nameCount: Int? {
        var status = stat()
        return stat(path, &status) == 0 ? Int(status.st_nlink) : nil
    }

    private static func isOpenToOthers(_ path: String) -> Bool {
        var status = stat()
        return stat(path, &status) == 0 && status.st_mode & mode_t(0o077) != 0
    }

    private static func isLink(_ path: String) -> Bool {
        var status = stat()
        defer { errno = ENOENT }
        return lstat(path, &status) == 0
    }

    private static func resolve(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return String(cString: resolved)
    }

    private static func split(_ path: String) -> (folder: String, name: String) {
        guard let slash = path.lastIndex(of: "/") else { return (".", path) }
        let folder = path[..<slash]
        return (folder.isEmpty ? "/" : String(folder), String(path[path.index(after: slash)...]))
    }
}

/// `what` with the system's word for `errno`.
func systemError(_ what: String) -> String { "\(what) (\(String(cString: strerror(errno))))" }

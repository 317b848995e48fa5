/// The folder in which the gateway keeps its own backups.
package protocol BackupStorage: Sendable {
    /// The absolute path of the folder.
    var path: String { get }

    /// The names of all regular files in the folder.
    ///
    /// - Throws: `.refused` if the folder does not exist or cannot be written; `.failed`.
    func names() async throws(StoreBackupError) -> [String]

    /// Reads a whole backup, as `doorward store check` does.
    ///
    /// - Returns: a sentence about its first fault; `nil` if it is whole.
    /// - Throws: `.failed` if it cannot be checked.
    func fault(in name: String) async throws(StoreBackupError) -> String?

    /// Gives a file another name, which no other file has; durable on return.
    func rename(_ name: String, to newName: String) async throws(StoreBackupError)

    /// Deletes files of these names. One that does not exist is passed over.
    func remove(_ names: [String]) async throws(StoreBackupError)
}

package import DoorwardAPI

/// The gateway's database.
package struct Store: Sendable {
    let client: DoorwardClient

    /// Time limit of a backup, enough for a big database.
    private static let backupTimeLimit = Duration.seconds(3600)

    /// Makes the gateway write a copy of its database while it keeps running.
    ///
    /// - Parameter file: an absolute path on the gateway's host; the file must not exist yet.
    package func backUp(to file: String) async throws -> Response<Wire.BackupAnswer> {
        var request = try APIRequest.post("store", "backup", body: ["file": file])
        // A repeated request would fail, as the first one may have created the file.
        request.idempotencyKey = nil
        request.timeLimit = Self.backupTimeLimit
        return try await client.send(request)
    }
}

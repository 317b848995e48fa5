package import DoorwardAPI

/// The gateway's database.
package struct Store: Sendable {
    let client: DoorwardClient

    /// Time limit of a backup, enough for a big database.
    private static let longest = Duration.seconds(3600)

    /// Makes the gateway write a copy of its database while it keeps running.
    ///
    /// - Parameter file: an absolute path on the gateway's host; the file must not exist yet.
    package func backUp(to file: String) async throws -> Response<Wire.BackupAnswer> {
        var call = try APIRequest.post("store", "backup", body: ["file": file])
        // A repeated request would fail, as the first one may have created the file.
        call.idempotencyKey = nil
        call.timeLimit = Self.longest
        return try await client.answer(call)
    }
}

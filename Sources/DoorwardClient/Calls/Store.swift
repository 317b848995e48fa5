package import DoorwardAPI

/// The gateway's database.
package struct Store: Sendable {
    let client: DoorwardClient

    /// How long a big database may take to be copied.
    private static let longest = Duration.seconds(3600)

    /// Has the gateway write a copy of its database, while it goes on.
    ///
    /// - Parameter file: a path of the gateway's host, absolute, of a file that is not there yet.
    package func backUp(to file: String) async throws -> Answer<Wire.BackupAnswer> {
        var call = try Call.post("store", "backup", body: ["file": file])
        // A second attempt would find the file of the first.
        call.idempotencyKey = nil
        call.timeLimit = Self.longest
        return try await client.answer(call)
    }
}

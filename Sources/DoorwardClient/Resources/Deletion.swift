package import DoorwardAPI
internal import NIOHTTP1

/// The deletion of one object, or the removal of a role. Making the value sends nothing.
package struct Deletion: Sendable {
    let client: DoorwardClient
    let path: [String]

    /// Fetches what the deletion would remove and end, without changing anything.
    ///
    /// - Parameter isCascading: whether everything that the object contains is included.
    /// - Throws: `ClientError.refused`, as the deletion itself would.
    package func preview(isCascading: Bool = false) async throws -> Response<Wire.RemovalPreviewAnswer> {
        try await client.send(request(isCascading, isDryRun: true))
    }

    /// Deletes the object. When this returns, every right that the deletion ends has ended.
    ///
    /// - Parameter isCascading: whether everything that the object contains is deleted with it. Locks are kept, without a place.
    /// - Throws: `ClientError.refused` with `has_dependents` for an object that contains others, if `isCascading` is false.
    package func perform(isCascading: Bool = false) async throws {
        try await client.perform(request(isCascading, isDryRun: false))
    }

    private func request(_ isCascading: Bool, isDryRun: Bool) -> APIRequest {
        var deletion = APIRequest(.DELETE, parts: path)
        deletion.query = (isCascading ? [("cascade", "true")] : []) + (isDryRun ? [("dryRun", "true")] : [])
        return deletion
    }
}

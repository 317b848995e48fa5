package import DoorwardDomain

/// Selects commands: those in the scopes whose history the caller may read, and the caller's own.
package struct CommandQuery: Hashable, Sendable {
    /// Selects commands whose intent is in at least one of these scopes.
    package var scopes: [RecordScope]
    /// Also selects the commands of this user, in any scope.
    package var actorUserID: UserID?
    /// Restricts the selection to this device, which may have been removed since.
    package var deviceID: DeviceID?
    /// The number of newest commands to skip.
    package var offset: Int
    /// The maximum number of commands to return.
    package var limit: Int
    /// The reader on whose behalf the store reads the list.
    package var reader = ListReader()

    package init(scopes: [RecordScope], actorUserID: UserID? = nil, deviceID: DeviceID? = nil, offset: Int = 0, limit: Int) {
        (self.scopes, self.actorUserID, self.deviceID) = (scopes, actorUserID, deviceID)
        (self.offset, self.limit) = (offset, limit)
    }
}

extension StoredCommand {
    /// Whether the command's intent is in `scope`.
    package func lies(in scope: RecordScope) -> Bool {
        scope.covers(log: log, unitID: device.unitID, propertyID: device.propertyID, at: command.requestedAt)
    }
}

/// `sortBy` of commands.
package enum CommandOrder: String, CaseIterable, Sendable {
    /// Newest first; the only supported order.
    case createdAt
}

package import DoorwardDomain

/// Which commands: those that happened where the caller reads the history, and the caller's own.
package struct CommandQuery: Hashable, Sendable {
    /// A command is meant whose intent lies in at least one of these.
    package var scopes: [RecordScope]
    /// The commands of this user are meant as well, wherever they happened.
    package var actorUserID: UserID?
    /// Of these, only the commands on this device, which need not be there any more.
    package var deviceID: DeviceID?
    /// How many of the newest are passed over.
    package var offset: Int
    /// How many are given at the most.
    package var limit: Int
    /// For whom the list is read.
    package var reader = ListReader()

    package init(scopes: [RecordScope], actorUserID: UserID? = nil, deviceID: DeviceID? = nil, offset: Int = 0, limit: Int) {
        (self.scopes, self.actorUserID, self.deviceID) = (scopes, actorUserID, deviceID)
        (self.offset, self.limit) = (offset, limit)
    }
}

extension StoredCommand {
    /// Whether the command's intent lies in a scope.
    package func lies(in scope: RecordScope) -> Bool {
        scope.covers(log: log, unitID: device.unitID, propertyID: device.propertyID)
    }
}

/// `sortBy` of commands.
package enum CommandOrder: String, CaseIterable, Sendable {
    /// Newest first, the one order that there is.
    case createdAt
}

/// The fields of a record by their numbers in the encoding, which never change.
package enum RecordField: UInt8, CaseIterable, Sendable {
    /// The log that the record is of: `gateway`, or a portfolio's id.
    case logID = 1
    /// The record's number in its log, and its leaf's index: 8 bytes, below 2^63.
    case seq = 2
    /// The record's own id.
    case id = 3
    /// When it happened: milliseconds since 1970-01-01T00:00:00Z, 8 bytes, signed.
    case at = 4
    /// What the record is about, by the words of `RecordKind`.
    case kind = 5
    /// What was to be done with a lock.
    case operation = 6
    /// What was decided on it.
    case decision = 7
    /// Why it was denied.
    case reason = 8
    /// What the right rested on: `kind/id/role`.
    case rule = 9
    /// What kind of actor did it.
    case actorKind = 10
    /// The actor's pseudonym, which stays when the person is erased.
    case actorID = 11
    /// A commitment to the actor's name.
    case actorName = 12
    /// The user behind the actor, and the owner of the personal values outside the details.
    case actorUserID = 13
    /// By which way it came to the gateway.
    case source = 14
    /// A commitment to the network address that the call came from.
    case clientAddress = 15
    /// The id of the request, as the answer bears it.
    case requestID = 16
    /// The device that it happened to.
    case deviceID = 17
    /// The device's name at that time; only beside `deviceID`.
    case deviceName = 18
    /// The unit: where the device hung then or, without a device, where it happened.
    case unitID = 19
    /// The property, as `unitID`.
    case propertyID = 20
    /// The portfolio, as `unitID`.
    case portfolioID = 21
    /// The command that the record is of.
    case commandID = 22
    /// How the command ended.
    case outcome = 23
    /// The cause of an end that was no confirmation.
    case outcomeDetail = 24
    /// Where the bolt was when the order left.
    case stateBefore = 25
    /// Where the bolt was afterwards.
    case stateAfter = 26
    /// From dispatch to end in milliseconds: 8 bytes, signed.
    case latencyMs = 27
    /// A commitment to what the caller typed as the reason.
    case statedReason = 28
    /// A commitment to the reason of an override that was needed.
    case override = 29
    /// What happened by itself, by the words of `RecordEvent`.
    case event = 30
    /// By what means a lock was moved at the door.
    case method = 31
    /// What an administrative change did.
    case action = 32
    /// What kind of thing was changed; only together with `targetID`.
    case targetType = 33
    /// The id of what was changed.
    case targetID = 34
    /// What else there is to say, as canonical JSON.
    case details = 35

    /// What a personal field is called in its commitment; `nil` for those that are in the record itself.
    var personalName: String? {
        switch self {
        case .actorName: "actorName"
        case .clientAddress: "clientAddress"
        case .statedReason: "statedReason"
        case .override: "override.reason"
        default: nil
        }
    }
}

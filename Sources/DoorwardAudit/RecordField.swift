/// The fields of a record by their numbers in the encoding, which never change.
package enum RecordField: UInt8, CaseIterable, Sendable {
    case logID = 1
    case seq = 2
    case id = 3
    case at = 4
    case kind = 5
    case operation = 6
    case decision = 7
    case reason = 8
    case rule = 9
    case actorKind = 10
    case actorID = 11
    case actorName = 12
    case actorUserID = 13
    case source = 14
    case clientAddress = 15
    case requestID = 16
    case deviceID = 17
    case deviceName = 18
    case unitID = 19
    case propertyID = 20
    case portfolioID = 21
    case commandID = 22
    case outcome = 23
    case outcomeDetail = 24
    case stateBefore = 25
    case stateAfter = 26
    case latencyMs = 27
    case statedReason = 28
    case override = 29
    case event = 30
    case method = 31
    case action = 32
    case targetType = 33
    case targetID = 34
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

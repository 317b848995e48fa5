import DoorwardDomain
import Foundation
import Testing

/// The values used in the API, in the log and in its leaf hashes. A change to one of them would break clients and proofs.
@Suite struct WireWordsTests {
    private func words<Word: RawRepresentable & CaseIterable & Codable & Equatable>(
        of type: Word.Type, are listed: String, _ location: SourceLocation = #_sourceLocation
    ) throws where Word.RawValue == String {
        let names = listed.split(whereSeparator: \.isWhitespace).map(String.init)
        #expect(Word.allCases.map(\.rawValue) == names, sourceLocation: location)
        let json = Data("[\(names.map { "\"\($0)\"" }.joined(separator: ","))]".utf8)
        let read = try JSONDecoder().decode([Word].self, from: json)
        #expect(read == Array(Word.allCases), sourceLocation: location)
        #expect(try JSONEncoder().encode(read) == json, sourceLocation: location)
        for wrong in names.flatMap({ [$0.lowercased() == $0 ? $0.uppercased() : $0.lowercased(), $0 + " ", " " + $0] }) + [""] {
            #expect(Word(rawValue: wrong) == nil, "\(wrong)", sourceLocation: location)
        }
    }

    @Test("Lock operations")
    func operations() throws {
        try words(
            of: LockOperation.self,
            are: "LOCK UNLOCK UNLATCH VIEW_STATUS CHANGE_SETTINGS VIEW_ACCESS_HISTORY GRANT_ACCESS LOCKDOWN")
    }

    @Test("Lock states")
    func states() throws {
        try words(of: LockState.self, are: "LOCKED UNLOCKED LOCKING UNLOCKING UNLATCHED JAMMED UNKNOWN")
    }

    @Test("Command states")
    func commands() throws {
        try words(of: CommandState.self, are: "ACCEPTED DISPATCHED CONFIRMED FAILED TIMED_OUT UNKNOWN DENIED")
    }

    @Test("Record kinds")
    func kinds() throws {
        try words(
            of: RecordKind.self,
            are: "COMMAND_INTENT COMMAND_OUTCOME DENIAL DEVICE_EVENT ADMIN_CHANGE SESSION GATEWAY")
    }

    @Test("Record decisions")
    func decisions() throws { try words(of: RecordDecision.self, are: "ALLOWED DENIED") }

    @Test("Actor kinds")
    func actors() throws { try words(of: ActorKind.self, are: "USER GUEST_LINK API_KEY DEVICE GATEWAY OUTSIDE") }

    @Test("Record sources")
    func sources() throws { try words(of: RecordSource.self, are: "API CONSOLE CLI GUEST_LINK DEVICE GATEWAY") }

    @Test("Record events: of locks, of sessions, of the gateway")
    func events() throws {
        try words(
            of: RecordEvent.self,
            are: """
                LOCKED UNLOCKED UNLATCHED JAMMED TAMPER OFFLINE ONLINE BATTERY_LOW DOOR_OPENED DOOR_CLOSED DOOR_FORCED
                ATTEMPT_FAILED KEYPAD_LOCKOUT CREDENTIAL_CHANGED COMMAND_DELIVERED_LATE
                SIGNED_IN SIGNED_OUT SIGN_IN_FAILED REFRESH_REUSED
                START STOP CLOCK_STEP CHECKPOINT CHECKPOINT_MISMATCH KEY_ROTATED RECOVERED
                DENIALS_SUPPRESSED EXPORT ERASURE RETENTION_CUT
                """)
    }

    @Test("Methods of an event")
    func methods() throws {
        try words(
            of: EventMethod.self, are: "MANUAL KEYPAD KEY BUTTON AUTO RFID FINGERPRINT FOB APP SCHEDULE REMOTE UNKNOWN")
    }

    @Test("Administrative actions")
    func actions() throws {
        try words(of: ChangeAction.self, are: "CREATE UPDATE DELETE ASSIGN REMOVE GRANT REVOKE MOVE DISABLE ENABLE")
    }

    @Test("Roles")
    func roles() throws {
        try words(
            of: Role.self, are: "SUPER_ADMIN OWNER PORTFOLIO_ADMIN PROPERTY_MANAGER MAINTENANCE AUDITOR TENANT GUEST")
    }

    @Test("Entity types with roles")
    func entities() throws { try words(of: AssociatedEntityType.self, are: "PORTFOLIO PROPERTY UNIT") }

    @Test("Denial reasons, from the most general to the most specific")
    func reasons() throws {
        try words(
            of: DenialReason.self,
            are: """
                user_unknown user_disabled device_unknown device_unassigned no_association
                guest_access_revoked grantor_lost_access role_insufficient operation_not_granted guest_window_ended
                guest_uses_exhausted guest_window_not_started outside_schedule clock_untrusted feature_unavailable
                capability_missing remote_operation_disabled lockdown_active
                """)
    }

    @Test("State qualities and door states, which are not `CaseIterable`")
    func others() {
        let qualities: [StateQuality] = [.confirmed, .retained, .assumed, .stale]
        #expect(qualities.map(\.rawValue) == ["CONFIRMED", "RETAINED", "ASSUMED", "STALE"])
        #expect(qualities.map { StateQuality(rawValue: $0.rawValue) } == qualities)
        let doors: [DoorState] = [.open, .closed, .unknown]
        #expect(doors.map(\.rawValue) == ["OPEN", "CLOSED", "UNKNOWN"])
        #expect(doors.map { DoorState(rawValue: $0.rawValue) } == doors)
    }
}

import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Testing

@testable import DoorwardControl

/// What a caller learns of a rule that the store holds.
@Suite struct PreconditionTests {
    private static let guest = GuestAccessID(high: 1, low: 2)

    @Test("each refusal of the store is one error for the caller, and a defect of the program shows nothing")
    func mapping() {
        let key = IdempotencyKey(principal: "USER", key: "k")
        let cases: [(StoreRefusal, String)] = [
            (.entityChanged(.guestAccess(Self.guest)), "preconditionFailed"),
            (.usesExhausted(Self.guest), "guest_uses_exhausted"),
            (.epochChanged(.user(UserID(high: 1, low: 1))), "unavailable"), (.leaseChanged(.gateway), "unavailable"),
            (.emailTaken(UserID(high: 1, low: 1)), "alreadyExists"),
            (.refreshTokenSpent(SessionID(high: 1, low: 1)), "unauthenticated"),
            (.userDisabled(UserID(high: 1, low: 1)), "unauthenticated"), (.resetTokenSpent, "unauthenticated"),
            (.idempotencyKeyTaken(key), "conflict"), (.parentUnknown, "internalFailure"), (.duplicate, "internalFailure"),
            (.commandExists(CommandID(high: 1, low: 1)), "internalFailure"),
            (.intentMissing(CommandID(high: 1, low: 1)), "internalFailure"),
            (.commandUnknown(CommandID(high: 1, low: 1)), "internalFailure"),
            (.commandEnded(CommandID(high: 1, low: 1)), "internalFailure"), (.inconsistent("a row"), "internalFailure"),
        ]
        for (refusal, expected) in cases { #expect(Self.word(GatewayError(.refused(refusal))) == expected, "\(refusal)") }
    }

    private static func word(_ error: GatewayError) -> String {
        if case .denied(let denial, _, _) = error { return denial.hasReach ? denial.reason.rawValue : "no reach" }
        return String("\(error)".prefix { $0 != "(" })
    }

    @Test("an entity that another gateway has changed fails the condition, although the directory does not know of it")
    func changedElsewhere() async throws {
        let staff = try await Staff()
        let (admin, tenant) = (try staff.caller(.superAdmin), try staff.user(.tenant))
        var user = try #require(staff.control.directory.current.user(tenant))
        user.lastName = "Changed elsewhere"
        try await staff.store.commit(StoreTransaction(changes: [.putUser(user)]))
        let stale = await failure {
            _ = try await staff.control.users.update(admin, tenant, UserChanges(firstName: "Tim")) { _, _ in true }
        }
        guard case .preconditionFailed? = stale else { throw try #require(stale) }
        #expect(staff.control.directory.current.user(tenant)?.firstName != "Tim")
        // Without a condition the last writer wins, as everywhere.
        _ = try await staff.control.users.update(admin, tenant, UserChanges(firstName: "Tim"))
        _ = try await staff.control.users.update(admin, tenant, UserChanges(firstName: "Tom")) { user, _ in
            user.firstName == "Tim"
        }
        #expect(staff.control.directory.current.user(tenant)?.firstName == "Tom")
    }

    @Test("a device is compared with what the store has, too")
    func device() async throws {
        let staff = try await Staff()
        let admin = try staff.caller(.portfolioAdmin)
        let directory = staff.control.directory.current
        let device = try #require(directory.deviceIDs.first.flatMap { directory.device($0) })
        var changed = device
        changed.name += " elsewhere"
        try await staff.store.commit(StoreTransaction(changes: [.putDevice(changed)]))
        let detached = await failure {
            try await staff.control.attachedDevices.detach(admin, device.id) { _, _ in true }
        }
        guard case .preconditionFailed? = detached else { throw try #require(detached) }
        try await staff.store.commit(StoreTransaction(changes: [.putDevice(device)]))
        try await staff.control.attachedDevices.detach(admin, device.id) { _, _ in true }
        #expect(staff.control.directory.current.device(device.id) == nil)
    }
}

import DoorwardControl
import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Testing

@testable import DoorwardKernel
@testable import DoorwardTenancy

/// The errors that callers get when the store refuses a transaction.
@Suite struct PreconditionTests {
    private static let guest = GuestAccessID(high: 1, low: 2)

    @Test("each refusal of the store is one error for the caller, and a refusal caused by a defect is an internal failure")
    func mapping() {
        let key = IdempotencyKey(principal: "USER", key: "k")
        let cases: [(StoreRefusal, String)] = [
            (.entityChanged(.guestAccess(Self.guest)), "preconditionFailed"),
            (.usesExhausted(Self.guest), "guest_uses_exhausted"),
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

    @Test(
        "a precondition fails if another gateway has changed the entity, even if the directory does not contain that change yet")
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
        // Without a precondition the last write wins.
        _ = try await staff.control.users.update(admin, tenant, UserChanges(firstName: "Tim"))
        _ = try await staff.control.users.update(admin, tenant, UserChanges(firstName: "Tom")) { user, _ in
            user.firstName == "Tim"
        }
        #expect(staff.control.directory.current.user(tenant)?.firstName == "Tom")
    }

    @Test("the precondition of a device change is compared with the store too")
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

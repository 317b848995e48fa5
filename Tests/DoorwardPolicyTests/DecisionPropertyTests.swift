import DoorwardDomain
import DoorwardPolicy
import DoorwardTesting
import Testing

/// Properties that decisions have in every random tenancy.
@Suite struct DecisionPropertyTests {
    /// Runs `body` with several random requests in each of many random tenancies.
    private func inWorlds(
        _ seeds: Range<UInt64>, questions: Int = 30,
        _ body: (inout PlainWorld, TenancyDirectory, UserID, LockOperation, DeviceID, Timestamp) -> Void
    ) {
        for seed in seeds {
            var world = PlainWorld(seed: seed)
            let directory = world.directory
            for _ in 0..<questions {
                let (user, device, at) = (world.someUser(), world.someDevice(), world.interestingInstant())
                let operation = LockOperation.allCases.randomElement(using: &world.generator) ?? .unlock
                body(&world, directory, user, operation, device, at)
            }
        }
    }

    private func decide(
        _ user: UserID, _ operation: LockOperation, _ device: DeviceID, _ at: Timestamp, _ directory: TenancyDirectory
    ) -> Decision {
        SecurityService.decide(.user(user), operation, on: device, at: .trusted(at), override: false, in: directory)
    }

    @Test("The rule of a decision belongs to the requesting user, and allows the operation by itself")
    func namedRule() {
        inWorlds(1000..<1250) { world, directory, user, operation, device, at in
            guard let rule = decide(user, operation, device, at, directory).rule else { return }
            switch rule {
            case .association(let id, let role):
                let association = world.associations.first { $0.id == id }
                #expect(association?.userID == user && association?.role == role)
                let carriers = SecurityService.carriers(of: [operation], by: directory.subject(user), on: device, in: directory)
                #expect(carriers.contains { $0.id == id } && carriers.allSatisfy { $0.userID == user })
            case .guestAccess(let id):
                let access = world.guestAccesses.first { $0.id == id }
                #expect(access?.guestUserID == user && access?.deviceIDs.contains(device) == true)
                #expect(access?.window.contains(at) == true && access?.revokedAt == nil)
            case .superAdmin:
                #expect(world.users.contains { $0.id == user && $0.isSuperAdmin })
                #expect(operation == .viewStatus)
            }
        }
    }

    @Test("A denial of a device that is not visible contains no rule, no time and no missing right")
    func silence() {
        inWorlds(1300..<1550) { _, directory, user, operation, device, at in
            guard let denial = decide(user, operation, device, at, directory).denial, !denial.hasReach else { return }
            #expect(denial.rule == nil && denial.opensAt == nil && denial.closesAt == nil && denial.missing == nil)
        }
    }

    @Test("Visibility is the same for every operation, and any allowed operation implies it")
    func reach() {
        inWorlds(1600..<1750) { _, directory, user, _, device, at in
            let decisions = LockOperation.allCases.map { decide(user, $0, device, at, directory) }
            let reaches = Set(decisions.map { $0.denial?.hasReach ?? true })
            #expect(reaches.count == 1)
        }
    }

    @Test("Adding a role takes no right away, and removing one adds none")
    func monotone() {
        inWorlds(1800..<2000, questions: 15) { world, directory, user, operation, device, at in
            let before = decide(user, operation, device, at, directory)
            guard let other = world.associations.randomElement(using: &world.generator) else { return }
            var more = directory
            more.apply(
                .putAssociation(
                    UserRoleAssociation(
                        id: world.newID(), userID: user, entity: other.entity, role: other.role, createdAt: at, updatedAt: at)))
            let after = decide(user, operation, device, at, more)
            if before.isAllowed { #expect(after.isAllowed || isForbid(after)) }
            var fewer = directory
            fewer.apply(.removeAssociation(other.id))
            if !before.isAllowed { #expect(!decide(user, operation, device, at, fewer).isAllowed) }
        }
    }

    /// Returns whether the denial comes from a forbidding rule, which takes precedence over all other denials.
    private func isForbid(_ decision: Decision) -> Bool {
        decision.denial.map { [.capabilityMissing, .remoteOperationDisabled, .lockdownActive].contains($0.reason) } ?? false
    }

    @Test("Changes for other users do not change a user's decisions")
    func others() {
        inWorlds(2100..<2250, questions: 15) { world, directory, user, operation, device, at in
            let stranger: UserID = world.newID()
            var later = directory
            for association in world.associations {
                later.apply(
                    .putAssociation(
                        UserRoleAssociation(
                            id: world.newID(), userID: stranger, entity: association.entity, role: association.role,
                            createdAt: at, updatedAt: at)))
            }
            later.apply(.putPortfolio(Portfolio(id: world.newID(), name: "New", createdAt: at, updatedAt: at)))
            #expect(decide(user, operation, device, at, later) == decide(user, operation, device, at, directory))
        }
    }

    @Test("A disabled user is allowed nothing, and after enabling the decisions are as before")
    func disabled() {
        inWorlds(2300..<2450, questions: 15) { world, directory, user, operation, device, at in
            guard var person = world.users.first(where: { $0.id == user }), person.isEnabled else { return }
            person.isEnabled = false
            var later = directory
            later.apply(.putUser(person))
            #expect(decide(user, operation, device, at, later).denial?.reason == .userDisabled)
            #expect(SecurityService.visibleDeviceIDs(for: later.subject(user), at: .trusted(at), in: later).isEmpty)
            #expect(SecurityService.visiblePropertyIDs(for: later.subject(user), in: later).isEmpty)
            person.isEnabled = true
            later.apply(.putUser(person))
            #expect(decide(user, operation, device, at, later) == decide(user, operation, device, at, directory))
        }
    }

    @Test("Repeating a request gives the same decision")
    func pure() {
        inWorlds(2500..<2600) { _, directory, user, operation, device, at in
            let first = decide(user, operation, device, at, directory)
            let overridden = SecurityService.decide(
                .user(user), operation, on: device, at: .trusted(at), override: true, in: directory)
            #expect(decide(user, operation, device, at, directory) == first)
            guard first.denial?.reason == .lockdownActive, case .allowed(let rule, override: true) = overridden else {
                #expect(overridden == first, "there is nothing to override, or no right to")
                return
            }
            #expect([.owner, .portfolioAdmin].contains(rule.role))
        }
    }

    @Test("The opening time in a denial is in the future; the closing time is not, unless it is the end of the next opening")
    func times() {
        inWorlds(2700..<2900) { _, directory, user, operation, device, at in
            guard let denial = decide(user, operation, device, at, directory).denial else { return }
            // A schedule has no next opening if none is left within the window.
            let opens: Set<DenialReason> = [.guestWindowNotStarted, .outsideSchedule]
            #expect(denial.opensAt != nil ? opens.contains(denial.reason) : denial.reason != .guestWindowNotStarted)
            #expect(
                (denial.closesAt != nil)
                    == (denial.reason == .guestWindowEnded || denial.opensAt != nil && denial.reason == .outsideSchedule))
            if let opens = denial.opensAt { #expect(at < opens) }
            if let closes = denial.closesAt { #expect(denial.opensAt.map { $0 < closes } ?? (closes <= at)) }
        }
    }

    @Test("A request at the opening time of a denial is allowed, unless another condition denies it")
    func opening() {
        inWorlds(3000..<3400) { world, directory, user, operation, device, at in
            guard let opens = decide(user, operation, device, at, directory).denial?.opensAt else { return }
            let then = decide(user, operation, device, opens, directory)
            // A window can begin outside the hours of its schedule.
            let others: [DenialReason?] = [.guestWindowEnded, .outsideSchedule, .featureUnavailable]
            #expect(then.isAllowed || isForbid(then) || others.contains(then.denial?.reason))
        }
    }

    @Test("A guest link never allows more than its guest access, nor more than its user may do")
    func links() {
        for seed in 3500..<3700 as Range<UInt64> {
            var world = PlainWorld(seed: seed)
            let directory = world.directory
            for access in world.guestAccesses {
                let (device, at) = (world.someDevice(), world.interestingInstant())
                for operation in LockOperation.allCases {
                    let link = SecurityService.decide(
                        .guestLink(access.id), operation, on: device, at: .trusted(at), override: false, in: directory)
                    guard link.isAllowed else { continue }
                    #expect(link.rule == .guestAccess(access.id))
                    if let guest = access.guestUserID { #expect(decide(guest, operation, device, at, directory).isAllowed) }
                }
            }
        }
    }
}

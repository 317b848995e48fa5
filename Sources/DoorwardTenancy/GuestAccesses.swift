package import DoorwardDomain
package import DoorwardKernel
package import DoorwardPolicy

/// The use cases of guest accesses: granting, listing, changing and revoking them.
package struct GuestAccesses: UseCases, Sendable {
    let kernel: Kernel

    package init(_ kernel: Kernel) { self.kernel = kernel }

    /// Grants access. The grantor must hold GRANT_ACCESS and every granted operation on every
    /// device: a grantor cannot pass on a right that they do not have.
    ///
    /// - Throws: `.featureUnavailable` or `.limitReached` if the portfolio's subscription does not permit the access.
    package func grant(
        _ caller: Caller, _ new: NewGuestAccess, repeatable: IdempotentCall?
    ) async throws(GatewayError) -> Answered<GuestAccess> {
        try new.check()
        return try await writer.create(
            caller, repeatable: repeatable,
            reach: new.reach,
            body: { (draft) throws(GatewayError) in try draft.grant(new) })
    }

    /// The access that `grant` would grant now; nothing is changed.
    ///
    /// - Throws: the errors of `grant`.
    package func dryRun(_ caller: Caller, granting new: NewGuestAccess) throws(GatewayError) -> Drafted<GuestAccess> {
        try new.check()
        return try writer.dryRun(
            caller, reach: new.reach, body: { (draft) throws(GatewayError) in try draft.grant(new) })
    }

    /// A guest access that the caller holds, granted, or may manage.
    package func access(_ id: GuestAccessID, for caller: Caller) throws(GatewayError) -> GuestAccess {
        let (tenancy, subject) = directory.resolve(caller)
        return try tenancy.readable(id, to: subject)
    }

    /// The next intervals in which a guest access is within its window and the hours of its schedule, including the present one; none
    /// if it was revoked. A later change of the access, or of the zone that its schedule follows, changes them.
    ///
    /// - Parameters:
    ///   - access: one that the caller may read, also one that is only drafted.
    ///   - tenancy: the directory of the access.
    package func intervals(of access: GuestAccess, in tenancy: TenancyDirectory, count: Int) -> [Range<Timestamp>] {
        access.revokedAt == nil ? tenancy.intervals(of: access, endingAfter: clock.now(), count: count) : []
    }

    /// The devices of a guest access that are visible to the caller. The guest sees their names from the creation of the access, also
    /// outside of its window.
    ///
    /// - Throws: the errors of `access`.
    package func devices(of id: GuestAccessID, for caller: Caller) throws(GatewayError) -> [LockDevice] {
        let (tenancy, subject) = directory.resolve(caller)
        let (access, now) = (try tenancy.readable(id, to: subject), clock.decisionTime())
        return access.deviceIDs.compactMap { device in
            SecurityService.reaches(subject, device: device, at: now, in: tenancy) ? tenancy.device(device) : nil
        }
    }

    /// The guest accesses that the caller holds, granted, or may manage.
    package func list(
        for caller: Caller, _ filter: GuestAccessFilter, _ request: PageRequest<GuestAccessOrder>
    ) -> Page<GuestAccess> {
        let (current, now) = (CallerSnapshot(directory, caller), clock.now())
        return request.page(
            .guestAccesses, in: current, of: caller.principal,
            visible: { current.tenancy.readableGuestAccesses(by: current.subject).map(\.id) },
            item: { current.tenancy.guestAccess($0) },
            filter: filter.isEmpty
                ? nil
                : { access in
                    filter.passes(access, at: now) { current.tenancy.hasLink(access, shownTo: current.subject, at: now) }
                },
            named: \.label
        ) { key, access in
            switch key {
            case .createdAt: .number(access.createdAt.milliseconds)
            case .validFrom: .number(access.window.validFrom.milliseconds)
            case .validUntil: .number(access.window.validUntil.milliseconds)
            }
        }
    }

    /// Revokes a guest access. Once this returns, no further command is sent under it. Revoking it again changes nothing.
    ///
    /// - Throws: `.preconditionFailed` if `condition` is not met.
    /// - Returns: the effects of a dry run, which changes nothing; otherwise `nil`.
    @discardableResult
    package func revoke(
        _ caller: Caller, _ id: GuestAccessID, isDryRun: Bool = false, onlyIf condition: Precondition<GuestAccess>? = nil
    ) async throws(GatewayError) -> RemovalPreview? {
        try await writer.remove(
            caller, isDryRun: isDryRun,
            reach: [.guestAccess(id)],
            body: { (draft) throws(GatewayError) in
                guard var access = draft.directory.guestAccess(id) else { throw GatewayError.outOfReach }
                try draft.directory.requireManagement(of: access, by: draft.subject)
                try draft.require(condition, of: access)
                guard access.revokedAt == nil else { return }
                access.revokedAt = draft.now
                draft.apply(.putGuestAccess(access))
                draft.appendRecord(
                    .revoke, RecordTarget(access), at: access.place,
                    after: GuestAccess.fields.recorded("revokedAt", of: access))
            })
    }
}

/// `sortBy` of guest accesses.
package enum GuestAccessOrder: String, CaseIterable, Sendable {
    /// When the access was granted.
    case createdAt
    /// When the window begins.
    case validFrom
    /// When the window ends.
    case validUntil
}

/// The data of a guest access to grant.
package struct NewGuestAccess: Sendable {
    /// The guest; `nil` if the request names none.
    package var guestUserID: UserID?
    /// The guest's email address in place of the id, compared without case; `nil` if the request has none.
    package var guestEmail: String?
    /// A note about the guest or, without a guest user, the name of the guest. Personal data.
    package var label: String?
    /// The property that the devices must belong to; `nil` if the request names none.
    package var propertyID: PropertyID?
    /// The unit to grant the access in, which must be in the devices' property; `nil` if the request names none.
    package var unitID: UnitID?
    /// The devices to grant access to.
    package var deviceIDs: [DeviceID]
    /// The operations to grant; the grantor must hold each of them.
    package var operations: [LockOperation]
    /// The validity period.
    package var window: GuestWindow
    /// How the local times of the request became the window.
    package var resolution: WindowResolution
    /// The recurring hours within the window; `nil` for the whole window.
    package var schedule: Schedule?
    /// The number of commands that open a lock; `nil` for any number. At least 1.
    package var maxUses: Int?

    package init(
        guestUserID: UserID?, label: String?, propertyID: PropertyID?, unitID: UnitID?, deviceIDs: [DeviceID],
        operations: [LockOperation], window: GuestWindow, resolution: WindowResolution = .asGiven, schedule: Schedule? = nil,
        maxUses: Int? = nil, guestEmail: String? = nil
    ) {
        (self.guestEmail, self.resolution, self.schedule, self.maxUses) = (guestEmail, resolution, schedule, maxUses)
        (self.guestUserID, self.label, self.propertyID, self.unitID) = (guestUserID, label, propertyID, unitID)
        (self.deviceIDs, self.operations, self.window) = (deviceIDs, operations, window)
    }

    /// - Throws: `.invalid` with all errors that can be found without the tenancy.
    fileprivate func check() throws(GatewayError) {
        var problems: [FieldProblem] = []
        if guestUserID != nil, guestEmail != nil { problems.append(FieldProblem(field: "guestEmail", problem: "exclusive")) }
        if guestUserID == nil && guestEmail == nil && label == nil {
            problems.append(FieldProblem(field: "guestUserId", problem: "required"))
        }
        problems += [deviceIDs.problem, operations.problem, window.problem(in: "validUntil", zone: resolution.timeZone)]
            .compactMap(\.self)
        if !problems.isEmpty { throw .invalid(problems) }
    }
}

extension [DeviceID] {
    /// The problem with the devices of a guest access that can be found without the tenancy.
    var problem: FieldProblem? { isEmpty ? FieldProblem(field: "deviceIds", problem: "empty") : nil }

    /// The same devices, each once.
    var unique: [DeviceID] {
        var seen: Set<DeviceID> = []
        return filter { seen.insert($0).inserted }
    }
}

extension [LockOperation] {
    /// The problem with the operations of a guest access that can be found without the tenancy.
    var problem: FieldProblem? {
        if isEmpty { return FieldProblem(field: "operations", problem: "empty") }
        let isGrantable = allSatisfy { $0.isMovement || $0 == .viewStatus }
        return isGrantable ? nil : FieldProblem(field: "operations", problem: "not_grantable")
    }

    /// The operations in their usual order, each once.
    var ordered: [LockOperation] { LockOperation.allCases.filter(contains) }
}

extension GuestWindow {
    /// The problem with the window; `nil` if it can be granted.
    ///
    /// - Parameters:
    ///   - field: the field to report.
    ///   - zone: the IANA name of the zone of the request; `nil` for UTC.
    func problem(in field: String, zone: String?) -> FieldProblem? {
        if validUntil <= validFrom { return FieldProblem(field: field, problem: "end_not_after_start") }
        let zones = TimeZoneDatabase.system
        let rules = zone.flatMap { zones.rules(of: $0) } ?? zones.utc
        return validUntil > latestEnd(on: rules) ? FieldProblem(field: field, problem: "window_too_long") : nil
    }
}

extension TenancyUnitOfWork {
    fileprivate mutating func grant(_ new: NewGuestAccess) throws(GatewayError) -> GuestAccess {
        let devices = new.deviceIDs.unique.compactMap { directory.device($0) }
        let propertyID = try commonProperty(of: devices, new)
        let right = try grantedRight(to: new.operations, on: devices)
        let guest = try guest(of: new)
        let access = GuestAccess(
            id: newID(), guestUserID: guest?.id, label: new.label, propertyID: propertyID, unitID: new.unitID,
            deviceIDs: devices.map(\.id), operations: new.operations.ordered, window: new.window, resolution: new.resolution,
            schedule: new.schedule, maxUses: new.maxUses, grantedByUserID: right.association.userID,
            grantedUnderAssociationID: right.association.id,
            grantedUnderRole: right.association.role, carriersByDevice: right.carriersByDevice, createdAt: now)
        apply(.putGuestAccess(access))
        appendRecord(.grant, RecordTarget(access), at: access.place, after: GuestAccess.fields.recorded(access))
        if let portfolio = directory.property(propertyID)?.portfolioID {
            try require(.guestAccess, in: portfolio)
            if access.schedule != nil { try require(.recurringSchedules, in: portfolio) }
            try requireWithin(.maxActiveGuestAccess, of: portfolio)
        }
        return access
    }

    /// - Throws: `.notFound` if no user has the id or address.
    private func guest(of new: NewGuestAccess) throws(GatewayError) -> User? {
        let found: User? =
            if let email = new.guestEmail { directory.user(email: email) } else {
                new.guestUserID.flatMap { directory.user($0) }
            }
        if found == nil, new.guestEmail != nil || new.guestUserID != nil { throw .notFound }
        return found
    }

    /// The property of all devices. Requires that all devices belong to it, that the request names no other property, and that
    /// the unit belongs to it.
    private func commonProperty(of devices: [LockDevice], _ new: NewGuestAccess) throws(GatewayError) -> PropertyID {
        guard let propertyID = devices.first?.propertyID else { throw .invalid("deviceIds", "device_unassigned") }
        guard devices.allSatisfy({ $0.propertyID == propertyID }) else { throw .invalid("deviceIds", "not_in_property") }
        if let named = new.propertyID, named != propertyID { throw .invalid("deviceIds", "not_in_property") }
        if let unit = new.unitID, directory.unit(unit)?.propertyID != propertyID {
            throw .invalid("unitId", "not_in_property")
        }
        try requireOpen(devices, in: new.unitID)
        return propertyID
    }

    /// Requires that no device belongs to another unit than that of the guest access. Devices of the property itself are allowed.
    func requireOpen(_ devices: [LockDevice], in unit: UnitID?) throws(GatewayError) {
        guard let unit else { return }
        if devices.contains(where: { $0.unitID != nil && $0.unitID != unit }) { throw .invalid("deviceIds", "not_in_unit") }
    }

    /// The right that the caller passes on.
    func grantedRight(to operations: [LockOperation], on devices: [LockDevice]) throws(GatewayError) -> GrantedRight {
        let needed = [.grantAccess] + operations
        let right = try GrantedRight(on: devices) { (device) throws(GatewayError) in
            let carriers = SecurityService.carriers(of: needed, by: subject, on: device.id, in: directory)
            guard !carriers.isEmpty else { throw refusal(of: needed, on: device) }
            return carriers
        }
        guard let right else { throw .invalid("operations", "not_grantable") }
        return right
    }

    /// The error for a device on which no role of the caller allows all of `operations`.
    private func refusal(of operations: [LockOperation], on device: LockDevice) -> GatewayError {
        let missing = operations.first {
            SecurityService.carriers(of: [$0], by: subject, on: device.id, in: directory).isEmpty
        }
        guard let missing else { return .invalid("operations", "not_grantable") }
        let decision = SecurityService.decide(subject, .grantAccess, on: device.id, at: time, override: false, in: directory)
        let denial = decision.denial ?? Denial(.roleInsufficient, hasReach: true, missing: .init(operation: missing))
        return .denied(denial, operation: missing, deviceID: device.id)
    }
}

/// The right that a grant passes on: the association under which access is granted, and the associations that cover each device.
struct GrantedRight {
    let association: UserRoleAssociation
    /// The associations that give access, by device; `nil` if the access does not depend on tenancies, because `association` alone
    /// covers all devices.
    let carriersByDevice: [DeviceID: [AssociationID]]?

    /// Determines the right from the associations that cover the devices. Access granted under an association above the units
    /// stays valid after the association ends, so only the highest role that covers all devices is recorded. Access granted under
    /// tenancies ends with the tenancies: on each device, the access ends with the last tenancy that covers the device.
    ///
    /// The cost is bounded by the number of these associations, because other changes of the tenancy wait while this runs.
    ///
    /// - Parameter carriers: the associations that cover a device; called once for each device.
    /// - Returns: `nil` if no association covers a device.
    init?(on devices: [LockDevice], carriers: (LockDevice) throws(GatewayError) -> [UserRoleAssociation]) throws(GatewayError) {
        var carriersByDevice: [DeviceID: [AssociationID]] = [:]
        var carried: [AssociationID: (association: UserRoleAssociation, devices: Int)] = [:]
        for device in devices {
            let carriers = try carriers(device)
            carriersByDevice[device.id] = carriers.map(\.id)
            for association in carriers { carried[association.id, default: (association, 0)].devices += 1 }
        }
        let whole = carried.values.filter { $0.devices == devices.count && $0.association.role != .tenant }.map(\.association)
        if let highest = whole.min(by: { ($0.role.rank, $0.id) < ($1.role.rank, $1.id) }) {
            (association, self.carriersByDevice) = (highest, nil)
            return
        }
        let tenancies = carried.values.filter { $0.association.role == .tenant }
        let most = tenancies.max { ($0.devices, $1.association.id) < ($1.devices, $0.association.id) }
        guard let most else { return nil }
        (association, self.carriersByDevice) = (most.association, carriersByDevice)
    }
}

extension NewGuestAccess {
    fileprivate var reach: [Reach] {
        deviceIDs.map { .device($0) }
            + [propertyID.map { .entity(.property($0)) }, unitID.map { .entity(.unit($0)) }].compactMap(\.self)
    }
}

internal import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy

/// Renders objects for one subject: of each object the fields that the subject's rules give for that object, from its table of
/// fields.
struct View: Sendable {
    let subject: Subject
    private let snapshot: PublishedDirectory.Snapshot
    let now: Timestamp
    let devices: LiveDevices

    /// The directory that the subject was resolved in, lent without a copy.
    var tenancy: TenancyDirectory { _read { yield snapshot.directory } }

    /// - Parameter snapshot: the directory that the principal is resolved in; `nil` for the current one.
    init(_ principal: Principal, in snapshot: PublishedDirectory.Snapshot? = nil, control: GatewayControl) {
        self.snapshot = snapshot ?? control.directory.snapshot
        subject = self.snapshot.directory.subject(of: principal)
        (now, devices) = (control.clock.now(), control.devices)
    }

    /// The subject as it sees an object; at the lowest level if no rule gives any.
    private func reader(of object: FieldObject) -> FieldReader {
        reader(SecurityService.fieldLevel(of: subject, for: object, at: now, in: tenancy) ?? .publicLevel)
    }

    private func reader(_ level: FieldLevel) -> FieldReader { FieldReader(subject, level: level, at: now) }

    /// Whether the subject sees a field of a device.
    func sees(_ field: String, of device: DeviceID) -> Bool {
        FieldTable.sees(field, of: .device, at: reader(of: .device(device)).level)
    }

    // MARK: - Tenancy

    func portfolio(_ portfolio: Portfolio, into writer: inout JSONWriter) {
        writer.object(portfolio, Portfolio.fields, for: reader(of: .portfolio(portfolio.id)), in: tenancy)
    }

    func property(_ property: Property, into writer: inout JSONWriter) {
        writer.object(property, Property.fields, for: reader(of: .property(property.id)), in: tenancy)
    }

    func unit(_ unit: Unit, into writer: inout JSONWriter) {
        writer.object(unit, Unit.fields, for: reader(of: .unit(unit.id)), in: tenancy)
    }

    // MARK: - People

    /// - Parameter associations: those to show; by default all that the subject may know of.
    func user(_ user: User, associations: [UserRoleAssociation]? = nil, into writer: inout JSONWriter) {
        writer.object(
            ShownUser(user, associations: associations), ShownUser.fields, for: reader(of: .user(user.id)), in: tenancy)
    }

    /// Whole: whoever gets the answer may know of the association.
    func association(_ association: UserRoleAssociation, into writer: inout JSONWriter) {
        writer.object(association, UserRoleAssociation.fields, for: reader(.owner), in: tenancy)
    }

    func guestAccess(_ access: GuestAccess, into writer: inout JSONWriter) {
        writer.object(access, GuestAccess.fields, for: reader(of: .guestAccess(access.id)), in: tenancy)
    }

    // MARK: - Locks

    func device(_ device: LockDevice, into writer: inout JSONWriter) {
        self.device(device, status: devices.status(of: device.id), into: &writer)
    }

    /// The lock as it is kept, together with what it says of itself, if a status is given.
    func device(_ device: LockDevice, status: DeviceStatus?, into writer: inout JSONWriter) {
        writer.object(
            ShownDevice(device, status: status), ShownDevice.fields, for: reader(of: .device(device.id)), in: tenancy)
    }

    /// `data.status` of `GET /devices/:id/status`, projected like the device that it is part of.
    func status(_ status: DeviceStatus, of device: LockDevice, into writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("deviceId", device.id)
            writer.fields(
                ShownDevice(device, status: status), ShownDevice.statusFields, for: reader(of: .device(device.id)), in: tenancy)
        }
    }

    // MARK: - Commands and records

    /// A command of the subject's own.
    func command(_ command: Command, into writer: inout JSONWriter) {
        self.command(command, at: tenancy.device(command.deviceID).map { DeviceStamp($0) }, into: &writer)
    }

    /// Any command, at the level that the subject has where the device was attached then.
    func command(_ stored: StoredCommand, into writer: inout JSONWriter) {
        command(stored.command, at: stored.device, into: &writer)
    }

    private func command(_ command: Command, at place: DeviceStamp?, into writer: inout JSONWriter) {
        let event = FieldObject.event(
            unit: place?.unitID, property: place?.propertyID, portfolio: place?.portfolioID, actor: command.actor.userID)
        writer.object(ShownCommand(command, unit: place?.unitID), ShownCommand.fields, for: reader(of: event), in: tenancy)
    }

    /// Whoever reads the gateway's own log reads it whole.
    func record(_ record: AccessRecord, into writer: inout JSONWriter) {
        let body = record.body
        let event = FieldObject.event(
            unit: body.unitID, property: body.propertyID, portfolio: body.portfolioID ?? body.log.portfolioID, actor: nil)
        writer.object(
            record, AccessRecord.fields, for: body.log == .gateway ? reader(.management) : reader(of: event), in: tenancy)
    }
}

extension RecordValue: JSONRenderable {
    /// A personal value that was erased is `null`. Keys in ascending order.
    func write(into writer: inout JSONWriter) {
        switch self {
        case .null, .withheld: writer.null()
        case .bool(let value): value.write(into: &writer)
        case .integer(let value): value.write(into: &writer)
        case .string(let value), .personal(let value, _): writer.string(value)
        case .array(let values): writer.array(values) { $1.write(into: &$0) }
        case .object(let members):
            writer.object { writer in
                for key in members.keys.sorted() { writer.field(key, members[key]) }
            }
        }
    }
}

internal import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy

/// Renders objects for one subject, with only the fields that the subject may see. The subject's
/// level on an object selects the fields from the object's field table.
struct ProjectedRenderer: Sendable {
    let subject: Subject
    private let snapshot: CurrentDirectory.Snapshot
    let now: DecisionTime
    let devices: DeviceRuntimes

    /// The directory that the subject was resolved in, borrowed without a copy.
    var tenancy: TenancyDirectory { _read { yield snapshot.directory } }

    /// - Parameter snapshot: the directory that the principal is resolved in; `nil` for the current one.
    init(_ principal: Principal, in snapshot: CurrentDirectory.Snapshot? = nil, control: GatewayControl) {
        self.snapshot = snapshot ?? control.directory.snapshot
        subject = self.snapshot.directory.subject(of: principal)
        (now, devices) = (control.clock.decisionTime(), control.devices)
    }

    /// Returns the subject as a reader of the object, at the lowest level if no rule gives the subject a level.
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

    /// - Parameter associations: the associations to show; by default all that are visible to the subject.
    func user(_ user: User, associations: [UserRoleAssociation]? = nil, into writer: inout JSONWriter) {
        writer.object(
            ShownUser(tenancy.withReachableDefaults(user), associations: associations), ShownUser.fields,
            for: reader(of: .user(user.id)), in: tenancy)
    }

    /// An association with all its fields: every recipient of such a response may see it.
    func association(_ association: UserRoleAssociation, into writer: inout JSONWriter) {
        writer.object(association, UserRoleAssociation.fields, for: reader(.owner), in: tenancy)
    }

    /// - Parameter isStoredPartOnly: whether to leave out the uses that are left, which commands change.
    func guestAccess(_ access: GuestAccess, isStoredPartOnly: Bool = false, into writer: inout JSONWriter) {
        let fields = isStoredPartOnly ? GuestAccess.storedFields : GuestAccess.fields
        writer.object(access, fields, for: reader(of: .guestAccess(access.id)), in: tenancy)
    }

    // MARK: - API keys and invitations

    /// An API key with all its fields: every recipient of such a response may see it.
    func apiKey(_ key: APIKey, into writer: inout JSONWriter) {
        writer.object(key, APIKey.fields, for: reader(.owner), in: tenancy)
    }

    /// An invitation without its token.
    func invitation(_ invitation: Invitation, into writer: inout JSONWriter) {
        writer.object(ShownInvitation(invitation), ShownInvitation.fields, for: reader(.owner), in: tenancy)
    }

    /// An invitation that was just created, with its token.
    ///
    /// - Parameter base: the gateway's public URL.
    func invitation(_ issued: IssuedInvitation, under base: String, into writer: inout JSONWriter) {
        let shown = ShownInvitation(issued.invitation, link: (issued.token, issued.url(under: base)))
        writer.object(shown, ShownInvitation.fields, for: reader(.owner), in: tenancy)
    }

    // MARK: - Locks

    func device(_ device: LockDevice, into writer: inout JSONWriter) {
        self.device(device, status: devices.status(of: device.id), into: &writer)
    }

    /// Writes the stored lock, with `status` if it is not `nil`.
    func device(_ device: LockDevice, status: DeviceStatus?, into writer: inout JSONWriter) {
        writer.object(
            ShownDevice(device, status: status), ShownDevice.fields, for: reader(of: .device(device.id)), in: tenancy)
    }

    /// `data.status` of `GET /devices/:id/status`, with the fields that the subject sees on the device.
    func status(_ status: DeviceStatus, of device: LockDevice, into writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("deviceId", device.id)
            writer.fields(
                ShownDevice(device, status: status), ShownDevice.statusFields, for: reader(of: .device(device.id)), in: tenancy)
        }
    }

    // MARK: - Commands and records

    /// Writes a command that the subject has sent, with the fields that the subject may see. Which fields these are depends on
    /// the current unit, property and portfolio of the device.
    func command(_ command: Command, into writer: inout JSONWriter) {
        self.command(command, at: tenancy.device(command.deviceID).map { DeviceSnapshot($0) }, into: &writer)
    }

    /// Writes any command with the fields that the subject may see. Which fields these are depends on the unit, property and
    /// portfolio that the device had at the time of the command.
    func command(_ stored: StoredCommand, into writer: inout JSONWriter) {
        command(stored.command, at: stored.device, into: &writer)
    }

    private func command(_ command: Command, at place: DeviceSnapshot?, into writer: inout JSONWriter) {
        let event = FieldObject.event(
            unit: place?.unitID, property: place?.propertyID, portfolio: place?.portfolioID, actor: command.actor)
        writer.object(ShownCommand(command, unit: place?.unitID), ShownCommand.fields, for: reader(of: event), in: tenancy)
    }

    /// Writes a record. Readers of the gateway's own log see all fields of its records.
    func record(_ record: AccessRecord, into writer: inout JSONWriter) {
        let body = record.body
        let event = FieldObject.event(
            unit: body.unitID, property: body.propertyID, portfolio: body.portfolioID ?? body.log.portfolioID, actor: nil)
        writer.object(
            record, AccessRecord.fields, for: body.log == .gateway ? reader(.management) : reader(of: event), in: tenancy)
    }
}

extension RecordValue: JSONRenderable {
    /// Writes an erased personal value as `null`, and keys in ascending order.
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

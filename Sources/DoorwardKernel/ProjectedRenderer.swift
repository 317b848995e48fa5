import Crypto
package import DoorwardDomain
package import DoorwardPolicy

/// Renders objects for one subject, with only the fields that the subject may see. The subject's
/// level on an object selects the fields from the object's field table.
package struct ProjectedRenderer: Sendable {
    private let subject: Subject
    private let snapshot: CurrentDirectory.Snapshot
    private let now: DecisionTime
    private let devices: any DeviceStatuses

    /// The directory that the subject was resolved in, borrowed without a copy.
    package var tenancy: TenancyDirectory { _read { yield snapshot.directory } }

    /// - Parameter subject: must be resolved in the snapshot.
    package init(_ subject: Subject, in snapshot: CurrentDirectory.Snapshot, at now: DecisionTime, devices: any DeviceStatuses) {
        (self.subject, self.snapshot, self.now, self.devices) = (subject, snapshot, now, devices)
    }

    /// Returns the subject as a reader of the object, at the lowest level if no rule gives the subject a level.
    private func reader(of object: FieldObject) -> FieldReader {
        reader(SecurityService.fieldLevel(of: subject, for: object, at: now, in: tenancy) ?? .publicLevel)
    }

    private func reader(_ level: FieldLevel) -> FieldReader { FieldReader(subject, level: level, at: now) }

    /// Whether the subject sees a field of a device.
    package func sees(_ field: String, of device: DeviceID) -> Bool {
        FieldTable.sees(field, of: .device, at: reader(of: .device(device)).level)
    }

    // MARK: - Tenancy

    /// A portfolio, with the fields that the subject sees.
    package func portfolio(_ portfolio: Portfolio, into writer: inout JSONWriter) {
        writer.object(portfolio, Portfolio.fields, for: reader(of: .portfolio(portfolio.id)), in: tenancy)
    }

    /// A property, with the fields that the subject sees.
    package func property(_ property: Property, into writer: inout JSONWriter) {
        writer.object(property, Property.fields, for: reader(of: .property(property.id)), in: tenancy)
    }

    /// A unit, with the fields that the subject sees.
    package func unit(_ unit: Unit, into writer: inout JSONWriter) {
        writer.object(unit, Unit.fields, for: reader(of: .unit(unit.id)), in: tenancy)
    }

    // MARK: - People

    /// - Parameter associations: the associations to show; by default all that are visible to the subject.
    package func user(_ user: User, associations: [UserRoleAssociation]? = nil, into writer: inout JSONWriter) {
        writer.object(
            ShownUser(tenancy.withReachableDefaults(user), associations: associations), ShownUser.fields,
            for: reader(of: .user(user.id)), in: tenancy)
    }

    /// An association with all its fields: every recipient of such a response may see it.
    package func association(_ association: UserRoleAssociation, into writer: inout JSONWriter) {
        writer.object(association, UserRoleAssociation.fields, for: reader(.owner), in: tenancy)
    }

    /// - Parameter fields: those to show, as far as the subject may see them.
    package func guestAccess(
        _ access: GuestAccess, _ fields: [Field<GuestAccess>] = GuestAccess.fields, into writer: inout JSONWriter
    ) {
        writer.object(access, fields, for: reader(of: .guestAccess(access.id)), in: tenancy)
    }

    // MARK: - API keys and invitations

    /// An API key with all its fields: every recipient of such a response may see it.
    package func apiKey(_ key: APIKey, into writer: inout JSONWriter) {
        writer.object(key, APIKey.fields, for: reader(.owner), in: tenancy)
    }

    /// - Parameter link: the token of an invitation that was just created, and the URL with it; `nil` to show neither.
    package func invitation(
        _ invitation: Invitation, link: (token: Secret<String>, url: Secret<String>)? = nil, into writer: inout JSONWriter
    ) {
        writer.object(ShownInvitation(invitation, link: link), ShownInvitation.fields, for: reader(.owner), in: tenancy)
    }

    // MARK: - Locks

    /// Writes the lock with its present status.
    package func device(_ device: LockDevice, into writer: inout JSONWriter) {
        self.device(device, status: devices.status(of: device.id), into: &writer)
    }

    /// Writes the stored lock, with `status` if it is not `nil`.
    package func device(_ device: LockDevice, status: DeviceStatus?, into writer: inout JSONWriter) {
        writer.object(ShownDevice(device, status: status), ShownDevice.fields, for: reader(of: .device(device.id)), in: tenancy)
    }

    /// `data.status` of `GET /devices/:id/status`, with the fields that the subject sees on the device.
    package func status(_ status: DeviceStatus, of device: LockDevice, into writer: inout JSONWriter) {
        writer.object { writer in
            writer.field("deviceId", device.id)
            writer.fields(
                ShownDevice(device, status: status), ShownDevice.statusFields, for: reader(of: .device(device.id)), in: tenancy)
        }
    }

    // MARK: - Commands and records

    /// Writes a command that the subject has sent, with the fields that the subject may see. Which fields these are depends on
    /// the current unit, property and portfolio of the device.
    package func command(_ command: Command, into writer: inout JSONWriter) {
        self.command(command, at: tenancy.device(command.deviceID).map { DeviceSnapshot($0) }, into: &writer)
    }

    /// Writes any command with the fields that the subject may see. Which fields these are depends on the unit, property and
    /// portfolio that the device had at the time of the command.
    package func command(_ stored: StoredCommand, into writer: inout JSONWriter) {
        command(stored.command, at: stored.device, into: &writer)
    }

    private func command(_ command: Command, at place: DeviceSnapshot?, into writer: inout JSONWriter) {
        let event = FieldObject.event(
            unit: place?.unitID, property: place?.propertyID, portfolio: place?.portfolioID, actor: command.actor)
        writer.object(ShownCommand(command, unit: place?.unitID), ShownCommand.fields, for: reader(of: event), in: tenancy)
    }

    /// Writes a record. Readers of the gateway's own log see all fields of its records.
    package func record(_ record: AccessRecord, into writer: inout JSONWriter) {
        let body = record.body
        let event = FieldObject.event(
            unit: body.unitID, property: body.propertyID, portfolio: body.portfolioID ?? body.log.portfolioID, actor: nil)
        writer.object(
            record, AccessRecord.fields, for: body.log == .gateway ? reader(.management) : reader(of: event), in: tenancy)
    }
}

extension ShownSubscription {
    /// Writes the fields of the subscription with its usage.
    package func writeFields(into writer: inout JSONWriter) {
        portfolio.subscription.writeFields(into: &writer)
        writer.field("usage") { writer in
            writer.object { writer in
                for limit in SubscriptionLimit.allCases { writer.field(limit.counted, usage[limit] ?? 0) }
            }
        }
    }
}

extension Subscription {
    /// Writes tier, modules and limits; a limit that does not apply is left out.
    package func writeFields(into writer: inout JSONWriter) {
        writer.field("tier", tier)
        writer.field("modules") { writer in
            writer.object { writer in
                for module in SubscriptionModule.available { writer.field(module.rawValue, modules.contains(module)) }
            }
        }
        writer.field("limits") { writer in
            writer.object { writer in
                for limit in SubscriptionLimit.allCases { writer.fieldIfPresent(limit.rawValue, limits[limit]) }
            }
        }
    }
}

/// The `ETag` of an object, which identifies the version that a reader has read.
///
/// It is computed from the fields that the reader sees, so it reveals nothing about other fields.
package struct EntityTag: Hashable, Sendable {
    /// The tag with its quotation marks, as in the header.
    package let text: String

    /// The tag of the object that `write` writes.
    package init(_ write: (inout JSONWriter) -> Void) {
        var writer = JSONWriter()
        write(&writer)
        text = "\"\(Array(SHA256.hash(data: writer.bytes).prefix(16)).hexadecimal)\""
    }
}

/// The status of each lock, as it was last reported.
package protocol DeviceStatuses: Sendable {
    /// The status of a device; an unknown status if it is not attached.
    func status(of id: DeviceID) -> DeviceStatus
}

internal import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy

/// One reader's view of things: each object is written down to the fields that the reader's rules give for that object.
struct View: Sendable {
    let reader: UserID
    let tenancy: TenancyDirectory
    let now: Timestamp
    let devices: LiveDevices

    init(reader: UserID, tenancy: TenancyDirectory, at now: Timestamp, devices: LiveDevices) {
        (self.reader, self.tenancy, self.now, self.devices) = (reader, tenancy, now, devices)
    }

    /// By the directory in force at this moment.
    init(reader: UserID, control: GatewayControl) {
        self.init(
            reader: reader, tenancy: control.directory.current, at: control.clock.now(), devices: control.devices)
    }

    /// What the reader sees of an object; the least there is where no rule gives anything.
    func level(for object: FieldObject) -> FieldLevel {
        SecurityService.fieldLevel(of: reader, for: object, at: now, in: tenancy) ?? .publicLevel
    }

    /// Whether the reader sees a field of an object: what is not seen is not sorted and filtered by either.
    func sees(_ field: String, of kind: FieldTable.Kind, _ object: FieldObject) -> Bool {
        FieldTable.sees(field, of: kind, at: level(for: object))
    }
}

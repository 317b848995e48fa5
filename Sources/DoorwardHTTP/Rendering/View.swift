internal import DoorwardControl
internal import DoorwardDomain
internal import DoorwardPolicy

/// Renders objects for one subject: of each object the fields that the subject's rules give for that object.
struct View: Sendable {
    let subject: Subject
    private let snapshot: PublishedDirectory.Snapshot
    let now: Timestamp
    let devices: LiveDevices

    /// The directory that the subject was resolved in, lent without a copy.
    var tenancy: TenancyDirectory { _read { yield snapshot.directory } }

    /// - Parameter tenancy: the directory that the principal is resolved in; `nil` for the current one.
    init(_ principal: Principal, in tenancy: TenancyDirectory? = nil, control: GatewayControl) {
        snapshot = tenancy.map { PublishedDirectory.Snapshot($0) } ?? control.directory.snapshot
        subject = snapshot.directory.subject(of: principal)
        (now, devices) = (control.clock.now(), control.devices)
    }

    /// The field level of the subject for an object; the lowest one if no rule gives any.
    func level(for object: FieldObject) -> FieldLevel {
        SecurityService.fieldLevel(of: subject, for: object, at: now, in: tenancy) ?? .publicLevel
    }

    /// Whether the subject sees a field of an object. Lists are neither sorted nor filtered by a field that it does not see.
    func sees(_ field: String, of kind: FieldTable.Kind, _ object: FieldObject) -> Bool {
        FieldTable.sees(field, of: kind, at: level(for: object))
    }
}

import DoorwardClient
import DoorwardDomain
import DoorwardPolicy
import Testing

/// The tables of the library against those of the gateway.
@Suite struct ClientDriftTests {
    @Test func actionsAndRoles() {
        #expect(Set(Doorward.Action.operations.map(\.rawValue)) == Set(LockOperation.allCases.map(\.rawValue)))
        #expect(Set(Doorward.Action.management.map(\.rawValue)) == Set(ManagementPermission.allCases.map(\.rawValue)))
        #expect(Doorward.Role.known.map(\.rawValue) == Role.allCases.map(\.rawValue))
        #expect(Set(Doorward.LockState.known.map(\.rawValue)) == Set(LockState.allCases.map(\.rawValue)))
        #expect(Set(Doorward.DoorState.known.map(\.rawValue)) == Set(DoorState.allCases.map(\.rawValue)))
        #expect(Set(Doorward.CommandState.known.map(\.rawValue)) == Set(CommandState.allCases.map(\.rawValue)))
        #expect(Doorward.ViewLevel.known.dropLast().map(\.rawValue) == FieldLevel.allCases.map(\.name))
    }

    @Test func fieldLevels() {
        func compare(_ kind: FieldTable.Kind, _ fields: (Doorward.ViewLevel) -> Set<String>) {
            for level in FieldLevel.allCases {
                let expected = FieldTable.fields(of: kind, at: level).subtracting(["viewLevel"])
                #expect(fields(Doorward.ViewLevel(rawValue: level.name)) == expected, "\(kind) \(level)")
            }
        }
        compare(.device) { Doorward.FieldAccess.fields(of: Doorward.LockDevice.self, at: $0) }
        compare(.portfolio) { Doorward.FieldAccess.fields(of: Doorward.Portfolio.self, at: $0) }
        compare(.property) { Doorward.FieldAccess.fields(of: Doorward.Property.self, at: $0) }
        compare(.unit) { Doorward.FieldAccess.fields(of: Doorward.Unit.self, at: $0) }
    }
}

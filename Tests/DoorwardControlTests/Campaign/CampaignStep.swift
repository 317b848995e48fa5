import DoorwardAdapterKit
import DoorwardDomain
import DoorwardTesting

/// One event in a campaign.
enum CampaignStep: Sendable {
    case command(CampaignCommand)
    /// One user sends more commands at once than may wait in a queue.
    case burst(CampaignCommand)
    case grant(by: UserID, to: UserID, on: DeviceID, length: Duration)
    /// Revokes one of the guest accesses that exist at that moment.
    case revoke(by: UserID, number: Int)
    case assign(UserID, Role, AssociatedEntity)
    case remove(UserID, AssociatedEntity)
    case enable(UserID, Bool)
    case behave(DeviceID, ScriptedAdapter.Behaviour)
    case report(DeviceID, LockReport.Fact)
    case failStore(isDurable: Bool, recoversAfter: Duration)
    case storeAway(recoversAfter: Duration)
}

/// A command that a user requests.
struct CampaignCommand: Sendable {
    var user: UserID
    var device: DeviceID
    var operation: LockOperation
    var timeout: Duration
    var key: String?
}

extension CampaignStep {
    /// The longest timeout of a command.
    static let maxTimeout = Duration.seconds(6)

    static func draw(in house: CampaignHouse, using random: inout SeededGenerator) -> CampaignStep {
        let device = house.devices.randomElement(using: &random) ?? house.devices[0]
        switch Int.random(in: 0..<100, using: &random) {
        case ..<52: return .command(command(in: house, on: device, using: &random))
        case ..<54: return .burst(command(in: house, on: device, using: &random))
        case ..<60:
            let grantor = (house.tenants + [house.owner]).randomElement(using: &random) ?? house.owner
            let length = Duration.milliseconds(Int64.random(in: 200...6000, using: &random))
            return .grant(by: grantor, to: house.guests.randomElement(using: &random) ?? house.owner, on: device, length: length)
        case ..<67:
            let grantor = Bool.random(using: &random) ? house.owner : house.tenants[0]
            return .revoke(by: grantor, number: Int.random(in: 0..<8, using: &random))
        case ..<70: return .assign(person(in: house, using: &random), .propertyManager, .property(house.property))
        case ..<73: return .assign(person(in: house, using: &random), .tenant, .unit(house.units[0]))
        case ..<77: return .remove(person(in: house, using: &random), .property(house.property))
        case ..<81: return .remove(person(in: house, using: &random), .unit(house.units[0]))
        case ..<85: return .enable(person(in: house, using: &random), Int.random(in: 0..<3, using: &random) == 0)
        case ..<91: return .behave(device, behaviour(using: &random))
        case ..<97: return .report(device, fact(using: &random))
        case ..<99:
            let wait = Duration.milliseconds(Int64.random(in: 20...2000, using: &random))
            return .failStore(isDurable: Bool.random(using: &random), recoversAfter: wait)
        default: return .storeAway(recoversAfter: .milliseconds(Int64.random(in: 20...2000, using: &random)))
        }
    }

    private static func person(in house: CampaignHouse, using random: inout SeededGenerator) -> UserID {
        house.residents.randomElement(using: &random) ?? house.owner
    }

    private static func command(
        in house: CampaignHouse, on device: DeviceID, using random: inout SeededGenerator
    ) -> CampaignCommand {
        // Most commands are for one door, so that they meet in its queue.
        let device = Int.random(in: 0..<3, using: &random) == 0 ? device : house.devices[1]
        let limit = maxTimeout.wholeMilliseconds
        return CampaignCommand(
            user: (Int.random(in: 0..<4, using: &random) == 0 ? house.people : house.residents).randomElement(using: &random)
                ?? house.owner, device: device,
            operation: LockOperation.movements.randomElement(using: &random) ?? .lock,
            timeout: .milliseconds(Int64.random(in: 100...limit, using: &random)),
            key: Int.random(in: 0..<3, using: &random) == 0 ? "key \(Int.random(in: 0..<3, using: &random))" : nil)
    }

    static func behaviour(using random: inout SeededGenerator) -> ScriptedAdapter.Behaviour {
        let delay = Duration.milliseconds(Int64.random(in: 1...1500, using: &random))
        switch Int.random(in: 0..<9, using: &random) {
        case 0, 1: return .confirmAtOnce
        case 2, 3: return .confirm(after: delay)
        case 4: return .confirm(after: .seconds(4))
        case 5: return .silent
        case 6: return .refuse(LockRefusal.allCases.randomElement(using: &random) ?? .busy, after: delay)
        case 7: return .jam(after: delay)
        default: return .fail([.offline, .transportBusy, .unsupported].randomElement(using: &random) ?? .offline)
        }
    }

    private static func fact(using random: inout SeededGenerator) -> LockReport.Fact {
        switch Int.random(in: 0..<6, using: &random) {
        case 0: return .door(.open)
        case 1: return .availability(Bool.random(using: &random))
        case 2: return .battery(level: 7, low: true)
        case 3: return .state(.unlocked, quality: .retained, method: nil, operatorName: nil)
        case 4: return .event(.tamper, method: nil, operatorName: nil)
        default:
            let state = LockState.allCases.randomElement(using: &random) ?? .locked
            return .state(state, quality: .confirmed, method: .manual, operatorName: nil)
        }
    }
}

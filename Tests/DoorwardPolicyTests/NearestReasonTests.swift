import DoorwardDomain
import DoorwardPolicy
import Testing

/// If several rules fail, the denial names one of them. The tests compare every pair of failures,
/// with the ids and the times in both orders.
@Suite struct NearestReasonTests {
    /// The reasons for which a rule can fail, from the fewest passed checks to the most.
    enum Failure: Int, CaseIterable {
        case revoked, grantorLost, roleInsufficient, notGranted, ended, notStarted

        var reason: DenialReason {
            switch self {
            case .revoked: .guestAccessRevoked
            case .grantorLost: .grantorLostAccess
            case .roleInsufficient: .roleInsufficient
            case .notGranted: .operationNotGranted
            case .ended: .guestWindowEnded
            case .notStarted: .guestWindowNotStarted
            }
        }

        /// The number of passed checks. A missing role and an operation that is not granted are the same step.
        var passed: Int { self == .notGranted ? Failure.roleInsufficient.rawValue : rawValue }

        func given(_ number: UInt64) -> Given {
            switch self {
            case .revoked: .guest(number, revoked: .zero)
            case .grantorLost: .guest(number, under: (77, .tenant))
            case .roleInsufficient: .role(.auditor, number)
            case .notGranted: .guest(number, [])
            case .ended: .guest(number, until: .seconds(-1))
            case .notStarted: .guest(number, from: .seconds(1))
            }
        }

        func rule(_ number: UInt64) -> Rule { self == .roleInsufficient ? .held(.auditor, number) : .guest(number) }
    }

    @Test(
        "Of two rules the denial names the one that passed more checks, with any ids and in any order",
        arguments: Failure.allCases)
    func pairs(first: Failure) {
        for second in Failure.allCases where second.passed != first.passed {
            let nearer = first.passed > second.passed ? first : second
            for (firstNumber, secondNumber) in [(1, 2), (2, 1)] as [(UInt64, UInt64)] {
                let number = nearer == first ? firstNumber : secondNumber
                let facts = [first.given(firstNumber), second.given(secondNumber)]
                for order in [facts, facts.reversed()] {
                    let denial = House(order).decide().denial
                    #expect(denial?.reason == nearer.reason, "\(first), \(second)")
                    #expect(denial?.rule == nearer.rule(number), "\(first), \(second)")
                }
            }
        }
    }

    @Test(
        "Of two rules that passed equally many checks, the denial names the one with the smaller id",
        arguments: Failure.allCases)
    func ties(failure: Failure) {
        for other in Failure.allCases where other.passed == failure.passed {
            for (number, otherNumber) in [(3, 8), (8, 3)] as [(UInt64, UInt64)] {
                let denial = House([failure.given(number), other.given(otherNumber)]).decide().denial
                let expected = number < otherNumber ? failure.rule(number) : other.rule(otherNumber)
                #expect(denial?.rule == expected, "\(failure), \(other)")
            }
        }
    }

    @Test("For a role and a guest access with the same id and equally many passed checks, the denial is always the same")
    func sameID() {
        let one = House([.role(.auditor, 4), .guest(4, [])]).decide()
        let two = House([.guest(4, []), .role(.auditor, 4)]).decide()
        #expect(one == two)
        #expect(one.denial?.hasReach == true)
    }

    @Test(
        "Of windows in the future the denial names the one that opens first, then the smaller id",
        arguments: [
            ([(1, 30), (2, 20), (3, 10)], 3), ([(3, 30), (2, 20), (1, 10)], 1), ([(5, 10), (4, 10), (6, 10)], 4),
            ([(1, 2), (2, 1)], 2),
            ([(9, 1), (1, 2), (2, 2)], 9),
        ] as [([(UInt64, Int64)], UInt64)])
    func openings(windows: [(UInt64, Int64)], told: UInt64) {
        let facts = windows.map { Given.guest($0.0, from: .seconds($0.1)) }
        let opens = windows.first { $0.0 == told }.map { House.now.advanced(by: .seconds($0.1)) }
        for order in [facts, facts.reversed()] {
            let denial = House(order).decide().denial
            #expect(denial?.rule == .guest(told))
            #expect(denial?.opensAt == opens)
        }
    }

    @Test("A denial contains only the time of the rule that it names")
    func times() {
        let denial = House([.guest(1, until: .seconds(-5)), .guest(2, from: .seconds(5))]).decide().denial
        #expect(denial?.opensAt == House.now.advanced(by: .seconds(5)))
        #expect(denial?.closesAt == nil)
    }

    @Test("Of all failures at once the denial names the nearest, and one rule that allows is enough to allow")
    func all() {
        let facts = Failure.allCases.enumerated().map { $1.given(UInt64($0) + 1) }
        let denial = House(facts).decide().denial
        #expect(denial?.reason == .guestWindowNotStarted)
        #expect(House(facts + [.guest(50)]).decide() == .allowed(.guest(50), override: false))
        #expect(House(facts + [.role(.owner, 50)]).decide() == .allowed(.held(.owner, 50), override: false))
    }

    @Test("Without the nearest failure the denial names the next nearest", arguments: [1, 2, 3, 4, 5])
    func ladder(length: Int) {
        let steps: [Failure] = [.revoked, .grantorLost, .notGranted, .ended, .notStarted]
        let present = steps.prefix(length)
        let house = House(present.enumerated().map { $1.given(UInt64($0) + 1) })
        #expect(house.decide().denial?.reason == present.last?.reason)
    }
}

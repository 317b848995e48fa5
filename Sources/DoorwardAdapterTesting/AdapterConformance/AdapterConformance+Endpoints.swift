internal import DoorwardAdapterKit
internal import DoorwardDomain

extension AdapterConformance {
    static let endpointChecks: [ConformanceCheck] = [
        ConformanceCheck("`check` returns the lock that is attached at an address, or none if there is none") { harness in
            let run = try await ConformanceRun(harness, locks: 2)
            for number in 0..<2 {
                let attached = try harness.adapter.check(address: harness.address(of: number)).attachedDevice
                let expected = harness.detectsDuplicates ? ConformanceRun.id(number) : nil
                try require(attached, is: expected, "the lock attached at address \(number)")
            }
            let none = try harness.adapter.check(address: harness.address(of: 5)).attachedDevice
            try require(none, is: nil, "the lock attached at a free address")
            try await run.requireConfirmation(of: run.opening, by: 0)
        },
        ConformanceCheck("An address is free again when its lock is detached or attached with another address") { harness in
            let run = try await ConformanceRun(harness, locks: 2)
            run.detach(0)
            run.attach(1, as: harness.address(of: 6))
            for number in 0..<2 {
                let attached = try harness.adapter.check(address: harness.address(of: number)).attachedDevice
                try require(attached, is: nil, "the lock attached at address \(number)")
            }
            let attached = try harness.adapter.check(address: harness.address(of: 6)).attachedDevice
            try require(
                attached, is: harness.detectsDuplicates ? ConformanceRun.id(1) : nil, "the lock attached at the new address")
        },
        ConformanceCheck("The owner of a transport is returned, and none for a transport that does not exist") { harness in
            guard let transportAddresses = harness.transportAddresses else {
                return try require(harness.adapter.owner(of: harness.address(of: 0)), is: .shared, "the owner of the transport")
            }
            for transport in transportAddresses.owned {
                try require(
                    harness.adapter.owner(of: transport.address), is: transport.owner,
                    "the owner of the transport of \(transport.address)")
            }
            try require(
                harness.adapter.owner(of: transportAddresses.missing), is: nil, "the owner of a transport that does not exist")
            _ = try await ConformanceRun(harness)
            for transport in transportAddresses.owned {
                try require(harness.adapter.owner(of: transport.address), is: transport.owner, "the owner while the adapter runs")
            }
        },
        ConformanceCheck("A transport outside the caller's scope gives the same result as one that does not exist") { harness in
            guard let transportAddresses = harness.transportAddresses else { throw NotApplicable.transportAddresses }
            _ = try await ConformanceRun(harness)
            for transport in transportAddresses.owned where transport.owner != .shared {
                for extra in [[:], ["noSuchKey": .null]] as [[String: JSONValue]] {
                    let (hidden, missing) = (
                        transport.address.merging(extra) { $1 }, transportAddresses.missing.merging(extra) { $1 }
                    )
                    try require(
                        checkResult(on: hidden, harness, within: .of([])), is: checkResult(on: missing, harness),
                        "the result for another owner's transport")
                }
                try require(
                    checkResult(on: transportAddresses.missing, harness) != checkResult(on: transport.address, harness),
                    "the transport is not found")
            }
        },
        ConformanceCheck("A portfolio's transport is accepted within its owner's scope, and only for locks in that portfolio") {
            harness in
            guard let transportAddresses = harness.transportAddresses else { throw NotApplicable.transportAddresses }
            let otherPortfolio = PortfolioID(high: 0xFEED, low: 1)
            for transport in transportAddresses.owned {
                guard case .portfolio(let id) = transport.owner else { continue }
                let open = checkResult(on: transport.address, harness)
                try require(
                    checkResult(on: transport.address, harness, within: .of([id])), is: open, "the result in the owner's scope")
                try require(
                    checkResult(on: transport.address, harness, within: .everything.restricted(to: id)), is: open,
                    "the result in the portfolio")
                try require(
                    checkResult(on: transport.address, harness, within: .everything.restricted(to: otherPortfolio)),
                    is: checkResult(on: transportAddresses.missing, harness), "the result in another portfolio")
            }
        },
    ]
}

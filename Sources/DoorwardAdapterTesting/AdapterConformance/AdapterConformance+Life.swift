internal import DoorwardAdapterKit
internal import DoorwardDomain

extension AdapterConformance {
    static let lifePromises: [AdapterPromise] = [
        AdapterPromise("Health is down before the start, good while the adapter runs, and down after the stop") { harness in
            try require(harness.adapter.health, is: .down, "the health before the start")
            let bench = try await AdapterBench(harness)
            try require(harness.adapter.health, is: .ok, "the health while it runs")
            await harness.adapter.stop()
            try await bench.pass(harness.promptTime)
            try require(harness.adapter.health, is: .down, "the health after the stop")
        },
        AdapterPromise("A lock that was attached before the start is heard and obeys after it") { harness in
            let number = 7
            harness.adapter.attach(AttachedLock(id: AdapterBench.id(number), address: harness.address(of: number)))
            let bench = try await AdapterBench(harness, locks: 0)
            try await bench.carryOut(bench.opening, by: number)
            try await bench.requireOrders([bench.opening], at: number, "after the start")
        },
        AdapterPromise("Starting and attaching move nothing") { harness in
            let bench = try await AdapterBench(harness, locks: 3)
            try await bench.pass(longAfter)
            for number in 0..<3 { try await bench.requireOrders([], at: number, "after the start") }
        },
        AdapterPromise("An order before the start is not taken, and not kept for the start") { harness in
            let order = LockOrder(
                commandID: CommandID(high: 0, low: 1), deviceID: AdapterBench.id(0), operation: .unlock,
                deadline: harness.clock.now().advanced(by: .seconds(3600)))
            harness.adapter.attach(AttachedLock(id: order.deviceID, address: harness.address(of: 0)))
            do {
                try harness.adapter.send(order)
                throw BrokenPromise("an order is taken before the start")
            } catch is AdapterError {}
            let bench = try await AdapterBench(harness, locks: 0)
            try await bench.pass(longAfter)
            try await bench.requireOrders([], at: 0, "after a start with an order before it")
        },
        AdapterPromise("Nothing is sent after the stop") { harness in
            let bench = try await AdapterBench(harness)
            await harness.adapter.stop()
            let failure = bench.failure(of: bench.opening, to: 0)
            try require(failure != nil, "an order is taken after the stop")
            try require(bench.refreshFailure(0) != nil, "a question is taken after the stop")
            try await bench.pass(longAfter)
            try require(await harness.orders(at: AdapterBench.id(0)) ?? [], is: [], "the orders after the stop")
        },
        AdapterPromise("Nothing is reported after the stop, not even of a movement under way") { harness in
            let bench = try await AdapterBench(harness)
            try await bench.set(.late, of: 0)
            try bench.send(bench.opening, to: 0)
            await harness.adapter.stop()
            bench.heard.forget()
            try await bench.pass(longAfter)
            _ = try? await bench.happen(.turnedByHand, at: 0)
            try await bench.pass(harness.promptTime)
            try bench.requireSilence(of: 0, "after the stop")
        },
        AdapterPromise("Stopping twice does no harm, nor does stopping what was never started") { harness in
            await harness.adapter.stop()
            let bench = try await AdapterBench(harness)
            try await bench.carryOut(bench.opening, by: 0)
            await harness.adapter.stop()
            await harness.adapter.stop()
            try require(harness.adapter.health, is: .down, "the health after two stops")
        },
        AdapterPromise("Attaching and detaching after the stop say nothing") { harness in
            let bench = try await AdapterBench(harness)
            await harness.adapter.stop()
            bench.attach(1)
            bench.detach(0)
            try await bench.pass(longAfter)
            try require(bench.heard.reports, is: [], "what is heard after the stop")
        },
    ]
}

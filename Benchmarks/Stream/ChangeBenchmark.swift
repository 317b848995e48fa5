import BenchmarkGateway
import BenchmarkSupport
import DoorwardDomain
import Foundation
import NIOCore
import NIOHTTP1

/// Measures the time from the request of a change until it is received on 1, 100 and 1,000 streams that all show the front door. The
/// changes follow each other, each when all streams have received the one before.
struct ChangeBenchmark {
    private static let name = "stream: change"
    private static let names = ["doors:device:", "me:permissions:"]

    let house: House
    let tokens: House.Tokens

    func run() async throws {
        let gateway = try house.start()
        defer { gateway.stop() }
        let clients = ClientProcess(port: gateway.port)
        let requests = try await clients.connect()
        for (streams, changes) in [(1, 300), (100, 200), (1_000, 100)] {
            let channels = try await clients.open(streams, tokens.residents, Self.names)
            for isRename in [false, true] {
                let what = isRename ? "renamed lock" : "unlocked or locked lock"
                var effects: [ClientProcess.Effect] = []
                let used = gateway.processorSeconds
                for number in 0..<changes {
                    let (call, mark) = isRename ? rename(number) : operation(number)
                    effects.append(try await clients.change(call, mark, over: requests, reaching: streams))
                }
                let busy = (gateway.processorSeconds - used) * 1e6 / Double(streams * changes)
                report("\(what), \(streams) streams", effects.dropFirst(5), busy)
            }
            let ended = try await clients.state.ended
            if ended > 0 { Figure(Self.name, "\(streams) streams: disconnected by the gateway", Double(ended), "").report() }
            await clients.close(channels)
        }
        try await clients.stop()
    }

    private func rename(_ number: Int) -> (Call, String) {
        let text = "Front door \(number)"
        let path = "/api/v1/devices/\(house.frontDoor.id)"
        return (Call(method: .PUT, path: path, token: tokens.owner, body: #"{"name":"\#(text)"}"#), "\"\(text)\"")
    }

    private func operation(_ number: Int) -> (Call, String) {
        let (word, state) = number.isMultiple(of: 2) ? ("unlock", "UNLOCKED") : ("lock", "LOCKED")
        let path = "/api/v1/devices/\(house.frontDoor.id)/\(word)"
        return (Call(method: .POST, path: path, token: tokens.owner), "\"state\":\"\(state)\"")
    }

    private func report(_ what: String, _ effects: ArraySlice<ClientProcess.Effect>, _ microseconds: Double) {
        let all = effects.flatMap(\.received)
        let last = effects.compactMap(\.received.last)
        let answers = effects.map(\.answered)
        let late = effects.flatMap { effect in effect.received.map { Double($0) / Double(effect.answered) } }
        Figure(Self.name, "\(what): response, p50", milliseconds(0.5, of: answers), "ms").report()
        Figure(Self.name, "\(what): response, p99", milliseconds(0.99, of: answers), "ms").report()
        Figure(Self.name, "\(what): received by a stream, p50", milliseconds(0.5, of: all), "ms").report()
        Figure(Self.name, "\(what): received by a stream, p99", milliseconds(0.99, of: all), "ms", goal: 100).report()
        Figure(Self.name, "\(what): received by the last stream, p50", milliseconds(0.5, of: last), "ms").report()
        Figure(Self.name, "\(what): received by the last stream, p99", milliseconds(0.99, of: last), "ms").report()
        Figure(Self.name, "\(what): received relative to the response, median", median(late), "times").report()
        Figure(Self.name, "\(what): processor time of the gateway for a stream and change", microseconds, "µs").report()
    }
}

import DoorwardDomain
import DoorwardKernel
import DoorwardTesting
import Testing

@testable import DoorwardStreams

/// The state of a stream against a naive model: after every step the copy of the client equals what the names select.
@Suite struct StreamMirrorTests {
    private static let steps = 300 * TestRounds.factor

    /// Objects with values; each query selects a set of them, of which the caller sees all or none.
    private struct World: StreamSource {
        var values: [UInt64: Int] = [:]
        var selected: [UInt64: Set<UInt64>] = [:]
        var isVisible = true

        func members(of query: StreamQuery) -> [StreamObject] {
            values.keys.sorted().map(World.object).filter { contains($0, in: query) }
        }

        func contains(_ object: StreamObject, in query: StreamQuery) -> Bool {
            let number = object.id(of: DoorwardDomain.Unit.self).low
            guard isVisible, values[number] != nil, case .units(let parent, nil) = query else { return false }
            return parent.map { selected[$0.low, default: []].contains(number) } ?? true
        }

        static func object(_ number: UInt64) -> StreamObject { StreamObject(.unit, UnitID(high: 1, low: number)) }

        static func name(_ number: UInt64) -> StreamName {
            StreamName(name: "n\(number)", query: .units(PropertyID(high: 1, low: number), nil), text: "q\(number)")
        }

        func rendered(_ object: StreamObject) -> [UInt8] {
            Array("\(object.idText) \(values[object.id(of: DoorwardDomain.Unit.self).low] ?? -1)".utf8)
        }
    }

    /// What a client keeps, by name and id.
    private struct Copy {
        var objects: [String: [String: Int]] = [:]
        var ready: Set<String> = []

        mutating func apply(_ content: StreamEvent.Content) {
            switch content {
            case .snapshot(let name, _, let values, _): for value in values { put(value, [name]) }
            case .change(let names, _, let value): put(value, names)
            case .ready(let name): ready.insert(name)
            case .removed(let names, _, let id): for name in names { objects[name]?[id] = nil }
            case .revoked(let name), .reset(let name): drop(name)
            case .stream, .refused, .position, .closing: break
            }
        }

        mutating func drop(_ name: String) {
            objects[name] = nil
            ready.remove(name)
        }

        private mutating func put(_ value: [UInt8], _ names: [String]) {
            let parts = String(decoding: value, as: UTF8.self).split(separator: " ")
            for name in names { objects[name, default: [:]][String(parts[0])] = Int(parts[1]) }
        }
    }

    @Test("a client that loses events, names, rights and time has what its names select", arguments: 0..<20 as Range<UInt64>)
    func model(seed: UInt64) throws {
        var generator = SeededGenerator(seed: seed)
        var (world, mirror, copy) = (World(), StreamMirror(), Copy())
        var history: [(number: UInt64, copy: Copy)] = []
        let names = (0..<3 as Range<UInt64>).map(World.name)
        for name in names { _ = mirror.put(name) }
        // What was listed, until a step takes it; other changes come between.
        var listed: [(name: StreamName, members: [StreamObject])] = []
        var now = MonotonicInstant(nanoseconds: 0)
        for step in 0..<Self.steps {
            let number = UInt64.random(in: 0..<30, using: &generator)
            switch Int.random(in: 0..<10, using: &generator) {
            case 0, 1:
                world.values[number] = step
                _ = mirror.markChanged(World.object(number), world)
            case 2:
                world.values[number] = nil
                _ = mirror.markChanged(World.object(number), world)
            case 3, 4:
                world.selected[UInt64.random(in: 0..<3, using: &generator), default: []].formSymmetricDifference([number])
                _ = mirror.markChanged(World.object(number), world)
            case 5:
                world.isVisible.toggle()
                mirror.markStale(rightsChanged: true)
            case 6: now = now.advanced(by: .seconds(Int.random(in: 0..<300, using: &generator)))
            case 7:
                guard let earlier = history.randomElement(using: &generator) else { continue }
                copy = earlier.copy
                if !mirror.rewind(to: earlier.number, at: now) {
                    mirror = StreamMirror()
                    for name in names { _ = mirror.put(name, needsReset: true) }
                }
                (history, listed) = ([], [])
            case 8:
                listed = mirror.beginListing().map { ($0, world.members(of: $0.query)) }
            default:
                guard let name = names.randomElement(using: &generator) else { continue }
                if mirror.remove(name.name) { copy.drop(name.name) } else { _ = mirror.put(name) }
                history = []
            }
            // Several steps can happen before the client takes something.
            guard Bool.random(using: &generator) else { continue }
            mirror.endListing(listed)
            listed = []
            while mirror.hasWork {
                var output = StreamMirror.Output()
                mirror.step(world, at: now, into: &output)
                for event in output.events {
                    copy.apply(event.content)
                    history.append((event.number, copy))
                }
            }
            history.removeFirst(max(0, history.count - 30))
            for name in names where mirror.name(name.name) != nil {
                let expected = world.members(of: name.query).map { object in
                    (object.idText, world.values[object.id(of: DoorwardDomain.Unit.self).low] ?? -1)
                }
                let found = copy.objects[name.name] ?? [:]
                try #require(found == Dictionary(uniqueKeysWithValues: expected), "seed \(seed), step \(step), \(name.name)")
                #expect(copy.ready.contains(name.name) || found.isEmpty)
            }
        }
    }

    @Test("an object that changes a thousand times while the client takes nothing is sent once")
    func latest() {
        var (world, mirror) = (World(), StreamMirror())
        (world.values, world.selected) = ([1: 0], [0: [1], 1: [1]])
        _ = mirror.put(World.name(0)) && mirror.put(World.name(1))
        var output = StreamMirror.Output()
        mirror.step(world, at: MonotonicInstant(nanoseconds: 0), into: &output)
        for value in 1...1000 {
            world.values[1] = value
            let isWork = mirror.markChanged(World.object(1), world)
            #expect(isWork)
        }
        // An object that the client neither has nor sees is nothing to do, and leaves no trace in the numbers of events.
        let isWork = mirror.markChanged(World.object(2), world)
        #expect(!isWork)
        output = StreamMirror.Output()
        mirror.step(world, at: MonotonicInstant(nanoseconds: 0), into: &output)
        #expect(output.events.count == 1)
        guard case .change(let names, .unit, let value)? = output.events.first?.content else {
            Issue.record("not a change")
            return
        }
        #expect(names == ["n0", "n1"] && value == world.rendered(World.object(1)))
        #expect(!mirror.hasWork && mirror.objectCount == 1)
    }
}

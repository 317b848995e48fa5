internal import DoorwardControl
internal import DoorwardDomain

extension StoreConformance {
    static let commandPromises: [StorePromise] = [
        StorePromise("A command is read back as it stands: begun, updated, ended") { store in
            var script = StoreScript(seed: 21)
            _ = try await store.commit(script.tenancy)
            var command = script.command(on: script.door, reason: "parcel")
            _ = try await store.commit(script.begin(command))
            try require(try await store.command(command.id), is: command, "the command after its intent")
            (command.state, command.rule, command.dispatchedAt) = (.dispatched, .guestAccess(script.world.id()), script.now)
            _ = try await store.commit(StoreTransaction(commands: [.update(command)]))
            try require(try await store.command(command.id), is: command, "the command after the update")
            let ended = script.confirmed(command)
            _ = try await store.commit(script.end(ended))
            try require(try await store.command(command.id), is: ended, "the command after its end")
            try require(try await store.command(script.world.id()), is: nil, "a command that never was")
        },
        StorePromise("A command has one intent and one outcome") { store in
            var script = StoreScript(seed: 22)
            _ = try await store.commit(script.tenancy)
            let command = script.command(on: script.door)
            let ended = script.confirmed(command)
            try await requireRefusal(.commandUnknown, of: script.end(ended), by: store)
            _ = try await store.commit(script.begin(command))
            try await requireRefusal(.commandExists, of: script.begin(command), by: store)
            _ = try await store.commit(script.end(ended))
            var other = ended
            other.state = .failed
            try await requireRefusal(.commandEnded, of: script.end(other), by: store)
            try require(try await store.command(command.id), is: ended, "the command")
        },
        StorePromise("No command begins without the record of its intent") { store in
            var script = StoreScript(seed: 23)
            _ = try await store.commit(script.tenancy)
            let command = script.command(on: script.door)
            var transaction = script.begin(command)
            transaction.records = []
            try await requireRefusal(.intentMissing, of: transaction, by: store)
            transaction.records = [PendingRecord(script.intent(of: script.command(on: script.door)))]
            try await requireRefusal(.intentMissing, of: transaction, by: store)
            try require(try await store.command(command.id), is: nil, "the command")
        },
        StorePromise("Open commands come oldest first, with the log and the place of their intent") { store in
            var script = StoreScript(seed: 24)
            _ = try await store.commit(script.tenancy)
            var open: [Command] = []
            for device in [script.door, script.otherDoor, script.gate] {
                script.now = script.now.advanced(by: .milliseconds(1))
                let command = script.command(on: device)
                _ = try await store.commit(script.begin(command))
                open.append(command)
            }
            _ = try await store.commit(script.end(script.confirmed(open.removeLast())))
            let found = try await store.openCommands()
            try require(found.map(\.command), is: open, "the open commands")
            try require(found.map(\.log), is: open.map { script.log(of: $0.deviceID) }, "their logs")
            try require(found.map(\.device), is: open.map { script.stamp($0.deviceID) }, "their places")
        },
        StorePromise("Commands of devices come newest first, by pages, with their number") { store in
            var script = StoreScript(seed: 25)
            _ = try await store.commit(script.tenancy)
            var newest: [Command] = []
            for index in 0..<20 {
                script.now = script.now.advanced(by: .milliseconds(1))
                let command = script.command(on: [script.door, script.gate, script.otherDoor][index % 3])
                _ = try await store.commit(script.begin(command))
                if index % 3 != 2 { newest.insert(command, at: 0) }
            }
            for offset in [0, 5, 13, 14, 99] {
                let page = try await store.commands(of: [script.door, script.gate], offset: offset, limit: 5)
                try require(page.commands, is: Array(newest.dropFirst(offset).prefix(5)), "the page from \(offset)")
                try require(page.total, is: newest.count, "the number")
            }
            try require(try await store.commands(of: [], offset: 0, limit: 5).total, is: 0, "the number for no device")
        },
    ]
}

import Testing

extension EndToEnd {
    @Suite("doorward attach, detach and simulate") struct AttachTests {
        @Test("a lock is attached by names, with numbers, lists and texts in its address")
        func attach() async throws {
            let (_, house, shell) = try await ownersShell()
            let result = try await shell.run(
                "attach", "Back door", "--adapter", "simulator", "--property", "Quay 1", "--unit", "1a", "--address",
                "latencyMs=5",
                "batteryLevel=77", "keypadSlots=12", "seed:=7", "--address", #"capabilities=["LOCK","UNLOCK","BATTERY"]"#,
                "initialState=UNLOCKED")
            #expect(result.code == 0, "\(result.errors)")
            let id = try #require(result.rows.first?.last)
            #expect(result.rows == [["Back door", id]])
            let device = try await house.owner.get("/devices/\(id)").data["device"]
            #expect(device["unitId"] == .string(house.unitID))
            #expect(
                device["address"]
                    == .object([
                        "latencyMs": .number(5), "batteryLevel": .number(77), "keypadSlots": .string("12"), "seed": .number(7),
                        "initialState": .string("UNLOCKED"),
                        "capabilities": .array([.string("LOCK"), .string("UNLOCK"), .string("BATTERY")]),
                    ]))
            let json = try await shell.run(
                "attach", "Gate", "--adapter", "simulator", "--property", house.propertyID, "--json"
            ).json
            #expect(json["device"]["name"] == .string("Gate"))
            #expect(json["device"]["unitId"] == .null)
        }

        @Test("notes of a lock are written, shown, recorded and removed")
        func notes() async throws {
            let (_, house, shell) = try await ownersShell()
            let id = try await house.lock("Front door")
            let noted = try await shell.run("notes", "Front door", "Key box left of the gate 🔑")
            #expect(noted.code == 0 && noted.output == "Front door\tKey box left of the gate 🔑\n", "\(noted.errors)")
            #expect(try await shell.run("notes", "Front door").output == "Key box left of the gate 🔑\n")
            #expect(try await shell.run("status", "Front door").rows.contains(["notes", "Key box left of the gate 🔑"]))
            #expect(try await house.owner.get("/devices/\(id)").data["device"]["notes"] == .string("Key box left of the gate 🔑"))
            let long = try await shell.run("notes", "Front door", String(repeating: "🔑", count: 257))
            #expect(long.code == 1 && long.errors.contains("the text is too long"), "\(long.errors)")
            #expect(try await shell.run("notes", "Front door", "x", "--clear").code == 2)
            #expect(try await shell.run("notes", "Front door", "--clear").output == "Front door\t-\n")
            #expect(try await shell.run("notes", "Front door").output.isEmpty)
            let changes = try await shell.run("log", "Front door").rows.filter { $0[2].hasPrefix("update") }.map { $0[4] }
            #expect(changes.suffix(2) == ["has notes no → yes", "has notes yes → no"], "\(changes)")
        }

        @Test("a lock is detached by its name: it disappears from the list, and its history stays")
        func detach() async throws {
            let (_, house, shell) = try await ownersShell()
            let id = try await house.lock("Front door")
            #expect(try await shell.run("unlock", "Front door").code == 0)
            let refused = try await shell.run("detach", "Front door")
            #expect(refused.code == 2)
            #expect(
                refused.errors
                    == "doorward: There is no terminal to ask on; nothing was detached. Add --yes to detach without a question.\n"
            )
            #expect(try await shell.run("status", "Front door").code == 0)
            let result = try await shell.run("detach", "Front door", "--yes")
            #expect(result.code == 0, "\(result.errors)")
            #expect(result.output == "Front door\tdetached\n")
            #expect(try await shell.run("log", id).rows.contains { $0[2] == "unlock" })
            #expect(try await house.owner.get("/devices/\(id)").status == 403)
            #expect(try await house.owner.get("/access-records?deviceId=\(id)").data["accessRecords"].items.count >= 3)
            let again = try await shell.run("detach", "Front door", "--yes")
            #expect(again.code == 1 && again.output.isEmpty)
            #expect(again.errors.contains("Front door"), "\(again.errors)")
        }

        @Test("an error in the address is shown under its option, with the most similar key")
        func badAddress() async throws {
            let (_, _, shell) = try await ownersShell()
            let result = try await shell.run(
                "attach", "Back door", "--adapter", "simulator", "--property", "Quay 1", "--profile", "nuki", "--address",
                "latencyMs=soon", "--address", "batteryLevl=80")
            #expect(result.code == 1)
            #expect(result.errors.contains("  --address latencyMs has a value of the wrong type\n"), "\(result.errors)")
            #expect(result.errors.contains("  --profile is not known here\n"))
            #expect(result.errors.contains("  --address batteryLevl is not known here. Did you mean `batteryLevel`?\n"))
            for (name, next) in [("simulater", "Did you mean `simulator`?"), ("zwave", "The adapters are simulator, mqtt.")] {
                let adapter = try await shell.run("attach", "Back door", "--adapter", name, "--property", "Quay 1")
                #expect(adapter.code == 2)
                #expect(adapter.errors.hasPrefix("Error: There is no adapter named `\(name)`. \(next)\n"), "\(adapter.errors)")
            }
        }

        @Test(
            "wrong usage exits 2",
            arguments: [
                ["attach", "--adapter", "simulator", "--property", "p"], ["attach", "n", "--property", "p"],
                ["attach", "n", "--adapter", "simulator"],
                ["attach", "n", "--adapter", "mqtt", "--discovered", "id", "--property", "p"],
                ["attach", "n", "--adapter", "simulator", "--property", "p", "--address", "novalue"],
                ["attach", "n", "--adapter", "simulator", "--property", "p", "--address", "a=1", "a=2"],
                ["attach", "n", "--adapter", "simulator", "--property", "p", "--address", "capabilities:=[LOCK]"],
                ["attach", "n", "--adapter", "mqtt", "--property", "p", "--profile", "x", "--address", "profile=y"],
                ["detach"], ["simulate", "n"], ["simulate", "n", "explode"],
            ])
        func usage(_ arguments: [String]) async throws {
            let result = try await Program.run(Program.doorward, arguments, in: TemporaryFolder())
            #expect(result.code == 2)
            #expect(result.errors.contains("Usage: doorward"))
        }

        @Test("events are simulated, and an unknown event is rejected with the most similar one")
        func simulate() async throws {
            let (_, house, shell) = try await ownersShell()
            _ = try await house.lock("Front door")
            let opened = try await shell.run("simulate", "Front door", "door-open")
            #expect(opened.output == "Front door\tlocked\n", "\(opened.errors)")
            #expect(try await shell.run("status", "Front door").rows.contains(["door", "open"]))
            let json = try await shell.run("simulate", "Front door", "low_battery", "--json").json
            #expect(json["device"]["batteryLow"] == .bool(true))
            let unknown = try await shell.run("simulate", "Front door", "low-batery")
            #expect(unknown.code == 2)
            #expect(
                unknown.errors.contains("`low-batery` is not an event. Did you mean `low_battery`? There are: jam, clear, "),
                "\(unknown.errors)")
        }
    }
}

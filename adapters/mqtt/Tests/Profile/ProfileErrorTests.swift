import DoorwardYAML
import Testing

@testable import AdapterMQTT

@Suite struct ProfileErrorTests {
    /// The lines of a valid profile. Each test case replaces one of them.
    private static let validLines = [
        "profile: yale",  // 1
        "vars: { id: { meaning: Which one. }, code_length: { type: integer, default: 4 } }",
        "base: \"yale/{id}\"",
        "state: { topic: \"{base}/state\", map: { L: locked, U: unlocked } }",
        "door: { topic: \"{base}/door\", type: int, map: { \"1\": open } }",  // 5
        "battery: { level: { topic: \"{base}/battery\" } }",
        "availability: [{ topic: \"{base}/up\", online: \"1\", offline: \"0\" }]",
        "events: [{ topic: \"{base}/event\", source: csv, fields: [what, who], rules: [{ when: { what: \"1\" }, operation: lock }] }]",
        "commands: { lock: { topic: \"{base}/set\", payload: L }, unlock: { topic: \"{base}/set\", payload: U } }",
        "ack: { topic: \"{base}/answer\", accepted: [ok], rejected: { no: busy } }",  // 10
        "refresh: { topic: \"{base}/get\", payload: \"?\" }",
        "qos: { subscribe: 1, command: 0 }",
        "quirks: [ignoreOwnEcho]",
        "version: \"1\"",
    ]

    @Test("the profile without a replaced line is valid")
    func valid() throws {
        let profile = try Profile(yaml: Self.validLines.joined(separator: "\n"), file: "yale.yaml")
        #expect(profile.id == "yale" && profile.variables.map(\.name) == ["id", "code_length"])
    }

    @Test("each error is reported with its line and a message that says what to correct", arguments: mistakes)
    func mistake(_ line: Int, _ text: String, _ expected: String) {
        var lines = Self.validLines
        lines[line - 1] = text
        let found = Self.mistakes(in: lines.joined(separator: "\n"))
        #expect(found.contains { $0.message.contains(expected) && $0.line == line }, "\(found)")
    }

    private static func mistakes(in yaml: String) -> [YAMLErrors.Mistake] {
        do {
            _ = try Profile(yaml: yaml, file: "yale.yaml")
            return []
        } catch {
            return error.errors
        }
    }

    private static let mistakes: [(Int, String, String)] = [
        (1, "profile: Yale Lock", "must be a name of lower-case letters, digits and dashes, not `Yale Lock`"),
        (2, "vars: { id: { meening: x } }", "did you mean `meaning`?"),
        (2, "vars: { id: {}, broker: {} }", "`broker` is Doorward's own"),
        (2, "vars: { id: {}, a-b: {} }", "a variable's name is letters, digits and `_`"),
        (2, "vars: { id: { aliases: [name] }, name: {} }", "`name` names two variables"),
        (2, "vars: { id: { type: number } }", "there is no `number`"),
        (2, "vars: { id: { type: integer, default: four } }", "`four` is not an allowed value of this variable"),
        (3, "base: \"yale/{ide}\"", "there is no variable `{ide}`; did you mean `{id}`?"),
        (3, "base: [yale]", "`base` must be the beginning of the topics"),
        (4, "stat: { topic: x, map: { L: locked } }", "`stat` is not a key of a profile; did you mean `state`?"),
        (4, "state: { topik: x, map: { L: locked } }", "`topik` is not a key of `state`; did you mean `topic`?"),
        (4, "state: { map: { L: locked } }", "`state` needs `topic`"),
        (4, "state: { topic: x }", "`state` needs `map`"),
        (4, "state: { topic: x, map: {} }", "is empty; it must map each value to its meaning"),
        (4, "state: { topic: x, map: { L: lockd } }", "there is no `lockd`; did you mean `locked`?"),
        (4, "state: { topic: x, map: { L: { state: locked, faults: [jam] } } }", "there is no `jam`"),
        (
            4, "state: { topic: x, map: { L: { state: locked, flags: [now] } } }",
            "flags` is no longer supported: it had no effect; write only the state"
        ),
        (4, "state: { topic: \"x/+\", map: { L: locked } }", "a topic has no wildcards"),
        (4, "state: { topic: \"x/#\", map: { L: locked } }", "a topic has no wildcards"),
        (4, "state: { topic: \"$SYS/x\", map: { L: locked } }", "the broker's own"),
        (4, "state: { topic: \"\", map: { L: locked } }", "a topic is not empty"),
        (4, "state: { topic: \"x/{id\", map: { L: locked } }", "a brace in a topic must enclose a variable's name"),
        (4, "state: { topic: \"x/{code}\", map: { L: locked } }", "there is no variable `{code}`"),
        (4, "state: { topic: x, type: number, map: { L: locked } }", "there is no `number`"),
        (4, "state: { topic: x, type: int, map: { L: locked } }", "`L` is not an integer"),
        (4, "state: { topic: x, type: int, map: { \"1\": locked, \"01\": unlocked } }", "`1` has two meanings"),
        (4, "state: { topic: x, source: raw, path: a, map: { L: locked } }", "`path` needs a JSON payload"),
        (4, "state: { topic: x, source: yaml, map: { L: locked } }", "there is no `yaml`"),
        (4, "state: { topic: x, caseInsensitive: maybe, map: { L: locked } }", "must be true or false, not `maybe`"),
        (4, "state: { topic: x, unless: idd, map: { L: locked } }", "there is no variable `idd`; did you mean `id`?"),
        (4, "state: { topic: x, assumed: perhaps, map: { L: locked } }", "must be true, false or a variable"),
        (4, "state: [x]", "`state[0]` must be `key: value` lines"),
        (4, "state: { topic: \"{base}/set\", map: { L: locked } }", "is a command's topic too"),
        (4, "state: { topic: x, map: { L: { state: jammed, unlessFaults: [jam] } } }", "there is no `jam`"),
        (4, "state: { topic: x, volatil: [a], map: { L: locked } }", "did you mean `volatile`?"),
        (5, "door: { topic: x, map: { o: ajar } }", "there is no `ajar`"),
        (5, "faults: { topic: x, map: { o: gone } }", "there is no `gone`"),
        (5, "door: { topic: x, map: { o: { door: open, faults: [subscriptionRefused] } } }", "there is no `subscriptionRefused`"),
        (
            5, "door: { topic: x, map: { o: { door: open, unlessFaults: [tamper] } } }",
            "`unlessFaults` is not a key of `door.map.o`"
        ),
        (6, "battery: { level: { topic: x, map: { a: true } } }", "`map` is not a key of `battery.level`"),
        (6, "battery: { low: { topic: x, map: { a: low } } }", "there is no `low`"),
        (6, "battery: { low: { topic: x, map: { a: { low: true } } } }", "must be one of true, false"),
        (7, "availability: { mode: some, items: [] }", "there is no `some`"),
        (7, "availability: [{ topic: x, online: up }]", "needs `offline`"),
        (8, "events: [{ topic: x, source: xml, rules: [] }]", "there is no `xml`"),
        (8, "events: [{ topic: x, source: csv, rules: [] }]", "needs `fields`"),
        (8, "events: [{ topic: x, source: json, rules: [] }]", "needs `path`"),
        (
            8, "events: [{ topic: x, source: csv, fields: [a], rules: [{ when: { b: \"1\" }, operation: lock }] }]",
            "no column `b`"
        ),
        (8, "events: [{ topic: x, source: jsonOrRaw, path: a, rules: [{ when: { a: b } }] }]", "is empty; give it `event`"),
        (8, "events: [{ topic: x, source: jsonOrRaw, path: a, rules: [{ operation: toggle }] }]", "there is no `toggle`"),
        (
            8, "events: [{ topic: x, source: jsonOrRaw, path: a, rules: [{ operation: lock, userSlot: \"*\" }] }]",
            "may only be `*`"
        ),
        (
            8, "events: [{ topic: x, source: word, rules: [{ operation: lock }] }]",
            "`events[0].source: word` is no longer supported: write `source: jsonOrRaw`"
        ),
        (8, "events: [{ topic: x, source: jsonOrRaw, rules: [{ operation: lock }] }]", "needs `path`"),
        (
            8, "events: [{ topic: x, source: json, path: a, fields: [b], rules: [{ operation: lock }] }]",
            "must be `key: value` lines"
        ),
        (
            8, "events: [{ topic: x, source: csv, fields: [a], changed: true, rules: [{ operation: lock }] }]",
            "is allowed only with `json` and `jsonOrRaw`"
        ),
        (8, "events: [{ topic: x, source: csv, fields: [a], userSlot: b, rules: [{ operation: lock }] }]", "no column `b`"),
        (8, "events: [{ topic: x, source: csv, fields: [a], authId: b, rules: [{ operation: lock }] }]", "no column `b`"),
        (4, "state: { topic: x, map: { \"!L\": locked } }", "`!` is allowed only in `when`"),
        (10, "ack: { topic: x, accepted: [\"!no\"] }", "`!` is allowed only in `when`"),
        (
            10, "ack: { topic: x, accepted: [a], correlation: requestId:b }",
            "`echoJson:PATH`, which says what `requestId:PATH` said"
        ),
        (12, "qos: { subscribe: 2 }", "0 or 1 (the broker then sends messages of QoS 2 with QoS 1)"),
        (9, "commands: { lock: { topic: s, payload: L, retain: true } }", "`commands.lock.retain` is not allowed"),
        (9, "commands: { toggle: { topic: s, payload: T } }", "`commands.toggle` is not allowed"),
        (9, "commands: { lock: { topic: s, payload: TOGGLE } }", "a toggle is never sent"),
        (9, "commands: { lock: { topic: s } }", "`commands.lock` needs `payload`"),
        (9, "commands: { lock: { topic: s, payload: '{\"a\":1}' } }", "looks like JSON; write `source: json`"),
        (9, "commands: { lock: { topic: s, source: json, payload: '{\"a\":}' } }", "is no JSON"),
        (
            9, "commands: { lock: { topic: s, source: json, payload: '{\"a\":{id}}' } }",
            "`{id}` is not a number, so it needs quotation marks"
        ),
        (9, "commands: { lock: { topic: s, payload: \"{code}\" } }", "there is no variable `{code}`"),
        (9, "commands: { lock: { topic: s, payload: L, payloadWithCode: L } }", "needs the code: `{code}`"),
        (
            9, "commands: { lock: { topic: s, payload: X }, unlock: { topic: s, payload: X } }",
            "sends the same as another command"
        ),
        (9, "commands: { idle: [x] }", "`commands` needs `lock`, `unlock` or `open`"),
        (10, "ack: { topic: x, rejected: { no: tired } }", "there is no `tired`"),
        (10, "ack: { topic: x }", "needs `accepted` or `rejected`"),
        (10, "ack: { topic: x, accepted: [a], correlation: maybe }", "`echoJson:PATH`"),
        (10, "ack: { topic: x, accepted: [a], timeoutSeconds: 0 }", "a number of seconds, 1–600"),
        (11, "refresh: { topic: \"{base}/set\", payload: L }", "a state request must not move the lock"),
        (12, "qos: { command: 2 }", "0 or 1; 2 can send a command twice"),
        (13, "quirks: [silent]", "there is no `silent`"),
        (
            14, "capabilities: [reportsDoor]",
            "`capabilities` is no longer supported: what such locks can do follows from the rest"
        ),
        (14, "credentials: { set: x }", "Doorward manages no codes in locks"),
        (14, "capabilities:", "`capabilities` is no longer supported"),
        (4, "state: { topic: x, map: { L: { state: locked, flags: } } }", "flags` is no longer supported"),
        (14, "retain:", "`retain` is not a key of a profile"),
        (14, "hook: nuki", "there is no `nuki`"),
    ]

    @Test("all errors are reported together, in the order of their lines")
    func all() {
        let yaml = """
            profile: Bad
            state: { topik: x, map: { L: lockd } }
            commands:
              lock: { topic: "a/+", payload: L, retain: true }
              toggle: {}
            """
        let error = #expect(throws: YAMLErrors.self) { try Profile(yaml: yaml, file: "x.yaml") }
        #expect(error?.errors.map(\.line) == [1, 2, 2, 2, 4, 4, 5])
        #expect(error?.description.hasPrefix("x.yaml:1: `profile` must be") == true)
    }

    @Test(
        "rejects invalid YAML, incomplete profiles and files that would exhaust resources, each with a message",
        arguments: [
            ("", "the file is empty"),
            ("profile: a\ncommands: { lock: { topic: s, payload: L } }", "needs `state`"),
            ("profile: a\nvars: { base: x }\nbase: y", "`base` is a variable too"),
            ("- a", "a profile must be `key: value` lines"),
            ("a: [", "not YAML"),
            ("a: 1\na: 2", "more than once"),
            ("a: &x [1]\nb: 2", "anchors and aliases are not allowed"),
            ("a: *x", "not YAML"),
            (String(repeating: "[", count: 5000), "nests too deeply"),
            (String(repeating: "- ", count: 30_000), "nests too deeply"),
            (String(repeating: "]", count: 100) + String(repeating: "\n{", count: 9000), "nests too deeply"),
            (String(repeating: "#", count: 70_000), "longer than 65536 bytes"),
            ("a: &a [x,x]\nb: &b [*a,*a]\nc: &c [*b,*b]", "anchors and aliases are not allowed"),
        ])
    func noProfile(_ yaml: String, _ expected: String) {
        let found = Self.mistakes(in: yaml)
        #expect(found.contains { $0.message.contains(expected) }, "\(found.map(\.message))")
    }

    @Test(
        "a duplicate key is reported with the line of its second occurrence",
        arguments: [
            ("profile: a\nstate: { topic: x }\nprofile: b", 3), ("a:\n  b: 1\n  c: { b: 2 }\n  b : 3\nb: 4", 4),
            ("a:\n  'b': 1\n\n  # b: 2\n  \"b\": 3", 5), ("- b: 1\n  b: 2", 2), ("a: { b: 1, b: 2 }", 1),
            ("a: 1\na: 2\nb: 3\nb: 4", 2),
        ])
    func twice(_ yaml: String, _ line: Int) {
        let found = Self.mistakes(in: yaml)
        #expect(found.map(\.line) == [line], "\(found.map(\.message))")
    }
}

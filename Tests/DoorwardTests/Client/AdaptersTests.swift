import FoundationEssentials
import Testing

@testable import DoorwardClient
@testable import doorward

@Suite("The table of the gateway's adapters") struct AdaptersTests {
    private let pipe = OutputStyle(isTerminal: false, environment: [:])

    private var adapters: [Doorward.Adapter] {
        get throws {
            let text = """
                [{"kind":"mqtt","health":"degraded","problem":null,"deviceCount":3,"onlineCount":1,"transports":[
                   {"name":"home","health":"down","problem":"connection refused","portfolioId":null},
                   {"name":"\u{1B}spare","health":"ok","problem":null,"portfolioId":"p"}],"address":[
                   {"field":"broker","type":"string","required":true,"minimum":null,"maximum":null,"values":null,"default":null,
                    "meaning":"The broker."}]},
                 {"kind":"simulator","health":"ok","problem":null,"deviceCount":0,"onlineCount":0,"transports":[],"address":[
                   {"field":"latencyMs","type":"integer","required":false,"minimum":0,"maximum":60000,"values":null,"default":400,
                    "meaning":"How long."},
                   {"field":"a","type":"number","required":false,"minimum":0.5,"maximum":null,"values":null,"default":0.5,
                    "meaning":"A."},
                   {"field":"b","type":"number","required":false,"minimum":null,"maximum":1,"values":null,"default":null,
                    "meaning":"B."},
                   {"field":"initialState","type":"string","required":false,"minimum":null,"maximum":null,
                    "values":["LOCKED","UNLOCKED"],"default":"LOCKED","meaning":"At first."},
                   {"field":"capabilities","type":"array","required":false,"minimum":null,"maximum":null,"values":null,
                    "default":["LOCK","UNLOCK"],"meaning":"What it can do."}]}]
                """.replacing("\u{1B}", with: "\\u001b")
            return try JSONDecoder().decode([Doorward.Adapter].self, from: Data(text.utf8))
        }
    }

    @Test("each adapter is a row, followed by a row for each of its brokers")
    func rows() throws {
        #expect(
            try Adapters.lines(adapters, pipe) == [
                "mqtt\t-\tdegraded\t3\t1\t-", "mqtt\thome\tdown\t-\t-\tconnection refused", "mqtt\t\u{241B}spare\tok\t-\t-\t-",
                "simulator\t-\tok\t0\t0\t-",
            ])
    }

    @Test("on a terminal the table has column headings and a hint how to list the address keys")
    func person() throws {
        let lines = try Adapters.lines(adapters, OutputStyle(isTerminal: true, environment: ["NO_COLOR": "1"]))
        #expect(lines.first == "ADAPTER    BROKER  HEALTH    LOCKS  ONLINE  PROBLEM")
        #expect(lines.last == "To see the address keys of an adapter: doorward adapters ADAPTER")
    }

    @Test("the keys of an address are listed with their types, limits and defaults")
    func keys() throws {
        #expect(try Adapters.keyLines(adapters[0], pipe) == ["broker\tstring\tyes\t-\tThe broker."])
        #expect(
            try Adapters.keyLines(adapters[1], pipe) == [
                "latencyMs\tinteger 0…60000\tno\t400\tHow long.", "a\tnumber from 0.5\tno\t0.5\tA.", "b\tnumber to 1\tno\t-\tB.",
                "initialState\tLOCKED|UNLOCKED\tno\tLOCKED\tAt first.",
                "capabilities\tarray\tno\t[LOCK, UNLOCK]\tWhat it can do.",
            ])
    }

    @Test("On a terminal each key is followed by its type, its default and its description in lines that fit")
    func keysOnATerminal() throws {
        let terminal = OutputStyle(isTerminal: true, environment: ["NO_COLOR": "1"], columns: 32)
        #expect(try Adapters.keyLines(adapters[0], terminal) == ["broker", "  string; required", "  The broker."])
        #expect(
            try Adapters.keyLines(adapters[1], terminal) == [
                "latencyMs", "  integer 0…60000; default 400", "  How long.", "a", "  number from 0.5; default 0.5", "  A.",
                "b", "  number to 1", "  B.", "initialState", "  one of LOCKED, UNLOCKED;", "  default LOCKED", "  At first.",
                "capabilities", "  array; default [LOCK, UNLOCK]", "  What it can do.",
            ])
    }
}

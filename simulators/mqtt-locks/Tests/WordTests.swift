import Testing

@testable import doorward_mqtt_locks

@Suite struct WordTests {
    @Test("JSON goes out in the order in which it is written, with every character that needs it escaped")
    func out() {
        let json: JSON = ["b": 1, "a": [true, nil, "q\"\\\n\u{1}ü"], "c": .number(1.5), "d": .raw("{ }")]
        #expect(json.description == #"{"b":1,"a":[true,null,"q\"\\\n\u0001ü"],"c":1.5,"d":{ }}"#)
    }

    @Test(
        "JSON comes in as what it is",
        arguments: [
            ("true", JSON.flag(true)), ("1", .number(1)), ("255", .number(255)), (#""x""#, .text("x")), ("null", .null),
            ("[]", .list([])),
            (#"{"b":0,"a":{"c":[1]}}"#, ["a": ["c": [1]], "b": 0]),
        ] as [(String, JSON)])
    func into(text: String, json: JSON) { #expect(JSON(Array(text.utf8)) == json) }

    @Test("what is no JSON is none", arguments: ["", "{", "unlock", "NaN", #"{"a":}"#, "\u{FEFF}x"])
    func noJSON(text: String) { #expect(JSON(Array(text.utf8)) == nil) }

    @Test("rubbish is no word, no number and no JSON that any lock says")
    func garbage() {
        var random = SeededRandom(seed: 1)
        let all = Set((0..<200).map { _ in Garbage.payload(&random) })
        #expect(all.count >= 6)
        #expect(all.contains { String(validating: $0, as: UTF8.self) == nil })
        #expect(all.contains { $0.count > 50_000 })
    }

    @Test("an agenda gives out what is due, in the order of its time and then of its noting")
    func agenda() {
        var random = SeededRandom(seed: 5)
        var agenda = EventQueue<Int>()
        let times = (0..<500).map { _ in Int.random(in: 0..<50, using: &random) }
        for (number, time) in times.enumerated() { agenda.note(number, at: .seconds(time)) }
        var taken: [Int] = []
        while let (due, number) = agenda.take(by: .seconds(25)) {
            #expect(due == .seconds(times[number]))
            taken.append(number)
        }
        #expect(taken == times.indices.filter { times[$0] <= 25 }.sorted { (times[$0], $0) < (times[$1], $1) })
        #expect(agenda.next.map { $0 > .seconds(25) } == true)
    }

    @Test("a line of the frame log tells when, which way, and what, byte for byte")
    func frameLine() {
        let moment = FrameLog.Moment(wall: 1_755_955_213_235, monotonic: 9_007_199_254_740_993)
        let head = #"{"wallMs":1755955213235,"monotonicNs":9007199254740993,"direction":"in","client":"c","topic":"t","#
        #expect(
            FrameLog.line(Frame("t", "a\"b", qos: 1), .heard, client: "c", at: moment)
                == head + #""payload":"a\"b","qos":1,"retain":false}"#)
        #expect(
            FrameLog.line(Frame("t", [0xFF, 0x00], isRetained: true), .heard, client: "c", at: moment)
                == head + #""payloadBase64":"/wA=","qos":0,"retain":true}"#)
    }

    @Test("what waits for a connection goes in its order, and stays when the connection is busy, and goes when it is gone")
    func outbox() {
        var outbox = Outbox()
        for number in 0..<5 { outbox.add(Frame("\(number)", "")) }
        var taken: [String] = []
        outbox.empty { frame in
            guard taken.count < 2 else { return .busy }
            taken.append(frame.topic)
            return .done
        }
        #expect(taken == ["0", "1"] && !outbox.isEmpty)
        outbox.add(Frame("5", ""))
        outbox.empty { frame in
            taken.append(frame.topic)
            return .done
        }
        #expect(taken == ["0", "1", "2", "3", "4", "5"] && outbox.isEmpty)
        outbox.add(Frame("6", ""))
        outbox.empty { _ in .gone }
        #expect(outbox.isEmpty)
    }
}

import DoorwardMQTT
import Testing

@testable import doorward_mqtt_locks

@Suite struct MessageTests {
    @Test("JSON is written in the given order, with every necessary character escaped")
    func out() {
        let json: JSON = ["b": 1, "a": [true, nil, "q\"\\\n\u{1}ü"], "c": .number(1.5), "d": .raw("{ }")]
        #expect(json.description == #"{"b":1,"a":[true,null,"q\"\\\n\u0001ü"],"c":1.5,"d":{ }}"#)
    }

    @Test(
        "JSON is parsed to its values",
        arguments: [
            ("true", JSON.flag(true)), ("1", .number(1)), ("255", .number(255)), (#""x""#, .text("x")), ("null", .null),
            ("[]", .list([])),
            (#"{"b":0,"a":{"c":[1]}}"#, ["a": ["c": [1]], "b": 0]),
        ] as [(String, JSON)])
    func into(text: String, json: JSON) { #expect(JSON(Array(text.utf8)) == json) }

    @Test("invalid JSON is rejected", arguments: ["", "{", "unlock", "NaN", #"{"a":}"#, "\u{FEFF}x"])
    func noJSON(text: String) { #expect(JSON(Array(text.utf8)) == nil) }

    @Test("garbage payloads include invalid UTF-8 and very long ones")
    func garbage() {
        var random = SeededRandom(seed: 1)
        let all = Set((0..<200).map { _ in Garbage.payload(&random) })
        #expect(all.count >= 6)
        #expect(all.contains { String(validating: $0, as: UTF8.self) == nil })
        #expect(all.contains { $0.count > 50_000 })
    }

    @Test("the event queue returns due events by time, and by order of insertion at the same time")
    func eventQueue() {
        var random = SeededRandom(seed: 5)
        var queue = EventQueue<Int>()
        let times = (0..<500).map { _ in Int.random(in: 0..<50, using: &random) }
        for (number, time) in times.enumerated() { queue.insert(number, at: .seconds(time)) }
        var taken: [Int] = []
        while let (due, number) = queue.popFirst(dueBy: .seconds(25)) {
            #expect(due == .seconds(times[number]))
            taken.append(number)
        }
        #expect(taken == times.indices.filter { times[$0] <= 25 }.sorted { (times[$0], $0) < (times[$1], $1) })
        #expect(queue.nextDue.map { $0 > .seconds(25) } == true)
    }

    @Test("a line of the frame log contains the time, the direction and the exact payload")
    func logLine() {
        let moment = MessageLog.Moment(wall: 1_755_955_213_235, monotonic: 9_007_199_254_740_993)
        let head = #"{"wallMs":1755955213235,"monotonicNs":9007199254740993,"direction":"in","client":"c","topic":"t","#
        #expect(
            MessageLog.line(Message("t", "a\"b", qos: 1), .received, client: "c", at: moment)
                == head + #""payload":"a\"b","qos":1,"retain":false}"#)
        #expect(
            MessageLog.line(Message("t", [0xFF, 0x00], isRetained: true), .received, client: "c", at: moment)
                == head + #""payloadBase64":"/wA=","qos":0,"retain":true}"#)
    }

    @Test("queued frames are sent in order, are kept while the connection is busy, and are dropped when it is closed")
    func outbox() {
        var outbox = Outbox()
        for number in 0..<5 { outbox.append(Message("\(number)", "")) }
        var taken: [String] = []
        outbox.drain { message throws(MQTTSendError) in
            guard taken.count < 2 else { throw .busy }
            taken.append(message.topic)
        }
        #expect(taken == ["0", "1"] && !outbox.isEmpty)
        outbox.append(Message("5", ""))
        outbox.drain { taken.append($0.topic) }
        #expect(taken == ["0", "1", "2", "3", "4", "5"] && outbox.isEmpty)
        outbox.append(Message("6", ""))
        outbox.drain { _ throws(MQTTSendError) in throw .notConnected }
        #expect(outbox.isEmpty)
    }
}

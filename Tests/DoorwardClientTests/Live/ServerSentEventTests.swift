import DoorwardTesting
import Testing

@testable import DoorwardClient

@Suite struct ServerSentEventTests {
    private func parse(_ text: String) -> [ServerSentEvent] {
        var parser = ServerSentEventParser()
        return parser.parse(Array(text.utf8))
    }

    private func message(_ data: String, type: String = "message", id: String = "") -> ServerSentEvent {
        ServerSentEvent(type: type, data: data, lastEventID: id)
    }

    /// The examples of the standard.
    @Test func theExamplesOfTheStandard() {
        #expect(parse("data: YHOO\ndata: +2\ndata: 10\n\n") == [message("YHOO\n+2\n10")])
        #expect(
            parse(": test stream\n\ndata: first event\nid: 1\n\ndata:second event\nid\n\ndata:  third event\n\n") == [
                message("first event", id: "1"), message("second event"), message(" third event"),
            ])
        #expect(parse("data\n\ndata\ndata\n\ndata:") == [message(""), message("\n")])
        #expect(parse("data:test\n\ndata: test\n\n") == [message("test"), message("test")])
        #expect(
            parse("event: add\ndata: 73857293\n\nevent: remove\ndata: 2153\n\n") == [
                message("73857293", type: "add"), message("2153", type: "remove"),
            ])
    }

    @Test(arguments: ["\n", "\r", "\r\n"]) func allLineEndings(_ end: String) {
        let text = ["event: a", "data: 1", "data: 2", "id: 7", "", "data: 3", "", ""].joined(separator: end)
        #expect(parse(text) == [message("1\n2", type: "a", id: "7"), message("3", id: "7")])
    }

    @Test func oneByteOrderMarkIsSkippedAtTheStart() {
        #expect(parse("\u{FEFF}data: 1\n\n") == [message("1")])
        #expect(parse("\u{FEFF}\u{FEFF}data: 1\n\n").isEmpty)
        #expect(parse("data: 1\n\n\u{FEFF}data: 2\n\n") == [message("1")])
    }

    @Test func anIDIsKeptAndMayBeEmptied() {
        #expect(
            parse("id: 1\n\ndata: a\n\nid\ndata: b\n\nid: x\0y\ndata: c\n\n") == [
                message("a", id: "1"), message("b"), message("c"),
            ])
        var parser = ServerSentEventParser(lastEventID: "old")
        #expect(parser.parse("data: a\n\n".utf8) == [message("a", id: "old")])
    }

    @Test func eventsWithoutDataAreNotDispatched() {
        #expect(parse("event: a\n\ndata: b\n\n") == [message("b")])
        #expect(parse("data: incomplete").isEmpty && parse("data: incomplete\n").isEmpty)
    }

    @Test func unknownFieldsAndCommentsAreIgnored() {
        #expect(parse(":comment\nDATA: x\ndata : y\nfoo: bar\ndata: z\n\n") == [message("z")])
    }

    @Test func retryTakesDigitsOnly() {
        var parser = ServerSentEventParser()
        _ = parser.parse("retry: 5x\n\nretry:\n\nretry: -1\n\n".utf8)
        #expect(parser.retry == nil)
        _ = parser.parse("retry: 2500\n".utf8)
        #expect(parser.retry == 2500)
        _ = parser.parse("retry: 99999999999999999999999\n".utf8)
        #expect(parser.retry == 2500)
    }

    @Test func wrongUTF8IsReplaced() {
        var parser = ServerSentEventParser()
        let events = parser.parse(Array("data: ".utf8) + [0xFF, 0x41, 0x0A, 0x0A])
        #expect(events == [message("\u{FFFD}A")])
    }

    @Test func anEventWithoutAnEndIsRefused() {
        var parser = ServerSentEventParser(maxBytes: 1000)
        for _ in 0..<100 { _ = parser.parse("data: 0123456789\n".utf8) }
        #expect(parser.isTooLarge)
        #expect(parser.parse("\n\ndata: x\n\n".utf8).isEmpty)
        var line = ServerSentEventParser(maxBytes: 1000)
        _ = line.parse(repeatElement(UInt8(ascii: "x"), count: 1001))
        #expect(line.isTooLarge)
    }

    /// A second implementation, which has the whole stream at once and splits it as the grammar says.
    private func naive(_ bytes: [UInt8]) -> [ServerSentEvent] {
        var text = String(decoding: bytes, as: UTF8.self).unicodeScalars[...]
        if text.first == "\u{FEFF}" { text.removeFirst() }
        var lines: [String] = [""]
        var previous: Unicode.Scalar?
        for scalar in text {
            if scalar == "\r" || (scalar == "\n" && previous != "\r") {
                lines.append("")
            } else if scalar != "\n" {
                lines[lines.count - 1].unicodeScalars.append(scalar)
            }
            previous = scalar
        }
        var (events, data, type, id): ([ServerSentEvent], [String], String, String) = ([], [], "", "")
        for line in lines.dropLast() {
            let scalars = line.unicodeScalars
            if scalars.isEmpty {
                if !data.isEmpty {
                    events.append(message(data.joined(separator: "\n"), type: type.isEmpty ? "message" : type, id: id))
                }
                (data, type) = ([], "")
                continue
            }
            let name = scalars.prefix { $0 != ":" }
            var value = scalars.dropFirst(name.count + 1)
            if value.first == " " { value = value.dropFirst() }
            switch String(String.UnicodeScalarView(name)) {
            case "data": data.append(String(String.UnicodeScalarView(value)))
            case "event": type = String(String.UnicodeScalarView(value))
            case "id": if !value.contains("\0") { id = String(String.UnicodeScalarView(value)) }
            default: break
            }
        }
        return events
    }

    /// Random streams in random pieces, down to single bytes, against the second implementation.
    @Test(arguments: 0..<UInt64(8)) func piecesDoNotMatter(_ seed: UInt64) {
        var random = SeededGenerator(seed: seed)
        let words = [
            "data", "data: ", "data:x", "event: e", "id: 1", "id", "id: \0", "retry: 5", ":", ": c", "é€😀", " ", "\n", "\n", "\r",
            "\r\n", "\r\n", "\n\n", "\u{FEFF}", "foo: b",
        ]
        for _ in 0..<400 {
            var bytes: [UInt8] = []
            for _ in 0..<Int.random(in: 0..<40, using: &random) {
                bytes += words[Int.random(in: 0..<words.count, using: &random)].utf8
            }
            var parser = ServerSentEventParser()
            var (events, rest): ([ServerSentEvent], ArraySlice<UInt8>) = ([], bytes[...])
            while !rest.isEmpty {
                let count = Int.random(in: 1...min(rest.count, 9), using: &random)
                events += parser.parse(rest.prefix(count))
                rest = rest.dropFirst(count)
            }
            let expected = naive(bytes)
            guard events == expected else {
                Issue.record("\(String(decoding: bytes, as: UTF8.self).debugDescription): \(events) ≠ \(expected)")
                return
            }
        }
    }
}

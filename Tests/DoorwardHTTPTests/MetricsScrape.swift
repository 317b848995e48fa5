import Testing

/// Parses a page in the Prometheus text format (0.0.4), as strictly as the format allows.
struct MetricsScrape {
    struct Sample {
        let name: String
        let labels: [String: String]
        let value: Double
    }

    /// Types by the metric's name.
    private(set) var types: [String: String] = [:]
    private(set) var helps: [String: String] = [:]
    private(set) var samples: [Sample] = []

    struct Malformed: Error { let line: String }

    init(_ text: String) throws {
        guard text.hasSuffix("\n") else { throw Malformed(line: "the last line has no line break") }
        var current: String?
        for line in text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init) {
            if line.hasPrefix("# ") {
                current = try readComment(line)
            } else {
                let sample = try Self.sample(line)
                // A metric's samples must follow its own comments, without other metrics in between.
                guard let current, types[current] != nil, Self.names(of: current, types[current]).contains(sample.name)
                else { throw Malformed(line: line) }
                samples.append(sample)
            }
        }
        guard Set(samples.map { "\($0.name)\($0.labels.sorted { $0.key < $1.key })" }).count == samples.count else {
            throw Malformed(line: "a series occurs twice")
        }
    }

    private mutating func readComment(_ line: String) throws -> String {
        let parts = line.split(separator: " ", maxSplits: 3).map(String.init)
        guard parts.count == 4, Self.isName(parts[2]) else { throw Malformed(line: line) }
        switch parts[1] {
        case "HELP" where helps[parts[2]] == nil: helps[parts[2]] = parts[3]
        case "TYPE" where types[parts[2]] == nil && ["counter", "gauge", "histogram"].contains(parts[3]):
            types[parts[2]] = parts[3]
        default: throw Malformed(line: line)
        }
        return parts[2]
    }

    private static func names(of metric: String, _ type: String?) -> [String] {
        type == "histogram" ? ["_bucket", "_sum", "_count"].map { metric + $0 } : [metric]
    }

    private static func isName(_ text: some StringProtocol) -> Bool {
        text.first.map { $0.isASCII && ($0.isLetter || $0 == "_") } == true
            && text.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    }

    private static func sample(_ line: String) throws -> Sample {
        guard let space = line.lastIndex(of: " "), let value = number(line[line.index(after: space)...]) else {
            throw Malformed(line: line)
        }
        let series = line[..<space]
        guard let brace = series.firstIndex(of: "{") else {
            guard isName(series) else { throw Malformed(line: line) }
            return Sample(name: String(series), labels: [:], value: value)
        }
        guard isName(series[..<brace]), series.hasSuffix("}") else { throw Malformed(line: line) }
        let labels = try labels(series[series.index(after: brace)...].dropLast())
        return Sample(name: String(series[..<brace]), labels: labels, value: value)
    }

    private static func number(_ text: Substring) -> Double? {
        switch text {
        case "+Inf": .infinity
        case "-Inf": -.infinity
        case "NaN": .nan
        default: Double(text)
        }
    }

    private static func labels(_ text: Substring) throws -> [String: String] {
        var labels: [String: String] = [:]
        var rest = text
        while !rest.isEmpty {
            guard let equals = rest.firstIndex(of: "="), isName(rest[..<equals]) else { throw Malformed(line: String(text)) }
            let name = String(rest[..<equals])
            rest = rest[rest.index(after: equals)...]
            guard rest.popFirst() == "\"", labels[name] == nil else { throw Malformed(line: String(text)) }
            labels[name] = try quoted(&rest)
            if !rest.isEmpty { guard rest.popFirst() == ",", !rest.isEmpty else { throw Malformed(line: String(text)) } }
        }
        return labels
    }

    private static func quoted(_ rest: inout Substring) throws -> String {
        var value = ""
        while let character = rest.popFirst() {
            if character == "\"" { return value }
            guard character == "\\" else {
                value.append(character)
                continue
            }
            switch rest.popFirst() {
            case "\\": value.append("\\")
            case "\"": value.append("\"")
            case "n": value.append("\n")
            default: throw Malformed(line: value)
            }
        }
        throw Malformed(line: value)
    }

    /// Returns the value of one series, or `nil` if the page does not contain it.
    subscript(_ name: String, _ labels: [String: String] = [:]) -> Double? {
        samples.first { $0.name == name && $0.labels == labels }?.value
    }
}

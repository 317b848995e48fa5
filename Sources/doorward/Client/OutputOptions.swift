import ArgumentParser

/// How a command prints what it got.
struct OutputOptions: ParsableArguments {
    @Flag(help: "Print one JSON document, as programs read it.")
    var json = false

    /// Prints the gateway's own JSON, or lines.
    func print(json bytes: [UInt8], lines: (Style) -> [String]) {
        let lines = json ? [String(decoding: bytes, as: UTF8.self)] : lines(.output)
        if !lines.isEmpty { StandardStream.output.line(lines.joined(separator: "\n")) }
    }
}

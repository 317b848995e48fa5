/// A piece of a line in one colour.
struct Span: Equatable, Sendable {
    let text: String
    let colour: OutputStyle.Colour?

    init(_ text: String, _ colour: OutputStyle.Colour? = nil) { (self.text, self.colour) = (text, colour) }
}

extension OutputStyle {
    /// Concatenates the spans, truncated to this number of columns.
    func line(_ spans: [Span], columns: Int) -> String {
        var (line, left) = ("", columns)
        for span in spans where left > 0 {
            let text = span.text.clipped(to: left)
            left -= text.displayWidth
            line += paint(text, span.colour)
        }
        return line
    }
}

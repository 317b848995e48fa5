internal import DoorwardControl
internal import DoorwardDomain

/// Simple charts as SVG elements. All texts in them are numbers, dates and words of the program.
enum ReportChart {
    /// Stacked bars: what happened in each part of the period.
    static func bars(_ figures: ComplianceFigures, _ time: ReportTime) -> String {
        let (width, height, left, bottom, top) = (960.0, 220.0, 46.0, 26.0, 12.0)
        let buckets = figures.buckets
        let tallest = max(1, buckets.map { $0.confirmed + $0.failed + $0.denied + $0.byHand }.max() ?? 1)
        let scale = Self.scale(tallest)
        let (plotWidth, plotHeight) = (width - left - 4, height - bottom - top)
        let step = plotWidth / Double(max(buckets.count, 1))
        func y(_ value: Int) -> Double { top + plotHeight * (1 - Double(value) / Double(scale)) }
        var parts = ""
        for value in [0, scale / 2, scale] where value == 0 || value * 2 >= scale {
            let height = short(y(value))
            parts += "<line class=\"axis\" x1=\"\(short(left))\" x2=\"\(short(width - 4))\" y1=\"\(height)\" y2=\"\(height)\"/>"
            parts += text(ReportTime.number(value), x: left - 6, y: y(value) + 4, isAtEnd: true)
        }
        for (index, bucket) in buckets.enumerated() {
            var base = 0
            for (name, count) in [
                ("confirmed", bucket.confirmed), ("hand", bucket.byHand), ("failed", bucket.failed), ("denied", bucket.denied),
            ] where count > 0 {
                let (x, barWidth) = (left + Double(index) * step + step * 0.1, step * 0.8)
                parts += "<rect class=\"\(name)\" x=\"\(short(x))\" y=\"\(short(y(base + count)))\" width=\"\(short(barWidth))\" "
                parts += "height=\"\(short(y(base) - y(base + count)))\"/>"
                base += count
            }
        }
        let isPartOfDay = figures.limits.count > 1 && figures.limits[1].duration(since: figures.limits[0]) < .seconds(72_000)
        let places = Set([0, buckets.count / 4, buckets.count / 2, buckets.count * 3 / 4]).filter { $0 < buckets.count }.sorted()
        for index in places {
            let label = time.label(figures.limits[index], isPartOfDay: isPartOfDay)
            parts += text(label, x: left + Double(index) * step, y: height - 8)
        }
        let sum = buckets.reduce(0) { $0 + $1.confirmed + $1.failed + $1.denied + $1.byHand }
        return svg(
            "bars", width, height, title: "Use of the locks over the period",
            description:
                "\(buckets.count) bars with \(ReportTime.number(sum)) events. The figures above have the sums of all parts.",
            parts)
    }

    /// One horizontal bar for each reason.
    static func reasons(_ counts: [(name: String, count: Int)]) -> String {
        let (width, row, left) = (960.0, 26.0, 250.0)
        let largest = Double(max(1, counts.map(\.count).max() ?? 1))
        var parts = ""
        for (index, item) in counts.enumerated() {
            let y = Double(index) * row
            let length = (width - left - 90) * Double(item.count) / largest
            parts += text(item.name, x: left - 8, y: y + 17, isAtEnd: true, isLabel: true)
            let size = "width=\"\(short(max(length, 1)))\" height=\"18\""
            parts += "<rect class=\"denied\" x=\"\(short(left))\" y=\"\(short(y + 4))\" \(size)/>"
            parts += text(ReportTime.number(item.count), x: left + max(length, 1) + 6, y: y + 17, isLabel: true)
        }
        return svg(
            "reasons", width, row * Double(max(counts.count, 1)), title: "Denied requests by reason",
            description: "The table below has the same numbers.", parts)
    }

    private static func text(
        _ content: String, x: Double, y: Double, isAtEnd: Bool = false, isLabel: Bool = false
    ) -> String {
        let attributes = (isLabel ? " class=\"label\"" : "") + (isAtEnd ? " text-anchor=\"end\"" : "")
        return "<text\(attributes) x=\"\(short(x))\" y=\"\(short(y))\">\(content)</text>"
    }

    private static func svg(
        _ id: String, _ width: Double, _ height: Double, title: String, description: String, _ content: String
    ) -> String {
        "<svg role=\"img\" viewBox=\"0 0 \(short(width)) \(short(height))\" aria-labelledby=\"\(id)-title \(id)-desc\">"
            + "<title id=\"\(id)-title\">\(title)</title><desc id=\"\(id)-desc\">\(description)</desc>\(content)</svg>"
    }

    /// The end of an axis: 1, 2 or 5 times a power of ten, and at least 2.
    static func scale(_ value: Int) -> Int {
        var power = 1
        while power <= Int.max / 100 {
            for factor in [1, 2, 5] where factor * power >= max(value, 2) { return factor * power }
            power *= 10
        }
        return value
    }

    /// A number with at most one decimal.
    private static func short(_ value: Double) -> String {
        let tenths = Int((value * 10).rounded())
        return tenths.isMultiple(of: 10) ? "\(tenths / 10)" : "\(tenths / 10).\(abs(tenths % 10))"
    }
}

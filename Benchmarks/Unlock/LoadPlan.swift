/// What the load's process is told on its standard input.
struct LoadPlan: Codable {
    var port: Int
    var seconds: Double
    /// For each connection the requests that it sends in turn, each as its bytes; the next one when the last is answered.
    var connections: [[String]]

    /// Where this stands in a request, the number of the request takes its place, with as many digits.
    static let numberMark = "################"
}

/// What the load's process says on its standard output.
struct LoadResult: Codable {
    var answered = 0
    /// Answers with a status other than 200.
    var failed = 0
    var seconds = 0.0
    /// From sending a request to its whole answer, in microseconds.
    var p50 = 0.0
    var p99 = 0.0

    var rate: Double { seconds > 0 ? Double(answered) / seconds : 0 }
}

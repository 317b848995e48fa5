@main struct Doorward { static func main() {} }

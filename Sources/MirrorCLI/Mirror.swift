import ArgumentParser
@main struct Mirror { static func main() {} }

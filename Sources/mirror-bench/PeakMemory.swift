#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The most physical memory that this process has held so far.
enum PeakMemory {
    static var mebibytes: Double {
        var usage = rusage()
        #if canImport(Glibc)
            // An enumeration's case there, whose C function takes an integer.
            getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        #else
            getrusage(RUSAGE_SELF, &usage)
        #endif
        #if canImport(Darwin)
            return Double(usage.ru_maxrss) / 1_048_576
        #else
            return Double(usage.ru_maxrss) / 1_024
        #endif
    }
}

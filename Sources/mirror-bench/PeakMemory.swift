#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// The peak of this process's physical memory until now.
enum PeakMemory {
    static var mebibytes: Double {
        var usage = rusage()
        #if canImport(Glibc)
            // Glibc declares it as an enumeration's case, but its function takes an integer.
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

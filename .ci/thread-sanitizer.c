// What the thread sanitizer must know of Swift's Mutex on Linux.
//
// A contended lock is handed on by the kernel (FUTEX_LOCK_PI), in a library that isn't instrumented: the sanitizer sees
// neither the release nor the acquisition, and reports every two accesses under it. These two functions, loaded before
// the library's own, say so.
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

void __tsan_acquire(void *address);
void __tsan_release(void *address);

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context))

SWIFT void locked(uint32_t thread, SELF void *mutex) __asm__("$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
SWIFT void unlocked(SELF void *mutex) __asm__("$s15Synchronization12_MutexHandleV11_unlockSlowyyF");

SWIFT void locked(uint32_t thread, SELF void *mutex) {
    typedef SWIFT void Own(uint32_t, SELF void *);
    static Own *own;
    if (!own) own = (Own *)dlsym(RTLD_NEXT, "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF");
    own(thread, mutex);
    __tsan_acquire(mutex);
}

SWIFT void unlocked(SELF void *mutex) {
    typedef SWIFT void Own(SELF void *);
    static Own *own;
    if (!own) own = (Own *)dlsym(RTLD_NEXT, "$s15Synchronization12_MutexHandleV11_unlockSlowyyF");
    __tsan_release(mutex);
    own(mutex);
}

/* SPDX-License-Identifier: MIT */
#define _GNU_SOURCE
#include "os/os.h"

#include <toft/config.h>

#include "base/bits.h"
#include "base/check.h"
#include "base/sanitizers.h"

#if defined(__linux__)

    #include <assert.h>
    #if defined(__x86_64__) || defined(__i386__)
        #include <cpuid.h>
    #endif
    #include <pthread.h>
    #include <sched.h>
    #include <sys/mman.h>
    #include <sys/resource.h>
    #include <sys/syscall.h>
    #include <time.h>
    #include <unistd.h>

/* Relaxed: whoever asks first, the answer is the same. */
size_t toft_os_page_bytes(void) {
    static size_t known_bytes;
    size_t bytes = __atomic_load_n(&known_bytes, __ATOMIC_RELAXED);
    if (TOFT_UNLIKELY(bytes == 0)) {
        bytes = (size_t)sysconf(_SC_PAGESIZE);
        __atomic_store_n(&known_bytes, bytes, __ATOMIC_RELAXED);
    }
    return bytes;
}

/* Where addresses have more than 48 bits, the system gives them to those alone who ask for them. */
size_t toft_os_mapping_max_bytes(void) {
    uint64_t most = (uint64_t)1 << 48;
    struct rlimit limit;
    if (getrlimit(RLIMIT_AS, &limit) == 0 && limit.rlim_cur < most) most = limit.rlim_cur;
    return most < SIZE_MAX ? (size_t)most : SIZE_MAX;
}

/* Not with MAP_NORESERVE: the system then refuses what it can't have, such as a terabyte. */
static void *map(void *hint, size_t bytes) {
    void *memory = mmap(hint, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

/* Where the system chooses, since new kernels align by themselves what is as large as a huge page,
   and each mapping lies below the last one, of the same length as a rule; else at the aligned
   address next below that. NULL where others are there. */
static void *map_near(size_t bytes, size_t alignment) {
    void *chosen = map(NULL, bytes);
    if (chosen == NULL || (uintptr_t)chosen % alignment == 0) return chosen;
    munmap(chosen, bytes);
    void *hint = (void *)((uintptr_t)chosen & ~(uintptr_t)(alignment - 1));
    void *mapped = map(hint, bytes);
    if (mapped == NULL || mapped == hint) return mapped;
    munmap(mapped, bytes);
    return NULL;
}

/* Maps more than is needed and returns the ends. */
static void *map_more(size_t bytes, size_t alignment, size_t page_bytes) {
    size_t mapped_bytes;
    if (!toft_add(bytes, alignment - page_bytes, &mapped_bytes)) return NULL;
    char *mapped = map(NULL, mapped_bytes);
    if (mapped == NULL) return NULL;
    char *memory = (char *)toft_align_up((uintptr_t)mapped, alignment);
    size_t before_bytes = (size_t)(memory - mapped);
    size_t after_bytes = mapped_bytes - before_bytes - bytes;
    if (before_bytes != 0) munmap(mapped, before_bytes);
    if (after_bytes != 0) munmap(memory + bytes, after_bytes);
    return memory;
}

void *toft_os_map_ordinary(size_t bytes, size_t alignment) {
    size_t page_bytes = toft_os_page_bytes();
    TOFT_ASSERT(bytes % page_bytes == 0 && toft_is_power_of_two(alignment));
    if (alignment <= page_bytes) return map(NULL, bytes);
    void *memory = map_near(bytes, alignment);
    return memory != NULL ? memory : map_more(bytes, alignment, page_bytes);
}

/* The system refuses where huge pages are switched off. The answer doesn't matter, since ordinary
   pages do as well. */
void toft_os_prefer_huge(void *memory, size_t bytes) {
    (void)madvise(memory, bytes, MADV_HUGEPAGE);
}

void toft_os_prefer_ordinary(void *memory, size_t bytes) {
    (void)madvise(memory, bytes, MADV_NOHUGEPAGE);
}

void *toft_os_map(size_t bytes, size_t alignment) {
    void *memory = toft_os_map_ordinary(bytes, alignment);
    if (memory != NULL && alignment >= TOFT_HUGE_PAGE_BYTES && bytes >= TOFT_HUGE_PAGE_BYTES)
        toft_os_prefer_huge(memory, bytes);
    return memory;
}

/* AMD's processors clear memory upwards more than twice as fast as downwards. */
static bool clears_upwards(void) {
    #if defined(__x86_64__) || defined(__i386__)
    enum { amd = 1, other = 2 };
    static int known; /* relaxed: whoever asks first, the answer is the same */
    int maker = __atomic_load_n(&known, __ATOMIC_RELAXED);
    if (maker == 0) {
        unsigned most, name[3];
        bool is_amd = __get_cpuid(0, &most, &name[0], &name[2], &name[1]) &&
                      name[0] == signature_AMD_ebx && name[1] == signature_AMD_edx;
        maker = is_amd ? amd : other;
        __atomic_store_n(&known, maker, __ATOMIC_RELAXED);
    }
    return maker == amd;
    #else
    return false;
    #endif
}

/* Linux before 7.0 clears a huge page from its far end towards the place that is touched (commit
   9890ecab, "mm: folio_zero_user: clear pages sequentially", changed that). On an EPYC this takes
   70 us upwards and 170 downwards. A Xeon takes 200 us either way; but what is cleared last is in
   the cache, and what then fills the page from its beginning takes 100 us there, and otherwise
   116. */
void toft_os_touch_huge_page(void *memory) {
    *((volatile char *)memory + (clears_upwards() ? TOFT_HUGE_PAGE_BYTES - 1 : 0)) = 0;
}

    /* Since Linux 5.14; older ones refuse, and headers may be older still. */
    #ifndef MADV_POPULATE_WRITE
enum { MADV_POPULATE_READ = 22, MADV_POPULATE_WRITE = 23 };
    #endif

void toft_os_populate(void *memory, size_t bytes) {
    uintptr_t from = (uintptr_t)memory & ~(uintptr_t)(toft_os_page_bytes() - 1);
    (void)madvise((void *)from, (uintptr_t)memory + bytes - from, MADV_POPULATE_WRITE);
}

/* This thread's, so far, that took no input. Negative: the system can't tell. */
static long page_faults(void) {
    struct rusage used;
    return getrusage(RUSAGE_THREAD, &used) == 0 ? used.ru_minflt : -1;
}

/* mincore would tell, too, but systemd's filters of system calls kill who asks it
   (SystemCallFilter=@system-service). The system reads the pages: to read here could crash, where
   the program has protected its memory. The places within each part differ, since slots may be as
   long as a part, and be touched at their beginnings alone. Linux before 5.14 can't tell. */
unsigned toft_os_resident_pages(void *memory, size_t bytes, unsigned looked_at) {
    size_t page_bytes = toft_os_page_bytes(), part_pages = bytes / looked_at / page_bytes;
    unsigned seen = 0;
    long before = page_faults();
    for (size_t i = 0; i < looked_at; i++) {
        char *page = (char *)memory + (i * part_pages + 5 * i % part_pages) * page_bytes;
        seen += madvise(page, page_bytes, MADV_POPULATE_READ) == 0;
    }
    long missing = page_faults() - before;
    return before < 0 || missing > (long)seen ? 0 : seen - (unsigned)missing;
}

void toft_os_unmap(void *memory, size_t bytes) {
    TOFT_ASSERT((uintptr_t)memory % toft_os_page_bytes() == 0);
    /* Cutting a hole can fail when the kernel has no room for one mapping more. The physical memory
     * still goes back; only the addresses are lost. */
    if (munmap(memory, bytes) != 0) toft_os_discard(memory, bytes);
}

void *toft_os_remap(void *memory, size_t bytes, size_t new_bytes) {
    /* A shorter one stays where it is, and keeps its alignment. Linux's mremap does the same, but
       emulators move the mapping then, or take memory behind it away. */
    if (new_bytes < bytes)
        return munmap((char *)memory + new_bytes, bytes - new_bytes) == 0 ? memory : NULL;
    void *moved = mremap(memory, bytes, new_bytes, MREMAP_MAYMOVE);
    return moved == MAP_FAILED ? NULL : moved;
}

void toft_os_discard(void *memory, size_t bytes) { (void)madvise(memory, bytes, MADV_DONTNEED); }

/* glibc's and musl's mutex is ready for use when all its bytes are zero. */
static_assert(sizeof(pthread_mutex_t) <= sizeof(toft_os_mutex), "toft_os_mutex is too small");
static_assert(_Alignof(pthread_mutex_t) <= _Alignof(toft_os_mutex), "toft_os_mutex is misaligned");

    /* Most locks of ours are held for less than a microsecond. So a thread looks again for about as
       long before it sleeps, since that takes system calls of both threads. ThreadSanitizer learns
       the order of locks only from threads that wait: under it, they wait at once. */
    #if defined(TOFT_THREAD_SANITIZER)
enum { looks_before_sleep = 0 };
    #else
enum { looks_before_sleep = 100 };
    #endif

static void pause_cpu(void) {
    #if defined(__x86_64__) || defined(__i386__)
    __builtin_ia32_pause();
    #elif defined(__aarch64__)
    __asm__ volatile("yield");
    #endif
}

void toft_os_lock(toft_os_mutex *mutex) {
    pthread_mutex_t *system_mutex = (pthread_mutex_t *)mutex;
    for (int look = 0; look < looks_before_sleep; look++) {
        if (TOFT_LIKELY(pthread_mutex_trylock(system_mutex) == 0)) return;
        pause_cpu();
    }
    pthread_mutex_lock(system_mutex);
}

void toft_os_unlock(toft_os_mutex *mutex) { pthread_mutex_unlock((pthread_mutex_t *)mutex); }

static_assert(sizeof(pthread_key_t) <= sizeof(toft_os_key), "toft_os_key can't hold a key");

bool toft_os_key_create(toft_os_key *key, void (*at_thread_exit)(void *value)) {
    pthread_key_t created;
    if (pthread_key_create(&created, at_thread_exit) != 0) return false;
    *key = created;
    return true;
}

void toft_os_key_delete(toft_os_key key) { pthread_key_delete((pthread_key_t)key); }

bool toft_os_key_set(toft_os_key key, void *value) {
    return pthread_setspecific((pthread_key_t)key, value) == 0;
}

bool toft_os_at_fork(void (*before)(void), void (*in_parent)(void), void (*in_child)(void)) {
    return pthread_atfork(before, in_parent, in_child) == 0;
}

/* glibc's, from 2.32 on; not every libc has it. */
extern char __libc_single_threaded __attribute__((weak));

bool toft_os_is_single_threaded(void) {
    return &__libc_single_threaded != NULL && __libc_single_threaded != 0;
}

/* What atexit itself calls. ThreadSanitizer replaces atexit by one that forgets which library
   called it: a function of an unloaded library would still be called at exit. */
extern int __cxa_atexit(void (*function)(void *), void *argument, void *library);
extern void *__dso_handle __attribute__((visibility("hidden")));

static void call(void *function) { ((void (*)(void))(uintptr_t)function)(); }

bool toft_os_at_exit(void (*function)(void)) {
    return __cxa_atexit(call, (void *)(uintptr_t)function, &__dso_handle) == 0;
}

/* The address of the thread's own control block. */
uintptr_t toft_os_thread_id(void) { return (uintptr_t)pthread_self(); }

uint64_t toft_os_milliseconds(void) {
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* The system refuses where it has more processors than the set has bits. */
unsigned toft_os_processors(void) {
    cpu_set_t set;
    if (sched_getaffinity(0, sizeof set, &set) != 0) return CPU_SETSIZE;
    return (unsigned)CPU_COUNT(&set);
}

/* To allocate is no cancellation point, but to sleep is one: a thread that ended there would keep
   its locks. */
static void sleep_uncancelled(long nanoseconds) {
    int state;
    pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    nanosleep(&(struct timespec){.tv_nsec = nanoseconds}, NULL);
    pthread_setcancelstate(state, NULL);
}

void toft_os_yield(unsigned looks) {
    enum { many = 1000, sleep_ns = 50000 };
    if (looks < many)
        sched_yield();
    else
        sleep_uncancelled(sleep_ns);
}

/* Linux 4.14 and newer. A process must register before its first request, and may do so again. The
   commands' numbers are part of the kernel's interface; not every libc's headers name them. */
bool toft_os_barrier_in_all_threads(void) {
    #if defined(SYS_membarrier)
    enum { private_expedited = 1 << 3, register_private_expedited = 1 << 4 };
    return syscall(SYS_membarrier, register_private_expedited, 0, 0) == 0 &&
           syscall(SYS_membarrier, private_expedited, 0, 0) == 0;
    #else
    return false;
    #endif
}

#endif /* __linux__ */

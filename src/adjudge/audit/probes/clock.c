/* A clock that is ahead, for every program that asks the C library: put into them by /etc/ld.so.preload.

   By how many microseconds stands in /etc/adjudge-clock. It needs no C library itself, so that it fits any of
   them. Its mark among the artifacts says that it was loaded. */

struct moment { long seconds; long part; };

#if defined(__x86_64__)
enum { READ = 0, CLOSE = 3, CLOCK = 228, OPEN_AT = 257 };
static long call(long n, long a, long b, long c, long d) {
    long result;
    register long fourth __asm__("r10") = d;
    __asm__ volatile("syscall" : "=a"(result) : "a"(n), "D"(a), "S"(b), "d"(c), "r"(fourth)
                     : "rcx", "r11", "memory");
    return result;
}
#elif defined(__aarch64__)
enum { READ = 63, CLOSE = 57, CLOCK = 113, OPEN_AT = 56 };
static long call(long n, long a, long b, long c, long d) {
    register long x8 __asm__("x8") = n, x0 __asm__("x0") = a, x1 __asm__("x1") = b;
    register long x2 __asm__("x2") = c, x3 __asm__("x3") = d;
    __asm__ volatile("svc 0" : "+r"(x0) : "r"(x8), "r"(x1), "r"(x2), "r"(x3) : "memory");
    return x0;
}
#endif

enum { HERE = -100, WRITE_NEW = 0101 };
static long shift;

__attribute__((constructor)) static void begin(void) {
    char digits[24];
    long file = call(OPEN_AT, HERE, (long)"/etc/adjudge-clock", 0, 0);
    if (file < 0)
        return;
    long length = call(READ, file, (long)digits, sizeof digits, 0);
    call(CLOSE, file, 0, 0, 0);
    long number = 0;
    for (long at = 0; at < length && digits[at] >= '0' && digits[at] <= '9'; at++)
        number = number * 10 + (digits[at] - '0');
    shift = number;
    long mark = call(OPEN_AT, HERE, (long)"/logs/verifier/adjudge-clock", WRITE_NEW, 0644);
    if (mark >= 0)
        call(CLOSE, mark, 0, 0, 0);
}

int clock_gettime(int which, struct moment *now) {
    if (call(CLOCK, which, (long)now, 0, 0) < 0)
        return -1;
    if (which == 0 || which == 5 || which == 11) { /* the wall clock, coarse, and international atomic time */
        now->seconds += shift / 1000000;
        now->part += shift % 1000000 * 1000;
        if (now->part >= 1000000000) {
            now->part -= 1000000000;
            now->seconds++;
        }
    }
    return 0;
}

int gettimeofday(struct moment *now, void *zone) {
    (void)zone;
    if (!now)
        return 0;
    int failed = clock_gettime(0, now);
    now->part /= 1000;
    return failed;
}

long time(long *now) {
    struct moment moment;
    clock_gettime(0, &moment);
    if (now)
        *now = moment.seconds;
    return moment.seconds;
}

int timespec_get(struct moment *now, int base) {
    return base == 1 && clock_gettime(0, now) == 0 ? base : 0;
}

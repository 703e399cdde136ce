/* SPDX-License-Identifier: MIT */
/* A program for `toft verify`:
 *
 *     verify_target WAY REQUEST
 *
 * With 0 every object dies in the call of serve() that made it, and so it is recorded. With the
 * number of a request, that one keeps an object, which is used later. The advice from the recording
 * is the same for both, since the objects are made by the same lines. */
#include <pthread.h>
#include <setjmp.h>
#include <signal.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <ucontext.h>
#include <unistd.h>

#define APART __attribute__((noinline))

enum { requests = 50, objects = 100, threads_at_once = 4 };

struct item {
    struct item *next;
    long number;
    char text[48];
};

static struct item *kept; /* by the request that was chosen */
static long chosen;       /* that request's number; 0: none */
static const char *way;
static volatile long sink;
/* With threads, all make before any frees: so each run needs the same memory at its peak. */
static pthread_barrier_t all_made;

static bool is(const char *name) { return strcmp(way, name) == 0; }

APART static struct item *make_item(struct item *next, long number) {
    struct item *made = calloc(1, sizeof *made); /* where it is made */
    if (!made) abort();
    made->next = next;
    made->number = number;
    return made;
}

APART static struct item *make_resized(struct item *next, long number) {
    struct item *made = malloc(16); /* where it is made at first */
    if (!made || !(made = realloc(made, sizeof *made))) abort();
    made->next = next;
    made->number = number;
    return made;
}

APART static struct item *make_list(void) {
    struct item *list = NULL;
    for (long i = 0; i != objects; ++i)
        list = is("resized") ? make_resized(list, i) : make_item(list, i);
    return list;
}

APART static void drop_list(struct item *list, bool keeps) {
    while (list) {
        struct item *next = list->next;
        if (keeps && list->number == 7) kept = list;
        if (!keeps || list->number != 7 || is("freed")) free(list);
        list = next;
    }
}

/* Two coroutines, whose stacks lie beside each other: the one that serves lies lower, and lets the
 * other one call the heap in the middle of each request. */
static _Alignas(4096) char stacks[2][1 << 18];
static ucontext_t of_main, of_serving, of_other;

static void call_heap_elsewhere(void) {
    for (;;) {
        char *volatile own = malloc(24);
        free(own);
        swapcontext(&of_other, &of_serving);
    }
}

static void prepare_coroutine(ucontext_t *c, char *stack, void (*routine)(void)) {
    getcontext(c);
    c->uc_stack.ss_sp = stack;
    c->uc_stack.ss_size = sizeof stacks[0];
    c->uc_link = &of_main;
    makecontext(c, routine, 0);
}

APART static void serve(long request) {
    struct item *list = make_list();
    if (is("coroutines")) swapcontext(&of_serving, &of_other);
    if (is("threads")) pthread_barrier_wait(&all_made);
    drop_list(list, request == chosen);
    sink = request;
} /* where the region ends */

/* As a compiler may put it: between the last pop and the return it counts, in memory and in
 * registers, by instructions of all lengths. */
static volatile long served[64];
__attribute__((used, noinline)) static struct item *list_of_counted(void) { return make_list(); }
__attribute__((used, noinline)) static void drop_counted(struct item *list, long request) {
    drop_list(list, request == chosen);
    sink = request;
}
void serve_counted(long request);
__asm__(".text\n"
        ".globl serve_counted\n"
        ".type serve_counted, @function\n"
        "serve_counted:\n"
        ".cfi_startproc\n"
        "    pushq %rbx\n"
        ".cfi_def_cfa_offset 16\n"
        ".cfi_offset %rbx, -16\n"
        "    movq %rdi, %rbx\n"
        "    call list_of_counted\n"
        "    movq %rax, %rdi\n"
        "    movq %rbx, %rsi\n"
        "    call drop_counted\n"
        "    leaq served(%rip), %rcx\n"
        "    popq %rbx\n"
        ".cfi_def_cfa_offset 8\n"
        "    movl $3, %edx\n"
        "    addq $1, served(%rip)\n"
        "    movq $500, 8(%rcx)\n"
        "    addl $1000, 256(%rcx)\n"
        "    movb $2, 16(%rcx,%rdx,8)\n"
        "    leaq 8(,%rdx,4), %rsi\n"
        "    movzbl %sil, %eax\n"
        "    movslq %edx, %r8\n"
        "    nopl 8(%rax,%rax,1)\n"
        "    xorl %eax, %eax\n"
        "    ret\n"
        ".cfi_endproc\n"
        ".size serve_counted, .-serve_counted\n");

/* Each call has objects of its own. The innermost one keeps one; its caller reads it. */
APART static void serve_nested(long request, int depth) {
    struct item *list = make_list();
    if (depth) serve_nested(request, depth - 1);
    if (depth && kept) sink = kept->number; /* where the caller reads it */
    drop_list(list, request == chosen && depth == 0);
    sink = request;
}

/* All requests in one call, each with its list. The chosen one keeps an object until its end. */
APART static void serve_in_rounds(void) {
    for (long request = 1; request <= requests; ++request) {
        drop_list(make_list(), request == chosen);
        sink = request;
    }
    free(kept);
    kept = NULL;
}

/* The way out of an error. */
APART static void serve_and_jump(long request, jmp_buf out) {
    struct item *list = make_list();
    drop_list(list, request == chosen);
    if (request == chosen) longjmp(out, 1);
    sink = request;
}

APART static void serve_jumping(void) {
    static volatile long request;
    for (request = 1; request <= requests; ++request) {
        jmp_buf out;
        if (setjmp(out) == 0) serve_and_jump(request, out);
        free(malloc(24)); /* a call of the heap from outside of it */
    }
}

APART static void read_kept(void) { sink = kept->number; /* where it is read */ }
APART static void write_kept(void) { kept->number = 7; /* where it is written */ }
APART static void copy_kept(void) {
    static struct item copy;
    static volatile size_t bytes = sizeof copy; /* so that memcpy() is called */
    memcpy(&copy, kept, bytes);
    sink = copy.number; /* behind it */
}
APART static void walk_list(void) {
    struct item first = {.next = kept};
    for (const struct item *i = &first; i; i = i->next) sink = i->number; /* where it is walked */
}
APART static void write_out(void) {
    if (write(STDOUT_FILENO, kept->text, 1) < 0) sink = 1; /* where it is written out */
}

static void at_exit(void) {
    if (kept && is("at-exit")) read_kept();
}

static void *of_thread(void *unused) {
    if (kept) read_kept();
    return unused;
}

APART static void start_and_wait(void *(*routine)(void *)) {
    pthread_t threads[threads_at_once];
    if (pthread_barrier_init(&all_made, NULL, threads_at_once) != 0) abort();
    for (int i = 0; i != threads_at_once; ++i)
        if (pthread_create(&threads[i], NULL, routine, NULL) != 0) abort();
    for (int i = 0; i != threads_at_once; ++i) pthread_join(threads[i], NULL);
    pthread_barrier_destroy(&all_made);
}

APART static void read_in_child(void) {
    const pid_t child = fork();
    if (child == 0) {
        read_kept();
        _exit(0);
    }
    int status;
    if (child < 0 || waitpid(child, &status, 0) != child) abort();
}

/* --- what the program does with the same signal --- */

static sigjmp_buf after_fault;
static void on_fault(int number) {
    (void)number;
    siglongjmp(after_fault, 1);
}

/* Ends with 3 when its own handler didn't come. */
APART static void fault_and_go_on(void) {
    const struct sigaction own = {.sa_handler = on_fault};
    struct sigaction seen;
    if (sigaction(SIGSEGV, &own, NULL) != 0 || sigaction(SIGSEGV, NULL, &seen) != 0 ||
        seen.sa_handler != on_fault)
        _exit(3);
    int *volatile nowhere = NULL;
    if (sigsetjmp(after_fault, 1) == 0) {
        *nowhere = 1;
        _exit(3);
    }
}

static void block_signals(void) {
    sigset_t all;
    sigfillset(&all);
    pthread_sigmask(SIG_BLOCK, &all, NULL);
}

/* C23's name, which this C library may not have. */
void free_sized(void *, size_t) __attribute__((weak));

APART static void serve_all(void) {
    for (long i = 1; i <= requests; ++i) {
        if (is("recursion"))
            serve_nested(i, 3);
        else if (is("counted"))
            serve_counted(i);
        else
            serve(i);
    }
}

static void serve_in_coroutine(void) {
    prepare_coroutine(&of_serving, stacks[0], serve_all);
    prepare_coroutine(&of_other, stacks[1], call_heap_elsewhere);
    swapcontext(&of_main, &of_serving);
}

static void *serving(void *unused) {
    block_signals();
    serve_all();
    return unused;
}

static void use_kept(void) {
    if (is("read") || is("counted") || is("resized") || is("freed") || is("jump") || is("faults"))
        read_kept();
    if (is("write")) write_kept();
    if (is("copy")) copy_kept();
    if (is("container")) walk_list();
    if (is("system-call")) write_out();
    if (is("thread")) start_and_wait(of_thread);
    if (is("fork")) read_in_child();
    if (is("free")) free(kept);                                         /* where it is freed */
    if (is("free-sized") && free_sized) free_sized(kept, sizeof *kept); /* where it goes by size */
    if (is("resize") && !(kept = realloc(kept, 400))) _exit(1);         /* where it is resized */
}

int main(int argc, char **argv) {
    if (argc != 3) return 2;
    way = argv[1];
    chosen = atol(argv[2]);
    atexit(at_exit);
    if (is("faults")) fault_and_go_on();
    if (is("threads"))
        start_and_wait(serving);
    else if (is("coroutines"))
        serve_in_coroutine();
    else if (is("jump"))
        serve_jumping();
    else if (is("rounds"))
        serve_in_rounds();
    else if (is("leak"))
        sink = (long)make_list()->number;
    else
        serve_all();
    if (kept) use_kept();
    if (is("faults") && chosen == 0) fault_and_go_on();
    return is("status") ? 9 : 0;
}

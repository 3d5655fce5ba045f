// SPDX-License-Identifier: GPL-2.0
/*
 * LD_PRELOAD for QEMU with -accel tcg,thread=single -icount sleep=off: keep its
 * main thread out of the way of the thread that runs the guest's CPUs.
 *
 * Both run timers that have expired, and the main thread moves the guest's clock
 * to the next one when all CPUs are idle. If it comes late from its poll, on a
 * busy host, it can do so when a CPU has just halted, and what that CPU has
 * executed is not in the clock yet; or between the turns of two CPUs, of which the
 * second then gets a turn of another length. Either way the guest goes on
 * differently. With this library the main thread returns from a poll only while
 * the other one waits for work. That one needs no help as long as it has some: it
 * runs the timers by itself, and there is no other device to serve.
 *
 * A guest that is never idle would keep the main thread from hearing signals:
 * after LIMIT seconds it goes on anyway.
 */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

#define LIMIT	10

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static pthread_cond_t became_idle = PTHREAD_COND_INITIALIZER;
/* until a thread has waited for the first time there is nothing to keep order with */
static bool idle = true;

static bool is_main(void)
{
	return gettid() == getpid();
}

static void set_idle(bool now)
{
	pthread_mutex_lock(&lock);
	idle = now;
	if (idle)
		pthread_cond_signal(&became_idle);
	pthread_mutex_unlock(&lock);
}

static void wait_for_idle(void)
{
	struct timespec until;

	clock_gettime(CLOCK_REALTIME, &until);
	until.tv_sec += LIMIT;
	pthread_mutex_lock(&lock);
	while (!idle)
		if (pthread_cond_timedwait(&became_idle, &lock, &until))
			break;
	pthread_mutex_unlock(&lock);
}

/*
 * Of QEMU's threads the CPUs' is the only one but the main one that waits for a
 * condition. The current version of the function: x86_64 has an older one too.
 */
int pthread_cond_wait(pthread_cond_t *cond, pthread_mutex_t *mutex)
{
	static int (*next)(pthread_cond_t *cond, pthread_mutex_t *mutex);
	int ret;

	if (!next)
		next = dlvsym(RTLD_NEXT, "pthread_cond_wait", "GLIBC_2.3.2");
	if (!next)
		next = dlsym(RTLD_NEXT, "pthread_cond_wait");
	if (is_main())
		return next(cond, mutex);
	set_idle(true);
	ret = next(cond, mutex);
	set_idle(false);
	return ret;
}

int ppoll(struct pollfd *fds, nfds_t n, const struct timespec *timeout,
	  const sigset_t *mask)
{
	static int (*next)(struct pollfd *fds, nfds_t n, const struct timespec *timeout,
			   const sigset_t *mask);
	int ret;

	if (!next)
		next = dlsym(RTLD_NEXT, "ppoll");
	ret = next(fds, n, timeout, mask);
	if (is_main())
		wait_for_idle();
	return ret;
}

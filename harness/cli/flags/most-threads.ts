/** The most plans that run at a time: on containers each needs a network of its own, and there are 256. */
export const MOST_THREADS = 64;

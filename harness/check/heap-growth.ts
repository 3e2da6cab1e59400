import { setFlagsFromString } from "node:v8";

/**
 * Makes this process collect garbage when its heap has grown by a half since the last time, and leaves the space of young objects as
 * it is. By itself V8 waits on a machine with much memory until the heap is four times as large, and gives young objects 128 MB:
 * what is kept while a history is judged is small, and what has been dropped would take hundreds of megabytes. For a program that
 * judges long histories; it costs a tenth to a fifth of the time.
 */
export function collectGarbageEarly(): void {
  setFlagsFromString("--heap-growing-percent=50");
  setFlagsFromString("--semi-space-growth-factor=1");
}

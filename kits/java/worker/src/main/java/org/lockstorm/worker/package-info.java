/**
 * Write a lock in Java as a worker of lockstorm: a program that holds a lock for it. lockstorm runs several at a time, injects
 * faults, and judges what they answered.
 *
 * <p>Implement {@link org.lockstorm.worker.LockClient}, and call {@link org.lockstorm.worker.Worker#serve} from {@code main}.
 */
package org.lockstorm.worker;

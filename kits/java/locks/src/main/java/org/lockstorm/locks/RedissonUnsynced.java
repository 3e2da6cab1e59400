package org.lockstorm.locks;

/** {@link RedissonLease} without asking whether a replica has the lock: {@code checkLockSyncedSlaves = false}. */
public final class RedissonUnsynced {
  private RedissonUnsynced() {}

  /** Holds it for lockstorm. */
  public static void main(String[] words) {
    RedissonLease.serve(false);
  }
}

package org.lockstorm.worker;

import java.util.Locale;

/** How a read-write lock is taken. */
public enum Mode {
  /** Stands beside others of its kind. */
  SHARED,
  /** Stands alone. */
  EXCLUSIVE;

  /** As the protocol has it. */
  static Mode of(String word) {
    return valueOf(word.toUpperCase(Locale.ROOT));
  }
}
